"""What a design gets from the base class, and what it has to bring."""

from dataclasses import dataclass
from typing import Any

import pytest

from pytest_membench import LLM, Batch, Design, EveryTurn, Person, Snippet, search_chat
from pytest_membench.run.build import build, recall


@dataclass(frozen=True)
class Longest(Design[str]):
    """Remembers the longest text alone."""

    least: int = 0

    def start(self) -> str:
        """Nothing is remembered."""
        return ""

    def ingest(self, state: str, batch: Batch, llm: LLM) -> str:
        """Keep the longest."""
        return max([state, *(turn.text for turn in batch if len(turn.text) >= self.least)], key=len)

    def recall(self, state: str, question: str, llm: LLM) -> list[Snippet]:
        """Show it."""
        return [Snippet(state)]


class Unfinished(Design[None]):
    """Brings nothing."""


def test_a_small_design_works_through_the_public_names(person: Person, scripted: Any) -> None:
    """Three methods are enough to be built and asked; the texts that were written decide."""
    design, llm = Longest(), scripted()
    memory = build(design, person, llm)
    assert recall(design, memory, "anything?", llm) == [Snippet("The ferry to Bergen leaves on Friday.")]


def test_parameters_are_fields(person: Person, scripted: Any) -> None:
    """A design with another parameter is another design and remembers something else."""
    assert Longest(least=1000) != Longest()
    assert build(Longest(least=1000), person, scripted()).state == ""


def test_the_class_attributes_have_the_documented_defaults() -> None:
    """Every turn is written, the 14 newest stand beside the memory, pending turns do not, search is offered."""
    design = Longest()
    assert design.schedule == EveryTurn()
    assert (design.label, design.recent, design.show_pending) == ("", 14, False)
    assert design.tools("state") == [search_chat]


@pytest.mark.parametrize("method", ["start", "ingest", "recall"])
def test_a_missing_method_is_named_with_what_it_returns(method: str) -> None:
    """A design that lacks a method says which of its own, and what to return."""
    arguments = {"start": (), "ingest": (None, None, None), "recall": (None, "q", None)}[method]
    with pytest.raises(NotImplementedError, match=rf"Unfinished\.{method}\(\) is missing: return"):
        getattr(Unfinished(), method)(*arguments)
