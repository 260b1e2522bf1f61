"""The gate's tests on simulated sessions: false alarms, drops found, and the formulas of power against both.

Each probe's chance of being right is from Beta(1, 1); two sessions draw from it independently, and a
true drop is proportional. 2,000 pairs of sessions, seeded.
"""

import math
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from pytest_membench.stats.paired import drop, holm
from pytest_membench.stats.power import MODEL_SD, detectable_drop, noise_reaches, power

PAIRS = 2000
ALPHA = 0.05
MOST_ALARMS = 0.06
KINDS = 8

Scores = NDArray[np.float64]


def sessions(probes: int, lost: float, seed: int) -> tuple[Scores, Scores]:
    """Return right-or-wrong scores of both sessions, each of shape (PAIRS, probes); `lost` points of 100 are a share."""
    generator = np.random.default_rng(seed)
    chances = generator.uniform(size=(PAIRS, probes))
    first = generator.uniform(size=chances.shape) < chances
    second = generator.uniform(size=chances.shape) < chances * (1 - 2 * lost)
    return first.astype(float), second.astype(float)


def graded(probes: int, seed: int) -> tuple[Scores, Scores]:
    """Return scores of three levels: each probe's chances of 0, 0.5 and 1 are from Dirichlet(1, 1, 1)."""
    generator = np.random.default_rng(seed)
    cuts = np.sort(generator.uniform(size=(2, PAIRS, probes)), axis=0)
    first, second = (0.5 * (generator.uniform(size=(PAIRS, probes)) > cuts).sum(axis=0) for _ in range(2))
    return first, second


@cache
def p_of_flips(worse: int, better: int) -> float:
    """Return `drop` of so many falls and rises; what stays and the order do not matter."""
    return drop([1.0] * worse + [0.0] * better + [1.0], [0.0] * worse + [1.0] * better + [1.0])


def p_values(first: Scores, second: Scores) -> Scores:
    """Return the p-value of each pair of right-or-wrong sessions."""
    worse, better = (first > second).sum(axis=1).tolist(), (first < second).sum(axis=1).tolist()
    return np.array([p_of_flips(w, b) for w, b in zip(worse, better, strict=True)])


def error(chance: float) -> float:
    """Return four standard errors of a share of the simulated pairs."""
    return 4 * math.sqrt(chance * (1 - chance) / PAIRS)


@pytest.mark.parametrize("probes", [48, 180])
def test_false_alarms_are_rare(probes: int) -> None:
    """Of 2,000 sessions without a change at most 6% are called worse, as often as the formula says."""
    alarms = float((p_values(*sessions(probes, 0.0, seed=probes)) <= ALPHA).mean())
    assert 0.01 < alarms <= MOST_ALARMS
    assert alarms == pytest.approx(power(probes, 0.0), abs=error(power(probes, 0.0)))


def test_a_drop_of_15_points_on_180_probes_is_found() -> None:
    """At least 90% of 2,000 true drops; beforehand 93.7% were measured."""
    found = float((p_values(*sessions(180, 0.15, seed=15)) <= ALPHA).mean())
    assert found >= 0.90
    assert power(180, 0.15) == pytest.approx(0.937, abs=error(0.937))


@pytest.mark.parametrize(("probes", "lost"), [(48, 0.1), (48, 0.25), (180, 0.05), (180, 0.1), (180, 0.15)])
def test_power_is_what_the_simulation_finds(probes: int, lost: float) -> None:
    """The formula sums what the simulation draws: equal within four standard errors."""
    found = float((p_values(*sessions(probes, lost, seed=7)) <= ALPHA).mean())
    expected = power(probes, lost)
    assert found == pytest.approx(expected, abs=error(expected))


def test_the_detectable_drop_is_found_four_times_in_five() -> None:
    """80% of the simulated sessions with the drop that the gate names."""
    lost = detectable_drop(180)
    assert lost is not None
    assert float((p_values(*sessions(180, lost, seed=8)) <= ALPHA).mean()) == pytest.approx(0.8, abs=error(0.8))


@pytest.mark.parametrize(("probes", "lost"), [(48, 0.1), (48, 0.05), (180, 0.05), (180, 0.1)])
def test_noise_alone_reaches_a_drop_as_often_as_said(probes: int, lost: float) -> None:
    """Observed drops of sessions without a change, against the formula."""
    first, second = sessions(probes, 0.0, seed=9)
    reached = float(((first - second).sum(axis=1) >= lost * probes - 1e-9).mean())
    expected = noise_reaches(probes, lost)
    assert reached == pytest.approx(expected, abs=error(expected))


def test_a_fixed_rule_of_ten_points_on_48_probes_would_alarm_often() -> None:
    """Beforehand 7% to 17% were measured, by how noisy the probes are: the model lies between."""
    assert 0.07 <= noise_reaches(48, 0.10) <= 0.17


def test_the_sd_of_the_model_is_that_of_its_differences() -> None:
    """sqrt(1/3) between two sessions without a change; giving it changes no noise and hardly the power."""
    first, second = sessions(180, 0.0, seed=10)
    assert float((second - first).std()) == pytest.approx(MODEL_SD, abs=0.005)
    assert noise_reaches(180, 0.05, sd=MODEL_SD) == pytest.approx(noise_reaches(180, 0.05), abs=1e-12)
    lost_first, lost_second = sessions(180, 0.15, seed=11)
    sd = float((lost_second - lost_first).std())
    assert power(180, 0.15, sd=sd) == pytest.approx(power(180, 0.15), abs=0.01)


@pytest.mark.parametrize("probes", [48, 180])
def test_partial_credit_alarms_as_rarely(probes: int) -> None:
    """Three levels, so the sign-flip test: at most 6% of 2,000 sessions without a change."""
    first, second = graded(probes, seed=probes)
    alarms = [drop(a, b) <= ALPHA for a, b in zip(first.tolist(), second.tolist(), strict=True)]
    assert 0.02 < sum(alarms) / PAIRS <= MOST_ALARMS


@pytest.mark.parametrize("probes", [48, 180])
def test_the_whole_or_one_of_eight_kinds_alarms_as_rarely(probes: int) -> None:
    """A gate that fails for the whole or, after Holm, for any kind: at most 6% of 2,000 sessions without a change."""
    first, second = sessions(probes, 0.0, seed=12)
    whole = (p_values(first, second) <= ALPHA).tolist()
    by_kind = np.array([p_values(first[:, kind::KINDS], second[:, kind::KINDS]) for kind in range(KINDS)])
    kinds = [min(holm(p)) <= ALPHA for p in by_kind.T.tolist()]
    assert sum(kinds) / PAIRS <= ALPHA
    assert sum(a or b for a, b in zip(whole, kinds, strict=True)) / PAIRS <= MOST_ALARMS


def test_one_kind_that_loses_everything_is_found_among_eight() -> None:
    """One of 8 kinds with 23 of 180 probes loses all it had, the others nothing: Holm still finds it mostly."""
    first, second = sessions(180, 0.0, seed=13)
    second[:, ::KINDS] = 0.0
    by_kind = np.array([p_values(first[:, kind::KINDS], second[:, kind::KINDS]) for kind in range(KINDS)])
    found = [holm(p)[0] <= ALPHA for p in by_kind.T.tolist()]
    assert sum(found) / PAIRS >= 0.9
