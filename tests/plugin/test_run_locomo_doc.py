"""The commands of docs/how-to/run-locomo.md are real: they run as they stand, on invented copies."""

import json
import re
import shlex
from pathlib import Path

import pytest
from bench_folder import Folder
from click.testing import CliRunner

from pytest_membench.cli import main

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data"
BLOCKS = re.findall(
    r"```console\n(.*?)```", (ROOT / "docs/how-to/run-locomo.md").read_text(encoding="utf-8"), re.DOTALL
)
COMMANDS = [shlex.split(line) for block in BLOCKS for line in block.splitlines()]


@pytest.fixture
def copies(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> Folder:
    """The files that the page names, with the paper's four chats as invented ones."""
    text = (DATA / "locomo.json").read_text(encoding="utf-8")
    for number, name in enumerate(("conv-26", "conv-42", "conv-44", "conv-48"), 1):
        text = text.replace(f'"talk-{number}"', f'"{name}"')
    folder.write("locomo10.json", text)
    folder.write("audit.json", (DATA / "locomo_audit.json").read_text(encoding="utf-8"))
    folder.write("longmemeval_oracle.json", (DATA / "longmemeval.json").read_text(encoding="utf-8"))
    (folder.root / "conftest.py").unlink()
    monkeypatch.chdir(folder.root)
    return folder


def test_the_page_has_commands() -> None:
    """So that the tests below test something."""
    assert {command[0] for command in COMMANDS} == {"membench", "pytest"}
    assert len(COMMANDS) >= 9


def test_the_commands_of_membench_run(copies: Folder) -> None:
    """Each ends well and prints something."""
    for command in COMMANDS:
        if command[0] == "membench":
            result = CliRunner().invoke(main, command[1:])
            assert result.exit_code == 0, result.output
            assert result.output


def test_the_first_run_asks_every_question(copies: Folder) -> None:
    """Twenty questions without category 5, of two designs."""
    command = next(command for command in COMMANDS if command[0] == "pytest")
    result = copies.run(*_without_workers(command))
    assert result.ret == 0
    assert copies.score_of("full_context")["n"] == copies.score_of("rolling_window")["n"] == 20


def test_every_other_run_collects_its_questions(copies: Folder) -> None:
    """Each command's options are known and its files are read."""
    for command in COMMANDS:
        if command[0] == "pytest":
            result = copies.run(*_without_workers(command), "--collect-only", "-q")
            assert result.ret == 0
            assert any("::test_probe[" in line for line in result.stdout.lines)


def _without_workers(command: list[str]) -> list[str]:
    """Return a run's options without its path and `-n 4`: a run of four workers is tested elsewhere."""
    return [part for part in command[2:] if part not in ("-n", "4")]


def test_the_table_of_irregularities_is_the_program_s(copies: Folder) -> None:
    """Whatever the page says is counted, `check` counts."""
    result = CliRunner().invoke(main, ["locomo", "check", "locomo10.json"])
    for word in (
        "numbers (read as text)",
        "(repaired)",
        "points nowhere",
        "never read",
        "repeat another",
        "share a speaker",
    ):
        assert word in result.output
    assert json.loads((copies.root / "locomo10.json").read_text(encoding="utf-8"))[0]["sample_id"] == "conv-26"
