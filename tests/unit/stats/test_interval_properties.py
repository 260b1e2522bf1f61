"""Intervals: what must hold for any data, and what is refused because it has no interval."""

import math
from collections.abc import Callable
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_membench.stats.intervals import Interval, score, stratified_mean, wilson

CREDITS = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])
MARKS = st.lists(st.tuples(CREDITS, st.sampled_from(["maya", "tom", "nora"])), min_size=1, max_size=25)
ROUNDING = 1e-12


@given(st.integers(1, 500), st.data(), st.floats(0.5, 0.999))
def test_wilson_holds_the_share_and_stays_a_share(trials: int, data: st.DataObject, confidence: float) -> None:
    """0 <= low <= share <= high <= 1, with some width even at none and all."""
    successes = data.draw(st.integers(0, trials))
    low, high = wilson(successes, trials, confidence)
    assert -ROUNDING <= low <= successes / trials + ROUNDING
    assert successes / trials - ROUNDING <= high <= 1 + ROUNDING
    assert high > low


@given(st.integers(1, 300), st.data())
def test_wilson_is_the_same_for_hits_and_misses(trials: int, data: st.DataObject) -> None:
    """The interval of the misses is the mirror image."""
    successes = data.draw(st.integers(0, trials))
    hits, misses = wilson(successes, trials), wilson(trials - successes, trials)
    assert hits.low == pytest.approx(1 - misses.high, abs=1e-9)
    assert hits.high == pytest.approx(1 - misses.low, abs=1e-9)


@given(st.integers(1, 60), st.data())
def test_more_trials_and_less_confidence_make_it_narrower(trials: int, data: st.DataObject) -> None:
    """The same share of ten times as many trials is known better; so is one stated with less confidence."""
    successes = data.draw(st.integers(0, trials))
    wide = wilson(successes, trials)
    many, unsure = wilson(10 * successes, 10 * trials), wilson(successes, trials, 0.5)
    assert many.high - many.low < wide.high - wide.low
    assert unsure.high - unsure.low < wide.high - wide.low


@pytest.mark.parametrize("trials", [0, -3])
def test_a_share_of_nothing_is_unknown(trials: int) -> None:
    """No trials raise; they are not 0% and not 100%."""
    with pytest.raises(ValueError, match="a share of nothing is unknown"):
        wilson(0, trials)


@pytest.mark.parametrize("successes", [-1, 4, math.nan, math.inf])
def test_successes_that_are_no_part_of_the_trials_are_refused(successes: float) -> None:
    """More successes than trials, fewer than none, or no number have no interval."""
    with pytest.raises(ValueError, match="successes"):
        wilson(successes, 3)


@settings(max_examples=30)
@given(MARKS)
def test_the_bootstrap_interval_holds_the_mean(marks: list[tuple[float, str]]) -> None:
    """The mean of the values lies within, and the interval within the range of the values."""
    values = [value for value, _ in marks]
    low, high = stratified_mean(values, [person for _, person in marks], resamples=2000)
    mean = sum(values) / len(values)
    assert min(values) - ROUNDING <= low <= mean + ROUNDING
    assert mean - ROUNDING <= high <= max(values) + ROUNDING


@settings(max_examples=30)
@given(MARKS, st.randoms())
def test_order_does_not_matter(marks: list[tuple[float, str]], random: Random) -> None:
    """Results that arrive in another order, as under workers, have the same interval to the last digit."""
    shuffled = list(marks)
    random.shuffle(shuffled)
    one = score([v for v, _ in marks], [p for _, p in marks])
    assert score([v for v, _ in shuffled], [p for _, p in shuffled]) == one


@pytest.mark.parametrize(
    ("confidence", "expected"), [(0.95, Interval(0.0, 1.0)), (0.8, Interval(0.25, 0.75)), (0.3, Interval(0.5, 0.5))]
)
def test_two_people_of_two_probes_by_hand(confidence: float, expected: Interval) -> None:
    """Each person's sum is 0, 1, 2 with 1/4, 1/2, 1/4: the mean is 0 with 1/16, 1/4 with 4/16, 1/2 with 6/16."""
    chances = [Fraction(n, 16) for n in (1, 4, 6, 4, 1)]
    assert sum(chances) == 1
    tail = (1 - confidence) / 2
    assert not any(math.isclose(tail, float(sum(chances[:n])), abs_tol=0.02) for n in range(1, 5))
    assert stratified_mean([0, 1, 0, 1], ["maya", "maya", "tom", "tom"], confidence) == expected


def test_people_are_fixed_and_their_difference_is_no_uncertainty() -> None:
    """Where each person's probes all score the same, nothing varies; pooled, it would look as if it did."""
    values = [0.0] * 10 + [0.5] * 10
    assert stratified_mean(values, ["maya"] * 10 + ["tom"] * 10) == (0.25, 0.25)
    low, high = stratified_mean(values, ["all"] * 20)
    assert low < 0.2
    assert high > 0.3


def test_the_interval_is_the_same_in_every_session() -> None:
    """No hidden random state: the same data give the same interval twice."""
    values, people = [0.0, 0.5, 1.0, 0.5, 1.0], list("aabbb")
    assert stratified_mean(values, people) == stratified_mean(values, people)


@pytest.mark.parametrize("function", [score, stratified_mean])
def test_a_mean_of_nothing_is_unknown(function: Callable[..., Interval]) -> None:
    """A mean over zero items raises; it is not 0."""
    with pytest.raises(ValueError, match="of nothing is unknown"):
        function([], [])


@pytest.mark.parametrize("function", [score, stratified_mean])
@pytest.mark.parametrize("values", [[math.nan], [math.nan, math.nan], [0.5, math.nan, 1.0], [0.5, math.inf]])
def test_a_score_that_is_no_number_does_not_leak_into_a_mean(
    function: Callable[..., Interval], values: list[float]
) -> None:
    """NaN for "not scored" raises, also where all values are NaN."""
    with pytest.raises(ValueError, match=r"finite|successes"):
        function(values, ["maya"] * len(values))


@pytest.mark.parametrize("values", [[0.5, 1.0], [0.0, 1.0]])
@pytest.mark.parametrize("function", [score, stratified_mean])
def test_each_value_needs_its_group(function: Callable[..., Interval], values: list[float]) -> None:
    """A list of people that is too short is refused, whichever interval is made."""
    with pytest.raises(ValueError, match="2 values need as many groups, not 1"):
        function(values, ["maya"])


def test_a_share_gets_wilson_and_partial_credit_the_bootstrap() -> None:
    """Only 0 and 1: Wilson, whatever the people; with partial credit: the bootstrap within people."""
    people = ["maya", "maya", "tom", "tom", "tom", "tom"]
    assert score([1, 1, 1, 1, 0, 0], people) == wilson(4, 6)
    mixed = [1, 1, 0.5, 1, 0, 0]
    assert score(mixed, people) == stratified_mean(mixed, people)


@pytest.mark.parametrize(("value", "count"), [(0.0, 3), (1.0, 3), (0.5, 8), (0.75, 1)])
def test_equal_values_have_an_interval_with_width(value: float, count: int) -> None:
    """Eight answers that are all half right are no certainty: they are a share of the trials."""
    made = score([value] * count, ["maya"] * count)
    assert made == wilson(value * count, count)
    assert made.high - made.low > 0.2
