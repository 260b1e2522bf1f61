"""Differences between two sets of verdicts on the same probes: every test here is paired."""

import math
from collections.abc import Hashable, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom, binomtest

from pytest_membench.stats.intervals import Interval, stratified_mean

DRAWS = 19_999
"""How many assignments of signs are drawn where they cannot all be counted."""

_SEED = 20260803
_FINEST = 1000
"""The largest denominator of a step: 1/(2r) with r pooled repeats is far coarser."""
_ROUNDING = 1e-9
"""Differences that are closer are equal: a mean of repeats is rounded by the machine."""
_MOST_WORK = 200_000_000
_MOST_CELLS = 2_000_000


class Difference(NamedTuple):
    """The mean of the paired differences `second - first`, in [-1, 1], with its interval."""

    mean: float
    interval: Interval
    pairs: int


class Flips(NamedTuple):
    """How many probes got better and worse, and the two-sided exact McNemar p-value."""

    better: int
    worse: int
    p_value: float


def difference(first: Sequence[float], second: Sequence[float], groups: Sequence[Hashable]) -> Difference:
    """Return the paired difference of two mean scores with a bootstrap interval within each group.

    `first`, `second` and `groups` have one entry a probe, in the same order; probes are resampled
    as pairs, so what both designs find hard or easy cancels. Raises ValueError for other lengths,
    no pair, or a score that is no finite number.
    """
    _require_pairs(first, second)
    gaps = np.asarray(second, dtype=float) - np.asarray(first, dtype=float)
    interval = stratified_mean(gaps.tolist(), groups)
    return Difference(float(gaps.mean()), interval, int(gaps.size))


def mcnemar(first: Sequence[float], second: Sequence[float]) -> Flips:
    """Return the flips between two sets of scores, and McNemar's exact two-sided p-value.

    A flip is any rise or fall of a probe's score. Under the hypothesis of no change each flip is
    as likely up as down (McNemar 1947, doi:10.1007/BF02295996; exact binomial form). Without any
    flip the p-value is 1. Raises ValueError as `difference` does.
    """
    _require_pairs(first, second)
    pairs = list(zip(first, second, strict=True))
    better, worse = sum(b > a for a, b in pairs), sum(b < a for a, b in pairs)
    p_value = float(binomtest(better, better + worse).pvalue) if better + worse else 1.0
    return Flips(better, worse, p_value)


def drop(first: Sequence[float], second: Sequence[float]) -> float:
    """Return the one-sided p-value of scores that fell from `first` to `second`, one entry a probe.

    Where all scores are 0 or 1: exact McNemar, the chance that at least so many of the flips are
    falls where each is as likely a rise (McNemar 1947, doi:10.1007/BF02295996; the one-sided exact
    form as in Fay 2011, "Exact McNemar's test and matching confidence intervals", R package
    exact2x2). Else `sign_flip` of the differences, which is the same number where both apply.
    Without any change the p-value is 1. Raises ValueError as `difference` does.
    """
    _require_pairs(first, second)
    if {*first, *second} <= {0.0, 1.0}:
        worse = sum(b < a for a, b in zip(first, second, strict=True))
        flips = sum(b != a for a, b in zip(first, second, strict=True))
        return float(binom.sf(worse - 1, flips, 0.5))
    return sign_flip([b - a for a, b in zip(first, second, strict=True)])


def least_p(right: Sequence[float]) -> float:
    """Return the smallest p-value that `drop` can reach from these first scores: all that is right is lost.

    It is 2^-(probes with a score above 0) for both tests: whatever the size of the falls, of all
    assignments of signs this one alone is as extreme, and a rise of another probe only adds some.
    """
    return 0.5 ** sum(score > 0 for score in right)


def sign_flip(differences: Sequence[float]) -> float:
    """Return the one-sided p-value of the sign-flip permutation test: the mean difference is below 0.

    Under the hypothesis of no change each difference, one a probe, is as likely to have either sign
    (Fisher 1935, The Design of Experiments, section 21). Differences of 0 drop out, and a sum equal
    to the observed one counts as at least as extreme. Differences that are multiples of one step
    (0.5, or 1/(2r) with r pooled repeats) are counted in steps, and the p-value is exact: a dynamic
    programme over the sums (as Pagano and Tritchler 1983, J. Am. Stat. Assoc. 78, 435-440). Where
    there is no such step, or it is so small that the sums are too many, `DRAWS` seeded draws of the
    signs estimate it, with one added to both counts (Phipson and Smyth 2010,
    doi:10.2202/1544-6115.1585). Raises ValueError for no difference, or one that is not finite.
    """
    if not len(differences):
        raise ValueError("sign_flip([]): no pair of scores, a difference of nothing is unknown")
    if not all(map(math.isfinite, differences)):
        raise ValueError("sign_flip: a difference is not finite; leave out what was not judged")
    steps = [step for step in _in_steps(differences) if step]
    sizes, risen = sorted(map(abs, steps)), sum(step for step in steps if step > 0)
    if len(sizes) * risen <= _MOST_WORK:
        return _exact(sizes, risen)
    return _drawn(np.array(sizes, dtype=float), risen)


def _in_steps(differences: Sequence[float]) -> list[int]:
    """Return the differences as whole numbers of their common step; of a billionth, where they have none."""
    near = {d: Fraction(d).limit_denominator(_FINEST) for d in set(differences)}
    if any(abs(float(share) - d) > _ROUNDING for d, share in near.items()):
        return [round(d / _ROUNDING) for d in differences]
    common = math.lcm(*(share.denominator for share in near.values()))
    return [int(near[d] * common) for d in differences]


def _exact(sizes: Sequence[int], risen: int) -> float:
    """Return the chance that those of `sizes` that get a plus, each with chance 1/2, add up to `risen` or less.

    The sum of the differences is 2 (sum of those that rise) - (sum of all sizes): the order is the same.
    """
    chances = np.zeros(risen + 1)
    chances[0] = 1.0
    for size in sizes:
        halved = chances / 2
        chances = halved.copy()
        chances[size:] += halved[: max(0, risen + 1 - size)]
    return min(1.0, float(chances.sum()))


def _drawn(sizes: NDArray[np.float64], risen: int) -> float:
    """Return the same chance from `DRAWS` draws; whole numbers below 2^53 add up without rounding."""
    generator, count, left = np.random.default_rng(_SEED), 0, DRAWS
    while left:
        rows = min(left, 1 + _MOST_CELLS // sizes.size)
        count += int((generator.integers(0, 2, (rows, sizes.size), dtype=np.bool_) @ sizes <= risen).sum())
        left -= rows
    return (count + 1) / (DRAWS + 1)


def _require_pairs(first: Sequence[float], second: Sequence[float]) -> None:
    if len(first) != len(second):
        raise ValueError(f"{len(first)} and {len(second)} scores are no pairs; give both for each probe")
    if not first:
        raise ValueError("no pair of scores: a difference of nothing is unknown")
    if not all(map(math.isfinite, [*first, *second])):
        raise ValueError("a score is not finite; leave out what was not judged")


def holm(p_values: Sequence[float]) -> list[float]:
    """Return the p-values adjusted by Holm's step-down method, in the order given.

    Holm (1979), doi:10.2307/4615733. Raises ValueError for what is no p-value.
    """
    if not all(0 <= p <= 1 for p in p_values):
        raise ValueError(f"holm({list(p_values)}): p-values lie between 0 and 1")
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    adjusted, highest = [0.0] * len(p_values), 0.0
    for rank, i in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[i]))
        adjusted[i] = highest
    return adjusted
