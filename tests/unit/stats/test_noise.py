"""The noise of a score: against NumPy, by simulation, and at its edges."""

from statistics import fmean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_membench.stats.noise import of_answers, of_score

SCORES = st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=2, max_size=8)


@given(scores=SCORES)
def test_mean_and_variance_are_numpys(scores: list[float]) -> None:
    """The variance is the sample variance; a question flips if and only if its variance is not 0."""
    found = of_answers(scores)
    assert found.mean == pytest.approx(np.mean(scores))
    assert found.variance == pytest.approx(np.var(scores, ddof=1))
    assert found.flips is not None
    assert (found.flips > 0) == (len(set(scores)) > 1)


@given(scores=SCORES)
def test_two_levels_flip_twice_their_variance(scores: list[float]) -> None:
    """For right or wrong alone the chance of a flip is 2 p (1 - p), twice the variance of one answer."""
    found = of_answers([float(score > 0) for score in scores])
    assert found.variance is not None
    assert found.flips == pytest.approx(2 * found.variance)


def test_one_answer_says_nothing_of_chance() -> None:
    """Unknown, not 0; and so is the noise of a score that holds such a question."""
    once = of_answers([1.0])
    assert tuple(once) == (1.0, None, None)
    assert of_score([once, of_answers([1.0, 1.0])]) is None
    assert of_score([]) is None
    with pytest.raises(ValueError, match="no score"):
        of_answers([])


def test_the_noise_is_what_repeated_sessions_show() -> None:
    """Over simulated sessions the estimate from three answers a question is right on average."""
    rng = np.random.default_rng(7)
    chances = rng.beta(1, 1, size=60)
    scores = (rng.random((4000, 60)) < chances).mean(axis=1)
    estimates = []
    for _ in range(200):
        answers = rng.random((60, 3)) < chances[:, None]
        found = of_score([of_answers([float(a) for a in row]) for row in answers])
        assert found is not None
        estimates.append(found)
    assert fmean(one.sd**2 for one in estimates) == pytest.approx(scores.var(), rel=0.06)
    assert fmean(one.flips for one in estimates) == pytest.approx((2 * chances * (1 - chances)).sum(), rel=0.06)
