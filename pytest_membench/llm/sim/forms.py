"""The forms of questions: what a question asks for, and what a line offers."""

import re
from collections.abc import Sequence
from datetime import date, timedelta
from functools import lru_cache

from pytest_membench.llm.sim.rank import Term
from pytest_membench.llm.sim.words import WEEKDAYS, Entry, dates, sentences, stem, stems

_FRAME_WORDS = (
    "time times many much long date day days name called kind number total order ever promise promised actually "
    "supposed far altogether how between stand stands happen happened exact exactly week month year today give gave "
    "remind moment proper something lot manage settle mean meant need ask asking count counted"
)
FRAME = frozenset(map(stem, _FRAME_WORDS.split()))
"""Words that frame a question and say nothing of its topic."""

COUNT = re.compile(
    r"\bhow many\b|\bhow often\b|\bhow much\b|\btotal\b|\bin all\b|\ball in\b|\baltogether\b|\bspent\b|\bpaid\b|\boff the\b",
    re.IGNORECASE,
)
OVERALL = re.compile(
    r"\btimes\b|\bin all\b|\ball in\b|\ball told\b|\btotal\b|\baltogether\b|\bso far\b|\bsince\b|\bthis (?:month|year)\b|\bhow often\b"
    r"|\b(?:have|has) (?:i|we|he|she|they)\b|\bdid we\b|\bwhole\b|\bspent\b|\boverall\b",
    re.IGNORECASE,
)
NOW = re.compile(
    r"\bnow\b|\bcurrent(?:ly)?\b|\bstill\b|\blatest\b|\bthese days\b|\bas things stand\b|\bnowadays\b|\bat the moment\b"
    r"|^(?:so |and )?(?:when|where|who|what)(?:'s| is| are|s) (?!the name)|^when do\b",
    re.IGNORECASE,
)
WHEN = re.compile(r"\bwhen\b(?! (?:i|we|he|she|they)\b)|\b(?:what|which|the) (?:date|day|time)\b", re.IGNORECASE)
SPAN = re.compile(r"\bhow (?:many days|many weeks|long)\b", re.IGNORECASE)
BETWEEN = re.compile(r"\b(?:between|after|from|until|till|before|turn up|sit on|take to|wait|late|to)\b", re.IGNORECASE)
ORDER = re.compile(r"\b(?:what|which) order\b", re.IGNORECASE)
YES_NO = re.compile(
    r"^(?:so |and |wait,? )?(?:did|have|has|had|was|were|is|are|am|do|does)\b|\bis it done\b|\bdid \w+ ever\b|, did i\b",
    re.IGNORECASE,
)
HAPPENED = re.compile(r"\bactually\b|\bin the end\b|\bfinally\b|\bdid\b|\bwas it\b", re.IGNORECASE)
UNDONE = re.compile(
    r"\b(?:not|never|hasn't|haven't|didn't|isn't|still|yet|forgot|forgotten|nowhere|overdue|late|ignore|unsent|tomorrow|meant to"
    r"|should|must|need to|have to|going to|i'll|will|said i'd)\b",
    re.IGNORECASE,
)
DONE = re.compile(
    r"\b(?:sent|done|gave|given|gone|went|paid|posted|finished|fixed|booked|signed|delivered|dropped|handed|wrote|written"
    r"|has (?:his|her|their|it)|got (?:it|his|her|their)|returned|called|rang|told|filed|submitted|hung|back up|sorted|back today"
    r"|thanked|mailed|emailed|shipped|bought|took|made|replied|moved in|came|stood|unblocked|pulled|answered"
    r"|on (?:the|his|her|their|\w+'s) (?:desk|table|door))\b",
    re.IGNORECASE,
)
VOW = re.compile(
    r"\b(?:i'll|i will|promised?|said i'd|told (?:him|her|them)|i owe|on me|my word|needs? my|by (?:mon|tues|wednes|thurs|fri|satur|sun)day)\b",
    re.IGNORECASE,
)
PARTLY = re.compile(
    r"\bonly (?:half|part|some|two|one)\b|\bnot all\b|\bthe (?:other|rest)\b.*\bstill\b|\bboth still\b", re.IGNORECASE
)
ELSEWHO = re.compile(
    r"\b(?:done it (?:her|him)self|(?:her|him)self, with|did it for|instead of me|beat me to it|she'd|he'd)\b",
    re.IGNORECASE,
)
NUMBER = re.compile(
    r"\bhow (?:many|much|long|deep|far|big|old|high|often|late)\b|\bwhat (?:figure|number|size|strength|price|percentage|cost|interest)\b"
    r"|\bper (?:kilo|day|hour|week|month)\b|\bcome back at\b",
    re.IGNORECASE,
)
WHO = re.compile(r"\bwho(?:'s|se)?\b|\bname\b|\bcalled\b", re.IGNORECASE)
ASKED_FOR = re.compile(r"\?|\bplease\b|\bhelp me\b|\bi have to\b", re.IGNORECASE)
SIDES = re.compile(r"\b(?:between|from) (?P<one>.+?) (?:and|to) (?P<other>.+)", re.IGNORECASE)
_BACK = {"day before yesterday": 2, "last night": 1, "yesterday": 1, "this morning": 0, "today": 0}
_DAY = re.compile("|".join((*WEEKDAYS, *_BACK)), re.IGNORECASE)


def offers(question: str, line: Entry, wanted: Sequence[Term]) -> bool:
    """Whether a line holds the sort of thing that is asked for: a date, a number or a name."""
    known = {term.stem for term in wanted}
    if WHEN.search(question):
        return tells_day(line.text)
    if NUMBER.search(question):
        return any(s[0].isdigit() and s not in known for s in line.stems)
    return bool(WHO.search(question)) and bool(line.names - known)


@lru_cache(maxsize=1 << 14)
def tells_day(text: str) -> bool:
    """Whether a text says a date, a weekday, or a word such as "yesterday"."""
    return bool(dates(text) or _DAY.search(text))


def best_sentences(text: str, question: str, limit: int = 2) -> str:
    """Return the sentences of `text` that bear most on the question, in their order."""
    parts = sentences(text)
    goal = stems(question)
    number = bool(NUMBER.search(question) or WHEN.search(question))
    worth = [
        len(stems(p) & goal) + (0.9 if number and re.search(r"\d", p) else 0) - 0.3 * p.endswith("?") for p in parts
    ]
    chosen = sorted(sorted(range(len(parts)), key=lambda i: (-worth[i], i))[:limit])
    chosen = [i for i in chosen if worth[i] > 0] or chosen
    return " ".join(parts[i] for i in chosen)


def spell(day: date) -> str:
    """Return a date as people write it: 14 September 2026."""
    return f"{day.day} {day:%B %Y}"


def day_of(line: Entry) -> date | None:
    """Return the date a line tells of its own: its date, less what "yesterday" or "last Saturday" says."""
    if not line.date:
        return None
    own, low = date.fromisoformat(line.date), line.text.lower()
    for name in WEEKDAYS:
        if f"last {name}" in low:
            return own - timedelta(days=(own.weekday() - WEEKDAYS.index(name) - 1) % 7 + 1)
    return own - timedelta(days=next((days for word, days in _BACK.items() if word in low), 0))


def said_date(line: Entry, question: str) -> str:
    """Return the date said in a line that the question does not say; else the day it tells of, else ""."""
    asked = {(day.month, day.day) for day in dates(question)}
    spoken = [day for day in dates(line.text) if (day.month, day.day) not in asked]
    if spoken:
        return spoken[0].said
    own = day_of(line)
    return spell(own) if own else ""
