"""The design index_notes_recall: index_notes, and the notes that the question calls for."""

import json
from typing import Any

import pytest

from pytest_membench import Snippet

NOTES = {
    "ferry": "The ferry to Bergen leaves on Friday. Nora has no ticket yet.",
    "tent": "Ida lends Nora her tent. It is blue.",
    "work": "Nora runs a bakery. It opens at six.",
    "sleep": "Early nights help.",
    "kayak": "A red one. It cost 400.",
}


@pytest.fixture
def design(load: Any) -> Any:
    """The design with its defaults."""
    return load("index_notes_recall")


@pytest.fixture
def five(design: Any) -> dict[str, Any]:
    """A state with five notes."""
    return {**design.start(), "notes": NOTES}


def test_the_notes_that_match_stand_whole_below_the_index(design: Any, five: Any, recall: Any, load: Any) -> None:
    """The index as ever, then the best notes in its order; they name no turns, since rewriting mixes them."""
    index = recall(load("index_notes"), five)
    assert recall(design, five, "Is the ferry ticket in the blue tent?") == [
        *index,
        Snippet(f"ferry: {NOTES['ferry']}"),
        Snippet(f"tent: {NOTES['tent']}"),
    ]
    assert recall(design, five, "zebra") == index


def test_no_more_notes_are_shown_than_k(load: Any, five: Any, recall: Any) -> None:
    """`k` is a limit, and the best note is taken; a topic's own name counts."""
    shown = recall(load("index_notes_recall(k=1)"), five, "that kayak, red")
    assert [s.text for s in shown[6:]] == [f"kayak: {NOTES['kayak']}"]


def test_it_writes_what_index_notes_writes(load: Any, talk: Any, write: Any, scripted: Any, unreadable: str) -> None:
    """The two designs differ in reading alone: same prompts, same states, same failures, same tools."""
    script = [
        json.dumps({"notes": NOTES}),
        unreadable.replace("KEY", "notes"),
        json.dumps({"notes": {"tent": "Gone."}}),
    ]
    batches = [talk(1, "ferry"), talk(2, "tent", first=1), talk(3, "the tent is gone", first=2)]
    one, other = (
        (design := load(name), llm := scripted(*script), write(design, design.start(), llm, *batches))
        for name in ("index_notes", "index_notes_recall")
    )
    assert one[1].prompts == other[1].prompts
    assert one[2] == other[2]
    assert other[2]["failed"] == 1
    assert (one[0].schedule, one[0].recent) == (other[0].schedule, other[0].recent)
    assert other[0].tools(other[2])[0].run({"topic": "tent"}) == "Gone."


def test_turns_that_wait_are_shown_after_the_notes(
    design: Any, five: Any, talk: Any, write: Any, recall: Any, scripted: Any
) -> None:
    """What could not be written is not lost to the question."""
    batch = talk(2, "The ferry is cancelled.", first=2)
    state = write(design, five, scripted("no JSON"), batch)
    assert recall(design, state, "ferry")[-1] == Snippet(str(batch.turns[0]), (2,))
