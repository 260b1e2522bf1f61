"""Take a chat prompt apart: who asks what, which lines stand before the model, which tools it has."""

import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

from pytest_membench.llm.sim.words import Entry, dates, entries

MESSAGE = "# Message from "
_RESULT = "# Result of "
_HEADER = re.compile(r"^# (?=Memory$|Recent messages$|Message from )", re.MULTILINE)
_NOW = re.compile(r"\b\d{1,2} [A-Z][a-z]+ (\d{4})\b")
_TOOL = re.compile(r"^- (\w+): ", re.MULTILINE)


class Question(NamedTuple):
    """A question with all lines that the prompt shows, oldest section first.

    `now` is the date the system prompt tells, `protocol` whether replies are JSON objects, and
    `may_search` whether search_chat is offered and was not used yet.
    """

    name: str
    text: str
    lines: list[Entry]
    protocol: bool
    may_search: bool
    now: date | None = None


def contents(messages: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the text of each message; parts of a list are joined."""
    return [_text(message.get("content")) for message in messages]


def _text(content: object) -> str:
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def question(messages: Sequence[Mapping[str, Any]], texts: Sequence[str]) -> Question | None:
    """Return the question that a prompt asks, or None where it has no `# Message from` section."""
    asked = next((i for i in reversed(range(len(texts))) if _is_asked(messages[i], texts[i])), None)
    if asked is None:
        return None
    before, _, rest = texts[asked].rpartition(MESSAGE)
    name, _, text = rest.partition("\n")
    system = "\n".join(t for m, t in zip(messages, texts, strict=True) if m.get("role") == "system")
    results = [t.partition("\n")[2] for t in texts[asked + 1 :] if t.startswith(_RESULT)]
    lines = _lines(before, results)
    protocol = '"answer"' in system and '{"' in system
    may_search = protocol and not results and "search_chat" in _TOOL.findall(system)
    return Question(name.strip(), text.strip(), lines, protocol, may_search, _now(system))


def _now(system: str) -> date | None:
    said = _NOW.search(system)
    day = dates(said[0])[0] if said and dates(said[0]) else None
    return date(int(said[1]), day.month, day.day) if said and day else None


def _is_asked(message: Mapping[str, Any], text: str) -> bool:
    return message.get("role") == "user" and (text.startswith(MESSAGE) or f"\n{MESSAGE}" in text)


def _lines(before: str, results: Sequence[str]) -> list[Entry]:
    lines: list[Entry] = []
    for section in _HEADER.split(before):
        title, _, body = section.partition("\n")
        if title in ("Memory", "Recent messages"):
            lines += entries(body.strip("\n")) if body.strip() != "(empty)" else []
        else:
            lines += entries(section.strip("\n"))
    known = set(lines)
    for result in results:
        lines += [line for line in entries(result.partition("\n\nNo more tools")[0]) if line not in known]
    return lines if not results else sorted(lines, key=lambda line: (line.date, line.time))
