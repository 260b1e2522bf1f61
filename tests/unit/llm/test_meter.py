"""The ledger: usage as endpoints report it, sums that keep the unknown, and lines on disk."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_membench.data import Setting, Stage, Usage
from pytest_membench.llm.meter import Call, Meter, billed, cost, read_usage, spent, with_earlier
from pytest_membench.prices import Price


def call(stage: Stage = "answer", **more: Any) -> Call:
    """One call that worked, at $1, with 10 tokens in and 2 out."""
    settings: dict[str, Any] = {"setting": Setting("m"), "kind": "chat", "usage": Usage(10, 0, 0, 2, 0), "attempt": 1}
    return Call(stage=stage, **{**settings, "seconds": 0.5, "replayed": False, "usd": 1.0, **more})


def test_usage_is_read_field_by_field() -> None:
    """Cached and written tokens are parts of the prompt, reasoning is a part of the output."""
    raw = {
        "prompt_tokens": 100,
        "completion_tokens": 30,
        "total_tokens": 130,
        "prompt_tokens_details": {"cached_tokens": 40, "cache_write_tokens": 10},
        "completion_tokens_details": {"reasoning_tokens": 20},
    }
    assert read_usage(raw) == Usage(input=100, cached=40, cache_write=10, output=30, reasoning=20)


@pytest.mark.parametrize("raw", [None, {}, {"prompt_tokens": None, "prompt_tokens_details": None}])
def test_what_is_not_reported_is_unknown(raw: dict[str, Any] | None) -> None:
    """No usage is five unknowns, not five zeros."""
    assert read_usage(raw) == Usage(None, None, None, None, None)


@pytest.mark.parametrize("value", ["7", 7.5, True, -1, [7]])
def test_what_is_no_count_of_tokens_is_unknown(value: object) -> None:
    """A text, a fraction, a truth value or a negative number is not taken for a count."""
    assert read_usage({"prompt_tokens": value, "completion_tokens": 3}) == Usage(input=None, output=3)


@pytest.mark.parametrize("raw", ["none", 3, ["x"], {"prompt_tokens": 5, "prompt_tokens_details": "none"}])
def test_usage_of_another_shape_is_unknown(raw: Any) -> None:
    """An endpoint that reports nonsense reports nothing; the reply itself still stands."""
    assert read_usage(raw).cached is None


def test_zero_stays_zero() -> None:
    """A reported 0 is known, and stays apart from what is unknown."""
    raw = {
        "prompt_tokens": 5,
        "completion_tokens": 0,
        "prompt_tokens_details": {"cached_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0},
    }
    assert read_usage(raw) == Usage(input=5, cached=0, cache_write=None, output=0, reasoning=0)


def test_reasoning_beside_output_is_added_where_the_total_shows_it() -> None:
    """100 + 30 + 20 = 150: this endpoint counts reasoning beside its completion."""
    raw = {"prompt_tokens": 100, "completion_tokens": 30, "total_tokens": 150}
    usage = read_usage({**raw, "completion_tokens_details": {"reasoning_tokens": 20}})
    assert (usage.output, usage.reasoning) == (50, 20)


@pytest.mark.parametrize("total", [130, None, 999])
def test_reasoning_is_not_added_twice(total: int | None) -> None:
    """Where the total is that of prompt and completion, is missing or fits neither, output stays."""
    raw = {"prompt_tokens": 100, "completion_tokens": 30, "total_tokens": total}
    assert read_usage({**raw, "completion_tokens_details": {"reasoning_tokens": 20}}).output == 30


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 10**6), st.booleans())
def test_input_and_output_always_add_up_to_the_total(prompt: int, visible: int, reasoning: int, beside: bool) -> None:
    """Either way of counting reasoning gives the same usage."""
    completion = visible if beside else visible + reasoning
    usage = read_usage(
        {
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt + visible + reasoning,
            "completion_tokens_details": {"reasoning_tokens": reasoning},
        }
    )
    assert usage == Usage(input=prompt, output=visible + reasoning, reasoning=reasoning)


@pytest.mark.parametrize("details", [{"cached_tokens": 11}, {"cached_tokens": 6, "cache_write_tokens": 5}])
def test_more_cached_than_the_prompt_has_is_unknown(details: dict[str, int]) -> None:
    """Parts of the prompt that exceed it cannot be billed, and are not guessed at; the output is known."""
    usage = read_usage({"prompt_tokens": 10, "completion_tokens": 4, "prompt_tokens_details": details})
    assert usage == Usage(output=4)


def test_a_count_beyond_all_measure_is_unknown() -> None:
    """Such a number is a fault of the endpoint, and no JSON writer takes it."""
    assert read_usage({"prompt_tokens": 10**30, "completion_tokens": 4}) == Usage(output=4)


def test_cached_without_a_prompt_is_read() -> None:
    """An unknown prompt contradicts nothing."""
    assert read_usage({"prompt_tokens_details": {"cached_tokens": 11}}) == Usage(cached=11)


def test_cached_input_is_billed_once_at_its_own_rate() -> None:
    """2,000 in, 500 of them cached, 300 written, at $3 / 0.30 / 3.75 a million: $0.004875."""
    price = Price("m", None, 3.0, 15.0, cached_input=0.30, cache_write=3.75)
    assert cost(price, Usage(2000, 500, 300, 0, 0)) == pytest.approx(0.004875, abs=1e-12)


def test_without_a_price_there_is_no_cost() -> None:
    """An unknown model is not priced at 0."""
    assert cost(None, Usage(10, 0, 0, 2, 0)) is None


def test_stages_are_summed_apart() -> None:
    """Ingest does not pay for answers, nor chats for embeddings."""
    meter = Meter("item")
    for one in (call("ingest"), call("answer"), call("answer"), call("answer", kind="embed")):
        meter.record(one)
    assert meter.usage("answer") == Usage(20, 0, 0, 4, 0)
    assert meter.usage("answer", "embed") == Usage(10, 0, 0, 2, 0)
    assert (meter.usd("ingest"), meter.usd("answer")) == (1.0, 3.0)


def test_one_unknown_makes_the_sum_unknown() -> None:
    """A sum that lacks a part is no sum."""
    meter = Meter("item")
    meter.record(call())
    meter.record(call(usage=Usage(input=5), usd=None))
    assert meter.usage("answer") == Usage(input=15)
    assert meter.usd("answer") is None


def test_a_failed_attempt_makes_nothing_unknown() -> None:
    """A refused attempt used nothing; what the retry used is what the stage used."""
    meter = Meter("item")
    meter.record(call(usage=Usage(), usd=None, error="HTTP 429"))
    meter.record(call(attempt=2))
    assert meter.usage("answer") == Usage(10, 0, 0, 2, 0)
    assert meter.usd("answer") == 1.0


def test_a_billed_failure_is_no_part_of_what_a_stage_used() -> None:
    """The ledger has what a failed attempt was billed; figures are of the replies, so that a replay gives the same."""
    meter = Meter("item")
    meter.record(call(error="the reply is empty"))
    meter.record(call(attempt=2))
    assert (meter.usage("answer").input, meter.usd("answer")) == (10, 1.0)


def test_who_served_is_counted_without_the_judge() -> None:
    """Replies are counted by the provider's name; those at the contract price for want of their own are named."""
    meter = Meter("item")
    for stage in ("ingest", "answer", "answer", "judge"):
        meter.record(call(stage, provider="Groq"))
    meter.record(call(provider="Other", at_contract=True))
    meter.record(call(provider="Broken", error="HTTP 500"))
    meter.record(call())
    row = spent(meter, ("ingest", "answer", "judge"))
    assert row["served"] == {"Groq": 3, "Other": 1}
    assert row["at_contract"] == ["Other"]
    both = with_earlier({**spent(meter, ("ingest",))}, spent(meter, ("ingest",)))
    assert (both["served"], both["at_contract"]) == ({"Groq": 6, "Other": 2}, ["Other"])


@pytest.mark.parametrize(
    ("usd", "observed", "taken"),
    [(1.0, 0.5, 1.0), (0.5, 1.0, 1.0), (None, 0.5, 0.5), (0.5, None, 0.5), (None, None, None), (None, -1.0, None)],
)
def test_a_budget_is_charged_the_larger_figure(usd: float | None, observed: float | None, taken: float | None) -> None:
    """Of what the table and what the API say, the larger is counted: a budget must hold by both."""
    assert billed(usd, observed) == taken


def test_a_stage_without_calls_used_nothing() -> None:
    """No call is known to cost 0."""
    assert Meter("item").usage("judge") == Usage(0, 0, 0, 0, 0)
    assert Meter("item").usd("judge") == 0


def test_each_call_is_a_line_of_the_ledger(tmp_path: Path) -> None:
    """The line says who called whom, for what, at what price, and whether it was replayed."""
    ledger = tmp_path / "deep" / "spend.jsonl"
    meter = Meter("design-maya-recall-01", ledger)
    meter.record(call(setting=Setting("m", "low", "groq"), provider="Groq", observed_usd=0.9, seconds=0.123456))
    meter.record(
        call(
            setting=Setting("m", "low", "groq"),
            usage=Usage(),
            usd=None,
            attempt=2,
            error="HTTP 500",
            status=500,
            waited_s=2.00049,
        )
    )
    first, second = map(json.loads, ledger.read_text(encoding="utf-8").splitlines())
    assert first == {
        "item": "design-maya-recall-01",
        "stage": "answer",
        "kind": "chat",
        "model": "m",
        "effort": "low",
        "provider": "Groq",
        "input": 10,
        "cached": 0,
        "cache_write": 0,
        "output": 2,
        "reasoning": 0,
        "usd": 1.0,
        "observed_usd": 0.9,
        "seconds": 0.1235,
        "attempt": 1,
        "replayed": False,
        "error": None,
        "status": None,
        "waited_s": 0.0,
        "at_contract": False,
    }
    assert (second["provider"], second["input"], second["usd"], second["error"]) == ("groq", None, None, "HTTP 500")
    assert (second["status"], second["waited_s"]) == (500, 2.0)


def test_without_a_ledger_calls_are_kept_in_memory() -> None:
    """A meter is usable from a notebook, with no folder."""
    meter = Meter("item")
    meter.record(call())
    assert meter.calls == [call()]
