"""The command that lists questions which come out differently when they are asked again."""

from collections.abc import Sequence
from pathlib import Path

import click

from pytest_membench.cli.group import Folder, show


@click.command(short_help="List the probes whose verdict flips by chance.")
@click.argument("results", type=Folder, nargs=-1, required=True)
@click.option("--all", "every", is_flag=True, help="List every probe, also those that never flipped.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def flaky(results: Sequence[Path], every: bool, as_json: bool) -> None:
    """List the probes whose verdict flips between the repeats and the RESULTS folders, and the noise they add."""
    from pytest_membench.report import flaky as unstable
    from pytest_membench.report import folder
    from pytest_membench.store import to_json

    sessions = [folder.read(root) for root in results]
    found = unstable.flaky(sessions)
    if as_json:
        click.echo(to_json(found), nl=False)
        return
    show(unstable.lines(found, every=every))
    show(f"warning: {line}" for line in unstable.copies(sessions))
