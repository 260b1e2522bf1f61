"""Intervals for shares and for mean scores."""

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
from statsmodels.stats.proportion import proportion_confint

RESAMPLES = 10_000
_SEED = 20260803


class Interval(NamedTuple):
    """A two-sided interval, in the unit of what it is about."""

    low: float
    high: float


def wilson(successes: float, trials: int, confidence: float = 0.95) -> Interval:
    """Return the Wilson score interval of a share, each end in [0, 1].

    Wilson (1927), doi:10.1080/01621459.1927.10502953, without continuity correction. Raises
    ValueError for no trials: a share of nothing is unknown.
    """
    if trials < 1:
        raise ValueError("wilson(trials=0): a share of nothing is unknown")
    if not 0 <= successes <= trials:
        raise ValueError(f"wilson(successes={successes}, trials={trials}): 0 to {trials} successes are possible")
    low, high = proportion_confint(successes, trials, alpha=1 - confidence, method="wilson")
    return Interval(float(low), float(high))


def stratified_mean(
    values: Sequence[float],
    groups: Sequence[Hashable],
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
) -> Interval:
    """Return the percentile bootstrap interval of the mean of `values`, resampled within each group.

    `values` and `groups` have one entry a probe; the groups (people) are fixed, so the interval
    speaks for this suite and not for other people. Efron and Tibshirani (1993), chapter 13. Values
    that are all equal give an interval without width; see `score`.
    """
    data = np.asarray(values, dtype=float)
    if data.size == 0:
        raise ValueError("stratified_mean(values=[]): a mean of nothing is unknown")
    if not np.isfinite(data).all():
        raise ValueError("stratified_mean: a value is not finite; leave out what was not judged")
    means = _resampled_sums(data, list(groups), resamples) / data.size
    tail = (1 - confidence) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    return Interval(float(low), float(high))


def _resampled_sums(data: "np.ndarray", groups: Sequence[Hashable], resamples: int) -> "np.ndarray":
    """Return the sum of each resample; the order of groups and values does not matter."""
    if len(groups) != data.size:
        raise ValueError(f"{data.size} values need as many groups, not {len(groups)}")
    generator = np.random.default_rng(_SEED)
    sums = np.zeros(resamples)
    for group in sorted(set(groups), key=str):
        members = np.sort(data[[g == group for g in groups]])
        picks = generator.integers(0, members.size, (resamples, members.size))
        sums += members[picks].sum(axis=1)
    return sums


def score(values: Sequence[float], groups: Sequence[Hashable], confidence: float = 0.95) -> Interval:
    """Return the interval of a mean score in [0, 1]: Wilson for a share, else bootstrap within groups.

    A share has values 0 and 1 alone. Equal values of partial credit, of which a bootstrap has no
    width, are taken as that share of the trials.
    """
    if len(groups) != len(values):
        raise ValueError(f"{len(values)} values need as many groups, not {len(groups)}")
    distinct = set(values)
    if distinct <= {0.0, 1.0} or len(distinct) == 1:
        return wilson(sum(values), len(values), confidence)
    return stratified_mean(values, groups, confidence)
