"""Power: what must hold for any number of probes, what is refused, and the sawtooth."""

import math
from collections.abc import Callable
from itertools import pairwise
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_membench.stats import power as module
from pytest_membench.stats.paired import drop as p_of_drop
from pytest_membench.stats.power import detectable_drop, nearest_sd, noise_reaches, power, probes_needed

PROBES = st.integers(1, 300)
SHARES = st.floats(0, 1)
SDS = st.none() | SHARES


def trinomial(probes: int, worse: float, better: float) -> dict[tuple[int, int], float]:
    """Return the probability of each number of falls and rises, written out."""
    stays = max(0.0, 1 - worse - better)
    return {
        (w, b): comb(probes, w) * comb(probes - w, b) * worse**w * better**b * stays ** (probes - w - b)
        for w in range(probes + 1)
        for b in range(probes - w + 1)
    }


def p_of(worse: int, better: int) -> float:
    """Return the p-value that the test gives for so many falls and rises."""
    return p_of_drop([1.0] * worse + [0.0] * better + [1.0], [0.0] * worse + [1.0] * better + [1.0])


@pytest.mark.parametrize(
    ("probes", "drop", "alpha"), [(12, 0.3, 0.05), (25, 0.2, 0.05), (25, 0.0, 0.2), (10, 0.5, 1 / 32), (3, 0.4, 0.05)]
)
def test_power_is_the_share_of_outcomes_that_the_test_calls_a_drop(probes: int, drop: float, alpha: float) -> None:
    """Every number of falls and rises, its probability in the model, and what `paired.drop` says of it."""
    worse, better = 1 / 2 - (1 - 2 * drop) / 3, (1 - 2 * drop) / 6
    outcomes = trinomial(probes, worse, better)
    expected = sum(chance for (w, b), chance in outcomes.items() if p_of(w, b) <= alpha)
    assert power(probes, drop, alpha) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("probes", "drop", "sd"), [(14, 0.2, 0.5), (20, 0.1, 0.3), (9, 0.6, 0.8), (16, 0.0, 1.0)])
def test_power_with_an_sd_flips_its_square_and_that_of_the_drop(probes: int, drop: float, sd: float) -> None:
    """sd^2 + drop^2 flip, and falls less rises are the drop."""
    flips = sd**2 + drop**2
    outcomes = trinomial(probes, (flips + drop) / 2, (flips - drop) / 2)
    expected = sum(chance for (w, b), chance in outcomes.items() if p_of(w, b) <= 0.05)
    assert power(probes, drop, sd=sd) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("probes", "drop"), [(10, 0.1), (10, 0.3), (20, 0.15), (7, 0.1), (7, 0.0)])
def test_noise_reaches_is_the_share_of_outcomes_with_such_a_drop(probes: int, drop: float) -> None:
    """Falls and rises of 1/6 each, counted out; 0.3 of 10 probes are three, whatever 0.3 * 10 is in floats."""
    least = math.ceil(round(drop * probes, 6))
    expected = sum(chance for (w, b), chance in trinomial(probes, 1 / 6, 1 / 6).items() if w - b >= least)
    assert noise_reaches(probes, drop) == pytest.approx(expected, abs=1e-12)


def test_noise_without_any_flip_reaches_no_drop() -> None:
    """Sessions that repeat all answers (sd 0) show a drop of 0 and no other."""
    assert noise_reaches(48, 0.0, sd=0.0) == 1.0
    assert noise_reaches(48, 0.01, sd=0.0) == 0.0
    assert power(48, 0.0, sd=0.0) == 0.0


@given(PROBES, st.floats(0.001, 0.5))
def test_without_a_drop_no_more_than_alpha_are_found(probes: int, alpha: float) -> None:
    """An exact test keeps its level."""
    assert power(probes, 0.0, alpha) <= alpha + 1e-12


@given(PROBES, st.floats(0, 0.5), st.floats(0, 0.5))
def test_larger_drops_are_found_more_often(probes: int, one: float, two: float) -> None:
    """In the model a larger drop makes more falls and fewer rises; noise reaches it less often."""
    small, large = sorted((one, two))
    assert power(probes, small) <= power(probes, large) + 1e-12
    assert noise_reaches(probes, small) >= noise_reaches(probes, large) - 1e-12


@given(PROBES, SHARES, SDS)
def test_what_is_computed_is_a_chance(probes: int, drop: float, sd: float | None) -> None:
    """The nearest sd that a drop allows is one that power accepts, and all chances lie in [0, 1]."""
    size = drop / 2 if sd is None else drop
    assert 0 <= power(probes, size, sd=nearest_sd(size, sd)) <= 1
    assert 0 <= noise_reaches(probes, drop, sd) <= 1


@given(SHARES, SHARES)
def test_an_sd_that_is_possible_is_kept(drop: float, sd: float) -> None:
    """Only an sd that the drop excludes is moved, and then no further than needed."""
    made = nearest_sd(drop, sd)
    assert made is not None
    if drop <= sd**2 + drop**2 <= 1:
        assert made == pytest.approx(sd, abs=1e-7)
    assert drop - 1e-9 <= made**2 + drop**2 <= 1 + 1e-9


@given(PROBES, st.sampled_from([0.5, 0.8, 0.95]), st.none() | st.floats(0.1, 0.9))
def test_the_detectable_drop_is_the_smallest(probes: int, chance: float, sd: float | None) -> None:
    """At this drop the chance is reached, a little below it is not; None is where losing everything is not found."""
    found = detectable_drop(probes, chance, sd=sd)
    if found is None:
        most = 0.5 if sd is None else 1.0
        assert power(probes, most, sd=nearest_sd(most, sd)) < chance
        return
    below = found - 1e-6
    assert power(probes, found, sd=nearest_sd(found, sd)) >= chance
    assert power(probes, below, sd=nearest_sd(below, sd)) < chance


def test_too_few_probes_detect_nothing() -> None:
    """Four falls have p = 1/16 at best, five have 1/32: all of five probes must fall, ((1 + drop) / 2)^5 = 0.8.

    A drop so large leaves room for an sd of sqrt(1 - drop^2) at most, with which every probe flips.
    """
    assert detectable_drop(4, sd=0.5) is None
    assert detectable_drop(5) is None
    assert detectable_drop(5, sd=0.5) == pytest.approx(2 * 0.8**0.2 - 1, abs=1e-6)


@pytest.mark.parametrize("sd", [None, 0.1, 0.4, 0.9])
@pytest.mark.parametrize("drop", [0.08, 0.15, 0.3, 0.42])
def test_from_the_probes_needed_on_power_stays_above(drop: float, sd: float | None) -> None:
    """One fewer falls short; every one of the next 300 numbers is enough, whatever the sawtooth does."""
    sd = nearest_sd(drop, sd)
    needed = probes_needed(drop, sd=sd)
    assert power(needed - 1, drop, sd=sd) < 0.8
    assert min(power(needed + more, drop, sd=sd) for more in range(300)) >= 0.8


def test_the_power_of_an_exact_test_is_a_sawtooth() -> None:
    """With every probe flipping it falls at some sizes: the first size that reaches 80% is not the one returned."""
    sd = math.sqrt(1 - 0.4**2)
    chances = [power(n, 0.4, sd=sd) for n in range(1, 80)]
    assert any(later < earlier - 0.01 for earlier, later in pairwise(chances))
    first = 1 + next(i for i, chance in enumerate(chances) if chance >= 0.8)
    assert first < probes_needed(0.4, sd=sd)


def test_a_drop_that_no_session_finds_is_refused() -> None:
    """No drop, and one that needs more than 100,000 probes, raise and say what to do."""
    with pytest.raises(ValueError, match="drop=0: no 100,000 probes find it"):
        probes_needed(0.0)
    with pytest.raises(ValueError, match="ask for a larger drop"):
        probes_needed(0.001)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: power(0, 0.1), "probes=0"),
        (lambda: power(10, 10), r"drop=10: give it as a share from 0 to 1; 10 points are 0.1"),
        (lambda: power(10, -0.1), "drop=-0.1"),
        (lambda: power(10, math.nan), "drop=nan"),
        (lambda: power(10, 0.1, alpha=0), "alpha=0: give a share between 0 and 1, such as 0.05"),
        (lambda: power(10, 0.6), "drop=0.6: .*no more can be lost"),
        (lambda: power(10, 0.15, sd=0.2), "sd=0.2 with drop=0.15: 0.0625 of the probes would flip.*from 0.3571 to 0.9"),
        (lambda: power(10, 0.15, sd=1.0), "sd=1 with drop=0.15: 1.022 of the probes would flip"),
        (lambda: power(10, 0.1, sd=50), "sd=50: give it as a share"),
        (lambda: noise_reaches(10, 0.1, sd=-1), "sd=-1"),
        (lambda: noise_reaches(0, 0.1), "probes=0"),
        (lambda: detectable_drop(10, power=1), "power=1: give a share between 0 and 1, such as 0.8"),
        (lambda: detectable_drop(-1), "probes=-1"),
        (lambda: probes_needed(2), "drop=2"),
        (lambda: probes_needed(0.1, power=0), "power=0"),
        (lambda: nearest_sd(0.1, 2.0), "sd=2.0"),
    ],
)
def test_what_is_impossible_is_refused_by_name(call: Callable[[], object], message: str) -> None:
    """Points instead of shares, levels of 0 or 1, and an sd that the drop excludes: the message names them."""
    with pytest.raises(ValueError, match=message):
        call()


def test_critical_numbers_are_those_of_the_test() -> None:
    """For 0 to 60 flips and levels that p-values hit exactly: the fewest falls with p <= alpha."""
    for alpha in (0.05, 1 / 32, 1 / 16, 0.5):
        for flips, least in enumerate(module._critical(60, alpha)):
            found = [w for w in range(flips + 1) if p_of(w, flips - w) <= alpha]
            assert least == (min(found) if found else flips + 1)
