"""Kappa and its interval against statsmodels, published tables, and tables counted out by hand."""

import numpy as np
import pytest
from statsmodels.stats.inter_rater import cohens_kappa

from pytest_membench.stats.agreement import Weights, kappa

DIAGNOSES = [[75, 1, 4], [5, 4, 1], [0, 0, 10]]
"""100 patients, two raters: Fleiss, Levin and Paik (2003), Statistical Methods for Rates and Proportions, chapter 18."""
TABLES = [
    DIAGNOSES,
    [[20, 5], [10, 15]],
    [[0, 4, 1], [0, 8, 0], [0, 1, 5]],
    [[3, 0, 9], [2, 5, 1], [8, 1, 2]],
    [[11, 2, 0, 1], [1, 7, 3, 0], [0, 2, 9, 2], [1, 0, 4, 30]],
]


@pytest.mark.parametrize("weights", [None, "linear"])
@pytest.mark.parametrize("table", TABLES)
def test_kappa_of_statsmodels(table: list[list[int]], weights: Weights) -> None:
    """statsmodels.stats.inter_rater.cohens_kappa(table, wt=None or "linear"): value and both ends of the interval."""
    expected = cohens_kappa(np.array(table), wt=weights)
    made = kappa(table, weights)
    assert made.value == pytest.approx(expected.kappa, abs=1e-12)
    assert made.interval == pytest.approx((expected.kappa_low, expected.kappa_upp), abs=1e-9)
    assert made.n == np.sum(table)


def test_the_published_table_of_diagnoses() -> None:
    """The book gives kappa 0.68 for its Table 18.1."""
    made = kappa(DIAGNOSES)
    assert made.value is not None
    assert round(made.value, 2) == 0.68


@pytest.mark.parametrize(
    ("table", "value"),
    [
        ([[20, 5], [10, 15]], (0.7 - 0.5) / (1 - 0.5)),
        ([[45, 15], [25, 15]], (0.60 - 0.54) / (1 - 0.54)),
        ([[25, 35], [5, 35]], (0.60 - 0.46) / (1 - 0.46)),
    ],
)
def test_kappa_by_hand(table: list[list[int]], value: float) -> None:
    """Observed less chance agreement over what chance leaves: 35 of 50 agree where chance makes 25, and so on."""
    assert kappa(table).value == pytest.approx(value)


def test_linear_weights_by_hand() -> None:
    """Two of four items are equal, one is a step off and one two steps: (2 + 1/2) / 4, and chance from the sums."""
    table = [[1, 1, 0], [0, 0, 0], [1, 0, 1]]
    rows, columns = (0.5, 0.0, 0.5), (0.5, 0.25, 0.25)
    chance = sum(r * c * (1 - abs(i - j) / 2) for i, r in enumerate(rows) for j, c in enumerate(columns))
    assert kappa(table, "linear").value == pytest.approx((2.5 / 4 - chance) / (1 - chance))


def test_the_interval_covers_as_often_as_it_says() -> None:
    """95% intervals of 1,000 samples of 124 from a known table hold its kappa in 92 to 98 of 100."""
    shares = np.array([[0.27, 0.04, 0.02], [0.05, 0.18, 0.05], [0.03, 0.05, 0.31]])
    truth = cohens_kappa(shares).kappa
    samples = np.random.default_rng(7).multinomial(124, shares.ravel(), 1000)
    intervals = [kappa(sample.reshape(3, 3).tolist()).interval for sample in samples]
    held = sum(one is not None and one.low <= truth <= one.high for one in intervals)
    assert 920 <= held <= 980
