"""No memory: nothing is kept but the newest turns that every design sees.

Writes nothing, keeps nothing, shows the last 14 turns. The floor: what recent turns and search
alone are worth. Bad at everything that was said earlier and that one search does not find.
"""

from dataclasses import dataclass

from pytest_membench import LLM, Batch, Design, Snippet


@dataclass(frozen=True)
class NoMemory(Design[None]):
    """The floor that any memory has to beat."""

    label = "no memory"

    def start(self) -> None:
        return None

    def ingest(self, state: None, batch: Batch, llm: LLM) -> None:
        return None

    def recall(self, state: None, question: str, llm: LLM) -> list[Snippet]:
        return []
