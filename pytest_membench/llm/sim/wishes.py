"""Find how the person asked to be treated: the sentences that state wishes, and which of them apply."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from pytest_membench.llm.sim.prompt import Question
from pytest_membench.llm.sim.rank import Term, terms
from pytest_membench.llm.sim.words import Entry, sentences, stem, stems, words

_WISH = re.compile(
    r"\bcall me\b|\bmake it [A-Z]|\bi go by\b|\bknown as\b|\balways\b|\bnever (?:the|an?|any|use|call|say|put|write|send|give|add|start|end|more|in)\b|\bno (?:more )?\w+|\bdon't (?:give|use|call|send|put"
    r"|want|start|end)|\bi (?:don't |only )?(?:prefer|like|hate|think in|can't stand|can't have|can't eat|loathe)\b|\brules?\b"
    r"|\bleave (?:it|that|them) out\b|\bwithout\b|\bfirst line\b|\bstraight (?:off|away|up)\b|\bheaded\b|\bheadings\b|\bat (?:the very )?most\b"
    r"|\btops\b|\bmaximum\b|\bceiling\b|\bfrom now on\b|\bwhen(?:ever)? i (?:say|ask|send)\b|\bevery time\b|\ballerg\w+"
    r"|\bstopped eating\b|\bveg(?:etari)?an\b|\bin (?:grams|metric|kilos|celsius|euros)\b|\bgrams\b|\bends? (?:with|on|in)\b"
    r"|\bfinish(?:es)? (?:on|with)\b|\b(?:comes?|number|very) first\b|\blead with\b|\bdrop the\b|\bin full\b|\btastes? of\b|\bhow i like\b"
    r"|\b(?:one|two|three|four|five|six) (?:points|lines|sentences|bullets|headings)\b|\bsign (?:it|them|off)\b|\bon top\b",
    re.IGNORECASE,
)
_STANDING = re.compile(
    r"\balways\b|\bevery time\b|\brules?\b|\bfrom now on\b|\bwhen(?:ever)? i\b|\bhow i like\b|\banything (?:you|that)\b"
    r"|\ballerg\w+|\bstopped eating\b|\btastes? of\b|\bdrop the\b|\bfor me:|\bi only\b",
    re.IGNORECASE,
)
_TRIGGER = re.compile(
    r"\bwhen(?:ever)? i (?:say|ask(?: you)?(?: for)?|send(?: you)?|write)[\"\u201c ]+(?:an? |the )?([\w-]+)",
    re.IGNORECASE,
)
_ANY_TEXT = re.compile(r"\banything (?:you write|that goes out|i send|you draft)", re.IGNORECASE)
_EITHER = re.compile(r"\ba[- ]or[- ]b\b|\beither[- ]or\b", re.IGNORECASE)
_STRONG_NAME = re.compile(
    r"\b(?:call me|make it|i go by|known as|answer to|nickname(?:'s| is)) (?:just |only )?[\"\u201c']?(?P<name>[^\W\d]+)",
    re.IGNORECASE,
)
_WHEN_NAME = re.compile(r"\b[Ww]hen(?:ever)? [iI] (?:say|write)[^.?!]*?\b[iI]'m [\"\u201c']?(?P<name>[A-Z]\w+)")
_ITS_NAME = re.compile(r"\b(?:it's|it is) (?P<name>[^\W\d]{3,})\b", re.IGNORECASE)
_NO_NAMES = frozenset(
    [
        "a",
        "an",
        "the",
        "it",
        "not",
        "when",
        "if",
        "back",
        "later",
        "up",
        "in",
        "this",
        "that",
        "so",
        "quick",
        "short",
        "easy",
        "better",
        "again",
        "my",
        "me",
        "for",
    ]
)

NEAR = 0.3
"""How near a wish has to be to a message to apply to it."""


class Wish(NamedTuple):
    """A sentence in which the person says how they like things, and how near it is to the message."""

    text: str
    near: float


def wishes(asked: Question, head: str) -> list[Wish]:
    """Return the wishes that apply to a message, nearest first, newer first on ties; at most three.

    `head` is the part of the message that says what is wanted. A wish applies when it names the
    occasion ("when I ask for a recap"), or when its line or the talk just before shares its topic.
    """
    wanted = terms(head, asked.lines)
    found: list[tuple[float, int, Wish]] = []
    for at, line in enumerate(asked.lines):
        if line.who in ("", asked.name) and _WISH.search(line.text):
            found += [(wish.near, at, wish) for wish in _of_line(asked.lines, at, wanted, head)]
    found.sort(key=lambda item: (-item[0], -item[1]))
    best = [wish for near, _, wish in found if near >= max(NEAR, 0.85 * found[0][0])]
    return best[:3]


def _of_line(lines: Sequence[Entry], at: int, wanted: Sequence[Term], head: str) -> list[Wish]:
    before = lines[max(0, at - 2) : at]
    context = frozenset[str]().union(*(line.stems for line in before))
    near = _share(wanted, lines[at].stems, context)
    return [
        Wish(
            s,
            near
            + _occasion(s, head)
            + 0.25 * bool(_STANDING.search(s)) * (near > 0)
            + 0.1 * _share(wanted, stems(s), frozenset()),
        )
        for s in sentences(lines[at].text)
        if _WISH.search(s)
    ]


def _share(wanted: Sequence[Term], own: frozenset[str], context: frozenset[str]) -> float:
    full = sum(term.weight for term in wanted) or 1.0
    return sum(term.weight * _worth(term, own, context) for term in wanted) / full


def _worth(term: Term, own: frozenset[str], context: frozenset[str]) -> float:
    if term.stem in own:
        return 1.0
    if not term.kin.isdisjoint(own):
        return 0.7
    return 0.4 if term.stem in context else 0.2 if not term.kin.isdisjoint(context) else 0.0


def _occasion(sentence: str, head: str) -> float:
    """How far a sentence names the occasion of the message; below 0 where it names another one."""
    named = {stem(match[1]) for match in _TRIGGER.finditer(sentence)} - {"1", "it", "that"}
    said = {stem(word) for word in words(head)}
    if named & said or (
        _ANY_TEXT.search(sentence)
        and re.search(r"\b(?:draft|write|note|e?mail|letter|message|post)\b", head, re.IGNORECASE)
    ):
        return 1.0
    if _TRIGGER.search(sentence) and not _EITHER.search(sentence):
        return -0.3
    return 1.0 if _EITHER.search(sentence) and " or " in head else 0.0


def call_name(asked: Question) -> str:
    """Return how the person asked to be called, the newest wish; the prompt's name where there is none."""
    for line in reversed(asked.lines):
        if line.who in ("", asked.name):
            name = _called(line.text)
            if name:
                return name
    return asked.name


def _called(text: str) -> str:
    for match in [*_STRONG_NAME.finditer(text), *_WHEN_NAME.finditer(text)]:
        if match["name"].lower() not in _NO_NAMES and match["name"][0].isupper() | ("call me" in match[0].lower()):
            return match["name"]
    for match in _ITS_NAME.finditer(text):
        if text.lower().count(match["name"].lower()) > 1 and re.search(r"\bcalled?\b|\bname\b|\bgreet", text):
            return match["name"]
    return ""


def said_back(asked: Question, said: str) -> str:
    """Return the words that the person wants to hear on saying `said`, or ""."""
    pattern = rf"when i say [\"\u201c]?{re.escape(said)}\b[^.]*?you say [\"\u201c]([^\"\u201d]+)[\"\u201d]"
    for line in reversed(asked.lines):
        found = re.search(pattern, line.text, re.IGNORECASE) if line.who in ("", asked.name) else None
        if found:
            return found[1]
    return ""
