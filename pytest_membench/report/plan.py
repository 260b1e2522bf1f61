"""What a run would take: the calls that no cassette holds, by model and stage, from a ledger."""

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_membench.data import STAGES, known_sum
from pytest_membench.report.costtext import dollars

Line = Mapping[str, Any]


def plan(ledger: Sequence[Line]) -> dict[str, Any]:
    """Return calls, tokens and USD that a run would take, with what is recorded already taken off.

    `ledger` is that of a dry run in which the stand-in model answered what no cassette holds:
    numbers of calls and input tokens follow from the designs and the chats, output tokens and
    what depends on a reply are the stand-in's and so a guess.
    """
    asked = [line for line in ledger if not line["replayed"]]
    keys = sorted({(line["model"], line["stage"]) for line in asked}, key=lambda k: (k[0], _order(k[1])))
    rows = [_row(*key, [line for line in asked if (line["model"], line["stage"]) == key]) for key in keys]
    return {"recorded": len(ledger) - len(asked), "calls": len(asked), "usd": _sum(asked, "usd"), "stages": rows}


def _order(stage: str) -> int:
    return list(STAGES).index(stage) if stage in STAGES else len(STAGES)


def _row(model: str, stage: str, lines: Sequence[Line]) -> dict[str, Any]:
    return {
        "model": model,
        "stage": stage,
        "calls": len(lines),
        "input": _sum(lines, "input"),
        "output": _sum(lines, "output"),
        "usd": _sum(lines, "usd"),
    }


def _sum(lines: Sequence[Line], name: str) -> Any:
    """Return the sum, or None where one call's is unknown."""
    return known_sum([line[name] for line in lines])


def lines(planned: Mapping[str, Any]) -> list[list[str]]:
    """Return the plan as a table, a total at its end."""
    table = [["calls to make", "stage", "calls", "tokens in", "tokens out", "USD"]]
    for row in planned["stages"]:
        tokens = ["unknown" if row[name] is None else f"{row[name]:,}" for name in ("input", "output")]
        table.append([row["model"], row["stage"], f"{row['calls']:,}", *tokens, dollars(row["usd"], "no price")])
    table.append(["in all", "", f"{planned['calls']:,}", "", "", dollars(planned["usd"], "no price")])
    return table
