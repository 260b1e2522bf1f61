"""The design no_memory: nothing is written, nothing is shown."""

from pathlib import Path
from typing import Any

from pytest_membench import Person, search_chat
from pytest_membench.run.build import build, recall
from pytest_membench.run.find import find


def test_nothing_is_remembered_and_no_call_is_made(person: Person, scripted: Any, tmp_path: Path) -> None:
    """Every turn is taken note of, the state stays empty, and the model is never asked."""
    (found,) = find("no_memory", tmp_path)
    llm = scripted()
    memory = build(found.design, person, llm)
    assert (memory.state, memory.written, memory.tokens(), memory.pending) == (None, 8, 0, ())
    assert recall(found.design, memory, "When does the ferry leave?", llm) == []
    assert llm.prompts == []


def test_it_has_what_every_design_has_and_nothing_more(tmp_path: Path) -> None:
    """Fourteen recent turns and search are the floor."""
    (found,) = find("no_memory", tmp_path)
    assert (found.design.label, found.design.recent) == ("no memory", 14)
    assert found.design.tools(None) == [search_chat]
