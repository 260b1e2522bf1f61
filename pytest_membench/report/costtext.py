"""The tables of serving cost: fits, break-even points, accuracy beside cost."""

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_membench.data import REFERENCE
from pytest_membench.stats.breakeven import words

REFERENCE_CELL = "100x100"


def fits(designs: Mapping[str, Any]) -> list[list[str]]:
    """Return a row for each design: the cost model and its error on cells that it did not see."""
    table = [
        ["cost model", "p", "q", "R2", "R2 of N x L", "held-out error", "worst cell", "mechanism", "gamma", "runs"]
    ]
    for name, row in sorted(designs.items()):
        error = "-" if row["loocv_mape"] is None else f"{row['loocv_mape']:.3f}"
        worst = "-" if row["worst_cell"] is None else f"{row['worst_cell']} ({row['max_ape']:.3f})"
        exponents = [_exponent(row["p"], row["p_interval"]), _exponent(row["q"], row["q_interval"])]
        shares = [_share(row["r2"]), _share(row["r2_one_predictor"])]
        runs = f"{row['runs']}" + (f" ({row['cut_short']} cut short)" if row["cut_short"] else "")
        table.append(
            [name, *exponents, *shares, error, worst, _share(row["mechanism_mape"]), _share(row["gamma"]), runs]
        )
    return table


def verdicts(designs: Mapping[str, Any]) -> list[str]:
    """Return a sentence for each design on how far its cost can be extrapolated."""
    return [f"{name}: {row['verdict']}" for name, row in sorted(designs.items())]


def cells(designs: Mapping[str, Any]) -> list[list[str]]:
    """Return the LLM input tokens of a turn, by design and cell."""
    names = _cells(designs)
    table = [["input tokens a turn", *names]]
    for name, row in sorted(designs.items()):
        values = [row["cells"].get(cell, {}).get("input_tokens_per_turn") for cell in names]
        table.append([name, *("-" if value is None else f"{value:,.1f}" for value in values)])
    return table


def break_even(designs: Mapping[str, Any], unit: str) -> list[list[str]]:
    """Return from which turn each design costs less than the whole transcript, in "tokens" or "usd"."""
    names = _cells(designs)
    label = {"tokens": "input tokens", "usd": "USD"}[unit]
    table = [[f"break-even in {label}", *names]]
    for name, row in sorted(designs.items()):
        if name != REFERENCE:
            table.append([name, *(crossing(row["break_even"].get(cell, {}).get(unit)) for cell in names)])
    return table


def reference_cell(matrix: Mapping[str, Any]) -> str:
    """Return the cell at which accuracy and cost are compared: 100x100, or the largest one measured."""
    return REFERENCE_CELL if REFERENCE_CELL in matrix else max(matrix, key=lambda c: [int(n) for n in c.split("x")])


def joint(matrix: Mapping[str, Any], *, priced: bool, cell: str | None = None) -> list[list[str]]:
    """Return accuracy beside cost at a cell, the reference cell where none is named."""
    cell = cell or reference_cell(matrix)
    money = ["USD", "USD a correct answer"] if priced else []
    table = [[f"at {cell}", "score", "tokens a turn", "tokens a correct answer", *money, "frontier"]]
    for name, row in sorted(matrix[cell].items(), key=lambda pair: (-pair[1]["score"], pair[0])):
        dollars = [_dollars(row["usd"]), _dollars(row["usd_per_correct"])] if priced else []
        tokens = [_count(row["input_tokens_per_turn"]), _count(row["tokens_per_correct"])]
        table.append([name, f"{row['score']:.1f}", *tokens, *dollars, "*" if row["frontier"] else ""])
    return table


def _cells(designs: Mapping[str, Any]) -> list[str]:
    found = {cell for row in designs.values() for cell in row["cells"]}
    return sorted(found, key=lambda cell: [int(part) for part in cell.split("x")])


def _exponent(value: float | None, interval: Sequence[float] | None) -> str:
    if value is None:
        return "-"
    return f"{value:.2f}" + (f" ({interval[0]:.2f} to {interval[1]:.2f})" if interval else "")


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _count(value: float | None) -> str:
    return "unknown" if value is None else f"{value:,.1f}"


def _dollars(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.6f}"


def crossing(found: Mapping[str, Any] | None) -> str:
    """Return the turn with its bootstrap range; a `~` marks runs that ended early."""
    if found is None:
        return words(None)
    spread = ""
    if found["range"] and found["range"][0] != found["range"][1]:
        spread = f" ({found['range'][0]} to {found['range'][1]})"
    return words(found["turn"]) + spread + ("~" if found["incomplete"] else "")
