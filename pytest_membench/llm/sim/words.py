"""Words as the model `sim` sees them: tokens, light stems, kin, dates and dated lines."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

_WORD = re.compile(r"\d+(?:[.,:]\d+)+|[^\W_]+(?:['\u2019][^\W_]+)*")
_SENTENCE = re.compile(r"(?<=[.!?])(?<!Mr\.)(?<!Mrs\.)(?<!Dr\.)\s+|\n+")
_LINE = re.compile(r"\[(\d{4}-\d\d-\d\d)(?: (\d\d:\d\d))?\] (?:([^\n:]{1,40}): )?")
_DAY_FIRST = re.compile(r"(\d{4}-\d\d-\d\d)\s?(?:[:,-]\s?|\s)")
_VOWELS = frozenset("aeiouy")

_STOP_WORDS = (
    "a about above actually after again all also am an and any anyone anything are as at back be because been before "
    "being both but by came can can't come could d did didn't do does doesn't doing don't done down each either else "
    "end ended ever every for from get gets getting go goes going gone got had has have haven't having he her here "
    "hers herself hey him himself his how i i'd i'll i'm i've if in into is isn't it its itself just last let like ll "
    "m may maybe me might mine more most much must my myself no nor not now of off ok okay on once one ones only or "
    "our ours out over own please quite re really reckon said same say see she should since so some still such sure "
    "than that that's the their them then there these they thing things think this those though through to too up "
    "us ve very was wasn't we well were what what's when when's where which while who who's whose why will with won't "
    "would yes yet you you're your yours said tell thanks thank want wanted work current currently latest"
)
STOP = frozenset(_STOP_WORDS.split())
"""Stems that carry no topic of their own."""

_NUMBER_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty"
)
NUMBERS = {word: str(number) for number, word in enumerate(_NUMBER_WORDS.split())} | {
    "once": "1",
    "twice": "2",
    "thirty": "30",
    "forty": "40",
    "fifty": "50",
    "dozen": "12",
    "hundred": "100",
}

_MONTH_WORDS = "january february march april may june july august september october november december"
_MONTH_NAMES = _MONTH_WORDS.split()
MONTHS = {name: i for i, name in enumerate(_MONTH_NAMES, 1)} | {n[:3]: i for i, n in enumerate(_MONTH_NAMES, 1)}
MONTHS["sept"] = 9
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

_PAIRS = (
    "ate:eat began:begin bought:buy brought:bring built:build chose:choose cost:cost cut:cut drew:draw drove:drive "
    "driven:drive felt:feel fixed:fix found:find gave:give given:give went:go held:hold kept:keep left:leave "
    "lent:lend lost:lose made:make meant:mean met:meet moved:move paid:pay ran:run rang:ring read:read sat:sit "
    "saw:see sold:sell sent:send slept:sleep spent:spend spoke:speak stood:stand swore:swear taken:take took:take "
    "taught:teach told:tell thought:think woke:wake won:win wore:wear written:write wrote:write children:child "
    "men:man women:woman people:people mum:mother mom:mother dad:father mails:mail"
)
_IRREGULAR = dict(pair.split(":") for pair in _PAIRS.split())

_KIN = (
    "buy purchase order",
    "pay spend cost price charge bill fee money quote",
    "salary pay wage earn",
    "send mail email post forward deliver hand",
    "write draft text",
    "document note report file paper write outline",
    "outage incident failure dead crash",
    "meet interview see talk room",
    "phone call ring pager",
    "holiday vacation trip",
    "begin start kick",
    "finish complete close",
    "move shift postpone push delay slide slip reschedule migrate",
    "arrive deliver come turn receive",
    "guest invite attend",
    "doctor gp clinic",
    "house home flat apartment",
    "job role post position",
    "candidate applicant cv",
    "cook dinner eat meal dish food recipe lunch supper taste breakfast curry soup stew",
    "meat vegetarian vegan",
    "car drive",
    "train rail",
    "recap summary digest overview",
    "fix repair mend",
    "wedding marry bride",
    "father pa old",
    "kid child son daughter",
    "night bed sleep wake",
    "quantity amount number sum total",
    "description text summary",
    "name call",
    "deep depth",
    "long length",
    "big size",
    "gym exercise workout run training",
    "book reserve ticket",
    "promise owe swear",
)


class Entry(NamedTuple):
    """One line of a prompt: its date, time and speaker ("" where unknown), its text and stems."""

    date: str
    time: str
    who: str
    text: str
    stems: frozenset[str]
    names: frozenset[str]


def words(text: str) -> list[str]:
    """Return the words and numbers of `text` as they stand."""
    return _WORD.findall(text)


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Return the light stem of one word; numbers in words and with ordinals become digits."""
    low = word.lower().replace("\u2019", "'").removesuffix("'s").removesuffix("'")
    if low[:1].isdigit():
        return _number(low)
    if low in NUMBERS:
        return NUMBERS[low]
    low = _IRREGULAR.get(low, low)
    return low if len(low) <= 3 or low in STOP else _strip(low)


def _number(low: str) -> str:
    bare = re.sub(r",(?=\d{3}\b)", "", low)
    ordinal = re.fullmatch(r"(\d+)(?:st|nd|rd|th)", bare)
    return ordinal[1] if ordinal else re.sub(r"(\.\d*?)0+$", r"\1", bare).rstrip(".") if "." in bare else bare


def _strip(low: str) -> str:
    if low.endswith("ies"):
        low = low[:-3] + "y"
    elif low.endswith("s") and not low.endswith(("ss", "us", "is")):
        low = low[:-2] if low.endswith(("xes", "ches", "shes", "sses")) else low[:-1]
    for ending in ("ing", "ed", "ly"):
        base = low.removesuffix(ending)
        if base != low and len(base) >= 3 and _VOWELS & set(base):
            low = base[:-1] if len(base) > 3 and base[-1] == base[-2] and base[-1] not in "lsz" else base
            break
    return low[:-1] if low.endswith("e") and len(low) > 3 else low


@lru_cache(maxsize=1 << 16)
def stems(text: str) -> frozenset[str]:
    """Return the topical stems of `text`: no stop words."""
    return frozenset(s for word in words(text) if (s := stem(word)) not in STOP and word.lower() not in STOP)


def _kin_table() -> dict[str, frozenset[str]]:
    table: dict[str, frozenset[str]] = {}
    for group in _KIN:
        members = frozenset(map(stem, group.split()))
        for member in members:
            table[member] = table.get(member, frozenset()) | (members - {member})
    return table


KIN = _kin_table()
"""Stems of nearly the same meaning in everyday English, by stem."""


@lru_cache(maxsize=1 << 14)
def names(text: str) -> frozenset[str]:
    """Return the stems of capitalised words that do not begin a sentence."""
    found = re.findall(r"(?<![.!?:\n\"\u201c] )(?<=[a-z0-9,;\u2019')(] )([A-Z][^\W\d_]+)(?:['\u2019]s)?", text)
    return frozenset(stem(name) for name in found) - STOP - set(MONTHS) - set(WEEKDAYS)


@lru_cache(maxsize=1 << 14)
def sentences(text: str) -> tuple[str, ...]:
    """Return the sentences of `text`, without empty ones."""
    return tuple(part.strip() for part in _SENTENCE.split(text) if part.strip())


@lru_cache(maxsize=1 << 16)
def entry(line: str) -> Entry:
    """Return one line of a prompt as an entry; a line may hold line breaks."""
    dated = _LINE.match(line)
    if dated:
        text, date, time, who = line[dated.end() :], dated[1], dated[2] or "", dated[3] or ""
    else:
        text, date, time, who = _undated(line)
    return Entry(date, time, who, text.strip(), stems(text), names(text))


def _undated(line: str) -> tuple[str, str, str, str]:
    bare = line.lstrip("-*•# \t")
    day = _DAY_FIRST.match(bare)
    return (bare[day.end() :], day[1], "", "") if day else (bare, "", "", "")


def entries(block: str) -> list[Entry]:
    """Return the lines of a block as entries.

    A dated line takes along the undated lines that follow it (a message may hold line breaks);
    where the block has no dated line, each line is an entry.
    """
    lines: list[str] = []
    open_line = False
    for line in block.split("\n"):
        if line.startswith("[") and _LINE.match(line):
            lines.append(line)
            open_line = True
        elif open_line:
            lines[-1] += "\n" + line
        elif line.strip():
            lines.append(line)
    return [entry(line) for line in lines]


_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_DATES = re.compile(
    r"\b(?:(?P<iso>\d{4}-\d\d-\d\d)"
    rf"|(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<m1>{_MONTH})\b"
    rf"|(?P<m2>{_MONTH}) (?:the )?(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?\b(?![.,:]\d)"
    r"|(?P<d3>\d{1,2})(?:st|nd|rd|th)\b)",
    re.IGNORECASE,
)


class Day(NamedTuple):
    """A date as said in a text: month (0 where only the day is said), day, and the words."""

    month: int
    day: int
    said: str


@lru_cache(maxsize=1 << 14)
def dates(text: str) -> tuple[Day, ...]:
    """Return the dates said in `text`: "14 September", "Sept 14th", "2026-09-14" or "the 14th"."""
    found = []
    for match in _DATES.finditer(text):
        if match["iso"]:
            month, day = int(match["iso"][5:7]), int(match["iso"][8:])
        elif match["d3"]:
            month, day = 0, int(match["d3"])
        else:
            month, day = MONTHS[(match["m1"] or match["m2"]).lower()], int(match["d1"] or match["d2"])
        if 1 <= day <= 31:
            found.append(Day(month, day, match[0]))
    return tuple(found)


def all_names(lines: Iterable[Entry]) -> set[str]:
    """Return the names that the lines show, as stems."""
    found: set[str] = set()
    for line in lines:
        found |= line.names
        if line.who:
            found.add(stem(line.who))
    return found


def number_like(text: str) -> list[str]:
    """Return the numbers of `text` as digits, in order; "one" alone is no number."""
    return [s for word in words(text) if (s := stem(word))[0].isdigit() and word.lower() not in {"one", "once"}]
