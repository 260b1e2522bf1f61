"""The whole summary: parts that a session did not measure are empty, and the two kinds of items never mix."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from pytest_membench.report.compare import compare, pool
from pytest_membench.report.folder import read
from pytest_membench.report.summary import summary_of
from pytest_membench.store import Results, item_key, read_json, write_json

PROBES = {("maya", "p1"): ["correct"], ("maya", "p2"): ["wrong"]}
ZERO = {"input": 0, "cached": 0, "cache_write": 0, "output": 0, "reasoning": 0}


def add_cost(root: Path, outcome: str = "measured", measured: int = 4, design: str = "notes") -> None:
    """Add a served conversation of 4 turns to a session's folder."""
    results = Results(root)
    manifest = read_json(results.manifest)
    names = {"setting": "sim", "design": design, "person": "4x50", "probe": "s1", "repeat": 1, "kind": "cost"}
    tokens = {"ingest": ZERO, "retrieval": ZERO, "answer": {**ZERO, "input": 200, "output": 10}}
    dollars = dict.fromkeys(tokens)
    row = {**names, "outcome": outcome, "score": None, "cause": None, "session": manifest["session"]}
    row |= {"turns": 4, "length": 50, "seed": 1, "measured": measured, "tokens": tokens, "usd": dollars, "unused": []}
    write_json(results.row(*item_key(names)), row)
    turn = {"tokens": tokens, "usd": dollars, "embedded": dict.fromkeys(tokens, 0)}
    if measured:
        write_json(results.cost("sim", design, "4x50", "s1"), {"turns": [turn] * measured})
    write_json(results.manifest, {**manifest, "items": [*manifest["items"], names]})


Write = Callable[..., Path]


def summary(root: Path) -> Mapping[str, Any]:
    """The summary of a folder."""
    return summary_of(read(root))


def test_a_session_of_probes_has_no_costs(write_session: Write) -> None:
    """Costs and matrix are empty, not missing and not 0."""
    found = summary(write_session("a", PROBES))
    assert (found["costs"], found["joint"]) == ({}, {})
    assert found["scores"]["sim"]["notes"]["score"] == 50.0


def test_costs_change_no_score(write_session: Write) -> None:
    """A conversation is no question: score, interval, n and people are those without it."""
    alone = summary(write_session("a", PROBES))
    both = write_session("b", PROBES)
    add_cost(both)
    found = summary(both)
    assert found["scores"] == alone["scores"]
    assert found["complete"]
    row = found["joint"]["sim"]["4x50"]["notes"]
    assert (row["score"], row["input_tokens_per_turn"], row["tokens_per_correct"]) == (50.0, 200.0, 400.0)


def test_a_design_without_probes_has_no_place_in_the_matrix(write_session: Write) -> None:
    """The reference that was added for break-even was asked no question."""
    root = write_session("a", PROBES)
    add_cost(root)
    add_cost(root, design="full_context")
    found = summary(root)
    assert found["joint"]["sim"]["4x50"].keys() == {"notes"}
    assert found["costs"]["sim"].keys() == {"notes", "full_context"}
    assert found["scores"]["sim"].keys() == {"notes"}


@pytest.mark.parametrize(("outcome", "complete"), [("measured", True), ("cut_short", True), ("not_run", False)])
def test_an_unfinished_conversation_makes_the_session_incomplete(
    write_session: Write, outcome: str, complete: bool
) -> None:
    """One that a full context cut short is a result; one that was not run is none."""
    root = write_session("a", PROBES)
    add_cost(root, outcome, measured=0 if outcome == "not_run" else 3)
    found = summary(root)
    assert found["complete"] is complete
    assert ("sim" in found["costs"]) is complete


def test_a_conversation_that_left_no_result_makes_the_session_incomplete(write_session: Write) -> None:
    """A worker that died leaves an expected item without a row."""
    root = write_session("a", PROBES)
    add_cost(root)
    names = read_json(Results(root).manifest)["items"][-1]
    Results(root).row(*item_key(names)).unlink()
    assert not summary(root)["complete"]


def test_the_error_of_dry_runs_is_this_session_s_or_unknown(write_session: Write) -> None:
    """An older session's errors in the same folder are not taken over."""
    root = write_session("a", PROBES)
    add_cost(root)
    own = read_json(Results(root).manifest)["session"]
    for session, expected in ((own, 0.05), ("earlier", None)):
        write_json(Results(root).mechanism, {"session": session, "mape": {"sim": {"notes": 0.05}}})
        assert summary(root)["costs"]["sim"]["notes"]["mechanism_mape"] == expected


def test_comparing_and_pooling_leave_conversations_out(write_session: Write) -> None:
    """Two sessions that differ in conversations alone differ in nothing that is compared or pooled."""
    first = write_session("a", PROBES, session="s1")
    second = write_session("b", PROBES, session="s2")
    without = compare(read(first), read(second))
    add_cost(second)
    assert compare(read(first), read(second)) == without
    assert "4x50" not in str(pool([read(first), read(second)]))
