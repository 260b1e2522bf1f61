"""The command that starts a benchmark in an empty folder."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    pass


@click.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), default=Path())
def init(folder: Path) -> None:
    """Write a ready benchmark into FOLDER: a design, a suite of one short person, a CI workflow."""
    from pytest_membench import scaffold

    for path in scaffold.write(folder):
        click.echo(f"wrote {path}")
    click.echo("next: pytest benchmarks --design=mine --membench-update-baseline")
    click.echo(
        "then commit cassettes/ and benchmarks/baselines/: the CI workflow replays the one and compares with the other"
    )
