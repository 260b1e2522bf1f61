"""Which recorded reply a dry run gives, and how long."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_membench import Turn
from pytest_membench.run.dry import DryRun
from pytest_membench.run.replies import Kept, Replies, text_size


def kept(counted: int, text: str, new: int | None = None) -> Kept:
    """One reply of the ingest stage."""
    return Kept("ingest", "", counted, None, 1, text, new)


def words(n: int) -> str:
    """A reply of n words."""
    return " ".join(["word"] * n)


def asked(run: DryRun, counted: int, new: int = 0) -> str:
    """The reply to a prompt of so many tokens."""
    return run.reply("ingest", "", counted, new)


def test_prompts_between_two_recorded_ones_get_both_in_turn() -> None:
    """At 20 between 10 and 40 two of three replies are the shorter one's: their prompts' mean is what was asked."""
    run = DryRun(Replies([kept(10, "short"), kept(40, "long")]))
    assert [asked(run, 20) for _ in range(6)].count("long") == 2
    exact = DryRun(Replies([kept(10, "short"), kept(40, "long")]))
    assert {asked(exact, 40) for _ in range(6)} == {"long"}


@given(st.lists(st.integers(1, 100), min_size=1, max_size=8), st.lists(st.integers(1, 100), min_size=1, max_size=30))
def test_the_prompts_of_the_replies_keep_up_with_those_asked(recorded: list[int], prompts: list[int]) -> None:
    """Within the recorded lengths, what was given never lags behind by more than the widest gap between two of them."""
    low, high = min(recorded), max(recorded)
    run = DryRun(Replies([kept(counted, str(counted)) for counted in recorded]))
    wanted = [min(max(prompt, low), high) for prompt in prompts]
    given_lengths = [int(asked(run, prompt)) for prompt in wanted]
    assert abs(sum(wanted) - sum(given_lengths)) <= high - low


def test_prompts_beyond_all_recorded_ones_get_the_outermost_and_carry_nothing() -> None:
    """A debt that could never be paid back would decide all later choices."""
    run = DryRun(Replies([kept(10, "short"), kept(40, "long")]))
    assert [asked(run, 1000) for _ in range(3)] == ["long"] * 3
    assert asked(run, 10) == "short"


def test_each_conversation_carries_its_own() -> None:
    """Predictions of two seeds with the same replies do not depend on their order."""
    replies = Replies([kept(10, "short"), kept(40, "long")])
    assert asked(DryRun(replies), 20) == asked(DryRun(replies), 20) == "short"


@pytest.mark.parametrize(("new", "expected"), [(100, 20), (50, 10), (400, 80)])
def test_replies_that_grow_with_what_they_are_about_are_made_as_long(new: int, expected: int) -> None:
    """Extracted facts are in proportion to the batch, also one of a size that nobody recorded."""
    run = DryRun(Replies([kept(100, words(20), 100), kept(200, words(40), 200)]))
    assert len(asked(run, 100, new).split()) == expected


def test_replies_that_do_not_grow_stay_as_they_are() -> None:
    """A summary with a limit is as long after a large batch as after a small one."""
    run = DryRun(Replies([kept(100, words(20), 100), kept(200, words(20), 200)]))
    assert len(asked(run, 100, 400).split()) == 20


@pytest.mark.parametrize(
    "replies",
    [
        [kept(100, words(20), 100), kept(300, words(90), 100)],
        [kept(100, words(20)), kept(300, words(90))],
        [kept(100, words(20), 100)],
    ],
)
def test_without_two_sizes_nothing_is_known_of_growth(replies: list[Kept]) -> None:
    """One size of batch, or a folder of an earlier version that has none: replies are given as they were recorded."""
    assert Replies(replies).growth("ingest", "") == 0
    assert len(asked(DryRun(Replies(replies)), 100, 900).split()) == 20


@pytest.mark.parametrize(("texts", "growth"), [((10, 2), 0.0), ((10, 90), 1.0)])
def test_growth_is_from_none_to_proportion(texts: tuple[int, int], growth: float) -> None:
    """A reply neither shrinks with what it is about nor outgrows it."""
    replies = [kept(n, "x" * text, n) for n, text in zip((100, 200), texts, strict=True)]
    assert Replies(replies).growth("ingest", "") == growth


def test_what_a_call_is_about_is_counted_by_its_texts() -> None:
    """Names and times are the same at any length of turn."""
    turn = Turn(0, 1, "09:00", "u", "Good morning.", "Nora")
    assert text_size([turn, turn]) == 2 * text_size([turn]) > 0
