"""The command on power: which drop of a score so many questions can show."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pytest_membench.cli.group import Folder, show

if TYPE_CHECKING:
    from pytest_membench.report.compare import Pair
    from pytest_membench.report.power import Asked

_LEVEL = click.FloatRange(0, 1, min_open=True, max_open=True)


def _points(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    """Return a drop in points as a share; refuse what looks like a share."""
    if value is None or 1 <= value <= 100:
        return None if value is None else value / 100
    hint = f"; as a share {value:g} are {100 * value:g} points" if 0 < value < 1 else ""
    raise click.BadParameter(f"{value:g}: a drop is given in points of the score, from 1 to 100{hint}")


def _share(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    """Return an sd as it is; refuse one in points."""
    if value is None or 0 <= value <= 1:
        return value
    hint = f"; {value:g} points are {value / 100:g}" if 1 < value <= 100 else ""
    raise click.BadParameter(f"{value:g}: sd is given as a share, from 0 to 1{hint}")


@click.command(short_help="Say which drop of the score so many probes can show.")
@click.option("--probes", type=click.IntRange(1, 100_000), help="Probes of a session; needed without two folders.")
@click.option("--drop", type=float, callback=_points, help="One drop, in points; else 5, 10, 15 and 20 are shown.")
@click.option(
    "--sd",
    type=float,
    callback=_share,
    help="How much a probe's score (0 to 1) differs between two sessions of an unchanged design: the standard "
    "deviation of these differences, as a share from 0 (all answers repeat) to 1 (default: 0.58).",
)
@click.option("--power", "chance", type=_LEVEL, default=0.8, show_default=True, help="Chance of a drop to be found.")
@click.option("--alpha", type=_LEVEL, default=0.05, show_default=True, help="Chance of a false alarm, at most.")
@click.option("--baseline", type=Folder, help="Results folder: measure sd, together with --second.")
@click.option("--second", type=Folder, help="Results folder of another session of the same designs, unchanged.")
def power(
    probes: int | None,
    drop: float | None,
    sd: float | None,
    chance: float,
    alpha: float,
    baseline: Path | None,
    second: Path | None,
) -> None:
    """Say which drop of the score a number of probes can show, and how often noise alone looks like one.

    With the results folders of --baseline and --second, sd is measured for each design, and --probes is how many they share.
    """
    from pytest_membench.report import power as tables

    if (baseline is None) != (second is None):
        raise click.UsageError("--baseline and --second measure sd together: give both results folders, or --sd")
    if baseline and second:
        if sd is not None:
            raise click.UsageError("--sd and two results folders both say what sd is: give one of them")
        _show_measured(_paired(baseline, second), tables.Asked(probes or 0, chance, alpha, None), drop)
        return
    if probes is None:
        raise click.UsageError("give --probes, how many a session answers, or --baseline and --second")
    head = tables.assumed() if sd is None else f"sd {sd:.2f}, as given"
    show([head, *_lines(tables.Asked(probes, chance, alpha, sd), drop)])


def _paired(baseline: Path, second: Path) -> list["Pair"]:
    from pytest_membench.report import folder
    from pytest_membench.report.compare import paired

    return paired(folder.read(baseline), folder.read(second))


def _show_measured(pairs: Sequence["Pair"], asked: "Asked", drop: float | None) -> None:
    """Print what each design's two sessions measured, and what follows from it."""
    from pytest_membench.report import power as tables

    for number, pair in enumerate(pairs):
        show([*([""] if number else []), f"{pair.second} - {pair.first}"])
        if not pair.shared:
            show(["no question has a verdict in both sessions, so that nothing is measured"])
            continue
        own = asked._replace(probes=asked.probes or len(pair.shared), sd=tables.spread(pair))
        show([*tables.measured(pair), *_lines(own, drop)])


def _lines(asked: "Asked", drop: float | None) -> list[str]:
    from pytest_membench.report import power as tables

    try:
        return tables.lines(asked, drop)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
