"""Count and add what several lines say: "how many times", "how much in all"."""

import re
from collections.abc import Sequence

from pytest_membench.llm.sim.rank import Hit, Term
from pytest_membench.llm.sim.words import Entry, sentences, stems

UNCOUNTED = re.compile(
    r"\b(?:might|would|could|withdrew|cancel\w*|tomorrow|isn't happening|never|priced|false alarm|scrubbed|next week|not me|rained off)\b",
    re.IGNORECASE,
)
"""What a line says that tells of something that did not come to pass."""

_MONEY_ASKED = re.compile(
    r"\bspen[dt]\b|\bcost\b|\bmoney\b|\bpaid\b|\bpay\b|\beuros\b|\bpounds\b|\bdollars\b", re.IGNORECASE
)
_UNIT = r"(kg|kilos?|km|cube|miles?|hours?|pages?|litres?)"
_UNIT_ASKED = re.compile(rf"\b{_UNIT}\b", re.IGNORECASE)
_MONEY = re.compile(r"(?P<sign>[€£$])\s?(?P<value>\d[\d,]*(?:\.\d+)?)")
_AMOUNT = re.compile(rf"(?P<value>\d[\d,]*(?:\.\d+)?) ?(?P<sign>{_UNIT})\b", re.IGNORECASE)
_GIVEN = re.compile(r"\b(?:paid|bought|gave|sent|cost|booked|cash|spent|squared|ordered|for)\b", re.IGNORECASE)


def total(question: str, wanted: Sequence[Term], hits: Sequence[Hit]) -> str:
    """Return a sum or a count over the lines that bear on the question, with its items, or "".

    `hits` are the lines that share something with the question, in order of time.
    """
    money, unit = _MONEY_ASKED.search(question), _UNIT_ASKED.search(question)
    if money or unit:
        return _sum(_MONEY if money else _AMOUNT, wanted, hits)
    return _count(hits)


def _sum(pattern: re.Pattern[str], wanted: Sequence[Term], hits: Sequence[Hit]) -> str:
    told = [
        hit for hit in hits if pattern.search(hit.line.text) and (pattern is _AMOUNT or _GIVEN.search(hit.line.text))
    ]
    close = [
        part
        for hit in told
        for part in sentences(hit.line.text)
        if pattern.search(part) and _about(wanted, stems(part))
    ]
    loose = [hit.line.text for hit in told if hit.cover > 0.2 and _about(wanted, hit.line.stems)]
    parts = [_value(pattern, text) for text in (close if len(close) > 1 else loose)]
    if not parts:
        return ""
    sign, whole = parts[0][0], f"{sum(value for _, value in parts):g}"
    shown = f"{sign}{whole}" if sign in "€£$" else f"{whole} {sign}"
    return f"{shown} in all: {' + '.join(f'{value:g}' for _, value in parts)}."


def _value(pattern: re.Pattern[str], text: str) -> tuple[str, float]:
    found = pattern.search(text)
    return (found["sign"], float(found["value"].replace(",", ""))) if found else ("", 0.0)


def _about(wanted: Sequence[Term], own: frozenset[str]) -> bool:
    """Whether a text has the rarest thing asked for, or a name that goes with it."""
    topics = [t for t in wanted if not _MONEY_ASKED.fullmatch(t.stem) and t.stem not in ("spend", "pay")]
    rarest = sorted(topics, key=lambda t: -t.weight)[:2]
    return any(t.stem in own or not t.kin.isdisjoint(own) for t in rarest)


def _count(hits: Sequence[Hit]) -> str:
    best = max((hit.score for hit in hits), default=0.0)
    items = [hit.line for hit in hits if hit.score >= 0.5 * best and not UNCOUNTED.search(hit.line.text)][:12]
    if len(items) < 2:
        return ""
    return f"{len(items)}: {'; '.join(map(_short, items))}."


def _short(line: Entry) -> str:
    first = " ".join(line.text.split()[:8]).rstrip(",.;:")
    return f"{first} ({line.date})" if line.date else first
