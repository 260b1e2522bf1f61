"""Schedules: what is due when, and that no turn is lost, repeated or moved."""

from collections.abc import Sequence
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_membench import Batched, EveryDay, EveryTurn, EveryTurns, TokenThreshold, Turn
from pytest_membench.run.build import batches
from pytest_membench.schedule import Schedule


def turns_at(*moments: tuple[int, str, str]) -> list[Turn]:
    """Return one turn for each (day, time, who)."""
    return [Turn(i, day, time, who, f"line {i}") for i, (day, time, who) in enumerate(moments)]


@st.composite
def chats(draw: st.DrawFn) -> list[Turn]:
    """Draw a chat: turns in the order of time, of any length, over a few days."""
    minutes = sorted(draw(st.lists(st.integers(0, 4 * 24 * 60 - 1), max_size=30)))
    whos = draw(st.lists(st.sampled_from(["u", "a", "Caroline"]), min_size=len(minutes), max_size=len(minutes)))
    return [
        Turn(i, 1 + minute // 1440, f"{minute // 60 % 24:02}:{minute % 60:02}", who, "word " * (minute % 7))
        for i, (minute, who) in enumerate(zip(minutes, whos, strict=True))
    ]


SCHEDULES = st.one_of(
    st.just(EveryTurn()),
    st.just(EveryDay()),
    st.builds(EveryTurns, st.integers(1, 12)),
    st.builds(Batched, st.integers(1, 9), st.integers(0, 5), st.floats(0, 30)),
    st.builds(TokenThreshold, st.integers(1, 400)),
)


@given(chats(), SCHEDULES)
def test_no_turn_is_lost_repeated_or_moved(turns: list[Turn], schedule: Schedule) -> None:
    """The batches one after the other are the chat, whole where the schedule flushes, else its beginning."""
    made = list(batches(turns, schedule))
    written = [turn for batch in made for turn in batch]
    assert all(made)
    assert written == (turns if schedule.flush else turns[: len(written)])


@given(chats(), SCHEDULES, st.integers(0, 30))
def test_what_was_written_does_not_depend_on_what_comes_later(
    turns: list[Turn], schedule: Schedule, length: int
) -> None:
    """The batches of a chat's beginning are those of the chat, but for the last, flushed one."""
    made = list(batches(turns, schedule))
    sooner = list(batches(turns[:length], schedule))
    settled = sooner[:-1] if schedule.flush else sooner
    assert made[: len(settled)] == settled


@given(chats())
def test_a_threshold_never_writes_less_than_it_waits_for(turns: list[Turn]) -> None:
    """Under TokenThreshold every batch is large enough, and what is left over is not."""
    threshold = TokenThreshold(60)
    made = list(batches(turns, threshold))
    assert not threshold.flush
    rest = turns[sum(map(len, made)) :]
    assert all(threshold.due(batch, None) == len(batch) for batch in made)
    assert threshold.due(rest, None) == 0


def sizes(turns: Sequence[Turn], schedule: Schedule) -> list[int]:
    """Return the lengths of the batches."""
    return [len(batch) for batch in batches(turns, schedule)]


def test_every_turn_writes_each_by_itself() -> None:
    """Three turns are three writes."""
    assert sizes(turns_at(*[(1, "09:00", "u")] * 3), EveryTurn()) == [1, 1, 1]


def test_every_turns_leaves_a_shorter_last_batch() -> None:
    """Seven turns at three a time: two full batches and what is left before the probes."""
    assert sizes(turns_at(*[(1, "09:00", "u")] * 7), EveryTurns(3)) == [3, 3, 1]


def test_every_day_writes_when_a_later_day_begins() -> None:
    """A day's turns wait for the first turn of another day; days without turns write nothing."""
    turns = turns_at((1, "09:00", "u"), (1, "23:59", "a"), (2, "00:00", "u"), (9, "08:00", "u"), (9, "09:00", "a"))
    assert sizes(turns, EveryDay()) == [2, 1, 2]
    assert EveryDay().due(turns[:2], None) == 0
    assert EveryDay().due(turns[:3], None) == 2


@pytest.mark.parametrize(
    ("whos", "last", "due"),
    [
        ("uaua", None, 4),
        ("uau", None, 0),
        ("uaaa", None, 0),
        ("uaua", datetime.fromisoformat("2026-08-03 06:01"), 0),
        ("uaua", datetime.fromisoformat("2026-08-03 06:00"), 4),
    ],
)
def test_batched_waits_for_all_three_conditions(whos: str, last: datetime | None, due: int) -> None:
    """At 4 turns, 2 of them the person's, 3 hours after the last write (09:00 here), and not before."""
    pending = turns_at(*((1, "09:00", who) for who in whos))
    assert Batched(turns=4, from_person=2, hours=3).due(pending, last) == due


def test_batched_rests_across_midnight() -> None:
    """Hours since the last write count over the end of a day: 23:00 to 01:59 are less than three."""
    last = datetime.fromisoformat("2026-08-03 23:00")
    schedule = Batched(turns=1, from_person=1, hours=3)
    assert schedule.due(turns_at((2, "01:59", "u")), last) == 0
    assert schedule.due(turns_at((2, "02:00", "u")), last) == 1


def test_batched_counts_the_rest_from_the_newest_written_turn() -> None:
    """The turns of a long morning are written, then nothing until three hours after the last of them."""
    turns = turns_at((1, "08:00", "u"), (1, "10:00", "u"), (1, "11:30", "u"), (1, "12:59", "u"), (1, "13:00", "u"))
    assert sizes(turns, Batched(turns=2, from_person=1, hours=3)) == [2, 3]


def test_the_default_of_batched_is_eight_turns_four_of_the_person_three_hours() -> None:
    """The numbers of agent-memory-bench."""
    assert Batched() == Batched(turns=8, from_person=4, hours=3)


def test_a_threshold_is_met_and_not_only_passed() -> None:
    """Pending turns are due at exactly the threshold, and not one token below it."""
    pending = turns_at((1, "09:00", "u"), (1, "09:01", "a"))
    needed = next(n for n in range(1, 200) if TokenThreshold(n + 1).due(pending, None) == 0)
    assert TokenThreshold(needed).due(pending, None) == 2
    assert TokenThreshold(needed).due(pending[:1], None) == 0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: EveryTurns(0), r"EveryTurns\(turns=0\): turns must be 1 or more"),
        (lambda: Batched(turns=0), r"Batched\(turns=0\): turns must be 1 or more"),
        (lambda: TokenThreshold(-5), r"TokenThreshold\(tokens=-5\): tokens must be 1 or more"),
    ],
)
def test_a_schedule_that_never_waits_is_refused(make: "type[Schedule]", message: str) -> None:
    """Sizes below 1 are refused with the schedule's name and the value."""
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize("schedule", [EveryTurn(), EveryTurns(3), EveryDay(), Batched()])
def test_all_but_the_threshold_flush_before_probes(schedule: Schedule) -> None:
    """What is pending is written before questions are asked."""
    assert schedule.flush
