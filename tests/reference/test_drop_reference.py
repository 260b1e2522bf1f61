"""The one-sided tests against SciPy's, and power against published figures."""

import numpy as np
import pytest
from scipy.stats import binomtest, permutation_test

from pytest_membench.stats.paired import drop, sign_flip
from pytest_membench.stats.power import power


@pytest.mark.parametrize(("worse", "better"), [(0, 0), (5, 0), (0, 5), (8, 2), (2, 8), (15, 15), (59, 33), (700, 620)])
def test_drop_of_scipy(worse: int, better: int) -> None:
    """scipy.stats.binomtest(worse, worse + better, alternative="greater"); without a flip 1."""
    first = [1.0] * worse + [0.0] * better + [1.0, 0.0]
    second = [0.0] * worse + [1.0] * better + [1.0, 0.0]
    expected = binomtest(worse, worse + better, alternative="greater").pvalue if worse + better else 1.0
    assert drop(first, second) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    "differences",
    [
        [-0.5, -1.0, 0.5, -0.5, 0.0, -1.0],
        [0.5, 1.0, -0.5, 0.0, 1.0, 1.0, -1.0],
        [-0.25, -0.75, 0.5, 0.25, -1.0, -0.5, -0.25, 0.75, -0.25, 0.0],
        [-0.5] * 9,
    ],
)
def test_sign_flip_of_scipy(differences: list[float]) -> None:
    """scipy.stats.permutation_test((d,), mean, permutation_type="samples", alternative="less"), every permutation.

    SciPy flips the signs of zeros too, which changes no share.
    """
    reference = permutation_test(
        (np.array(differences),),
        lambda x, axis: np.sum(x, axis=axis),
        permutation_type="samples",
        alternative="less",
        n_resamples=np.inf,
        vectorized=True,
    )
    assert sign_flip(differences) == pytest.approx(reference.pvalue, abs=1e-12)
    second = [0.5 + d / 2 for d in differences]
    assert drop([0.5] * len(second), second) == pytest.approx(reference.pvalue, abs=1e-12)


def test_sign_flip_of_fishers_darwin_data() -> None:
    """Fisher (1935), The Design of Experiments, section 21: Darwin's 15 pairs of maize, in eighths of an inch.

    863 of the 2^15 assignments have a sum as large as the one observed or larger: 835 larger, 28 equal.
    """
    eighths = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
    assert sign_flip([-d / 8 for d in eighths]) == 863 / 2**15


def test_power_where_every_probe_flips_is_that_of_a_binomial_test() -> None:
    """All of 20 probes flip, and fall with 0.8: 15 falls have p = 0.0207, 14 have 0.0577; so P(Bin(20, 0.8) >= 15).

    0.8042 is in tables of the binomial distribution (n = 20, p = 0.2: P(X <= 5)).
    """
    assert power(20, 0.6, sd=0.8) == pytest.approx(0.8042, abs=5e-5)
