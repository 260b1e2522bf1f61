"""The tables of serving cost: fits, break-even points, accuracy beside cost."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from pytest_membench.data import REFERENCE
from pytest_membench.stats.breakeven import words

REFERENCE_CELL = "100x100"
NOTHING = "-"
CUT_SHORT = (
    "~ marks figures of conversations that were cut short: tokens a turn and break-even count them as far as they "
    "were measured; beside a score stand the conversations served whole, where there are any."
)
NONE_WHOLE = "Where no conversation of a cell was served whole, cost per correct answer and frontier are left out (-)."
NONE_CORRECT = "Where no answer was correct, a correct answer has no cost (-)."


def fits(designs: Mapping[str, Any]) -> list[list[str]]:
    """Return a row for each design: the cost model and its error on cells that it did not see."""
    table = [
        ["cost model", "p", "q", "R2", "R2 of N x L", "held-out error", "worst cell", "mechanism", "gamma", "runs"]
    ]
    for name, row in sorted(designs.items()):
        error = "-" if row["loocv_mape"] is None else f"{row['loocv_mape']:.3f}"
        worst = "-" if row["worst_cell"] is None else f"{row['worst_cell']} ({row['max_ape']:.3f})"
        exponents = [_exponent(row["p"], row["p_interval"]), _exponent(row["q"], row["q_interval"])]
        shares = [share(row["r2"]), share(row["r2_one_predictor"])]
        runs = f"{row['runs']}" + (f" ({row['cut_short']} cut short)" if row["cut_short"] else "")
        table.append([name, *exponents, *shares, error, worst, share(row["mechanism_mape"]), share(row["gamma"]), runs])
    return table


def verdicts(designs: Mapping[str, Any]) -> list[str]:
    """Return a sentence for each design on how far its cost can be extrapolated."""
    return [f"{name}: {row['verdict']}" for name, row in sorted(designs.items())]


def cells(designs: Mapping[str, Any]) -> list[list[str]]:
    """Return the LLM input tokens of a turn, by design and cell; a `~` marks means with conversations cut short."""
    names = _cells(designs)
    table = [["input tokens a turn", *names]]
    for name, row in sorted(designs.items()):
        table.append([name, *(_mean(row["cells"].get(cell)) for cell in names)])
    return table


def _mean(cell: Mapping[str, Any] | None) -> str:
    if cell is None or cell["input_tokens_per_turn"] is None:
        return "-"
    return f"{cell['input_tokens_per_turn']:,.1f}" + _mark(cell)


def _mark(row: Mapping[str, Any]) -> str:
    return "~" if row.get("cut_short") else ""


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
        table.append([name, f"{row['score']:.1f}", *_joint_tokens(row), *(_joint_usd(row) if priced else [])])
        table[-1].append("*" if row["frontier"] else "")
    return table


def _joint_tokens(row: Mapping[str, Any]) -> list[str]:
    mean = count(row["input_tokens_per_turn"])
    return [mean if row["input_tokens_per_turn"] is None else mean + _mark(row), _defined(row, "tokens_per_correct")]


def _joint_usd(row: Mapping[str, Any]) -> list[str]:
    return [NOTHING if none_whole(row) else dollars(row["usd"]), _defined(row, "usd_per_correct")]


def _defined(row: Mapping[str, Any], name: str) -> str:
    """Return a cost per correct answer; a dash where there cannot be one, which is not the same as unknown."""
    if row["score"] == 0 or none_whole(row):
        return NOTHING
    return dollars(row[name]) if name.startswith("usd") else count(row[name])


def none_whole(row: Mapping[str, Any]) -> bool:
    """Return whether all conversations of a cell were cut short."""
    return bool(row.get("cut_short")) and row["cut_short"] == row["runs"]


def footnotes(designs: Mapping[str, Any], matrix: Mapping[str, Any]) -> list[str]:
    """Return what the marks in the tables of one setting mean; nothing where there are none."""
    entries = [row for cell in matrix.values() for row in cell.values()]
    lines = []
    if any(row.get("cut_short") for row in designs.values()):
        lines.append(CUT_SHORT)
    if any(none_whole(row) for row in entries):
        lines.append(NONE_WHOLE)
    if any(row["score"] == 0 for row in entries):
        lines.append(NONE_CORRECT)
    return lines


def _cells(designs: Mapping[str, Any]) -> list[str]:
    found = {cell for row in designs.values() for cell in row["cells"]}
    return sorted(found, key=lambda cell: [int(part) for part in cell.split("x")])


def _exponent(value: float | None, interval: Sequence[float] | None) -> str:
    if value is None:
        return "-"
    return f"{value:.2f}" + (f" ({interval[0]:.2f} to {interval[1]:.2f})" if interval else "")


def share(value: float | None) -> str:
    """Return a share, an exponent or an error as a table shows it."""
    return "-" if value is None else f"{value:.3f}"


def count(value: float | None) -> str:
    """Return a mean number of tokens as a table shows it."""
    return "unknown" if value is None else f"{value:,.1f}"


def dollars(value: float | None, unknown: str = "unknown") -> str:
    """Return an amount in USD: four decimals, and three significant digits of what is below 0.01."""
    if value is None:
        return unknown
    decimals = 4 if value == 0 or value >= 0.01 else 2 - math.floor(math.log10(value))
    return f"{value:.{decimals}f}"


def crossing(found: Mapping[str, Any] | None) -> str:
    """Return the turn with its bootstrap range; a `~` marks runs that ended early."""
    if found is None:
        return words(None)
    spread = ""
    if found["range"] and found["range"][0] != found["range"][1]:
        spread = f" ({found['range'][0]} to {found['range'][1]})"
    return words(found["turn"]) + spread + ("~" if found["incomplete"] else "")
