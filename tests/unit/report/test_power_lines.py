"""The lines of `membench power`: percentages that never round to certainty, and pairs without a verdict."""

import pytest

from pytest_membench.report.compare import Pair
from pytest_membench.report.power import Asked, lines, measured, spread
from pytest_membench.stats.power import power


def pair(first: list[float], second: list[float]) -> Pair:
    """Return two sessions of one design with these scores."""
    keys = [("maya", f"recall-{n:02}") for n in range(len(first))]
    kinds = dict.fromkeys(keys, "recall")
    return Pair("a", "a", dict(zip(keys, first, strict=True)), dict(zip(keys, second, strict=True)), kinds)


def test_the_spread_is_that_of_the_differences_of_shared_probes() -> None:
    """Differences -1, 0, 0 and 1 around 0: their sd is sqrt(2/4); a probe without a second verdict is left out."""
    made = pair([1.0, 0.5, 0.0, 0.0, 1.0], [0.0, 0.5, 0.0, 1.0, 0.0])
    del made.second_scores["maya", "recall-04"]  # type: ignore[attr-defined]
    assert spread(made) == pytest.approx(0.5**0.5)
    assert measured(made) == ["sd 0.71, measured: 2 of 4 probes have another score in the second session"]


def test_what_is_nearly_certain_is_not_shown_as_certain() -> None:
    """A chance of 0.9999... is >99.9%, one of 0.0001 <0.1%; between, two digits or one more near the ends."""
    table = lines(Asked(300, 0.8, 0.05, None))[3:]
    assert 0.999 < power(300, 0.2) < 1
    assert table[-1].split()[2] == ">99.9%"
    assert table[-1].split()[-1] == "<0.1%"
    assert lines(Asked(180, 0.8, 0.05, None))[-1].split()[2] == "99.6%"


def test_a_drop_beyond_the_model_raises() -> None:
    """The caller shows the reason."""
    with pytest.raises(ValueError, match="no more can be lost"):
        lines(Asked(180, 0.8, 0.05, None), 0.6)
