"""How far two raters agree beyond chance: Cohen's kappa over the same items."""

from collections.abc import Hashable, Sequence
from typing import Literal, NamedTuple

import numpy as np
from scipy.stats import norm

from pytest_membench.stats.intervals import Interval

Weights = Literal["linear"] | None


class Kappa(NamedTuple):
    """Cohen's kappa, in [-1, 1], and its interval; None where it is not defined.

    `value` is None where both raters gave every item one and the same label: chance alone would
    agree as much. `interval` is None there too, and where the estimated standard error is 0
    (perfect agreement, or a rater with one label): an interval without width would claim certainty.
    """

    value: float | None
    interval: Interval | None
    n: int


def confusion(first: Sequence[Hashable], second: Sequence[Hashable], labels: Sequence[Hashable]) -> list[list[int]]:
    """Return how often the first rater gave label i where the second gave label j.

    `first` and `second` have one label an item; rows and columns stand in the order of `labels`.
    Raises ValueError for other lengths or a label that is none of `labels`.
    """
    if len(first) != len(second):
        raise ValueError(f"{len(first)} and {len(second)} labels are no pairs; give both for each item")
    places = {label: place for place, label in enumerate(labels)}
    strange = sorted({str(label) for label in [*first, *second] if label not in places})
    if strange:
        raise ValueError(f"labels {', '.join(strange)}: {', '.join(map(str, labels))} are possible")
    table = [[0] * len(labels) for _ in labels]
    for a, b in zip(first, second, strict=True):
        table[places[a]][places[b]] += 1
    return table


def kappa(table: Sequence[Sequence[int]], weights: Weights = None, confidence: float = 0.95) -> Kappa:
    """Return Cohen's kappa of a square table of counts, with its asymptotic interval.

    Without `weights`, only equal labels agree (Cohen 1960, doi:10.1177/001316446002000104); with
    "linear", labels i and j of k ordered ones agree by 1 - |i - j| / (k - 1) (Cohen 1968,
    doi:10.1037/h0026256). The standard error is that of Fleiss, Cohen and Everitt (1969),
    doi:10.1037/h0028106; the interval is normal, cut to [-1, 1], and rough below some 20 items.
    Raises ValueError for a table that is not square, has one label, holds a negative count, or no item.
    """
    counts = np.asarray(table, dtype=float)
    _require_square(counts)
    shares = counts / counts.sum()
    agree = _weights(len(counts), weights)
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    observed, chance = float((agree * shares).sum()), float(rows @ agree @ columns)
    n = int(counts.sum())
    if np.isclose(chance, 1.0, atol=1e-12):
        return Kappa(None, None, n)
    value = (observed - chance) / (1 - chance)
    # The mean agreement of each label with what the other rater gives, as a sum over rows and columns.
    means = (agree @ columns)[:, None] + (rows @ agree)[None, :]
    spread = float((shares * (agree - means * (1 - value)) ** 2).sum()) - (value - chance * (1 - value)) ** 2
    if spread < 1e-12:
        return Kappa(value, None, n)
    half = float(norm.ppf(0.5 + confidence / 2)) * float(np.sqrt(spread / n)) / (1 - chance)
    return Kappa(value, Interval(max(-1.0, value - half), min(1.0, value + half)), n)


def _weights(size: int, weights: Weights) -> "np.ndarray":
    if weights is None:
        return np.eye(size)
    places = np.arange(size)
    agree: np.ndarray = 1 - np.abs(places[:, None] - places[None, :]) / (size - 1)
    return agree


def _require_square(counts: "np.ndarray") -> None:
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1] or len(counts) < 2:
        raise ValueError(f"a table of shape {counts.shape}: as many rows as columns are wanted, two at least")
    if not np.isfinite(counts).all() or (counts < 0).any():
        raise ValueError("a table of counts holds none below 0")
    if counts.sum() == 0:
        raise ValueError("a table without items: agreement on nothing is unknown")
