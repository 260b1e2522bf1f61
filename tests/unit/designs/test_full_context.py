"""The design full_context: every turn, word for word, each once."""

from pathlib import Path
from typing import Any

from pytest_membench import Person, Snippet
from pytest_membench.run.answer import memory_block
from pytest_membench.run.build import build, recall
from pytest_membench.run.find import find


def test_every_turn_survives_with_its_date_and_number(person: Person, scripted: Any, tmp_path: Path) -> None:
    """The memory is the transcript, without a call to the model; each snippet names its turn."""
    (found,) = find("full_context", tmp_path)
    llm = scripted()
    memory = build(found.design, person, llm)
    expected = [Snippet(str(turn), (turn.i,)) for turn in person.turns]
    assert recall(found.design, memory, "anything", llm) == expected
    assert (memory.batches, llm.prompts) == (8, [])


def test_the_transcript_is_shown_once(person: Person, scripted: Any, tmp_path: Path) -> None:
    """No recent turns stand beside a memory that holds them all."""
    (found,) = find("full_context", tmp_path)
    assert found.design.recent == 0
    snippets = recall(found.design, build(found.design, person, scripted()), "?", scripted())
    assert memory_block(snippets, (), ()).splitlines() == ["# Memory", *map(str, person.turns)]


def test_writing_does_not_change_the_state_it_was_given(person: Person, scripted: Any, tmp_path: Path) -> None:
    """A checkpoint that was handed out stays what it was."""
    (found,) = find("full_context", tmp_path)
    sizes: list[Any] = []
    build(found.design, person, scripted(), checkpoint=sizes.append)
    assert [len(memory.state) for memory in sizes] == list(range(1, 9))
