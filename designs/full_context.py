"""Full context: the whole transcript before the model, every time.

Writes every turn as it stands, keeps all, shows all. The ceiling for what can be known, and the
price that a memory has to undercut. Bad at cost: each question pays for the whole chat again.
"""

from dataclasses import dataclass

from pytest_membench import LLM, Batch, Design, Snippet


@dataclass(frozen=True)
class FullContext(Design[list[list[int | str]]]):
    """The transcript is the memory."""

    label = "full context"
    recent = 0  # the transcript holds the newest turns already

    def start(self) -> list[list[int | str]]:
        return []

    def ingest(self, state: list[list[int | str]], batch: Batch, llm: LLM) -> list[list[int | str]]:
        lines: list[list[int | str]] = [[turn.i, str(turn)] for turn in batch]
        return state + lines

    def recall(self, state: list[list[int | str]], question: str, llm: LLM) -> list[Snippet]:
        return [Snippet(str(line), turns=(int(i),)) for i, line in state]
