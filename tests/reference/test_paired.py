"""Paired differences against statsmodels, SciPy, published examples, and every resample counted out."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import pytest
from scipy.stats import binomtest
from statsmodels.stats.contingency_tables import mcnemar as reference_mcnemar
from statsmodels.stats.multitest import multipletests

from pytest_membench.stats.paired import difference, holm, mcnemar


def scores(both: int, worse: int, better: int, neither: int) -> tuple[list[float], list[float]]:
    """Return right-or-wrong scores with these numbers of pairs (right-right, right-wrong, wrong-right, wrong-wrong)."""
    pairs = [(1.0, 1.0)] * both + [(1.0, 0.0)] * worse + [(0.0, 1.0)] * better + [(0.0, 0.0)] * neither
    return [a for a, _ in pairs], [b for _, b in pairs]


@pytest.mark.parametrize(
    "table",
    [(10, 3, 9, 4), (20, 0, 6, 2), (1, 1, 0, 0), (30, 12, 12, 5), (0, 15, 1, 0), (5, 0, 1, 5), (101, 59, 33, 7)],
)
def test_mcnemar_of_statsmodels(table: tuple[int, int, int, int]) -> None:
    """statsmodels.stats.contingency_tables.mcnemar([[both, worse], [better, neither]], exact=True)."""
    both, worse, better, neither = table
    expected = reference_mcnemar([[both, worse], [better, neither]], exact=True).pvalue
    made = mcnemar(*scores(*table))
    assert (made.better, made.worse) == (better, worse)
    assert made.p_value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("better", "worse", "numerator", "denominator"),
    [(5, 0, 2, 32), (6, 0, 2, 64), (8, 2, 2 * (1 + 10 + 45), 1024), (1, 1, 1, 1)],
)
def test_mcnemar_by_hand(better: int, worse: int, numerator: int, denominator: int) -> None:
    """Twice the tail of fair coins: five of five is 2/32, eight of ten 2 (1 + 10 + 45) / 1024."""
    assert mcnemar(*scores(3, worse, better, 3)).p_value == pytest.approx(numerator / denominator)


def test_partial_credit_counts_as_a_flip_in_its_direction() -> None:
    """SciPy: binomtest(3, 4) for three rises, one fall and one pair that stayed, whatever their size."""
    made = mcnemar([0.0, 0.5, 0.0, 1.0, 0.5], [0.5, 1.0, 1.0, 0.5, 0.5])
    assert (made.better, made.worse) == (3, 1)
    assert made.p_value == pytest.approx(binomtest(3, 4).pvalue)


@pytest.mark.parametrize(
    "p_values",
    [
        [0.01, 0.04, 0.03, 0.005],
        [0.001, 0.8, 0.8, 0.02, 0.02, 0.5, 1.0, 0.3],
        [0.9],
        [0.04, 0.04],
        [0.0, 1.0, 0.00001],
    ],
)
def test_holm_of_statsmodels(p_values: list[float]) -> None:
    """statsmodels.stats.multitest.multipletests(p_values, method="holm")[1]."""
    assert holm(p_values) == pytest.approx(multipletests(p_values, method="holm")[1].tolist(), abs=1e-12)


def test_holm_by_hand() -> None:
    """0.005 x 4, 0.01 x 3, 0.03 x 2, and 0.04 x 1 raised to the one before it."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


GAPS = [0.5, 0.5, 1.0, 0.0, 0.0, -0.5, 0.0, 1.0]
"""Differences of eight probes; half points, so that all their means are exact."""


def resampled_means(groups: Sequence[Sequence[float]]) -> Counter[Fraction]:
    """Return how many of all resamples within each group have which mean: each counted, none drawn."""
    sums: Counter[Fraction] = Counter({Fraction(0): 1})
    for group in groups:
        for _ in group:
            step: Counter[Fraction] = Counter()
            for (total, ways), value in product(sums.items(), group):
                step[total + Fraction(value)] += ways
            sums = step
    size = sum(map(len, groups))
    return Counter({total / size: ways for total, ways in sums.items()})


def quantile(means: Counter[Fraction], share: Fraction) -> float:
    """Return the smallest mean that at least this share of the resamples do not exceed."""
    target, seen = share * means.total(), 0
    for mean in sorted(means):
        seen += means[mean]
        if seen >= target:
            return float(mean)
    raise AssertionError("a share above 1")


@pytest.mark.parametrize("sizes", [(8,), (4, 4), (2, 6)])
def test_the_bootstrap_of_all_resamples(sizes: tuple[int, ...]) -> None:
    """8^8 (or 4^4 x 4^4, or 2^2 x 6^6) resamples counted out: the drawn interval is at most one step off."""
    starts = [sum(sizes[:n]) for n in range(len(sizes))]
    groups = [GAPS[start : start + size] for start, size in zip(starts, sizes, strict=True)]
    means = resampled_means(groups)
    expected = quantile(means, Fraction(25, 1000)), quantile(means, Fraction(975, 1000))
    first = [0.0 if gap >= 0 else 0.5 for gap in GAPS]
    second = [a + gap for a, gap in zip(first, GAPS, strict=True)]
    people = [name for name, size in zip("abc", sizes, strict=False) for _ in range(size)]
    made = difference(first, second, people)
    assert made.mean == 2.5 / 8
    assert made.interval == pytest.approx(expected, abs=0.5 / 8 + 1e-12)


def test_three_pairs_by_hand() -> None:
    """Gaps 1, 0 and -1: one resample of 27 (3.7%) is all 1, one all -1, so 95% reaches from -1 to 1."""
    made = difference([0.0, 0.5, 1.0], [1.0, 0.5, 0.0], ["maya"] * 3)
    assert (made.mean, made.interval) == (0.0, (-1.0, 1.0))
