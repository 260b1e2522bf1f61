"""The lines of `membench power`: which drop so many probes can show, and how often noise looks like one."""

import statistics
from collections.abc import Sequence
from typing import NamedTuple

from pytest_membench.report.compare import Pair
from pytest_membench.report.text import align
from pytest_membench.stats import power

DROPS = (0.05, 0.10, 0.15, 0.20)
"""The drops of the table, as shares."""


class Asked(NamedTuple):
    """What to answer for: `power` is the chance of a drop to be found, `sd` None for the model; shares of 1."""

    probes: int
    power: float
    alpha: float
    sd: float | None


def spread(pair: Pair) -> float:
    """Return the standard deviation of the paired differences of two sessions' scores, a share from 0 to 1."""
    return statistics.pstdev(pair.second_scores[key] - pair.first_scores[key] for key in pair.shared)


def lines(asked: Asked, drop: float | None = None) -> list[str]:
    """Return the smallest drop that is found and a table of `DROPS`, or the table's row of one `drop`.

    Raises ValueError as the functions of `stats.power` do.
    """
    drops = DROPS if drop is None else (drop,)
    made = [f"one-sided exact test at alpha {asked.alpha:g} on {asked.probes:,} probes"]
    if drop is None:
        made.append(_smallest(asked))
    table = [["true drop", "found in", f"probes for {100 * asked.power:g}%", "noise alone reaches it in"]]
    return [*made, "", *align([*table, *(_row(asked, one) for one in drops)]), *_widened(asked, drops)]


def assumed() -> str:
    """Return what is taken where no sd is given."""
    return (
        f"sd {power.MODEL_SD:.2f}, assumed: each probe's chance of being right lies anywhere from 0 to 1, "
        "and the two sessions draw from it"
    )


def measured(pair: Pair) -> list[str]:
    """Return what two sessions measured, and what it may mean where nothing differs."""
    flips = sum(pair.second_scores[key] != pair.first_scores[key] for key in pair.shared)
    made = f"sd {spread(pair):.2f}, measured: {flips} of {len(pair.shared)} probes have another score in the second session"
    note = "no noise is measured where both sessions replay the same recordings; record one of them anew"
    return [made] if flips else [made, note]


def _smallest(asked: Asked) -> str:
    found = power.detectable_drop(asked.probes, asked.power, asked.alpha, asked.sd)
    if found is None:
        return f"no drop is found with a chance of {100 * asked.power:g}%: {asked.probes} probes are too few"
    return f"smallest drop that is found with a chance of {100 * asked.power:g}%: {100 * found:.1f} points"


def _row(asked: Asked, drop: float) -> list[str]:
    sd = power.nearest_sd(drop, asked.sd)
    found = power.power(asked.probes, drop, asked.alpha, sd)
    noise = power.noise_reaches(asked.probes, drop, asked.sd)
    return [_points(drop), _percent(found), _needed(asked, drop, sd), _percent(noise)]


def _needed(asked: Asked, drop: float, sd: float | None) -> str:
    try:
        return f"{power.probes_needed(drop, asked.power, asked.alpha, sd):,}"
    except ValueError:  # all arguments have been used before: there are too many
        return f"over {power.MOST_PROBES:,}"


def _points(drop: float) -> str:
    return f"{100 * drop:g} point{'' if round(100 * drop, 9) == 1 else 's'}"


def _widened(asked: Asked, drops: Sequence[float]) -> list[str]:
    """Return a note where a drop of such a size excludes the sd, so that another one was taken."""
    if asked.sd is None:
        return []
    nearest = {drop: power.nearest_sd(drop, asked.sd) or 0.0 for drop in drops}
    told = [f"{sd:.2f} at {_points(drop)}" for drop, sd in nearest.items() if abs(sd - asked.sd) >= 0.005]
    if not told:
        return []
    return [
        f"right and wrong answers cannot have sd {asked.sd:.2f} with such drops; the nearest is used: {', '.join(told)}"
    ]


def _percent(share: float) -> str:
    """Return a share as a percentage that becomes 0% or 100% only where it is all but that."""
    if 0.001 <= share < 0.01 or 0.99 < share <= 0.999:
        return f"{100 * share:.1f}%"
    if 0 < share < 0.001:
        return "<0.1%"
    return ">99.9%" if 0.999 < share < 1 else f"{100 * share:.0f}%"
