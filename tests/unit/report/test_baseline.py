"""Baselines: what they hold, how they read in a diff, and what a session that measured less keeps."""

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_membench.errors import StoreError
from pytest_membench.report import baseline
from pytest_membench.report.folder import Session

KEY = ("sim/low", "notes(n=2)")
EMPTY: dict[str, Any] = {"schema": 1, **{name: {} for name in ("about", "yardstick", "probes", "memories", "cells")}}


def session(scores: dict[tuple[str, str], list[float]], usd: float | None = 0.001) -> Session:
    """Return a session with these scores of the repeats of each (person, probe), 10 + 1 tokens a call."""
    names = {"setting": KEY[0], "design": KEY[1], "kind": "recall"}
    usage = {stage: {"input": 10, "output": 1} for stage in ("ingest", "retrieval", "answer")}
    spent = {"tokens": usage, "usd": dict.fromkeys(usage, usd)}
    rows = [
        {**names, "person": person, "probe": probe, "repeat": repeat, "score": score, **spent}
        for (person, probe), own in scores.items()
        for repeat, score in enumerate(own, 1)
    ]
    memories = [{**names, "person": person, "repeat": 1, **spent} for person in sorted({p for p, _ in scores})]
    manifest = {
        "suite_named": "tiny",
        "settings": {KEY[0]: {"price": None}},
        "designs": {KEY[1]: {"source": "designs/notes.py", "digest": "d"}},
        "yardstick": {"probes": {"judge": "sim"}, "cells": {"dialogues": "built-in 1"}},
        "items": rows,
    }
    return Session(Path("out"), manifest, rows, memories)


def test_repeats_are_pooled_and_tokens_averaged() -> None:
    """Two repeats, one right: 0.5, with the tokens of one answer."""
    made = baseline.make(session({("maya", "p1"): [1.0, 0.0]}), KEY, {})
    assert made["probes"] == {"maya/p1": {"kind": "recall", "score": 0.5, "tokens": 22, "usd": 0.002}}
    assert made["memories"] == {"maya": {"tokens": 11, "usd": 0.001}}


def test_unknown_money_is_null() -> None:
    """A call without a price makes the sum unknown, not 0."""
    made = baseline.make(session({("maya", "p1"): [1.0]}, usd=None), KEY, {})
    assert made["probes"]["maya/p1"]["usd"] is None


def test_a_file_reads_back_and_has_a_line_for_each_probe(tmp_path: Path) -> None:
    """Written sorted, whatever the order of the rows: one changed verdict is one changed line."""
    path = baseline.path_of(tmp_path, *("sim/low", "tiny", "notes(n=2)"))
    made = baseline.make(session({("omar", "p2"): [1.0], ("maya", "p1"): [1.0]}), KEY, {})
    baseline.write(path, made)
    assert baseline.read(path) == json.loads(json.dumps(made))
    before = path.read_text().splitlines()
    baseline.write(path, baseline.make(session({("maya", "p1"): [1.0], ("omar", "p2"): [0.0]}), KEY, {}))
    after = path.read_text().splitlines()
    assert sum(a != b for a, b in zip(before, after, strict=True)) == 1


def test_a_setting_and_a_design_stay_in_their_folder(tmp_path: Path) -> None:
    """No name leads out of the folder of baselines."""
    path = baseline.path_of(tmp_path, "../up", "../../tiny", "/etc/x")
    assert path.resolve().is_relative_to(tmp_path.resolve())


def test_parameters_fall_back_to_the_design_itself(tmp_path: Path) -> None:
    """`notes(n=2)` without a baseline of its own is compared with `notes`."""
    assert baseline.find(tmp_path, "sim", "tiny", "notes(n=2)") is None
    plain = baseline.path_of(tmp_path, "sim", "tiny", "notes")
    baseline.write(plain, {**EMPTY, "design": "notes"})
    assert baseline.find(tmp_path, "sim", "tiny", "notes(n=2)") == plain
    own = baseline.path_of(tmp_path, "sim", "tiny", "notes(n=2)")
    baseline.write(own, {**EMPTY, "design": "notes(n=2)"})
    assert baseline.find(tmp_path, "sim", "tiny", "notes(n=2)") == own
    assert baseline.designs(tmp_path, "sim", "tiny") == ["notes", "notes(n=2)"]


@pytest.mark.parametrize("content", ["[]", '{"schema": 2, "design": "a", "probes": {}, "cells": {}}', "{", "{}"])
def test_what_is_no_baseline_is_refused_by_name(tmp_path: Path, content: str) -> None:
    """The file is named, with what to do."""
    path = tmp_path / "notes.json"
    path.write_text(content)
    with pytest.raises(StoreError, match=r"notes\.json"):
        baseline.read(path)


def test_a_session_of_probes_keeps_the_cells_of_before() -> None:
    """What was not measured this time stays, with its own yardstick."""
    cells = {"cells": {"15x50": dict.fromkeys(("input_tokens_per_turn", "usd_per_conversation"), 1)}}
    cells["cells"]["15x50"] |= {"runs": 2, "measured_turns": 15}
    old = baseline.make(session({("maya", "p1"): [0.0]}), KEY, cells)
    new = baseline.make(session({("maya", "p1"): [1.0]}), KEY, {})
    kept = baseline.kept_parts(new, old)
    assert (kept["cells"], kept["yardstick"]["cells"]) == (old["cells"], {"dialogues": "built-in 1"})
    assert kept["probes"]["maya/p1"]["score"] == 1.0
    assert baseline.kept_parts(new, None) == new


def test_a_selection_is_told_by_how_many_it_lacks() -> None:
    """One of two questions is no whole suite; a session of cells alone lacks none."""
    one = session({("maya", "p1"): [1.0]})
    asked = [("maya", "p1"), ("maya", "p2")]
    assert baseline.missing(one, asked, [KEY[1]]) == "it asked 1 of 2 questions"
    assert baseline.missing(one, asked[:1], [KEY[1]]) is None
    cells: dict[str, Any] = {**one.manifest, "items": [{**one.manifest["items"][0], "kind": "cost"}]}
    assert baseline.missing(Session(Path("out"), cells, [], []), asked, [KEY[1]]) is None


@pytest.mark.parametrize(
    ("part", "row", "message"),
    [
        ("probes", {"kind": "recall", "tokens": 1, "usd": 1}, "'maya/p1' of the probes lacks score"),
        ("probes", {"kind": "recall", "score": None, "tokens": 1, "usd": 1}, "has the score None, no number"),
        ("memories", [], "'maya/p1' of the memories lacks tokens, usd"),
        ("cells", {"input_tokens_per_turn": 1, "usd_per_conversation": 1}, "lacks measured_turns"),
    ],
)
def test_a_row_that_a_merge_by_hand_damaged_is_named(tmp_path: Path, part: str, row: Any, message: str) -> None:
    """An unknown score is none to compare with: it is refused, and never taken as 0."""
    path = tmp_path / "notes.json"
    path.write_text(json.dumps({**EMPTY, "design": "notes", part: {"maya/p1": row}}))
    with pytest.raises(StoreError, match=message):
        baseline.read(path)


def test_a_part_that_is_no_object_is_named(tmp_path: Path) -> None:
    """A list of probes is no baseline's."""
    path = tmp_path / "notes.json"
    path.write_text(json.dumps({**EMPTY, "design": "notes", "probes": []}))
    with pytest.raises(StoreError, match="probes is no object"):
        baseline.read(path)


def test_windows_line_endings_change_nothing(tmp_path: Path) -> None:
    """A checkout with core.autocrlf reads the same."""
    path = tmp_path / "notes.json"
    baseline.write(path, baseline.make(session({("maya", "p1"): [1.0]}), KEY, {}))
    before = baseline.read(path)
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert baseline.read(path) == before


def test_kept_money_of_other_prices_is_unknown() -> None:
    """Cells that were paid at the prices of before say nothing of today's USD; their tokens stay."""
    row = {"input_tokens_per_turn": 1, "usd_per_conversation": 1, "runs": 2, "measured_turns": 15}
    old = baseline.make(session({("maya", "p1"): [0.0]}), KEY, {"cells": {"15x50": row}})
    dearer = session({("maya", "p1"): [1.0]})
    dearer.manifest["settings"][KEY[0]]["price"] = {"input": 2.0}
    kept = baseline.kept_parts(baseline.make(dearer, KEY, {}), old)
    assert kept["cells"]["15x50"] == {**row, "usd_per_conversation": None}
    assert kept["probes"]["maya/p1"]["usd"] is not None


def test_questions_that_the_suite_no_longer_asks_fill_no_gap() -> None:
    """What was asked besides does not count for what is lacking."""
    one = session({("maya", "p1"): [1.0], ("maya", "gone"): [1.0]})
    assert baseline.missing(one, [("maya", "p1"), ("maya", "p2")], [KEY[1]]) == "it asked 1 of 2 questions"
