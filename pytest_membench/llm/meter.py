"""The ledger: every call to a model, its tokens by stage, and what it costs."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_membench.data import SERVING, Setting, Stage, Usage, known_sum
from pytest_membench.errors import CallFailed, StoreError
from pytest_membench.prices import Price
from pytest_membench.store import append_line

_MOST = 2**53
"""More tokens than that are a fault of the endpoint, and no number that JSON readers agree on."""


def read_usage(raw: Any) -> Usage:
    """Return the usage an endpoint reported; what it did not report as a count is unknown (None).

    Reasoning tokens become a part of output where the endpoint adds them besides, which its
    total_tokens shows. Where more tokens are cached than the prompt has, the two contradict each
    other: the reply stands and is paid for, and all of its input is unknown.
    """
    raw = _fields(raw)
    prompt, output, total = (_whole(raw, n) for n in ("prompt_tokens", "completion_tokens", "total_tokens"))
    details = _fields(raw.get("prompt_tokens_details"))
    cached = _whole(details, "cached_tokens")
    written = _whole(details, "cache_write_tokens")
    reasoning = _whole(_fields(raw.get("completion_tokens_details")), "reasoning_tokens")
    if prompt is not None and (cached or 0) + (written or 0) > prompt:
        prompt = cached = written = None
    if None not in (prompt, output, total, reasoning) and _beside(prompt, output, total, reasoning):
        output = (output or 0) + (reasoning or 0)
    return Usage(prompt, cached, written, output, reasoning)


def _fields(raw: Any) -> Mapping[str, Any]:
    return raw if isinstance(raw, dict) else {}


def _whole(raw: Mapping[str, Any], name: str) -> int | None:
    value = raw.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST else None


def _beside(prompt: int | None, output: int | None, total: int | None, reasoning: int | None) -> bool:
    """Whether reasoning was counted beside output rather than in it."""
    return bool(reasoning) and total == (prompt or 0) + (output or 0) + (reasoning or 0)


@dataclass(frozen=True)
class Call:
    """One attempt at a call.

    `usage` and `usd` are unknown for an attempt that failed, unless the endpoint reports them. `status` is
    the HTTP status of a refusal, `waited_s` the wait before the next attempt. `at_contract` says that
    the provider that served has no price of its own, so that the setting's contract price was taken.
    """

    stage: Stage
    setting: Setting
    kind: str
    usage: Usage
    attempt: int
    seconds: float
    replayed: bool
    provider: str | None = None
    usd: float | None = None
    observed_usd: float | None = None
    error: str | None = None
    status: int | None = None
    waited_s: float = 0.0
    at_contract: bool = False


@dataclass
class Meter:
    """Collects the calls of one item (or one build) and writes each to the ledger at once.

    `failures` holds the calls that failed for good or could not be stored, so that a design that
    swallows an error does not turn an outage into a result.
    """

    item: str
    ledger: Path | None = None
    calls: list[Call] = field(default_factory=list)
    failures: list[CallFailed | StoreError] = field(default_factory=list)

    def record(self, call: Call) -> None:
        """Keep a call, and append its line to the ledger where there is one."""
        self.calls.append(call)
        if self.ledger is not None:
            try:
                append_line(self.ledger, self._line(call))
            except StoreError as error:
                self.failures.append(error)
                raise

    def _line(self, call: Call) -> dict[str, Any]:
        return {
            "item": self.item,
            "stage": call.stage,
            "kind": call.kind,
            "model": call.setting.model,
            "effort": call.setting.effort,
            "provider": call.provider or call.setting.provider,
            **call.usage.as_dict(),
            "usd": call.usd,
            "observed_usd": call.observed_usd,
            "seconds": round(call.seconds, 4),
            "attempt": call.attempt,
            "replayed": call.replayed,
            "error": call.error,
            "status": call.status,
            "waited_s": round(call.waited_s, 3),
            "at_contract": call.at_contract,
        }

    def usage(self, stage: Stage, kind: str = "chat") -> Usage:
        """Return the tokens of one stage's replies; an attempt that failed is in the ledger alone."""
        return Usage.total([c.usage for c in self.calls if c.stage == stage and c.kind == kind and not c.error])

    def usd(self, stage: Stage) -> float | None:
        """Return what one stage costs, or None where one of its calls has no price."""
        return known_sum([call.usd for call in self.calls if call.stage == stage and not call.error])

    def observed_usd(self, stage: Stage) -> float | None:
        """Return what the API says that one stage cost, or None where it does not say for one of its calls."""
        return known_sum([call.observed_usd for call in self.calls if call.stage == stage and not call.error])


def billed(usd: float | None, observed_usd: float | None) -> float | None:
    """Return what a call takes from a budget: the larger of the table's and the API's figure; None where both are unknown."""
    known = [value for value in (usd, observed_usd) if value is not None and value >= 0]
    return max(known) if known else None


def cost(price: Price | None, usage: Usage) -> float | None:
    """Return what `usage` costs by `price`, or None where there is no price or no usage."""
    return price.usd(usage) if price is not None else None


def spent(meter: Meter, stages: tuple[Stage, ...]) -> dict[str, Any]:
    """Return tokens and USD by stage, the calls by how they were answered, and who served the design's own."""
    calls = meter.calls
    serving = [call for call in calls if call.stage in SERVING and not call.error]
    return {
        "tokens": {stage: meter.usage(stage).as_dict() for stage in stages},
        "embedded": {stage: meter.usage(stage, "embed").input for stage in stages},
        "usd": {stage: meter.usd(stage) for stage in stages},
        "observed_usd": {stage: meter.observed_usd(stage) for stage in stages},
        "calls": {
            "live": sum(not call.replayed for call in calls),
            "replayed": sum(call.replayed for call in calls),
            "failed": sum(call.error is not None for call in calls),
        },
        "providers": sorted({call.provider for call in calls if call.provider}),
        "served": dict(sorted(Counter(call.provider for call in serving if call.provider).items())),
        "at_contract": sorted({call.provider for call in serving if call.provider and call.at_contract}),
    }


def with_earlier(now: dict[str, Any], earlier: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a build spent, with what its earlier checkpoint had spent already."""
    if not earlier:
        return now
    usages = [Usage(**row["tokens"]["ingest"]) for row in (earlier, now)]
    embedded = [row["embedded"]["ingest"] for row in (earlier, now)]
    return {
        "tokens": {"ingest": Usage.total(usages).as_dict()},
        "embedded": {"ingest": None if None in embedded else sum(embedded)},
        "usd": {"ingest": known_sum([row["usd"]["ingest"] for row in (earlier, now)])},
        "observed_usd": {"ingest": known_sum([row["observed_usd"]["ingest"] for row in (earlier, now)])},
        "calls": {name: earlier["calls"][name] + now["calls"][name] for name in now["calls"]},
        "providers": sorted({*earlier["providers"], *now["providers"]}),
        "served": dict(sorted((Counter(earlier.get("served", {})) + Counter(now["served"])).items())),
        "at_contract": sorted({*earlier.get("at_contract", []), *now["at_contract"]}),
    }
