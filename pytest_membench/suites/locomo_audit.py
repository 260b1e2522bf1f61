"""Read an audit of LoCoMo's questions, and hold every row of it to the file that it speaks of."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import orjson

from pytest_membench.data import Flag
from pytest_membench.errors import SuiteError
from pytest_membench.suites.locomo_file import Dialogue, File, Place, Question, places

Mode = Literal["flag", "drop", "evidence-only"]
MODES: tuple[Mode, ...] = get_args(Mode)
CITATION = "WRONG_CITATION"
"""The error type of rows whose gold is right and whose evidence is not; all others doubt the gold."""
_ID = re.compile(r"locomo_(\d+)_qa(\d+)")


@dataclass(frozen=True)
class Finding:
    """What the audit says of one question: what is wrong with it, and the evidence that is right."""

    flag: Flag
    kind: str
    evidence: tuple[Place, ...]


def read(path: Path, file: File) -> Mapping[tuple[int, int], Finding]:
    """Return the findings by (position of the chat, index of the question).

    A row is joined by the numbers in its `question_id`, and held to the question's text and answer.
    Raises SuiteError naming the first row that does not match.
    """
    try:
        rows = orjson.loads(path.read_bytes())
    except OSError as error:
        raise SuiteError(f"{path}: cannot be read ({error.strerror}); give the path of an audit of LoCoMo") from error
    except ValueError as error:
        raise SuiteError(f"{path}: is not JSON ({error}); an audit of LoCoMo is wanted") from error
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise SuiteError(f"{path}: is no audit of LoCoMo: a list of objects is wanted")
    findings: dict[tuple[int, int], Finding] = {}
    for number, row in enumerate(rows):
        where = f"{path}: row {number} ({row.get('question_id')!r})"
        key, dialogue, question = _joined(where, row, file)
        if key in findings:
            raise SuiteError(f"{where}: names a question that another row names already")
        _require_same(where, row, question)
        findings[key] = _finding(where, row, dialogue)
    return findings


def _joined(where: str, row: Mapping[str, Any], file: File) -> tuple[tuple[int, int], Dialogue, Question]:
    named = _ID.fullmatch(str(row.get("question_id")))
    if named is None:
        raise SuiteError(f"{where}: field question_id: locomo_<chat>_qa<question> is wanted, counted from 0")
    chat, index = int(named[1]), int(named[2])
    if chat >= len(file.dialogues) or index >= len(file.dialogues[chat].questions):
        raise SuiteError(f"{where}: the file has no question {index} of chat {chat}; is the audit of another file?")
    return (chat, index), file.dialogues[chat], file.dialogues[chat].questions[index]


def _require_same(where: str, row: Mapping[str, Any], question: Question) -> None:
    for name, ours in (("question", question.text), ("golden_answer", question.answer)):
        theirs = row.get(name)
        if theirs is None or ours is None or " ".join(str(theirs).split()) != " ".join(ours.split()):
            raise SuiteError(
                f"{where}: field {name} is {str(theirs)[:60]!r}, the file says {str(ours)[:60]!r}; "
                "is the audit of another file?"
            )


def _finding(where: str, row: Mapping[str, Any], dialogue: Dialogue) -> Finding:
    kind, cited = row.get("error_type"), row.get("correct_evidence")
    if not isinstance(kind, str) or not kind:
        raise SuiteError(f"{where}: field error_type is {kind!r}; {CITATION} or what is wrong with the gold is wanted")
    if not isinstance(cited, list):
        raise SuiteError(f"{where}: field correct_evidence is {cited!r}; a list of turn ids is wanted")
    try:
        evidence = places([str(one) for one in cited])
    except ValueError as error:
        raise SuiteError(f"{where}: field correct_evidence: {error}") from error
    known = {message.place for session in dialogue.sessions for message in session.messages}
    lost = [place for place in evidence if place not in known]
    if lost:
        raise SuiteError(
            f"{where}: field correct_evidence names turn D{lost[0][0]}:{lost[0][1]}, which the chat has not"
        )
    return Finding("citation" if kind == CITATION else "gold", kind, evidence)
