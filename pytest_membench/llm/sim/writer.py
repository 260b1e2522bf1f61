"""Write summaries, facts, notes and ledgers from the messages that a prompt holds."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import orjson

from pytest_membench.llm.sim.points import Point, ask_for, merge, points_of
from pytest_membench.llm.sim.shape import Shape, shape
from pytest_membench.llm.sim.words import STOP, number_like, stem, stems, words

_FACTS = 2.0
"""Importance from which a sentence is a fact of its own."""
_NEAR = 0.5
"""Share of stems from which two sentences speak of the same thing."""


def write(messages: Sequence[Mapping[str, Any]], texts: Sequence[str], json_wanted: bool = False) -> str:
    """Return the piece of writing that the system prompt asks for, over the lines of the others.

    Without a system prompt, the shape is read from the whole prompt. Never empty.
    """
    system = "\n".join(t for m, t in zip(messages, texts, strict=True) if m.get("role") in ("system", "developer"))
    task = "\n\n".join(t for m, t in zip(messages, texts, strict=True) if m.get("role") not in ("system", "developer"))
    wanted = shape(system or task, json_wanted)
    points = points_of(task)
    written = _WRITERS[wanted.kind](wanted, points)
    if not wanted.json:
        return str(written) or "(nothing to write down)"
    return orjson.dumps({wanted.key: written} if wanted.key else written).decode()


def _summary(wanted: Shape, points: Sequence[Point]) -> str:
    return "\n".join(fit(merge(points), wanted.limit))


def fit(points: Sequence[Point], limit: int) -> list[str]:
    """Return the lines of the most important points within `limit` words, in order of time.

    Where they do not all fit, the least important go first, the older ones of equals before the newer.
    """
    order = sorted(range(len(points)), key=lambda i: (-points[i].worth, -i))
    kept, used = [], 0
    for i in order:
        size = len(points[i].dated().split())
        if used + size <= limit:
            kept.append(i)
            used += size
    if not kept and points:
        return [" ".join(points[order[0]].dated().split()[:limit])]
    return [points[i].dated() for i in sorted(kept, key=lambda i: (points[i].date, i))]


def _facts(points: Sequence[Point]) -> list[Point]:
    new = [point for point in points if not point.old]
    return merge([point for point in new if point.worth >= _FACTS])


def _strings(_: Shape, points: Sequence[Point]) -> list[str]:
    return [point.attributed() for point in _facts(points)]


def _ledger(wanted: Shape, points: Sequence[Point]) -> list[str] | str:
    lines = [f"{point.attributed()} [{point.level()}]" for point in _facts(points)]
    return lines if wanted.json else "\n".join(f"- {line}" for line in lines)


def _objects(wanted: Shape, points: Sequence[Point]) -> list[dict[str, Any]]:
    if any(field in ("topic", "entity", "subject") for field in wanted.fields):
        return [ask_for(wanted.fields, point, topic) for topic, point in _by_topic(points).items()]
    return [ask_for(wanted.fields, point, _topic(point, Counter())) for point in _facts(points)]


def _topics(_: Shape, points: Sequence[Point]) -> dict[str, str]:
    return {topic: point.text for topic, point in _by_topic(points).items()}


def _by_topic(points: Sequence[Point]) -> dict[str, Point]:
    """Group merged points by their most frequent name or word; one joined point a topic."""
    kept = [point for point in merge(points) if point.old or point.worth >= _FACTS]
    seen = Counter(s for point in kept for s in stems(point.text) if not s[0].isdigit())
    groups: dict[str, list[Point]] = {}
    for point in kept:
        groups.setdefault(point.topic or _topic(point, seen), []).append(point)
    return {topic: group[-1]._replace(text=" ".join(p.dated() for p in group)) for topic, group in groups.items()}


def _topic(point: Point, seen: Counter[str]) -> str:
    named = [w for w in words(point.text)[1:] if w[0].isupper() and w.lower() not in STOP]
    plain = [w for w in words(point.text) if stem(w) in stems(point.text) and not w[0].isdigit()]
    best = max(named or plain, key=lambda w: (seen[stem(w)], -len(w)), default="general")
    return best.removesuffix("'s").removesuffix("\u2019s").lower()


def _operations(wanted: Shape, points: Sequence[Point]) -> list[dict[str, Any]]:
    known = [point for point in points if point.old]
    name = next(field for field in wanted.fields if field in ("op", "operation", "action"))
    new = [point for point in points if not point.old]
    return [_operation(name, point, known) for point in new]


def _operation(name: str, point: Point, known: Sequence[Point]) -> dict[str, Any]:
    near = max(known, key=lambda old: overlap(old.text, point.text), default=None)
    text = point.raw or point.dated()
    if near is None or overlap(near.text, point.text) < _NEAR:
        return {name: "add", "id": None, "text": text}
    if set(number_like(near.text)) == set(number_like(point.text)) and stems(point.text) <= stems(near.text):
        return {name: "none", "id": near.id or None, "text": near.text}
    return {name: "update", "id": near.id or None, "text": text}


def overlap(one: str, other: str) -> float:
    """Return the share of the shorter text's stems, numbers left aside, that both texts have."""
    a, b = ({s for s in stems(text) if not s[0].isdigit()} for text in (one, other))
    return len(a & b) / min(len(a), len(b)) if a and b else 0.0


_WRITERS: Mapping[str, Callable[[Shape, Sequence[Point]], Any]] = {
    "summary": _summary,
    "strings": _strings,
    "ledger": _ledger,
    "objects": _objects,
    "topics": _topics,
    "operations": _operations,
}
