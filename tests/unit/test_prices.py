"""Prices: each token billed once at its own rate, and no guess where a price or a count is missing."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_membench import Usage
from pytest_membench.data import Setting
from pytest_membench.errors import PriceError
from pytest_membench.prices import TABLE, Price, Tier, can_bound, find, load, same_provider, served

RATES = st.floats(0, 100, allow_nan=False)
COUNTS = st.integers(0, 10**7)
FULL = Price("m", "p", input=3.0, output=15.0, cached_input=0.30, cache_write=3.75)


@pytest.fixture
def table(tmp_path: Path) -> Callable[[Any], Path]:
    """Write a price file that holds a value, or a text as it stands."""

    def write(content: Any) -> Path:
        path = tmp_path / "prices.json"
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return path

    return write


def test_cached_and_written_tokens_are_billed_once_at_their_own_rates() -> None:
    """Of 2,000 tokens 500 are cached and 300 written: 1,200 x 3 + 500 x 0.30 + 300 x 3.75 = $0.004875."""
    assert FULL.usd(Usage(2000, 500, 300, 0, 0)) == pytest.approx(0.004875)


def test_reasoning_is_billed_as_the_part_of_output_that_it_is() -> None:
    """1,000 output tokens cost 1,000 x 15 per million, however many of them are reasoning."""
    for reasoning in (0, 400, 1000, None):
        assert FULL.usd(Usage(0, 0, 0, 1000, reasoning)) == pytest.approx(0.015)


def test_without_rates_of_their_own_cached_and_written_tokens_cost_what_input_costs() -> None:
    """A table with one input rate bills every token of the prompt by it: 2,000 x 3 per million."""
    assert Price("m", "p", 3.0, 15.0).usd(Usage(2000, 500, 300, 0, 0)) == pytest.approx(0.006)


def test_input_of_which_no_cached_part_is_reported_is_billed_in_full() -> None:
    """An endpoint that does not report caching gets no discount: 2,000 x 3 per million."""
    assert FULL.usd(Usage(2000, None, None, 0, None)) == pytest.approx(0.006)


@pytest.mark.parametrize(("cached", "written"), [(2001, 0), (0, 2001), (1500, 501)])
def test_more_cached_than_the_prompt_has_raises(cached: int, written: int) -> None:
    """Parts that exceed the whole are refused with their numbers, not billed below zero."""
    with pytest.raises(PriceError, match=rf"{cached} cached and {written} written tokens in a prompt of 2000"):
        FULL.usd(Usage(2000, cached, written, 0, 0))


@pytest.mark.parametrize("usage", [Usage(), Usage(None, 0, 0, 10, 0), Usage(10, 0, 0, None, None)])
def test_unknown_tokens_have_no_cost(usage: Usage) -> None:
    """Where input or output is unknown the cost is unknown, and not 0."""
    assert FULL.usd(usage) is None


def test_a_price_without_an_output_rate_does_not_bill_output_at_zero() -> None:
    """An embedding model's price covers calls without output alone."""
    embedding = Price("embed", None, 0.004)
    assert embedding.usd(Usage(1_000_000, output=None)) == pytest.approx(0.004)
    assert embedding.usd(Usage(1_000_000, output=0)) == pytest.approx(0.004)
    assert embedding.usd(Usage(1_000_000, output=5)) is None


@given(RATES, RATES, RATES, RATES, COUNTS, COUNTS, COUNTS, COUNTS, st.integers(1, 1000))
def test_cost_scales_with_prices(
    fresh_rate: float,
    out_rate: float,
    cached_rate: float,
    write_rate: float,
    fresh: int,
    cached: int,
    written: int,
    output: int,
    factor: int,
) -> None:
    """A table whose rates are all k times higher costs k times as much."""
    price = Price("m", "p", fresh_rate, out_rate, cached_rate, write_rate)
    dearer = Price("m", "p", fresh_rate * factor, out_rate * factor, cached_rate * factor, write_rate * factor)
    usage = Usage(fresh + cached + written, cached, written, output, 0)
    cost, more = price.usd(usage), dearer.usd(usage)
    assert cost is not None
    assert more == pytest.approx(factor * cost)


@given(COUNTS, COUNTS, COUNTS, COUNTS)
def test_the_cost_of_two_calls_is_the_cost_of_their_total(a: int, b: int, c: int, d: int) -> None:
    """Billing call by call and billing the sum give the same."""
    one, two = Usage(a + b, b, 0, c, 0), Usage(c + d, 0, d, a, 0)
    costs = [FULL.usd(one), FULL.usd(two)]
    assert None not in costs
    assert FULL.usd(Usage.total([one, two])) == pytest.approx(sum(cost or 0 for cost in costs))


def test_the_table_says_when_and_from_where() -> None:
    """Every price that ships is dated and names its source."""
    assert TABLE
    assert all(price.as_of == "2026-08" and "2608.11879" in price.source for price in TABLE)


@pytest.mark.parametrize(
    ("setting", "rates"),
    [
        (Setting("gpt-oss-20b", "low", "groq"), (0.075, 0.3, 0.0375)),
        (Setting("openai/gpt-oss-20b", None, "amazon-bedrock"), (0.07, 0.15, None)),
        (Setting("google/gemma-4-26b-a4b-it", "medium", "deepinfra/fp8"), (0.07, 0.34, None)),
        (Setting("pplx-embed-v1-0.6b"), (0.004, None, None)),
    ],
)
def test_a_price_is_that_of_model_and_provider(setting: Setting, rates: tuple[float, float, float]) -> None:
    """The rates of arXiv 2608.11879, appendix A, whatever the effort, with or without a vendor's prefix."""
    price = find(TABLE, setting)
    assert price is not None
    assert (price.input, price.output, price.cached_input) == rates


@pytest.mark.parametrize(
    "setting",
    [
        Setting("sim"),
        Setting("gpt-oss-20b"),
        Setting("gpt-oss-20b", provider="deepinfra/fp8"),
        Setting("gpt-oss-120b", provider="groq"),
        Setting("gpt-oss", provider="groq"),
        Setting(""),
    ],
)
def test_no_price_is_guessed(setting: Setting) -> None:
    """Unknown model, unknown provider, or providers that differ: there is no price, and not 0."""
    assert find(TABLE, setting) is None


def test_an_unpinned_model_has_a_price_where_its_providers_agree() -> None:
    """Where every provider asks the same, it does not matter who answered."""
    rows = [Price("m", "x", 1.0, 2.0), Price("m", "y", 1.0, 2.0)]
    assert find(rows, Setting("m")) == rows[0]
    assert find([*rows, replace(rows[0], cached_input=0.5)], Setting("m")) is None


def test_the_first_of_two_prices_counts() -> None:
    """A user's file goes before the table."""
    rows = [Price("gpt-oss-20b", "groq", 9.0, 9.0), *TABLE]
    assert find(rows, Setting("gpt-oss-20b", None, "groq")) == rows[0]


def test_a_file_of_prices_is_read(table: Callable[[Any], Path]) -> None:
    """Fields become those of Price; what is left out is unknown, and the file is the source."""
    path = table(
        [
            {"model": "mine", "input": 1, "output": 2.5, "provider": "home", "as_of": "2026-09", "source": "invoice"},
            {"model": "embed", "input": 0, "cached_input": 0.5, "cache_write": 0.7},
        ]
    )
    first, second = load(path)
    assert first == Price("mine", "home", 1, 2.5, as_of="2026-09", source="invoice")
    assert second == Price("embed", None, 0, None, 0.5, 0.7, as_of="unknown", source=str(path))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{not json", "cannot be read as JSON"),
        ({"model": "m", "input": 1}, "holds dict; a JSON list"),
        (["m"], "row 0 is 'm'; an object"),
        (
            [{"model": "m", "input": 1}, {"model": "m", "inptu": 1}],
            "row 1 has unknown field 'inptu'; allowed are .*input",
        ),
        ([{"input": 1}], "row 0: model is None; a string"),
        ([{"model": 5, "input": 1}], "row 0: model is 5; a string"),
        ([{"model": "m"}], "row 0: input is None; USD per million tokens"),
        ([{"model": "m", "input": "1"}], "row 0: input is '1'"),
        ([{"model": "m", "input": True}], "row 0: input is True"),
        ([{"model": "m", "input": 1, "output": -0.1}], "row 0: output is -0.1"),
        ('[{"model": "m", "input": NaN}]', "row 0: input is nan"),
        ('[{"model": "m", "input": 1, "output": Infinity}]', "row 0: output is inf"),
        ([{"model": "m", "input": 1, "provider": 7}], "row 0: provider is 7"),
    ],
)
def test_a_wrong_file_is_refused_by_file_row_and_field(
    table: Callable[[Any], Path], content: Any, message: str
) -> None:
    """A price that cannot be true is an error that says where it stands and what is wanted."""
    path = table(content)
    with pytest.raises(PriceError, match=message) as caught:
        load(path)
    assert str(path) in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """A file that is not there is the user's error, with its path."""
    with pytest.raises(PriceError, match=r"nowhere\.json: cannot be read"):
        load(tmp_path / "nowhere.json")


# --- tiers, fees and providers -------------------------------------------------------------------

OVERRIDDEN = {
    "model": "m",
    "input": 1.0,
    "output": 4.0,
    "cached_input": 0.25,
    "request": 0.0001,
    "overrides": [
        {"above_input": 1000, "input": 2.0, "output": 6.0, "cached_input": 0.5},
        {"above_input": 5000, "input": 3.0},
        {"provider": "groq", "input": 0.5, "request": 0},
        {"provider": "groq", "above_input": 1000, "input": 0.75},
    ],
}


@pytest.mark.parametrize(
    ("setting", "usage", "usd"),
    [
        # 900 x 1 + 100 x 0.25 + 10 x 4 = 965 per million, and 0.0001 for the request
        (Setting("m"), Usage(1000, 100, 0, 10, 0), 0.001065),
        # above 1,000: 901 x 2 + 100 x 0.5 + 10 x 6 = 1,912 per million, and the fee: the whole request at the tier's rates
        (Setting("m"), Usage(1001, 100, 0, 10, 0), 0.002012),
        # above 5,000 the second tier says input alone; output and cached are the price's own: 5,901 x 3 + 100 x 0.25 + 10 x 4
        (Setting("m"), Usage(6001, 100, 0, 10, 0), 0.017868),
        # at groq 900 x 0.5 + 100 x 0.25 + 10 x 4 = 515, without a fee
        (Setting("m", None, "groq"), Usage(1000, 100, 0, 10, 0), 0.000515),
        # at groq above 1,000: its own input rate over the general tier's: 901 x 0.75 + 100 x 0.5 + 10 x 6 = 785.75
        (Setting("m", None, "groq"), Usage(1001, 100, 0, 10, 0), 0.00078575),
        (Setting("m", None, "elsewhere"), Usage(1000, 100, 0, 10, 0), 0.001065),
    ],
)
def test_overrides_bill_by_provider_length_and_request(
    table: Callable[[Any], Path], setting: Setting, usage: Usage, usd: float
) -> None:
    """A row's overrides say what differs at a provider, above a number of input tokens, and for each request."""
    price = find(load(table([OVERRIDDEN])), setting)
    assert price is not None
    assert price.usd(usage) == pytest.approx(usd, abs=1e-12)


@pytest.mark.parametrize(
    ("override", "message"),
    [
        (7, "override 0 is 7; an object"),
        ({"input": 1}, "override 0 says not for what it holds; provider or above_input"),
        ({"provider": "p", "model": "m"}, "override 0 has unknown field 'model'"),
        ({"above_input": 0, "input": 1}, "above_input is 0; a number of input tokens"),
        ({"above_input": True, "input": 1}, "above_input is True"),
        ({"provider": 3, "input": 1}, "provider is 3"),
        ({"provider": "p", "input": -1}, "input is -1"),
        ({"provider": "p", "request": "free"}, "request is 'free'; USD for each request"),
    ],
)
def test_a_wrong_override_is_refused_by_its_place(table: Callable[[Any], Path], override: Any, message: str) -> None:
    """The message names row, override and field."""
    with pytest.raises(PriceError, match=message):
        load(table([{"model": "m", "input": 1, "overrides": [override]}]))


def test_overrides_that_are_no_list_are_refused(table: Callable[[Any], Path]) -> None:
    """One override is a list of one."""
    with pytest.raises(PriceError, match=r"overrides is \{\}; a list"):
        load(table([{"model": "m", "input": 1, "overrides": {}}]))


TIERED = Price(
    "m", None, 1.0, 4.0, cached_input=0.5, cache_write=1.25, request=0.01, tiers=(Tier(100, input=2.0, output=1.0),)
)


@given(st.integers(0, 300), st.integers(0, 100), st.integers(0, 300), st.integers(0, 300))
def test_nothing_costs_more_than_the_worst(prompt: int, output: int, cached: int, written: int) -> None:
    """However much of a prompt of at most that size is cached or written, and whichever tier it reaches."""
    cached = min(cached, prompt)
    usd = TIERED.usd(Usage(prompt, cached, min(written, prompt - cached), output, 0))
    worst = TIERED.worst_usd(300, 100)
    assert usd is not None
    assert worst is not None
    assert usd <= worst + 1e-12


def test_without_an_output_rate_there_is_no_worst() -> None:
    """A chat at an embedding model's price has no bound."""
    assert Price("e", None, 1.0).worst_usd(10, 1) is None
    assert Price("e", None, 1.0).worst_usd(10, 0) == pytest.approx(1e-5)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Amazon Bedrock", "amazon-bedrock", True),
        ("DeepInfra", "deepinfra/fp8", True),
        ("Io Net", "io-net/bf16", True),
        ("Google", "google-vertex", True),
        ("deepinfra/fp8", "deepinfra/fp4", False),
        ("Groq", "xAI", False),
        ("Google AI Studio", "google-vertex", False),
    ],
)
def test_providers_are_compared_by_slug(one: str, other: str, same: bool) -> None:
    """What a reply calls a provider and what pins it differ in case, spaces, hyphens and variants."""
    assert same_provider(one, other) is same
    assert same_provider(other, one) is same


@pytest.mark.parametrize(
    ("setting", "provider", "rate", "own"),
    [
        (Setting("gpt-oss-20b", None, "groq"), "Groq", 0.075, True),
        (Setting("gpt-oss-20b", None, "groq"), None, 0.075, True),
        (Setting("gpt-oss-20b", None, "groq"), "Amazon Bedrock", 0.07, True),
        (Setting("gpt-oss-20b", None, "groq"), "Fireworks", 0.075, False),
        (Setting("gpt-oss-20b"), "Groq", 0.075, True),
        (Setting("gpt-oss-20b"), "Fireworks", None, True),
        (Setting("gpt-oss-20b"), None, None, True),
        (Setting("gemma-4-26b-a4b-it"), "DeepInfra", 0.07, True),
        (Setting("pplx-embed-v1-0.6b"), "Anyone", 0.004, True),
        (Setting("unknown"), "Groq", None, True),
    ],
)
def test_a_request_is_billed_by_who_served_it(
    setting: Setting, provider: str | None, rate: float | None, own: bool
) -> None:
    """The provider's own price, else the contract's, which is said; never one of a third provider."""
    price, is_own = served(TABLE, setting, provider)
    assert (price.input if price else None, is_own) == (rate, own)


@pytest.mark.parametrize(
    ("setting", "bounded"),
    [
        (Setting("gpt-oss-20b"), True),
        (Setting("gpt-oss-20b", None, "groq"), True),
        (Setting("gpt-oss-20b", None, "nowhere"), False),
        (Setting("unknown"), False),
        (Setting("pplx-embed-v1-0.6b"), False),
    ],
)
def test_a_chat_is_bounded_where_a_price_is_known(setting: Setting, bounded: bool) -> None:
    """An unpinned model by the dearest of its providers; an embedding price bounds no chat."""
    assert can_bound(TABLE, setting) is bounded


def test_a_price_of_a_provider_holds_for_its_variants() -> None:
    """`deepinfra` prices `deepinfra/fp8`; the reverse holds where the variants agree."""
    rows = [Price("m", "deepinfra", 1.0, 1.0), Price("n", "x/fp8", 1.0, 1.0), Price("n", "x/bf16", 2.0, 2.0)]
    assert find(rows, Setting("m", None, "DeepInfra/fp8")) == rows[0]
    assert find(rows, Setting("n", None, "x")) is None
    assert find(rows[:2], Setting("n", None, "x")) == rows[1]
