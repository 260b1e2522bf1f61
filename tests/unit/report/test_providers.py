"""Who served: counts by provider, and warnings where it was another than the pinned one, or several."""

from typing import Any

import pytest

from pytest_membench.report.providers import at_contract, served, warnings
from pytest_membench.report.spending import lines, spent


def row(counts: dict[str, int], design: str = "window", **more: Any) -> dict[str, Any]:
    """A row of results with who served it."""
    return {"setting": "m@groq", "design": design, "served": counts, **more}


def summary(counts: dict[str, int], provider: str | None = "groq", unpriced: list[str] | None = None) -> dict[str, Any]:
    """A summary of one design."""
    return {
        "settings": {"m@groq": {"provider": provider}},
        "providers": {"m@groq": {"window": counts}},
        "at_contract": {"m@groq": unpriced} if unpriced else {},
    }


def test_replies_are_counted_by_design_and_provider() -> None:
    """Items and the memories that they stand on are added up; rows of older sessions say nothing."""
    rows = [row({"Groq": 2}), row({"Groq": 1, "Other": 1}), row({"X": 1}, "ledger"), {"setting": "m", "design": "old"}]
    assert served(rows, [row({"Groq": 5})]) == {"m@groq": {"window": {"Groq": 8, "Other": 1}, "ledger": {"X": 1}}}


def test_providers_without_a_price_are_named_once() -> None:
    """By setting, sorted; none where all have a price."""
    rows = [row({}, at_contract=["B"]), row({}, at_contract=["A", "B"]), {"setting": "other", "at_contract": []}]
    assert at_contract(rows, []) == {"m@groq": ["A", "B"]}


@pytest.mark.parametrize("name", ["Groq", "groq", "GROQ"])
def test_the_pinned_provider_by_any_spelling_is_no_reason_to_warn(name: str) -> None:
    """Names differ from slugs in case, spaces and hyphens."""
    assert warnings(summary({name: 5}), "m@groq") == []


def test_another_provider_than_the_pinned_one_is_warned_of() -> None:
    """How many calls, whose, and of how many."""
    (line,) = warnings(summary({"Groq": 3, "Other": 2}), "m@groq")
    assert line.startswith("warning: window: 2 of 5 calls were served by Other 2 and not by the pinned groq")


def test_several_providers_of_an_unpinned_model_are_warned_of() -> None:
    """One provider is none; the most frequent comes first."""
    assert warnings(summary({"Groq": 3}, None), "m@groq") == []
    assert warnings(summary({"DeepInfra": 3, "deep infra/fp8": 1}, None), "m@groq") == []
    (line,) = warnings(summary({"A": 1, "B": 4}, None), "m@groq")
    assert "its 5 calls were served by several providers (B 4, A 1)" in line


def test_a_contract_price_for_another_provider_is_said() -> None:
    """The reader knows whose price it is, and how to give the right one."""
    line = warnings(summary({"Groq": 1}, unpriced=["Other"]), "m@groq")[-1]
    assert "no price for m at Other: billed at the contract price of m@groq; --membench-prices FILE" in line


def call(usd: float | None, observed: float | None = None, error: str | None = None, replayed: bool = False) -> Any:
    """A line of the ledger."""
    return {"usd": usd, "observed_usd": observed, "error": error, "replayed": replayed}


def test_a_ledger_is_added_up_over_live_calls() -> None:
    """The larger of two figures counts, failed attempts that were billed too; unknown costs are counted apart."""
    ledger = [
        call(1.0, 2.0),
        call(0.5),
        call(9.0, replayed=True),
        call(0.25, error="empty"),
        call(None),
        call(None, error="HTTP 429"),
    ]
    assert spent(ledger) == (2.75, 1)


def test_the_line_says_session_and_folder() -> None:
    """What is reserved or unknown is named where there is some, and left out where there is none."""
    state = {"usd": 1.0, "spent": 0.5, "reserved": 0.0, "refused": False}
    assert lines(state, [call(0.75)]) == [
        "budget: 1.0000 USD for this session, 0.5000 spent; all sessions into this folder: 0.7500 USD"
    ]
    (line,) = lines({**state, "reserved": 0.25}, [call(None)])
    assert "0.5000 spent and 0.2500 reserved for calls of unknown cost" in line
    assert line.endswith("0.0000 USD, and 1 calls of unknown cost")
