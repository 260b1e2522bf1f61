"""Which dialogue a dry run serves: the one that the session served, as far as it is still there."""

from dataclasses import replace
from pathlib import Path

from pytest_membench.data import Cell
from pytest_membench.run.talks import FOLDER, Talks, of_session
from pytest_membench.store import write_json
from pytest_membench.suites.dialogues import VERSION, built_in, cache_path

CELL, OTHER = Cell(2, 25), Cell(4, 25)


def written(folder: Path, model: str) -> None:
    """Keep a dialogue of CELL, seed 1, as if `model` had written it."""
    turns = [
        {"i": i, "day": 1, "time": "09:00", "who": "ua"[i % 2], "text": f"by {model} {i}", "name": "N"}
        for i in range(2)
    ]
    key = {"version": VERSION, "model": model, "n": 2, "length": 25, "seed": 1}
    write_json(cache_path(folder, 2, 25, 1, model), {**key, "turns": turns})


def test_without_a_generator_dialogues_are_built_in_and_nothing_is_noted(tmp_path: Path) -> None:
    """Also of cells that no session served: they can be made anywhere."""
    expected = tuple(replace(turn, dated=False) for turn in built_in(2, 25, 1))
    for talks in (Talks(), of_session({}, tmp_path), of_session({"generator": None}, tmp_path)):
        assert talks.turns(CELL, 1) == expected
        assert talks.notes([(CELL, 1)]) == []


def test_a_generator_s_dialogue_is_what_was_served(tmp_path: Path) -> None:
    """It is read where the session kept it."""
    written(tmp_path / FOLDER, "talker")
    talks = of_session({"generator": "talker"}, tmp_path)
    assert [turn.text for turn in talks.turns(CELL, 1)] == ["by talker 0", "by talker 1"]
    assert not any(turn.dated for turn in talks.turns(CELL, 1))
    assert talks.notes([(CELL, 1)]) == []


def test_a_dialogue_that_the_generator_did_not_write_is_built_in_and_noted(tmp_path: Path) -> None:
    """A cell to predict has none as a rule: the reader is told."""
    written(tmp_path / FOLDER, "talker")
    talks = of_session({"generator": "talker"}, tmp_path)
    assert talks.turns(OTHER, 1) == Talks().turns(OTHER, 1)
    (note,) = talks.notes([(CELL, 1), (OTHER, 1), (OTHER, 2)])
    assert note.endswith("has no dialogue of 4x25 by talker: built-in ones stand in")
