"""From the rows of a session to its summary: scores with intervals, tokens and money."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from pytest_membench.data import KINDS, STAGES, Usage
from pytest_membench.grading.protocol import name_of
from pytest_membench.prices import rounded
from pytest_membench.stats.intervals import score as score_interval
from pytest_membench.store import item_key

Row = Mapping[str, Any]
_TOKENS = ("input", "cached", "output", "reasoning")
_LABELS = ("correct", "partial", "wrong")
_MEASURED = ("measured", "cut_short")


def summarise(manifest: Mapping[str, Any], rows: Sequence[Row], memories: Sequence[Row]) -> dict[str, Any]:
    """Return summary.json of a session.

    `manifest` says what was expected, `rows` are the results of its items, and `memories` the
    snapshots of the memories they stand on. An expected item without a row was not run.
    """
    complete_rows = with_missing(manifest, rows)
    grouped = _by([row for row in complete_rows if row["kind"] != "cost"], lambda row: (row["setting"], row["design"]))
    built = _by(memories, lambda row: (row["setting"], row["design"]))
    scores: dict[str, dict[str, Any]] = defaultdict(dict)
    for (setting, design), own in grouped.items():
        priced = manifest["settings"][setting]["priced"]
        scores[setting][design] = _design(own, built.get((setting, design), []), priced)
    return {
        "schema": 1,
        "complete": bool(complete_rows) and all(row["outcome"] in (*_LABELS, *_MEASURED) for row in complete_rows),
        "suite": manifest["suite"],
        "judge": manifest["judge"],
        "judge_check": manifest.get("judge_check"),
        "protocol": name_of(manifest),
        "suite_notes": list(manifest.get("suite_notes") or []),
        "settings": manifest["settings"],
        "conversations": _conversations(complete_rows),
        "causes": dict(sorted(Counter(row["cause"] for row in complete_rows if row["cause"]).items())),
        "scores": dict(scores),
    }


def _conversations(rows: Sequence[Row]) -> dict[str, int]:
    """Return how many conversations of cost cells were measured, cut short, and not served."""
    outcomes = [row["outcome"] for row in rows if row["kind"] == "cost"]
    return {outcome: outcomes.count(outcome) for outcome in (*_MEASURED, "not_run")}


def with_missing(manifest: Mapping[str, Any], rows: Sequence[Row]) -> list[Row]:
    """Return a row for each expected item, in their order; items without one were not run."""
    received = {item_key(row): row for row in rows}
    return [received.get(item_key(item)) or {**item, **_MISSING} for item in manifest["items"]]


_MISSING = {
    "outcome": "not_run",
    "score": None,
    "cause": "no_result",
    "message": "no result arrived: the worker died or the session ended before",
}


def _by(rows: Iterable[Row], key: Callable[[Row], Any]) -> dict[Any, list[Row]]:
    groups: dict[Any, list[Row]] = defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    return dict(groups)


def _design(rows: Sequence[Row], memories: Sequence[Row], priced: bool) -> dict[str, Any]:
    outcomes = [row["outcome"] for row in rows]
    kinds = _by(rows, lambda row: row["kind"])
    people = _by(rows, lambda row: row["person"])
    sizes = [memory["memory_tokens"] for memory in memories if memory.get("memory_tokens") is not None]
    return {
        **_scored(rows),
        **{outcome: outcomes.count(outcome) for outcome in (*_LABELS, "not_judged", "not_run")},
        "not_recorded": sum(row["cause"] == "not_recorded" for row in rows),
        "context_overflow": sum(row["cause"] == "context_overflow" for row in rows),
        "evidence_recall": _mean([row.get("evidence_recall") for row in rows]),
        "plain_replies": sum(bool(row.get("plain")) for row in rows),
        "unused_recordings": sum(len(row.get("unused") or []) for row in [*rows, *memories]),
        "search_calls": sum(row.get("searches") or 0 for row in rows),
        "memory_tokens": round(sum(sizes) / len(sizes)) if sizes else None,
        "tokens": {stage: _tokens(rows, memories, stage) for stage in STAGES},
        "usd": _usd(rows, memories, "usd") if priced else None,
        "observed_usd": _usd(rows, memories, "observed_usd"),
        "kinds": {kind: _scored(kinds[kind]) for kind in KINDS if kind in kinds},
        "people": {person: _scored(own) for person, own in people.items()},
        **_flagged(rows),
    }


def _flagged(rows: Sequence[Row]) -> dict[str, Any]:
    """Return how many questions an audit doubts, and the score without those whose gold it doubts."""
    flags = {(row["person"], row["probe"]): row["flag"] for row in rows if row.get("flag")}
    if not flags:
        return {}
    counts = {flag: list(flags.values()).count(flag) for flag in ("gold", "citation")}
    return {"flagged": {**counts, "without": _scored([row for row in rows if row.get("flag") != "gold"])}}


def _scored(rows: Sequence[Row]) -> dict[str, Any]:
    """Return score, interval and number of judged answers; repeats of a probe are pooled first."""
    pooled = pool(rows)
    if not pooled:
        return {"score": None, "interval": None, "n": 0}
    values = list(pooled.values())
    interval = score_interval(values, [person for person, _ in pooled])
    return {
        "score": _points(sum(values) / len(values)),
        "interval": [_points(interval.low), _points(interval.high)],
        "n": sum(row["score"] is not None for row in rows),
    }


def pool(rows: Sequence[Row]) -> dict[tuple[str, str], float]:
    """Return each judged probe's mean score over its repeats, by (person, probe), sorted."""
    judged = _by((r for r in rows if r["score"] is not None), lambda r: (r["person"], r["probe"]))
    return {key: sum(r["score"] for r in judged[key]) / len(judged[key]) for key in sorted(judged)}


def _points(share: float) -> float:
    return round(100 * share, 1)


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(math.fsum(known) / len(known), 3) if known else None


def _tokens(rows: Sequence[Row], memories: Sequence[Row], stage: str) -> dict[str, int | None]:
    source = memories if stage == "ingest" else rows
    usages = [Usage(**row["tokens"][stage]) for row in source if row.get("tokens")]
    total = Usage.total(usages) if usages else Usage()
    return {name: getattr(total, name) for name in _TOKENS}


def _usd(rows: Sequence[Row], memories: Sequence[Row], name: str) -> float | None:
    """Return what writing, reading and answering cost by the price table ("usd") or by the API ("observed_usd").

    The judge is no cost of the design.
    """
    parts = [memory[name]["ingest"] for memory in memories if memory.get(name)]
    parts += [row[name][stage] for row in rows if row.get(name) for stage in ("retrieval", "answer")]
    return rounded(math.fsum(parts)) if parts and None not in parts else None


def diagnose(
    manifest: Mapping[str, Any], rows: Sequence[Row], memories: Sequence[Row], seconds: float | None
) -> dict[str, Any]:
    """Return diag.json: times, calls and every item's row, which two equal sessions need not share."""
    work = [*rows, *memories]
    return {
        "session": manifest["session"],
        "record": manifest["record"],
        "seconds": None if seconds is None else round(seconds, 2),
        "calls": {n: sum(row["calls"][n] for row in work if row.get("calls")) for n in ("live", "replayed", "failed")},
        "providers": sorted({provider for row in work for provider in row.get("providers", [])}),
        "memories": [{name: m.get(name) for name in _MEMORY_FIELDS} for m in memories],
        "items": sorted(with_missing(manifest, rows), key=item_key),
    }


_MEMORY_FIELDS = (
    *("setting", "design", "person", "repeat", "status", "error", "written", "batches", "memory_tokens"),
    *("tokens", "embedded", "usd", "calls"),
)
