"""The gate in use: a baseline is written, a worse design turns the session red and says why."""

import json
from pathlib import Path
from typing import Any

import pytest
from bench_folder import CONFTEST, Folder
from click.testing import CliRunner, Result
from jsonschema import Draft202012Validator

from pytest_membench.cli import main
from pytest_membench.report import schema
from pytest_membench.store import read_json, write_json

ECHO = CONFTEST.replace('"I heard: " + last.splitlines()[-1]', "last").replace(
    'gold = json.loads(last)["gold"]',
    'data = json.loads(last)\n    gold = "correct" if data["gold"] in data["answer"] else "wrong"',
)
"""A model that repeats its prompt, and a judge that looks for the gold in it: memory is all that counts."""
BASELINE = "benchmarks/baselines/sim/tiny/window.json"


@pytest.fixture
def gated(folder: Folder) -> Folder:
    """A benchmark of 12 probes on 4 turns that has a baseline, made by a window that holds all turns."""
    folder.write("conftest.py", ECHO)
    folder.people(ada=[f"turn {n % 4} of ada" for n in range(12)])
    folder.write("pytest.ini", "[pytest]\nmembench_suite = tiny\nmembench_design = window\nmembench_record = new\n")
    folder.write(
        "designs/window.py", (folder.root / "designs/window.py").read_text().replace("n: int = 2", "n: int = 4")
    )
    result = folder.run("--membench-update-baseline")
    assert result.ret == 0
    assert f"baseline: wrote {BASELINE}: 12 probes, 0 cells" in result.stdout.str()
    return folder


def shorten(folder: Folder, n: int) -> None:
    """Make the design worse: it keeps the last `n` turns alone."""
    path = folder.root / "designs/window.py"
    path.write_text(path.read_text().replace("n: int = 4", f"n: int = {n}"))


def gate(folder: Folder, *options: str) -> Result:
    """Run `membench gate out` in the benchmark's folder."""
    return CliRunner().invoke(main, ["gate", "out", *options], catch_exceptions=False)


def outcome(folder: Folder) -> Any:
    """Return what summary.json says of the one design."""
    return folder.summary()["gate"]["sim"]["window"]


def test_the_same_design_stays_green(gated: Folder) -> None:
    """A session that equals its baseline says so."""
    result = gated.run()
    assert result.ret == 0
    assert (
        "gate: sim window: OK: the same scores on 12 probes; the smallest drop that they can show is 41.7 points"
        in result.stdout.str()
    )
    assert outcome(gated)["verdict"] == "ok"


@pytest.mark.parametrize("way", [(), ("-n2",)], ids=["plain", "-n2"])
def test_a_worse_design_is_red_and_says_why(gated: Folder, way: tuple[str, ...]) -> None:
    """Each newly wrong probe shows question, gold, evidence, memory, answer, verdicts and its command."""
    shorten(gated, 1)
    result = gated.run(*way)
    assert result.ret == 1
    shown = result.stdout.str()
    assert shown.count("window ada/recall-") == 9
    for line in (
        "E   question  what is thing 2?",
        "E   gold      turn 1 of ada",
        "E   evidence  [2026-08-03 09:00] Ada: turn 0 of ada",
        "E   memory    [2026-08-06 09:00] Assistant: turn 3 of ada",
        "E   judge     second look: wrong (told to)",
        "E   score     1 in the baseline, 0 now",
        "E   rerun     pytest 'benchmarks/test_probes.py::test_probe[window-ada-recall-02]' --design=window",
        "gate: sim window: REGRESSED: -75.0 points: 9 of 12 probes fell, 0 rose, one-sided p 0.002",
    ):
        assert line in shown
    assert outcome(gated)["newly_wrong"][0] == "ada/recall-01"
    report = (gated.root / "out/report.md").read_text()
    assert "## Gate" in report
    assert "<summary><code>window ada/recall-02</code></summary>" in report


def test_the_outcome_is_what_the_schema_says(gated: Folder) -> None:
    """Every key of a red gate is described, and of the type that is described."""
    shorten(gated, 1)
    gated.run()
    Draft202012Validator(schema.load()).validate(gated.summary())
    assert outcome(gated).keys() == schema.load()["$defs"]["gate"]["properties"].keys()


def test_the_rerun_command_runs_that_probe_alone(gated: Folder) -> None:
    """What is printed is what runs: one item, compared on that one."""
    shorten(gated, 1)
    gated.run()
    result = gated.pytester.runpytest_inprocess(
        "benchmarks/test_probes.py::test_probe[window-ada-recall-02]", "--membench-out=out", "-p", "no:randomly"
    )
    assert "1 of 1 probes fell, 0 rose (of 12 in the baseline)" in result.stdout.str()
    assert outcome(gated)["verdict"] == "ok"


def test_membench_gate_does_the_same_from_the_folder(gated: Folder) -> None:
    """The same outcome and exit code; what broke is listed."""
    shorten(gated, 1)
    gated.run()
    before = outcome(gated)
    result = gate(gated)
    assert result.exit_code == 1
    assert "window ada/recall-02" in result.output
    assert outcome(gated) == before


def test_lost_results_are_incomplete_and_no_drop(gated: Folder) -> None:
    """Five deleted results: exit code 6, nothing newly wrong."""
    gated.run()
    for path in sorted((gated.root / "out/sim/rows/window/ada").iterdir())[:5]:
        path.unlink()
    result = gate(gated)
    assert result.exit_code == 6
    assert "INCOMPLETE: +0.0 points: 0 of 7 probes fell" in result.output
    assert "5 of 12 items were not run" in result.output


def test_another_judge_is_stale(gated: Folder) -> None:
    """Exit code 7, and the judge is named; the scores are not compared."""
    result = gated.run("--membench-judge=other")
    assert result.ret == 7
    assert "the baseline is stale: judge of the probes was 'sim' and is 'other'" in result.stdout.str()
    assert outcome(gated)["drop"] is None


def test_a_corrected_gold_is_stale(gated: Folder) -> None:
    """An audit row changes the yardstick, not the design."""
    row = {"id": "recall-01", "gold": "turn 3 of ada", "reason": "it was the other one"}
    gated.write("benchmarks/suites/tiny/audit/ada.json", json.dumps({"correct": [row]}))
    result = gated.run()
    assert result.ret == 7
    assert "golds and audit of the probes changed since" in result.stdout.str()


def test_one_kind_that_halves_while_another_rises(gated: Folder) -> None:
    """The score holds and the session is red all the same: the kind is named."""
    spec = gated.root / "benchmarks/suites/tiny/spec/ada.json"
    row = {"q": "what is it?", "evidence": [0]}
    probes = [{**row, "id": f"r-{n:02}", "kind": "recall", "gold": "turn 0 of ada"} for n in range(10)]
    probes += [{**row, "id": f"u-{n:02}", "kind": "update", "gold": "turn 9 of ada"} for n in range(10)]
    spec.write_text(json.dumps({"probes": probes}))
    gated.run("--membench-update-baseline")
    for path in (gated.root / "out/sim/rows/window/ada").iterdir():
        old = read_json(path)
        right = old["kind"] == "update" or old["probe"] > "r-05"
        write_json(path, {**old, "outcome": "correct" if right else "wrong", "score": float(right)})
    result = gate(gated)
    assert result.exit_code == 1
    assert "kind recall fell by 60.0 points on 10 probes" in result.output
    assert "-20.0" not in result.output


@pytest.mark.parametrize("selection", [("-k", "recall-01"), ("-m", "membench"), ("--lf",)], ids=["-k", "-m", "--lf"])
def test_a_selection_is_no_baseline(gated: Folder, selection: tuple[str, ...]) -> None:
    """It is refused before anything runs."""
    before = (gated.root / BASELINE).read_bytes()
    result = gated.run("--membench-update-baseline", *selection)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--membench-update-baseline with*a baseline needs the whole suite*"])
    assert (gated.root / BASELINE).read_bytes() == before


def test_an_incomplete_session_is_no_baseline(gated: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """What broke would be lost from every later comparison."""
    before = (gated.root / BASELINE).read_bytes()
    monkeypatch.setenv("UNPAID", "1")
    result = gated.run("--membench-update-baseline", "--membench-record=all")
    assert result.ret == 6
    assert "the session is incomplete; no baseline was written" in result.stdout.str()
    assert (gated.root / BASELINE).read_bytes() == before


def test_update_takes_worse_results_with_exit_code_0(gated: Folder) -> None:
    """Whoever updates has looked: the new results are the baseline, by the session or by the command."""
    shorten(gated, 1)
    assert gated.run("--membench-update-baseline").ret == 0
    shorten(gated, 4)
    assert gated.run().ret == 0
    assert len(outcome(gated)["newly_right"]) == 0
    result = gate(gated, "--update")
    assert (result.exit_code, f"baseline: wrote {BASELINE}" in result.output) == (0, True)


def test_without_design_the_baselined_designs_run(gated: Folder) -> None:
    """`pytest benchmarks` alone judges what has a baseline."""
    gated.write("pytest.ini", "[pytest]\nmembench_suite = tiny\nmembench_record = new\n")
    assert gated.run().ret == 0
    assert outcome(gated)["pairs"] == 12


def test_a_parameter_is_compared_with_the_design_itself(gated: Folder) -> None:
    """A variant on the command line needs no baseline of its own."""
    result = gated.run("--design=window(n=1)")
    assert result.ret == 1
    assert "compared with the baseline of window; it has none of its own" in result.stdout.str()


def test_a_file_that_is_no_baseline_is_named(gated: Folder) -> None:
    """Exit code 4; the session's results stand."""
    gated.write(BASELINE, "{}")
    result = gated.run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "window.json: is no baseline of schema 1" in result.stdout.str()
    assert gated.score()["score"] == 100.0


@pytest.mark.parametrize("option", ["fail-under=101", "max-drop=much", "max-cost-rise=-1"])
def test_a_limit_that_is_none_is_refused(gated: Folder, option: str) -> None:
    """The option is named with what it takes."""
    result = gated.run(f"--membench-{option}")
    assert result.ret != 0
    assert f"--membench-{option}: a number" in result.stdout.str()


def test_github_gets_annotations_and_a_page(gated: Folder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Errors stand at the design's file; the step's summary is the report with what broke."""
    page = tmp_path / "summary.md"
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(page))
    shorten(gated, 1)
    result = gated.run()
    lines = [line for line in result.stdout.lines if line.startswith("::error ")]
    assert len(lines) == 10
    assert lines[0].startswith("::error file=designs/window.py,title=membench%3A window regressed::the score fell")
    assert "newly wrong%3A window ada/recall-01" in lines[1]
    assert "%0A" in lines[1]
    assert page.read_text() == (gated.root / "out/report.md").read_text()


def test_a_step_summary_that_cannot_be_written_costs_a_line(gated: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """The table, the verdict and the exit code stand."""
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(gated.root / "nowhere/summary.md"))
    shorten(gated, 1)
    result = gated.run()
    assert result.ret == 1
    assert "the step's summary was not written" in result.stdout.str()
    assert "gate: sim window: REGRESSED" in result.stdout.str()


def test_membench_gate_keeps_the_limits_of_the_session(gated: Folder) -> None:
    """What turned the session red does so from its folder; a limit that is given goes before."""
    shorten(gated, 3)
    assert gated.run("--membench-fail-under=90").ret == 1
    result = gate(gated)
    assert "the score is 75.0 where --membench-fail-under wants 90" in result.output
    assert result.exit_code == 1
    assert gate(gated, "--fail-under=50").exit_code == 0


def test_a_folder_of_baselines_that_is_not_there(gated: Folder) -> None:
    """Named, it is a mistake; without any baseline there is nothing to fail, as in a session."""
    gated.run()
    result = gate(gated, "--baselines=elsewhere")
    assert (result.exit_code, "--baselines elsewhere: there is no such folder" in result.output) == (4, True)
    (gated.root / BASELINE).unlink()
    result = gate(gated)
    assert (result.exit_code, "gate: no baseline of these designs under" in result.output) == (0, True)


def test_a_reference_that_was_not_run_leaves_the_folder_incomplete(gated: Folder) -> None:
    """It is not compared, and the session is no whole one all the same: exit code 6, as pytest's."""
    gated.run()
    manifest = read_json(gated.root / "out/manifest.json")
    reference = {**manifest["items"][0], "design": "whole", "reference": True}
    write_json(gated.root / "out/manifest.json", {**manifest, "items": [*manifest["items"], reference]})
    result = gate(gated)
    assert result.exit_code == 6
    assert "gate: sim window: OK" in result.output
    assert "INCOMPLETE: an item was not run or not judged" in result.output


def test_a_rescored_session_is_measured_by_todays_audit(gated: Folder) -> None:
    """A probe that the audit takes away makes the old baseline stale, by name; a new session then agrees with it."""
    gated.run()
    row = {"id": "recall-01", "reason": "it can be read in two ways"}
    gated.write("benchmarks/suites/tiny/audit/ada.json", json.dumps({"exclude": [row]}))
    result = CliRunner().invoke(main, ["rescore", "out"], catch_exceptions=False)
    assert "the baseline is stale: golds and audit of the probes changed since" in result.output
    assert "the baseline is stale: questions of the probes changed since" in result.output
    assert gate(gated, "--update").exit_code == 0
    assert gated.run().ret == 0
    assert (outcome(gated)["verdict"], outcome(gated)["pairs"]) == ("ok", 11)
