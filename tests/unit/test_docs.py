"""What the documents name is there: files behind links, options, commands; and the references hold all of them."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from pytest_membench.cli import main
from pytest_membench.plugin.options import OPTIONS, Option

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
OPTIONS_PAGE, COMMANDS_PAGE = (ROOT / "docs/reference" / name for name in ("options.md", "commands.md"))


def read(path: Path) -> str:
    """Return a page's text."""
    return path.read_text(encoding="utf-8")


def name(path: Path) -> str:
    """Return a page's path as a test id."""
    return path.relative_to(ROOT).as_posix()


def slugs(text: str) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def code(text: str) -> Iterator[str]:
    """Yield the lines of code blocks, and the spans of code in prose."""
    for block in re.findall(r"```\w*\n(.*?)```", text, re.DOTALL):
        yield from block.splitlines()
    yield from re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    """A relative link names a file that is there, and a heading in it."""
    prose = re.sub(r"```.*?```", "", read(page), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", prose):
        if re.match(r"\w+:", target):
            continue
        file, _, anchor = target.partition("#")
        path = page.parent / file if file else page
        assert path.exists(), f"{name(page)} links to {target}, which is not there"
        assert not anchor or anchor in slugs(read(path)), f"{name(page)} links to {target}: no such heading"


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_options_that_are_named_exist(page: Path) -> None:
    """Every `--membench-x` and every ini key."""
    named = set(re.findall(r"--membench-([a-z][a-z0-9-]*[a-z0-9])", read(page)))
    assert named <= {option.name for option in OPTIONS}
    keys = set(re.findall(r"\bmembench_([a-z_]+) =", read(page)))
    assert keys <= {option.dest.removeprefix("membench_") for option in OPTIONS} | {"design"}


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_commands_that_are_named_exist(page: Path) -> None:
    """Every `membench x` with its options; those of `membench plan` are pytest's."""
    for line in code(read(page)):
        words = line.split("#")[0].split()
        if words[:1] != ["membench"] or len(words) == 1 or words[1].startswith("-"):
            continue
        command = main.commands.get(words[1])
        if isinstance(command, click.Group) and len(words) > 2:
            command = command.commands.get(words[2])
        assert command is not None, f"{name(page)}: {line!r} names no command"
        known = {option for parameter in command.params for option in parameter.opts} | {"--help"}
        asked = {word.split("=")[0] for word in words[2:] if word.startswith("--")}
        assert words[1] == "plan" or asked <= known, f"{name(page)}: {line!r} names an option that is not there"


def test_the_reference_of_options_is_whole() -> None:
    """The table in options.md has a row for each option, with its ini key and default."""
    rows = ["| option | ini key | default | what it does |", "|---|---|---|---|", *map(row, OPTIONS)]
    table = "\n".join(rows)
    assert table in read(OPTIONS_PAGE), f"docs/reference/options.md has to hold this table:\n\n{table}\n"


def row(option: Option) -> str:
    """Return the row of one option."""
    default = re.search(r"default: ([^)]*)\)", option.help)
    text = re.sub(r" \(default: [^)]*\)|; default: [^)]*(?=\))", "", option.help)
    shown = default[1].replace("<", "&lt;") if default else "off" if option.flag else "-"
    value = "" if option.flag else f" {option.metavar}"
    return f"| `--membench-{option.name}{value}` | `{option.dest}` | {shown} | {text} |"


def test_the_reference_of_commands_is_what_help_says() -> None:
    """commands.md ends with the help of each command, as it is printed."""
    blocks = [f"## membench {command}\n\n```text\n{helps(command)}```\n" for command in commands()]
    text = "\n".join(blocks)
    assert read(COMMANDS_PAGE).endswith(f"\n{text}"), f"docs/reference/commands.md has to end so:\n\n{text}"


def commands() -> Iterator[str]:
    """Yield every command, and after a group those in it."""
    for command, found in sorted(main.commands.items()):
        yield command
        if isinstance(found, click.Group):
            yield from (f"{command} {inner}" for inner in sorted(found.commands))


def helps(command: str) -> str:
    """Return the help of a command, 100 columns wide."""
    result = CliRunner().invoke(main, [*command.split(), "--help"], prog_name="membench", terminal_width=100)
    assert result.exit_code == 0
    return result.output


def test_workflows_quote_what_a_shell_would_split() -> None:
    """Commands in the how-tos are whole: their quotes close."""
    for page in (ROOT / "docs/how-to").glob("*.md"):
        for block in re.findall(r"```bash\n(.*?)```", read(page), re.DOTALL):
            assert [shlex.split(line, comments=True) for line in block.splitlines() if line.strip()]
