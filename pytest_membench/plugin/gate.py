"""Compare a session with its baselines, or make it the baseline."""

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pytest

from pytest_membench.errors import InputError
from pytest_membench.plugin import items, options

if TYPE_CHECKING:
    from pytest_membench.report.folder import Session
    from pytest_membench.report.gating import Gated


def refuse_selection(config: pytest.Config) -> None:
    """Raise pytest.UsageError where a selection would become the baseline: it would leave probes out."""
    if not options.get(config, "update-baseline"):
        return
    chosen = {
        "-k": config.getoption("keyword", ""),
        "-m": config.getoption("markexpr", ""),
        "--lf": config.getoption("lf", False),
        "--splits": config.getoption("splits", None),
        "--deselect": config.getoption("deselect", None),
        "the name of an item": any("::" in argument for argument in config.args),
    }
    for name in (name for name, value in chosen.items() if value):
        raise pytest.UsageError(f"--membench-update-baseline with {name}: a baseline needs the whole suite; drop it")


def compare(config: pytest.Config, session: "Session", summary: Mapping[str, Any]) -> "Gated":
    """Compare the session with its baselines; with --membench-update-baseline write them instead.

    A file that is no baseline is told and fails the session; its results stand.
    """
    from pytest_membench.report import gating
    from pytest_membench.report.gate import Limits

    folder = options.path(config, "baselines")
    limits = Limits(*(options.get(config, name) for name in ("fail-under", "max-drop", "max-cost-rise")))
    try:
        if options.get(config, "update-baseline"):
            return gating.update(session, summary, folder, items.suite(config) if session.manifest["suite"] else None)
        return gating.compare(session, summary, folder, limits, lambda: items.suite(config))
    except InputError as error:
        return gating.Gated(refused=f"gate: {error}", code=int(pytest.ExitCode.USAGE_ERROR))


def show_broken(reporter: pytest.TerminalReporter, gated: "Gated") -> None:
    """Show each newly wrong probe of a design that regressed as pytest shows a failure."""
    if gated.broken:
        reporter.section("membench: what broke", red=True, bold=True)
    for one in gated.broken:
        reporter.write_sep("_", f"{one.design} {one.name}", red=True, bold=True)
        for line in one.lines():
            reporter.write_line(f"E   {line}", red=True)


def show(reporter: pytest.TerminalReporter, gated: "Gated", page: str) -> None:
    """Show what the gate says, and tell GitHub where it asks; `page` is the report in Markdown."""
    for line in [*gated.lines, *([gated.refused] if gated.refused else [])]:
        reporter.write_line(line, red=gated.code != 0 and not line.startswith("  ("))
    for line in gated.to_github(os.environ, page):
        reporter.write_line(line)
