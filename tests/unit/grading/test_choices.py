"""Multiple choice: options that are the same in every session, and a letter that is read strictly."""

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_membench.data import Kind, Person, Probe, Turn
from pytest_membench.grading.choices import OPTIONS, asked, chosen, options

TURN = Turn(0, 1, "09:00", "Ivo", "hello")


def person(golds: list[tuple[Kind, str]]) -> Person:
    """Return a person with one probe for each kind and gold."""
    probes = tuple(Probe(f"q{n:03}", kind, "what?", gold) for n, (kind, gold) in enumerate(golds))
    return Person("talk-1", "Ivo", (TURN,), probes, datetime.fromisoformat("2026-09-01"))


GOLDS = st.lists(
    st.tuples(st.sampled_from(["single_hop", "temporal", "abstain"]), st.sampled_from("abcdefgh")),
    min_size=2,
    max_size=9,
)


@given(GOLDS)
def test_the_gold_is_among_the_options_once(golds: list[tuple[Kind, str]]) -> None:
    """At most four, no two alike, each a gold of the chat, the same again when asked again."""
    who = person(golds)
    for probe in who.probes:
        if len({gold for _, gold in golds}) < 2:
            continue
        offered = options(probe, who)
        assert offered.count(probe.gold) == 1
        assert len(set(offered)) == len(offered) == min(OPTIONS, len({gold for _, gold in golds}))
        assert offered == options(probe, who)


def test_options_are_golds_of_the_same_kind_first() -> None:
    """Those of other kinds fill up where the kind has too few."""
    same: list[tuple[Kind, str]] = [("single_hop", gold) for gold in ("hens", "spoons", "a wren", "green", "a raft")]
    who = person([*same, ("temporal", "in May")])
    assert set(options(who.probes[0], who)) <= {gold for _, gold in same}
    who = person([("abstain", "It never came up."), ("abstain", "it never came up"), *same])
    assert len(options(who.probes[0], who)) == 4


def test_the_right_place_differs_from_question_to_question() -> None:
    """Of 40 questions none of the four places holds the gold more than half the time."""
    who = person([("single_hop", f"gold {n}") for n in range(40)])
    places = [options(probe, who).index(probe.gold) for probe in who.probes]
    assert {places.count(place) > 0 for place in range(4)} == {True}
    assert max(places.count(place) for place in range(4)) < 20


def test_a_rubric_offers_nothing_to_choose() -> None:
    """Its gold is no answer; nor is there a choice where no gold differs."""
    who = person([("ask", "names a film"), ("single_hop", "hens"), ("single_hop", "Hens.")])
    with pytest.raises(ValueError, match="probe 'q000' of 'talk-1' is graded by a rubric"):
        options(who.probes[0], who)
    with pytest.raises(ValueError, match="no other probe of 'talk-1' has another gold than 'q001'"):
        options(who.probes[1], who)


OFFERED = ("hens", "green", "a wren", "spoons")


def test_the_question_shows_its_options_by_letter() -> None:
    """One a line, below the question."""
    lines = asked("What colour?", OFFERED).splitlines()
    assert lines[0] == "What colour?"
    assert lines[-4:] == ["A) hens", "B) green", "C) a wren", "D) spoons"]


@pytest.mark.parametrize(
    "text", ["B", "b", "(B)", "B)", "B.", " B ", "**B**", "Answer: B", "B) green", "B. Green", "green", "Green."]
)
def test_a_clear_choice_is_read(text: str) -> None:
    """By its letter, by its text, or by both."""
    assert chosen(text, OFFERED) == "green"


@pytest.mark.parametrize(
    "text",
    ["", "E", "B or C", "A, B", "not B", "B) a wren", "I do not know", "The raft is green", "INCORRECT", "BB", "Both"],
)
def test_an_unclear_choice_is_left_to_the_judge(text: str) -> None:
    """Two letters, a letter that was not offered, a letter with another's text, or prose."""
    assert chosen(text, OFFERED) is None


def test_nothing_is_chosen_where_nothing_was_offered() -> None:
    """A free answer that reads "B" is judged as it stands."""
    assert chosen("B", ()) is None
    assert chosen("D", OFFERED[:3]) is None
