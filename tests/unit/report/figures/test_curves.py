"""The numbers behind the cost figures, from a session whose costs are known."""

import math
from collections.abc import Sequence

import pytest
import report_session

from pytest_membench.report.costs import summarise_costs
from pytest_membench.report.figures import curves
from pytest_membench.report.folder import Served, Session


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    """The session of report_session."""
    return report_session.write(tmp_path_factory.mktemp("curves"))


@pytest.fixture(scope="module")
def served(session: Session) -> dict[str, list[Served]]:
    """The conversations with the model that has a price."""
    return curves.by_design(session.served, "paid")


def whole(served: Sequence[Served]) -> list[float]:
    """Return the sums of the transcript at 20x100, by hand: an answer reads 60 + 100 (t+1) tokens."""
    return [sum(60 + 100 * (k + 1) for k in range(t + 1)) for t in range(20)]


def test_the_cumulative_cost_is_the_sum_of_turns(served: dict[str, list[Served]]) -> None:
    """Measured to the end: nothing is made up."""
    curve = curves.cumulative("20x100", served["full_context"], "tokens")
    assert curve is not None
    assert curve.measured == whole(served["full_context"])
    assert curve.fitted == []


def test_money_is_summed_the_same_way(served: dict[str, list[Served]]) -> None:
    """At one USD per million tokens of input."""
    curve = curves.cumulative("20x100", served["full_context"], "usd")
    assert curve is not None
    assert curve.measured == pytest.approx([c / 1e6 for c in whole(served["full_context"])])


def test_a_conversation_that_ended_early_goes_on_from_the_fit(served: dict[str, list[Served]]) -> None:
    """Twelve turns are measured, eight more are fitted; they begin where measuring ended."""
    own = served["window"]
    curve, model = curves.cumulative("20x100", own, "tokens"), curves.fit(own)
    assert curve is not None
    assert model is not None
    assert (len(curve.measured), len(curve.fitted)) == (12, 8)
    first = math.exp(model.a + model.p * math.log(101) + model.q * math.log(13)) - 1
    assert curve.fitted[0] - curve.measured[-1] == pytest.approx(first)
    dollars = curves.cumulative("20x100", own, "usd")
    assert dollars is not None
    assert dollars.fitted == pytest.approx([c / 1e6 for c in curve.fitted])


def test_an_unknown_cost_is_no_curve(session: Session) -> None:
    """The model without a price has tokens alone."""
    own = curves.by_design(session.served, "free")["window"]
    assert curves.cumulative("20x100", own, "usd") is None
    assert curves.cumulative("20x100", own, "tokens") is not None
    assert curves.cumulative("99x99", own, "tokens") is None


def test_observed_turns_are_means_beside_their_fit(served: dict[str, list[Served]]) -> None:
    """First and last turn of each cell are among them; at most so many a cell."""
    found = curves.observed(served["full_context"])
    assert [one.cell for one in found] == ["6x50", "6x100", "20x50", "20x100"]
    assert found[-1].measured[0] == 160
    assert found[-1].measured[-1] == 2060
    assert all(len(one.measured) == len(one.fitted) <= curves.POINTS for one in found)


def test_held_out_cells_are_those_of_the_summary(served: dict[str, list[Served]], session: Session) -> None:
    """The mean error of the folds is the summary's."""
    folds = curves.held_out(served["window"])
    mape = sum(fold.ape for fold in folds) / len(folds)
    assert round(mape, 4) == summarise_costs(session.served)["paid"]["window"]["loocv_mape"]


def test_one_cell_has_neither_fit_nor_folds(served: dict[str, list[Served]]) -> None:
    """What cannot be determined is not shown."""
    one = curves.at("6x50", served["window"])
    assert (curves.fit(one), curves.observed(one), curves.held_out(one)) == (None, [], [])


def test_stages_are_summed_and_unknown_stays_unknown(served: dict[str, list[Served]]) -> None:
    """Input and output together; one unknown turn makes the stage unknown."""
    own = curves.at("6x50", served["window"])
    assert curves.stage_tokens(own)["ingest"] == 12 * 110
    turns = [dict(turn) for turn in own[0].turns]
    turns[0] = {**turns[0], "tokens": {**turns[0]["tokens"], "ingest": {"input": None, "output": 1}}}
    assert curves.stage_tokens([Served(own[0].row, turns)])["ingest"] is None
