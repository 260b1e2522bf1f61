"""LoCoMo as a suite: two-speaker chats with the dates of their sessions, and the questions about them."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

from pytest_membench.data import DAY_ONE, Person, Probe, Suite, Turn
from pytest_membench.errors import SuiteError
from pytest_membench.suites import locomo_audit
from pytest_membench.suites.locomo_audit import Finding, Mode
from pytest_membench.suites.locomo_file import (
    ABSTAIN,
    CATEGORIES,
    SHA256,
    Dialogue,
    File,
    Message,
    Place,
    Question,
    read,
)

PAPER_SUBSET = ("conv-26", "conv-42", "conv-44", "conv-48")
"""The four chats of arXiv 2608.11879, nearest to the whole file; `membench locomo subset` finds them anew."""
NEVER = "It never came up."
"""The gold of category 5. Its distractor is never read, so it can never be gold."""


def load(
    path: Path,
    *,
    chats: str = "subset",
    category5: bool = False,
    audit: Path | None = None,
    mode: Mode = "flag",
) -> Suite:
    """Return the suite in a copy of LoCoMo's file; probe `q017` is the chat's question 17, counted from 0.

    `chats` is "subset" (the paper's), "all", or ids separated by commas; `category5` brings in the
    questions about what was never said; `audit` is a file of audited questions, used as `mode` says.
    Raises SuiteError naming file, chat and field.
    """
    file = read(path)
    findings = locomo_audit.read(audit, file) if audit else {}
    chosen = _chosen(path, file, chats)
    people = tuple(_person(one, category5, findings, mode) for one in chosen)
    return Suite("locomo", people, tuple(_notes(file, chats, people, category5, mode if audit else None)))


def _chosen(path: Path, file: File, chats: str) -> list[Dialogue]:
    there = {one.id: one for one in file.dialogues}
    names = PAPER_SUBSET if chats == "subset" else tuple(there) if chats == "all" else _parts(chats)
    missing = [name for name in names if name not in there]
    if missing or not names:
        raise SuiteError(
            f"--membench-locomo-chats={chats}: {path} has no chat {', '.join(missing) or '(none is named)'}; "
            f"it has {', '.join(there)}; subset and all are allowed too"
        )
    return sorted((there[name] for name in names), key=lambda one: one.position)


def _parts(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))


def _notes(file: File, chats: str, people: Sequence[Person], category5: bool, mode: Mode | None) -> list[str]:
    """Return what a reader has to know: which file, which chats, what is left out, what an audit did."""
    which = {"subset": "the paper's subset of chats", "all": "all chats"}.get(chats, "chosen chats")
    asked = "with category 5 as abstention" if category5 else "without category 5"
    notes = [f"LoCoMo: {which}, {asked}; asked the day after the last session."]
    if not file.published:
        notes.append(
            f"warning: the file is not the published locomo10.json (sha256 {file.sha256[:12]}..., not "
            f"{SHA256[:12]}...): its figures may not be comparable."
        )
    if mode == "drop":
        notes.append(
            f"Audit: {sum(len(person.excluded) for person in people)} questions with wrong golds are left out."
        )
    if mode in ("drop", "evidence-only"):
        notes.append("Audit: wrong citations are mended.")
    return notes


def _person(dialogue: Dialogue, category5: bool, findings: Mapping[tuple[int, int], Finding], mode: Mode) -> Person:
    turns = _turns(dialogue)
    index = dict(zip(_places(dialogue), (turn.i for turn in turns), strict=True))
    asked = [one for one in dialogue.questions if category5 or one.category != ABSTAIN]
    found = {one.index: findings.get((dialogue.position, one.index)) for one in asked}
    probes = [_audited(_probe(one, index), found[one.index], mode, index) for one in asked]
    dropped = {n: finding for n, finding in found.items() if finding and finding.flag == "gold" and mode == "drop"}
    person = Person(
        id=dialogue.id,
        name=" and ".join(dialogue.speakers),
        turns=turns,
        probes=tuple(probe for n, probe in zip(found, probes, strict=True) if n not in dropped),
        asked=(turns[-1].when + timedelta(days=1)).replace(hour=9, minute=0),
        excluded={_probe_id(n): f"the audit calls its gold wrong: {finding.kind}" for n, finding in dropped.items()},
        speakers=dialogue.speakers,
    )
    return replace(person, digest=hashlib.sha256(repr((person.turns, person.probes)).encode()).hexdigest())


def _places(dialogue: Dialogue) -> list[Place]:
    return [message.place for session in dialogue.sessions for message in session.messages]


def _turns(dialogue: Dialogue) -> tuple[Turn, ...]:
    """Return the turns, numbered from 0; each has the date and time at which its session began."""
    rows = [(session.when, message) for session in dialogue.sessions for message in session.messages]
    return tuple(
        Turn(i, _day(when.date()), f"{when:%H:%M}", message.speaker, _said(message), message.speaker)
        for i, (when, message) in enumerate(rows)
    )


def _day(when: date) -> int:
    return (when - DAY_ONE).days + 1


def _said(message: Message) -> str:
    return f"{message.text} (shares a photo: {message.caption})" if message.caption else message.text


def _probe_id(index: int) -> str:
    return f"q{index:03}"


def _probe(question: Question, index: Mapping[Place, int]) -> Probe:
    evidence = tuple(sorted(index[place] for place in question.evidence))
    return Probe(_probe_id(question.index), CATEGORIES[question.category], question.text, _gold(question), evidence)


def _gold(question: Question) -> str:
    if question.category != ABSTAIN:
        return question.answer or ""
    return f"{question.answer}. {NEVER}" if question.answer else NEVER


def _audited(probe: Probe, finding: Finding | None, mode: Mode, index: Mapping[Place, int]) -> Probe:
    if finding is None:
        return probe
    if mode == "flag":
        return replace(probe, flag=finding.flag)
    if finding.flag == "citation":
        return replace(probe, evidence=tuple(sorted(index[place] for place in finding.evidence)))
    return probe
