"""The dated price table: what a provider charges for a million tokens, and what calls cost by it."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pytest_membench.data import Setting, Usage
from pytest_membench.errors import PriceError

SOURCE = "arXiv 2608.11879, appendix A"
AS_OF = "2026-08"
_RATES = ("input", "output", "cached_input", "cache_write", "request")
_FIELDS = {"model", "provider", *_RATES, "overrides", "as_of", "source"}
_OVERRIDE_FIELDS = {"provider", "above_input", *_RATES}
# OpenRouter names some providers otherwise in replies than in the slug that pins them.
_ALIASES = {"google": "googlevertex"}


@dataclass(frozen=True)
class Tier:
    """The rates of requests with more than `above_input` input tokens; None is the price's own rate.

    They hold for the whole request, as long-context prices do, and not only for the tokens above.
    """

    above_input: int
    input: float | None = None
    output: float | None = None
    cached_input: float | None = None
    cache_write: float | None = None
    request: float | None = None


@dataclass(frozen=True)
class Price:
    """USD per million tokens of one model at one provider; None where the table has no rate.

    A missing `cached_input` or `cache_write` rate means that these tokens are billed as input.
    `request` is USD for each request besides; `tiers` are the rates of long prompts.
    """

    model: str
    provider: str | None
    input: float
    output: float | None = None
    cached_input: float | None = None
    cache_write: float | None = None
    as_of: str = AS_OF
    source: str = SOURCE
    request: float = 0.0
    tiers: tuple[Tier, ...] = ()

    def at(self, input_tokens: int) -> "Price":
        """Return the price of a request with that many input tokens, without tiers."""
        reached = [tier for tier in self.tiers if input_tokens > tier.above_input]
        if not reached:
            return replace(self, tiers=())
        tier = max(reached, key=lambda one: one.above_input)
        own = {name: getattr(tier, name) for name in _RATES if getattr(tier, name) is not None}
        return replace(self, tiers=(), **own)

    def usd(self, usage: Usage) -> float | None:
        """Return what one request with `usage` costs, or None where tokens that are billed are unknown.

        Each input token is billed once: cached and cache-write tokens at their own rates, the
        rest at the input rate. Where an API does not report them, all input is billed as input.
        """
        if usage.input is None:
            return None
        if self.tiers:
            return self.at(usage.input).usd(usage)
        if (usage.output is None and self.output is not None) or (usage.output and self.output is None):
            return None
        cached, written = usage.cached or 0, usage.cache_write or 0
        fresh = usage.input - cached - written
        if fresh < 0:
            raise PriceError(
                f"usage has {cached} cached and {written} written tokens in a prompt of {usage.input}: "
                "parts of the prompt cannot exceed it; check what the endpoint reports"
            )
        cached_rate = self.input if self.cached_input is None else self.cached_input
        write_rate = self.input if self.cache_write is None else self.cache_write
        output = (usage.output or 0) * (self.output or 0.0)
        return (fresh * self.input + cached * cached_rate + written * write_rate + output) / 1e6 + self.request

    def worst_usd(self, input_tokens: int, output_tokens: int) -> float | None:
        """Return the most that a request of at most so many tokens can cost; None where it has no output rate.

        No tier, and no share of cached or written input, makes a request of that size dearer.
        """
        if output_tokens and self.output is None:
            return None
        sizes = {input_tokens, *(tier.above_input for tier in self.tiers if tier.above_input < input_tokens)}
        prices = [self.at(size) for size in sizes]
        rate = max(max(p.input, p.cached_input or 0.0, p.cache_write or 0.0) for p in prices)
        output = max(p.output or 0.0 for p in prices)
        return (input_tokens * rate + output_tokens * output) / 1e6 + max(p.request for p in prices)

    @property
    def rates(self) -> tuple[Any, ...]:
        """All that decides what a request costs."""
        return (*(getattr(self, name) for name in _RATES), self.tiers)


def rounded(usd: float | None) -> float | None:
    """Return an amount with six significant digits, however small it is; None stays None."""
    return None if usd is None else float(f"{usd:.6g}")


TABLE: tuple[Price, ...] = (
    Price("gpt-oss-20b", "groq", 0.075, 0.3, cached_input=0.0375),
    Price("gpt-oss-20b", "amazon-bedrock", 0.07, 0.15),
    Price("gpt-oss-20b", "google-vertex", 0.07, 0.25),
    Price("gemma-4-26b-a4b-it", "deepinfra/fp8", 0.07, 0.34),
    Price("gemma-4-26b-a4b-it", "io-net/bf16", 0.15, 0.5, cached_input=0.15),
    Price("gemma-4-26b-a4b-it", "cloudflare", 0.1, 0.3),
    Price("pplx-embed-v1-0.6b", None, 0.004),
)
"""The prices that ship, newest source first."""


def load(path: Path) -> tuple[Price, ...]:
    """Return the prices of a JSON file: a list of objects with the fields of `Price`.

    A row's `overrides` are objects with `provider`, `above_input` or both, and the rates that differ
    there: each provider becomes a price of its own, each `above_input` a tier. Raises PriceError
    naming file, row and field.
    """
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise PriceError(f"{path}: cannot be read as JSON ({error}); give a JSON list of prices") from error
    if not isinstance(rows, list):
        raise PriceError(f"{path}: holds {type(rows).__name__}; a JSON list of prices is wanted")
    return tuple(price for number, row in enumerate(rows) for price in _prices(path, number, row))


def _prices(path: Path, number: int, row: object) -> list[Price]:
    where = f"{path}: row {number}"
    if not isinstance(row, dict):
        raise PriceError(f"{where} is {row!r}; an object with model, provider, input and output is wanted")
    _check(where, row, _FIELDS)
    if not isinstance(row.get("model"), str):
        raise PriceError(f"{where}: model is {row.get('model')!r}; a string is wanted")
    _rate(where, "input", row.get("input"))
    overrides = row.get("overrides", [])
    if not isinstance(overrides, list):
        raise PriceError(f"{where}: overrides is {overrides!r}; a list of objects is wanted")
    for place, override in enumerate(overrides):
        _check_override(f"{where}: override {place}", override)
    given = {name: value for name, value in row.items() if name != "overrides" and value is not None}
    base = Price(**{"provider": None, "as_of": "unknown", "source": str(path), **given})
    return _expand(base, overrides)


def _expand(base: Price, overrides: Sequence[Mapping[str, Any]]) -> list[Price]:
    """Return a price for each provider that an override names, and the row's own last: the first that fits counts."""
    providers = list(dict.fromkeys(one["provider"] for one in overrides if one.get("provider")))
    return [_price_of(base, overrides, name) for name in (*providers, base.provider)]


def _price_of(base: Price, overrides: Sequence[Mapping[str, Any]], provider: str | None) -> Price:
    mine = [one for one in overrides if one.get("provider") in (None, provider)]
    flat = {name: one[name] for one in mine if one.get("above_input") is None for name in _RATES if name in one}
    tiers: dict[int, dict[str, Any]] = {}
    for one in sorted(mine, key=lambda one: one.get("provider") is not None):  # a provider's own tier goes over another
        if one.get("above_input") is not None:
            tiers.setdefault(one["above_input"], {}).update({name: one[name] for name in _RATES if name in one})
    return replace(base, provider=provider, tiers=tuple(Tier(n, **rates) for n, rates in sorted(tiers.items())), **flat)


def _check_override(where: str, override: object) -> None:
    if not isinstance(override, dict):
        raise PriceError(f"{where} is {override!r}; an object with provider or above_input, and rates, is wanted")
    _check(where, override, _OVERRIDE_FIELDS)
    above = override.get("above_input")
    if above is None and override.get("provider") is None:
        raise PriceError(f"{where} says not for what it holds; provider or above_input is wanted")
    if above is not None and (isinstance(above, bool) or not isinstance(above, int) or above < 1):
        raise PriceError(f"{where}: above_input is {above!r}; a number of input tokens from 1 up is wanted")


def _check(where: str, row: Mapping[str, Any], allowed: set[str]) -> None:
    unknown = sorted(set(row) - allowed)
    if unknown:
        raise PriceError(f"{where} has unknown field {unknown[0]!r}; allowed are {', '.join(sorted(allowed))}")
    if not isinstance(row.get("provider"), str | None):
        raise PriceError(f"{where}: provider is {row['provider']!r}; a string is wanted, or null for any")
    for name in _RATES:
        if row.get(name) is not None:
            _rate(where, name, row[name])


def _rate(where: str, name: str, rate: object) -> None:
    if isinstance(rate, bool) or not isinstance(rate, int | float) or not 0 <= rate < float("inf"):
        wanted = "USD for each request" if name == "request" else "USD per million tokens"
        raise PriceError(f"{where}: {name} is {rate!r}; {wanted}, 0 or more, are wanted")


def of_model(prices: Sequence[Price], model: str) -> list[Price]:
    """Return the prices of a model at whatever provider; a vendor's prefix (`openai/`) may be left out."""
    return [price for price in prices if price.model in (model, model.rpartition("/")[2])]


def find(prices: Sequence[Price], setting: Setting) -> Price | None:
    """Return the first price of the setting's model and provider, or None: prices are not guessed.

    A row without a provider holds for any (so a provider's own row stands before it), and a row of
    `deepinfra` for `deepinfra/fp8`. A setting that is pinned to no provider has a price where there
    is a row for any, or where all of the model's rows agree.
    """
    rows = of_model(prices, setting.model)
    if setting.provider is not None:
        return _at_provider(rows, setting.provider)
    general = next((p for p in rows if p.provider is None), None)
    return general or _agreed(rows)


def _at_provider(rows: Sequence[Price], provider: str) -> Price | None:
    """Return the first row of that name or of any provider, else its base name's, else what its variants agree on."""
    fitting = (p for p in rows if p.provider is None or _plain(p.provider) == _plain(provider))
    named = [p for p in rows if p.provider is not None]
    base = (p for p in named if _plain(p.provider or "") == _base(provider))
    variants = [p for p in named if _base(p.provider or "") == _plain(provider)]
    return next(fitting, None) or next(base, None) or _agreed(variants)


def _agreed(rows: Sequence[Price]) -> Price | None:
    return rows[0] if len({price.rates for price in rows}) == 1 else None


def can_bound(prices: Sequence[Price], setting: Setting) -> bool:
    """Whether the table says what a chat can cost at most: at the pinned provider, or at any of the model's."""
    pinned = find(prices, setting)
    rows = of_model(prices, setting.model) if setting.provider is None else [pinned] if pinned else []
    return any(price.worst_usd(1, 1) is not None for price in rows)


def served(prices: Sequence[Price], setting: Setting, provider: str | None) -> tuple[Price | None, bool]:
    """Return the price of a request that `provider` served, and whether it is that provider's own.

    A provider without a price in the table is billed at the setting's contract price; False says so.
    Where the endpoint names no provider, the contract price is all there is.
    """
    contract = find(prices, setting)
    if provider is None or (contract is not None and contract.provider and same_provider(contract.provider, provider)):
        return contract, True
    own = _at_provider(of_model(prices, setting.model), provider)
    if own is not None:
        return own, True
    return contract, contract is None or contract.provider is None


def same_provider(one: str, other: str) -> bool:
    """Whether two names are of one provider: `Amazon Bedrock` is `amazon-bedrock`, `DeepInfra` is `deepinfra/fp8`.

    Case, spaces and hyphens do not count; a variant counts where both names have one.
    """
    if "/" in one and "/" in other:
        return _plain(one) == _plain(other)
    return _base(one) == _base(other)


def _plain(provider: str) -> str:
    base, slash, variant = provider.lower().partition("/")
    letters = re.sub(r"[\s_.-]+", "", base)
    return _ALIASES.get(letters, letters) + slash + variant.strip()


def _base(provider: str) -> str:
    return _plain(provider).partition("/")[0]
