"""What all commands share: how errors and lines are shown."""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from pytest_membench.errors import MembenchError

INCOMPLETE = 6
"""The exit code where something was not run or not judged, as a session's."""
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


def show(lines: Iterable[str]) -> None:
    """Print each line."""
    for line in lines:
        click.echo(line)
