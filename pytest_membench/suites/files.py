"""Read a suite from a folder `{chat,spec,audit}/<person>.json`, checking all that it says."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar

import orjson
from pydantic import BaseModel, ConfigDict, StrictInt, ValidationError

from pytest_membench.data import DAY_ONE, Person, PersonKind, Probe, Suite, Turn, moment
from pytest_membench.errors import SuiteError

ROOT = Path(__file__).parent.parent
MOST_DAYS = 100_000
PUBLISHED = ("locomo", "longmemeval")
"""Names of suites that are one published file each, which every user has a copy of their own of."""
_TIME = re.compile(r"([01]\d|2[0-3]):[0-5]\d")
_PROBE_ID = re.compile(r"[A-Za-z0-9_.+-]+")


class _Message(BaseModel):
    i: StrictInt
    day: StrictInt
    time: str
    who: str
    text: str


class _Chat(BaseModel):
    person: str | None = None
    name: str | None = None
    messages: list[_Message]


class _Check(BaseModel):
    key: list[str] = []


class _Probe(BaseModel):
    id: str
    kind: PersonKind
    q: str
    gold: str
    evidence: list[StrictInt] = []
    check: _Check = _Check()


class _Asked(BaseModel):
    day: StrictInt
    time: str


class _Spec(BaseModel):
    model_config = ConfigDict(extra="ignore")
    person: str | None = None
    asked: _Asked | None = None
    probes: list[_Probe]


class _Excluded(BaseModel):
    id: str
    reason: str


class _Corrected(BaseModel):
    id: str
    gold: str
    reason: str


class _Audit(BaseModel):
    person: str | None = None
    exclude: list[_Excluded] = []
    correct: list[_Corrected] = []


_Model = TypeVar("_Model", bound=BaseModel)


def locate(name: str, rootdir: Path) -> Path:
    """Return the folder of a suite: a path to one, or a name under the rootdir or in the package.

    Raises SuiteError that lists what exists and suggests the nearest name.
    """
    folders = [rootdir / "benchmarks" / "suites", ROOT / "shipped" / "suites", ROOT.parent / "benchmarks" / "suites"]
    candidates = [Path(name), rootdir / name, *(folder / name for folder in folders)]
    for candidate in candidates:
        if (candidate / "chat").is_dir():
            return candidate.resolve()
    known = sorted({path.name for folder in folders if folder.is_dir() for path in folder.iterdir()})
    near = get_close_matches(name, known, 1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    if name in PUBLISHED:
        raise SuiteError(
            f"suite {name!r} is read from your own copy of the file: give --membench-{name} PATH to pytest"
        )
    raise SuiteError(
        f"no suite {name!r}: it is neither a folder with chat/, spec/ and audit/ nor one of {', '.join(known)}{hint}"
    )


def load(folder: Path) -> Suite:
    """Return the suite in `folder`, people sorted by id. Raises SuiteError naming file, probe and field."""
    files = sorted((folder / "chat").glob("*.json"), key=lambda file: file.stem)
    if not files:
        raise SuiteError(f"{folder / 'chat'}: holds no <person>.json; a suite needs one chat at least")
    for part in ("spec", "audit"):
        orphans = {p.name for p in (folder / part).glob("*.json")} - {p.name for p in files}
        if orphans:
            raise SuiteError(f"{folder / part / min(orphans)}: there is no chat of that name in {folder / 'chat'}")
    return Suite(folder.name, tuple(_person(folder, file.stem) for file in files))


def _person(folder: Path, stem: str) -> Person:
    paths = [folder / part / f"{stem}.json" for part in ("chat", "spec", "audit")]
    contents = [path.read_bytes() if path.exists() else b"" for path in paths]
    if not contents[1]:
        raise SuiteError(f"{paths[1]}: missing or empty; the probes of {stem!r} belong there")
    chat, spec = _parse(_Chat, paths[0], contents[0]), _parse(_Spec, paths[1], contents[1])
    audit = _parse(_Audit, paths[2], contents[2]) if contents[2] else _Audit()
    for path, given in ((paths[0], chat.person), (paths[1], spec.person), (paths[2], audit.person)):
        if given not in (None, stem):
            raise SuiteError(f"{path}: field person is {given!r}; the file's name says {stem!r}")
    name = chat.name or stem.capitalize()
    turns = _turns(paths[0], chat.messages, name)
    probes = _probes(paths[1], spec.probes, {turn.i for turn in turns})
    return Person(
        id=stem,
        name=name,
        turns=turns,
        probes=_audited(paths[2], probes, audit),
        asked=_asked(paths[1], spec.asked, turns[-1].when),
        excluded={row.id: row.reason for row in audit.exclude},
        digest=hashlib.sha256(b"\0".join(contents)).hexdigest(),
    )


def _parse(model: type[_Model], path: Path, content: bytes) -> _Model:
    try:
        data = orjson.loads(content)
    except ValueError as error:
        raise SuiteError(f"{path}: is not JSON ({error})") from error
    try:
        return model.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        raise SuiteError(f"{path}: {_place(data, first['loc'])}: {first['msg']} (it is {_short(first)})") from error


def _place(data: Any, loc: Sequence[int | str]) -> str:
    """Name where an error is, by probe id or turn where there is one."""
    if not loc:
        return "the whole"
    field = ".".join(str(part) for part in loc[2:]) or "the whole"
    try:
        row = data[loc[0]][loc[1]]
        if isinstance(row, Mapping) and loc[0] == "messages":
            return f"turn {row.get('i', loc[1])}: field {field}"
        if isinstance(row, Mapping):
            return f"{loc[0]} {row.get('id', loc[1])!r}: field {field}"
    except (KeyError, IndexError, TypeError):
        pass
    return f"field {'.'.join(map(str, loc))}"


def _short(error: Any) -> str:
    return "missing" if error["type"] == "missing" else repr(error["input"])[:80]


def _turns(path: Path, messages: Sequence[_Message], name: str) -> tuple[Turn, ...]:
    if not messages:
        raise SuiteError(f"{path}: field messages is empty; a chat needs one turn at least")
    names = {"u": name, "a": "Assistant"}
    turns: list[Turn] = []
    for message in messages:
        where = f"{path}: turn {message.i}"
        if not _TIME.fullmatch(message.time):
            raise SuiteError(f"{where}: field time is {message.time!r}; HH:MM from 00:00 to 23:59 is wanted")
        if not -MOST_DAYS <= message.day <= MOST_DAYS:
            raise SuiteError(
                f"{where}: field day is {message.day}; {-MOST_DAYS} to {MOST_DAYS} is allowed (1 is {DAY_ONE})"
            )
        if not message.text.strip() or not message.who.strip():
            raise SuiteError(f"{where}: fields text and who may not be empty")
        turn = Turn(**message.model_dump(), name=names.get(message.who, message.who))
        _require_order(where, turns[-1] if turns else None, turn)
        turns.append(turn)
    return tuple(turns)


def _require_order(where: str, before: Turn | None, turn: Turn) -> None:
    if before is None:
        return
    if turn.i <= before.i:
        raise SuiteError(f"{where}: field i follows {before.i}; indices must ascend and none stand twice")
    if turn.when < before.when:
        raise SuiteError(f"{where}: {turn.when} comes before turn {before.i} ({before.when}); sort the turns")


def _probes(path: Path, rows: Sequence[_Probe], turns: set[int]) -> list[Probe]:
    probes: dict[str, Probe] = {}
    for row in rows:
        where = f"{path}: probe {row.id!r}"
        if not _PROBE_ID.fullmatch(row.id):
            raise SuiteError(f"{where}: field id may hold letters, digits and . _ + - alone")
        if row.id == "build":
            raise SuiteError(f"{where}: field id may not be `build`, the name of a memory's cassette; choose another")
        if row.id in probes:
            raise SuiteError(f"{where}: field id stands twice; give each probe its own")
        for name in ("q", "gold"):
            if not getattr(row, name).strip():
                raise SuiteError(f"{where}: field {name} is empty")
        missing = [i for i in row.evidence if i not in turns]
        if missing:
            raise SuiteError(f"{where}: field evidence names turn {missing[0]}, which the chat does not have")
        if not row.evidence and row.kind != "abstain":
            raise SuiteError(f"{where}: field evidence is empty; only an abstain probe may have none")
        probes[row.id] = Probe(row.id, row.kind, row.q, row.gold, tuple(row.evidence), tuple(row.check.key))
    return sorted(probes.values(), key=lambda probe: probe.id)


def _audited(path: Path, probes: Sequence[Probe], audit: _Audit) -> tuple[Probe, ...]:
    known = {probe.id for probe in probes}
    rows: list[_Excluded | _Corrected] = [*audit.exclude, *audit.correct]
    for row in rows:
        if row.id not in known:
            raise SuiteError(f"{path}: names probe {row.id!r}, which the spec does not have")
        if not row.reason.strip():
            raise SuiteError(f"{path}: probe {row.id!r}: field reason is empty; say why")
    for fixed in audit.correct:
        if not fixed.gold.strip():
            raise SuiteError(f"{path}: probe {fixed.id!r}: field gold is empty; give the right answer")
    excluded = {row.id for row in audit.exclude}
    golds = {row.id: row.gold for row in audit.correct}
    kept = [probe for probe in probes if probe.id not in excluded]
    return tuple(replace(p, gold=golds[p.id], key=()) if p.id in golds else p for p in kept)


def _asked(path: Path, asked: _Asked | None, last: datetime) -> datetime:
    if asked is None:
        return (last + timedelta(days=1)).replace(hour=9, minute=0)
    if not _TIME.fullmatch(asked.time):
        raise SuiteError(f"{path}: field asked.time is {asked.time!r}; HH:MM from 00:00 to 23:59 is wanted")
    if not -MOST_DAYS <= asked.day <= MOST_DAYS:
        raise SuiteError(f"{path}: field asked.day is {asked.day}; {-MOST_DAYS} to {MOST_DAYS} is allowed")
    when = moment(asked.day, asked.time)
    if when < last:
        raise SuiteError(f"{path}: field asked is {when}, before the last turn ({last}); ask after the chat")
    return when
