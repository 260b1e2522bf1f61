"""A session split by pytest-split and merged is the unsplit session, and what machines recorded comes together."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from bench_folder import Folder
from test_cli import membench

from pytest_membench.store import read_lines

ROOT = Path(__file__).parents[2]
TEST_COST = (ROOT / "benchmarks/test_cost.py").read_text(encoding="utf-8")


def split(folder: Folder, groups: int, *options: str, into: str = "part") -> list[str]:
    """Run each group as a machine of its own would, and return the results folders."""
    parts = [f"{into}{group}" for group in range(1, groups + 1)]
    for group, part in enumerate(parts, 1):
        folder.run(f"--splits={groups}", f"--group={group}", *options, f"--membench-out={part}")
    return parts


def same(folder: Folder, first: str, second: str, names: Sequence[str] = ("summary.json", "report.md")) -> bool:
    """Whether the files of two results folders are the same bytes."""
    return all((folder.root / first / n).read_bytes() == (folder.root / second / n).read_bytes() for n in names)


def test_the_demo_split_over_two_machines_is_the_demo(pytester: pytest.Pytester) -> None:
    """Replayed from the committed cassettes, split in two and merged: the same summary.json and report.md, byte for byte."""
    for name in ("benchmarks", "cassettes/sim/mini", "designs"):
        shutil.copytree(ROOT / name, pytester.path / name)
    pytester.makeini("[pytest]\nmembench_suite = mini\nmembench_model = sim\n")
    designs = ("benchmarks/test_probes.py", "--design=no_memory,rolling_summary")
    options = (*designs, "--membench-record=none", "-p", "no:randomly")
    for out, more in (("whole", ()), ("p1", ("--splits=2", "--group=1")), ("p2", ("--splits=2", "--group=2"))):
        assert pytester.runpytest_inprocess(*options, f"--membench-out={out}", *more).ret == 0
    text = membench("merge", "merged", "p2", "p1")
    assert "no_memory         33.3" in text
    for name in ("summary.json", "report.md"):
        assert (pytester.path / "merged" / name).read_bytes() == (pytester.path / "whole" / name).read_bytes()


@pytest.mark.parametrize("algorithm", ["duration_based_chunks", "least_duration"])
def test_any_way_to_split_gives_the_same(folder: Folder, algorithm: str) -> None:
    """Chunks in order or tests dealt out, over more machines than people, under workers."""
    folder.people(ada=("correct", "partial"), bo=("wrong", "correct", "partial"))
    folder.run("--membench-out=whole")
    parts = split(folder, 3, f"--splitting-algorithm={algorithm}", "-n0")
    membench("merge", "merged", *parts)
    assert same(folder, "merged", "whole")
    assert len(read_lines(folder.root / "merged/spend.jsonl")) == sum(
        len(read_lines(folder.root / part / "spend.jsonl")) for part in parts
    )


def test_shards_by_person_need_no_plugin(folder: Folder) -> None:
    """`-k ada` on one machine and `-k bo` on the other are parts too."""
    folder.people(ada=("correct", "partial"), bo=("wrong",))
    folder.run("--membench-out=whole")
    for person in ("ada", "bo"):
        folder.run(f"--membench-out={person}", "-k", person)
    membench("merge", "merged", "bo", "ada")
    assert same(folder, "merged", "whole")


def test_a_missing_machine_makes_it_incomplete(folder: Folder) -> None:
    """Exit code 6 and a note; with the part that was missing the session is whole."""
    folder.run("--membench-out=whole")
    one, two = split(folder, 2)
    text = membench("merge", "half", one, code=6)
    assert "sim window: 2 not run, 0 not judged, of 4" in text
    assert "note: 2 of 4 items have no result in any part" in text
    membench("merge", "merged", "half", two)
    assert same(folder, "merged", "whole")


def test_conversations_are_fitted_anew_over_all_parts(folder: Folder) -> None:
    """Cost model, break-even and the mechanism's error need all cells: they are worked out from the merged folder."""
    folder.write("benchmarks/test_cost.py", TEST_COST)
    grid = ("--membench-grid=3x25,5x25", "--membench-seeds=2")
    folder.run(*grid, "--membench-out=whole")
    membench("merge", "merged", *split(folder, 3, *grid))
    assert same(folder, "merged", "whole")
    mape = json.loads((folder.root / "merged/mechanism.json").read_text())["mape"]
    assert mape == json.loads((folder.root / "whole/mechanism.json").read_text())["mape"]
    assert mape["sim"].keys() == {"full_context", "window"}


def test_a_design_that_changed_since_has_no_mechanism(folder: Folder) -> None:
    """Without the code that was measured the mechanism's error is unknown, and the command says of whom."""
    folder.write("benchmarks/test_cost.py", TEST_COST)
    folder.run("--membench-grid=3x25,5x25", "--membench-out=part")
    design = folder.root / "designs/window.py"
    design.write_text(design.read_text() + "# another\n")
    assert "note: the mechanism's error is unknown of window" in membench("merge", "merged", "part")


def test_parts_of_two_designs_of_one_name_are_refused(folder: Folder) -> None:
    """A design that was edited between two parts is another design."""
    folder.run("--membench-out=a", "-k", "recall-01")
    design = folder.root / "designs/window.py"
    design.write_text(design.read_text() + "# another\n")
    folder.run("--membench-out=b", "-k", "recall-02")
    assert "a and b are not of one session: they differ in design window" in membench("merge", "m", "a", "b", code=4)


def test_what_two_machines_recorded_replays_as_one(folder: Folder) -> None:
    """Each records one person in its own copy; together they replay, and a second command has nothing to do."""
    folder.people(ada=("correct",), bo=("wrong",))
    for person in ("ada", "bo"):
        folder.run(f"--membench-cassettes=of-{person}", "-k", person)
    assert membench("merge-cassettes", "cassettes", "of-ada", "of-bo") == "copied 2 cassettes into cassettes\n"
    assert folder.run("--membench-record=none").ret == 0
    assert membench("merge-cassettes", "cassettes", "of-ada", "of-bo") == "copied 0 cassettes into cassettes\n"


def test_the_gate_waits_for_the_whole(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """No part is compared with the baseline; the merged session is, by the parts' limits, as the unsplit one would be."""
    limits = ("--membench-fail-under=60", "--membench-max-drop=20")
    folder.run("--membench-update-baseline")
    folder.people(ada=("correct", "wrong", "wrong", "wrong"))
    spec = folder.root / "benchmarks/baselines/sim/tiny/window.json"
    baseline = json.loads(spec.read_text())
    assert folder.run("--membench-out=stale").ret == 7
    assert folder.run("--membench-update-baseline").ret == 0
    changed = json.loads(spec.read_text())
    spec.write_text(json.dumps({**changed, "probes": baseline["probes"]}))
    assert folder.run("--membench-out=whole", *limits).ret == 1
    parts = split(folder, 2, *limits)
    diags = [json.loads((folder.root / part / "summary.json").read_text())["gate"] for part in parts]
    assert diags == [{}, {}]
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(folder.root / "step.md"))
    text = membench("merge", "merged", *parts, code=1)
    assert "gate: sim window: REGRESSED" in text
    assert same(folder, "merged", "whole")
    assert (folder.root / "step.md").read_text() == (folder.root / "merged/report.md").read_text()


def test_a_part_is_no_baseline(folder: Folder) -> None:
    """It would leave out what the other machines ran; the merged folder may become one."""
    result = folder.run("--membench-update-baseline", "--splits=2", "--group=1")
    assert result.ret == 4
    assert "a baseline needs the whole suite" in result.stderr.str()
    parts = split(folder, 2)
    membench("merge", "merged", *parts)
    assert "baseline: wrote" in membench("gate", "merged", "--update")


@pytest.mark.parametrize("command", ["gate", "rescore"])
def test_commands_do_not_compare_a_part_either(folder: Folder, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    """It lacks probes; they say what compares the whole."""
    folder.run("--membench-update-baseline")
    folder.run("--splits=2", "--group=1", "--membench-out=p1")
    monkeypatch.chdir(folder.root)
    said = membench(command, "p1")
    assert "this is a part of a session; `membench merge OUT PARTS`" in said
    assert "no baseline" not in said
