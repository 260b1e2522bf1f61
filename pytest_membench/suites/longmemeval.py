"""LongMemEval as a suite: each question has a history of its own, so each is a person with one probe.

The form is that of the published JSON (Wu et al. 2025, arXiv 2410.10813). None of it ships here.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from pytest_membench.data import DAY_ONE, Kind, Person, Probe, Suite, Turn
from pytest_membench.errors import SuiteError

KINDS: Mapping[str, Kind] = {
    "single-session-user": "single_session_user",
    "single-session-assistant": "single_session_assistant",
    "single-session-preference": "single_session_preference",
    "multi-session": "multi_session",
    "temporal-reasoning": "temporal_reasoning",
    "knowledge-update": "knowledge_update",
}
"""The published question types; the gold of a preference question is a rubric."""
ABSTENTION = "_abs"
"""The end of the ids of questions about what was never said."""
PROBE = "question"
"""The id of the one probe that each person has."""
_WHO = {"user": "u", "assistant": "a"}
_NAMES = {"u": "User", "a": "Assistant"}
_DATE = re.compile(r"(\d{4}/\d\d/\d\d) \(\w{3}\) (\d\d:\d\d)")


class _Session(NamedTuple):
    when: datetime
    id: str
    rows: list[Any]


def load(path: Path) -> Suite:
    """Return the suite in a copy of LongMemEval's file, people in its order.

    A person's id is the `question_id`; the question is asked at its `question_date`, and sessions
    after it are left out, unless they hold the answer: it is then asked at the last of these. What
    is labelled `has_answer` becomes evidence, which no design sees. Raises SuiteError naming the
    question and the field that is wrong.
    """
    try:
        rows = orjson.loads(path.read_bytes())
    except OSError as error:
        raise SuiteError(f"{path}: cannot be read ({error.strerror}); give your copy of LongMemEval") from error
    except ValueError as error:
        raise SuiteError(f"{path}: is not JSON ({error}); a file of LongMemEval is wanted") from error
    if not isinstance(rows, list) or not rows:
        raise SuiteError(f"{path}: is no file of LongMemEval: a list of questions is wanted")
    people: dict[str, Person] = {}
    later = 0
    for number, row in enumerate(rows):
        person, left_out = _person(path, number, row)
        if person.id in people:
            raise SuiteError(f"{path}: question {person.id!r}: field question_id stands twice; each needs its own")
        people[person.id] = person
        later += left_out
    notes = ["LongMemEval: every question has a chat of its own; asked at its question_date."]
    if later:
        notes.append(f"LongMemEval: {later} sessions dated after their question are left out.")
    return Suite("longmemeval", tuple(people.values()), tuple(notes))


def _person(path: Path, number: int, row: Any) -> tuple[Person, int]:
    """Return the person of one row, and how many sessions were left out of the chat."""
    if not isinstance(row, dict):
        raise SuiteError(f"{path}: question {number}: is a {type(row).__name__}, an object is wanted")
    name = row.get("question_id")
    if not isinstance(name, str) or not name.strip():
        raise SuiteError(f"{path}: question {number}: field question_id is {name!r}, a text is wanted")
    where = f"{path}: question {name!r}"
    asked = _when(where, "question_date", row.get("question_date"))
    sessions, answering = _sessions(where, row), _answer_ids(where, row)
    kept = [session for session in sessions if session.when <= asked or session.id in answering]
    turns, evidence = _turns(where, kept)
    if not turns:
        raise SuiteError(f"{where}: field haystack_sessions holds no message before the question_date")
    probe = Probe(PROBE, _kind(where, row, name), _text(where, row, "question"), _gold(where, row), evidence)
    digest = hashlib.sha256(repr((turns, probe, asked)).encode()).hexdigest()
    person = Person(name, "the user", turns, (probe,), max(asked, turns[-1].when), digest=digest)
    return person, len(sessions) - len(kept)


def _sessions(where: str, row: Mapping[str, Any]) -> list[_Session]:
    """Return the sessions by date; in the oracle file they stand in another order."""
    fields = {name: row.get(name) for name in ("haystack_sessions", "haystack_dates", "haystack_session_ids")}
    for name, value in fields.items():
        if not isinstance(value, list):
            raise SuiteError(f"{where}: field {name} is {_show(value)}, a list is wanted")
    rows, dates, ids = fields.values()
    assert rows is not None
    assert dates is not None
    assert ids is not None
    for name, value in (("haystack_dates", dates), ("haystack_session_ids", ids)):
        if len(value) != len(rows):
            raise SuiteError(f"{where}: field {name} has {len(value)} entries for {len(rows)} haystack_sessions")
    whens = [_when(where, f"haystack_dates[{n}]", text) for n, text in enumerate(dates)]
    sessions = [_Session(when, str(one), part) for when, one, part in zip(whens, ids, rows, strict=True)]
    return sorted(sessions, key=lambda session: session.when)


def _answer_ids(where: str, row: Mapping[str, Any]) -> frozenset[str]:
    ids = row.get("answer_session_ids", [])
    if not isinstance(ids, list):
        raise SuiteError(f"{where}: field answer_session_ids is {_show(ids)}, a list is wanted")
    return frozenset(map(str, ids))


def _turns(where: str, sessions: list[_Session]) -> tuple[tuple[Turn, ...], tuple[int, ...]]:
    """Return the turns, numbered from 0 and dated as their session, and those labelled as evidence."""
    turns: list[Turn] = []
    evidence: list[int] = []
    for session in sessions:
        day, time = (session.when.date() - DAY_ONE).days + 1, f"{session.when:%H:%M}"
        for who, text, labelled in _messages(f"{where}: session {session.id!r}", session.rows):
            if labelled:
                evidence.append(len(turns))
            turns.append(Turn(len(turns), day, time, who, text, _NAMES[who]))
    return tuple(turns), tuple(evidence)


def _messages(where: str, rows: Any) -> Iterator[tuple[str, str, bool]]:
    """Yield who, text and label of each message that says something."""
    if not isinstance(rows, list):
        raise SuiteError(f"{where}: field haystack_sessions holds {_show(rows)}, a list of messages is wanted")
    for n, row in enumerate(rows):
        role, text = (row.get("role"), row.get("content")) if isinstance(row, dict) else (None, None)
        if role not in _WHO:
            raise SuiteError(f"{where}: message {n}: field role is {_show(role)}; user or assistant is wanted")
        if not isinstance(text, str):
            raise SuiteError(f"{where}: message {n}: field content is {_show(text)}, a text is wanted")
        if text.strip():
            yield _WHO[role], text.strip(), bool(row.get("has_answer"))


def _kind(where: str, row: Mapping[str, Any], name: str) -> Kind:
    kind = KINDS.get(str(row.get("question_type")))
    if kind is None:
        allowed = ", ".join(KINDS)
        raise SuiteError(f"{where}: field question_type is {_show(row.get('question_type'))}; allowed are {allowed}")
    return "abstain" if name.endswith(ABSTENTION) else kind


def _gold(where: str, row: Mapping[str, Any]) -> str:
    """Return the answer; some are whole numbers in the file."""
    answer = row.get("answer")
    if isinstance(answer, bool) or not isinstance(answer, str | int) or not str(answer).strip():
        raise SuiteError(f"{where}: field answer is {_show(answer)}; a text or a whole number is wanted")
    return str(answer).strip()


def _text(where: str, row: Mapping[str, Any], name: str) -> str:
    text = row.get(name)
    if not isinstance(text, str) or not text.strip():
        raise SuiteError(f"{where}: field {name} is {_show(text)}, a text is wanted")
    return text.strip()


def _when(where: str, name: str, text: Any) -> datetime:
    found = _DATE.fullmatch(text) if isinstance(text, str) else None
    try:
        return datetime.strptime(" ".join(found.groups()) if found else "", "%Y/%m/%d %H:%M")  # noqa: DTZ007 - local time
    except ValueError:
        raise SuiteError(
            f"{where}: field {name} is {_show(text)}; one like '2023/05/20 (Sat) 02:21' is wanted"
        ) from None


def _show(value: Any) -> str:
    return "missing" if value is None else repr(value)[:80]
