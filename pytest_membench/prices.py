"""The dated price table: what a provider charges for a million tokens, and what calls cost by it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_membench.data import Setting, Usage
from pytest_membench.errors import PriceError

SOURCE = "arXiv 2608.11879, appendix A"
AS_OF = "2026-08"
_FIELDS = {"model", "provider", "input", "cached_input", "cache_write", "output", "as_of", "source"}


@dataclass(frozen=True)
class Price:
    """USD per million tokens of one model at one provider; None where the table has no rate.

    A missing `cached_input` or `cache_write` rate means that these tokens are billed as input.
    """

    model: str
    provider: str | None
    input: float
    output: float | None = None
    cached_input: float | None = None
    cache_write: float | None = None
    as_of: str = AS_OF
    source: str = SOURCE

    def usd(self, usage: Usage) -> float | None:
        """Return what `usage` costs, or None where tokens that are billed are unknown.

        Each input token is billed once: cached and cache-write tokens at their own rates, the
        rest at the input rate. Where an API does not report them, all input is billed as input.
        """
        if usage.input is None or (usage.output is None and self.output is not None):
            return None
        if usage.output and self.output is None:
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
        return (fresh * self.input + cached * cached_rate + written * write_rate + output) / 1e6


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

    Raises PriceError naming file, row and field.
    """
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise PriceError(f"{path}: cannot be read as JSON ({error}); give a JSON list of prices") from error
    if not isinstance(rows, list):
        raise PriceError(f"{path}: holds {type(rows).__name__}; a JSON list of prices is wanted")
    return tuple(_price(path, number, row) for number, row in enumerate(rows))


def _price(path: Path, number: int, row: object) -> Price:
    where = f"{path}: row {number}"
    if not isinstance(row, dict):
        raise PriceError(f"{where} is {row!r}; an object with model, provider, input and output is wanted")
    unknown = sorted(set(row) - _FIELDS)
    if unknown:
        raise PriceError(f"{where} has unknown field {unknown[0]!r}; allowed are {', '.join(sorted(_FIELDS))}")
    if not isinstance(row.get("model"), str):
        raise PriceError(f"{where}: model is {row.get('model')!r}; a string is wanted")
    if not isinstance(row.get("provider"), str | None):
        raise PriceError(f"{where}: provider is {row['provider']!r}; a string is wanted, or null for any")
    for name in ("input", "output", "cached_input", "cache_write"):
        rate = row.get(name)
        missing = rate is None and name != "input"
        if not missing and (
            isinstance(rate, bool) or not isinstance(rate, int | float) or not 0 <= rate < float("inf")
        ):
            raise PriceError(f"{where}: {name} is {rate!r}; USD per million tokens, 0 or more, are wanted")
    return Price(**{"provider": None, "as_of": "unknown", "source": str(path), **row})


def find(prices: Sequence[Price], setting: Setting) -> Price | None:
    """Return the first price of the setting's model and provider, or None: prices are not guessed.

    A row without a provider holds for any. A setting that is pinned to no provider has a price
    where there is such a row, or where all of the model's rows agree.
    """
    rows = [p for p in prices if p.model in (setting.model, setting.model.split("/")[-1])]
    exact = next((p for p in rows if p.provider in (setting.provider, None)), None)
    if exact is not None or setting.provider is not None:
        return exact
    rates = {(p.input, p.output, p.cached_input, p.cache_write) for p in rows}
    return rows[0] if len(rates) == 1 else None
