"""What the terminal shows: a letter an item, a line of progress, and the table at the end."""

import time
from typing import Any

import pytest

from pytest_membench.plugin import items

EVERY_S = 15.0
"""Seconds between two lines of progress."""
LETTERS = {
    "correct": ".",
    "partial": "p",
    "wrong": "w",
    "not_judged": "J",
    "not_run": "N",
    "measured": "$",
    "cut_short": "c",
}


def status(report: pytest.TestReport) -> tuple[str, str, str] | None:
    """Return category, letter and word of a benchmark item's report; None leaves it to pytest.

    Verdicts have categories of their own; an item without one stays in pytest's "failed", so that
    its message is shown.
    """
    row = items.from_report(report)
    if row is None:
        return None
    outcome = row["outcome"]
    category = "failed" if report.failed else outcome
    return category, LETTERS[outcome], outcome.replace("_", " ").upper()


class Progress:
    """A line every so often on a long run: items, calls, tokens and USD so far."""

    def __init__(self) -> None:
        self.done = 0
        self.live = self.replayed = self.tokens_in = self.tokens_out = 0
        self.usd: float | None = 0.0
        self._shown = time.monotonic()

    def add(self, row: dict[str, Any]) -> None:
        """Count one result."""
        self.done += 1
        self.live += row["calls"]["live"]
        self.replayed += row["calls"]["replayed"]
        for usage in row["tokens"].values():
            self.tokens_in += usage["input"] or 0
            self.tokens_out += usage["output"] or 0
        costs = list(row["usd"].values())
        self.usd = None if self.usd is None or None in costs else self.usd + sum(costs)

    def due(self) -> bool:
        """Return whether it is time for a line, and start the next interval if so."""
        if time.monotonic() - self._shown < EVERY_S:
            return False
        self._shown = time.monotonic()
        return True

    def line(self, expected: int | None) -> str:
        """Return the line; writing memories is counted in the table at the end."""
        of = f" of {expected:,}" if expected else ""
        money = "no price" if self.usd is None else f"{self.usd:.4f} USD"
        return (
            f"membench: {self.done:,}{of} items; calls: {self.live:,} made, {self.replayed:,} replayed; "
            f"tokens: {self.tokens_in:,} in, {self.tokens_out:,} out; {money}"
        )


def table(reporter: pytest.TerminalReporter, lines: list[str], complete: bool) -> None:
    """Write the end-of-run table under a title of its own."""
    reporter.section("membench" if complete else "membench: INCOMPLETE", red=not complete, bold=True)
    for line in lines:
        reporter.write_line(line, red=line.startswith("INCOMPLETE"))
