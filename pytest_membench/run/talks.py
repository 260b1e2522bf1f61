"""The dialogues that a session served, found again for whoever serves them dry."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from pytest_membench.data import Cell, Turn

FOLDER = Path(".cache", "membench", "dialogues")
"""Where dialogues are kept, under the rootdir."""


@dataclass(frozen=True)
class Talks:
    """Dialogues by (cell, seed): those that `generator` wrote, as far as `folder` has them, else built-in ones."""

    folder: Path | None = None
    generator: str = ""

    def turns(self, cell: Cell, seed: int) -> tuple[Turn, ...]:
        """Return the turns as they are served. Raises StoreError for a damaged file."""
        return _turns(self.folder if self.has(cell, seed) else None, self.generator, cell, seed)

    def has(self, cell: Cell, seed: int) -> bool:
        """Return whether the generator wrote this dialogue and it is still there."""
        from pytest_membench.suites.dialogues import cache_path  # pydantic is slow to import

        if not self.generator or self.folder is None:
            return False
        return cache_path(self.folder, cell.turns, cell.length, seed, self.generator).exists()

    def notes(self, wanted: Iterable[tuple[Cell, int]]) -> list[str]:
        """Return a line that says for which cells built-in dialogues stand in; none where that is no stand-in."""
        cells = sorted({cell for cell, seed in wanted if not self.has(cell, seed)}) if self.generator else []
        if not cells:
            return []
        named = ", ".join(map(str, cells))
        return [f"note: {self.folder} has no dialogue of {named} by {self.generator}: built-in ones stand in"]


def of_session(manifest: Mapping[str, Any], root: Path) -> Talks:
    """Return the dialogues of a session; `root` is the rootdir that it ran in."""
    return Talks(root / FOLDER, manifest.get("generator") or "")


@lru_cache(maxsize=32)
def _turns(folder: Path | None, generator: str, cell: Cell, seed: int) -> tuple[Turn, ...]:
    from pytest_membench.suites.dialogues import built_in, dialogue

    if folder is None:
        turns = built_in(cell.turns, cell.length, seed)
    else:
        turns = dialogue(cell.turns, cell.length, seed, folder, model=generator)
    return tuple(replace(turn, dated=False) for turn in turns)
