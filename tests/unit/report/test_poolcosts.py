"""Conversations of several sessions pooled: the same dialogue served twice is one run."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_membench.errors import StoreError
from pytest_membench.report.costs import summarise_costs
from pytest_membench.report.folder import Session
from pytest_membench.report.poolcosts import pool_costs, pooled
from pytest_membench.store import Results, write_json

STAGES = ("ingest", "retrieval", "answer")
Conversation = tuple[str, str, int, list[int | None]]
"""Design, cell, seed, and the input tokens of each turn."""


def session(root: Path, runs: Sequence[Conversation], generator: str | None = None) -> Session:
    """A results folder with conversations: design, cell, seed, and the input tokens of each turn, at 1 USD each."""
    rows = []
    for design, cell, seed, tokens in runs:
        n, length = map(int, cell.split("x"))
        names = {"setting": "m", "design": design, "person": cell, "probe": f"s{seed}", "repeat": 1, "kind": "cost"}
        outcome = "measured" if len(tokens) == n else "cut_short"
        rows.append({**names, "turns": n, "length": length, "seed": seed, "outcome": outcome})
        zero: dict[str, Any] = {"input": 0, "cached": 0, "output": 0, "reasoning": 0}
        turns = [
            {
                "tokens": {**dict.fromkeys(STAGES, zero), "answer": {**zero, "input": count}},
                "usd": {**dict.fromkeys(STAGES, 0.0), "answer": count},
                "embedded": dict.fromkeys(STAGES, 0),
            }
            for count in tokens
        ]
        write_json(Results(root).cost("m", design, cell, f"s{seed}"), {"design": "", "turns": turns})
    manifest = {"session": root.name, "items": rows, "settings": {"m": {"price": None}}, "generator": generator}
    return Session(root, manifest, rows, [])


def test_a_session_by_itself_is_pooled_to_its_own_costs(tmp_path: Path) -> None:
    """Nothing is averaged, nothing is lost."""
    one = session(tmp_path / "a", [("d", "2x50", 1, [10, 20]), ("d", "2x50", 2, [10, 30]), ("d", "3x25", 1, [1, 2, 3])])
    assert pool_costs([one], {})["costs"] == summarise_costs(one.served, settings=one.manifest["settings"])


def test_repeats_of_one_dialogue_are_one_run_at_their_mean(tmp_path: Path) -> None:
    """They share the dialogue: counted as two runs they would make the bootstrap's intervals too narrow."""
    runs: list[Conversation] = [("d", "2x50", 1, [10, 20]), ("d", "3x25", 1, [1, 2, 3])]
    twice = [session(tmp_path / "a", [*runs]), session(tmp_path / "b", [("d", "2x50", 1, [20, 60])])]
    mean = session(tmp_path / "c", [("d", "2x50", 1, [15, 40]), runs[1]])
    found = pool_costs(twice, {})["costs"]["m"]["d"]
    assert found == summarise_costs(mean.served)["m"]["d"]
    assert found["runs"] == 2


def test_other_seeds_and_designs_are_runs_of_their_own(tmp_path: Path) -> None:
    """A reference in one folder serves the designs of another, dialogue by dialogue."""
    one = session(tmp_path / "a", [("full_context", "2x50", 1, [10, 90])])
    other = session(tmp_path / "b", [("d", "2x50", 1, [20, 20]), ("d", "2x50", 2, [20, 20])])
    costs = pool_costs([one, other], {})["costs"]["m"]
    assert costs["d"]["runs"] == 2
    point = costs["d"]["break_even"]["2x50"]["tokens"]
    assert (point["turn"], point["pairs"]) == (1, 1)


def test_a_repeat_that_was_cut_short_cuts_the_mean(tmp_path: Path) -> None:
    """The mean goes as far as all repeats do, and says that it does not go to the end."""
    sessions = [
        session(tmp_path / "a", [("d", "3x50", 1, [10, 20, 30])]),
        session(tmp_path / "b", [("d", "3x50", 1, [20])]),
    ]
    (one,) = pooled(sessions)
    assert (one.row["outcome"], [turn["tokens"]["answer"]["input"] for turn in one.turns]) == ("cut_short", [15])


def test_unknown_tokens_of_one_repeat_make_the_mean_unknown(tmp_path: Path) -> None:
    """Half of a mean is none."""
    sessions = [session(tmp_path / name, [("d", "1x50", 1, [tokens])]) for name, tokens in (("a", 10), ("b", None))]
    assert pool_costs(sessions, {})["costs"]["m"]["d"]["cells"]["1x50"]["input_tokens_per_turn"] is None


def test_accuracy_stands_beside_the_pooled_cost(tmp_path: Path) -> None:
    """The joint matrix is that of the pooled scores."""
    one = session(tmp_path / "a", [("d", "1x50", 1, [10])])
    scores = {"m": {"d": {"score": 50.0, "interval": [40.0, 60.0]}}}
    assert pool_costs([one], scores)["joint"]["m"]["1x50"]["d"]["tokens_per_correct"] == 20.0


def test_dialogues_of_several_generators_are_not_pooled(tmp_path: Path) -> None:
    """Seed 1 of one is another conversation than seed 1 of the other; a session without costs does not matter."""
    runs: list[Conversation] = [("d", "1x50", 1, [10])]
    sessions = [session(tmp_path / "a", runs), session(tmp_path / "b", runs, "talker")]
    with pytest.raises(StoreError, match="dialogues of built-in and talker"):
        pool_costs(sessions, {})
    assert pool_costs([sessions[0], session(tmp_path / "c", [], "talker")], {})["costs"]
