"""`membench predict`, and the mechanism's error in a session's summary, on the small benchmark."""

import json
from pathlib import Path
from typing import Any

import pytest
from bench_folder import Folder
from click.testing import CliRunner

from pytest_membench.cli import main

TEST = """
def test_cost(membench_cost):
    membench_cost.run()
"""

NOTES = '''
"""Ask the model for a note every fourth turn."""
from dataclasses import dataclass

from pytest_membench import LLM, Batch, Design, EveryTurns, Snippet


@dataclass(frozen=True)
class Notes(Design[list[str]]):
    recent = 2
    schedule = EveryTurns(4)

    def start(self) -> list[str]:
        return []

    def ingest(self, state: list[str], batch: Batch, llm: LLM) -> list[str]:
        return [*state, llm.chat([{"role": "user", "content": str(batch)}]).text[:40]]

    def recall(self, state: list[str], question: str, llm: LLM) -> list[Snippet]:
        return [Snippet(line) for line in state]
'''


def membench(*args: str, code: int = 0) -> str:
    """Run the command in the current folder and return what it printed."""
    result = CliRunner().invoke(main, args)
    assert result.exception is None or isinstance(result.exception, SystemExit), repr(result.exception)
    assert result.exit_code == code, result.output
    return result.output


@pytest.fixture
def served(folder: Folder) -> Folder:
    """A session of cost runs in `out`."""
    folder.write("benchmarks/test_cost.py", TEST)
    folder.write("designs/notes.py", NOTES)
    grid = "--membench-grid=4x25,6x50,8x30"
    folder.run("--design=notes", grid, "-k", "test_cost", "--membench-record=new", "--membench-seeds=1")
    return folder


def costs(folder: Folder) -> dict[str, Any]:
    """Return the costs by design."""
    found: dict[str, Any] = folder.summary()["costs"]["sim"]
    return found


def test_the_summary_has_the_error_of_the_mechanism_and_reports_keep_it(served: Folder) -> None:
    """It stands beside the regression's in summary.json and in the table, also when the folder is read again."""
    error = costs(served)["notes"]["mechanism_mape"]
    assert error is not None
    assert error >= 0
    assert served.read("mechanism.json")["mape"]["sim"].keys() == {"notes", "full_context"}
    table = membench("report", "out")
    heading = next(line for line in table.splitlines() if line.startswith("cost model"))
    assert "held-out error" in heading.split("mechanism")[0]
    assert f"{error:.3f}" in next(line for line in table.splitlines() if line.startswith("notes"))


def test_replies_stand_beside_the_costs_and_answers_are_not_kept(served: Folder) -> None:
    """Of each chat call there is a line; the text of an answer is thrown away."""
    path = served.root / "out/sim/cost/notes/8x30-s1.replies.jsonl"
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [line["stage"] for line in lines].count("answer") == 8
    assert [line["stage"] for line in lines].count("ingest") == 2
    assert {line["stage"] for line in lines if line["text"] is not None} == {"ingest"}
    assert {line["billed"] for line in lines} == {100}


def test_predict_shows_cells_errors_and_a_warning_outside_of_the_range(served: Folder) -> None:
    """Of a cell within the measured range there is no warning."""
    text = membench("predict", "out", "--design=notes", "--grid=20x50,5x40")
    rows = {line.split()[0]: line.split() for line in text.splitlines() if line}
    assert float(rows["20x50"][1].replace(",", "")) > float(rows["5x40"][1].replace(",", "")) > 50
    assert {"4x25", "6x50", "8x30", "mean", "regression"} <= rows.keys()
    assert "warning: 20x50 lies outside of what was measured (4 to 8 turns of 25 to 50 tokens)" in text
    assert "warning: 5x40" not in text
    assert "has changed" not in text


def test_predict_says_when_the_design_has_changed(served: Folder) -> None:
    """Replies to earlier prompts are used, with a warning."""
    served.write("designs/notes.py", NOTES.replace("[:40]", "[:20]"))
    assert "warning: notes has changed since" in membench("predict", "out", "--design=notes", "--grid=5x40")


def test_predict_refuses_what_it_cannot_predict(served: Folder) -> None:
    """A design that was not measured, a bad cell and a grid without cells are told from each other."""
    assert "it has those of full_context, notes" in membench("predict", "out", "--design=window", "--grid=5x40", code=4)
    assert "--grid=5x4: '5x4' is no cell" in membench("predict", "out", "--design=notes", "--grid=5x4", code=4)
    assert "name the cells" in membench("predict", "out", "--design=notes", "--grid=paper", code=2)


def test_a_session_recorded_without_replies_has_no_error(served: Folder) -> None:
    """Results of an older version are unknown rather than predicted without writes."""
    for path in Path(served.root / "out").rglob("*.replies.jsonl"):
        path.unlink()
    assert "unknown" in membench("predict", "out", "--design=notes", "--grid=5x40")


def test_predict_serves_the_dialogues_of_the_session_and_says_where_it_has_none(
    served: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A generator wrote the measured cells: the cell to predict was never written, and a built-in one stands in."""
    path = served.root / "out/manifest.json"
    manifest = json.loads(path.read_text())
    assert manifest["generator"] is None
    path.write_text(json.dumps({**manifest, "generator": "talker"}))
    monkeypatch.chdir(served.root)
    kept = served.root / ".cache/membench/dialogues"
    (kept / "built-in").rename(kept / "talker")
    for file in (kept / "talker").glob("*.json"):
        file.write_text(file.read_text().replace('"built-in"', '"talker"'))
    shown = membench("predict", "out", "--design=notes", "--grid=5x40")
    assert "no dialogue of 5x40 by talker: built-in ones stand in" in " ".join(shown.split())
    assert "8x30 by talker" not in shown
