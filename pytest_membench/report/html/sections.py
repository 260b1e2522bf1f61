"""What report.html shows of each setting: the tables of report.md, and the figures with their tables."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pytest_membench.data import SERVING, known_sum
from pytest_membench.report import costtext, text
from pytest_membench.report.figures import costs, curves, scores
from pytest_membench.report.folder import Served, Session

Table = list[list[str]]


class Figure(NamedTuple):
    """An SVG, what it shows in a sentence, and the same numbers as a table."""

    svg: str
    caption: str
    table: Table


class CellPart(NamedTuple):
    """What is shown of one cell: the frontier, cumulative costs, accuracy beside cost."""

    cell: str
    frontier: Figure | None
    cumulative: list[Figure]


def of_setting(session: Session, summary: Mapping[str, Any], setting: str, number: int) -> dict[str, Any]:
    """Return the parts of one setting; those that this session has no numbers for are empty."""
    scored = summary["scores"].get(setting, {})
    served = _ranked(curves.by_design(session.served, setting), scored)
    costed = summary["costs"].get(setting, {})
    matrix = summary["joint"].get(setting, {})
    described = summary["settings"][setting]
    return {
        "id": f"s{number}",
        "name": setting,
        "heading": text.heading(summary, setting)[0] if scored else None,
        "headline": _headline(scored, matrix, described) if scored else None,
        "outcomes": _outcomes(scored, described),
        "gate": _gate(summary, setting),
        "gate_table": _gate_table(_gate(summary, setting)),
        "scores": _scores(f"s{number}", scored),
        "people": _people(scored),
        "kinds": _kinds(f"s{number}", scored),
        "cells": _cells(f"s{number}", matrix, costed, served, described["priced"]),
        "fits": _fits(f"s{number}", costed, served),
        "break_even": [costtext.break_even(costed, unit) for unit in _units(described["priced"]) if costed],
        "per_turn": costtext.cells(costed) if costed else None,
        "joint": [costtext.joint(matrix, priced=described["priced"], cell=cell) for cell in _ordered(matrix)],
        "stages": _stages(f"s{number}", scored, served, matrix),
        "verdicts": costtext.verdicts(costed),
        "notes": [line for line in text.notes(summary, setting) if not line.startswith("Cost of ")],
    }


def _ranked(served: dict[str, list[Served]], scored: Mapping[str, Any]) -> dict[str, list[Served]]:
    """Return the conversations with the best score's design first, as in the tables of scores."""
    order = [design for design, _ in text.by_score(scored)]
    return {d: served[d] for d in [*(d for d in order if d in served), *(d for d in served if d not in order)]}


def _units(priced: bool) -> list[str]:
    return ["tokens", "usd"] if priced else ["tokens"]


def _ordered(cells: Mapping[str, Any]) -> list[str]:
    """Return the cells, the reference cell first, the others by size."""
    if not cells:
        return []
    first = costtext.reference_cell(cells)
    return [first, *sorted((c for c in cells if c != first), key=lambda c: [int(n) for n in c.split("x")])]


def _headline(scored: Mapping[str, Any], matrix: Mapping[str, Any], setting: Mapping[str, Any]) -> Table:
    """Return scores and totals of report.md's overview, with what a correct answer costs where conversations were served."""
    full = text.overview(scored, setting)
    wanted = [
        full[0].index(name) for name in ("design", "score", "95% interval", "n", "tokens in", "tokens out", "USD")
    ]
    table = [[row[n] for n in wanted] for row in full]
    if not matrix:
        return table
    cell = costtext.reference_cell(matrix)
    both = costtext.joint(matrix, priced=setting["priced"], cell=cell)
    costs_of = [n for n, name in enumerate(both[0]) if n and name not in ("score", "frontier")]
    extra = {row[0]: [row[n] for n in costs_of] for row in both[1:]}
    head = [f"{both[0][n]} at {cell}" for n in costs_of]
    return [[*table[0], *head], *([*row, *extra.get(row[0], ["-"] * len(head))] for row in table[1:])]


def _outcomes(scored: Mapping[str, Any], setting: Mapping[str, Any]) -> Table:
    """Return the number of verdicts, and how the answers came about."""
    names = ("correct", "partial", "wrong", "not_judged", "not_run")
    full = text.overview(scored, setting)
    wanted = [full[0].index(name) for name in ("plain", "searches", "memory")]
    behaviour = {row[0]: [row[n] for n in wanted] for row in full}
    rows = [[design, *(str(row[name]) for name in names), *behaviour[design]] for design, row in text.by_score(scored)]
    return [["design", *(name.replace("_", " ") for name in names), *behaviour["design"]], *rows] if rows else []


def _gate(summary: Mapping[str, Any], setting: str) -> list[dict[str, Any]]:
    """Return the gate's outcome by design; nothing where no baseline was compared."""
    found = (summary.get("gate") or {}).get(setting) or {}
    compared = {design: one for design, one in found.items() if one.get("verdict") not in (None, "none")}
    return [{"design": design, **_NOT_COMPARED, **one} for design, one in sorted(compared.items())]


def _gate_table(gated: Sequence[Mapping[str, Any]]) -> Table:
    """Return a row for each design that was compared."""
    rows = [["design", "outcome", "change, points", "p, one-sided", "fell", "rose", "least drop to be seen"]]
    for one in gated:
        change = "-" if one["drop"] is None else f"{-one['drop'] + 0.0:+.1f}"
        p_value = "-" if one["p_value"] is None else f"{one['p_value']:.3g}"
        least = "-" if one["detectable_drop"] is None else f"{one['detectable_drop']:.1f}"
        flips = [str(len(one["newly_wrong"])), str(len(one["newly_right"]))]
        rows.append([one["design"], one["verdict"], change, p_value, *flips, least])
    return rows


_NOT_COMPARED: Mapping[str, Any] = {
    **dict.fromkeys(("drop", "p_value", "detectable_drop")),
    **dict.fromkeys(("reasons", "notes", "newly_wrong", "newly_right"), ()),
}


def _scores(prefix: str, scored: Mapping[str, Any]) -> Figure | None:
    if all(row["score"] is None for row in scored.values()):
        return None
    table = [row[:4] for row in text.overview(scored, {"priced": True})]
    caption = "The dot is the score, the line its 95% interval: it speaks for these questions and people."
    return Figure(scores.intervals(f"{prefix}-scores", scored), caption, table)


def _people(scored: Mapping[str, Any]) -> Table:
    names = sorted({person for row in scored.values() for person in row["people"]})
    nothing = {"score": None, "interval": None, "n": 0}
    rows = [
        [design, *(f"{text.score_of(part)} ({text.interval_of(part['interval'])})" for part in parts)]
        for design, row in text.by_score(scored)
        for parts in [[row["people"].get(name, nothing) for name in names]]
    ]
    return [["score by person, 95% interval", *names], *rows] if rows else []


def _kinds(prefix: str, scored: Mapping[str, Any]) -> Figure | None:
    if all(row["score"] is None for row in scored.values()):
        return None
    caption = "Few probes stand behind each field: the table gives intervals and numbers of probes."
    return Figure(scores.heat_map(f"{prefix}-kinds", scored), caption, text.kind_intervals(scored))


def _cells(
    prefix: str,
    matrix: Mapping[str, Any],
    costed: Mapping[str, Any],
    served: Mapping[str, Sequence[Served]],
    priced: bool,
) -> list[CellPart]:
    measured = {cell: None for row in costed.values() for cell in row["cells"]}
    return [
        CellPart(
            cell,
            _frontier(prefix, cell, matrix, priced),
            [part for unit in _units(priced) if (part := _cumulative(prefix, cell, unit, costed, served))],
        )
        for cell in _ordered(matrix or measured)
    ]


def _frontier(prefix: str, cell: str, matrix: Mapping[str, Any], priced: bool) -> Figure | None:
    rows = matrix.get(cell, {})
    if all(row["input_tokens_per_turn"] is None for row in rows.values()):
        return None
    caption = (
        "Up and left is better. Blue dots joined by the line are on the frontier: no other design has as high a "
        "score for fewer tokens. Vertical lines are 95% intervals of scores; designs whose intervals overlap may well "
        "change places."
    )
    table = costtext.joint(matrix, priced=priced, cell=cell)
    return Figure(costs.frontier(f"{prefix}-frontier-{cell}", cell, rows), caption, table)


def _cumulative(
    prefix: str, cell: str, unit: str, costed: Mapping[str, Any], served: Mapping[str, Sequence[Served]]
) -> Figure | None:
    found = {design: curves.cumulative(cell, own, unit) for design, own in served.items()}
    known = {design: curve for design, curve in found.items() if curve}
    if not known:
        return None
    points = {design: row["break_even"].get(cell, {}).get(unit) for design, row in costed.items()}
    svg = costs.cumulative(f"{prefix}-{unit}-{cell}", cell, unit, known, points)
    caption = "Blue: the design, mean of its conversations. Grey: the whole transcript, resent every turn. The dot and "
    caption += "the words name the break-even turn, with its bootstrap range where that is wider than one turn."
    if any(curve.fitted for curve in known.values()):
        caption += " Dashed: not measured, it goes on from the fit."
    return Figure(svg, caption, _curve_table(cell, unit, known))


def _curve_table(cell: str, unit: str, known: Mapping[str, curves.Curve]) -> Table:
    """Return the measured cumulative cost at five turns; what was not measured is no number."""
    turns = int(cell.split("x", maxsplit=1)[0])
    chosen = sorted({0, turns // 4, turns // 2, 3 * turns // 4, turns - 1})
    head = [f"{'input tokens' if unit == 'tokens' else 'USD'} so far at {cell}", *(f"turn {t}" for t in chosen)]
    shown = "{:,.0f}" if unit == "tokens" else "{:.6f}"
    rows = [
        [name, *(shown.format(one.measured[t]) if t < len(one.measured) else "not measured" for t in chosen)]
        for name, one in known.items()
    ]
    return [head, *rows]


def _fits(prefix: str, costed: Mapping[str, Any], served: Mapping[str, Sequence[Served]]) -> dict[str, Any] | None:
    if not costed:
        return None
    observed = {design: found for design, own in served.items() if (found := curves.observed(own))}
    held_out = [["mean input tokens a turn, cell held out", "cell", "measured", "predicted", "error"]]
    for design, own in served.items():
        for fold in curves.held_out(own):
            numbers = [f"{fold.measured:,.1f}", f"{fold.predicted:,.1f}", f"{100 * fold.ape:.1f}%"]
            held_out.append([design, str(fold.cell), *numbers])
    figure = None
    if observed:
        r2 = {design: row["r2"] for design, row in costed.items()}
        caption = "Each mark is the mean of a turn over the conversations of a cell; on the line, fit and measurement "
        caption += "agree. The table predicts each cell from the others."
        figure = Figure(costs.fits(f"{prefix}-fits", observed, r2), caption, held_out)
    return {"table": costtext.fits(costed), "figure": figure}


def _stages(
    prefix: str, scored: Mapping[str, Any], served: Mapping[str, Sequence[Served]], matrix: Mapping[str, Any]
) -> Figure | None:
    panels: dict[str, dict[str, dict[str, int | None]]] = {}
    if scored:
        panels["questions"] = {design: _sums(row["tokens"]) for design, row in text.by_score(scored)}
    cells = matrix or {one.row["person"]: None for own in served.values() for one in own}
    if served and cells:
        cell = costtext.reference_cell(cells)
        panels[f"serving at {cell}"] = {d: curves.stage_tokens(curves.at(cell, own)) for d, own in served.items()}
    if not panels:
        return None
    rows = [
        [design, title, *("unknown" if value is None else f"{value:,}" for value in stages.values())]
        for title, designs in panels.items()
        for design, stages in designs.items()
    ]
    caption = "Ingest writes the memory, retrieval reads it, the answer uses it. The judge is no cost of a design."
    table = [["input and output tokens", "of", "ingest", "retrieval", "answer"], *rows]
    return Figure(scores.stages(f"{prefix}-stages", panels), caption, table)


def _sums(tokens: Mapping[str, Mapping[str, int | None]]) -> dict[str, int | None]:
    return {stage: known_sum([tokens[stage]["input"], tokens[stage]["output"]]) for stage in SERVING}
