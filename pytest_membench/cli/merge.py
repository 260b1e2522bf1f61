"""The command that unites what several machines did of one session: results folders, and cassettes."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pytest_membench.cli.gate import compare, suite_of, tell
from pytest_membench.cli.group import INCOMPLETE, Folder, show

if TYPE_CHECKING:
    from pytest_membench.report.folder import Session
    from pytest_membench.run.find import Found


@click.command(short_help="Unite the parts of a session split over machines.")
@click.argument("out", type=click.Path(file_okay=False, path_type=Path))
@click.argument("parts", type=Folder, nargs=-1, required=True)
def merge(out: Path, parts: Sequence[Path]) -> None:
    """Merge the results folders PARTS of one session, split over several machines, into the new folder OUT.

    The whole is compared with the baselines, by the limits that the parts were run with. Exit codes are pytest's:
    6 where an item was not run or not judged, 7 stale, 1 regressed.
    """
    from pytest_membench.report import merge as merging
    from pytest_membench.report import text, write

    session, notes = merging.merge(out, parts)
    notes += _write_mechanism(session)
    summary, gated = write.summarise(session, lambda found: compare(session, found))
    write.write(session, summary, gated, merging.seconds(parts))
    show(text.terminal(summary, str(out)))
    if any((part / "report.html").exists() for part in parts):
        failed = write.write_page(session, summary, lambda: suite_of(session))
        notes += [failed] if failed else []
    tell(gated, (out / "report.md").read_text(encoding="utf-8"))
    show(f"note: {note}" for note in notes)
    sys.exit(gated.code if summary["complete"] else INCOMPLETE)


def _write_mechanism(session: "Session") -> list[str]:
    """Predict the conversations again, now that all cells are here; say which design's code is not at hand."""
    from pytest_membench.run import mechanism

    if not session.served:
        return []
    designs = _designs(session.manifest)
    mechanism.write_errors(session, designs)
    unknown = sorted({one.row["design"] for one in session.served} - {design.id for design in designs})
    if not unknown:
        return []
    return [
        f"the mechanism's error is unknown of {', '.join(unknown)}: run this where the designs that were measured are"
    ]


def _designs(manifest: Mapping[str, Any]) -> list["Found"]:
    """Return the session's designs as far as they are found here, the same as they were measured."""
    from pytest_membench.data import REFERENCE
    from pytest_membench.errors import DesignError
    from pytest_membench.run.find import find_all

    found: dict[str, Found] = {}
    digests = {name: about["digest"] for name, about in manifest["designs"].items()}
    for name in (*manifest["design_names"], *digests, REFERENCE):
        try:
            found |= {one.id: one for one in find_all(name, Path.cwd())}
        except DesignError:
            continue
    return [one for one in found.values() if digests.get(one.id) == one.digest]


@click.command(name="merge-cassettes", short_help="Unite what several machines recorded.")
@click.argument("into", type=click.Path(file_okay=False, path_type=Path))
@click.argument("folders", type=Folder, nargs=-1, required=True)
def merge_cassettes(into: Path, folders: Sequence[Path]) -> None:
    """Copy into the folder INTO what several machines recorded, each in its copy of the cassettes.

    Of two files the one that goes on from the other is taken. Two recordings of the same calls are refused by name,
    and nothing is copied.
    """
    from pytest_membench.llm import gather

    copied = gather.gather(into, folders)
    click.echo(f"copied {len(copied)} cassettes into {into}")
