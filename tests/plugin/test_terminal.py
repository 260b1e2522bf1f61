"""What a person reads while a run goes on and when it ends."""

import pytest
from bench_folder import Folder

from pytest_membench.plugin import terminal


def _row(usd: float | None = None) -> dict[str, object]:
    return {
        "calls": {"live": 3, "replayed": 1, "failed": 0},
        "tokens": {"answer": {"input": 1200, "output": 30}, "judge": {"input": None, "output": 5}},
        "usd": {"answer": usd},
    }


def test_progress_counts_items_calls_and_tokens() -> None:
    """The line says how many items are done, of how many, and what they took."""
    progress = terminal.Progress()
    progress.add(_row(0.25))
    progress.add(_row(0.5))
    line = progress.line(540)
    assert line == ("membench: 2 of 540 items; calls: 6 made, 2 replayed; tokens: 2,400 in, 70 out; 0.7500 USD")


def test_progress_says_when_there_is_no_price() -> None:
    """One unpriced item makes the money unknown for the rest of the run."""
    progress = terminal.Progress()
    progress.add(_row(None))
    progress.add(_row(0.5))
    assert progress.line(None).endswith("no price")


def test_progress_shows_a_line_every_so_often(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a long run a line of progress appears between the letters."""
    monkeypatch.setattr(terminal, "EVERY_S", 0.0)
    result = folder.run()
    lines = [line for line in result.stdout.lines if line.startswith("membench: ")]
    assert lines[0].startswith("membench: 1 of 4 items; calls: ")
    assert lines[-1].startswith("membench: 4 of 4 items; calls: 10 made, 0 replayed")


def test_the_table_names_suite_model_and_folder(folder: Folder) -> None:
    """The table says what was asked of whom, shows score and interval, and where results lie."""
    result = folder.run()
    text = result.stdout.str()
    assert "suite tiny: 4 probes about ada; model sim, judge sim" in text
    assert "62.5" in text
    assert "its scores say nothing about real models" in text
    assert f"results: {folder.root / 'out'}" in text


def test_default_results_folder_is_named_by_time(folder: Folder) -> None:
    """Without --membench-out results go to a new folder under .membench."""
    folder.pytester.runpytest_inprocess("benchmarks", "-p", "no:randomly")
    folder.pytester.runpytest_inprocess("benchmarks", "-p", "no:randomly")
    assert len(list((folder.root / ".membench").iterdir())) == 2
