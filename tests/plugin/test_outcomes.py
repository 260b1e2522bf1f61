"""How an item's result reaches pytest: letters, failures, files, exit codes."""

import json

import pytest
from bench_folder import DESIGN, Folder


def test_letters_tell_verdicts_apart(folder: Folder) -> None:
    """A dot is correct, p partial, w wrong and J not judged."""
    folder.people(ada=["correct", "partial", "wrong", "unpaid"])
    result = folder.run()
    result.stdout.fnmatch_lines(["benchmarks*test_probes.py .pwJ*"])


def test_strict_turns_wrong_answers_into_failures(folder: Folder) -> None:
    """With --membench-strict a wrong answer fails its item and the exit code is 1."""
    result = folder.run("--membench-strict")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert "wrong answer to ada recall-04" in result.stdout.str()
    assert folder.score()["wrong"] == 1


def test_a_judge_that_says_two_labels_is_not_believed(folder: Folder) -> None:
    """A reply that is no single label leaves the item not judged, with the reply in the message."""
    folder.people(ada=["say INCORRECT", "say {}", "correct"])
    result = folder.run()
    assert result.ret == 6
    assert "'INCORRECT'" in result.stdout.str()
    assert folder.score()["not_judged"] == 2


def test_a_fault_in_a_design_shows_its_traceback_and_is_not_run(folder: Folder) -> None:
    """An exception in the user's code points at their line, and scores nothing."""
    broken = DESIGN.replace("return [Snippet(line) for line in state]", "return [Snippet(state['oops'])]")
    folder.write("designs/broken.py", broken)
    result = folder.run("--design=broken")
    assert result.ret == 6
    assert "TypeError: list indices" in result.stdout.str()
    assert "state['oops']" in result.stdout.str()
    row = folder.summary()["scores"]["sim"]["broken"]
    assert (row["not_run"], row["score"]) == (4, None)


def test_a_build_that_fails_is_tried_once(folder: Folder) -> None:
    """All probes of a memory that cannot be built are not run for the same reason, after one try."""
    broken = DESIGN.replace(
        "        return [*state", "        print('BUILD', file=open('tries', 'a'))\n        return [{}[1]"
    )
    folder.write("designs/broken.py", broken)
    result = folder.run("--design=broken")
    assert result.ret == 6
    assert (folder.root / "tries").read_text().count("BUILD") == 1
    assert result.stdout.str().count("the memory could not be built") >= 3


def test_lf_reruns_what_was_not_judged(folder: Folder) -> None:
    """Items without a verdict are failures to pytest, so --lf selects them and nothing else."""
    folder.people(ada=["correct", "unpaid", "wrong"])
    folder.run()
    result = folder.run("--lf", "--collect-only", "-q")
    assert [line for line in result.stdout.lines if "::" in line] == [
        "benchmarks/test_probes.py::test_probe[window-ada-recall-02]"
    ]


def test_junit_carries_the_result(folder: Folder) -> None:
    """Pytest's own JUnit file has each result as a property, in JSON."""
    folder.run("--junitxml=junit.xml")
    text = (folder.root / "junit.xml").read_text()
    assert text.count('name="membench"') == 4
    assert "&quot;outcome&quot;: &quot;wrong&quot;" in text


def test_the_results_folder_holds_every_stage(folder: Folder) -> None:
    """Memory, answer, both looks, ledger, summary, diagnosis and report lie where the guide says."""
    folder.run()
    files = {str(p.relative_to(folder.root / "out")) for p in (folder.root / "out").rglob("*") if p.is_file()}
    assert {
        "sim/mem/window/ada.json",
        "sim/ans/window/ada/recall-01.json",
        "sim/judge/window/ada/recall-01.json",
        "sim/judge2/window/ada/recall-04.json",
        "spend.jsonl",
        "summary.json",
        "diag.json",
        "report.md",
        "manifest.json",
    } <= files
    assert "sim/judge2/window/ada/recall-01.json" not in files


def test_the_ledger_has_a_line_for_each_call(folder: Folder) -> None:
    """Four answers, four first looks and two second looks are ten lines, live and then replayed."""
    folder.run()
    lines = [json.loads(line) for line in (folder.root / "out/spend.jsonl").read_text().splitlines()]
    assert len(lines) == 10
    assert {line["stage"] for line in lines} == {"answer", "judge"}
    assert not any(line["replayed"] for line in lines)
    assert {line["reasoning"] for line in lines} == {None}


def test_recording_again_pays_for_nothing(folder: Folder) -> None:
    """A second session in mode new replays every call; the ledger shows it."""
    folder.run()
    (folder.root / "out/spend.jsonl").unlink()
    folder.run("--membench-record=new")
    lines = [json.loads(line) for line in (folder.root / "out/spend.jsonl").read_text().splitlines()]
    assert len(lines) == 10
    assert all(line["replayed"] for line in lines)


def test_unknown_tokens_stay_unknown(folder: Folder) -> None:
    """An endpoint that reports no cached tokens leaves them null in the summary, not 0."""
    folder.run()
    assert folder.score()["tokens"]["answer"] == {"input": 400, "cached": None, "output": 40, "reasoning": None}


def test_a_price_file_gives_money(folder: Folder) -> None:
    """--membench-prices puts USD into the summary: input and output at their rates, the judge aside."""
    folder.write("prices.json", '[{"model": "sim", "provider": null, "input": 1.0, "output": 10.0}]')
    assert folder.run("--membench-prices=prices.json").ret == 0
    assert folder.score()["usd"] == pytest.approx((400 * 1.0 + 40 * 10.0) / 1e6)
    assert folder.summary()["settings"]["sim"]["priced"]


def test_a_model_without_a_price_gives_tokens_alone(folder: Folder) -> None:
    """No price means null and a line that says what to do, never 0."""
    result = folder.run()
    assert folder.score()["usd"] is None
    assert "no price for sim in the table; --membench-prices FILE adds one" in result.stdout.str()


def test_a_bad_price_file_is_told_at_collection(folder: Folder) -> None:
    """A price table with a wrong field names file, row and field, before anything is paid for."""
    folder.write("prices.json", '[{"model": "sim", "input": "cheap"}]')
    result = folder.run("--membench-prices=prices.json")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert "row 0: input is 'cheap'" in result.stdout.str() + result.stderr.str()


def test_first_failure_stops_with_x(folder: Folder) -> None:
    """-x stops at an item without a verdict; the rest is counted as not run."""
    folder.people(ada=["unpaid", "correct", "correct"])
    result = folder.run("-x")
    assert result.ret in (2, 6)
    row = folder.score()
    assert (row["not_judged"], row["not_run"], row["score"]) == (1, 2, None)
