"""Which conversations a cost run has: the grid's cells, their seeds, and an item for each."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_membench.data import REFERENCE, Cell
from pytest_membench.errors import InputError
from pytest_membench.run.find import Found

QUICK = (Cell(15, 50), Cell(15, 200), Cell(100, 50), Cell(100, 100))
QUICK_SEEDS = 2

# The cells and repeats of arXiv 2608.11879: memory systems, the extra cells of observational memory,
# and the two strategies without a memory.
PAPER = (Cell(15, 50), Cell(15, 200), Cell(100, 100), Cell(400, 50), Cell(400, 200))
PAPER_OBSERVATIONAL = (Cell(800, 200), Cell(800, 400))
PAPER_PLAIN = (*PAPER, Cell(40, 250), Cell(200, 50), Cell(400, 25))
_PLAIN = (REFERENCE, "rolling_window")
_CELL = re.compile(r"(\d+)x(\d+)")


@dataclass(frozen=True)
class CostCase:
    """One item: one conversation of a cell, served by a design."""

    design: Found
    cell: Cell
    seed: int

    @property
    def id(self) -> str:
        """The item's id: `full_context-N400-L50-s2`."""
        return f"{self.design.id}-N{self.cell.turns}-L{self.cell.length}-s{self.seed}"

    def row(self, setting: str) -> dict[str, Any]:
        """Return what identifies the item in results, as plain JSON, by the names that probes have too."""
        return {
            "setting": setting,
            "design": self.design.id,
            "person": str(self.cell),
            "probe": f"s{self.seed}",
            "kind": "cost",
            "repeat": 1,
        }


def parse_grid(text: str, option: str = "--membench-grid") -> tuple[Cell, ...] | None:
    """Return the cells of "quick" or "15x50,100x100"; None for "paper", whose cells depend on the design.

    Raises InputError naming the `option` and the part that is no cell.
    """
    if text == "paper":
        return None
    if text == "quick":
        return QUICK
    cells = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        match = _CELL.fullmatch(part)
        if match is None or not (int(match[1]) >= 1 and 25 <= int(match[2]) <= 400):
            raise InputError(
                f"{option}={text}: {part!r} is no cell; quick, paper, or cells like 100x50 "
                "(turns x tokens a turn, 25 to 400) are wanted"
            )
        cells.append(Cell(int(match[1]), int(match[2])))
    if not cells:
        raise InputError(f"{option}={text!r} names no cell; quick, paper, or cells like 15x50,100x100 are wanted")
    return tuple(dict.fromkeys(cells))


def cost_cases(designs: Sequence[Found], grid: str, seeds: int | None) -> Iterator[CostCase]:
    """Yield the items in the order in which they are collected, the same in every worker."""
    cells = parse_grid(grid)
    for design in designs:
        runs = _paper(design.id) if cells is None else [(cell, QUICK_SEEDS) for cell in cells]
        for cell, repeats in runs:
            for seed in range(1, (seeds or repeats) + 1):
                yield CostCase(design, cell, seed)


def _paper(design: str) -> list[tuple[Cell, int]]:
    name = design.split("(", maxsplit=1)[0]
    if name in _PLAIN:
        return [(cell, 2) for cell in PAPER_PLAIN]
    extra = [(cell, 3) for cell in PAPER_OBSERVATIONAL] if name == "observational_memory" else []
    return [(cell, 8) for cell in PAPER] + extra
