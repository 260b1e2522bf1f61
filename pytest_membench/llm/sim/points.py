"""Break a prompt's messages into points: sentences with their date, speaker and importance."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from pytest_membench.llm.sim.words import (
    MONTHS,
    WEEKDAYS,
    Entry,
    dates,
    entries,
    names,
    number_like,
    sentences,
    stem,
    stems,
)

_OLD = re.compile(r"\b(?:so far|existing|current|old|known|previous|earlier|present|already|memory)\b", re.IGNORECASE)
_SECTION = re.compile(r"^#+ (.*)$", re.MULTILINE)
_ID = re.compile(r"^\W{0,3}(?P<id>[A-Za-z]?\d+|[0-9a-f]{6,})[:.)\]]\s+(?P<text>\S.*)$")
_TOPIC = re.compile(r"^[-*•]?\s*(?P<topic>[\w ]{2,30}): (?P<text>\S.*)$")
_VOW = re.compile(
    r"\b(?:i'll|i will|promis\w+|send|owe|by (?:mon|tues|wednes|thurs|fri|satur|sun)day|need to|have to)\b",
    re.IGNORECASE,
)
_LIKING = re.compile(
    r"\b(?:call me|please|always|never|prefer|hate|love|like|allerg\w+|from now on|rule|no more|don't|at most|every time|leave out)\b",
    re.IGNORECASE,
)
_CHANGE = re.compile(
    r"\b(?:now|moved?|pushed|changed?|instead|new|booked|decided|bought|paid|sent|done|cancel\w*|final\w*)\b",
    re.IGNORECASE,
)


_CALENDAR = frozenset(map(stem, (*MONTHS, *WEEKDAYS)))
_MOST = 400


class Point(NamedTuple):
    """A sentence worth keeping or not: its text, date and speaker ("" unknown), and its worth.

    `old` says that it stands among what was written before; `id` and `topic` are its labels there;
    `raw` is the whole line it came from, where that was one statement.
    """

    text: str
    date: str
    who: str
    worth: float
    old: bool = False
    id: str = ""
    topic: str = ""
    raw: str = ""

    def dated(self) -> str:
        """Return the sentence after its date."""
        return f"{self.date}: {self.text}" if self.date else self.text

    def attributed(self) -> str:
        """Return the sentence after its date and speaker."""
        who = f"{self.who}: " if self.who else ""
        return f"{self.date} {who}{self.text}" if self.date and who else f"{who}{self.text}" if who else self.dated()

    def level(self) -> str:
        """Return the worth as high, medium or low."""
        return "high" if self.worth >= 5 else "medium" if self.worth >= 3 else "low"


def points_of(task: str) -> list[Point]:
    """Return the points of a task's sections; a section titled "so far", "existing" and the like is old."""
    parts = _SECTION.split(task)
    found = _of_section(parts[0], old=False) if parts[0].strip() else []
    for title, body in zip(parts[1::2], parts[2::2], strict=True):
        found += _of_section(body, old=bool(_OLD.search(title)))
    return found


def _of_section(body: str, old: bool) -> list[Point]:
    block = body.strip()
    if block in ("", "(empty)", "(none)", "[]", "{}"):
        return []
    return [point for line in entries(block) for point in _of_entry(line, old)]


@lru_cache(maxsize=1 << 15)
def _of_entry(line: Entry, old: bool) -> tuple[Point, ...]:
    if not line.who:
        return _labelled(line, old)
    return tuple(Point(s, line.date, line.who, worth(s, line.who), old) for s in sentences(line.text))


def _labelled(line: Entry, old: bool) -> tuple[Point, ...]:
    numbered = _ID.match(line.text)
    text = numbered["text"] if numbered else line.text
    titled = _TOPIC.match(text) if old and not numbered else None
    bare = titled["text"] if titled else text
    inner = entries(bare)[0] if bare.strip() else line
    point = Point(inner.text, inner.date or line.date, inner.who, worth(bare, ""), old, raw=bare)
    return (point._replace(id=numbered["id"] if numbered else "", topic=titled["topic"] if titled else ""),)


def worth(sentence: str, who: str) -> float:
    """Return how much a sentence is worth keeping: numbers, names, dates, promises, wishes count."""
    value = 1.6 * min(2, len(number_like(sentence))) + 1.0 * min(2, len(names(sentence)))
    value += 1.0 * bool(dates(sentence)) + 1.6 * bool(_VOW.search(sentence)) + 2.0 * bool(_LIKING.search(sentence))
    value += 0.8 * bool(_CHANGE.search(sentence)) + (0 if who == "Assistant" else 1.0)
    value -= 1.5 * sentence.endswith("?") + 2.0 * (len(stems(sentence)) < 3)
    return value


def _weightiest(points: Sequence[Point]) -> list[Point]:
    """At most `_MOST` points, in order: comparing all pairs of more would take seconds."""
    order = sorted(range(len(points)), key=lambda i: (-points[i].worth, -i))[:_MOST]
    return [points[i] for i in sorted(order)]


def merge(points: Sequence[Point]) -> list[Point]:
    """Return the points in order, without those that a later one repeats or brings up to date."""
    kept: list[Point] = []
    for point in reversed(_weightiest(points)):
        if not any(_same(point, later) for later in kept):
            kept.append(point)
    return kept[::-1]


def _same(one: Point, later: Point) -> bool:
    a, b = _subject(one.text), _subject(later.text)
    if min(len(a), len(b)) < 2:
        return a == b and bool(a) and bool(number_like(one.text)) and bool(number_like(later.text))
    return len(a & b) >= 0.7 * min(len(a), len(b))


@lru_cache(maxsize=1 << 14)
def _subject(text: str) -> frozenset[str]:
    return frozenset(s for s in stems(text) if not s[0].isdigit()) - _CALENDAR


def ask_for(fields: Sequence[str], point: Point, topic: str) -> dict[str, Any]:
    """Return a point as an object with the fields asked for, filled by what their names say."""
    return {field: _field(field.lower(), point, topic) for field in fields}


def _field(name: str, point: Point, topic: str) -> Any:
    if name in ("date", "when", "day", "time", "timestamp"):
        return point.date
    if name in ("topic", "entity", "subject", "key", "title", "name"):
        return topic
    if name in ("who", "speaker", "person", "source"):
        return point.who
    if name in ("priority", "level"):
        return point.level()
    if name in ("importance", "score", "weight", "rating", "salience"):
        return {"high": 3, "medium": 2, "low": 1}[point.level()]
    return point.id or None if name == "id" else point.dated()
