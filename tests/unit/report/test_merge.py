"""Parts of one session become one results folder: what is kept, what is refused, and that the order changes nothing."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_membench.errors import StoreError
from pytest_membench.report import folder
from pytest_membench.report.merge import ledger, merge, seconds
from pytest_membench.report.scores import with_missing
from pytest_membench.report.summary import summary_of
from pytest_membench.store import Results, append_line, read_json, read_lines, write_json

Write = Callable[..., Path]


def outcomes(root: Path) -> dict[str, str]:
    """Return each expected probe's outcome."""
    session = folder.read(root)
    return {row["probe"]: row["outcome"] for row in with_missing(session.manifest, session.rows)}


def edit(root: Path, **fields: Any) -> None:
    """Change fields of a manifest."""
    path = Results(root).manifest
    write_json(path, {**read_json(path), **fields})


def test_items_of_all_parts_stand_in_the_new_folder(write_session: Write, tmp_path: Path) -> None:
    """Rows, labels and memories come along, and the folder reads as one session."""
    a = write_session("a", {("maya", "p1"): ["correct"]})
    b = write_session("b", {("omar", "p2"): ["wrong"]})
    merged = merge(tmp_path / "m", [a, b])
    assert outcomes(tmp_path / "m") == {"p1": "correct", "p2": "wrong"}
    assert merged.notes == []
    assert {(m["person"]) for m in merged.session.memories} == {"maya", "omar"}
    assert read_json(tmp_path / "m/sim/judge/notes/omar/p2.json")["session"] == merged.session.manifest["session"]
    assert summary_of(merged.session)["complete"]


def test_a_verdict_goes_before_an_item_that_broke(write_session: Write, tmp_path: Path) -> None:
    """Not run in one part and correct in the other: correct, whichever is named first."""
    a = write_session("a", {("maya", "p1"): ["not_run"], ("maya", "p2"): ["wrong"], ("maya", "p3"): [None]})
    b = write_session("b", {("maya", "p1"): ["correct"], ("maya", "p2"): ["not_judged"], ("maya", "p3"): ["partial"]})
    for name, parts in (("ab", [a, b]), ("ba", [b, a])):
        merge(tmp_path / name, parts)
        assert outcomes(tmp_path / name) == {"p1": "correct", "p2": "wrong", "p3": "partial"}


def test_two_verdicts_are_refused_by_name(write_session: Write, tmp_path: Path) -> None:
    """The message names the item, both verdicts and both folders, and nothing is written."""
    a = write_session("a", {("maya", "p1"): ["correct"], ("maya", "p2"): ["wrong"]})
    b = write_session("b", {("maya", "p1"): ["correct"], ("maya", "p2"): ["partial"]})
    with pytest.raises(StoreError, match=r"notes, maya p2 at sim: partial in .*b and wrong in .*a; .*one verdict"):
        merge(tmp_path / "m", [a, b])
    assert not (tmp_path / "m").exists()


def test_items_left_to_a_group_that_never_ran_are_not_run(write_session: Write, tmp_path: Path) -> None:
    """A part says what it left to others; what no part ran makes the session incomplete."""
    a = write_session("a", {("maya", "p1"): ["correct"]})
    b = write_session("b", {("maya", "p2"): ["correct"]})
    both = [*folder.read(a).manifest["items"], *folder.read(b).manifest["items"]]
    third = {**both[0], "probe": "p3"}
    edit(a, elsewhere=[both[1], third])
    edit(b, elsewhere=[both[0], third])
    merged = merge(tmp_path / "m", [a, b])
    assert outcomes(tmp_path / "m") == {"p1": "correct", "p2": "correct", "p3": "not_run"}
    assert merged.notes[0].startswith("1 of 3 items have no result in any part: a group is missing, or was killed")
    assert not summary_of(merged.session)["complete"]
    c = write_session("c", {("maya", "p3"): ["wrong"]})
    merge(tmp_path / "whole", [tmp_path / "m", c])
    assert outcomes(tmp_path / "whole") == {"p1": "correct", "p2": "correct", "p3": "wrong"}


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"suite": "people"}, r"differ in suite \('tiny' and 'people'\)"),
        ({"judge": "gpt"}, r"differ in judge \('sim' and 'gpt'\)"),
        ({"grid": "2"}, r"differ in grid \('1' and '2'\)"),
        ({"designs": {"notes": {"digest": "2"}}}, r"differ in design notes \(digest: '1' and '2'\)"),
        ({"yardstick": {"probes": {"golds": "2"}}}, r"differ in the yardstick of probes \(golds: '1' and '2'\)"),
        ({"options": ["--membench-seeds=3"]}, r"differ in options \(\[\] and \['--membench-seeds=3'\]\)"),
        (
            {"settings": {"sim": {"model": "sim", "priced": True}}},
            r"differ in setting sim \(.*priced: False and True\)",
        ),
        ({"a_field_of_tomorrow": 2}, r"differ in a_field_of_tomorrow \(1 and 2\)"),
    ],
)
def test_parts_of_other_sessions_are_refused(
    write_session: Write, tmp_path: Path, fields: dict[str, Any], words: str
) -> None:
    """What differs is named with both values and both folders."""
    parts = [write_session(name, {("maya", name): ["correct"]}) for name in ("a", "b")]
    for part in parts:
        edit(part, grid="1", designs={"notes": {"digest": "1"}}, a_field_of_tomorrow=1)
        edit(part, yardstick={"probes": {"golds": "1"}}, options=["--design=notes"])
    edit(parts[1], **fields)
    with pytest.raises(StoreError, match=rf"a and .*b are not of one session: they {words}"):
        merge(tmp_path / "m", parts)


def test_a_part_with_conversations_alone_has_no_suite(write_session: Write, tmp_path: Path) -> None:
    """What a part leaves unknown does not contradict the others."""
    a = write_session("a", {("maya", "p1"): ["correct"]})
    b = write_session("b", {("100x50", "s1"): ["not_run"]}, kinds={"s1": "cost"})
    edit(b, suite=None)
    assert merge(tmp_path / "m", [b, a]).session.manifest["suite"] == "tiny"


def test_parts_of_several_designs_and_cassettes_are_one_session(write_session: Write, tmp_path: Path) -> None:
    """A machine for each design: the whole names all of them, and the yardstick of whatever it holds."""
    a, b = (write_session(name, {("maya", "p1"): ["correct"]}, design=name) for name in ("a", "b"))
    for part, kind in ((a, "probes"), (b, "cells")):
        own = [f"--design={part.name}", "--membench-seeds=3", f"--membench-cassettes=of-{part.name}"]
        edit(part, design_names=[part.name], options=own, yardstick={kind: {"judge": "sim"}})
    manifest = merge(tmp_path / "m", [b, a]).session.manifest
    assert manifest["options"] == ["--design=a,b", "--membench-seeds=3"]
    assert manifest["yardstick"].keys() == {"probes", "cells"}


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_reference_that_another_part_chose_is_chosen(
    write_session: Write, tmp_path: Path, order: tuple[int, int]
) -> None:
    """full_context beside a design is its reference; run on its own it is a design like any other."""
    parts = [write_session(name, {("100x50", "s1"): ["not_run"]}, kinds={"s1": "cost"}) for name in ("a", "b")]
    edit(parts[0], items=[{**item, "reference": True} for item in folder.read(parts[0]).manifest["items"]])
    (item,) = merge(tmp_path / "m", [parts[n] for n in order]).session.manifest["items"]
    assert "reference" not in item


def test_a_session_counts_once(write_session: Write, tmp_path: Path) -> None:
    """A part given twice, also inside a merged folder, is refused."""
    a, b = (write_session(name, {("maya", name): ["correct"]}) for name in ("a", "b"))
    with pytest.raises(StoreError, match="hold the same session; give each part once"):
        merge(tmp_path / "m", [a, a])
    merge(tmp_path / "ab", [a, b])
    with pytest.raises(StoreError, match=r"ab and .*a hold the same session"):
        merge(tmp_path / "m", [tmp_path / "ab", a])


def test_a_folder_with_something_in_it_is_left_alone(write_session: Write, tmp_path: Path) -> None:
    """Merging writes into a new or an empty folder only."""
    a = write_session("a", {("maya", "p1"): ["correct"]})
    with pytest.raises(StoreError, match="a: exists already; name a new folder"):
        merge(a, [a])
    (tmp_path / "empty").mkdir()
    merge(tmp_path / "empty", [a])


def test_results_of_an_earlier_session_in_the_folder_stay_behind(write_session: Write, tmp_path: Path) -> None:
    """A label that another session left beside a row is not taken for its own."""
    a = write_session("a", {("maya", "p1"): ["correct"]})
    label = Results(a).probe("judge2", "sim", "notes", "maya", "p1", 1)
    write_json(label, {"label": "wrong", "session": "of last week"})
    merge(tmp_path / "m", [a])
    assert (tmp_path / "m/sim/judge/notes/maya/p1.json").exists()
    assert not (tmp_path / "m/sim/judge2/notes/maya/p1.json").exists()


# --- memories and the ledger ---------------------------------------------------------------------


def build(root: Path, tokens: int, *, status: str = "done", state: str = "s", usd: float | None = 0.25) -> None:
    """Write maya's memory and the line of its one call."""
    results = Results(root)
    session = folder.read(root).manifest["session"]
    names = {"setting": "sim", "design": "notes", "person": "maya", "repeat": 1, "session": session}
    spent = {"tokens": {"ingest": {"input": tokens}}, "usd": {"ingest": usd}, "memory_tokens": 3}
    write_json(results.memory("sim", "notes", "maya", 1), {**names, **spent, "status": status, "state": state})
    line = {"item": "notes-maya-build", "stage": "ingest", "input": tokens, "usd": usd, "error": None}
    append_line(results.spend, line)


def test_a_memory_that_two_parts_built_counts_once(write_session: Write, tmp_path: Path) -> None:
    """The folder has one memory with its tokens; the ledger has both builds, and the note says both sums."""
    a, b = (write_session(name, {("maya", name): ["correct"]}) for name in ("a", "b"))
    for part in (a, b):
        build(part, 1000)
    merged = merge(tmp_path / "m", [a, b])
    assert [m["tokens"]["ingest"]["input"] for m in merged.session.memories] == [1000]
    assert [line["session"] for line in read_lines(Results(tmp_path / "m").spend)] == ["session of a", "session of b"]
    assert ledger(tmp_path / "m", merged.session.memories) == {
        "counted": {"input": 1000, "usd": 0.25},
        "ledger": {"input": 2000, "usd": 0.5},
        "built_by_several": ["notes-maya-build"],
    }
    assert merged.notes[0] == (
        "1 of 1 memories were built by more than one part. The table counts each once (1,000 input tokens, 0.2500 USD for "
        "writing); the ledger has all (2,000 input tokens, 0.5000 USD)."
    )


def test_unknown_tokens_stay_unknown(write_session: Write, tmp_path: Path) -> None:
    """Without a price the note names tokens alone."""
    a, b = (write_session(name, {("maya", name): ["correct"]}) for name in ("a", "b"))
    for part in (a, b):
        build(part, 7, usd=None)
    assert (
        "(7 input tokens for writing); the ledger has all (14 input tokens)" in merge(tmp_path / "m", [a, b]).notes[0]
    )


def test_a_memory_that_was_finished_goes_before_one_that_failed(write_session: Write, tmp_path: Path) -> None:
    """Whichever part comes first."""
    a, b = (write_session(name, {("maya", name): ["correct"]}) for name in ("a", "b"))
    build(a, 1, status="failed")
    build(b, 2)
    for name, parts in (("ab", [a, b]), ("ba", [b, a])):
        assert [m["status"] for m in merge(tmp_path / name, parts).session.memories] == ["done"]


def test_memories_that_came_out_differently_are_said(write_session: Write, tmp_path: Path) -> None:
    """Two live builds of one memory need not agree; the reader is told."""
    a, b = (write_session(name, {("maya", name): ["correct"]}) for name in ("a", "b"))
    build(a, 1, state="likes tea")
    build(b, 1, state="likes coffee")
    assert (
        merge(tmp_path / "m", [a, b])
        .notes[0]
        .startswith("built with different results by several parts: notes of maya.")
    )


def test_machine_time_is_summed_and_unknown_where_a_part_was_killed(tmp_path: Path) -> None:
    """Without a part's diag.json its seconds are unknown, and so is the sum."""
    for name, value in (("a", 1.25), ("b", 2.5)):
        write_json(tmp_path / name / "diag.json", {"seconds": value})
    (tmp_path / "killed").mkdir()
    assert seconds([tmp_path / "a", tmp_path / "b"]) == 3.75
    assert seconds([tmp_path / "a", tmp_path / "killed"]) is None


# --- order ---------------------------------------------------------------------------------------


def contents(root: Path) -> dict[str, bytes]:
    """Return every file of a folder by its name."""
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_order_and_grouping_change_nothing(write_into: Callable[..., Path], data: st.DataObject) -> None:
    """Three parts with items in common, in any order and in steps: byte for byte the same folder."""
    truth = {f"p{n}": data.draw(st.sampled_from(["correct", "partial", "wrong"])) for n in range(4)}
    with TemporaryDirectory() as name:
        root = Path(name)
        parts = []
        for part in "abc":
            held = data.draw(st.lists(st.sampled_from(sorted(truth)), min_size=1, unique=True))
            broken = data.draw(st.sets(st.sampled_from(held)))
            verdicts = {("maya", p): [data.draw(st.sampled_from(["not_run", "not_judged", None]))] for p in broken}
            verdicts |= {("maya", p): [truth[p]] for p in held if p not in broken}
            parts.append(write_into(root / part, verdicts, session=f"session of {part}"))
            build(parts[-1], data.draw(st.integers(1, 3)))
        order = random.Random(data.draw(st.integers(0, 99))).sample(parts, 3)
        merge(root / "at once", parts)
        merge(root / "shuffled", order)
        merge(root / "step", order[:2])
        merge(root / "steps", [order[2], root / "step"])
        whole = contents(root / "at once")
        assert contents(root / "shuffled") == whole
        assert contents(root / "steps") == whole
        assert json.loads(whole["manifest.json"])["parts"] == [f"session of {part}" for part in "abc"]
