"""Intervals against published tables and other programs; each value names where it is from."""

import pytest

from pytest_membench.stats.intervals import score, stratified_mean, wilson

PAPER = [
    # table, system, setting, accuracy, lower, upper; 665 questions each
    (3, "mem0", "gpt-oss-20b/low", 0.322, 0.287, 0.358),
    (3, "mem0", "gpt-oss-20b/medium", 0.214, 0.184, 0.246),
    (3, "mem0", "gemma-4-26b-a4b/low", 0.498, 0.460, 0.536),
    (3, "mem0", "gemma-4-26b-a4b/medium", 0.516, 0.478, 0.554),
    (3, "mastra_om", "gpt-oss-20b/low", 0.361, 0.325, 0.398),
    (3, "mastra_om", "gpt-oss-20b/medium", 0.308, 0.274, 0.344),
    (3, "mastra_om", "gemma-4-26b-a4b/low", 0.429, 0.391, 0.466),
    (3, "mastra_om", "gemma-4-26b-a4b/medium", 0.502, 0.464, 0.540),
    (3, "hindsight", "gpt-oss-20b/low", 0.528, 0.490, 0.565),
    (3, "hindsight", "gpt-oss-20b/medium", 0.541, 0.503, 0.579),
    (3, "hindsight", "gemma-4-26b-a4b/low", 0.493, 0.455, 0.531),
    (3, "hindsight", "gemma-4-26b-a4b/medium", 0.498, 0.460, 0.536),
    (4, "mem0", "gpt-oss-20b/low", 0.322, 0.287, 0.358),
    (4, "mem0", "gpt-oss-20b/medium", 0.214, 0.184, 0.246),
    (4, "mem0", "gemma-4-26b-a4b/low", 0.498, 0.460, 0.536),
    (4, "mem0", "gemma-4-26b-a4b/medium", 0.516, 0.478, 0.554),
    (4, "mastra_om", "gpt-oss-20b/low", 0.361, 0.325, 0.398),
    (4, "mastra_om", "gpt-oss-20b/medium", 0.308, 0.274, 0.344),
    (4, "mastra_om", "gemma-4-26b-a4b/low", 0.429, 0.391, 0.466),
    (4, "mastra_om", "gemma-4-26b-a4b/medium", 0.502, 0.464, 0.540),
    (4, "hindsight", "gpt-oss-20b/low", 0.528, 0.490, 0.565),
    (4, "hindsight", "gpt-oss-20b/medium", 0.541, 0.503, 0.579),
    (4, "hindsight", "gemma-4-26b-a4b/low", 0.493, 0.455, 0.531),
    (4, "hindsight", "gemma-4-26b-a4b/medium", 0.498, 0.460, 0.536),
]


@pytest.mark.parametrize(("table", "system", "setting", "accuracy", "low", "high"), PAPER)
def test_the_intervals_of_total_recall(
    table: int, system: str, setting: str, accuracy: float, low: float, high: float
) -> None:
    """Tables 3 and 4 of "Total Recall at What Cost?" (arXiv 2608.11879): Wilson, 665 questions."""
    where = f"table {table}, {system}, {setting}"
    made = wilson(round(accuracy * 665), 665)
    assert (round(made.low, 3), round(made.high, 3)) == (low, high), where


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0000, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_the_intervals_of_newcombe(successes: int, trials: int, low: float, high: float) -> None:
    """Newcombe (1998), Statistics in Medicine 17, 857-872, table I, method 3: score without correction."""
    assert wilson(successes, trials) == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize(
    ("successes", "trials", "confidence", "low", "high"),
    [
        (4, 6, 0.95, 0.299993315138392, 0.9032285888942195),
        (0, 10, 0.95, 0.0, 0.27753279986288926),
        (10, 10, 0.95, 0.7224672001371109, 1.0),
        (1, 1, 0.95, 0.20654931437723745, 1.0),
        (37, 48, 0.95, 0.6346073590999655, 0.8669217373308875),
        (9, 24, 0.90, 0.23305153214508623, 0.5422760132271509),
    ],
)
def test_the_intervals_of_scipy(successes: int, trials: int, confidence: float, low: float, high: float) -> None:
    """SciPy 1.17: binomtest(successes, trials).proportion_ci(confidence, method="wilson")."""
    assert wilson(successes, trials, confidence) == pytest.approx((low, high), abs=1e-12)


def test_six_answers_of_which_four_are_right() -> None:
    """Wilson of 4 in 6, as SciPy's binomtest(4, 6).proportion_ci(method="wilson") rounds: 0.300 to 0.903."""
    made = score([1, 1, 0, 1, 0, 1], ["maya"] * 3 + ["tom"] * 3)
    assert (round(made.low, 3), round(made.high, 3)) == (0.300, 0.903)


VALUES = [0.0, 0.5, 1.0, 1.0, 0.5, 0.0, 1.0, 1.0, 0.5, 1.0, 0.0, 1.0]
"""Twelve probes with partial credit; the mean is 0.625."""


def test_the_bootstrap_of_scipy() -> None:
    """SciPy 1.17: bootstrap((VALUES,), np.mean, n_resamples=200_000, method="percentile", rng=1)."""
    made = stratified_mean(VALUES, ["maya"] * 12)
    assert made == pytest.approx((0.3750, 0.8333), abs=0.02)


def test_the_bootstrap_within_people_of_scipy() -> None:
    """SciPy 1.17: bootstrap((VALUES[:4], VALUES[4:]), lambda a, b, axis: (a.sum(axis) + b.sum(axis)) / 12, ... rng=1).

    With n_resamples=200_000 and method="percentile": several samples are resampled each by itself.
    """
    made = stratified_mean(VALUES, ["maya"] * 4 + ["tom"] * 8)
    assert made == pytest.approx((0.3750, 0.8333), abs=0.02)
