"""The tables of "Total Recall at What Cost?" (arXiv 2608.11879), recomputed; the literals are copied from it."""

import pytest

from pytest_membench.data import Cell
from pytest_membench.stats.breakeven import Turn, break_even, words
from pytest_membench.stats.costmodel import HeldOut, gamma, per_correct, verdict, zeta

PER_CORRECT = [
    # table, system, setting, accuracy, USD per conversation, USD per correct answer
    (3, "mem0", "gpt-oss-20b/low", 0.322, 0.059, 0.183),
    (3, "mem0", "gpt-oss-20b/medium", 0.214, 0.065, 0.305),
    (3, "mem0", "gemma-4-26b-a4b/low", 0.498, 0.019, 0.038),
    (3, "mem0", "gemma-4-26b-a4b/medium", 0.516, 0.019, 0.037),
    (3, "mastra_om", "gpt-oss-20b/low", 0.361, 0.010, 0.028),
    (3, "mastra_om", "gpt-oss-20b/medium", 0.308, 0.044, 0.143),
    (3, "mastra_om", "gemma-4-26b-a4b/low", 0.429, 0.030, 0.070),
    (3, "mastra_om", "gemma-4-26b-a4b/medium", 0.502, 0.031, 0.062),
    (3, "hindsight", "gpt-oss-20b/low", 0.528, 0.240, 0.455),
    (3, "hindsight", "gpt-oss-20b/medium", 0.541, 0.243, 0.450),
    (3, "hindsight", "gemma-4-26b-a4b/low", 0.493, 0.051, 0.104),
    (3, "hindsight", "gemma-4-26b-a4b/medium", 0.498, 0.052, 0.104),
    (4, "mem0", "gpt-oss-20b/low", 0.322, 0.435, 1.350),
    (4, "mem0", "gpt-oss-20b/medium", 0.214, 0.469, 2.190),
    (4, "mem0", "gemma-4-26b-a4b/low", 0.498, 0.169, 0.339),
    (4, "mem0", "gemma-4-26b-a4b/medium", 0.516, 0.167, 0.325),
    (4, "mastra_om", "gpt-oss-20b/low", 0.361, 0.100, 0.278),
    (4, "mastra_om", "gpt-oss-20b/medium", 0.308, 0.301, 0.979),
    (4, "mastra_om", "gemma-4-26b-a4b/low", 0.429, 0.330, 0.768),
    (4, "mastra_om", "gemma-4-26b-a4b/medium", 0.502, 0.344, 0.684),
    (4, "hindsight", "gpt-oss-20b/low", 0.528, 0.822, 1.557),
    (4, "hindsight", "gpt-oss-20b/medium", 0.541, 0.869, 1.607),
    (4, "hindsight", "gemma-4-26b-a4b/low", 0.493, 0.268, 0.543),
    (4, "hindsight", "gemma-4-26b-a4b/medium", 0.498, 0.270, 0.542),
]

HELD_OUT = [
    # system, setting, MAPE, max APE
    ("full_history", "gemma-4-26b-a4b/low", 0.029, 0.089),
    ("full_history", "gemma-4-26b-a4b/medium", 0.030, 0.089),
    ("full_history", "gpt-oss-20b/low", 0.053, 0.145),
    ("full_history", "gpt-oss-20b/medium", 0.053, 0.145),
    ("rolling_window", "gemma-4-26b-a4b/low", 0.062, 0.148),
    ("rolling_window", "gemma-4-26b-a4b/medium", 0.061, 0.142),
    ("rolling_window", "gpt-oss-20b/low", 0.065, 0.128),
    ("rolling_window", "gpt-oss-20b/medium", 0.065, 0.128),
    ("mem0", "gemma-4-26b-a4b/low", 0.184, 0.244),
    ("mem0", "gemma-4-26b-a4b/medium", 0.185, 0.254),
    ("mem0", "gpt-oss-20b/low", 0.222, 0.282),
    ("mem0", "gpt-oss-20b/medium", 0.200, 0.243),
    ("hindsight", "gemma-4-26b-a4b/low", 0.477, 0.555),
    ("hindsight", "gemma-4-26b-a4b/medium", 0.478, 0.558),
    ("hindsight", "gpt-oss-20b/low", 0.476, 0.569),
    ("hindsight", "gpt-oss-20b/medium", 0.461, 0.570),
    ("mastra_om", "gemma-4-26b-a4b/low", 0.408, 0.820),
    ("mastra_om", "gemma-4-26b-a4b/medium", 0.685, 1.918),
    ("mastra_om", "gpt-oss-20b/low", 0.477, 0.864),
    ("mastra_om", "gpt-oss-20b/medium", 0.565, 1.596),
]

BREAK_EVEN: list[tuple[str, str, Turn, Turn, Turn]] = [
    # setting, cell, mem0, hindsight, mastra_om; 0 is printed as "immediate"
    ("gemma-4-26b-a4b/low", "100x100", 10, "never", 54),
    ("gemma-4-26b-a4b/low", "400x50", 23, 223, 86),
    ("gemma-4-26b-a4b/low", "400x200", 0, 60, 50),
    ("gemma-4-26b-a4b/medium", "100x100", 0, "never", 54),
    ("gemma-4-26b-a4b/medium", "400x50", 21, 224, 73),
    ("gemma-4-26b-a4b/medium", "400x200", 0, 61, 68),
    ("gpt-oss-20b/low", "100x100", 82, "never", 0),
    ("gpt-oss-20b/low", "400x50", 260, "never", 0),
    ("gpt-oss-20b/low", "400x200", 82, 356, 0),
    ("gpt-oss-20b/medium", "100x100", "never", "never", 13),
    ("gpt-oss-20b/medium", "400x50", 342, "never", 62),
    ("gpt-oss-20b/medium", "400x200", 40, "never", 28),
]


@pytest.mark.parametrize(("table", "system", "setting", "accuracy", "cost_usd", "wanted"), PER_CORRECT)
def test_the_costs_per_correct_answer(
    table: int, system: str, setting: str, accuracy: float, cost_usd: float, wanted: float
) -> None:
    """Tables 3 and 4: a conversation's cost before it was rounded / the accuracy as printed.

    The figure printed has to lie between those of the least and the greatest cost that round to the
    one printed. With the accuracy as a share of 665 questions, unrounded, four rows of table 4 miss.
    """
    low, high = per_correct(cost_usd - 0.0005, accuracy), per_correct(cost_usd + 0.0005, accuracy)
    assert low is not None
    assert high is not None
    assert low - 0.0005 <= wanted <= high + 0.0005, f"table {table}, {system}, {setting}"


def test_all_rows_of_the_joint_tables_are_here() -> None:
    """24 rows: three systems, four settings, two cells."""
    assert len({row[:3] for row in PER_CORRECT}) == 24


@pytest.mark.parametrize(("system", "setting", "mape", "max_ape"), HELD_OUT)
def test_the_verdict_on_the_fits_of_the_paper(system: str, setting: str, mape: float, max_ape: float) -> None:
    """Table 6: the two reference strategies are predicted by content, the three memory systems are not."""
    said = verdict(HeldOut(mape, max_ape, Cell(400, 200), 8))
    assert ("must not be extrapolated" in said) == (system not in {"full_history", "rolling_window"}), setting


@pytest.mark.parametrize(("setting", "cell", "mem0", "hindsight", "mastra_om"), BREAK_EVEN)
def test_the_words_of_the_break_even_table(
    setting: str, cell: str, mem0: Turn, hindsight: Turn, mastra_om: Turn
) -> None:
    """Table 8: each entry is a turn of its cell, immediate or never, and a curve that crosses there says it again.

    Against a reference of 1 a turn, a design that pays k at once and nothing later is at k against
    t + 1: below from turn k on, and never in N turns where it pays N + 1.
    """
    turns = int(cell.partition("x")[0])
    for turn in (mem0, hindsight, mastra_om):
        at_once = turns + 1 if turn == "never" else turn
        assert at_once is not None
        made = break_even({0: [at_once] + [0] * (turns - 1)}, {0: [1] * turns})
        assert made.turn == turn, setting
        assert words(made.turn) == ("never" if turn == "never" else "immediate" if turn == 0 else f"turn {turn}")


def test_the_words_of_the_table_are_three() -> None:
    """Table 8 has 36 entries: 6 are immediate, 8 never, 22 a turn."""
    said = [words(turn).split()[0] for row in BREAK_EVEN for turn in row[2:]]
    assert {word: said.count(word) for word in sorted(set(said))} == {"immediate": 6, "never": 8, "turn": 22}


def test_a_zeta_of_zero_is_not_an_unknown_one() -> None:
    """Table 7: gemma's mem0 answers with a zeta of 0.0, Hindsight's ingest has none that is known."""
    assert zeta(0, 1000) == 0.0
    assert zeta(None, 1000) is None
    assert gamma(127, 100) == 1.27
