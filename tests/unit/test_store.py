"""The results folder: files whole or not at all, lines that survive a kill, paths that never clash."""

import json
import math
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pytest_membench.errors import StoreError
from pytest_membench.store import (
    Results,
    append_line,
    item_key,
    read_json,
    read_lines,
    repeat_name,
    to_json,
    write_bytes,
    write_json,
)

SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-(2**53), 2**53), st.text(max_size=8))
ROWS = st.dictionaries(st.text(max_size=5), SCALARS, max_size=4)
NAMES = st.from_regex(r"[ab/]{1,2}([~-]r[0-9])?", fullmatch=True)


@given(ROWS)
def test_json_reads_back_is_sorted_and_ends_in_a_line(row: dict[str, Any]) -> None:
    """Two equal values give equal bytes, whatever order their keys came in."""
    content = to_json(row)
    assert json.loads(content) == row
    assert content == to_json(dict(reversed(row.items())))
    assert content.endswith(b"\n")


def test_json_is_for_people_too() -> None:
    """Two spaces of indent, sorted keys, and text as it is spelled."""
    assert to_json({"b": [1], "a": "Zoë"}).decode() == '{\n  "a": "Zoë",\n  "b": [\n    1\n  ]\n}\n'


def test_a_number_that_is_none_is_written_as_unknown() -> None:
    """NaN does not leak into a file as a number."""
    assert json.loads(to_json({"score": math.nan})) == {"score": None}


def test_a_file_is_written_with_its_folders_and_for_everybody_to_read(tmp_path: Path) -> None:
    """Folders are made; the file is readable by others and nothing else is left in its folder."""
    path = tmp_path / "a" / "b" / "c.json"
    write_json(path, {"x": 1})
    assert read_json(path) == {"x": 1}
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    assert list(path.parent.iterdir()) == [path]


def test_a_failed_write_leaves_the_old_file_and_no_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that fails at the last step costs the new content, not the old."""
    path = tmp_path / "result.json"
    write_json(path, {"old": True})

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(StoreError, match=r"result\.json: cannot be written \(No space left on device\); make room"):
        write_bytes(path, b"new")
    assert read_json(path) == {"old": True}
    assert list(tmp_path.iterdir()) == [path]


def test_the_last_writer_wins(tmp_path: Path) -> None:
    """A file that exists is replaced as a whole, also by a shorter one."""
    write_bytes(tmp_path / "x", b"a long first content")
    write_bytes(tmp_path / "x", b"short")
    assert (tmp_path / "x").read_bytes() == b"short"


@pytest.mark.parametrize("content", [b"", b"{", b'{"torn": "by a ki', b"\xff\xfe"])
def test_an_unreadable_file_is_named_with_what_to_do(tmp_path: Path, content: bytes) -> None:
    """A torn or foreign file raises an error that says which it is and what helps."""
    path = tmp_path / "broken.json"
    path.write_bytes(content)
    with pytest.raises(StoreError, match=r"broken\.json: cannot be read as JSON .*; delete it or restore it"):
        read_json(path)


def test_a_missing_file_is_an_error_of_the_store(tmp_path: Path) -> None:
    """What is not there is not taken for an empty result."""
    with pytest.raises(StoreError, match=r"none\.json"):
        read_json(tmp_path / "none.json")


@given(st.lists(ROWS, max_size=6), st.data())
def test_a_kill_costs_at_most_the_line_in_flight(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, Any]], data: st.DataObject
) -> None:
    """Cut at any byte, a ledger gives back every line that was complete, and nothing invented."""
    path = tmp_path_factory.mktemp("ledger") / "deep" / "spend.jsonl"
    for row in rows:
        append_line(path, row)
    content = path.read_bytes() if rows else b""
    assert read_lines(path) == rows
    cut = data.draw(st.integers(0, len(content)))
    if rows:
        path.write_bytes(content[:cut])
    read = read_lines(path)
    assert read == rows[: len(read)]
    assert len(read) >= content[:cut].count(b"\n")


def test_no_ledger_has_no_lines(tmp_path: Path) -> None:
    """A session that made no call reads as one without calls."""
    assert read_lines(tmp_path / "spend.jsonl") == []


def test_an_empty_line_is_no_value(tmp_path: Path) -> None:
    """Blank lines between values are passed over."""
    (tmp_path / "x.jsonl").write_bytes(b'{"a":1}\n\n{"b":2}\n')
    assert read_lines(tmp_path / "x.jsonl") == [{"a": 1}, {"b": 2}]


def test_a_broken_line_in_the_middle_is_named(tmp_path: Path) -> None:
    """Only the last line can be torn by a kill; another one is damage, and the error says in which file."""
    (tmp_path / "spend.jsonl").write_bytes(b'{"a":1}\n{"b":\n{"c":3}\n')
    with pytest.raises(StoreError, match=r"spend\.jsonl"):
        read_lines(tmp_path / "spend.jsonl")


def test_the_first_repeat_has_the_plain_name() -> None:
    """Repeats are told apart by a tail, and the first has none."""
    assert [repeat_name("recall-03", n) for n in (1, 2, 11)] == ["recall-03", "recall-03~r2", "recall-03~r11"]


@given(NAMES, st.integers(1, 4), NAMES, st.integers(1, 4))
@example("recall-r2", 1, "recall", 2)
@example("recall~r2", 1, "recall", 2)
def test_two_repeats_never_share_a_file(name: str, repeat: int, other: str, other_repeat: int) -> None:
    """A probe that is called like another's repeat does not overwrite it."""
    same = (name, repeat) == (other, other_repeat)
    assert (repeat_name(name, repeat) == repeat_name(other, other_repeat)) == same


ROW = {"setting": "sim", "design": "d", "person": "nora", "probe": "update-01", "repeat": 1, "score": 1.0}


@pytest.mark.parametrize("name", ["setting", "design", "person", "probe", "repeat"])
def test_items_are_told_apart_by_every_part_of_their_key(name: str) -> None:
    """Another setting, design, person, probe or repeat is another item; another score is the same."""
    assert item_key({**ROW, name: "other"}) != item_key(ROW)
    assert item_key({**ROW, "score": 0.0}) == item_key(ROW)


def test_results_lie_where_agent_memory_bench_puts_them(tmp_path: Path) -> None:
    """The layout per setting: mem/<design>/<person>.json and ans/<design>/<person>/<probe>.json."""
    results = Results(tmp_path)
    assert results.manifest == tmp_path / "manifest.json"
    assert results.spend == tmp_path / "spend.jsonl"
    assert results.memory("sim", "rolling_summary", "maya", 1) == tmp_path / "sim/mem/rolling_summary/maya.json"
    assert results.memory("sim", "rolling_summary", "maya", 2) == tmp_path / "sim/mem/rolling_summary/maya~r2.json"
    answer = results.probe("ans", "sim", "rolling_summary", "maya", "recall-03", 1)
    assert answer == tmp_path / "sim/ans/rolling_summary/maya/recall-03.json"
    row = results.row("sim", "rolling_summary", "maya", "recall-03", 2)
    assert row == tmp_path / "sim/rows/rolling_summary/maya/recall-03~r2.json"


@given(st.text(), st.text(), st.text(), st.text())
@example("gpt-oss-20b/low", "../up", "/root", "..")
def test_no_name_leads_out_of_the_results_folder(setting: str, design: str, person: str, probe: str) -> None:
    """Names with slashes or dots stay below the folder, at their usual depth."""
    root = Path("results")
    path = Results(root).probe("judge", setting, design, person, probe, 1)
    assert path.parts[0] == "results"
    assert len(path.parts) == 6
    assert ".." not in path.parts
    memory = Results(root).memory(setting, design, person, 1)
    assert len(memory.parts) == 5
    assert ".." not in memory.parts


def test_an_append_that_the_disk_cuts_short_leaves_no_half_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system takes the beginning of a line and then has no space: the beginning is taken back."""
    path = tmp_path / "spend.jsonl"
    append_line(path, {"n": 1})
    write = os.write
    left = [5]

    def almost_full(descriptor: int, content: bytes) -> int:
        if not left:
            raise OSError(28, "No space left on device")
        return write(descriptor, content[: left.pop()])

    monkeypatch.setattr(os, "write", almost_full)
    with pytest.raises(StoreError, match=r"spend\.jsonl: cannot be written \(No space left on device\)"):
        append_line(path, {"n": 2})
    monkeypatch.undo()
    assert path.read_bytes() == b'{"n":1}\n'
    append_line(path, {"n": 3})
    assert read_lines(path) == [{"n": 1}, {"n": 3}]


def test_an_append_that_the_system_splits_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A write may take a part of what it is given; the rest follows."""
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, content: write(descriptor, content[:3]))
    append_line(tmp_path / "lines", {"text": "größe"})
    monkeypatch.undo()
    assert read_lines(tmp_path / "lines") == [{"text": "größe"}]


def test_a_line_after_a_torn_one_stands_by_itself(tmp_path: Path) -> None:
    """What a killed worker left of its line does not spoil the ledger for the next session."""
    path = tmp_path / "spend.jsonl"
    path.write_bytes(b'{"n":1}\n{"n":2,"te')
    append_line(path, {"n": 3})
    assert read_lines(path) == [{"n": 1}, {"n": 3}]


def test_appends_of_many_processes_do_not_mix(tmp_path: Path) -> None:
    """Lines longer than a pipe's buffer, from four processes at once, are all whole."""
    path = tmp_path / "spend.jsonl"
    code = (
        "import sys; from pathlib import Path; from pytest_membench.store import append_line\n"
        "for n in range(25): append_line(Path(sys.argv[1]), {'n': n, 'by': sys.argv[2], 'text': 'x' * 20_000})"
    )
    running = [subprocess.Popen([sys.executable, "-c", code, str(path), str(k)]) for k in range(4)]
    assert [process.wait() for process in running] == [0] * 4
    assert sorted((line["by"], line["n"]) for line in read_lines(path)) == [
        (str(k), n) for k in range(4) for n in range(25)
    ]
