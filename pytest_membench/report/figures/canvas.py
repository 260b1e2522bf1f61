"""From a drawing to an inline SVG whose colours are the page's and whose bytes are always the same."""

import io
import re
import warnings
from collections.abc import Callable, Iterable, Mapping
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK, MUTED, GRID, PAPER, ACCENT = "#000101", "#000102", "#000103", "#000104", "#000105"
"""Stand-ins for the page's colours: `to_svg` puts CSS custom properties in their place."""
SERIES = tuple(f"#0001{16 + n:02x}" for n in range(8))
HEAT = tuple(f"#0001{32 + n:02x}" for n in range(11))
HEAT_INK = tuple(f"#0001{48 + n:02x}" for n in range(11))
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")

_NAMES = {
    INK: "ink",
    MUTED: "muted",
    GRID: "grid",
    PAPER: "paper",
    ACCENT: "accent",
    **{color: f"series-{n}" for n, color in enumerate(SERIES)},
    **{color: f"heat-{n}" for n, color in enumerate(HEAT)},
    **{color: f"heat-ink-{n}" for n, color in enumerate(HEAT_INK)},
}
_OWN_RC: Mapping[str, Any] = {
    "font.family": ["DejaVu Sans"],
    "font.size": 9.5,
    "text.parse_math": False,
    "text.color": INK,
    "svg.fonttype": "none",
    "figure.facecolor": "none",
    "savefig.facecolor": "none",
    "axes.facecolor": "none",
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.titlesize": 10,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "grid.linewidth": 0.8,
    "legend.frameon": False,
    "hatch.color": PAPER,
    "hatch.linewidth": 1.1,
}
_LOOK: tuple[str, ...] = (
    "axes",
    "font",
    "lines",
    "xtick",
    "ytick",
    "text",
    "figure",
    "savefig",
    "svg",
    "legend",
    "hatch",
    "path",
)
_LOOK += ("grid", "patch", "errorbar", "scatter", "markers", "mathtext")
HALO = "halo"
"""Group id of a text that may stand on lines: the page's style puts a rim of paper around it."""
WIDTH_IN = 8.6
"""Width of every figure in inches: the page's text column."""


def draw(name: str, title: str, paint: Callable[["Figure"], None], height_in: float) -> str:
    """Return the SVG of what `paint` draws on an empty figure.

    `name` is the figure's id in the page and must be unique there; `title` is what a screen reader
    says. The user's own matplotlib settings neither show nor change.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    defaults: Any = mpl.rcParamsDefault
    look = {key: value for key, value in defaults.items() if key.split(".", maxsplit=1)[0] in _LOOK}
    settings: Any = {**look, **_OWN_RC, "svg.hashsalt": name}
    with mpl.rc_context(settings), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph")  # a name in another script: the browser has the glyph
        figure = Figure(figsize=(WIDTH_IN, height_in))
        paint(figure)
        file = io.StringIO()
        no_date: dict[str, Any] = {"Date": None, "Creator": None, "Format": None, "Type": None}
        figure.savefig(file, format="svg", metadata=no_date)
    return _inline(file.getvalue(), name, title)


def _inline(svg: str, name: str, title: str) -> str:
    """Return matplotlib's SVG as a part of a page: titled, in the page's colours, its ids unique there."""
    box = re.search(r'viewBox="([^"]*)"', svg)
    assert box is not None
    width = float(box[1].split()[2])
    body = svg[svg.index(">", svg.index("<svg")) + 1 : svg.rindex("</svg>")]
    body = re.sub(r"<metadata>.*?</metadata>|<style[^>]*>.*?</style>", "", body, flags=re.DOTALL)
    body = re.sub(r"(fill|stroke): (#0001[0-9a-f]{2})", lambda m: f"{m[1]}: {_var(m[2])}", body)
    body = re.sub(r'fill="(#0001[0-9a-f]{2})"', lambda m: f'style="fill: {_var(m[1])}"', body)
    body = body.replace(f' id="{HALO}"', f' class="{HALO}"')
    used = set(re.findall(r'(?:href="#|url\(#)([^")]+)', body))
    body = re.sub(r' id="([^"]*)"', lambda m: f' id="{name}-{m[1]}"' if m[1] in used else "", body)
    body = re.sub(r'(href="#|url\(#)([^")]+)', rf"\1{name}-\2", body)
    body = re.sub(r"\s*\n\s*", "\n", body).strip()
    head = f'<svg class="figure" role="img" aria-labelledby="{name}-title" viewBox="{box[1]}"'
    style = f'style="max-width: {width * 4 / 3:.0f}px"'
    return f'{head} {style}>\n<title id="{name}-title">{escape(title)}</title>\n{body}\n</svg>'


def _var(color: str) -> str:
    return f"var(--{_NAMES.get(color, 'ink')})"


def margins(figure: "Figure", left: float, right: float, top: float, bottom: float, **between: float) -> None:
    """Leave room around the axes, in points; `between` are matplotlib's wspace and hspace.

    Set by hand: matplotlib's own layout engines draw the figure several times, which takes seconds.
    """
    wide, high = figure.get_figwidth() * 72, figure.get_figheight() * 72
    figure.subplots_adjust(left / wide, bottom / high, 1 - right / wide, 1 - top / high, **between)


def room(names: Iterable[str]) -> float:
    """Return the width in points that the longest of these names takes, with a gap."""
    return 6.2 * max((len(short(name)) for name in names), default=0) + 10


def short(name: str, most: int = 30) -> str:
    """Return a name cut to what a figure has room for."""
    return name if len(name) <= most else name[: most - 1] + "\N{HORIZONTAL ELLIPSIS}"


def count(value: float, _position: object = None) -> str:
    """Return a count as an axis shows it: 950, 2.5k, 12k, 1.2M."""
    for factor, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= factor:
            return f"{value / factor:.3g}{unit}"
    return f"{value:.3g}"
