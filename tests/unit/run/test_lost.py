"""Where a fact was lost: each place, in the order in which they are looked at."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_membench import Probe
from pytest_membench.data import KINDS, Label
from pytest_membench.run.lost import Place, essentials, where_lost

FERRY = Probe("update-01", "update", "When does the ferry leave?", "Saturday 19 September", (5,), ("19 September",))
ABSTAIN = Probe("abstain-01", "abstain", "What is Ida's job?", "It never came up.")
HELD = "the ferry leaves on 19 September"
OTHER = "the ferry leaves some day"


def lost(
    *,
    probe: Probe = FERRY,
    label: Label = "wrong",
    state: Any = OTHER,
    shown: tuple[str, ...] = (OTHER,),
    answer: str = OTHER,
    overturned: bool = False,
) -> Place | None:
    """Say where the fact was lost of an item in which nothing holds it, but for what is given."""
    return where_lost(probe, label, state=state, shown=shown, answer=answer, overturned=overturned)


@pytest.mark.parametrize("label", ["partial", "wrong"])
@pytest.mark.parametrize(
    ("given", "place"),
    [
        ({}, "never written"),
        ({"state": HELD}, "written but not recalled"),
        ({"state": HELD, "shown": (OTHER, HELD)}, "recalled but not used"),
        ({"shown": (HELD,)}, "recalled but not used"),
        ({"state": HELD, "shown": (HELD,), "answer": HELD}, "judge in doubt"),
        ({"overturned": True}, "judge in doubt"),
    ],
)
def test_each_place(given: dict[str, Any], place: Place, label: Label) -> None:
    """The furthest point that the fact reached is where it was lost."""
    assert lost(label=label, **given) == place


@pytest.mark.parametrize("overturned", [True, False])
def test_a_correct_answer_lost_nothing(overturned: bool) -> None:
    """Nothing is said of a correct answer, also where the first look had been against it."""
    assert lost(label="correct", state=HELD, answer=HELD, overturned=overturned) is None


def test_an_abstain_probe_has_nothing_to_recall() -> None:
    """What was never said can be lost nowhere."""
    assert lost(probe=ABSTAIN, state="Ida", answer="She is a nurse.") == "nothing to recall"


@pytest.mark.parametrize(
    "state",
    [
        ["a summary\n19 September is the day"],
        [{"line": 'he said "19 September"'}],
        {"day": {"19 September": "ferry"}},
        {"tab": "day:\t19 September"},
        [["far"], ("in", ["19 September"])],
        [19, "september"],
    ],
)
def test_a_state_of_any_shape_is_searched(state: Any) -> None:
    """Lines, quotes, keys and numbers of a state count as its words do; JSON's escapes hide none."""
    assert lost(state=state) == "written but not recalled"


@pytest.mark.parametrize("state", [None, [], {}, "", 0])
def test_an_empty_state_holds_nothing(state: Any) -> None:
    """No memory at all: never written."""
    assert lost(state=state) == "never written"


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("on the 19 SEPTEMBER.", True),
        ("19\nSeptember", True),
        ("119 September", False),
        ("19 Septembers", False),
        ("19 of September", False),
    ],
)
def test_words_are_whole_and_case_does_not_count(text: str, holds: bool) -> None:
    """A figure is not found within a longer one, nor a phrase whose words do not follow each other."""
    assert (lost(answer=text) == "judge in doubt") == holds


def test_all_words_are_needed_and_may_stand_apart() -> None:
    """Two essential words in two snippets are both before the model; one alone is not enough."""
    probe = Probe("recall-01", "recall", "Who and where?", "Ida, in Bergen", (1,), ("Ida", "Bergen"))
    assert lost(probe=probe, shown=("Ida is well", "Bergen is wet")) == "recalled but not used"
    assert lost(probe=probe, shown=("Ida is well",)) == "never written"


@pytest.mark.parametrize(
    ("gold", "words"),
    [
        ("Saturday 19 September (first the 12th).", ("19 September",)),
        ("4.3 cents per parcel; Q2 was 4.9", ("4.3",)),
        ("At 14:30, room 7", ("14:30", "7")),
        ("7 of 7 rooms", ("7",)),
        ("Her sister Ida lent it.", ("Ida",)),
        ("a red kayak.", ("a red kayak",)),
        ("(she said) a kayak", ("she said) a kayak",)),
        ("12,000 euros", ("12,000",)),
        ("\N{THUMBS UP SIGN}", ("\N{THUMBS UP SIGN}",)),
    ],
)
def test_without_a_key_the_gold_says_what_is_essential(gold: str, words: tuple[str, ...]) -> None:
    """Its figures with their months, else its names, else all of it; what is bracketed is besides the point."""
    probe = Probe("recall-01", "recall", "q", gold, (1,))
    assert essentials(probe) == words


def test_the_key_goes_before_the_gold() -> None:
    """A probe's own key is what is essential; an abstain probe without one has nothing essential."""
    assert essentials(FERRY) == ("19 September",)
    assert essentials(ABSTAIN) == ()


def test_a_sign_is_found_as_it_stands() -> None:
    """An essential "word" that holds no letter is looked for as it is, not passed over."""
    probe = Probe("recall-01", "recall", "Which sign?", "+", (1,), ("+",))
    assert lost(probe=probe, answer="it was +") == "judge in doubt"
    assert lost(probe=probe, answer="it was -") == "never written"


@given(st.sampled_from(KINDS), st.text(min_size=1, max_size=30))
def test_no_gold_is_taken_as_found_in_nothing(kind: Any, gold: str) -> None:
    """Whatever the gold: where neither state, prompt nor answer holds a word, no judge is in doubt."""
    probe = Probe("x-01", kind, "q", gold, (1,))
    expected = "nothing to recall" if kind == "abstain" else "never written"
    assert lost(probe=probe, state=None, shown=(), answer="") == expected
