"""Reading a results folder back: whole, killed, used twice, and none of ours."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_membench.errors import StoreError
from pytest_membench.report.folder import read
from pytest_membench.report.scores import summarise

Write = Callable[..., Path]
TWO = {("maya", "p1"): ["correct", "wrong"], ("tom", "p1"): ["partial"]}


def test_a_session_is_read_back(write_session: Write) -> None:
    """Its manifest, a row for each item in the order of the manifest, and each memory once."""
    session = read(write_session("a", {**TWO, ("maya", "p2"): ["correct"]}))
    assert [(row["person"], row["probe"], row["repeat"]) for row in session.rows] == [
        ("maya", "p1", 1),
        ("maya", "p1", 2),
        ("tom", "p1", 1),
        ("maya", "p2", 1),
    ]
    assert [(m["person"], m["repeat"]) for m in session.memories] == [("maya", 1), ("maya", 2), ("tom", 1)]
    assert session.manifest["suite"] == "tiny"


def test_a_killed_session_is_read_as_far_as_it_came(write_session: Write) -> None:
    """Without a summary, with items that left no row: these are expected and not run, never wrong."""
    session = read(write_session("a", {("maya", "p1"): ["correct"], ("maya", "p2"): [None]}))
    assert len(session.rows) == 1
    made = summarise(session.manifest, session.rows, session.memories)
    row = made["scores"]["sim"]["notes"]
    assert (row["score"], row["n"], row["not_run"], row["wrong"], made["complete"]) == (100.0, 1, 1, 0, False)


def test_a_session_killed_before_its_first_result_has_no_score(write_session: Write) -> None:
    """No row and no memory: everything is not run, and the score is unknown."""
    root = write_session("a", {("maya", "p1"): [None]})
    next(root.rglob("mem/*/*.json")).unlink()
    session = read(root)
    assert (session.rows, session.memories) == ([], [])
    row = summarise(session.manifest, session.rows, session.memories)["scores"]["sim"]["notes"]
    assert (row["score"], row["memory_tokens"], row["not_run"]) == (None, None, 1)


def test_rows_of_an_earlier_session_do_not_count(write_session: Write) -> None:
    """A second session in the same folder that was killed does not borrow the first one's verdicts."""
    write_session("a", {("maya", "p1"): ["correct"], ("maya", "p2"): ["correct"]}, session="first")
    root = write_session("a", {("maya", "p1"): ["wrong"], ("maya", "p2"): [None]}, session="second")
    assert [(row["probe"], row["outcome"]) for row in read(root).rows] == [("p1", "wrong")]


def test_a_folder_without_manifest_is_named(tmp_path: Path) -> None:
    """The message says what is missing and what to give instead."""
    with pytest.raises(StoreError, match=r"is no results folder, it has no manifest\.json; name one"):
        read(tmp_path)


@pytest.mark.parametrize(
    "content",
    [
        {},
        [],
        "text",
        None,
        {"name": "a web app", "icons": []},
        {"session": "s", "suite": "t", "judge": "j", "settings": {}, "items": []},
        {"session": "s", "suite": "t", "judge": "j", "settings": {}, "items": [{"probe": "p1"}]},
        {"session": "s", "suite": "t", "judge": "j", "settings": {}, "items": 3},
        {"items": [{"setting": "sim", "design": "d", "person": "p", "probe": "q", "repeat": 1}]},
    ],
)
def test_a_manifest_of_something_else_is_refused(tmp_path: Path, content: Any) -> None:
    """Another program's manifest.json, or one that expects nothing, is no session and no traceback."""
    (tmp_path / "manifest.json").write_text(json.dumps(content))
    with pytest.raises(StoreError, match=r"manifest\.json: is no manifest of a session with benchmark items"):
        read(tmp_path)


def test_a_damaged_file_is_named(write_session: Write) -> None:
    """A torn row is an error that names the file; it is not left out unseen."""
    root = write_session("a", TWO)
    torn = root / "sim/rows/notes/tom/p1.json"
    torn.write_text('{"outcome": "corr')
    with pytest.raises(StoreError, match=r"tom/p1\.json: cannot be read as JSON"):
        read(root)


def test_a_row_that_names_no_session_does_not_count(write_session: Write) -> None:
    """A row of unknown origin is no result of this session."""
    root = write_session("a", TWO)
    (root / "sim/rows/notes/tom/p1.json").write_text('{"outcome": "correct"}')
    assert [row["person"] for row in read(root).rows] == ["maya", "maya"]
