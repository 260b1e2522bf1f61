"""Differences between two sets of verdicts on the same probes: every test here is paired."""

import math
from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
from scipy.stats import binomtest

from pytest_membench.stats.intervals import Interval, stratified_mean


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
