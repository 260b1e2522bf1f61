"""No memory, no recent turns, no tools: what the model answers without any chat, for `membench audit`."""

from dataclasses import dataclass

from pytest_membench.data import Batch, Snippet, Tool
from pytest_membench.design import LLM, Design


@dataclass(frozen=True)
class ClosedBook(Design[None]):
    """A probe that this answers right asks for nothing that a memory has to hold."""

    label = "closed book"
    recent = 0

    def start(self) -> None:
        """Return nothing."""

    def ingest(self, state: None, batch: Batch, llm: LLM) -> None:
        """Keep nothing."""

    def recall(self, state: None, question: str, llm: LLM) -> list[Snippet]:
        """Show nothing."""
        return []

    def tools(self, state: None) -> list[Tool]:
        """Offer nothing."""
        return []
