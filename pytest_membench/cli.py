"""The `membench` command: reports, comparisons, audits and new benchmarks, without asking a model."""

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pytest_membench.errors import MembenchError

if TYPE_CHECKING:
    from pytest_membench.data import Cell
    from pytest_membench.run.find import Found
    from pytest_membench.run.mechanism import Measured

Folder = click.Path(exists=True, file_okay=False, path_type=Path)


class Group(click.Group):
    """Shows membench's own errors as one message, with exit code 4 as pytest's usage errors have."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except MembenchError as error:
            click.echo(f"membench: {error}", err=True)
            sys.exit(4)


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="pytest-membench")
def main() -> None:
    """Judge designs of agent memory: what to do before and after `pytest benchmarks --design=...`."""


@main.command()
@click.argument("results", type=Folder)
@click.option("--probes", is_flag=True, help="Also list every item.")
def report(results: Path, probes: bool) -> None:
    """Show the scores of a RESULTS folder and what lies behind them."""
    from pytest_membench.report import folder, scores, text
    from pytest_membench.report.summary import summary_of

    session = folder.read(results)
    summary = summary_of(session)
    rows = scores.with_missing(session.manifest, session.rows)
    _show([*text.terminal(summary, str(results)), "", *text.diagnosis(rows, session.memories)])
    if probes:
        _show(["", *text.per_probe(rows)])


@main.command()
@click.argument("first", type=Folder)
@click.argument("second", type=Folder)
def compare(first: Path, second: Path) -> None:
    """Show what changed from the FIRST results folder to the SECOND, paired by question."""
    from pytest_membench.report import compare as comparing
    from pytest_membench.report import folder, text

    pairs = comparing.compare(folder.read(first), folder.read(second))
    _show(text.differences(pairs))
    _show(_left_out(pairs))
    for pair in pairs:
        _show(["", f"{pair['second']} - {pair['first']}", *text.flips(pair)])


def _left_out(pairs: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return a line for each pair that leaves questions out."""
    return [
        f"{pair['second']} - {pair['first']}: {pair['unpaired']} questions are left out, without a verdict on both sides"
        for pair in pairs
        if pair["unpaired"]
    ]


@main.command()
@click.argument("results", type=Folder, nargs=-1, required=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON: the pooled summary and the differences.")
def pool(results: Sequence[Path], as_json: bool) -> None:
    """Pool several RESULTS folders: each question's answers first, then designs against each other."""
    from pytest_membench.report import compare as comparing
    from pytest_membench.report import folder, text
    from pytest_membench.store import to_json

    summary, pairs = comparing.pool([folder.read(root) for root in results])
    if as_json:
        click.echo(to_json({"summary": summary, "differences": pairs}), nl=False)
        return
    _show([*text.terminal(summary, ", ".join(map(str, results))), "", *text.differences(pairs), *_left_out(pairs)])


@main.command()
@click.argument("results", type=Folder)
@click.option("--design", "name", required=True, help="A design whose conversations RESULTS holds.")
@click.option("--grid", required=True, metavar="NxL[,NxL...]", help="The cells to predict, like 800x200.")
def predict(results: Path, name: str, grid: str) -> None:
    """Predict what a design would cost at cells that were not measured, by running its code on recorded replies.

    No model is asked. How far predictions of the measured cells are off stands beside those of the regression.
    """
    from pytest_membench.report import folder
    from pytest_membench.run.cells import parse_grid
    from pytest_membench.run.find import find_all
    from pytest_membench.run.mechanism import of_design

    cells = parse_grid(grid, "--grid")
    if cells is None:
        raise click.UsageError("--grid=paper depends on the design; name the cells, like 400x200,800x200")
    session = folder.read(results)
    for found in find_all(name, Path.cwd()):
        for setting, runs in of_design(session, found.id).items():
            _show([f"{found.id}, {setting}, {len(runs)} conversations measured", ""])
            _show_forecast(found, cells, runs)


def _show_forecast(found: "Found", cells: Sequence["Cell"], runs: Sequence["Measured"]) -> None:
    from pytest_membench.report import forecast
    from pytest_membench.report.text import align
    from pytest_membench.run import mechanism

    forecasts = [mechanism.forecast(found.design, cell, runs) for cell in cells]
    held_out = mechanism.leave_one_cell_out(found.design, runs)
    _show([*align(forecast.predicted(forecasts)), ""])
    _show([*align(forecast.errors(held_out, mechanism.regression_error(runs))), ""])
    _show(forecast.notes(forecasts, held_out, [run.cell for run in runs]))
    if {run.digest for run in runs} != {found.digest}:
        _show([f"warning: {found.id} has changed since: the replies are to what it asked then; measure it again"])


@main.command()
@click.argument("results", type=Folder)
@click.option("--suite", "suite_name", help="Suite whose audit counts now (default: the one the session names).")
def rescore(results: Path, suite_name: str | None) -> None:
    """Score a RESULTS folder anew from its stored labels, with today's audit; rewrites its summary."""
    from pytest_membench.report import folder, text
    from pytest_membench.report.rescore import rescore as anew
    from pytest_membench.report.summary import summary_of
    from pytest_membench.store import Results, item_key, write_bytes, write_json
    from pytest_membench.suites import files

    session = folder.read(results)
    suite = files.load(files.locate(suite_name or session.manifest["suite_path"], Path.cwd()))
    expected = len(session.manifest["items"])
    session = anew(session, suite)
    summary = summary_of(session)
    own = Results(results)
    for row in session.rows:
        write_json(own.row(*item_key(row)), row)
    write_json(own.manifest, session.manifest)
    write_json(results / "summary.json", summary)
    write_bytes(results / "report.md", text.markdown(summary).encode())
    _show(text.terminal(summary, str(results)))
    gone = expected - len(session.manifest["items"])
    if gone:
        click.echo(f"{gone} of {expected} items are left out: the suite no longer asks their questions")


@main.command()
@click.argument("suite")
@click.option("--exclude", "excluded", metavar="PERSON:PROBE", help="Exclude a probe; needs --reason.")
@click.option("--correct", "corrected", metavar="PERSON:PROBE", help="Correct a gold; needs --gold and --reason.")
@click.option("--gold", help="The gold that is right.")
@click.option("--reason", default="", help="Why.")
@click.option("--closed-book", type=Folder, help="Results folder of the design ClosedBook: lists what needs no chat.")
@click.option("--repeats", type=int, help="How often one sentence may stand in a chat (default: 1; generated: 4).")
def audit(
    suite: str,
    excluded: str | None,
    corrected: str | None,
    gold: str | None,
    reason: str,
    closed_book: Path | None,
    repeats: int | None,
) -> None:
    """Check a SUITE (a name or a folder), list what a reader should look at, or write an audit row.

    Exit code 1 where a check fails. Exclusions and corrections go to the suite's audit/, never into spec/.
    """
    from dataclasses import replace

    from pytest_membench.suites import amend, files
    from pytest_membench.suites import audit as audits

    folder = files.locate(suite, Path.cwd())
    if excluded and corrected:
        raise click.UsageError("--exclude and --correct are two rows: write one, then the other")
    if excluded:
        click.echo(f"wrote {amend.exclude(folder, *_person_probe(excluded), reason)}")
    elif corrected:
        if not gold:
            raise click.UsageError("--correct needs --gold, the answer that is right")
        click.echo(f"wrote {amend.correct(folder, *_person_probe(corrected), gold, reason)}")
    else:
        demands = audits.demands_of(folder)
        faults = audits.audit(folder, demands if repeats is None else replace(demands, repeats=repeats))
        reading = [*audits.reading_list(folder), *_known_without_chat(closed_book)]
        _show_audit(folder, faults, reading)


def _show_audit(folder: Path, faults: Sequence[object], reading: Sequence[object]) -> None:
    from pytest_membench.suites import files

    suite = files.load(folder)
    kept = sum(len(person.probes) for person in suite.people)
    _show([f"suite {suite.name}: {len(suite.people)} people, {kept} probes"])
    for person in suite.people:
        _show([f"excluded: {person.id} {probe}: {reason}" for probe, reason in person.excluded.items()])
    _show([f"fault: {fault}" for fault in faults] or ["no fault"])
    _show([f"to read: {place}" for place in reading])
    if faults:
        sys.exit(1)


def _known_without_chat(results: Path | None) -> list[str]:
    """Return the probes that the design ClosedBook answered right; of abstain probes that is no news."""
    from pytest_membench.report import folder

    rows = folder.read(results).rows if results else []
    known = [row for row in rows if row["outcome"] == "correct" and row["kind"] != "abstain"]
    return [f"{r['person']}: {r['probe']}: {r['setting']} answers it without any chat" for r in known]


def _person_probe(text: str) -> tuple[str, str]:
    person, colon, probe = text.partition(":")
    if not colon:
        raise click.UsageError(f"{text!r}: write PERSON:PROBE, like maya:recall-03")
    return person, probe


@main.command()
@click.option("--seed", type=int, required=True, help="Another seed, other people.")
@click.option("--turns", type=int, default=300, show_default=True, help="Turns of each chat.")
@click.option("--people", "count", type=int, default=2, show_default=True, help="How many people.")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), required=True, help="Folder of the suite.")
def people(seed: int, turns: int, count: int, out: Path) -> None:
    """Write a suite of fresh people that nobody has tuned to; the same seed writes the same suite."""
    from pytest_membench.suites import files
    from pytest_membench.suites import people as generator

    generator.write(out, seed=seed, turns=turns, people=count)
    suite = files.load(out)
    probes = sum(len(person.probes) for person in suite.people)
    names = ", ".join(f"{person.name} ({len(person.turns)} turns)" for person in suite.people)
    click.echo(f"wrote {out}: {names}; {probes} probes")


@main.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), default=Path())
def init(folder: Path) -> None:
    """Write a ready benchmark into FOLDER: a design, a suite of one short person, a CI workflow."""
    from pytest_membench import scaffold

    for path in scaffold.write(folder):
        click.echo(f"wrote {path}")
    click.echo("next: pytest benchmarks --design=mine, then commit cassettes/, which the CI workflow replays")


@main.command(context_settings={"ignore_unknown_options": True})
@click.argument("options", nargs=-1, type=click.UNPROCESSED)
def plan(options: Sequence[str]) -> None:
    """Count the calls, tokens and USD that a run would take: `membench plan --design=mine ...`.

    OPTIONS are those of `pytest benchmarks`; no paid call is made and nothing is recorded.
    """
    command = [sys.executable, "-m", "pytest", "benchmarks", "--membench-plan", "-q", *options]
    sys.exit(subprocess.run(command, check=False).returncode)  # noqa: S603 - the user's own options, without a shell


@main.command()
@click.argument("results", type=Folder)
@click.option("--cassettes", type=Folder, default=Path("cassettes"), show_default=True, help="Their folder.")
def prune(results: Path, cassettes: Path) -> None:
    """Remove recordings that the session in RESULTS did not ask for."""
    from pytest_membench.llm import cassette
    from pytest_membench.report import folder
    from pytest_membench.store import Results, item_key, write_json

    session, stored = folder.read(results), Results(results)
    removed = 0
    for row in [*session.rows, *session.memories]:
        unused = row.get("unused") or []
        if unused and row.get("cassette"):
            removed += cassette.prune(cassettes / row["cassette"], unused)
            # Their positions are those of the cassette before: a second prune would remove others.
            is_memory = "probe" not in row
            path = stored.memory(*_names(row)) if is_memory else stored.row(*item_key(row))
            write_json(path, {**row, "unused": []}, sort=not is_memory)
    click.echo(f"removed {removed} recordings that nobody asked for")


def _names(memory: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(memory[name] for name in ("setting", "design", "person", "repeat"))


def _show(lines: Sequence[str]) -> None:
    for line in lines:
        click.echo(line)
