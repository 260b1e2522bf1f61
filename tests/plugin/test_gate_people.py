"""A design that is made worse on purpose, on the suite `people`: red, with the flips named."""

import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_a_summary_cut_to_40_words_turns_people_red(pytester: pytest.Pytester) -> None:
    """rolling_summary without search_chat, 6,000 words against 40: recall collapses, and the gate says so.

    With search_chat the stand-in finds in the chat what the summary lost, and the cut is within noise.
    """
    for name in ("benchmarks/suites/people", "benchmarks/test_probes.py"):
        path = pytester.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if (ROOT / name).is_dir() else shutil.copy)(ROOT / name, path)
    source = (ROOT / "designs/rolling_summary.py").read_text(encoding="utf-8").replace("RollingSummary", "Closed")
    (pytester.path / "designs").mkdir()
    (pytester.path / "designs/closed.py").write_text(
        source.replace("words: int = 400", "words: int = 6000")
        + "\n    def tools(self, state: str) -> tuple[()]:\n        return ()\n",
        encoding="utf-8",
    )
    pytester.makeini("[pytest]\nmembench_suite = people\nmembench_no_html = true\n")
    plain = ("benchmarks", "-p", "no:randomly", "-q")
    assert pytester.runpytest_inprocess(*plain, "--design=closed", "--membench-update-baseline").ret == 0
    result = pytester.runpytest_inprocess(*plain, "--design=closed(words=40)")
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [
            "*membench: what broke*",
            "*closed(words=40) ingrid/recall-03*",
            "gate: sim closed(words=40): REGRESSED:*",
            "*kind recall fell by*",
            "*newly wrong: *",
        ]
    )
