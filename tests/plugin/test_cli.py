"""The `membench` command, on results folders that the small benchmark wrote."""

import json
import shutil
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from bench_folder import DESIGN, GOLDS, Folder
from click.testing import CliRunner

from pytest_membench.cli import main

NOTES = '''
"""Ask the model for a note at every turn; breaks off at the third until the file `mended` exists."""
from dataclasses import dataclass
from pathlib import Path

from pytest_membench import LLM, Batch, Design, Snippet


@dataclass(frozen=True)
class Notes(Design[list[str]]):
    label = "notes"
    recent = 0

    def start(self) -> list[str]:
        return []

    def ingest(self, state: list[str], batch: Batch, llm: LLM) -> list[str]:
        if len(state) == 2 and not Path("mended").exists():
            raise OSError("the disk is full")
        return [*state, llm.chat([{"role": "user", "content": str(batch)}]).text]

    def recall(self, state: list[str], question: str, llm: LLM) -> list[Snippet]:
        return [Snippet(line) for line in state]
'''


def membench(*args: str, code: int = 0) -> str:
    """Run the command in the current folder and return all that it printed; it may not raise."""
    result = CliRunner().invoke(main, args)
    assert result.exception is None or isinstance(result.exception, SystemExit), repr(result.exception)
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result.output


def row_of(text: str, start: str) -> list[str]:
    """Return the cells of the line that starts so."""
    return next(line for line in text.splitlines() if line.startswith(start))[len(start) :].split()


def record(folder: Folder, out: str, *golds: str, design: str = "window") -> None:
    """Run a session with these golds into the folder `out`."""
    folder.people(ada=golds or GOLDS)
    folder.run(f"--membench-out={out}", f"--design={design}")


# --- report --------------------------------------------------------------------------------------


def test_report_shows_what_lies_behind_the_scores(folder: Folder) -> None:
    """The scores of the session, the memory's size, where facts were lost; with --probes every item."""
    folder.run()
    text = membench("report", "out")
    assert row_of(text, "window ")[0] == "62.5"
    assert "facts lost by" in text
    assert row_of(text, "window (sim)")[-2:] == ["not", "available"]
    assert "ada recall-04" not in text
    lines = membench("report", "out", "--probes").splitlines()
    shown = [line.split()[1:4] for line in lines if line.startswith("window ada")]
    assert shown == [["ada", f"recall-0{n}", label] for n, label in enumerate(GOLDS, 1)]


def test_report_of_a_killed_session_says_what_was_not_run(folder: Folder) -> None:
    """Without summary and without one result: the score is of the others and is marked."""
    folder.run()
    (folder.root / "out/summary.json").unlink()
    (folder.root / "out/sim/rows/window/ada/recall-04.json").unlink()
    text = membench("report", "out", "--probes")
    assert "INCOMPLETE" in text
    assert "sim window: 1 not run, 0 not judged, of 4" in text
    assert row_of(text, "window ")[0] == "83.3?"
    assert "no result arrived" in next(line for line in text.splitlines() if "recall-04" in line)


def test_a_session_with_no_result_at_all_is_reported(folder: Folder) -> None:
    """A build that failed leaves no score: a dash, never 0."""
    folder.write("designs/broken.py", DESIGN.replace("return [*state", "return [{}[1]"))
    folder.run("--design=broken")
    text = membench("report", "out", "--probes")
    assert row_of(text, "broken ")[:3] == ["-", "-", "0"]
    assert "the memory could not be built" in text


@pytest.mark.parametrize("command", ["report", "rescore", "prune"])
def test_a_folder_that_is_none_of_ours_is_named(pytester: pytest.Pytester, command: str) -> None:
    """Without a manifest, with another program's, or with a torn one: one message, exit code 4."""
    other = pytester.mkdir("other")
    pytester.mkdir("cassettes")
    assert "other: is no results folder, it has no manifest.json" in membench(command, "other", code=4)
    (other / "manifest.json").write_text('{"name": "a web app"}')
    assert "is no manifest of a session" in membench(command, "other", code=4)
    (other / "manifest.json").write_text("{")
    assert "cannot be read as JSON" in membench(command, "other", code=4)
    assert "does not exist" in membench(command, "nowhere", code=2)


# --- compare -------------------------------------------------------------------------------------


def test_compare_shows_what_changed_in_a_design(folder: Folder) -> None:
    """The same design in two sessions: one question worse, one better by half."""
    record(folder, "a")
    record(folder, "b", "correct", "wrong", "partial", "partial")
    text = membench("compare", "a", "b")
    assert row_of(text, "window (sim) - window (sim)  ") == ["-12.5", "-75.0", "to", "37.5", "4", "1", "1", "1.0000"]
    assert "worse: ada recall-02" in text
    assert "better: ada recall-04" in text
    assert "left out" not in text
    assert row_of(text, "recall ")[0] == "-12.5"


def test_compare_sets_two_designs_against_each_other(folder: Folder) -> None:
    """Each session has one design: these two; with the order turned the sign turns."""
    record(folder, "a", "correct", "unpaid", "partial", "wrong")
    folder.write("designs/other.py", DESIGN.replace('"window"', '"other"'))
    record(folder, "b", "correct", "correct", "correct", "correct", design="other")
    text = membench("compare", "a", "b")
    assert row_of(text, "other (sim) - window (sim)  ")[0] == "+50.0"
    assert "other (sim) - window (sim): 1 questions are left out, without a verdict on both sides" in text
    assert row_of(membench("compare", "b", "a"), "window (sim) - other (sim)  ")[0] == "-50.0"


def edit(folder: Folder, out: str, **fields: Any) -> None:
    """Change fields of a session's manifest, and its rows' with them where they name a design."""
    path = folder.root / out / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **fields}))


def test_what_cannot_be_compared_is_said_in_one_message(folder: Folder) -> None:
    """Other suites, other judges, no shared question: exit code 4 and both folders' names."""
    record(folder, "a", "correct", "wrong")
    shutil.copytree(folder.root / "a", folder.root / "b")
    edit(folder, "b", suite="people")
    for command in ("compare", "pool"):
        assert "suites" in membench(command, "a", "b", code=4)
    edit(folder, "b", suite="tiny", judge="gpt-oss", session="another")
    for command in ("compare", "pool"):
        assert "judged by gpt-oss, sim" in membench(command, "a", "b", code=4)
    edit(folder, "b", judge="sim")
    assert "a and b share no question that has a verdict in both" in membench("compare", "a", "b", code=4)


def test_sessions_without_a_shared_design_cannot_be_compared(folder: Folder) -> None:
    """Two designs against one other: the message lists them."""
    record(folder, "a", "correct", design="window,window(n=1)")
    record(folder, "b", "correct", design="window(n=3)")
    text = membench("compare", "a", "b", code=4)
    assert "membench: a and b share no design: they have window (sim), window(n=1) (sim) and window(n=3) (sim)" in text


# --- pool ----------------------------------------------------------------------------------------


def test_two_sessions_pooled_are_one_of_two_repeats(folder: Folder) -> None:
    """`--membench-repeats=2` gives the summary of two sessions of one repeat with the same verdicts."""
    record(folder, "a", "correct", "partial", "wrong", "unpaid")
    record(folder, "b", "correct", "partial", "wrong", "unpaid")
    folder.run("--membench-out=two", "--membench-repeats=2")
    pooled = json.loads(membench("pool", "a", "b", "--json"))
    whole = json.loads((folder.root / "two/summary.json").read_text())
    assert pooled["summary"] == {name: whole[name] for name in pooled["summary"]}
    assert pooled["differences"] == []
    row = pooled["summary"]["scores"]["sim"]["window"]
    assert (row["score"], row["n"], row["not_judged"]) == (50.0, 6, 2)
    assert json.loads(membench("pool", "two", "--json")) == pooled


def test_pool_averages_a_question_before_it_compares_designs(folder: Folder) -> None:
    """Two designs, two sessions each with other verdicts; swapping the pairing of one changes the interval."""
    both = "window,window(n=1)"
    record(folder, "a", *["correct", "wrong"] * 3, design=both)
    record(folder, "b", *["correct", "wrong"] * 2, "correct", "correct", design=both)
    text = membench("pool", "a", "b")
    assert "results: a, b" in text
    assert row_of(text, "window ")[0] == "58.3"
    assert row_of(text, "window(n=1) (sim) - window (sim)  ") == ["+0.0", "0.0", "to", "0.0", "6", "0", "0", "1.0000"]
    for out in ("a", "b"):
        _rotate(folder.root / out / "sim/rows/window(n=1)/ada")
    (pair,) = json.loads(membench("pool", "a", "b", "--json"))["differences"]
    assert pair["difference"] == 0.0
    assert pair["interval"][0] < -30
    assert pair["interval"][1] > 30


def _rotate(rows: Path) -> None:
    """Give each question the verdict of the next one: the same verdicts in another pairing."""
    paths = sorted(rows.glob("*.json"))
    contents = [json.loads(path.read_text()) for path in paths]
    for path, own, after in zip(paths, contents, [*contents[1:], contents[0]], strict=True):
        path.write_text(json.dumps({**own, "outcome": after["outcome"], "score": after["score"]}))


def test_a_session_is_not_pooled_with_itself(folder: Folder) -> None:
    """The same folder twice, or a copy of it, is no second repeat."""
    record(folder, "a", "correct")
    assert "a and a hold the same session; give each session once" in membench("pool", "a", "a", code=4)


# --- audit and rescore ---------------------------------------------------------------------------


def test_rescore_leaves_out_what_the_audit_excludes(folder: Folder) -> None:
    """The wrong answer's probe is excluded: 5 of 6 points from 3 answers, in table and summary alike."""
    folder.run()
    text = membench("audit", "tiny", "--exclude", "ada:recall-04", "--reason", "fits two golds")
    assert text.startswith("wrote ")
    assert text.strip().endswith("benchmarks/suites/tiny/audit/ada.json")
    text = membench("rescore", "out")
    assert row_of(text, "window ")[0] == "83.3"
    assert "1 of 4 items are left out: the suite no longer asks their questions" in text
    row = folder.score()
    assert (row["score"], row["n"], row["wrong"], folder.summary()["complete"]) == (83.3, 3, 0, True)
    assert "83.3" in (folder.root / "out/report.md").read_text()


def test_rescore_does_not_judge_by_a_gold_that_changed(folder: Folder) -> None:
    """After a correction the probe is not judged: neither wrong, nor right, nor out of sight."""
    folder.run()
    before = (folder.root / "benchmarks/suites/tiny/spec/ada.json").read_bytes()
    assert row_of(membench("rescore", "out"), "window ")[0] == "62.5"
    membench("audit", "tiny", "--correct", "ada:recall-04", "--gold", "correct now", "--reason", "a misprint")
    assert (folder.root / "benchmarks/suites/tiny/spec/ada.json").read_bytes() == before
    text = membench("rescore", "out", "--suite", "benchmarks/suites/tiny")
    assert row_of(text, "window ")[0] == "83.3?"
    assert "0 not run, 1 not judged, of 4" in text
    row = folder.score()
    assert (row["not_judged"], row["wrong"], row["n"], folder.summary()["complete"]) == (1, 0, 3, False)
    folder.run()
    assert folder.score()["correct"] == 3


def test_rescore_by_another_suite_is_refused(folder: Folder) -> None:
    """Another suite's golds say nothing of these labels; the summary stays."""
    folder.run()
    before = (folder.root / "out/summary.json").read_bytes()
    assert "is of suite 'tiny', not 'mini'" in membench("rescore", "out", "--suite", "mini", code=4)
    assert "no suite 'tinny'" in membench("rescore", "out", "--suite", "tinny", code=4)
    assert (folder.root / "out/summary.json").read_bytes() == before


def test_audit_shows_faults_and_what_to_read(folder: Folder) -> None:
    """A sound suite exits 0, one with faults 1; exclusions are listed with their reasons."""
    text = membench("audit", "mini")
    assert text.splitlines()[:2] == ["suite mini: 2 people, 48 probes", "no fault"]
    text = membench("audit", "tiny", code=1)
    assert "fault: ada: recall-01: check.key is missing" in text
    membench("audit", "tiny", "--exclude", "ada:recall-01", "--reason", "fits two golds")
    text = membench("audit", "tiny", code=1)
    assert "suite tiny: 1 people, 3 probes" in text
    assert "excluded: ada recall-01: fits two golds" in text
    assert "fault: ada: recall-01" not in text


def test_audit_takes_the_number_of_repeated_sentences(folder: Folder) -> None:
    """--repeats overrides what the suite demands of sentences."""
    path = folder.root / "benchmarks/suites/tiny/chat/ada.json"
    path.write_text(
        path.read_text().replace('"turn 0 of ada"', '"one two three four five six. One two three four five six."')
    )
    assert "stands 2 times, 1 allowed" in membench("audit", "tiny", code=1)
    assert "stands 2 times" not in membench("audit", "tiny", "--repeats", "2", code=1)


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["tinny"], 4, "no suite 'tinny'"),
        (["tiny", "--exclude", "ada"], 2, "write PERSON:PROBE"),
        (["tiny", "--exclude", "ada:recall-01"], 4, "needs a reason"),
        (["tiny", "--exclude", "ada:recall-99", "--reason", "r"], 4, "ada has no probe 'recall-99'"),
        (["tiny", "--exclude", "eve:recall-01", "--reason", "r"], 4, "suite 'tiny' has no person 'eve'; it has ada"),
        (["tiny", "--correct", "ada:recall-01", "--reason", "r"], 2, "--correct needs --gold"),
        (["tiny", "--correct", "ada:recall-01", "--gold", " ", "--reason", "r"], 4, "the gold is empty"),
        (["tiny", "--correct", "a:b", "--exclude", "ada:recall-01", "--reason", "r"], 2, "write one, then the other"),
    ],
)
def test_an_audit_row_that_cannot_be_is_refused(folder: Folder, args: list[str], code: int, message: str) -> None:
    """What is missing or unknown is named, and nothing is written."""
    assert message in membench("audit", *args, code=code)
    assert not (folder.root / "benchmarks/suites/tiny/audit").exists()


# --- people and init -----------------------------------------------------------------------------


def test_people_writes_a_suite_that_passes_its_audit(pytester: pytest.Pytester) -> None:
    """The command says whom it wrote, and the audit of what it wrote finds no fault."""
    pytest.importorskip("pytest_membench.suites.people", exc_type=ImportError)
    text = membench("people", "--seed", "7", "--people", "1", "--out", "fresh")
    assert text.startswith("wrote fresh: ")
    assert len(list((pytester.path / "fresh/chat").glob("*.json"))) == 1
    assert "no fault" in membench("audit", "fresh")


def test_what_init_writes_runs(pytester: pytest.Pytester) -> None:
    """In an empty folder: init, then the command that it names, and the session is complete."""
    text = membench("init")
    assert "wrote designs/mine.py" in text
    assert "next: pytest benchmarks --design=mine --membench-update-baseline" in text.splitlines()
    small = ("--membench-grid=15x50", "--membench-seeds=1", "-p", "no:randomly")
    result = pytester.runpytest_inprocess("benchmarks", "--design=mine", "--membench-out=out", *small)
    assert result.ret == 0
    summary = json.loads((pytester.path / "out/summary.json").read_text())
    assert summary["complete"]
    assert summary["scores"]["sim"]["mine"]["n"] >= 7
    assert (pytester.path / ".github/workflows/membench.yml").exists()
    replayed = pytester.runpytest_inprocess("benchmarks", "--design=all", "--membench-record=none", *small)
    assert replayed.ret == 0


def test_init_overwrites_nothing(pytester: pytest.Pytester) -> None:
    """A second init names the first file that is there; a folder to write to may be given."""
    membench("init", "sub")
    path = pytester.path / "sub/designs/mine.py"
    path.write_text("# my work")
    assert "exists already; run `membench init` in an empty folder" in membench("init", "sub", code=4)
    assert path.read_text() == "# my work"


# --- prune ---------------------------------------------------------------------------------------


def test_prune_removes_what_nobody_asked_for_and_the_rest_replays(folder: Folder) -> None:
    """A question changed: its old answer and verdict are unused, told, removed once, and not missed."""
    folder.run()
    spec = folder.root / "benchmarks/suites/tiny/spec/ada.json"
    spec.write_text(spec.read_text().replace("what is thing 2?", "what is thing 2!"))
    result = folder.run("--membench-record=new")
    result.stdout.fnmatch_lines(["2 recordings were not asked for; membench prune RESULTS removes them."])
    assert folder.score()["unused_recordings"] == 2
    assert membench("prune", "out") == "removed 2 recordings that nobody asked for\n"
    assert membench("prune", "out") == "removed 0 recordings that nobody asked for\n"
    assert "were not asked for" not in membench("report", "out")
    assert folder.run("--membench-record=none").ret == 0
    assert folder.score()["unused_recordings"] == 0


def notes(folder: Folder, out: str, *args: str) -> pytest.RunResult:
    """Run the design that asks the model at every turn."""
    folder.write("designs/notes.py", NOTES)
    return folder.run("--design=notes", f"--membench-out={out}", *args)


def test_prune_keeps_the_recordings_of_a_memory(folder: Folder) -> None:
    """Of a chat that lost its last turn, the last write is unused; pruned once and twice, the rest replays."""
    folder.write("mended", "")
    assert notes(folder, "a").ret == 0
    chat = folder.root / "benchmarks/suites/tiny/chat/ada.json"
    content = json.loads(chat.read_text())
    chat.write_text(json.dumps({"messages": content["messages"][1:3]}))
    spec = folder.root / "benchmarks/suites/tiny/spec/ada.json"
    spec.write_text(spec.read_text().replace("[0]", "[1]"))
    assert notes(folder, "b", "--membench-record=new").ret == 0
    state = json.loads((folder.root / "b/sim/mem/notes/ada.json").read_text())["state"]
    removed = int(membench("prune", "b").split()[1])
    assert removed >= 2
    assert membench("prune", "b").split()[1] == "0"
    memory = json.loads((folder.root / "b/sim/mem/notes/ada.json").read_text())
    assert (memory["state"], memory["unused"]) == (state, [])
    assert notes(folder, "c", "--membench-record=none").ret == 0


def test_prune_keeps_what_a_resumed_build_was_made_of(folder: Folder) -> None:
    """A build that broke off and was taken up again needs its first recordings too, in a fresh folder."""
    assert notes(folder, "a").ret == 6
    folder.write("mended", "")
    assert notes(folder, "a").ret == 0
    assert membench("prune", "a").split()[1] == "0"
    assert notes(folder, "b", "--membench-record=none").ret == 0


# --- the command itself --------------------------------------------------------------------------


def test_help_names_every_command() -> None:
    """Each command stands in the help with what it is for; the version is the package's."""
    text = membench("-h")
    for command in ("report", "compare", "pool", "rescore", "audit", "people", "init", "prune"):
        assert f"\n  {command} " in text
    assert version("pytest-membench") in membench("--version")


# --- flaky ---------------------------------------------------------------------------------------


def test_flaky_lists_what_flips_between_sessions(folder: Folder) -> None:
    """Two sessions with one gold that changed its mind; as text and as JSON."""
    record(folder, "a")
    record(folder, "b", "correct", "wrong", "partial", "wrong")
    text = membench("flaky", "a", "b")
    assert "window (sim): 1 of 4 probes came out differently." in text
    assert row_of(text, "ada recall-02") == [".w", "50.0", "100%", "100%"]
    assert "ada recall-01" not in text
    (found,) = json.loads(membench("flaky", "a", "b", "--json"))
    assert found["unstable"] == 1
    assert "each probe has one verdict or none" in membench("flaky", "a", code=4)
