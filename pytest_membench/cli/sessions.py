"""Commands on results folders: show, compare, pool, score anew, remove what nobody asked for."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pytest_membench.cli.gate import compare as compare_with_baselines
from pytest_membench.cli.gate import suite_of, tell
from pytest_membench.cli.group import Folder, show

if TYPE_CHECKING:
    from pytest_membench.data import Suite
    from pytest_membench.report.folder import Session


@click.command(short_help="Show the scores of RESULTS and what lies behind them.")
@click.argument("results", type=Folder)
@click.option("--probes", is_flag=True, help="Also list every item.")
def report(results: Path, probes: bool) -> None:
    """Show the scores of a RESULTS folder and what lies behind them."""
    from pytest_membench.report import folder, scores, text
    from pytest_membench.report.summary import summary_of

    session = folder.read(results)
    summary = summary_of(session)
    rows = scores.with_missing(session.manifest, session.rows)
    show([*text.terminal(summary, str(results)), "", *text.diagnosis(rows, session.memories)])
    if probes:
        show(["", *text.per_probe(rows)])


@click.command(short_help="Show what changed between two sessions.")
@click.argument("first", type=Folder)
@click.argument("second", type=Folder)
def compare(first: Path, second: Path) -> None:
    """Show what changed from the FIRST results folder to the SECOND, paired by probe."""
    from pytest_membench.report import compare as comparing
    from pytest_membench.report import folder, text

    pairs = comparing.compare(folder.read(first), folder.read(second))
    show(text.differences(pairs))
    show(_left_out(pairs))
    for pair in pairs:
        show(["", f"{pair['second']} - {pair['first']}", *text.flips(pair)])


def _left_out(pairs: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return a line for each pair that leaves questions out."""
    return [
        f"{pair['second']} - {pair['first']}: {pair['unpaired']} questions are left out, without a verdict on both sides"
        for pair in pairs
        if pair["unpaired"]
    ]


@click.command(short_help="Take several sessions as one; compare their designs.")
@click.argument("results", type=Folder, nargs=-1, required=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON: the pooled summary and the differences.")
def pool(results: Sequence[Path], as_json: bool) -> None:
    """Pool several RESULTS folders: each probe's answers are averaged first, then designs compared."""
    from pytest_membench.report import compare as comparing
    from pytest_membench.report import folder, text
    from pytest_membench.report.poolcosts import pool_costs
    from pytest_membench.store import to_json

    sessions = [folder.read(root) for root in results]
    summary, pairs = comparing.pool(sessions)
    summary |= pool_costs(sessions, summary["scores"])
    if as_json:
        click.echo(to_json({"summary": summary, "differences": pairs}), nl=False)
        return
    show([*text.terminal(summary, ", ".join(map(str, results))), "", *text.differences(pairs), *_left_out(pairs)])


@click.command(short_help="Score RESULTS anew, with the suite's audit of today.")
@click.argument("results", type=Folder)
@click.option("--suite", "suite_name", help="Suite whose audit counts now (default: the one the session names).")
def rescore(results: Path, suite_name: str | None) -> None:
    """Score a RESULTS folder anew from its stored labels, with today's audit; rewrites its summary."""
    from pytest_membench.report import folder, text, write
    from pytest_membench.report.rescore import require_questions
    from pytest_membench.report.rescore import rescore as anew
    from pytest_membench.store import Results, item_key, within, write_json

    session = folder.read(results)
    require_questions(session)
    suite = suite_of(session, suite_name)
    expected = len(session.manifest["items"])
    session = _measured_by(anew(session, suite), suite)
    summary, gated = write.summarise(session, lambda found: compare_with_baselines(session, found))
    stored = Results(results)
    for row in session.rows:
        write_json(within(results, stored.row(*item_key(row))), row)
    write_json(stored.manifest, session.manifest)
    page = write.write_tables(session, summary, gated)
    failed = write.write_page(session, summary, lambda: suite) if (results / "report.html").exists() else None
    show([*text.terminal(summary, str(results)), *([failed] if failed else [])])
    tell(gated, page)
    gone = expected - len(session.manifest["items"])
    if gone:
        click.echo(f"{gone} of {expected} items are left out: the suite no longer asks their questions")


def _measured_by(session: "Session", suite: "Suite") -> "Session":
    """Return a rescored session with the questions and golds that it is measured by now; its chats stay what they were."""
    from pytest_membench.run.yardstick import of_suite

    yardstick = session.manifest.get("yardstick", {})
    if "probes" not in yardstick:
        return session
    today = of_suite(suite)
    probes = {**yardstick["probes"], **{name: today[name] for name in ("questions", "golds and audit")}}
    return replace(session, manifest={**session.manifest, "yardstick": {**yardstick, "probes": probes}})


@click.command(short_help="Write report.html and the CSV files anew.")
@click.argument("results", type=Folder)
@click.option("--suite", "suite_name", help="Suite to take evidence turns from (default: the one the session names).")
def html(results: Path, suite_name: str | None) -> None:
    """Write report.html and the CSV files of a RESULTS folder anew."""
    from pytest_membench.errors import SuiteError
    from pytest_membench.report import folder, tables
    from pytest_membench.report.html import page
    from pytest_membench.report.summary import summary_of
    from pytest_membench.store import read_json

    session = folder.read(results)
    suite = None
    try:
        if suite_name or session.manifest["suite"] is not None:  # a session of cost alone asked no question
            suite = suite_of(session, suite_name)
    except SuiteError as error:
        if suite_name:
            raise
        click.echo(f"without the text of evidence turns: {error}", err=True)
    path = results / "summary.json"
    stored = read_json(path) if path.exists() else {}
    summary = {"gate": stored.get("gate", {}), **summary_of(session)}  # the baselines may be others by now
    for path in (*tables.write(session, summary), page.write(session, summary, suite)):
        click.echo(path)


@click.command(short_help="Remove recordings that RESULTS did not ask for.")
@click.argument("results", type=Folder)
@click.option("--cassettes", type=Folder, default=Path("cassettes"), show_default=True, help="Their folder.")
def prune(results: Path, cassettes: Path) -> None:
    """Remove recordings that the session in RESULTS did not ask for."""
    from pytest_membench.llm import cassette
    from pytest_membench.report import folder
    from pytest_membench.store import Results, item_key, within, write_json

    session, stored = folder.read(results), Results(results)
    removed = 0
    for row in [*session.rows, *session.memories]:
        unused = row.get("unused") or []
        if unused and row.get("cassette"):
            removed += cassette.prune(within(cassettes, cassettes / str(row["cassette"])), unused)
            # Their positions are those of the cassette before: a second prune would remove others.
            is_memory = "probe" not in row
            path = stored.memory(*_names(row)) if is_memory else stored.row(*item_key(row))
            write_json(within(results, path), {**row, "unused": []}, sort=not is_memory)
    click.echo(f"removed {removed} recordings that nobody asked for")


def _names(memory: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(memory[name] for name in ("setting", "design", "person", "repeat"))
