"""The cost model: log(C+1) = a + p log(L+1) + q log(t+1), its error on cells that it never saw, and token ratios.

Source of the model, the held-out error and the ratios: "Total Recall at What Cost?" (arXiv 2608.11879).
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from statsmodels.regression.linear_model import OLS

from pytest_membench.data import Cell
from pytest_membench.stats.intervals import Interval

RESAMPLES = 1000
HIGH_MAPE, HIGH_APE = 0.12, 0.20
"""Above either, the held-out error is high (see `verdict`)."""

_SEED = 20260803
Floats = NDArray[np.float64]


class Run(NamedTuple):
    """One conversation of a cell: `tokens[t]` are the LLM input tokens billed in turn t (all stages together).

    A run that ended early has fewer than `turns` of them.
    """

    turns: int
    length: int
    seed: int
    tokens: tuple[float, ...]

    @property
    def cell(self) -> Cell:
        """The (N, L) of this run."""
        return Cell(self.turns, self.length)


class Fit(NamedTuple):
    """The two-predictor fit; `r2` is None where all turns cost the same."""

    a: float
    p: float
    q: float
    r2: float | None
    points: int
    runs: int


class OneFit(NamedTuple):
    """The fit log(C+1) = a + slope log(T+1), T = (t+1) L; `r2` is None where all turns cost the same."""

    a: float
    slope: float
    r2: float | None
    points: int
    runs: int


class Fold(NamedTuple):
    """A cell's mean tokens per turn, as measured and as predicted from the other cells; `ape` is a share of 1."""

    cell: Cell
    measured: float
    predicted: float
    ape: float


class HeldOut(NamedTuple):
    """The mean and the largest absolute error over the folds, as shares of 1 (0.05 is 5%)."""

    mape: float
    max_ape: float
    worst_cell: Cell
    folds: int


class Exponents(NamedTuple):
    """The 95% intervals of the two exponents."""

    p: Interval
    q: Interval


class _Points(NamedTuple):
    """One entry a turn: log(L+1), log(t+1), log(C+1)."""

    log_length: Floats
    log_turn: Floats
    log_cost: Floats


def fit(runs: Sequence[Run]) -> Fit:
    """Return ordinary least squares of log(C+1) on log(L+1) and log(t+1) over all turns of all runs.

    Raises ValueError for no or unusable runs, and where all L or all t are equal (p or q is unknown).
    """
    ordered = _checked(runs)
    _check_spread(ordered)
    points = _points(ordered)
    (a, p, q), r2 = _ols(points.log_cost, points.log_length, points.log_turn)
    return Fit(a, p, q, r2, points.log_cost.size, len(ordered))


def fit_one(runs: Sequence[Run]) -> OneFit:
    """Return ordinary least squares of log(C+1) on log(T+1), T = (t+1) L: the content so far, in tokens.

    Raises ValueError for no runs, a run that is no run, and where T is the same in all turns.
    """
    ordered = _checked(runs)
    points = _points(ordered)
    log_content = np.log1p(np.exp(points.log_turn) * np.expm1(points.log_length))
    if np.ptp(log_content) == 0:
        raise ValueError("all turns have the same content T = (t+1) L: its slope is unknown; measure more turns")
    (a, slope), r2 = _ols(points.log_cost, log_content)
    return OneFit(a, slope, r2, points.log_cost.size, len(ordered))


def predict(model: Fit, run: Run) -> Floats:
    """Return the tokens that `model` expects in each measured turn of `run`: exp(.) - 1, shape (turns,)."""
    log_turn = np.log1p(np.arange(len(run.tokens)))
    return np.asarray(np.expm1(model.a + model.p * math.log1p(run.length) + model.q * log_turn))


def folds(runs: Sequence[Run]) -> list[Fold]:
    """Return one fold a cell, sorted by cell: the cell's mean tokens per turn against a fit on all others.

    Both means go over the turns that were measured, all runs of the cell together. Raises
    ValueError for fewer than 3 cells, and names the cell without which the others have one L alone.
    """
    ordered = _checked(runs)
    cells = sorted({run.cell for run in ordered})
    if len(cells) < 3:
        raise ValueError(f"{len(cells)} cells cannot be held out one by one: a fit needs two others; measure 3 or more")
    return [_fold(cell, ordered) for cell in cells]


def leave_one_cell_out(runs: Sequence[Run]) -> HeldOut:
    """Return the error of predicting each cell's mean tokens per turn from the others; raises as `folds` does."""
    made = folds(runs)
    worst = max(made, key=lambda fold: fold.ape)
    return HeldOut(math.fsum(fold.ape for fold in made) / len(made), worst.ape, worst.cell, len(made))


def bootstrap(runs: Sequence[Run], resamples: int = RESAMPLES, seed: int = _SEED) -> Exponents:
    """Return the 95% percentile intervals of p and q from a cluster bootstrap over runs.

    Whole runs are drawn with replacement from all runs, not within cells, as the paper's "cluster
    bootstrap over runs" says; the interval so holds what the choice of cells adds. A resample in
    which p or q is undefined (one L alone, or no run of two turns) is drawn again, so that there
    are always `resamples` of them. Cameron, Gelbach and Miller (2008), doi:10.1162/rest.90.3.414. Raises as `fit` does.
    """
    if resamples < 1:
        raise ValueError(f"bootstrap(resamples={resamples}): give 1 or more, such as {RESAMPLES}")
    ordered = _checked(runs)
    _check_spread(ordered)
    slopes = refit(ordered, _draw(ordered, resamples, np.random.default_rng(seed)))
    low, high = np.quantile(slopes, [0.025, 0.975], axis=0)
    return Exponents(Interval(float(low[0]), float(high[0])), Interval(float(low[1]), float(high[1])))


def refit(runs: Sequence[Run], counts: NDArray[np.int64]) -> Floats:
    """Return p and q, shape (resamples, 2), of fits in which run r counts `counts[:, r]` times.

    Sums of squares and products are additive over runs: each run is reduced once to those of its
    1, log(L+1), log(t+1), log(C+1), taken about the means of all turns, and a resample adds them up.
    """
    points = [_points([run]) for run in runs]
    centre = np.concatenate([np.array(p) for p in points], axis=1).mean(axis=1)
    products = np.stack([_products(p, centre) for p in points])
    sums = np.einsum("br,rij->bij", counts.astype(float), products)
    return np.asarray(np.linalg.solve(sums[:, :3, :3], sums[:, :3, 3:])[:, 1:, 0])


def gamma(tokens_out: float | None, tokens_in: float | None) -> float | None:
    """Return output per input token, or None where one is unknown or there was no input."""
    return _ratio(tokens_out, tokens_in)


def zeta(tokens_reasoning: float | None, tokens_visible: float | None) -> float | None:
    """Return reasoning per visible output token of a stage, or None where one is unknown or nothing was visible."""
    return _ratio(tokens_reasoning, tokens_visible)


def per_correct(cost: float | None, accuracy: float | None) -> float | None:
    """Return a conversation's cost per correct answer, cost / accuracy, in the unit of `cost` (tables 3 and 4).

    None where one is unknown or nothing was answered right: there is then no price of a right answer.
    """
    return _ratio(cost, accuracy)


def verdict(held_out: HeldOut | None) -> str:
    """Return one sentence on whether the fit may be used for other cells, naming the worst cell.

    The thresholds lie about halfway between two kinds of rows of the paper's table 6: what is
    served by content alone (whole transcript, window) errs by at most 0.065 in the mean and 0.148
    in a cell, every memory system by at least 0.184 and 0.243.
    """
    if held_out is None:
        return "The held-out error is not measured: the cost must not be extrapolated."
    mape, max_ape, worst, count = held_out
    error = f"({mape:.1%} in the mean of {count} folds, {max_ape:.1%} at the worst cell, {worst})"
    if mape > HIGH_MAPE or max_ape > HIGH_APE:
        why = "the cost is driven by the state of the memory and must not be extrapolated"
        return f"The held-out error is high {error}: {why}."
    return f"The held-out error is low {error}: turns and tokens per turn explain the cost of the measured range."


def _ratio(part: float | None, whole: float | None) -> float | None:
    if any(value is not None and not 0 <= value < math.inf for value in (part, whole)):
        raise ValueError(f"a ratio of {part} and {whole}: both have to be 0 or more, or None for unknown")
    return None if part is None or not whole else part / whole


def _checked(runs: Sequence[Run]) -> list[Run]:
    """Return the runs in an order of their own, so that the order given changes no digit."""
    if not runs:
        raise ValueError("no runs: a fit to nothing is unknown; measure the cells first")
    for run in runs:
        where = f"run {run.cell}, seed {run.seed}"
        if run.length < 1 or not 1 <= len(run.tokens) <= run.turns:
            raise ValueError(f"{where}, has {len(run.tokens)} turns: 1 to N of them and an L of 1 or more are wanted")
        if not all(0 <= tokens < math.inf for tokens in run.tokens):
            raise ValueError(f"{where}: tokens have to be 0 or more and known; end the run before an unknown turn")
    return sorted(runs)


def _check_spread(runs: Sequence[Run]) -> None:
    """Raise where a predictor is constant; otherwise the two are never collinear, as all runs start at t = 0."""
    if len(lengths := {run.length for run in runs}) == 1:
        raise ValueError(f"all runs have L = {lengths.pop()}: p is unknown (collinear); add a cell with another L")
    if all(len(run.tokens) == 1 for run in runs):
        raise ValueError("all runs have the turn t = 0 alone: q is unknown (collinear); measure more turns")


def _points(runs: Sequence[Run]) -> _Points:
    sizes = [len(run.tokens) for run in runs]
    return _Points(
        np.repeat(np.log1p([run.length for run in runs]), sizes),
        np.log1p(np.concatenate([np.arange(size) for size in sizes])),
        np.log1p(np.concatenate([np.asarray(run.tokens, dtype=float) for run in runs])),
    )


def _ols(outcome: Floats, *predictors: Floats) -> tuple[list[float], float | None]:
    """Return the intercept with the slopes, and R2 (None for a constant outcome)."""
    result = OLS(outcome, np.column_stack([np.ones(outcome.size), *predictors])).fit()
    r2 = None if np.ptp(outcome) == 0 else float(1 - result.ssr / result.centered_tss)
    return [float(value) for value in result.params], r2


def _fold(cell: Cell, runs: Sequence[Run]) -> Fold:
    own, others = [r for r in runs if r.cell == cell], [r for r in runs if r.cell != cell]
    measured = float(np.concatenate([run.tokens for run in own]).mean())
    if measured == 0:
        raise ValueError(f"cell {cell} cost no tokens: an error relative to nothing is unknown; leave the cell out")
    try:
        model = fit(others)
    except ValueError as error:
        raise ValueError(f"without cell {cell}: {error}") from error
    predicted = float(np.concatenate([predict(model, run) for run in own]).mean())
    return Fold(cell, measured, predicted, abs(predicted - measured) / measured)


def _draw(runs: Sequence[Run], resamples: int, generator: np.random.Generator) -> NDArray[np.int64]:
    """Return how often each run is in each resample, shape (resamples, runs)."""
    chances = np.full(len(runs), 1 / len(runs))
    counts = generator.multinomial(len(runs), chances, resamples)
    while (undefined := ~_defined(runs, counts)).any():
        counts[undefined] = generator.multinomial(len(runs), chances, int(undefined.sum()))
    return counts


def _defined(runs: Sequence[Run], counts: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which resamples have two L and a run of two turns, so that p and q exist; shape (resamples,)."""
    lengths = np.array([run.length for run in runs])
    of_length = lengths[:, None] == np.unique(lengths)
    longer = np.array([len(run.tokens) > 1 for run in runs])
    two_lengths = ((counts @ of_length) > 0).sum(axis=1) > 1
    return np.asarray(two_lengths & ((counts @ longer) > 0), dtype=np.bool_)


def _products(points: _Points, centre: Floats) -> Floats:
    """Return the 4 x 4 sums of products of 1 and the three centred columns: X'X, X'y and y'y in one."""
    columns = np.vstack([np.ones(points.log_cost.size), np.array(points) - centre[:, None]])
    return np.asarray(columns @ columns.T, dtype=float)
