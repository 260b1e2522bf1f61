"""Break-even: from which turn on a design has cost less than resending the whole transcript."""

import math
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 1000
_SEED = 20260803
_ROUNDING = 1e-9
"""Costs that differ by less than this share are equal: sums of the same prices may round differently."""

Floats = NDArray[np.float64]
Reached = int | Literal["never"]
"""A turn, 0 for immediate, or never."""

Turn = Reached | None
"""None: not measured."""

Costs = Mapping[int, Sequence[float]]
"""Per seed, the cost of each turn 0, 1, ... in USD or tokens, as far as the run was measured."""


class BreakEven(NamedTuple):
    """Where the design's cumulative mean cost falls below the reference's.

    `turn`: the smallest turn from which it stays below up to the last measured turn; `range`: its
    95% bootstrap range, None with fewer than two pairs; `first`: the first turn at which it is below
    at all, and `sustained` whether it stays so; `ratio_at_end`: design / reference, cumulative, at
    the last measured turn; `measured_turns`: how many turns both sides have; `incomplete`: a paired
    run ended early; `pairs` and `unpaired`: the seeds that both have, and that one side alone has.
    """

    turn: Turn
    range: tuple[Reached, Reached] | None
    first: Turn
    sustained: bool | None
    ratio_at_end: float | None
    measured_turns: int
    incomplete: bool
    pairs: int
    unpaired: int


class TurnTokens(NamedTuple):
    """What one turn used: input at the full rate, input at the cached rate, output; and USD apart from these rates.

    `other_usd` is for what does not move with the three rates, such as embeddings.
    """

    fresh: float
    cached: float
    output: float
    other_usd: float = 0.0


class Rates(NamedTuple):
    """USD per million tokens."""

    fresh: float
    output: float


class _Pairs(NamedTuple):
    """Costs of both sides, shape (pairs, turns), and which turns both sides of a pair measured."""

    design: Floats
    reference: Floats
    measured: NDArray[np.bool_]


def break_even(
    design: Costs, reference: Costs, turns: int | None = None, resamples: int = RESAMPLES, seed: int = _SEED
) -> BreakEven:
    """Return the turn from which `design` has cost less than `reference`, both of one cell.

    Runs are compared in pairs of one seed, that is of one dialogue; a run whose seed the other side
    lacks (or that has no turn) is left out and counted in `unpaired`. Without a pair nothing is
    measured: `turn` is None. A pair is used as far as both of its runs were measured; each turn's
    mean goes over the pairs that reach it, and the means are added up. Below means strictly below:
    curves that are equal or touch have not broken even. `turns` is the planned N of the cell;
    without it a run is early when another one of the pairs went further.
    The range resamples pairs; "never" sorts after every turn. Raises ValueError for costs that are
    negative or unknown.
    """
    if resamples < 1:
        raise ValueError(f"break_even(resamples={resamples}): give 1 or more, such as {RESAMPLES}")
    pairs, incomplete = _paired(design, reference, turns)
    unpaired = len(_seeds(design) ^ _seeds(reference))
    if pairs is None:
        return BreakEven(None, None, None, None, None, 0, True, 0, unpaired)
    count, end = pairs.measured.shape
    ours, theirs = (curve[0] for curve in _curves(pairs, np.ones((1, count))))
    below = _below(ours, theirs)
    turn = _reached(int(_stays(below[None])[0]), end)
    first = _reached(int(np.argmax(below)) if below.any() else end, end)
    ratio = float(ours[-1] / theirs[-1]) if theirs[-1] > 0 else None
    made = _range(pairs, resamples, np.random.default_rng(seed)) if count > 1 else None
    return BreakEven(turn, made, first, turn != "never" and first == turn, ratio, end, incomplete, count, unpaired)


def by_cached_price(
    design: Mapping[int, Sequence[TurnTokens]],
    reference: Mapping[int, Sequence[TurnTokens]],
    rates: Rates,
    cached_rates: Sequence[float],
) -> list[tuple[float, Turn]]:
    """Return the break-even turn for each price of cached input, in USD per million tokens, as given.

    Runs are paired as `break_even` says. Raises ValueError for no rate and for rates that are no price.
    """
    if not cached_rates or not all(0 <= rate < math.inf for rate in (*rates, *cached_rates)):
        raise ValueError(
            f"rates {tuple(rates)} and cached rates {list(cached_rates)}: give one or more, each 0 or more"
        )
    return [
        (rate, break_even(_priced(design, rates, rate), _priced(reference, rates, rate), resamples=1).turn)
        for rate in cached_rates
    ]


def words(turn: Turn) -> str:
    """Return the word of the tables: immediate, turn 41, never, or not measured."""
    if turn is None:
        return "not measured"
    if turn == "never":
        return "never"
    return "immediate" if turn == 0 else f"turn {turn}"


def _priced(runs: Mapping[int, Sequence[TurnTokens]], rates: Rates, cached_rate: float) -> Costs:
    return {seed: [_usd(turn, rates, cached_rate) for turn in run] for seed, run in runs.items()}


def _usd(turn: TurnTokens, rates: Rates, cached_rate: float) -> float:
    """Return what one turn costs: each token is billed once, at its own rate."""
    tokens = turn.fresh * rates.fresh + turn.cached * cached_rate + turn.output * rates.output
    return tokens / 1e6 + turn.other_usd


def _seeds(runs: Costs) -> set[int]:
    return {seed for seed, costs in runs.items() if len(costs)}


def _paired(design: Costs, reference: Costs, turns: int | None) -> tuple[_Pairs | None, bool]:
    """Return the pairs in the order of their seeds, and whether one of their runs ended early."""
    common = sorted(_seeds(design) & _seeds(reference))
    lengths = [len(side[seed]) for seed in common for side in (design, reference)]
    if not lengths:
        return None, True
    both = [min(pair) for pair in zip(lengths[::2], lengths[1::2], strict=True)]
    measured = np.arange(max(both)) < np.array(both)[:, None]
    pairs = _Pairs(_table(design, common, measured), _table(reference, common, measured), measured)
    return pairs, min(lengths) < (turns or max(lengths))


def _table(runs: Costs, seeds: Sequence[int], measured: NDArray[np.bool_]) -> Floats:
    """Return the costs of the measured turns, shape (pairs, turns), and 0 where a pair has ended."""
    table = np.zeros(measured.shape)
    for row, seed, reached in zip(table, seeds, measured.sum(axis=1), strict=True):
        row[:reached] = runs[seed][:reached]
        if not (np.isfinite(row) & (row >= 0)).all():
            raise ValueError(f"seed {seed}: costs have to be 0 or more and known; end the run before an unknown turn")
    return table


def _curves(pairs: _Pairs, weights: Floats) -> tuple[Floats, Floats]:
    """Return both cumulative mean costs, shape (resamples, turns); NaN-free: flat where no pair of a resample is left.

    `weights` has shape (resamples, pairs): how often each pair counts.
    """
    shares = np.maximum(weights @ pairs.measured, 1)
    ours, theirs = (np.cumsum(weights @ side / shares, axis=1) for side in (pairs.design, pairs.reference))
    return ours, theirs


def _below(ours: Floats, theirs: Floats) -> NDArray[np.bool_]:
    return np.asarray(ours < theirs * (1 - _ROUNDING), dtype=np.bool_)


def _stays(below: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the first turn from which each row is true to its end, shape (resamples,); the turns' number for never."""
    from_end = np.argmin(below[:, ::-1], axis=1)
    return np.where(below.all(axis=1), 0, below.shape[1] - from_end)


def _reached(turn: int, end: int) -> Reached:
    return "never" if turn >= end else turn


def _range(pairs: _Pairs, resamples: int, generator: np.random.Generator) -> tuple[Reached, Reached]:
    """Return the 2.5% and 97.5% points of the turn over resamples of the pairs: turns that some resample has."""
    count, end = pairs.measured.shape
    weights = generator.multinomial(count, np.full(count, 1 / count), resamples).astype(float)
    turns = _stays(_below(*_curves(pairs, weights)))
    low, high = np.quantile(turns, [0.025, 0.975], method="inverted_cdf")
    return _reached(int(low), end), _reached(int(high), end)
