"""Cumulative cost curves of conversations made by hand: whole, cut short, unpriced, unknown."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_membench.report.curves import curves
from pytest_membench.report.folder import Session
from pytest_membench.stats.costmodel import Run, fit, predict
from pytest_membench.store import Results, write_json

STAGES = ("ingest", "retrieval", "answer")


def turn(tokens: int | None, price: float | None) -> dict[str, Any]:
    """A turn with one answer of `tokens`, at `price` USD a token."""
    usd = None if tokens is None or price is None else tokens * price
    zero = {"input": 0, "output": 0}
    return {
        "tokens": {**dict.fromkeys(STAGES, zero), "answer": {"input": tokens, "output": 0}},
        "usd": {**dict.fromkeys(STAGES, 0.0), "answer": usd},
    }


def session(root: Path, runs: Sequence[tuple[str, int, list[int | None]]], price: float | None = 0.5) -> Session:
    """A results folder with conversations: cell, seed and the tokens of each turn."""
    rows = []
    for cell, seed, tokens in runs:
        n, length = map(int, cell.split("x"))
        names = {"setting": "m", "design": "d", "person": cell, "probe": f"s{seed}", "repeat": 1, "kind": "cost"}
        outcome = "measured" if len(tokens) == n else "cut_short"
        rows.append({**names, "turns": n, "length": length, "seed": seed, "outcome": outcome})
        turns = [turn(count, price) for count in tokens]
        write_json(Results(root).cost("m", "d", cell, f"s{seed}"), {"design": "", "turns": turns})
    return Session(root, {"session": "s", "items": rows}, rows, [])


def test_a_curve_sums_up_the_mean_turn_and_ends_with_the_conversation(tmp_path: Path) -> None:
    """Two conversations of three turns: the mean of each turn, added up, in tokens and in USD."""
    found = curves(session(tmp_path, [("3x50", 1, [10, 20, 30]), ("3x50", 2, [30, 40, 50])]))
    curve = found["m"]["d"]["3x50"]
    assert curve["tokens"] == [20, 50, 90]
    assert curve["usd"] == [10, 25, 45]
    assert (curve["runs"], curve["turns"], curve["extrapolated_from"]) == ([2, 2, 2], 3, None)


def test_a_turn_is_the_mean_of_the_conversations_that_have_it(tmp_path: Path) -> None:
    """One that ended early counts as far as it was measured, and `runs` says so."""
    curve = curves(session(tmp_path, [("3x50", 1, [10, 20, 30]), ("3x50", 2, [30])]))["m"]["d"]["3x50"]
    assert (curve["tokens"], curve["runs"]) == ([20, 40, 70], [2, 1, 1])


def test_what_nobody_measured_follows_the_fit(tmp_path: Path) -> None:
    """Turns after the last measured one are the fit's, at the measured price of a token."""
    whole, cut = [10, 20, 30, 40], [30, 60]
    curve = curves(session(tmp_path, [("4x50", 1, [*whole]), ("4x100", 1, [*cut])]))["m"]["d"]["4x100"]
    runs = [Run(4, 50, 1, (10.0, 20.0, 30.0, 40.0)), Run(4, 100, 1, (30.0, 60.0))]
    expected = predict(fit(runs), Run(4, 100, 1, (0.0,) * 4))
    assert curve["extrapolated_from"] == 2
    assert curve["tokens"] == pytest.approx([30, 90, 90 + expected[2], 90 + expected[2] + expected[3]])
    assert curve["usd"] == pytest.approx([0.5 * tokens for tokens in curve["tokens"]])
    assert curve["runs"] == [1, 1]


def test_without_a_fit_the_curve_ends_where_it_was_measured(tmp_path: Path) -> None:
    """One cell alone determines no fit: nothing is made up."""
    curve = curves(session(tmp_path, [("4x50", 1, [10, 20])]))["m"]["d"]["4x50"]
    assert (curve["tokens"], curve["extrapolated_from"]) == ([10, 30], 2)


def test_unknown_tokens_or_money_have_no_curve(tmp_path: Path) -> None:
    """Neither becomes 0."""
    unpriced = curves(session(tmp_path / "a", [("2x50", 1, [10, 20])], price=None))["m"]["d"]["2x50"]
    assert (unpriced["tokens"], unpriced["usd"]) == ([10, 30], None)
    blind = curves(session(tmp_path / "b", [("2x50", 1, [10, None])]))["m"]["d"]["2x50"]
    assert (blind["tokens"], blind["usd"]) == (None, None)
