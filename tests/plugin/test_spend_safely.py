"""docs/how-to/spend-safely.md is true: its prices load, its commands run as they stand."""

import json
import re
import shlex
from pathlib import Path

import pytest
from bench_folder import Folder
from click.testing import CliRunner

from pytest_membench.cli import main
from pytest_membench.data import Setting
from pytest_membench.prices import find, load

PAGE = Path(__file__).parents[2] / "docs/how-to/spend-safely.md"


def blocks(language: str) -> list[str]:
    """Return the page's code blocks of one language ("" for commands)."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    return [content for name, content in found if name == language]


def command(start: str) -> list[str]:
    """Return the one command of the page that starts so, split as a shell does."""
    (line,) = [block.strip() for block in blocks("") if block.startswith(start)]
    return shlex.split(line)


@pytest.fixture
def bench(folder: Folder) -> Folder:
    """A checkout's place: the suite mini, which ships, and the page's prices."""
    folder.write("conftest.py", "")
    folder.write("pytest.ini", "[pytest]\n")
    folder.write("prices.json", blocks("json")[0])
    return folder


def test_the_prices_are_what_the_page_says(bench: Folder) -> None:
    """A provider's own rates, its fee, and the tier of long prompts."""
    table = load(bench.root / "prices.json")
    prices = [find(table, Setting("sim", None, provider)) for provider in (None, "groq", "fireworks")]
    assert [(p.input, p.output, p.request) for p in prices if p] == [(0.1, 0.4, 0), (0.075, 0.3, 0), (0.1, 0.4, 0.0001)]
    assert all(p is not None and p.tiers[0].above_input == 128000 for p in prices)


def test_the_plan(bench: Folder) -> None:
    """The command counts calls and USD."""
    assert CliRunner().invoke(main, command("membench plan")[1:]).exit_code == 0
    ledgers = list((bench.root / ".membench").glob("plan-*/spend.jsonl"))
    assert len(ledgers) == 1
    assert all(json.loads(line)["usd"] for line in ledgers[0].read_text().splitlines())


def test_the_preflight(bench: Folder) -> None:
    """The stand-in passes all that it can be tested for; tokens and USD are shown, and no cassette is written."""
    result = CliRunner().invoke(main, command("membench preflight")[1:])
    assert result.exit_code == 0, result.output
    assert re.findall(r"^(ok|failed|unknown) +(\w+)", result.output, re.MULTILINE) == [
        ("ok", "answers"),
        ("ok", "usage"),
        ("unknown", "provider"),
        ("ok", "JSON"),
        ("ok", "tool"),
        ("ok", "max_tokens"),
    ]
    assert re.search(r"spent: 5 calls, [\d,]+ tokens in, \d+ out, 0\.\d{6} USD", result.output)
    assert not (bench.root / "cassettes").exists()


def test_the_budget(bench: Folder) -> None:
    """The budget of the page is too small, and the line that it shows is the one that comes."""
    result = bench.pytester.runpytest_inprocess(*command("pytest")[1:], "--membench-out=out", "-p", "no:randomly")
    assert result.ret == 6
    (shown,) = [block.strip() for block in blocks("") if block.startswith("budget:")]
    assert shown in result.stdout.str()
