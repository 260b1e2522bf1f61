"""What a design would cost at cells that nobody measured, as text, with how far to trust it."""

from collections.abc import Sequence
from typing import NamedTuple

from pytest_membench.data import Cell
from pytest_membench.report.costtext import count, share
from pytest_membench.stats import costmodel


class Forecast(NamedTuple):
    """A cell's mean input tokens a turn, by the dry run and by the regression; where one is None, `why` says why."""

    cell: Cell
    mechanism: float | None
    regression: float | None
    why: str = ""


class Fold(NamedTuple):
    """A cell's mean input tokens a turn, measured and predicted from other cells; `ape` is a share of 1.

    Where one is unknown, so is `ape`, and `why` says the reason.
    """

    cell: Cell
    measured: float | None
    predicted: float | None
    ape: float | None
    why: str = ""


class HeldOut(NamedTuple):
    """The mean error over the folds, as a share of 1; None where one fold is unknown or there is but one cell."""

    mape: float | None
    folds: tuple[Fold, ...]


def predicted(forecasts: Sequence[Forecast]) -> list[list[str]]:
    """Return a row for each predicted cell: input tokens of a turn and of the conversation."""
    table = [["predicted", "tokens a turn", "tokens a conversation", "regression: a turn", "a conversation"]]
    for cell, *means, _ in forecasts:
        table.append([str(cell), *(count(value) for mean in means for value in (mean, mean and mean * cell.turns))])
    return table


def errors(held_out: HeldOut, regression: costmodel.HeldOut | None) -> list[list[str]]:
    """Return a row for each measured cell: predicted from the others, and by how much that missed."""
    table = [["held out", "measured a turn", "predicted", "error"]]
    table += [[str(f.cell), count(f.measured), count(f.predicted), share(f.ape)] for f in held_out.folds]
    table.append(["mean error", "", "", share(held_out.mape)])
    return [*table, ["regression", "", "", share(regression.mape if regression else None)]]


def notes(forecasts: Sequence[Forecast], held_out: HeldOut, cells: Sequence[Cell]) -> list[str]:
    """Return what is unknown and why, and a warning for each forecast outside of the measured cells."""
    whys = [(one.cell, one.why) for one in forecasts] + [(fold.cell, fold.why) for fold in held_out.folds]
    turns, lengths = [cell.turns for cell in cells], [cell.length for cell in cells]
    measured = f"{min(turns)} to {max(turns)} turns of {min(lengths)} to {max(lengths)} tokens"
    outside = [
        cell
        for cell in (one.cell for one in forecasts)
        if not (min(turns) <= cell.turns <= max(turns) and min(lengths) <= cell.length <= max(lengths))
    ]
    return [
        *(f"{cell}: {why}" for cell, why in whys if why),
        *(f"warning: {cell} lies outside of what was measured ({measured}): it may be further off" for cell in outside),
    ]
