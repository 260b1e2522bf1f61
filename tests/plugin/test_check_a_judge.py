"""The commands of docs/how-to/check-a-judge.md run, offline."""

import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from pytest_membench.cli import main
from pytest_membench.suites.calibration import load

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/how-to/check-a-judge.md").read_text(encoding="utf-8")
BLOCKS = PAGE.split("```")[1::2]
COMMANDS = [line for block in BLOCKS if block.startswith("\n") for line in block.splitlines() if line]


def test_the_page_says_how_many_answers_there_are() -> None:
    """Its number of answers and of types is that of the set."""
    triples = load()
    assert f"about {len(triples)} answers" in PAGE
    assert f"With {len(triples)} answers" in PAGE
    assert f"{len({triple.type for triple in triples})} types" in PAGE


def test_every_command_of_the_page_runs(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a copy of this benchmark: the live judge stops for want of a key, all else succeeds."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("MEMBENCH_JUDGE_API_KEY", raising=False)
    for name in ("benchmarks/suites/mini", "benchmarks/judges", "cassettes/sim/mini/no_memory", "designs"):
        shutil.copytree(ROOT / name, pytester.path / name)
    shutil.copytree(ROOT / "cassettes/sim/judge-check", pytester.path / "cassettes/sim/judge-check")
    shutil.copy(ROOT / "benchmarks/test_probes.py", pytester.path / "benchmarks")
    pytester.makeini("[pytest]\nmembench_suite = mini\nmembench_model = sim\n")
    (answers,) = [block.removeprefix("json") for block in BLOCKS if block.startswith("json")]
    (pytester.path / "answers.json").write_text(answers, encoding="utf-8")
    for part in ("chat", "spec", "audit"):  # half of the questions are enough to see that the commands run
        (pytester.path / f"benchmarks/suites/mini/{part}/omar.json").unlink()
    shown = {command: _run(command, pytester) for command in COMMANDS}
    assert len(shown) == 7
    assert "judge sim: right on " in shown["pytest benchmarks/test_probes.py --design=no_memory --membench-out=A"]
    assert "of 1 labelled answers" in shown["membench judge-check --model sim --set answers.json"]
    assert "same label to 24 of 24" in shown["membench agree A B"]


def _run(command: str, pytester: pytest.Pytester) -> str:
    """Run a command as its line says; return what it printed."""
    program, *args = shlex.split(command)
    if program == "pytest":
        result = pytester.runpytest_inprocess(*args, "-p", "no:randomly")
        assert result.ret == 0, command
        return result.stdout.str()
    made = CliRunner().invoke(main, args)
    live = "gpt-oss" in command
    assert made.exit_code == (4 if live else 0), made.output
    assert not live or "set OPENAI_API_KEY" in made.output
    return made.output
