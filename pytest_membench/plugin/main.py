"""The hooks, and nothing else: each hands over to the file that does the work."""

import time
from collections.abc import Generator, Sequence
from contextlib import ExitStack
from typing import Any

import pytest

from pytest_membench.plugin import gate, items, options, results, stopping, terminal
from pytest_membench.plugin.fixtures import membench_bench as membench_bench
from pytest_membench.plugin.fixtures import membench_cost as membench_cost
from pytest_membench.plugin.fixtures import membench_costbench as membench_costbench
from pytest_membench.plugin.fixtures import membench_endpoint as membench_endpoint
from pytest_membench.plugin.fixtures import membench_judge as membench_judge
from pytest_membench.plugin.fixtures import membench_judge_endpoint as membench_judge_endpoint
from pytest_membench.plugin.fixtures import membench_model as membench_model
from pytest_membench.plugin.fixtures import membench_probe as membench_probe

SUMMARY = pytest.StashKey[dict[str, Any]]()
GATED = pytest.StashKey[Any]()
PLAN = pytest.StashKey[list[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options and their ini keys."""
    options.add(parser)


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker; the controller also collects results."""
    config.addinivalue_line(
        "markers",
        "membench(design, person, kind): set on every benchmark item; select with -m \"membench(kind='open_loop')\"",
    )
    gate.refuse_selection(config)
    if not results.is_worker(config):
        config.pluginmanager.register(Controller(config), "membench-controller")


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a worker of pytest-xdist where results go."""
    results.tell_worker(node.config, node.workerinput)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make an item of every case."""
    items.parametrize(metafunc)


def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    """Refuse an item that two cassettes would record at once."""
    from pytest_membench.plugin.items import asked_of

    for item in items:
        if asked_of(item) is not None and item.get_closest_marker("vcr"):
            raise pytest.UsageError(f"{item.nodeid}: remove the vcr marker; membench records this item itself")


def pytest_deselected(items: Sequence[pytest.Item]) -> None:
    """Remember what is left to other machines."""
    results.note_deselected(items)


@pytest.hookimpl(trylast=True)
def pytest_collection_finish(session: pytest.Session) -> None:
    """Write down which results are expected."""
    if not session.config.option.collectonly:
        results.write_manifest(session.config, session.items)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Hide secrets in what a benchmark item shows: its traceback, with locals, and what it printed or logged."""
    report = yield
    if items.asked_of(item) is not None:
        items.hide_secrets(report)
    return report


def pytest_report_teststatus(report: Any) -> tuple[str, str, str] | None:
    """Give verdicts letters and counts of their own."""
    return terminal.status(report) if isinstance(report, pytest.TestReport) else None


class Controller:
    """What only the process that talks to the user does: collect, summarise, show, set the exit code."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.collected = results.Collected()
        self.progress = terminal.Progress()
        self.started = time.monotonic()
        self.until_the_end = ExitStack()

    def pytest_sessionstart(self) -> None:
        """Take SIGTERM for Ctrl-C once benchmark items are collected."""
        wanted = stopping.as_interrupt(lambda: results.read_manifest(self.config) is not None)
        self.until_the_end.enter_context(wanted)

    def pytest_unconfigure(self) -> None:
        """Give SIGTERM back."""
        self.until_the_end.close()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take in an item's result; now and then show how far the run is."""
        row = items.from_report(report)
        if row is None:
            return
        self.collected.add(row)
        self.progress.add(row)
        reporter = self.config.pluginmanager.get_plugin("terminalreporter")
        if reporter is not None and self.progress.due():
            manifest = results.read_manifest(self.config)
            reporter.ensure_newline()
            reporter.write_line(self.progress.line(len(manifest["items"]) if manifest else None))

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """Take over what a worker could not write."""
        results.take_manifest(self.config, getattr(node, "workeroutput", {}))

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the summary and set the exit code."""
        manifest = results.read_manifest(self.config)
        if manifest is None:
            return
        if options.get(self.config, "plan"):
            self.config.stash[PLAN] = results.plan_lines(self.config)
            return
        summary, gated = results.write(self.config, manifest, self.collected.rows, time.monotonic() - self.started)
        self.config.stash[SUMMARY], self.config.stash[GATED] = summary, gated
        complete = summary["complete"] and not results.unwritten(self.config)
        session.exitstatus = results.exit_code(int(session.exitstatus), gated.code, complete=complete)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Show the table."""
        from pytest_membench.report import gating, text

        plan = self.config.stash.get(PLAN, None)
        if plan is not None:
            terminal.table(terminalreporter, plan, complete=True)
        summary = self.config.stash.get(SUMMARY, None)
        if summary is not None:
            out, gated = results.folder(self.config).root, self.config.stash[GATED]
            gate.show_broken(terminalreporter, gated)
            failed = self.config.stash.get(results.PAGE_ERROR, None)
            broken = [f"INCOMPLETE: {why}" for why in results.unwritten(self.config)]
            lines = [
                *text.terminal(summary, str(out)),
                *results.budget_lines(self.config),
                *([failed] if failed else []),
                *broken,
            ]
            terminal.table(terminalreporter, lines, summary["complete"] and not broken)
            gate.show(terminalreporter, gated, gating.page(text.markdown(summary), gated))
