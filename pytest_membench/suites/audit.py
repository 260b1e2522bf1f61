"""Check a suite: what a machine can see of its chats and probes, and what a reader should look at."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from pydantic import BaseModel, TypeAdapter, ValidationError

from pytest_membench.data import RUBRIC_KINDS, Person, Probe, Turn
from pytest_membench.errors import SuiteError
from pytest_membench.store import read_json
from pytest_membench.suites.files import load
from pytest_membench.tools import ChatIndex

LAST = 14
"""The newest turns: what a design without memory sees."""
_NUMBERS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
]


class Fault(NamedTuple):
    """What is wrong, where: a person, and a probe or turn of theirs."""

    person: str
    place: str
    what: str

    def __str__(self) -> str:
        """Return one line."""
        return f"{self.person}: {self.place}: {self.what}"


@dataclass(frozen=True)
class Demands:
    """What a suite has to meet. `old_share` of evidence is older than 30 days when probes are asked."""

    repeats: int = 1
    old_share: float = 0.6
    early_share: float = 0.85
    person_words: int = 10
    assistant_words: int = 20
    readable_share: float = 0.1


@dataclass(frozen=True)
class _Sheet:
    """A person with what the files say beside the chat: each probe's `check`, and reasons for nights.

    `corrected` are the probes whose gold is no longer the one that their `check` was written for.
    """

    person: Person
    checks: Mapping[str, Mapping[str, Any]]
    nights: Mapping[str, str]
    corrected: frozenset[str]

    def holds(self, turn: int, phrase: str) -> bool:
        """Whether there is such a turn and it holds a phrase as whole words, case aside."""
        return any(_holds(own.text, phrase) for own in self.person.turns if own.i == turn)


def audit(folder: Path, demands: Demands | None = None) -> list[Fault]:
    """Return all faults of the suite in `folder`. Raises SuiteError where it cannot even be loaded."""
    chosen = demands or demands_of(folder)
    found: list[Fault] = []
    for sheet in _sheets(folder):
        for check in CHECKS:
            found += [Fault(sheet.person.id, place, what) for place, what in check(sheet, chosen)]
    return found


def demands_of(folder: Path) -> Demands:
    """Return what a suite has to meet: what its `demands.json` says, else the same as suite `people`.

    Raises SuiteError where the file has a field that is none of `Demands`.
    """
    path = folder / "demands.json"
    try:
        given = TypeAdapter(dict[str, float]).validate_python(read_json(path), strict=True) if path.exists() else {}
        return Demands(**given)  # type: ignore[arg-type]  # a count may be given as 4.0
    except (TypeError, ValidationError) as error:
        raise SuiteError(f"{path}: {error}; the fields are {', '.join(Demands.__dataclass_fields__)}") from error


def reading_list(folder: Path) -> list[Fault]:
    """Return what a reader should look at: no machine can say whether it is a fault.

    Questions that stand twice, and golds that name a number no evidence turn holds. What the
    model answers without any chat is told by a session of the design ClosedBook.
    """
    found: list[Fault] = []
    for sheet in _sheets(folder):
        for reading in (_same_question, _gold_without_evidence):
            found += [Fault(sheet.person.id, place, what) for place, what in reading(sheet)]
    return found


def _sheets(folder: Path) -> Iterator[_Sheet]:
    for person in load(folder).people:
        spec = read_json(folder / "spec" / f"{person.id}.json")
        chat = read_json(folder / "chat" / f"{person.id}.json")
        golds = {probe.id: probe.gold for probe in person.probes}
        corrected = {row["id"] for row in spec["probes"] if golds.get(row["id"], row["gold"]) != row["gold"]}
        checks = {row["id"]: row.get("check", {}) for row in spec["probes"]}
        yield _Sheet(person, checks, chat.get("nights") or {}, frozenset(corrected))


Found = Iterator[tuple[str, str]]


def _repeated_sentences(sheet: _Sheet, demands: Demands) -> Found:
    """Yield sentences of 6 or more words that stand too often in the chat."""
    seen: dict[str, list[int]] = defaultdict(list)
    for turn in sheet.person.turns:
        for sentence in re.split(r"(?<=[.!?])\s+|\n+", turn.text):
            said = re.findall(r"[\w']+", sentence.lower())
            if len(said) >= 6:
                seen[" ".join(said)].append(turn.i)
    for sentence, turns in seen.items():
        if len(turns) > demands.repeats:
            yield f"turns {turns}", f"the sentence {sentence!r} stands {len(turns)} times, {demands.repeats} allowed"


def _lengths(sheet: _Sheet, demands: Demands) -> Found:
    wanted = {"the person": (True, demands.person_words), "the assistant": (False, demands.assistant_words)}
    for who, (from_person, least) in wanted.items():
        lengths = [len(t.text.split()) for t in sheet.person.turns if t.from_person == from_person]
        if lengths and median(lengths) < least:
            yield "chat", f"the median turn of {who} has {median(lengths)} words, at least {least} wanted"


def _calendar(sheet: _Sheet, demands: Demands) -> Found:
    days = {turn.day for turn in sheet.person.turns}
    if len(days) > 14 and max(days) - min(days) + 1 == len(days):
        yield "chat", "every day has a turn; people have days off"
    for turn in sheet.person.turns:
        if "00:30" <= turn.time < "05:00" and str(turn.day) not in sheet.nights:
            yield f"turn {turn.i}", f"is written at {turn.time}; `nights` gives no reason for day {turn.day}"


def _ages(sheet: _Sheet, demands: Demands) -> Found:
    person = sheet.person
    turns = [turn for probe in person.probes for turn in _evidence(person, probe)]
    if not turns:
        return
    old = sum((person.asked.date() - turn.when.date()).days > 30 for turn in turns) / len(turns)
    if old < demands.old_share:
        yield "evidence", f"{old:.0%} is older than 30 days, at least {demands.old_share:.0%} wanted"
    newest = {turn.i for turn in person.turns[-LAST:]}
    early = sum(turn.i not in newest for turn in turns) / len(turns)
    if early < demands.early_share:
        yield "evidence", f"{early:.0%} lies before the last {LAST} turns, at least {demands.early_share:.0%} wanted"


def _readable(sheet: _Sheet, demands: Demands) -> Found:
    """Yield a fault where too many golds can be read off the newest turns."""
    newest = sheet.person.turns[-LAST:]
    keys = {probe.id: probe.key for probe in sheet.person.probes}
    readable = [
        probe for probe, own in keys.items() if own and all(any(_holds(t.text, k) for t in newest) for k in own)
    ]
    if len(readable) > demands.readable_share * len(keys):
        yield "golds", f"{', '.join(readable)} can be read off the last {LAST} turns"


def _scattered(sheet: _Sheet, demands: Demands) -> Found:
    """Yield a fault where one search returns all the evidence of too many probes that need several turns."""
    index = ChatIndex(sheet.person.turns)
    probes = [p for p in sheet.person.probes if p.kind in ("update", "aggregate", "open_loop")]
    together = [p.id for p in probes if set(p.evidence) <= {turn.i for turn in index.search(p.q)}]
    if len(together) > len(probes) / 2:
        yield "evidence", f"one search returns all of it for {', '.join(together)}"


def _probe_checks(sheet: _Sheet, demands: Demands) -> Found:
    for probe in sheet.person.probes:
        check = sheet.checks[probe.id]
        try:
            _Check.model_validate(check)
        except ValidationError as error:
            where = ".".join(["check", *map(str, error.errors()[0]["loc"])])
            yield probe.id, f"{where} cannot be read: {error.errors()[0]['msg']}; the guide shows its form"
            continue
        kind = "abstain" if probe.kind == "abstain" else "must"
        about_gold = () if probe.id in sheet.corrected else (*_BY_KIND.get(probe.kind, ()), _PARTS["keys"])
        for part in (*about_gold, _PARTS[kind]):
            yield from ((probe.id, what) for what in part(sheet, probe, check))


class _Value(BaseModel):
    turn: int
    value: str


class _Item(BaseModel):
    turn: int
    item: str
    n: float = 1


class _Check(BaseModel):
    """The form of a probe's `check`."""

    key: list[str] = []
    must: dict[int, list[str]] = {}
    values: list[_Value] = []
    items: list[_Item] = []
    count: float | None = None
    never: list[list[str]] = []


Part = Callable[[_Sheet, Probe, Mapping[str, Any]], Iterator[str]]


def _must(sheet: _Sheet, probe: Probe, check: Mapping[str, Any]) -> Iterator[str]:
    """Yield evidence turns that nothing is said of, or that lack what the gold needs."""
    must = {int(turn): phrases for turn, phrases in check.get("must", {}).items()}
    covered = set(must) | {row["turn"] for name in ("values", "items") for row in check.get(name, [])}
    for turn in probe.evidence:
        if turn not in covered:
            yield f"check says nothing of what evidence turn {turn} holds"
    for turn, phrases in must.items():
        for phrase in phrases:
            if turn not in probe.evidence or not sheet.holds(turn, phrase):
                yield f"turn {turn} does not hold {phrase!r}, or is no evidence"


def _keys(sheet: _Sheet, probe: Probe, check: Mapping[str, Any]) -> Iterator[str]:
    if probe.kind == "abstain":
        return
    if not check.get("key"):
        yield "check.key is missing: the words without which an answer is not right"
    if probe.kind not in RUBRIC_KINDS:
        yield from (f"the key {k!r} is not in the gold" for k in check.get("key", []) if not _holds(probe.gold, k))


def _values(sheet: _Sheet, probe: Probe, check: Mapping[str, Any]) -> Iterator[str]:
    """Yield faults of an update: older values come before, the last one comes last and is the gold."""
    values = check.get("values", [])
    if len(values) < 2:
        yield "an update needs two values at least, old to new, in check.values"
        return
    if [row["turn"] for row in values] != sorted(row["turn"] for row in values):
        yield "check.values are not in the order of their turns"
    for row in values:
        if row["turn"] not in probe.evidence or not sheet.holds(row["turn"], row["value"]):
            yield f"turn {row['turn']} does not hold {row['value']!r}, or is no evidence"
    if not _holds(probe.gold, values[-1]["value"]):
        yield f"the last value {values[-1]['value']!r} is not in the gold"


def _items(sheet: _Sheet, probe: Probe, check: Mapping[str, Any]) -> Iterator[str]:
    """Yield faults of an aggregate: its items add up to its count, which the gold states."""
    items, count = check.get("items", []), check.get("count")
    total = sum(row.get("n", 1) for row in items)
    if total != count:
        yield f"the items add up to {total}, check.count is {count}"
    if {row["turn"] for row in items} != set(probe.evidence):
        yield "the turns of the items are not the evidence"
    for row in items:
        if not sheet.holds(row["turn"], row["item"]):
            yield f"turn {row['turn']} does not hold {row['item']!r}"
    if not any(_holds(probe.gold, form) for form in _forms(count)):
        yield f"the count {count} is not in the gold"


def _never(sheet: _Sheet, probe: Probe, check: Mapping[str, Any]) -> Iterator[str]:
    """Yield turns in which the thing that an abstain probe asks for is said after all."""
    if not check.get("never"):
        yield "check.never is missing: the words that never stand together"
    for words in check.get("never", []):
        for turn in sheet.person.turns:
            if all(_holds(turn.text, word) for word in words):
                yield f"turn {turn.i} holds all of {words}"
    if probe.evidence:
        yield from _must(sheet, probe, check)


_BY_KIND: Mapping[str, tuple[Part, ...]] = {"update": (_values,), "aggregate": (_items,)}
_PARTS: Mapping[str, Part] = {"must": _must, "abstain": _never, "keys": _keys}
CHECKS: Sequence[Callable[[_Sheet, Demands], Found]] = (
    _repeated_sentences,
    _lengths,
    _calendar,
    _ages,
    _readable,
    _scattered,
    _probe_checks,
)


def _same_question(sheet: _Sheet) -> Found:
    """Yield questions that two probes ask with different golds."""
    asked: dict[str, list[Probe]] = defaultdict(list)
    for probe in sheet.person.probes:
        asked[" ".join(re.findall(r"\w+", probe.q.lower()))].append(probe)
    for probes in asked.values():
        if len({probe.gold for probe in probes}) > 1:
            yield ", ".join(p.id for p in probes), f"ask the same ({probes[0].q!r}) and have different golds"


def _gold_without_evidence(sheet: _Sheet) -> Found:
    """Yield golds whose numbers no evidence turn holds, as digits or as words."""
    for probe in sheet.person.probes:
        if probe.kind in (*RUBRIC_KINDS, "abstain", "aggregate"):
            continue
        text = " ".join(str(turn) for turn in _evidence(sheet.person, probe))
        numbers = Counter(re.findall(r"\d+(?:[.,]\d+)*", probe.gold.split("(")[0]))
        missing = [n for n in numbers if not any(_holds(text, form) for form in _written(n))]
        if missing:
            yield probe.id, f"the gold's {', '.join(missing)} stands in no evidence turn; is it worked out?"


def _written(number: str) -> list[str]:
    word = [_NUMBERS[int(number)]] if number.isdigit() and int(number) < len(_NUMBERS) else []
    return [number, f"{number}th", f"{number}st", f"{number}nd", f"{number}rd", number.zfill(2), *word]


def _evidence(person: Person, probe: Probe) -> list[Turn]:
    wanted = set(probe.evidence)
    return [turn for turn in person.turns if turn.i in wanted]


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text.lower().replace("\u2019", "'"))


def _holds(text: str, phrase: str) -> bool:
    return re.search(r"(?<!\w)" + re.escape(_plain(phrase)) + r"(?!\w)", _plain(text)) is not None


def _forms(count: object) -> list[str]:
    if not isinstance(count, int):
        return [str(count)]
    return [str(count), f"{count:,}", *([_NUMBERS[count]] if 0 <= count < len(_NUMBERS) else [])]
