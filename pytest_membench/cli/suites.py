"""Commands on suites: check one, amend its audit, write one of fresh people."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pytest_membench.cli.group import Folder, show

if TYPE_CHECKING:
    pass


@click.command(short_help="Check a suite, or write a row of its audit.")
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
    show([f"suite {suite.name}: {len(suite.people)} people, {kept} probes"])
    for person in suite.people:
        show([f"excluded: {person.id} {probe}: {reason}" for probe, reason in person.excluded.items()])
    show([f"fault: {fault}" for fault in faults] or ["no fault"])
    show([f"to read: {place}" for place in reading])
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


@click.command(short_help="Write a suite of fresh people.")
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
