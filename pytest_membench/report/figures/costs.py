"""Figures of serving cost: the frontier, cumulative cost with break-even points, and the fits."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pytest_membench.data import REFERENCE
from pytest_membench.report import costtext
from pytest_membench.report.figures import canvas, labels
from pytest_membench.report.figures.curves import Curve, Observed

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLUMNS = 4
_NAMES = {"tokens": "input tokens", "usd": "USD"}


def frontier(name: str, cell: str, matrix: Mapping[str, Any]) -> str:
    """Return score over input tokens a turn, with intervals; what no other design beats is joined by a line.

    Designs whose tokens are unknown are left out.
    """
    known = {design: row for design, row in matrix.items() if row["input_tokens_per_turn"] is not None}
    best = sorted((row["input_tokens_per_turn"], row["score"]) for row in known.values() if row["frontier"])

    def paint(figure: "Figure") -> None:
        canvas.margins(figure, 44, 8, 6, 40)
        axes = figure.subplots()
        axes.set_xscale("log")
        for row in known.values():
            x = row["input_tokens_per_turn"]
            axes.plot([x, x], row["interval"], color=canvas.GRID, linewidth=1.6, zorder=1)
            mark: Any = (
                {"marker": "o", "color": canvas.ACCENT} if row["frontier"] else {"marker": "D", "color": canvas.MUTED}
            )
            axes.plot(x, row["score"], markersize=7 if row["frontier"] else 5, linestyle="none", zorder=3, **mark)
        axes.plot(*zip(*best, strict=True), color=canvas.ACCENT, linewidth=1.2, drawstyle="steps-post", zorder=2)
        costs = [row["input_tokens_per_turn"] for row in known.values()]
        axes.set_xlim(min(costs) / 1.25, max(costs) * 1.25)
        axes.set_ylim(*_tens([end for row in known.values() for end in row["interval"]]))
        _log_ticks(axes, "x")
        axes.grid(axis="y")
        axes.set_xlabel(f"input tokens a turn at {cell}, log scale (left is cheaper)")
        axes.set_ylabel("score, points of 100")
        _name_points(figure, axes, known, best)

    return canvas.draw(name, f"Score over input tokens a turn at {cell}; the frontier is joined by a line", paint, 4.6)


def _tens(values: Sequence[float]) -> tuple[float, float]:
    """Return the tens around the values, within 0 and 100."""
    return max(0, math.floor(min(values) / 10) * 10 - 5), min(100, math.ceil(max(values) / 10) * 10 + 5)


def _log_ticks(axes: "Axes", *which: str) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    for letter in which:
        axis = axes.xaxis if letter == "x" else axes.yaxis
        low, high = axis.get_view_interval()
        axis.set_major_locator(LogLocator(subs=_steps(math.log10(high / low))))
        axis.set_major_formatter(FuncFormatter(canvas.count))
        axis.set_minor_locator(NullLocator())


def _steps(decades: float) -> tuple[float, ...]:
    """Return where within a decade a log axis is labelled, so that it has three labels or more."""
    return (1, 1.5, 2, 3, 4, 5, 7) if decades < 1 else (1, 2, 5) if decades < 1.8 else (1,)


def _name_points(
    figure: "Figure", axes: "Axes", designs: Mapping[str, Any], line: Sequence[tuple[float, float]]
) -> None:
    """Write each design's name beside its point, off the frontier's line; names at one place share a label."""
    scale = 72 / figure.dpi

    def in_points(x: float, y: float) -> tuple[float, float]:
        across, up = axes.transData.transform((x, y)) * scale
        return float(across), float(up)

    groups: dict[tuple[float, float], list[str]] = {}
    for design, row in sorted(designs.items()):
        groups.setdefault((row["input_tokens_per_turn"], row["score"]), []).append(canvas.short(design))
    sizes = [(5.4 * max(map(len, names)), 12.5 * len(names)) for names in groups.values()]
    frame = labels.Box(*(float(v) * scale for v in axes.bbox.extents))
    steps = labels.stairs([in_points(*point) for point in line])
    boxes = labels.place([in_points(*point) for point in groups], sizes, frame, steps)
    for (point, names), box in zip(groups.items(), boxes, strict=True):
        x, y = in_points(*point)
        centre = ((box.left + box.right) / 2, (box.bottom + box.top) / 2)
        far = max(abs(centre[1] - y) - (box.top - box.bottom) / 2, abs(centre[0] - x) - (box.right - box.left) / 2) > 10
        lead: Any = {"arrowprops": {"arrowstyle": "-", "color": canvas.MUTED, "linewidth": 0.7}} if far else {}
        look: Any = {"ha": "center", "va": "center", "fontsize": 8.5, "gid": canvas.HALO, **lead}
        axes.annotate("\n".join(names), point, (centre[0] - x, centre[1] - y), textcoords="offset points", **look)


def cumulative(
    name: str, cell: str, unit: str, curves: Mapping[str, Curve], points: Mapping[str, Mapping[str, Any] | None]
) -> str:
    """Return a panel a design: its cumulative cost against the whole transcript's, with the break-even point.

    `points` has each design's break-even of summary.json; a dashed part goes on from the fit.
    """
    reference = curves.get(REFERENCE)
    own = {design: curve for design, curve in curves.items() if design != REFERENCE} or dict(curves)
    highest = max([*curve.measured, *curve.fitted][-1] for curve in curves.values()) or 1
    longest = max(len(curve.measured) + len(curve.fitted) for curve in curves.values())

    def paint(figure: "Figure") -> None:
        from matplotlib.ticker import FuncFormatter, MaxNLocator

        canvas.margins(figure, 54, 8, 20, 38, wspace=0.1, hspace=0.32)
        for axes, (design, curve) in zip(_panels(figure, len(own)), own.items(), strict=True):
            if reference and design != REFERENCE:
                _curve(axes, reference, canvas.MUTED)
            _curve(axes, curve, canvas.ACCENT)
            axes.set_title(canvas.short(design, 22), loc="left")
            _mark(axes, curve, points.get(design))
            axes.set_ylim(0, 1.05 * highest)
            axes.set_xlim(0, longest)
            axes.yaxis.set_major_formatter(FuncFormatter(canvas.count))
            axes.yaxis.set_major_locator(MaxNLocator(nbins=4))
            axes.xaxis.set_major_locator(MaxNLocator(nbins=4, integer=True))
            axes.grid(axis="y")
        figure.supxlabel("turn", fontsize=9.5, y=0.01, va="bottom")
        figure.supylabel(f"{_NAMES[unit]} so far", fontsize=9.5, x=0.008, ha="left")

    title = f"Cumulative {_NAMES[unit]} by turn at {cell}, each design against the whole transcript"
    return canvas.draw(name, title, paint, 0.55 + 1.6 * math.ceil(len(own) / COLUMNS))


def _panels(figure: "Figure", count: int) -> list["Axes"]:
    """Return `count` panels on common scales, in rows; places that are left over stay empty."""
    columns = min(COLUMNS, count)
    grid = figure.subplots(math.ceil(count / columns), columns, sharex=True, sharey=True, squeeze=False)
    panels = list(grid.flat)
    for spare in panels[count:]:
        spare.set_visible(False)
    for axes in panels[max(0, count - columns) : count]:
        axes.tick_params(labelbottom=True)
    return panels[:count]


def _curve(axes: "Axes", curve: Curve, color: str) -> None:
    measured, fitted = curve
    axes.plot(range(len(measured)), measured, color=color, linewidth=1.6)
    if fitted:
        start = len(measured) - 1
        axes.plot(range(start, start + len(fitted) + 1), [measured[-1], *fitted], "--", color=color, linewidth=1.4)


def _mark(axes: "Axes", curve: Curve, point: Mapping[str, Any] | None) -> None:
    """Mark the break-even turn on the curve, and say it in words."""
    turn = point["turn"] if point else None
    if isinstance(turn, int) and turn < len(curve.measured):
        axes.plot(turn, curve.measured[turn], "o", color=canvas.ACCENT, markersize=6, zorder=4)
    words = costtext.crossing(point)
    axes.text(0.04, 0.95, words, transform=axes.transAxes, va="top", fontsize=8.5, gid=canvas.HALO)


def fits(name: str, designs: Mapping[str, Sequence[Observed]], r2: Mapping[str, float | None]) -> str:
    """Return a panel a design: mean input tokens of a turn, measured over fitted, marked by cell."""
    cells = sorted({one.cell for own in designs.values() for one in own}, key=lambda c: [int(n) for n in c.split("x")])
    values = [v for own in designs.values() for one in own for v in (*one.measured, *one.fitted) if v > 0]
    ends = (min(values) / 1.3, max(values) * 1.3)

    def paint(figure: "Figure") -> None:
        canvas.margins(figure, 54, 8, 40, 38, wspace=0.1, hspace=0.32)
        panels = _panels(figure, len(designs))
        for axes, (design, own) in zip(panels, designs.items(), strict=True):
            axes.plot(ends, ends, color=canvas.MUTED, linewidth=0.9)
            for one in own:
                number = cells.index(one.cell) % len(canvas.MARKERS)
                look: Any = {"marker": canvas.MARKERS[number], "color": canvas.SERIES[number], "markersize": 4}
                axes.plot(one.fitted, one.measured, linestyle="none", label=one.cell, markeredgewidth=0, **look)
            known = r2.get(design)
            axes.set_title(canvas.short(design, 22), loc="left")
            if known is not None:
                axes.text(0.04, 0.95, f"R2 {known:.3f}", transform=axes.transAxes, va="top", fontsize=8.5)
        for axes in panels[:1]:
            axes.set(xscale="log", yscale="log", xlim=ends, ylim=ends)
            _log_ticks(axes, "x", "y")
        marks = {label: mark for axes in panels for mark, label in zip(*axes.get_legend_handles_labels(), strict=True)}
        figure.legend(
            [marks[c] for c in cells], cells, loc="upper left", ncols=len(cells), columnspacing=1.2, handletextpad=0.1
        )
        figure.supxlabel("input tokens of a turn as fitted, log scale", fontsize=9.5, y=0.01, va="bottom")
        figure.supylabel("as measured, log scale", fontsize=9.5, x=0.008, ha="left")

    title = "Input tokens of a turn as measured over as fitted, a panel for each design"
    return canvas.draw(name, title, paint, 0.9 + 1.9 * math.ceil(len(designs) / COLUMNS))
