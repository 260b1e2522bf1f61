"""The design index_notes: an index in sight, notes behind a tool."""

import json
from typing import Any

import pytest

from pytest_membench import Batched, Snippet, search_chat

FERRY = "The ferry to Bergen leaves on Friday 7 August. Nora has no ticket yet."
TENT = "Ida lends Nora her tent. It is blue."
TITLE = Snippet("Index of the notes, each to be opened by open_note:")


def notes(**texts: str) -> str:
    """A reply with these notes."""
    return json.dumps({"notes": texts})


@pytest.fixture
def design(load: Any) -> Any:
    """The design with its defaults."""
    return load("index_notes")


@pytest.fixture
def two(design: Any, talk: Any, write: Any, scripted: Any) -> Any:
    """A state with two notes."""
    return write(design, design.start(), scripted(notes(ferry=FERRY, tent=TENT)), talk(1, "ferry", "ok"))


def test_it_has_the_schedule_of_its_kind(design: Any) -> None:
    """The schedule of agent-memory-bench and 14 recent turns."""
    assert (design.schedule, design.recent) == (Batched(turns=8, from_person=4, hours=3), 14)


def test_the_index_is_always_shown_and_no_note(design: Any, two: Any, recall: Any) -> None:
    """A line per topic, its note's first sentence, whatever the question; nothing before there are notes."""
    expected = [
        TITLE,
        Snippet("- ferry: The ferry to Bergen leaves on Friday 7 August."),
        Snippet("- tent: Ida lends Nora her tent."),
    ]
    assert recall(design, two, "When does the ferry leave?") == recall(design, two, "zebra") == expected
    assert recall(design, design.start()) == []


def test_a_line_of_the_index_stays_short(design: Any, two: Any, recall: Any) -> None:
    """A note without a full stop does not stand in the index whole."""
    state = {**two, "notes": {"long": "word " * 100}}
    assert len(recall(design, state)[1].text) <= len("- long: ") + 120
    assert recall(design, state)[1].text.endswith(" ...")


def test_the_model_opens_a_note_by_its_topic(design: Any, two: Any) -> None:
    """The tool gives the whole note; another topic gives the list of those there are; search stands beside it."""
    open_note, search = design.tools(two)
    assert (open_note.name, open_note.parameters["required"], search) == ("open_note", ["topic"], search_chat)
    assert open_note.run({"topic": "ferry"}) == open_note.run({"topic": " Ferry "}) == FERRY
    assert open_note.run({"topic": "kayak"}) == "There is no note on 'kayak'; the index has ferry, tent."
    assert open_note.run({}) == "There is no note on ''; the index has ferry, tent."
    assert "the index has none" in design.tools(design.start())[0].run({"topic": "x"})


def test_a_write_gives_the_notes_and_takes_those_that_change(
    design: Any, two: Any, talk: Any, write: Any, scripted: Any
) -> None:
    """A contradiction rewrites its note; notes that the reply leaves out stay; a new topic is added."""
    batch = talk(2, "The ferry moved to Saturday, and I bought a kayak.", first=2)
    moved = "The ferry leaves on Saturday, at first on Friday."
    llm = scripted(notes(Ferry=f" {moved}\n", kayak="A red\nkayak.", empty=" "))
    state = write(design, two, llm, batch)
    assert state["notes"] == {"ferry": moved, "tent": TENT, "kayak": "A red kayak."}
    (prompt,) = llm.prompts
    assert "at most 120 words" in prompt[0]["content"]
    assert prompt[1]["content"] == (
        f"# Existing notes (of: ferry, tent)\nferry: {FERRY}\ntent: {TENT}\n\n# New messages\n{batch}"
    )
    assert llm.formats == [{"type": "json_object"}]


def test_a_note_that_the_model_did_not_see_is_not_overwritten(
    load: Any, two: Any, talk: Any, write: Any, scripted: Any
) -> None:
    """Its text is added to what stands there."""
    design, llm = load("index_notes(near=0)"), scripted(notes(tent="It leaks."))
    state = write(design, two, llm, talk(2, "the tent leaks", first=2))
    assert state["notes"] == {"ferry": FERRY, "tent": f"{TENT} It leaks."}
    assert TENT not in llm.sent


def test_an_unreadable_reply_changes_nothing_and_loses_nothing(
    design: Any, two: Any, talk: Any, write: Any, recall: Any, scripted: Any, unreadable: str
) -> None:
    """The notes stay, the failure is counted, the batch is shown and goes along with the next write."""
    batch = talk(2, "late", first=2)
    line = str(batch.turns[0])
    state = write(design, two, scripted(unreadable.replace("KEY", "notes")), batch)
    assert state == {**two, "waiting": [[2, line]], "failed": 1}
    assert recall(design, state)[-1] == Snippet(line, (2,))
    llm = scripted(notes())
    assert write(design, state, llm, talk(3, "last", first=3)) == {**two, "failed": 1}
    assert line in llm.sent


@pytest.mark.parametrize("value", [{"ferry": 1}, {"ferry": None}, {"ferry": ["x"]}, ["ferry"], "ferry"])
def test_a_note_that_is_no_text_fails_the_reply(
    design: Any, two: Any, talk: Any, write: Any, scripted: Any, value: Any
) -> None:
    """Notes of the wrong type are not written, nor are their neighbours."""
    reply = json.dumps({"notes": {**value, "tent": "new"} if isinstance(value, dict) else value})
    state = write(design, two, scripted(reply), talk(2, "x", first=2))
    assert (state["notes"], state["failed"]) == (two["notes"], 1)
