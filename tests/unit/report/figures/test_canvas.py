"""SVG for a page: the page's colours, ids of their own, titled, the same every time, and harmless."""

import re
from typing import TYPE_CHECKING

import matplotlib as mpl
import pytest

from pytest_membench.report.figures import canvas

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def paint(figure: "Figure") -> None:
    """A line with a marker, a clip path and a text that would do harm."""
    axes = figure.subplots()
    axes.plot([1, 2], [3, 4], marker="o", color=canvas.ACCENT)
    axes.set_title("</svg><script>window.planted = 1</script> $x$ \N{SNOWMAN}")


def test_colours_are_the_page_s() -> None:
    """No colour of its own is left: all are CSS custom properties, or none."""
    svg = canvas.draw("a", "A line", paint, 2)
    assert "var(--accent)" in svg
    assert "var(--muted)" in svg
    assert set(re.findall(r"(?:fill|stroke)(?:: |=\")(#\w+)", svg)) == set()


def test_text_is_text_and_escaped() -> None:
    """Real text, mathematics off, and what looks like markup is none."""
    svg = canvas.draw("a", "A <b>line</b>", paint, 2)
    assert "&lt;/svg&gt;&lt;script&gt;" in svg
    assert "$x$" in svg
    assert "<script" not in svg
    assert svg.count("</svg>") == 1
    assert '<title id="a-title">A &lt;b&gt;line&lt;/b&gt;</title>' in svg
    assert 'role="img" aria-labelledby="a-title"' in svg


def test_two_figures_of_a_page_share_no_id() -> None:
    """References stay within their figure."""
    one, two = (canvas.draw(name, "A line", paint, 2) for name in ("a", "b"))
    ids = [set(re.findall(r' id="([^"]+)"', svg)) for svg in (one, two)]
    assert ids[0] & ids[1] == set()
    assert set(re.findall(r'(?:href="#|url\(#)([^")]+)', one)) <= ids[0]


def test_equal_drawings_have_equal_bytes_whatever_the_user_s_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither date nor chance nor a matplotlibrc shows in them, and none is changed."""
    one = canvas.draw("a", "A line", paint, 2)
    monkeypatch.setitem(mpl.rcParams, "axes.facecolor", "red")
    monkeypatch.setitem(mpl.rcParams, "font.size", 30)
    assert canvas.draw("a", "A line", paint, 2) == one
    assert (mpl.rcParams["axes.facecolor"], mpl.rcParams["font.size"]) == ("red", 30)


@pytest.mark.parametrize(
    ("value", "shown"), [(0, "0"), (0.012, "0.012"), (950, "950"), (2500, "2.5k"), (12_000, "12k"), (3.2e6, "3.2M")]
)
def test_counts_are_short(value: float, shown: str) -> None:
    """An axis has room for four characters."""
    assert canvas.count(value) == shown


def test_a_long_name_is_cut() -> None:
    """With a sign that it goes on."""
    assert canvas.short("a" * 30) == "a" * 30
    assert canvas.short("a" * 31) == "a" * 29 + "\N{HORIZONTAL ELLIPSIS}"
