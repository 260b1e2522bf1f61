"""Rolling window: the last `n` turns word for word, and nothing before them.

Writes each turn as it comes, without asking the model; keeps and shows the newest `n` of them, each
naming itself. The cheapest memory there is. Bad at everything that was said before the window.
"""

from dataclasses import dataclass

from pytest_membench import LLM, Batch, Design, EveryTurn, Snippet


@dataclass(frozen=True)
class RollingWindow(Design[list[list[int | str]]]):
    """What was said last is what is known."""

    label = "rolling window"
    schedule = EveryTurn()
    recent = 0  # the window is the memory: nothing beside it
    n: int = 10

    def __post_init__(self) -> None:
        if self.n < 1:
            raise ValueError(f"n={self.n}: a window holds 1 turn or more; for none there is the design no_memory")

    def start(self) -> list[list[int | str]]:
        return []

    def ingest(self, state: list[list[int | str]], batch: Batch, llm: LLM) -> list[list[int | str]]:
        lines: list[list[int | str]] = [[turn.i, str(turn)] for turn in batch]
        return (state + lines)[-self.n :]

    def recall(self, state: list[list[int | str]], question: str, llm: LLM) -> list[Snippet]:
        return [Snippet(str(line), turns=(int(i),)) for i, line in state]
