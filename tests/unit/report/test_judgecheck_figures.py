"""Figures of a check and of two judges: what is right, what is not judged, and what is unknown."""

from typing import Any

import pytest

from pytest_membench.report.judgecheck import agreement, between, summarise
from pytest_membench.stats.agreement import kappa
from pytest_membench.stats.intervals import wilson


def row(expected: str, given: str | None, type_: str = "wrong", **more: Any) -> dict[str, Any]:
    """Return a ruling."""
    return {"type": type_, "expected": expected, "given": given, "first": given, "second": None, **more}


ROWS = [
    *[row("correct", "correct", "exact")] * 3,
    row("correct", "wrong", "exact"),
    *[row("wrong", "wrong")] * 2,
    row("partial", "correct", "vague"),
    row("partial", None, "vague"),
]


def test_a_check_counts_what_was_judged() -> None:
    """5 of 7 are right; the one without a label is counted apart, in its type too."""
    made = summarise("m", ROWS, digest="d", path=None)
    assert (made["right"], made["n"], made["not_judged"], made["accuracy"]) == (5, 7, 1, 71.4)
    assert made["interval"] == [round(100 * end, 1) for end in wilson(5, 7)]
    assert made["by_type"] == {
        "exact": {"n": 4, "right": 3, "accuracy": 75.0, "not_judged": 0},
        "wrong": {"n": 2, "right": 2, "accuracy": 100.0, "not_judged": 0},
        "vague": {"n": 1, "right": 0, "accuracy": 0.0, "not_judged": 1},
    }
    assert made["confusion"]["partial"] == {"correct": 1, "partial": 0, "wrong": 0}
    table = [[3, 0, 1], [1, 0, 0], [0, 0, 2]]
    assert made["kappa"] == pytest.approx(kappa(table).value, abs=5e-4)
    assert made["weighted_kappa"] == pytest.approx(kappa(table, "linear").value, abs=5e-4)


def test_figures_of_nothing_are_unknown() -> None:
    """Where nothing was judged there is no accuracy of 0."""
    made = summarise("m", [row("wrong", None)], digest="d", path=None)
    assert [made[name] for name in ("accuracy", "interval", "kappa", "kappa_interval")] == [None] * 4
    assert made["by_type"]["wrong"]["accuracy"] is None
    assert (made["n"], made["not_judged"]) == (0, 1)


def test_the_second_look_mends_and_spoils() -> None:
    """Counted against the label that is right; a look that changes nothing is neither."""
    rows = [
        row("correct", "correct", first="wrong", second="correct"),
        row("partial", "wrong", first="partial", second="wrong"),
        row("wrong", "wrong", first="wrong", second="wrong"),
        row("correct", "partial", first="wrong", second="partial"),
        row("correct", "correct"),
    ]
    made = summarise("m", [{**one} for one in rows], digest="d", path=None)
    assert made["second_look"] == {"n": 4, "mended": 1, "spoiled": 1}


def test_two_judges_are_compared_on_what_both_judged() -> None:
    """An answer that one of them did not judge is left out."""
    made = between({"a": "correct", "b": "wrong", "c": None}, {"a": "correct", "b": "partial", "c": "wrong"})
    assert (made["n"], made["same"], made["agreement"]) == (2, 1, 50.0)
    assert made["confusion"]["wrong"]["partial"] == 1


def test_judges_without_a_common_answer_have_no_agreement() -> None:
    """Unknown, not 0."""
    made = agreement([], [])
    assert (made["n"], made["agreement"], made["kappa"]) == (0, None, None)
