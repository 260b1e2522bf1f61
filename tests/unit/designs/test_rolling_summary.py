"""The design rolling_summary: one text, written anew at every batch."""

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from pytest_membench import Batched, Design, Person, Snippet, Turn
from pytest_membench.errors import CallFailed
from pytest_membench.run.build import Memory, build, recall
from pytest_membench.run.find import find


@pytest.fixture
def summary(tmp_path: Path) -> Design[str]:
    """The design with its defaults."""
    return find("rolling_summary", tmp_path)[0].design


@pytest.fixture
def long(person: Person) -> Person:
    """A chat of 20 turns: eight on a morning, eight in the evening, four the next day."""
    moments = [(1, 8)] * 8 + [(1, 20)] * 8 + [(2, 9)] * 4
    turns = [Turn(n, day, f"{hour:02}:{n:02}", "ua"[n % 2], f"said {n}") for n, (day, hour) in enumerate(moments)]
    return dataclasses.replace(person, turns=tuple(turns))


def test_it_is_written_on_the_schedule_of_agent_memory_bench(summary: Design[str]) -> None:
    """Eight new turns, four of them the person's, three hours since the last write."""
    assert summary.schedule == Batched(turns=8, from_person=4, hours=3)


def test_each_write_hands_the_summary_so_far_and_the_new_messages(
    summary: Design[str], long: Person, scripted: Any
) -> None:
    """Two batches of eight and the rest of four; each prompt holds the last reply and its turns alone."""
    llm = scripted("first", " second \n", "third")
    memory = build(summary, long, llm)
    assert (memory.state, memory.batches, memory.written) == ("third", 3, 20)
    tasks = [prompt[1]["content"] for prompt in llm.prompts]
    lines = [str(turn) for turn in long.turns]
    assert tasks == [
        "\n".join(["# Summary so far", "(empty)", "", "# New messages", *lines[:8]]),
        "\n".join(["# Summary so far", "first", "", "# New messages", *lines[8:16]]),
        "\n".join(["# Summary so far", "second", "", "# New messages", *lines[16:]]),
    ]


def test_the_length_asked_for_is_the_parameter(long: Person, scripted: Any, tmp_path: Path) -> None:
    """`words` stands in the instructions."""
    llm = scripted("a", "b", "c")
    build(find("rolling_summary(words=77)", tmp_path)[0].design, long, llm)
    assert all("At most 77 words." in prompt[0]["content"] for prompt in llm.prompts)


@pytest.mark.parametrize("empty", ["", "  \n"])
def test_an_empty_reply_leaves_the_summary_as_it_was(
    summary: Design[str], long: Person, scripted: Any, empty: str
) -> None:
    """A model that says nothing does not wipe the memory."""
    assert build(summary, long, scripted("first", empty, empty)).state == "first"
    assert build(summary, long, scripted(empty, "second", "third")).state == "third"


def test_what_the_model_drops_is_gone(summary: Design[str], long: Person, scripted: Any) -> None:
    """The last summary is all that is shown; earlier ones do not survive beside it."""
    memory = build(summary, long, scripted("the ferry leaves", "a kayak", "a tent"))
    assert recall(summary, memory, "When does the ferry leave?", scripted()) == [Snippet("a tent")]


def test_an_empty_summary_shows_nothing(summary: Design[str], scripted: Any) -> None:
    """Before the first write there is no snippet, not an empty one."""
    assert recall(summary, Memory(summary.start(), 0, 0, ()), "?", scripted()) == []


def test_a_failed_call_is_not_hidden(summary: Design[str], long: Person, scripted: Any) -> None:
    """An outage while writing breaks the build; the memory is not left half-written and used."""
    with pytest.raises(CallFailed, match="402"):
        build(summary, long, scripted("first", CallFailed("402")))
