"""What holds however pytest is run: plain, -n0, -n2, without xdist."""

import pytest
from bench_folder import DESIGN, Folder


def test_summary_is_the_same_bytes_in_every_way(folder: Folder, way: tuple[str, ...]) -> None:
    """Two runs of the same benchmark write the same summary.json, however they are spread over workers."""
    folder.people(ada=("correct", "partial"), bo=("wrong", "correct"))
    folder.run()
    plain = (folder.root / "out/summary.json").read_bytes()
    (folder.root / "out/summary.json").unlink()
    result = folder.run(*way)
    assert result.ret == 0
    assert (folder.root / "out/summary.json").read_bytes() == plain


def test_verdicts_have_counts_of_their_own(folder: Folder, way: tuple[str, ...]) -> None:
    """A wrong answer passes, and correct, partial and wrong stand in pytest's last line."""
    result = folder.run(*way)
    assert result.ret == 0
    last = result.stdout.lines[-1]
    assert all(part in last for part in ("2 correct", "1 partial", "1 wrong"))
    row = folder.score()
    assert (row["correct"], row["partial"], row["wrong"], row["score"]) == (2, 1, 1, 62.5)


def test_an_item_not_judged_is_incomplete_and_never_a_miss(folder: Folder, way: tuple[str, ...]) -> None:
    """A judge that refuses one call leaves that item without a score, and the exit code is 6."""
    folder.people(ada=("correct", "unpaid"))
    result = folder.run(*way)
    assert result.ret == 6
    row = folder.score()
    assert (row["score"], row["n"], row["not_judged"], row["wrong"]) == (100.0, 1, 1, 0)
    assert not folder.summary()["complete"]
    assert "INCOMPLETE" in result.stdout.str()
    assert "HTTP 402: " in result.stdout.str()


def test_strict_replay_of_a_changed_prompt_fails_those_items(folder: Folder, way: tuple[str, ...]) -> None:
    """A changed prompt is not recorded: the message names design, probe and the message that differs."""
    assert folder.run().ret == 0
    spec = folder.root / "benchmarks/suites/tiny/spec/ada.json"
    spec.write_text(spec.read_text().replace("what is thing 2?", "what is thing 2!"))
    result = folder.run("--membench-record=none", *way)
    assert result.ret == 6
    text = result.stdout.str()
    assert "not run: window, ada recall-02" in text
    assert "the first message that differs is number 2" in text
    assert "--membench-record=new" in text
    row = folder.score()
    assert (row["not_run"], row["not_recorded"], row["wrong"], row["n"]) == (1, 1, 1, 3)


def test_strict_replay_gives_the_same_summary_without_a_model(folder: Folder, way: tuple[str, ...]) -> None:
    """What was recorded replays to the same bytes, though no call leaves the process."""
    folder.run()
    recorded = (folder.root / "out/summary.json").read_bytes()
    conftest = folder.root / "conftest.py"
    conftest.write_text(conftest.read_text().replace("def reply(request):", "def reply(request):\n    assert 0\n"))
    assert folder.run("--membench-record=none", *way).ret == 0
    assert (folder.root / "out/summary.json").read_bytes() == recorded


def test_a_result_that_was_written_counts_though_its_report_never_came(folder: Folder) -> None:
    """Ctrl-C between an item's end and its report loses nothing that was finished."""
    folder.write(
        "benchmarks/conftest.py",
        "import pytest\n\n@pytest.hookimpl(wrapper=True)\ndef pytest_runtest_call(item):\n    yield\n"
        "    if item.name.endswith('02]'):\n        raise KeyboardInterrupt\n",
    )
    assert folder.run(subprocess=True).ret == pytest.ExitCode.INTERRUPTED
    row = folder.score()
    assert (row["n"], row["correct"], row["not_run"]) == (2, 2, 2)


def test_a_worker_that_dies_loses_its_item_alone(folder: Folder) -> None:
    """After a worker is killed the other results stand, the session is incomplete and says so."""
    folder.people(ada=["correct"] * 3 + ["wrong"] * 3)
    folder.write("designs/deadly.py", _deadly())
    result = folder.run("--design=deadly", "-n2", subprocess=True)
    assert result.ret == 6
    row = folder.summary()["scores"]["sim"]["deadly"]
    assert (row["not_run"], row["correct"] + row["wrong"], row["n"]) == (1, 5, 5)
    result.stdout.fnmatch_lines(["*INCOMPLETE*"])


def test_a_worker_that_dies_and_is_not_replaced_leaves_nothing_unsaid(folder: Folder) -> None:
    """Items that no worker ever ran count as not run: expected ids are compared with received ones."""
    folder.people(ada=["correct"] * 6)
    folder.write("designs/deadly.py", _deadly())
    result = folder.run("--design=deadly", "-n1", "--max-worker-restart=0", subprocess=True)
    assert result.ret in (2, 6)
    row = folder.summary()["scores"]["sim"]["deadly"]
    assert row["not_run"] + row["n"] == 6
    assert row["not_run"] >= 1


def _deadly() -> str:
    lines = DESIGN.replace("Window", "Deadly").replace('"window"', '"deadly"')
    return lines.replace(
        "        return [Snippet",
        "        import os\n        if 'thing 2' in question:\n            os._exit(9)\n        return [Snippet",
    )


def test_every_judge_call_refused_prints_no_score(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """A judge without credit for the whole run gives a dash where a score would stand."""
    monkeypatch.setenv("UNPAID", "1")
    result = folder.run()
    assert result.ret == 6
    row = folder.score()
    assert (row["score"], row["interval"], row["n"], row["not_judged"]) == (None, None, 0, 4)
    result.stdout.re_match_lines([r"window\s+-\s+-\s+0 .*"])
