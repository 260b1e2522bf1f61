"""When pending turns are written: each schedule says how many of them are due now.

| schedule                                   | writes                                              |
|--------------------------------------------|-----------------------------------------------------|
| EveryTurn()                                | each turn by itself                                 |
| EveryTurns(10)                             | ten turns at a time                                 |
| EveryDay()                                 | a day's turns once a turn of a later day arrives    |
| Batched(turns=8, from_person=4, hours=3)   | at 8 new turns, 4 of them the person's, and 3 hours |
|                                            | since the last write                                |
| TokenThreshold(30_000)                     | all pending turns once they hold 30,000 tokens      |
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import ClassVar, Protocol

from pytest_membench import tokens
from pytest_membench.data import Turn


class Schedule(Protocol):
    """When to write. `flush` says whether what is pending is written before probes are asked."""

    flush: ClassVar[bool]

    def due(self, pending: Sequence[Turn], last: datetime | None) -> int:
        """Return how many of the oldest `pending` turns are to be written now; 0 for none.

        `last` is the time of the newest turn that was written before, or None.
        """


@dataclass(frozen=True)
class EveryTurn:
    """Write each turn by itself."""

    flush: ClassVar[bool] = True

    def due(self, pending: Sequence[Turn], last: datetime | None) -> int:
        """Return 1: the turn that just arrived."""
        return 1


@dataclass(frozen=True)
class EveryTurns:
    """Write `turns` turns at a time."""

    turns: int
    flush: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _require_positive("EveryTurns", "turns", self.turns)

    def due(self, pending: Sequence[Turn], last: datetime | None) -> int:
        """Return all pending turns once there are `turns` of them."""
        return len(pending) if len(pending) >= self.turns else 0


@dataclass(frozen=True)
class EveryDay:
    """Write a day's turns when the first turn of a later day arrives."""

    flush: ClassVar[bool] = True

    def due(self, pending: Sequence[Turn], last: datetime | None) -> int:
        """Return the pending turns that are older than the newest turn's day."""
        return sum(turn.day != pending[-1].day for turn in pending)


@dataclass(frozen=True)
class Batched:
    """Write at `turns` new turns, `from_person` of them the person's, `hours` after the last write."""

    turns: int = 8
    from_person: int = 4
    hours: float = 3
    flush: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _require_positive("Batched", "turns", self.turns)

    def due(self, pending: Sequence[Turn], last: datetime | None) -> int:
        """Return all pending turns once the three conditions hold; no last write meets the third."""
        enough = len(pending) >= self.turns and sum(t.from_person for t in pending) >= self.from_person
        rested = last is None or pending[-1].when - last >= timedelta(hours=self.hours)
        return len(pending) if enough and rested else 0


@dataclass(frozen=True)
class TokenThreshold:
    """Write all pending turns once their dated lines hold `tokens` o200k_base tokens."""

    tokens: int
    flush: ClassVar[bool] = False

    def __post_init__(self) -> None:
        _require_positive("TokenThreshold", "tokens", self.tokens)

    def due(self, pending: Sequence[Turn], last: datetime | None) -> int:
        """Return all pending turns once they are large enough."""
        return len(pending) if sum(tokens.count(str(t)) for t in pending) >= self.tokens else 0


def _require_positive(schedule: str, name: str, value: float) -> None:
    if value < 1:
        raise ValueError(f"{schedule}({name}={value}): {name} must be 1 or more")
