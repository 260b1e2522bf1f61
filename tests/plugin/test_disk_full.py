"""A disk that is full: the item says so, nothing finished is lost, and the same command completes it later."""

import json
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
from bench_folder import CONFTEST, Folder

from pytest_membench.store import read_lines

# Workers may write no file beyond this size: their system says "File too large", as a full disk says its own.
LIMITED = (
    CONFTEST
    + """
if "PYTEST_XDIST_WORKER" in os.environ and os.environ.get("LIMIT"):
    import resource
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(os.environ["LIMIT"]), resource.RLIM_INFINITY))
"""
)


def fill(monkeypatch: pytest.MonkeyPatch, part: str) -> None:
    """Let every file fail whose path holds `part`."""
    mkstemp, opened = tempfile.mkstemp, os.open

    def checked(path: str) -> None:
        if part in path:
            raise OSError(28, "No space left on device")

    def mkstemp_unless_full(dir: Path, prefix: str) -> tuple[int, str]:  # noqa: A002 - its name in the standard library
        checked(f"{dir}/{prefix[1:]}")
        return mkstemp(dir=dir, prefix=prefix)

    def open_unless_full(path: Any, *args: Any, **kwargs: Any) -> int:
        checked(str(path))
        return opened(path, *args, **kwargs)

    monkeypatch.setattr(tempfile, "mkstemp", mkstemp_unless_full)
    monkeypatch.setattr(os, "open", open_unless_full)


def calls(folder: Folder) -> list[Any]:
    """Return the ledger."""
    return read_lines(folder.root / "out/spend.jsonl")


@pytest.mark.parametrize(
    "part",
    [
        "/rows/window/ada/recall-02.",
        "/ans/window/ada/recall-02.",
        "/judge/window/ada/recall-02.",
        "/cassettes/sim/tiny/window/ada/recall-02.json.part",
        "/cassettes/sim/tiny/window/ada/recall-02.json.",
    ],
)
def test_an_item_whose_file_cannot_be_written_was_not_run(
    folder: Folder, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    """The message names the file and says that there is no space; the others stand; later it is completed."""
    with monkeypatch.context() as patch:
        fill(patch, part)
        result = folder.run("--membench-record=new")
    assert result.ret == 6
    result.stdout.fnmatch_lines(["*membench: INCOMPLETE*"])
    assert "INTERNALERROR" not in result.stdout.str()
    assert "No space left on device" in result.stdout.str()
    items = {item["probe"]: item for item in folder.read("diag.json")["items"]}
    broken = items.pop("recall-02")
    assert (broken["outcome"], broken["cause"], broken["score"]) == ("not_run", "store_error", None)
    assert part.rsplit("/", 1)[-1].split(".", maxsplit=1)[0] in broken["message"]
    assert [item["outcome"] for item in items.values()] == ["correct", "partial", "wrong"]
    assert folder.run("--membench-record=new").ret == 0
    assert folder.score()["n"] == 4


def test_no_call_is_paid_that_could_not_be_stored(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where cassettes cannot be written, no call is made at all, and none is tried again."""
    with monkeypatch.context() as patch:
        fill(patch, "/cassettes/")
        assert folder.run("--membench-record=new").ret == 6
    assert calls(folder) == []
    assert {item["cause"] for item in folder.read("diag.json")["items"]} == {"store_error"}


def test_what_was_paid_before_the_disk_filled_is_not_paid_again(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An answer that cannot be written is in the cassette already: the next run replays it."""
    with monkeypatch.context() as patch:
        fill(patch, "/ans/")
        assert folder.run("--membench-record=new").ret == 6
    before = calls(folder)
    assert folder.run("--membench-record=new").ret == 0
    after = calls(folder)[len(before) :]
    assert [line["replayed"] for line in after if line["stage"] == "answer"] == [True] * 4


def test_a_ledger_that_cannot_be_written_fails_the_item_though_its_design_swallows_errors(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A call that is missing from the ledger is no result; that it is stored is kept."""
    with monkeypatch.context() as patch:
        fill(patch, "/spend.jsonl")
        result = folder.run("--membench-record=new")
    assert result.ret == 6
    assert "spend.jsonl: cannot be written (No space left on device)" in result.stdout.str()
    assert folder.score()["not_run"] == 4
    assert folder.run("--membench-record=new").ret == 0
    assert [line["replayed"] for line in calls(folder) if line["stage"] == "answer"] == [True] * 4


def test_a_memory_that_cannot_be_written_fails_its_probes(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every probe of it says which file had no space."""
    with monkeypatch.context() as patch:
        fill(patch, "/mem/")
        result = folder.run("--membench-record=new")
    assert result.ret == 6
    assert {item["cause"] for item in folder.read("diag.json")["items"]} == {"store_error"}
    assert "mem/window/ada.json" in result.stdout.str()
    assert folder.run("--membench-record=new").ret == 0


@pytest.mark.parametrize("name", ["summary.json", "diag.json", "report.md"])
def test_a_summary_that_cannot_be_written_is_shown_all_the_same(
    folder: Folder, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """The table is printed as INCOMPLETE with the file's name; the scores in it are those of all items."""
    with monkeypatch.context() as patch:
        fill(patch, f"/{name}.")
        result = folder.run("--membench-record=new")
    assert result.ret == 6
    result.stdout.fnmatch_lines(["*membench: INCOMPLETE*", f"INCOMPLETE: *{name}: cannot be written (No space left*"])
    result.stdout.re_match_lines([r"window\s+62\.5\s.*"])
    assert "INTERNALERROR" not in result.stdout.str()
    assert folder.run("--membench-record=new").ret == 0


def test_a_results_folder_without_any_space_ends_with_a_table(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even the manifest cannot be written: what was expected is known all the same."""
    with monkeypatch.context() as patch:
        fill(patch, f"{folder.root}/out/")
        result = folder.run("--membench-record=new")
    assert result.ret == 6
    result.stdout.fnmatch_lines(["*membench: INCOMPLETE*", "INCOMPLETE: *manifest.json: cannot be written*"])
    result.stdout.re_match_lines([r"window\s+-\s+-\s+0 .*"])
    assert folder.run("--membench-record=new").ret == 0
    assert folder.score()["n"] == 4


def test_workers_on_a_full_disk_lose_nothing(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Under -n2 with files that the system really cuts off: no torn file, no crash, completed later."""
    folder.write("conftest.py", LIMITED)
    monkeypatch.setenv("LIMIT", "1500")  # enough for manifest, memory and a `.part`; too little for cassettes
    result = folder.run("--membench-record=new", "-n2", subprocess=True)
    assert result.ret == 6, result.stdout.str()
    assert "INTERNALERROR" not in result.stdout.str()
    assert "File too large" in result.stdout.str()
    for path in folder.root.rglob("*.json"):
        json.loads(path.read_bytes())
    for path in [*folder.root.rglob("*.part"), folder.root / "out/spend.jsonl"]:
        content = path.read_bytes()
        assert content.endswith(b"\n") or not content
        assert len(read_lines(path)) == content.count(b"\n")
    monkeypatch.delenv("LIMIT")
    assert folder.run("--membench-record=new", "-n2", subprocess=True).ret == 0
    assert folder.score()["n"] == 4


def test_a_manifest_that_no_worker_can_write_reaches_the_table(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers hand it to the process that shows the table."""
    folder.write("conftest.py", LIMITED)
    monkeypatch.setenv("LIMIT", "10")
    result = folder.run("--membench-record=new", "-n2", subprocess=True)
    assert result.ret == 6, result.stdout.str()
    result.stdout.fnmatch_lines(["*membench: INCOMPLETE*", "INCOMPLETE: *manifest.json: cannot be written*"])
    assert folder.score()["not_run"] == 4
