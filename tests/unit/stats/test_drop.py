"""The one-sided tests of a fall: what must hold for any scores, and what is refused."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_membench.stats.paired import DRAWS, drop, least_p, mcnemar, sign_flip

LEVELS = st.sampled_from([0.0, 1.0])
CREDITS = st.sampled_from([0.0, 0.5, 1.0])
TWO_LEVELS = st.lists(st.tuples(LEVELS, LEVELS), min_size=1, max_size=40)
PARTIAL = st.lists(st.tuples(CREDITS, CREDITS), min_size=1, max_size=40)
HALVES = st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.5, 1.0]), min_size=1, max_size=10)

Pairs = list[tuple[float, float]]


def columns(pairs: Pairs) -> tuple[list[float], list[float]]:
    """Return the first and the second scores."""
    return [a for a, _ in pairs], [b for _, b in pairs]


def enumerated(differences: Sequence[Fraction]) -> float:
    """Return the share of all assignments of signs whose sum is no larger than the observed one."""
    moved = [abs(d) for d in differences if d]
    sums = [sum(s * d for s, d in zip(signs, moved, strict=True)) for signs in product((-1, 1), repeat=len(moved))]
    return sum(total <= sum(differences) for total in sums) / len(sums)


@given(TWO_LEVELS | PARTIAL)
def test_a_p_value_lies_between_the_least_and_1(pairs: Pairs) -> None:
    """No second scores get below the p-value of losing all that was right."""
    first, second = columns(pairs)
    assert 0 < least_p(first) <= drop(first, second) <= 1


@given(TWO_LEVELS | PARTIAL)
def test_the_least_p_value_is_reached_by_losing_everything(pairs: Pairs) -> None:
    """2^-(probes with any credit) is what the test gives where they all fall to 0."""
    first, _ = columns(pairs)
    assert drop(first, [0.0] * len(first)) == pytest.approx(least_p(first), rel=1e-12)
    assert least_p(first) == 2.0 ** -sum(score > 0 for score in first)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40))
def test_the_least_p_value_of_scores_without_a_common_step_is_exact_too(first: list[float]) -> None:
    """Where nothing rises one assignment of signs alone is as extreme: nothing is drawn."""
    large = [max(score, 1e-6) for score in first]
    assert drop(large, [0.0] * len(large)) == least_p(large) == 2.0 ** -len(large)


@given(TWO_LEVELS | PARTIAL)
def test_no_change_is_no_evidence(pairs: Pairs) -> None:
    """A design against itself: 1."""
    first, _ = columns(pairs)
    assert drop(first, first) == 1.0


@given(HALVES)
def test_sign_flip_is_the_count_of_all_assignments(differences: list[float]) -> None:
    """Up to 2^10 assignments of signs, each written out."""
    assert sign_flip(differences) == pytest.approx(enumerated([Fraction(d) for d in differences]), rel=1e-12)


@given(st.integers(1, 5), st.integers(1, 5), st.data())
def test_sign_flip_of_pooled_repeats_is_the_count_of_all_assignments(one: int, two: int, data: st.DataObject) -> None:
    """Means of repeats are rounded (1/3, 1/6, 1/20, ...); equal sums still count as equal."""
    halves = [
        (Fraction(data.draw(st.integers(0, 2 * one)), 2 * one), Fraction(data.draw(st.integers(0, 2 * two)), 2 * two))
        for _ in range(data.draw(st.integers(1, 9)))
    ]
    made = sign_flip([float(b) - float(a) for a, b in halves])
    assert made == pytest.approx(enumerated([b - a for a, b in halves]), rel=1e-12)


def test_equal_sums_that_are_rounded_differently_are_ties() -> None:
    """-0.1, -0.2 and +0.3: of 8 sums -0.6, -0.4, -0.2 and twice 0 are at most 0, though 0.1 + 0.2 > 0.3 in floats."""
    assert sign_flip([-0.1, -0.2, 0.3]) == 5 / 8


@given(TWO_LEVELS)
def test_sign_flip_is_mcnemar_on_two_levels(pairs: Pairs) -> None:
    """Flips of one size: the sum counts them, and both tests are the same binomial tail."""
    first, second = columns(pairs)
    assert sign_flip([b - a for a, b in pairs]) == pytest.approx(drop(first, second), rel=1e-9)


@given(TWO_LEVELS)
def test_the_two_sided_test_is_twice_the_smaller_side(pairs: Pairs) -> None:
    """Exact McNemar: both directions of `drop` against the two-sided p-value."""
    first, second = columns(pairs)
    both = 2 * min(drop(first, second), drop(second, first))
    assert min(1.0, both) == pytest.approx(mcnemar(first, second).p_value, rel=1e-9)


@given(TWO_LEVELS | PARTIAL)
def test_one_of_both_directions_is_no_evidence(pairs: Pairs) -> None:
    """The two one-sided p-values share the observed sum: together they are at least 1."""
    first, second = columns(pairs)
    assert drop(first, second) + drop(second, first) >= 1 - 1e-9


@given(HALVES)
def test_a_symmetric_change_is_half_of_all_and_the_ties(differences: list[float]) -> None:
    """As many falls as rises of each size: P(sum <= 0) = (1 + P(sum = 0)) / 2, never below 1/2."""
    both = [*differences, *(-d for d in differences)]
    assert sign_flip(both) == pytest.approx(sign_flip([-d for d in both]), rel=1e-12)
    assert sign_flip(both) >= 0.5


@given(TWO_LEVELS | PARTIAL, st.randoms())
def test_the_order_of_probes_does_not_matter(pairs: Pairs, random: Random) -> None:
    """Another order gives the same p-value."""
    assert drop(*columns(random.sample(pairs, len(pairs)))) == drop(*columns(pairs))


@given(TWO_LEVELS | PARTIAL, CREDITS)
def test_another_probe_that_falls_never_raises_p(pairs: Pairs, score: float) -> None:
    """More falls are more evidence; a probe that stays is none, and one that rises is less."""
    before = drop(*columns(pairs))
    assert drop(*columns([*pairs, (1.0, 0.0)])) <= before * (1 + 1e-9)
    assert drop(*columns([*pairs, (0.0, 1.0)])) >= before * (1 - 1e-9)
    assert drop(*columns([*pairs, (1.0, 1.0)])) == before
    assert sign_flip([*(b - a for a, b in pairs), score - score]) == sign_flip([b - a for a, b in pairs])


def test_scores_without_a_common_step_are_drawn_with_one_added() -> None:
    """+1 in both counts: no estimate is 0, it is the same each time, and in any order."""
    random = Random(5)
    differences = [-random.random() for _ in range(60)] + [0.05 + 0.01 * random.random(), 0.0]
    made = sign_flip(differences)
    assert made == 1 / (DRAWS + 1)
    assert sign_flip(differences[::-1]) == made


def test_what_is_drawn_agrees_with_what_is_counted() -> None:
    """Ten differences without a common step: within four standard errors of all 1,024 assignments."""
    random = Random(8)
    differences = [random.uniform(-1, 0.7) for _ in range(10)]
    exact = enumerated([Fraction(d) for d in differences])
    assert 0.02 < exact < 0.98
    assert sign_flip(differences) == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / DRAWS))


def flip_of(first: Sequence[float], second: Sequence[float]) -> float:
    """Return the sign-flip test of two scores, as `drop` takes them."""
    return sign_flip([b - a for a, b in zip(first, second, strict=False)])


@pytest.mark.parametrize(
    ("test", "first", "second", "message"),
    [
        (drop, [1.0, 0.0], [1.0], "2 and 1 scores are no pairs"),
        (drop, [], [], "no pair of scores"),
        (flip_of, [], [], "no pair of scores"),
        (drop, [1.0, math.nan], [1.0, 0.0], "not finite"),
        (drop, [1.0, 0.0], [1.0, math.inf], "not finite"),
        (flip_of, [1.0, math.nan], [1.0, 0.0], "not finite"),
    ],
)
def test_what_is_no_pair_of_scores_is_refused(
    test: Callable[[Sequence[float], Sequence[float]], float], first: list[float], second: list[float], message: str
) -> None:
    """Other lengths, nothing at all, and NaN for "not judged" raise; none of them is "no change"."""
    with pytest.raises(ValueError, match=message):
        test(first, second)
