"""Commands on cost: what a run would take, and what cells that were not measured would."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pytest_membench.cli.group import Folder, show

if TYPE_CHECKING:
    from pytest_membench.data import Cell
    from pytest_membench.run.find import Found
    from pytest_membench.run.mechanism import Measured
    from pytest_membench.run.talks import Talks


@click.command(
    context_settings={"ignore_unknown_options": True},
    short_help="Count the calls, tokens and USD that a run would take.",
)
@click.argument("options", nargs=-1, type=click.UNPROCESSED)
def plan(options: Sequence[str]) -> None:
    """Count the calls, tokens and USD that a run would take: `membench plan --design=mine ...`.

    OPTIONS are those of `pytest benchmarks`; no paid call is made and nothing is recorded.
    """
    command = [sys.executable, "-m", "pytest", "benchmarks", "--membench-plan", "-q", *options]
    sys.exit(subprocess.run(command, check=False).returncode)  # noqa: S603 - the user's own options, without a shell


@click.command(short_help="Predict the cost at cells that were not measured.")
@click.argument("results", type=Folder)
@click.option("--design", "name", required=True, help="A design whose conversations RESULTS holds.")
@click.option("--grid", required=True, metavar="NxL[,NxL...]", help="The cells to predict, like 800x200.")
def predict(results: Path, name: str, grid: str) -> None:
    """Predict what a design would cost at cells that were not measured, by running its code on recorded replies.

    No model is asked. How far predictions of the measured cells are off stands beside those of the regression.
    """
    from pytest_membench.report import folder
    from pytest_membench.run import talks
    from pytest_membench.run.cells import parse_grid
    from pytest_membench.run.find import find_all
    from pytest_membench.run.mechanism import of_design

    cells = parse_grid(grid, "--grid")
    if cells is None:
        raise click.UsageError("--grid=paper depends on the design; name the cells, like 400x200,800x200")
    session = folder.read(results)
    served = talks.of_session(session.manifest, Path.cwd())
    for found in find_all(name, Path.cwd()):
        for setting, runs in of_design(session, found.id).items():
            show([f"{found.id}, {setting}, {len(runs)} conversations measured", ""])
            _show_forecast(found, cells, runs, served)


def _show_forecast(found: "Found", cells: Sequence["Cell"], runs: Sequence["Measured"], talks: "Talks") -> None:
    from pytest_membench.report import forecast
    from pytest_membench.report.text import align
    from pytest_membench.run import mechanism

    forecasts = [mechanism.forecast(found.design, cell, runs, talks) for cell in cells]
    held_out = mechanism.leave_one_cell_out(found.design, runs, talks)
    show([*align(forecast.predicted(forecasts)), ""])
    show([*align(forecast.errors(held_out, mechanism.regression_error(runs))), ""])
    wanted = {(cell, run.seed) for cell in [*cells, *(run.cell for run in runs)] for run in runs}
    show(talks.notes(wanted))
    show(forecast.notes(forecasts, held_out, [run.cell for run in runs]))
    if {run.digest for run in runs} != {found.digest}:
        show([f"warning: {found.id} has changed since: the replies are to what it asked then; measure it again"])
