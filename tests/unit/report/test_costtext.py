"""The tables of serving cost: what is unknown or not measured shows as that, never as a number."""

from typing import Any

import pytest

from pytest_membench.report import costtext


def design(**changed: Any) -> dict[str, Any]:
    """A design with two cells; `changed` goes before."""
    point = {"turn": 4, "range": [3, 6], "incomplete": False}
    return {
        "p": 0.61,
        "p_interval": [0.58, 0.64],
        "q": 0.2,
        "q_interval": [0.19, 0.23],
        "r2": 0.8123,
        "r2_one_predictor": 0.44,
        "loocv_mape": 0.12,
        "max_ape": 0.31,
        "worst_cell": "15x50",
        "mechanism_mape": 0.06,
        "gamma": 0.16,
        "runs": 8,
        "cut_short": 0,
        "verdict": "The held-out error is low.",
        "cells": {"100x100": {"input_tokens_per_turn": 1234.56}, "15x200": {"input_tokens_per_turn": 90.0}},
        "break_even": {"100x100": {"tokens": point, "usd": None}, "15x200": {"tokens": None, "usd": None}},
        **changed,
    }


def column(table: list[list[str]], name: str, row: int = 1) -> str:
    """The cell of a table under a heading."""
    return table[row][table[0].index(name)]


def test_a_fit_shows_its_exponents_with_their_intervals() -> None:
    """Two digits for exponents, three for shares, the worst cell with its error."""
    table = costtext.fits({"a": design()})
    assert column(table, "p") == "0.61 (0.58 to 0.64)"
    assert column(table, "q") == "0.20 (0.19 to 0.23)"
    assert (column(table, "R2"), column(table, "held-out error")) == ("0.812", "0.120")
    assert column(table, "worst cell") == "15x50 (0.310)"
    assert (column(table, "mechanism"), column(table, "gamma"), column(table, "runs")) == ("0.060", "0.160", "8")


def test_what_a_fit_does_not_know_is_a_dash() -> None:
    """Every number may be null; an exponent may lack its interval."""
    names = ("p", "p_interval", "q_interval", "r2", "r2_one_predictor", "loocv_mape", "max_ape", "worst_cell")
    table = costtext.fits({"a": design(**dict.fromkeys((*names, "mechanism_mape", "gamma")))})
    assert column(table, "q") == "0.20"
    for name in ("p", "R2", "R2 of N x L", "held-out error", "worst cell", "mechanism", "gamma"):
        assert column(table, name) == "-"


def test_runs_that_were_cut_short_are_told() -> None:
    """Beside the number of runs stands how many of them ended early."""
    assert column(costtext.fits({"a": design(cut_short=3)}), "runs") == "8 (3 cut short)"


def test_tables_are_rectangular_and_sorted_by_name() -> None:
    """Whatever is missing, every row is as long as the heading."""
    designs = {"b": design(cells={}, break_even={}), "a": design()}
    for table in (costtext.fits(designs), costtext.cells(designs), costtext.break_even(designs, "tokens")):
        assert {len(row) for row in table} == {len(table[0])}
        assert [row[0] for row in table[1:]] == ["a", "b"]


def test_cells_are_sorted_by_their_numbers() -> None:
    """15 turns come before 100, which text would sort otherwise; a cell that one design lacks is a dash."""
    table = costtext.cells({"a": design(), "b": design(cells={"15x200": {"input_tokens_per_turn": None}})})
    assert table[0][1:] == ["15x200", "100x100"]
    assert table[1] == ["a", "90.0", "1,234.6"]
    assert table[2] == ["b", "-", "-"]


def test_a_verdict_is_a_sentence_with_the_design_s_name() -> None:
    """The reader learns for which design cost must not be extrapolated."""
    found = costtext.verdicts({"b": design(), "a": design(verdict="No.")})
    assert found == ["a: No.", "b: The held-out error is low."]


@pytest.mark.parametrize(
    ("point", "shown"),
    [
        (None, "not measured"),
        ({"turn": 0, "range": [0, 0], "incomplete": False}, "immediate"),
        ({"turn": 41, "range": [39, 44], "incomplete": False}, "turn 41 (39 to 44)"),
        ({"turn": 41, "range": None, "incomplete": True}, "turn 41~"),
        ({"turn": "never", "range": ["never", "never"], "incomplete": False}, "never"),
        ({"turn": "never", "range": [70, "never"], "incomplete": True}, "never (70 to never)~"),
    ],
)
def test_a_break_even_point_in_words(point: dict[str, Any] | None, shown: str) -> None:
    """The vocabulary is the paper's; a range stands beside it, and a mark where a run ended early."""
    row = design(break_even={"100x100": {"tokens": point}})
    assert column(costtext.break_even({"a": row}, "tokens"), "100x100") == shown


def test_break_even_leaves_the_reference_out_and_names_its_unit() -> None:
    """The whole transcript is what the others are measured against."""
    designs = {"a": design(), "full_context": design()}
    table = costtext.break_even(designs, "usd")
    assert table[0][0] == "break-even in USD"
    assert table[1:] == [["a", "not measured", "not measured"]]
    assert costtext.break_even(designs, "tokens")[0][0] == "break-even in input tokens"


def joint(**changed: Any) -> dict[str, Any]:
    """A design's entry in the joint matrix."""
    entry = {"score": 61.5, "input_tokens_per_turn": 1900.1, "tokens_per_correct": 3089.6, "frontier": True}
    return {**entry, "usd": 0.0123456, "usd_per_correct": None, **changed}


def test_the_joint_matrix_is_shown_at_the_reference_cell() -> None:
    """Where the reference cell was measured it is shown, else the largest one by its numbers."""
    entry = {"a": joint()}
    assert costtext.joint({"400x50": entry, "100x100": entry}, priced=False)[0][0] == "at 100x100"
    assert costtext.joint({"15x50": entry, "100x50": entry, "40x400": entry}, priced=False)[0][0] == "at 100x50"


def test_the_joint_matrix_has_money_only_where_there_is_a_price() -> None:
    """Without a price there is no column for it; with one, what is unknown says so."""
    matrix = {"100x100": {"a": joint()}}
    assert not any("USD" in name for name in costtext.joint(matrix, priced=False)[0])
    table = costtext.joint(matrix, priced=True)
    assert (column(table, "USD"), column(table, "USD a correct answer")) == ("0.0123", "unknown")
    assert (column(table, "tokens a turn"), column(table, "tokens a correct answer")) == ("1,900.1", "3,089.6")
    assert {len(row) for row in table} == {len(table[0])}


def test_a_right_answer_has_no_cost_where_there_is_none() -> None:
    """Undefined is a dash and a footnote; unknown stays unknown."""
    none_right = {"100x100": {"a": joint(score=0.0, tokens_per_correct=None, usd=None), "b": joint()}}
    table = costtext.joint(none_right, priced=True)
    shown = [column(table, name, row=2) for name in ("tokens a correct answer", "USD a correct answer", "USD")]
    assert (table[2][0], shown) == ("a", ["-", "-", "unknown"])
    assert costtext.footnotes({}, none_right) == [costtext.NONE_CORRECT]
    assert costtext.footnotes({}, {"100x100": {"a": joint()}}) == []


def test_means_with_conversations_that_were_cut_short_have_a_mark() -> None:
    """In the table of cells and beside the score; what nobody served whole has no cost of a right answer."""
    cells = {"100x100": {"input_tokens_per_turn": 90.0, "cut_short": 1}, "15x200": {"input_tokens_per_turn": 90.0}}
    assert costtext.cells({"a": design(cells=cells)})[1] == ["a", "90.0", "90.0~"]
    some, all_cut = joint(cut_short=1, runs=2), joint(cut_short=2, runs=2, frontier=None, usd=None)
    table = costtext.joint({"100x100": {"a": some, "b": all_cut}}, priced=True)
    assert [row[2] for row in table[1:]] == ["1,900.1~", "1,900.1~"]
    assert (table[1][3], table[2][3:]) == ("3,089.6", ["-", "-", "-", ""])
    marked = costtext.footnotes({"a": design(cut_short=1)}, {"100x100": {"a": some, "b": all_cut}})
    assert marked == [costtext.CUT_SHORT, costtext.NONE_WHOLE]


@pytest.mark.parametrize(
    ("usd", "shown"),
    [
        (None, "unknown"),
        (0, "0.0000"),
        (12.34567, "12.3457"),
        (0.01, "0.0100"),
        (0.00999, "0.00999"),
        (0.000123456, "0.000123"),
        (2.5e-8, "0.0000000250"),
    ],
)
def test_an_amount_shows_digits_however_small_it_is(usd: float | None, shown: str) -> None:
    """Four decimals, three significant digits of what these would not show, and never an exponent."""
    assert costtext.dollars(usd) == shown


def test_the_best_score_comes_first_and_names_break_ties() -> None:
    """The order does not depend on who was measured first; only the frontier has a star."""
    blind = joint(score=70.0, frontier=None, input_tokens_per_turn=None, tokens_per_correct=None)
    rows = {"d": joint(), "c": joint(score=90.0, frontier=False), "b": joint(), "a": blind}
    table = costtext.joint({"100x100": rows}, priced=False)
    assert [row[0] for row in table[1:]] == ["c", "a", "b", "d"]
    assert [row[-1] for row in table[1:]] == ["", "", "*", "*"]
    assert column(table, "tokens a turn", 2) == "unknown"
