"""Paired differences: what must hold for any scores, and what is refused because it is no pair."""

import math
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_membench.stats.paired import difference, holm, mcnemar

CREDITS = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])
ROWS = st.lists(st.tuples(CREDITS, CREDITS, st.sampled_from(["maya", "tom"])), min_size=1, max_size=20)
P_VALUES = st.lists(st.floats(0, 1), max_size=12)
ROUNDING = 1e-12

Rows = list[tuple[float, float, str]]


def columns(rows: Rows) -> tuple[list[float], list[float], list[str]]:
    """Return first scores, second scores and groups."""
    return [a for a, _, _ in rows], [b for _, b, _ in rows], [g for _, _, g in rows]


@given(ROWS)
def test_the_difference_is_that_of_the_means_and_lies_in_its_interval(rows: Rows) -> None:
    """Pairing changes how sure one is, never how large the difference is."""
    first, second, groups = columns(rows)
    made = difference(first, second, groups)
    assert made.mean == pytest.approx(sum(second) / len(rows) - sum(first) / len(rows))
    assert -1 - ROUNDING <= made.interval.low <= made.interval.high <= 1 + ROUNDING
    assert made.pairs == len(rows)


@given(ROWS)
def test_the_other_way_round_is_the_same_with_another_sign(rows: Rows) -> None:
    """Second to first: the difference is negated, risen and fallen swap, and the p-value stays."""
    first, second, groups = columns(rows)
    assert difference(second, first, groups).mean == -difference(first, second, groups).mean
    there, back = mcnemar(first, second), mcnemar(second, first)
    assert (back.better, back.worse) == (there.worse, there.better)
    assert back.p_value == pytest.approx(there.p_value)


def test_the_interval_of_the_other_way_round_is_mirrored() -> None:
    """With 60 pairs the two intervals are mirror images but for the resampling's own error."""
    random = Random(3)
    first, second = ([random.choice([0.0, 0.5, 1.0]) for _ in range(60)] for _ in range(2))
    there, back = difference(first, second, ["maya"] * 60), difference(second, first, ["maya"] * 60)
    assert there.interval.low == pytest.approx(-back.interval.high, abs=0.02)
    assert there.interval.high == pytest.approx(-back.interval.low, abs=0.02)


@given(ROWS)
def test_equal_scores_differ_by_nothing_for_sure(rows: Rows) -> None:
    """A design against itself: no difference, an interval of no width, no flip, p = 1."""
    scores, _, groups = columns(rows)
    assert difference(scores, scores, groups) == (0.0, (0.0, 0.0), len(rows))
    assert mcnemar(scores, scores) == (0, 0, 1.0)


@given(ROWS, st.randoms())
def test_the_order_of_the_pairs_does_not_matter(rows: Rows, random: Random) -> None:
    """Pairs that arrive in another order (workers finish as they like) give the same numbers."""
    shuffled = random.sample(rows, len(rows))
    made, again = difference(*columns(rows)), difference(*columns(shuffled))
    assert again.mean == pytest.approx(made.mean)
    assert again.interval == pytest.approx(made.interval)


def test_permuting_the_pairing_changes_the_interval_and_not_the_mean() -> None:
    """It is paired: of the same two sets of scores, those that agree by probe give the narrower interval."""
    first = [1.0, 0.0] * 12
    second = [1.0, *first[1:-1], 1.0]
    mixed = [second[(n + 1) % 24] for n in range(24)]
    groups = ["maya"] * 24
    paired, permuted = difference(first, second, groups), difference(first, mixed, groups)
    assert permuted.mean == pytest.approx(paired.mean)
    assert paired.interval.high - paired.interval.low < 0.2
    assert permuted.interval.high - permuted.interval.low > 0.6


def test_people_are_resampled_by_themselves() -> None:
    """Where each person's pairs all differ alike, people being fixed leaves nothing to chance."""
    first, second = [0.0] * 6, [1.0] * 3 + [0.0] * 3
    within = difference(first, second, ["maya"] * 3 + ["tom"] * 3)
    across = difference(first, second, ["all"] * 6)
    assert within.interval == (0.5, 0.5)
    assert across.interval.high - across.interval.low > 0.5


@given(ROWS)
def test_flips_are_counted_by_direction(rows: Rows) -> None:
    """Every pair got better, got worse or stayed; a rise by half a point is a rise."""
    first, second, _ = columns(rows)
    made = mcnemar(first, second)
    stayed = sum(a == b for a, b in zip(first, second, strict=True))
    assert made.better + made.worse + stayed == len(rows)
    assert 0 < made.p_value <= 1


@pytest.mark.parametrize("test", [lambda a, b: difference(a, b, ["maya"] * len(a)), mcnemar])
@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ([1.0, 0.0], [1.0], "2 and 1 scores are no pairs"),
        ([], [], "no pair of scores"),
        ([1.0, math.nan], [1.0, 0.0], "not finite"),
        ([1.0, 0.0], [1.0, math.inf], "not finite"),
    ],
)
def test_what_is_no_pair_of_scores_is_refused(test: object, first: object, second: object, message: str) -> None:
    """Other lengths, nothing at all, and NaN for "not judged" raise; none of them is a difference of 0."""
    assert callable(test)
    with pytest.raises(ValueError, match=message):
        test(first, second)


def test_every_pair_needs_its_person() -> None:
    """Fewer groups than pairs raise."""
    with pytest.raises(ValueError, match="2 values need as many groups, not 1"):
        difference([1.0, 0.0], [0.0, 0.0], ["maya"])


@given(P_VALUES)
def test_holm_never_makes_a_p_value_smaller_and_keeps_their_order(p_values: list[float]) -> None:
    """Adjusted: at least the raw value, at most 1 and at most k times it, and monotone in the raw one."""
    adjusted = holm(p_values)
    assert len(adjusted) == len(p_values)
    for raw, made in zip(p_values, adjusted, strict=True):
        assert raw <= made <= 1
    ranked = sorted(zip(p_values, adjusted, strict=True))
    assert [made for _, made in ranked] == sorted(adjusted)
    if p_values:
        assert min(adjusted) == min(1, len(p_values) * min(p_values))
        assert max(adjusted) >= max(p_values)


@given(P_VALUES, st.randoms())
def test_holm_answers_in_the_order_asked(p_values: list[float], random: Random) -> None:
    """Permuting the p-values permutes the adjusted ones with them."""
    order = random.sample(range(len(p_values)), len(p_values))
    adjusted = holm(p_values)
    assert holm([p_values[i] for i in order]) == [adjusted[i] for i in order]


def test_holm_of_nothing_is_nothing() -> None:
    """No test, no adjusted p-value."""
    assert holm([]) == []


@pytest.mark.parametrize("wrong", [math.nan, -0.1, 1.5])
def test_holm_refuses_what_is_no_p_value(wrong: float) -> None:
    """NaN would be sorted anywhere; it raises, as does a number out of range."""
    with pytest.raises(ValueError, match="between 0 and 1"):
        holm([0.01, wrong])
