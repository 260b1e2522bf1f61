"""From a judge's rulings on labelled answers to figures: accuracy, kappa, types, confusion."""

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_membench.grading.verdict import LABELS
from pytest_membench.report.folder import Row
from pytest_membench.stats.agreement import Kappa, Weights, confusion, kappa
from pytest_membench.stats.intervals import wilson


def summarise(judge: str, rows: Sequence[Row], *, digest: str, path: str | None) -> dict[str, Any]:
    """Return what is kept of a check. `rows` are rulings; one without a label counts as not judged.

    `accuracy` and `interval` (Wilson) are in percent of the judged answers; kappa is against the
    labels of the set. Figures of nothing are None.
    """
    judged = [row for row in rows if row["given"] is not None]
    right = sum(map(_is_right, judged))
    table = confusion([row["expected"] for row in judged], [row["given"] for row in judged], LABELS)
    return {
        "judge": judge,
        "set": path,
        "digest": digest,
        **_share(right, len(judged)),
        **_agreement(table, None, "kappa"),
        **_agreement(table, "linear", "weighted_kappa"),
        "by_type": {name: _type(rows, name) for name in dict.fromkeys(row["type"] for row in rows)},
        "confusion": as_dict(table),
        "second_look": _second_look(judged),
        "not_judged": len(rows) - len(judged),
    }


def between(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Return how far two judges agree on what both judged; `first` and `second` map ids to labels."""
    both = [key for key in first if first[key] is not None and second.get(key) is not None]
    return agreement([first[key] for key in both], [second[key] for key in both])


def agreement(first: Sequence[str], second: Sequence[str]) -> dict[str, Any]:
    """Return the share of equal labels in percent with its interval, kappa, and the confusion table."""
    table = confusion(first, second, LABELS)
    same = sum(a == b for a, b in zip(first, second, strict=True))
    share = _share(same, len(first))
    return {
        "n": share["n"],
        "same": share["right"],
        "agreement": share["accuracy"],
        "interval": share["interval"],
        **_agreement(table, None, "kappa"),
        **_agreement(table, "linear", "weighted_kappa"),
        "confusion": as_dict(table),
    }


def as_dict(table: Sequence[Sequence[int]]) -> dict[str, dict[str, int]]:
    """Return a table of counts with its labels: the first rater's, then the second's."""
    return {label: dict(zip(LABELS, row, strict=True)) for label, row in zip(LABELS, table, strict=True)}


def _is_right(row: Row) -> bool:
    return bool(row["given"] == row["expected"])


def _share(right: int, n: int) -> dict[str, Any]:
    if not n:
        return {"n": 0, "right": 0, "accuracy": None, "interval": None}
    ends = wilson(right, n)
    return {
        "n": n,
        "right": right,
        "accuracy": round(100 * right / n, 1),
        "interval": [round(100 * end, 1) for end in ends],
    }


def _agreement(table: Sequence[Sequence[int]], weights: Weights, name: str) -> dict[str, Any]:
    found = kappa(table, weights) if any(map(any, table)) else Kappa(None, None, 0)
    return {
        name: None if found.value is None else round(found.value, 3),
        f"{name}_interval": None if found.interval is None else [round(end, 3) for end in found.interval],
    }


def _type(rows: Sequence[Row], name: str) -> dict[str, Any]:
    own = [row for row in rows if row["type"] == name]
    judged = [row for row in own if row["given"] is not None]
    share = _share(sum(map(_is_right, judged)), len(judged))
    return {**{key: share[key] for key in ("n", "right", "accuracy")}, "not_judged": len(own) - len(judged)}


def _second_look(rows: Sequence[Row]) -> dict[str, int]:
    """Return how many answers got a second look, and of how many it mended or spoiled the label."""
    seen = [row for row in rows if row["second"] is not None]
    was_right = [row["first"] == row["expected"] for row in seen]
    is_right = list(map(_is_right, seen))
    pairs = list(zip(was_right, is_right, strict=True))
    return {"n": len(seen), "mended": pairs.count((False, True)), "spoiled": pairs.count((True, False))}
