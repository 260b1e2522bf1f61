"""The command that starts a benchmark in an empty folder."""

from pathlib import Path

import click


@click.command(short_help="Write a benchmark of your own into an empty folder.")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), default=Path())
def init(folder: Path) -> None:
    """Write a ready benchmark into FOLDER: a design, a suite of one short person, a CI workflow."""
    from pytest_membench import scaffold

    for path in scaffold.write(folder):
        click.echo(f"wrote {path}")
    click.echo("next: pytest benchmarks --design=mine --membench-update-baseline")
    click.echo("then: git add . and commit; CI replays cassettes/ and compares with benchmarks/baselines/")
