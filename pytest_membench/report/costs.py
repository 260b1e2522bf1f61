"""From the conversations of a session to its cost model, break-even points and joint matrix."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pytest_membench.data import REFERENCE, SERVING, Cell, known_sum
from pytest_membench.prices import rounded
from pytest_membench.report.folder import Row, Served
from pytest_membench.stats import breakeven, costmodel
from pytest_membench.stats.costmodel import Run
from pytest_membench.store import item_key


def summarise_costs(
    served: Sequence[Served],
    mechanism: Mapping[str, Mapping[str, float | None]] | None = None,
    settings: Mapping[str, Row] | None = None,
) -> dict[str, Any]:
    """Return the `costs` of summary.json, by setting and design.

    `mechanism` has the held-out error of dry runs by setting and design; what it has not is unknown.
    `settings` are the manifest's, with the price of each.
    """
    mechanism = mechanism or {}
    return {
        setting: {
            design: {
                **_design(own, designs.get(REFERENCE, []), mechanism.get(setting, {}).get(design)),
                "by_cached_price": _by_cached_price(own, designs.get(REFERENCE, []), (settings or {}).get(setting, {})),
            }
            for design, own in designs.items()
        }
        for setting, designs in by_design(served).items()
    }


def by_design(served: Sequence[Served]) -> dict[str, dict[str, list[Served]]]:
    """Return the conversations by setting and design, in one order whoever finished first."""
    groups: dict[str, dict[str, list[Served]]] = defaultdict(lambda: defaultdict(list))
    for one in sorted(served, key=lambda one: item_key(one.row)):  # sums of money do not depend on who came first
        groups[one.row["setting"]][one.row["design"]].append(one)
    return groups


def joint(scores: Mapping[str, Any], costs: Mapping[str, Any]) -> dict[str, Any]:
    """Return accuracy beside cost for each setting and cell, with what lies on the frontier."""
    matrix: dict[str, Any] = {}
    for setting, designs in costs.items():
        names = [name for name in designs if scores.get(setting, {}).get(name, {}).get("score") is not None]
        cells = sorted({cell for name in names for cell in designs[name]["cells"]})
        matrix[setting] = {
            cell: _frontier(
                {n: _joint(scores[setting][n], designs[n]["cells"][cell]) for n in names if cell in designs[n]["cells"]}
            )
            for cell in cells
        }
    return {setting: cells for setting, cells in matrix.items() if cells}


def _design(served: Sequence[Served], reference: Sequence[Served], mechanism: float | None) -> dict[str, Any]:
    runs = [run for one in served if (run := run_of(one)) is not None]
    return {
        **_fits(runs),
        "runs": len(runs),
        "cut_short": sum(one.row["outcome"] == "cut_short" for one in served),
        **_ratios(served),
        "mechanism_mape": _round(mechanism),
        "cells": {str(cell): _cell(own) for cell, own in by_cell(served).items()},
        "break_even": {str(cell): _break_even(cell, own, reference) for cell, own in by_cell(served).items()},
    }


def by_cell(served: Sequence[Served]) -> dict[Cell, list[Served]]:
    """Return the conversations of one design by cell, sorted."""
    cells: dict[Cell, list[Served]] = defaultdict(list)
    for one in served:
        cells[Cell(one.row["turns"], one.row["length"])].append(one)
    return dict(sorted(cells.items()))


def input_tokens(turn: Row) -> int | None:
    """Return C: the LLM input tokens of writing, reading and answering in one turn; None where unknown."""
    return known_sum([turn["tokens"][stage]["input"] for stage in SERVING])


def usd(turn: Row) -> float | None:
    """Return what one turn cost, or None where a call has no price."""
    return known_sum([turn["usd"][stage] for stage in SERVING])


def run_of(one: Served) -> Run | None:
    """Return the run for the cost model, or None where a turn's tokens are unknown."""
    tokens = [input_tokens(turn) for turn in one.turns]
    known = tuple(float(c) for c in tokens if c is not None)
    row = one.row
    return Run(row["turns"], row["length"], row["seed"], known) if known and len(known) == len(tokens) else None


def _fits(runs: Sequence[Run]) -> dict[str, Any]:
    """Return the fits; what these runs cannot determine (one cell alone, say) is None."""
    model = _try(lambda: costmodel.fit(runs))
    single = _try(lambda: costmodel.fit_one(runs))
    held_out = _try(lambda: costmodel.leave_one_cell_out(runs))
    exponents = _try(lambda: costmodel.bootstrap(runs)) if model else None
    return {
        "p": _round(model.p if model else None),
        "p_interval": [_round(end) for end in exponents.p] if exponents else None,
        "q": _round(model.q if model else None),
        "q_interval": [_round(end) for end in exponents.q] if exponents else None,
        "r2": _round(model.r2 if model else None),
        "r2_one_predictor": _round(single.r2 if single else None),
        "loocv_mape": _round(held_out.mape if held_out else None),
        "max_ape": _round(held_out.max_ape if held_out else None),
        "worst_cell": str(held_out.worst_cell) if held_out else None,
        "folds": held_out.folds if held_out else 0,
        "verdict": costmodel.verdict(held_out),
    }


def _try(compute: Callable[[], Any]) -> Any:
    try:
        return compute()
    except ValueError:
        return None


def _round(value: float | None, digits: int = 4) -> float | None:
    return None if value is None else round(float(value), digits)


def _ratios(served: Sequence[Served]) -> dict[str, Any]:
    """Return the token ratios of the measured turns; a turn that was not finished does not count."""

    def total(stage: str, name: str) -> int | None:
        return known_sum([turn["tokens"][stage][name] for one in served for turn in one.turns])

    def zeta(stage: str) -> float | None:
        output, reasoning = total(stage, "output"), total(stage, "reasoning")
        # Some endpoints report more reasoning than output: what was visible is then unknown.
        visible = None if output is None or reasoning is None or reasoning > output else output - reasoning
        return _round(costmodel.zeta(reasoning, visible))

    tokens_in, tokens_out = (known_sum([total(stage, name) for stage in SERVING]) for name in ("input", "output"))
    return {
        "gamma": _round(costmodel.gamma(tokens_out, tokens_in)),
        "zeta_answer": zeta("answer"),
        "zeta_ingest": zeta("ingest"),
    }


def _cell(served: Sequence[Served]) -> dict[str, Any]:
    """Return what a turn and a conversation of the cell cost.

    Money, and the tokens under `whole`, are of conversations measured whole: the first turns of one that
    was cut short are cheaper than its last ones would have been.
    """
    whole = [one for one in served if one.row["outcome"] == "measured"]
    money = known_sum([known_sum([usd(turn) for turn in one.turns]) for one in whole])
    return {
        "input_tokens_per_turn": _tokens_per_turn(served),
        "whole_input_tokens_per_turn": _tokens_per_turn(whole),
        "usd_per_conversation": rounded(money / len(whole)) if whole and money is not None else None,
        "runs": len(served),
        "cut_short": len(served) - len(whole),
        "measured_turns": max((len(one.turns) for one in served), default=0),
    }


def _tokens_per_turn(served: Sequence[Served]) -> float | None:
    turns = [input_tokens(turn) for one in served for turn in one.turns]
    tokens = known_sum(turns)
    return round(tokens / len(turns), 1) if turns and tokens is not None else None


def _break_even(cell: Cell, own: Sequence[Served], reference: Sequence[Served]) -> dict[str, Any]:
    """Return the break-even in USD and in input tokens; None for either where it was not measured."""
    theirs = by_cell(reference).get(cell, [])
    return {name: _crossing(cell, own, theirs, cost) for name, cost in (("usd", usd), ("tokens", input_tokens))}


def _crossing(
    cell: Cell, own: Sequence[Served], theirs: Sequence[Served], cost: Callable[[Row], float | None]
) -> dict[str, Any] | None:
    curves = [_curves(side, cost) for side in (own, theirs)]
    found = breakeven.break_even(curves[0], curves[1], turns=cell.turns)
    if found.turn is None:
        return None
    return {
        "turn": found.turn,
        "range": list(found.range) if found.range else None,
        "sustained": found.sustained,
        "ratio_at_end": _round(found.ratio_at_end),
        "measured_turns": found.measured_turns,
        "incomplete": found.incomplete,
        "pairs": found.pairs,
    }


CACHED_SHARES = (1.0, 0.75, 0.5, 0.25, 0.1, 0.0)
"""Prices of cached input, as shares of the input price, at which break-even is worked out."""


def _by_cached_price(own: Sequence[Served], reference: Sequence[Served], setting: Row) -> dict[str, Any]:
    """Return by cell how the break-even in USD moves with the price of cached input: [share, turn] each.

    Empty without a price, or where cached tokens are unknown: what was cached cannot be repriced. So
    it is where a request has a fee of its own, or a long one another price: a turn's tokens do not tell.
    """
    price = setting.get("price") or {}
    if price.get("output") is None or price.get("request") or price.get("tiers"):
        return {}
    rates = breakeven.Rates(price["input"], price["output"])
    theirs, moved = by_cell(reference), {}
    for cell, served in by_cell(own).items():
        sides = [_turn_tokens(side) for side in (served, theirs.get(cell, []))]
        if all(sides):
            found = breakeven.by_cached_price(
                sides[0], sides[1], rates, [share * price["input"] for share in CACHED_SHARES]
            )
            moved[str(cell)] = [[share, turn] for share, (_, turn) in zip(CACHED_SHARES, found, strict=True)]
    return moved


def _turn_tokens(served: Sequence[Served]) -> dict[int, list[breakeven.TurnTokens]]:
    """Return each run's turns as fresh, cached and output tokens; a run with unknown ones is left out."""
    runs = {}
    for one in served:
        sums = [
            [known_sum([t["tokens"][s][name] for s in SERVING]) for name in ("input", "cached", "output")]
            for t in one.turns
        ]
        known = [(i, c, o) for i, c, o in sums if i is not None and c is not None and o is not None]
        if known and len(known) == len(sums):
            runs[one.row["seed"]] = [breakeven.TurnTokens(i - c, c, o) for i, c, o in known]
    return runs


def _curves(served: Sequence[Served], cost: Callable[[Row], float | None]) -> dict[int, list[float]]:
    curves = {one.row["seed"]: [cost(turn) for turn in one.turns] for one in served}
    return {seed: [c for c in curve if c is not None] for seed, curve in curves.items() if curve and None not in curve}


def _joint(score: Row, cell: Row) -> dict[str, Any]:
    """Return a design's accuracy beside its cost at one cell, over the conversations measured whole.

    Where all were cut short, the tokens are those of the measured turns: they say nothing of the whole,
    so there is no cost per correct answer and no place on the frontier.
    """
    accuracy, whole, usd = score["score"] / 100, cell["whole_input_tokens_per_turn"], cell["usd_per_conversation"]
    return {
        "score": score["score"],
        "interval": score["interval"],
        "input_tokens_per_turn": cell["input_tokens_per_turn"] if _none_whole(cell) else whole,
        "usd": usd,
        "usd_per_correct": rounded(costmodel.per_correct(usd, accuracy)),
        "tokens_per_correct": _round(costmodel.per_correct(whole, accuracy), 1),
        "runs": cell["runs"],
        "cut_short": cell["cut_short"],
    }


def _none_whole(row: Row) -> bool:
    return bool(row["cut_short"] == row["runs"])


def _frontier(designs: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Mark the designs that no other beats in one of score and tokens without losing in the other.

    Of a design whose tokens are unknown, or known of no whole conversation, that is unknown too.
    """
    placed = [one for one in designs.values() if one["input_tokens_per_turn"] is not None and not _none_whole(one)]
    for one in designs.values():
        one["frontier"] = not any(_beats(other, one) for other in placed) if one in placed else None
    return designs


def _beats(other: Row, one: Row) -> bool:
    better, cheaper = other["score"] - one["score"], one["input_tokens_per_turn"] - other["input_tokens_per_turn"]
    return bool(better >= 0 and cheaper >= 0 and (better > 0 or cheaper > 0))
