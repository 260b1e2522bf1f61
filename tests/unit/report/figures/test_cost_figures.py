"""The cost figures: every curve within its panel, every design named, unknown left out."""

import re
from typing import Any

from pytest_membench.report.figures import costs
from pytest_membench.report.figures.curves import Curve, Observed


def words(svg: str) -> list[str]:
    """Return the texts of a figure."""
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg)


def point(turn: Any) -> dict[str, Any]:
    """Return a break-even as the summary has it."""
    return {"turn": turn, "range": [turn, turn], "incomplete": False}


def test_all_panels_have_the_scale_of_the_dearest_design() -> None:
    """The first panel is cheap: the second one, a hundred times dearer, is not cut off."""
    curves = {
        "cheap": Curve([1.0, 2.0, 3.0], []),
        "dear": Curve([100.0, 200.0], [400.0]),
        "full_context": Curve([2.0, 4.0, 6.0], []),
    }
    svg = costs.cumulative("c", "3x50", "tokens", curves, {"cheap": point(0), "dear": point("never")})
    shown = words(svg)
    assert "300" in shown
    assert {"cheap", "dear", "immediate", "never"} <= set(shown)
    assert "full_context" not in shown  # it is the grey line of each panel
    assert svg.count("stroke-dasharray") == 1


def test_the_reference_alone_has_a_panel() -> None:
    """A session of full_context only shows what it cost."""
    assert "full_context" in words(costs.cumulative("c", "2x50", "tokens", {"full_context": Curve([1.0, 2.0], [])}, {}))


def test_designs_without_known_tokens_are_not_on_the_frontier_s_figure() -> None:
    """Two at one place share a label, and the unknown one has none."""
    row = {"score": 50.0, "interval": [40.0, 60.0], "input_tokens_per_turn": 900.0, "frontier": True}
    matrix = {"a": row, "b": row, "blind": {**row, "input_tokens_per_turn": None, "frontier": None}}
    shown = words(costs.frontier("f", "100x100", matrix))
    assert {"a", "b"} <= set(shown)
    assert "blind" not in shown


def test_fits_name_designs_cells_and_r2() -> None:
    """A panel a design; what has no R2 says none."""
    own = [Observed("6x50", [100.0, 200.0], [110.0, 190.0]), Observed("20x50", [300.0], [310.0])]
    shown = words(costs.fits("f", {"notes": own, "window": own}, {"notes": 0.9123, "window": None}))
    assert {"notes", "window", "6x50", "20x50", "R2 0.912"} <= set(shown)
    assert sum(word.startswith("R2") for word in shown) == 1
