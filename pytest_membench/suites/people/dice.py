"""Chance that gives the same on every Python: all of it comes from `random()` of one seeded generator."""

import random
from collections.abc import Sequence
from typing import TypeVar

_T = TypeVar("_T")


class Dice:
    """A seeded source of choices. Only `random()` is used: the one method Python promises to keep."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed).random  # noqa: S311 - made-up people, not secrets

    def below(self, limit: int) -> int:
        """Return an integer from 0 up to, not including, `limit`."""
        return int(self._random() * limit)

    def between(self, low: int, high: int) -> int:
        """Return an integer from `low` to `high`, both included."""
        return low + self.below(high - low + 1)

    def chance(self, share: float) -> bool:
        """Return True in about this share of calls."""
        return self._random() < share

    def pick(self, things: Sequence[_T]) -> _T:
        """Return one of `things`."""
        return things[self.below(len(things))]

    def shuffled(self, things: Sequence[_T]) -> list[_T]:
        """Return `things` in another order."""
        mixed = list(things)
        for last in range(len(mixed) - 1, 0, -1):
            other = self.below(last + 1)
            mixed[last], mixed[other] = mixed[other], mixed[last]
        return mixed

    def some(self, things: Sequence[_T], count: int) -> list[_T]:
        """Return `count` different ones of `things`, in the order in which they stand there."""
        places = sorted(self.shuffled(range(len(things)))[:count])
        return [things[place] for place in places]
