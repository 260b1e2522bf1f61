"""Labelled answers that a judge is measured on: the set that ships, or a file of the user's."""

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import orjson
from pydantic import BaseModel, ConfigDict, ValidationError

from pytest_membench.data import RUBRIC_KINDS, Kind, Label, Probe
from pytest_membench.errors import SuiteError
from pytest_membench.grading.prompts import judge_messages

SHIPPED = "calibration.json"
_DATED = re.compile(r"\[\d{4}-\d\d-\d\d \d\d:\d\d\] [^:]+: \S")


@dataclass(frozen=True)
class Triple:
    """A question, its gold (or rubric) and an answer, with the label that is right and why.

    `excerpt` holds dated lines of the chat for the second look; without any there is only a first.
    """

    id: str
    type: str
    probe: Probe
    answer: str
    label: Label
    why: str
    excerpt: tuple[str, ...] | None = None


class _Row(BaseModel):
    model_config = ConfigDict(extra="forbid")
    id: str
    type: str
    kind: Kind
    question: str
    gold: str | None = None
    rubric: str | None = None
    answer: str
    excerpt: list[str] | None = None
    label: Label
    why: str


def load(path: Path | None = None) -> tuple[Triple, ...]:
    """Return the triples of a file, or those that ship; in the file's order.

    The file is a JSON list of objects with id, type, kind, question, gold (rubric for the kinds ask
    and pref_apply), answer, label, why and, optionally, excerpt. Raises SuiteError naming file, row and field.
    """
    name = str(path) if path else SHIPPED
    try:
        content = path.read_bytes() if path else _shipped()
        rows = orjson.loads(content)
    except (OSError, ValueError) as error:
        raise SuiteError(f"{name}: cannot be read as JSON ({error}); give a JSON list of labelled answers") from error
    if not isinstance(rows, list) or not rows:
        what = "an empty list" if rows == [] else type(rows).__name__
        raise SuiteError(f"{name}: holds {what}; a JSON list of labelled answers is wanted")
    triples = [_triple(name, number, row) for number, row in enumerate(rows, 1)]
    _require_no_doubles(name, triples)
    return tuple(triples)


def _shipped() -> bytes:
    return resources.files("pytest_membench.grading").joinpath(SHIPPED).read_bytes()


def digest(triples: Sequence[Triple]) -> str:
    """Return a digest of what a check asks and expects: the prompts of both looks, types and labels."""
    asked = [
        [t.id, t.type, t.label, judge_messages(t.probe, t.answer)]
        + ([judge_messages(t.probe, t.answer, t.excerpt)] if t.excerpt else [])
        for t in triples
    ]
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()


def _triple(name: str, number: int, data: Any) -> Triple:
    given = data.get("id") if isinstance(data, dict) else None
    where = f"{name}: row {given!r}" if isinstance(given, str) else f"{name}: row {number}"
    try:
        row = _Row.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"])) or "the whole"
        value = "missing" if first["type"] == "missing" else repr(first["input"])[:80]
        raise SuiteError(f"{where}: field {field}: {first['msg']} (it is {value})") from error
    for field in ("id", "type", "question", "answer", "why"):
        if not getattr(row, field).strip():
            raise SuiteError(f"{where}: field {field} is empty")
    for line in row.excerpt or ():
        if not _DATED.match(line):
            raise SuiteError(f"{where}: field excerpt: {line[:80]!r} is no line like '[2026-08-03 09:14] Ann: text'")
    probe = Probe(row.id, row.kind, row.question, _gold(where, row))
    return Triple(row.id, row.type, probe, row.answer, row.label, row.why, tuple(row.excerpt or ()) or None)


def _gold(where: str, row: _Row) -> str:
    """Return the gold, or the rubric of a kind that is graded by one."""
    wanted, other = ("rubric", "gold") if row.kind in RUBRIC_KINDS else ("gold", "rubric")
    text: str | None = getattr(row, wanted)
    if getattr(row, other) is not None:
        raise SuiteError(f"{where}: field {other} is given; kind {row.kind!r} has a {wanted} in its place")
    if text is None or not text.strip():
        raise SuiteError(
            f"{where}: field {wanted} is {'missing' if text is None else 'empty'}; kind {row.kind!r} needs it"
        )
    return text


def _require_no_doubles(name: str, triples: Sequence[Triple]) -> None:
    ids: set[str] = set()
    asked: dict[tuple[str, str, str], str] = {}
    for triple in triples:
        if triple.id in ids:
            raise SuiteError(f"{name}: row {triple.id!r}: field id stands twice; give each row its own")
        ids.add(triple.id)
        twin = asked.setdefault((triple.probe.q, triple.probe.gold, triple.answer), triple.id)
        if twin != triple.id:
            raise SuiteError(
                f"{name}: row {triple.id!r}: has question, gold and answer of row {twin!r}; remove one of them"
            )
