"""The command that compares a results folder with its baselines, as a session does."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pytest_membench.cli.group import INCOMPLETE, Folder, show
from pytest_membench.errors import InputError

if TYPE_CHECKING:
    from pytest_membench.data import Suite
    from pytest_membench.report.folder import Session
    from pytest_membench.report.gate import Limits
    from pytest_membench.report.gating import Gated


@click.command(short_help="Compare RESULTS with the baselines, or make it one.")
@click.argument("results", type=Folder)
@click.option(
    "--baselines", type=click.Path(file_okay=False, path_type=Path), help="Default: the folder that the session names."
)
@click.option("--suite", "suite_name", help="Suite whose evidence is shown (default: the one the session names).")
@click.option("--fail-under", type=click.FloatRange(0, 100), help="Fail where a score is below this.")
@click.option("--max-drop", type=click.FloatRange(0, 100), help="Fail where a score fell by more points than this.")
@click.option("--max-cost-rise", type=click.FloatRange(min=0), help="Fail where tokens or USD rose by more percent.")
@click.option("--update", is_flag=True, help="Make this session the baseline instead.")
def gate(
    results: Path,
    baselines: Path | None,
    suite_name: str | None,
    fail_under: float | None,
    max_drop: float | None,
    max_cost_rise: float | None,
    update: bool,
) -> None:
    """Compare RESULTS with the baselines, and write its summary.json and reports anew.

    Limits that are not given are those that the session was run with. Exit code 0 where nothing got
    worse, 6 incomplete, 7 stale, 1 regressed, as pytest's own.
    """
    from pytest_membench.report import folder, gating, write
    from pytest_membench.report.summary import summary_of

    session = folder.read(results)
    summary = summary_of(session)
    there = baselines or _folder(session)
    if baselines and not update and not baselines.is_dir():
        raise InputError(f"--baselines {baselines}: there is no such folder; name one, or write it with --update")

    def suite() -> "Suite":
        return suite_of(session, suite_name)

    limits = _limits(session, fail_under, max_drop, max_cost_rise)
    page = ""
    if update:
        gated = gating.update(session, summary, there, suite() if session.manifest["suite"] else None)
    else:
        gated = gating.compare(session, summary, there, limits, suite)
        summary["gate"] = gated.outcomes
        page = write.write_tables(session, summary, gated)
        failed = write.write_page(session, summary, suite) if (results / "report.html").exists() else None
        show([failed] if failed else [])
    tell(gated, page)
    if not gated.lines and not gated.refused:
        show([f"gate: no baseline of these designs under {there}; write one with --update"])
    if not summary["complete"] and gated.code != INCOMPLETE:
        show([f"INCOMPLETE: an item was not run or not judged; `membench report {results} --probes` says which"])
    sys.exit(gated.code if summary["complete"] else INCOMPLETE)


def compare(session: "Session", summary: Mapping[str, Any]) -> "Gated":
    """Compare with the baselines, by the limits that the session was run with."""
    from pytest_membench.report import gating

    limits = _limits(session, None, None, None)
    return gating.compare(session, summary, _folder(session), limits, lambda: suite_of(session))


def _limits(session: "Session", *given: float | None) -> "Limits":
    """Return the limits of fail-under, max-drop and max-cost-rise: those given, else the session's own."""
    from pytest_membench.report.gate import Limits

    asked = session.manifest.get("gate") or {}
    names = ("fail-under", "max-drop", "max-cost-rise")
    return Limits(*(asked.get(name) if value is None else value for name, value in zip(names, given, strict=True)))


def _folder(session: "Session") -> Path:
    """Return the folder of baselines that the session was run with, seen from the working directory."""
    from pytest_membench.report.baseline import FOLDER

    asked = session.manifest.get("gate") or {}
    return Path.cwd() / str(asked.get("baselines", FOLDER))


def suite_of(session: "Session", name: str | None = None) -> "Suite":
    """Return the suite that the session names, or another by name. Raises SuiteError."""
    from pytest_membench.suites import source

    own = name in (None, session.manifest["suite_path"])
    return source.load(source.Source.of(session.manifest) if own else source.Source(str(name)), Path.cwd())


def tell(gated: "Gated", page: str) -> None:
    """Print what broke and what the gate says; tell GitHub where it asks. `page` is the report in Markdown."""
    for one in gated.broken:
        show(["", f"{one.design} {one.name}", *(f"  {line}" for line in one.lines())])
    show([*gated.lines, *([gated.refused] if gated.refused else []), *gated.to_github(os.environ, page)])
