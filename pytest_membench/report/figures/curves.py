"""The numbers behind the cost figures: cumulative cost by turn, and observed beside fitted tokens."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from pytest_membench.data import SERVING, Cell, known_sum
from pytest_membench.report import costs as summaries
from pytest_membench.report.costs import input_tokens, run_of, usd
from pytest_membench.report.folder import Row, Served
from pytest_membench.stats import costmodel

Cost = Callable[[Row], float | None]
UNITS: Mapping[str, Cost] = {"tokens": input_tokens, "usd": usd}
POINTS = 20
"""Most turns of a cell that a scatter of observed and fitted shows, evenly spread on the log scale."""


class Curve(NamedTuple):
    """Cumulative mean cost by turn: `measured` from turn 0, `fitted` goes on from there to the cell's last turn.

    `fitted` is empty where every conversation was measured to its end, or where there is no fit.
    """

    measured: list[float]
    fitted: list[float]


class Observed(NamedTuple):
    """Turns of one cell: mean input tokens as measured, and as fitted to all cells."""

    cell: str
    measured: list[float]
    fitted: list[float]


def by_design(served: Sequence[Served], setting: str) -> dict[str, list[Served]]:
    """Return a setting's conversations by design, sorted."""
    return dict(sorted(summaries.by_design(served).get(setting, {}).items()))


def at(cell: str, served: Sequence[Served]) -> list[Served]:
    """Return the conversations of one cell."""
    return [one for one in served if one.row["person"] == cell]


def fit(served: Sequence[Served]) -> costmodel.Fit | None:
    """Return the cost model of a design's conversations; None where they cannot determine it."""
    try:
        return costmodel.fit(_runs(served))
    except ValueError:
        return None


def held_out(served: Sequence[Served]) -> list[costmodel.Fold]:
    """Return each cell's mean tokens a turn, measured and predicted from the other cells; or none."""
    try:
        return costmodel.folds(_runs(served))
    except ValueError:
        return []


def _runs(served: Sequence[Served]) -> list[costmodel.Run]:
    """Return the conversations whose tokens are all known."""
    return [run for one in served if (run := run_of(one)) is not None]


def cumulative(cell: str, served: Sequence[Served], unit: str) -> Curve | None:
    """Return the mean cumulative cost at a cell, over the conversations of one design; None where unknown.

    Beyond the turns that all conversations have, the cost model goes on. USD go on at what an input
    token cost in the measured turns.
    """
    measured = _measured(cell, served, unit)
    return Curve(measured, _goes_on(cell, served, unit, measured)) if measured else None


def _measured(cell: str, served: Sequence[Served], unit: str) -> list[float]:
    """Return the mean cumulative cost over the turns that all conversations with known costs have."""
    costs = [[UNITS[unit](turn) for turn in one.turns] for one in at(cell, served)]
    known = [[c for c in run if c is not None] for run in costs if run and None not in run]
    if not known:
        return []
    shared = min(map(len, known))
    return [float(c) for c in np.mean([run[:shared] for run in known], axis=0).cumsum()]


def _goes_on(cell: str, served: Sequence[Served], unit: str, measured: Sequence[float]) -> list[float]:
    """Return the cumulative cost of the turns after the measured ones, by the cost model."""
    turns, length = (int(part) for part in cell.split("x"))
    model, tokens = fit(served), _measured(cell, served, "tokens")
    if model is None or not tokens or len(measured) >= turns:
        return []
    expected = costmodel.predict(model, costmodel.Run(turns, length, 0, (0.0,) * turns))
    rate = measured[-1] / tokens[len(measured) - 1] if unit == "usd" else 1.0
    return [float(c) for c in measured[-1] + rate * expected[len(measured) :].cumsum()]


def observed(served: Sequence[Served]) -> list[Observed]:
    """Return, by cell, the mean tokens of turns as measured and as fitted; none where there is no fit."""
    model = fit(served)
    if model is None:
        return []
    cells: dict[Cell, list[costmodel.Run]] = defaultdict(list)
    for run in _runs(served):
        cells[run.cell].append(run)
    return [_observed(cell, runs, model) for cell, runs in sorted(cells.items())]


def _observed(cell: Cell, runs: Sequence[costmodel.Run], model: costmodel.Fit) -> Observed:
    turns = min(len(run.tokens) for run in runs)
    means = np.mean([run.tokens[:turns] for run in runs], axis=0)
    fitted = costmodel.predict(model, runs[0])[:turns]
    chosen = np.unique(np.geomspace(1, turns, POINTS).round().astype(int)) - 1
    return Observed(str(cell), [float(c) for c in means[chosen]], [float(c) for c in fitted[chosen]])


def stage_tokens(served: Sequence[Served]) -> dict[str, int | None]:
    """Return input and output tokens by stage, all conversations together; None where one is unknown."""
    turns = [turn for one in served for turn in one.turns]
    return {
        stage: known_sum([turn["tokens"][stage][name] for turn in turns for name in ("input", "output")])
        for stage in SERVING
    }
