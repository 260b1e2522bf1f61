"""Figures of scores and tokens: intervals, kinds by designs, the stages' shares."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pytest_membench.data import KINDS, SERVING
from pytest_membench.report.figures import canvas
from pytest_membench.report.text import by_score

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LOOKS = ((canvas.SERIES[0], ""), (canvas.SERIES[1], "////"), (canvas.GRID, ""))
"""Fill and hatch of the three stages: they differ without colour too."""


def intervals(name: str, designs: Mapping[str, Any]) -> str:
    """Return a dot with its 95% interval for each design, best score first."""
    ranked = [(design, row) for design, row in by_score(designs) if row["score"] is not None]

    def paint(figure: "Figure") -> None:
        canvas.margins(figure, canvas.room(design for design, _ in ranked), 6, 4, 40)
        axes = figure.subplots()
        for place, (_, row) in enumerate(ranked):
            low, high = row["interval"]
            axes.plot([low, high], [place, place], color=canvas.MUTED, linewidth=2, solid_capstyle="butt")
            axes.plot(row["score"], place, "o", color=canvas.ACCENT, markersize=7)
            axes.text(110, place, f"{row['score']:.1f}", va="center", ha="right", fontweight="bold")
        _rows(axes, [design for design, _ in ranked])
        axes.set_xlim(0, 110)
        axes.set_xticks(range(0, 101, 10))
        axes.set_xlabel("score, points of 100, with its 95% interval")
        axes.grid(axis="x")

    return canvas.draw(name, "Score of each design with its 95% interval", paint, 0.9 + 0.3 * len(ranked))


def _rows(axes: "Axes", names: Sequence[str]) -> None:
    """Name the rows, the first on top, without a line of their own."""
    axes.set_yticks(range(len(names)), [canvas.short(name) for name in names])
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)


def heat_map(name: str, designs: Mapping[str, Any]) -> str:
    """Return kinds by designs, each field with its score; a kind without a verdict shows "-"."""
    kinds = [kind for kind in KINDS if any(kind in row["kinds"] for row in designs.values())]
    ranked = by_score(designs)

    def paint(figure: "Figure") -> None:
        from matplotlib.patches import Rectangle

        canvas.margins(figure, canvas.room(design for design, _ in ranked), 6, 22, 4)
        axes = figure.subplots()
        for place, (_, row) in enumerate(ranked):
            for column, kind in enumerate(kinds):
                score = row["kinds"].get(kind, {}).get("score")
                step = 0 if score is None else round(score / 10)
                fill = "none" if score is None else canvas.HEAT[step]
                field = Rectangle((column - 0.48, place - 0.46), 0.96, 0.92, facecolor=fill, edgecolor="none")
                axes.add_patch(field)
                color = canvas.INK if score is None else canvas.HEAT_INK[step]
                label = "-" if score is None else f"{score:.1f}"
                axes.text(column, place, label, ha="center", va="center", color=color)
        _rows(axes, [design for design, _ in ranked])
        axes.set_xlim(-0.5, len(kinds) - 0.5)
        axes.set_xticks(range(len(kinds)), kinds)
        axes.tick_params(axis="x", length=0, labeltop=True, labelbottom=False)
        axes.spines["bottom"].set_visible(False)

    return canvas.draw(name, "Score by kind and design, points of 100", paint, 0.5 + 0.31 * len(ranked))


def stages(name: str, panels: Mapping[str, Mapping[str, Mapping[str, int | None]]]) -> str:
    """Return each stage's share of a design's tokens, a panel for each title: {title: {design: {stage: tokens}}}.

    A design with a stage of unknown size has no bar, and says so.
    """
    most = max(len(designs) for designs in panels.values())

    def paint(figure: "Figure") -> None:
        left = canvas.room(design for designs in panels.values() for design in designs)
        alike = len({tuple(designs) for designs in panels.values()}) == 1
        canvas.margins(figure, left, 10, 46, 40, wspace=0.12 if alike else 0.6)
        row = figure.subplots(1, len(panels), squeeze=False)[0]
        for number, (axes, (title, designs)) in enumerate(zip(row, panels.items(), strict=True)):
            _bars(axes, designs)
            axes.set_title(title, loc="left")
            if number and alike:
                axes.set_yticklabels([])
        handles, names = row[0].get_legend_handles_labels()
        figure.legend(handles, names, loc="upper left", ncols=len(SERVING))

    return canvas.draw(name, "Stages' shares of each design's tokens", paint, 1.3 + 0.28 * most)


def _bars(axes: "Axes", designs: Mapping[str, Mapping[str, int | None]]) -> None:
    shares = [_shares(stages) for stages in designs.values()]
    left = [0.0] * len(shares)
    for (fill, hatch), stage in zip(_LOOKS, SERVING, strict=True):
        widths = [share[stage] if share else 0.0 for share in shares]
        look: Any = {"facecolor": fill, "hatch": hatch, "edgecolor": canvas.MUTED, "linewidth": 0.6}
        axes.barh(range(len(shares)), widths, left=left, height=0.7, label=stage, **look)
        left = [a + b for a, b in zip(left, widths, strict=True)]
    for place, share in enumerate(shares):
        if share is None:
            axes.text(1, place, "unknown", va="center", color=canvas.MUTED)
    _rows(axes, list(designs))
    axes.set_xlim(0, 100)
    axes.set_xticks(range(0, 101, 25))
    axes.set_xlabel("share of input and output tokens, %")


def _shares(tokens: Mapping[str, int | None]) -> dict[str, float] | None:
    """Return percentages by stage; None where a stage is unknown or nothing was used."""
    known = {stage: tokens[stage] for stage in SERVING}
    total = sum(value or 0 for value in known.values())
    if None in known.values() or not total:
        return None
    return {stage: 100 * (value or 0) / total for stage, value in known.items()}
