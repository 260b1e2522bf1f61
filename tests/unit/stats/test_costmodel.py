"""The cost model: what it recovers from costs made by hand, what it refuses, and what must hold for any runs."""

import math
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_membench.data import Cell
from pytest_membench.stats import costmodel
from pytest_membench.stats.costmodel import HeldOut, Run

CELLS = [(4, 50), (4, 200), (9, 100), (6, 25)]
EXPONENTS = st.floats(-1, 1.5)
COSTS = st.lists(st.integers(1, 10_000), min_size=2, max_size=8)


def power_law(a: float, p: float, q: float, cells: Sequence[tuple[int, int]] = CELLS, seeds: int = 1) -> list[Run]:
    """Return runs that cost exactly e^a (L+1)^p (t+1)^q - 1 in turn t."""
    return [
        Run(n, length, seed, tuple(math.exp(a) * (length + 1) ** p * (t + 1) ** q - 1 for t in range(n)))
        for n, length in cells
        for seed in range(seeds)
    ]


@st.composite
def any_runs(draw: st.DrawFn) -> list[Run]:
    """Draw two runs for each of the four cells, of which some end early."""
    return [Run(8, length, seed, tuple(map(float, draw(COSTS)))) for length in (25, 50, 100, 200) for seed in range(2)]


@given(st.floats(4, 8), EXPONENTS.filter(lambda p: p >= 0), EXPONENTS.filter(lambda q: q >= 0))
def test_a_power_law_is_recovered(a: float, p: float, q: float) -> None:
    """Costs that follow the model have its coefficients, no held-out error, and an interval without width."""
    runs = power_law(a, p, q)
    made = costmodel.fit(runs)
    assert (made.a, made.p, made.q) == pytest.approx((a, p, q), abs=1e-7)
    assert (made.points, made.runs) == (23, 4)
    assert costmodel.leave_one_cell_out(runs).max_ape == pytest.approx(0, abs=1e-6)
    intervals = costmodel.bootstrap(runs, resamples=50)
    assert intervals.p == pytest.approx((p, p), abs=1e-7)
    assert intervals.q == pytest.approx((q, q), abs=1e-7)


@given(st.floats(4, 8), st.floats(0.1, 1.5))
def test_a_power_law_in_the_content_is_recovered(a: float, slope: float) -> None:
    """Costs of e^a (T+1)^s - 1, T = (t+1) L, have the slope s, and one predictor explains them all."""
    runs = [
        Run(n, length, 0, tuple(math.exp(a) * ((t + 1) * length + 1) ** slope - 1 for t in range(n)))
        for n, length in CELLS
    ]
    made = costmodel.fit_one(runs)
    assert (made.a, made.slope, made.r2) == pytest.approx((a, slope, 1), abs=1e-7)
    assert (made.points, made.runs) == (23, 4)


@settings(max_examples=30)
@given(any_runs(), st.floats(0.01, 100))
def test_a_dearer_tokenizer_moves_the_intercept_alone(runs: list[Run], k: float) -> None:
    """C+1 times k adds log k to a and leaves p, q and R2 as they were."""
    scaled = [run._replace(tokens=tuple(k * (cost + 1) - 1 + 200 * k for cost in run.tokens)) for run in runs]
    plain = [run._replace(tokens=tuple(cost + 200 for cost in run.tokens)) for run in runs]
    one, two = costmodel.fit(plain), costmodel.fit(scaled)
    assert (two.a - math.log(k), two.p, two.q) == pytest.approx((one.a, one.p, one.q), abs=1e-8)
    assert two.r2 == (one.r2 if one.r2 is None else pytest.approx(one.r2, abs=1e-8))


@settings(max_examples=20)
@given(any_runs(), st.randoms())
def test_shuffling_runs_changes_no_digit(runs: list[Run], random: Random) -> None:
    """Runs that arrive in another order, as under workers, give the same figures to the last digit."""
    shuffled = list(runs)
    random.shuffle(shuffled)
    for figure in (costmodel.fit, costmodel.fit_one, costmodel.folds, costmodel.leave_one_cell_out):
        assert figure(shuffled) == figure(runs)
    assert costmodel.bootstrap(shuffled, resamples=20) == costmodel.bootstrap(runs, resamples=20)


@settings(max_examples=20)
@given(any_runs(), st.sampled_from([25, 50, 100, 200]), st.integers(2, 50))
def test_the_costs_of_a_cell_do_not_reach_its_own_prediction(runs: list[Run], length: int, k: int) -> None:
    """A cell that costs k times as much is measured so; what is predicted for it stays, as its fit never saw it."""
    dearer = [
        run._replace(tokens=tuple(k * cost for cost in run.tokens)) if run.length == length else run for run in runs
    ]
    for before, after in zip(costmodel.folds(runs), costmodel.folds(dearer), strict=True):
        own = before.cell.length == length
        assert after.measured == pytest.approx(before.measured * (k if own else 1))
        assert not own or after.predicted == before.predicted


@settings(max_examples=20)
@given(any_runs(), st.sampled_from([25, 50, 100, 200]))
def test_dropping_a_cell_drops_its_fold_alone(runs: list[Run], length: int) -> None:
    """Without the cell the other folds remain, with what was measured; its own fold was the fit on what is left."""
    rest = [run for run in runs if run.length != length]
    before = {fold.cell: fold for fold in costmodel.folds(runs)}
    after = {fold.cell: fold for fold in costmodel.folds(rest)}
    dropped = before.pop(Cell(8, length))
    assert {cell: fold.measured for cell, fold in after.items()} == {c: fold.measured for c, fold in before.items()}
    model = costmodel.fit(rest)
    turns = [cost for run in runs if run.length == length for cost in costmodel.predict(model, run)]
    assert dropped.predicted == pytest.approx(sum(turns) / len(turns))


def test_held_out_error_by_hand() -> None:
    """Four cells of one law, one of them twice as dear: of its true mean the others predict half."""
    law = power_law(5, 0.5, 0.25)
    runs = [run._replace(tokens=tuple(2 * cost for cost in run.tokens)) if run.length == 200 else run for run in law]
    made = costmodel.leave_one_cell_out(runs)
    worst = next(fold for fold in costmodel.folds(runs) if fold.cell == Cell(4, 200))
    assert worst.ape == pytest.approx(0.5, abs=1e-6)
    assert (made.worst_cell, made.folds) == (max(costmodel.folds(runs), key=lambda f: f.ape).cell, 4)
    assert made.mape == pytest.approx(sum(fold.ape for fold in costmodel.folds(runs)) / 4)


def test_a_run_that_ends_early_counts_as_far_as_it_went() -> None:
    """Three of nine turns give three points, and the cell's mean is over the turns that were measured."""
    runs = power_law(5, 0.5, 0.25)
    runs[2] = runs[2]._replace(tokens=runs[2].tokens[:3])
    assert costmodel.fit(runs).points == 23 - 6
    fold = next(fold for fold in costmodel.folds(runs) if fold.cell == Cell(9, 100))
    assert fold.measured == pytest.approx(sum(runs[2].tokens) / 3)
    assert fold.ape == pytest.approx(0, abs=1e-6)


def test_equal_costs_have_no_r2() -> None:
    """A cost that never changes has exponents 0 and an R2 of 0 / 0: unknown, not 1 and not 0."""
    runs = [Run(4, length, 0, (500.0,) * 4) for length in (50, 200)]
    made = costmodel.fit(runs)
    assert (made.p, made.q) == pytest.approx((0, 0), abs=1e-9)
    assert made.r2 is None
    assert costmodel.fit_one(runs).r2 is None


def test_undefined_resamples_are_drawn_again() -> None:
    """Of two runs with one L each, the one resample that has both L is the data themselves: no width."""
    runs = [Run(3, 50, 0, (100.0, 250.0, 280.0)), Run(3, 200, 0, (400.0, 500.0, 900.0))]
    made, intervals = costmodel.fit(runs), costmodel.bootstrap(runs, resamples=200)
    assert intervals.p == pytest.approx((made.p, made.p), abs=1e-9)
    assert intervals.q == pytest.approx((made.q, made.q), abs=1e-9)


def test_resamples_without_a_second_turn_are_drawn_again() -> None:
    """One of three runs has two turns; a resample without it would have no q."""
    runs = [Run(2, 50, 0, (100.0, 250.0)), Run(2, 50, 1, (120.0,)), Run(2, 200, 0, (400.0,))]
    intervals = costmodel.bootstrap(runs, resamples=200)
    assert np.isfinite([*intervals.p, *intervals.q]).all()


def test_runs_are_resampled_over_all_cells() -> None:
    """With one run a cell a bootstrap within cells has no width; over all runs it has."""
    runs = [Run(4, length, 0, (50.0 + length, 90.0, 200.0, 10.0 * length)) for length in (25, 50, 100, 200)]
    low, high = costmodel.bootstrap(runs, resamples=200).p
    assert high - low > 0.01


def test_the_bootstrap_is_the_same_in_every_session() -> None:
    """No hidden random state: the same seed gives the same interval, another seed another."""
    runs = [Run(4, length, 0, (50.0 + length, 90.0, 200.0, 10.0 * length)) for length in (25, 50, 100, 200)]
    assert costmodel.bootstrap(runs, 100) == costmodel.bootstrap(runs, 100)
    assert costmodel.bootstrap(runs, 100, seed=1) != costmodel.bootstrap(runs, 100, seed=2)


FIGURES: list[Callable[..., Any]] = [
    costmodel.fit,
    costmodel.fit_one,
    costmodel.folds,
    costmodel.leave_one_cell_out,
    costmodel.bootstrap,
]


@pytest.mark.parametrize("figure", FIGURES)
@pytest.mark.parametrize(
    ("runs", "said"),
    [
        ([], "no runs"),
        ([Run(4, 50, 3, ())], "run 4x50, seed 3, has 0 turns"),
        ([Run(2, 50, 3, (1.0, 1.0, 1.0))], "run 2x50, seed 3, has 3 turns"),
        ([Run(2, 0, 3, (1.0, 1.0))], "an L of 1 or more"),
        ([Run(2, 50, 3, (1.0, math.nan))], "run 2x50, seed 3: tokens have to be 0 or more and known"),
        ([Run(2, 50, 3, (1.0, math.inf))], "tokens have to be"),
        ([Run(2, 50, 3, (1.0, -2.0))], "tokens have to be"),
    ],
)
def test_what_is_no_run_is_refused(figure: Callable[..., Any], runs: list[Run], said: str) -> None:
    """Nothing, a run of no or too many turns, and costs that are unknown or negative raise and are named."""
    with pytest.raises(ValueError, match=said):
        figure(runs)


@pytest.mark.parametrize("figure", [costmodel.fit, costmodel.bootstrap])
def test_a_predictor_that_does_not_vary_is_named(figure: Callable[..., Any]) -> None:
    """Cells of one L leave p unknown, runs of one turn q."""
    with pytest.raises(ValueError, match="all runs have L = 50: p is unknown"):
        figure([Run(2, 50, 0, (1.0, 2.0)), Run(4, 50, 0, (1.0, 2.0, 3.0))])
    with pytest.raises(ValueError, match="turn t = 0 alone: q is unknown"):
        figure([Run(1, 50, 0, (1.0,)), Run(1, 200, 0, (2.0,))])


def test_one_content_alone_has_no_slope() -> None:
    """Runs of one turn and one L have the same T."""
    with pytest.raises(ValueError, match=r"the same content T = \(t\+1\) L"):
        costmodel.fit_one([Run(1, 50, 0, (1.0,)), Run(1, 50, 1, (2.0,))])


def test_two_cells_cannot_be_held_out() -> None:
    """Without one of two cells a single L is left."""
    with pytest.raises(ValueError, match="2 cells cannot be held out one by one"):
        costmodel.leave_one_cell_out(power_law(5, 0.5, 0.25, [(4, 50), (4, 200)]))


def test_a_cell_whose_fold_has_no_fit_is_named() -> None:
    """Of three cells with two L, the only one of its L cannot be left out."""
    with pytest.raises(ValueError, match="without cell 4x200: all runs have L = 50"):
        costmodel.leave_one_cell_out(power_law(5, 0.5, 0.25, [(4, 50), (9, 50), (4, 200)]))


def test_an_error_relative_to_nothing_is_refused() -> None:
    """A cell that cost no tokens has no error in percent."""
    runs = [Run(2, length, 0, (0.0, 0.0)) for length in (50, 100, 200)]
    with pytest.raises(ValueError, match="cell 2x50 cost no tokens"):
        costmodel.leave_one_cell_out(runs)


def test_a_bootstrap_of_no_resample_is_refused() -> None:
    """Zero resamples have no percentiles."""
    with pytest.raises(ValueError, match="give 1 or more"):
        costmodel.bootstrap(power_law(5, 0.5, 0.25), resamples=0)


@pytest.mark.parametrize("ratio", [costmodel.gamma, costmodel.zeta, costmodel.per_correct])
@pytest.mark.parametrize(
    ("part", "whole", "expected"),
    [(30, 120, 0.25), (0, 120, 0.0), (None, 120, None), (30, None, None), (30, 0, None), (0, 0, None)],
)
def test_an_unknown_ratio_is_not_zero(
    ratio: Callable[..., float | None], part: float | None, whole: float | None, expected: float | None
) -> None:
    """What is unknown, or is divided by nothing, is None; a true zero stays 0."""
    assert ratio(part, whole) == expected


@pytest.mark.parametrize(("part", "whole"), [(-1, 2), (1, -2), (math.nan, 1), (1, math.inf), (None, -1)])
def test_a_ratio_of_what_is_no_count_is_refused(part: float | None, whole: float | None) -> None:
    """Negative and unbounded counts raise."""
    with pytest.raises(ValueError, match="0 or more, or None for unknown"):
        costmodel.gamma(part, whole)


@given(st.integers(0, 10_000), st.integers(1, 10_000), st.integers(0, 500), st.integers(1, 500))
def test_a_design_without_ingest_has_the_ratios_of_its_answers(out: int, into: int, reasoning: int, shown: int) -> None:
    """An ingest stage of no tokens adds nothing to gamma, and its own zeta is unknown."""
    ingest_in = ingest_out = 0
    assert costmodel.gamma(out + ingest_out, into + ingest_in) == out / into
    assert costmodel.zeta(reasoning, shown) == reasoning / shown
    assert costmodel.zeta(0, ingest_out) is None


@pytest.mark.parametrize(
    ("mape", "max_ape", "high"), [(0.05, 0.1, False), (0.12, 0.20, False), (0.13, 0.15, True), (0.05, 0.21, True)]
)
def test_the_verdict_follows_both_errors(mape: float, max_ape: float, high: bool) -> None:
    """A mean above 12% or a cell above 20% is high; the worst cell is named either way, in one sentence."""
    said = costmodel.verdict(HeldOut(mape, max_ape, Cell(400, 200), 5))
    assert ("must not be extrapolated" in said) is high
    assert "400x200" in said
    assert said.endswith(".")
    assert ". " not in said


def test_a_verdict_on_nothing_says_so() -> None:
    """Where too few cells were measured, the fit is not recommended."""
    assert costmodel.verdict(None) == "The held-out error is not measured: the cost must not be extrapolated."
