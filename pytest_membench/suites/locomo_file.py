"""Read a copy of LoCoMo's file: dialogues and questions, with each irregularity mended and counted.

The dataset is LoCoMo (Maharana et al. 2024, arXiv 2402.17753), CC BY-NC 4.0. None of it ships here.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import orjson

from pytest_membench.data import Kind
from pytest_membench.errors import SuiteError

SHA256 = "79fa87e90f04081343b8c8debecb80a9a6842b76a7aa537dc9fdf651ea698ff4"
"""The published `locomo10.json`, 2,805,274 bytes."""
ABSTAIN = 5
"""The category whose questions ask for what was never said."""
CATEGORIES: Mapping[int, Kind] = {1: "multi_hop", 2: "temporal", 3: "open_domain", 4: "single_hop", ABSTAIN: "abstain"}
"""LoCoMo's own numbers, named as its code has them; other harnesses permute the names."""

_SESSION = re.compile(r"session_(\d+)")
_DATED = re.compile(r"session_(\d+)_date_time")
_DATE = "%I:%M %p on %d %B, %Y"
_TURN_ID = re.compile(r"D(\d+):(\d+)")
_REPAIR = re.compile(r"D:?(\d+):(\d+)")

Place = tuple[int, int]
"""A turn's session and its number in it."""


@dataclass(frozen=True)
class Message:
    """One turn: `caption` is what the photo shows that came with it, or empty."""

    place: Place
    speaker: str
    text: str
    caption: str


@dataclass(frozen=True)
class Session:
    """One session, with the time at which it began."""

    number: int
    when: datetime
    messages: tuple[Message, ...]


@dataclass(frozen=True)
class Question:
    """One question; `answer` is None where the file has none, as in nearly all of category 5.

    `index` is its place in the file's list, from 0. `cited` counts its evidence as the file gives
    it, and `span` the sessions named in it, before what is malformed is split or dropped. The
    distractor of category 5 is not read.
    """

    index: int
    category: int
    text: str
    answer: str | None
    evidence: tuple[Place, ...]
    cited: int
    span: int


@dataclass(frozen=True)
class Dialogue:
    """One chat of two speakers, with its questions; `position` is its place in the file, from 0."""

    position: int
    id: str
    speakers: tuple[str, str]
    sessions: tuple[Session, ...]
    questions: tuple[Question, ...]


@dataclass(frozen=True)
class File:
    """All dialogues of a file, its sha256, and how often each irregularity was met."""

    dialogues: tuple[Dialogue, ...]
    sha256: str
    found: Counter[str] = field(default_factory=Counter)

    @property
    def published(self) -> bool:
        """Whether it is the published file, byte for byte."""
        return self.sha256 == SHA256


def read(path: Path) -> File:
    """Return the file at `path`. Raises SuiteError naming the chat, and what is wrong with it."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise SuiteError(f"{path}: cannot be read ({error.strerror}); give the path of your copy of LoCoMo") from error
    try:
        rows = orjson.loads(content)
    except ValueError as error:
        raise SuiteError(f"{path}: is not JSON ({error}); LoCoMo's locomo10.json is wanted") from error
    if not isinstance(rows, list) or not rows:
        raise SuiteError(f"{path}: is no LoCoMo file: a list of chats is wanted, it is {_shape(rows)}")
    found: Counter[str] = Counter()
    dialogues = tuple(_dialogue(f"{path}: chat {n}", n, row, found) for n, row in enumerate(rows))
    ids = Counter(one.id for one in dialogues)
    if max(ids.values()) > 1:
        raise SuiteError(f"{path}: two chats have the sample_id {ids.most_common(1)[0][0]!r}; each needs its own")
    _count_names(dialogues, found)
    return File(dialogues, hashlib.sha256(content).hexdigest(), found)


def _dialogue(where: str, position: int, row: Any, found: Counter[str]) -> Dialogue:
    wanted: dict[str, type] = {"sample_id": str, "conversation": dict, "qa": list}
    for name, kind in wanted.items():
        if not isinstance(row, dict) or not isinstance(row.get(name), kind):
            given = _shape(row.get(name)) if isinstance(row, dict) else _shape(row)
            raise SuiteError(f"{where}: is no chat of LoCoMo: field {name} is {given}, a {kind.__name__} is wanted")
    where = f"{where} ({row['sample_id']})"
    chat = row["conversation"]
    speakers = (_text(where, chat, "speaker_a"), _text(where, chat, "speaker_b"))
    sessions = tuple(_sessions(where, chat, speakers, found))
    if not sessions:
        raise SuiteError(f"{where}: field conversation holds no session_<n> with a turn")
    known = {message.place for session in sessions for message in session.messages}
    questions = tuple(_question(f"{where}: question {n}", n, one, known, found) for n, one in enumerate(row["qa"]))
    texts = Counter((one.text, one.answer, one.category) for one in questions)
    found["questions that repeat another of their chat (kept)"] += sum(texts.values()) - len(texts)
    found["sessions that the second speaker opens"] += sum(s.messages[0].speaker == speakers[1] for s in sessions)
    return Dialogue(position, row["sample_id"], speakers, sessions, questions)


def _sessions(where: str, chat: Mapping[str, Any], speakers: tuple[str, str], found: Counter[str]) -> Iterator[Session]:
    """Yield the sessions that have turns by their number: as text, session_10 would follow session_1."""
    numbers = sorted(int(m[1]) for name in chat if (m := _SESSION.fullmatch(name)) and chat[name])
    dated = {int(m[1]) for name in chat if (m := _DATED.fullmatch(name))}
    found["dates of sessions that do not exist (ignored)"] += len(dated - set(numbers))
    before: Session | None = None
    for number in numbers:
        place = f"{where}: session_{number}"
        messages = tuple(_messages(place, number, chat[f"session_{number}"], speakers, found))
        session = Session(number, _when(place, chat.get(f"session_{number}_date_time")), messages)
        if before is not None and session.when < before.when:
            raise SuiteError(f"{place}: is dated {session.when}, before session_{before.number} ({before.when})")
        yield session
        before = session


def _when(where: str, text: Any) -> datetime:
    try:
        return datetime.strptime(str(text), _DATE)  # noqa: DTZ007 - the file's times are the speakers' own
    except ValueError:
        raise SuiteError(f"{where}: its date is {text!r}; one like '2:05 pm on 3 June, 2024' is wanted") from None


def _messages(where: str, number: int, rows: Any, speakers: tuple[str, str], found: Counter[str]) -> Iterator[Message]:
    if not isinstance(rows, list):
        raise SuiteError(f"{where}: is {_shape(rows)}, a list of turns is wanted")
    seen: set[Place] = set()
    for n, row in enumerate(rows, 1):
        turn = f"{where}: turn {n}"
        if not isinstance(row, dict):
            raise SuiteError(f"{turn}: is {_shape(row)}, an object is wanted")
        given = _TURN_ID.fullmatch(_text(turn, row, "dia_id"))
        place = (int(given[1]), int(given[2])) if given else (0, 0)
        if place[0] != number or place in seen:
            raise SuiteError(f"{turn}: field dia_id is {row['dia_id']!r}; D{number}:<n> is wanted, each once")
        seen.add(place)
        speaker, text = _text(turn, row, "speaker"), _text(turn, row, "text")
        if speaker not in speakers:
            raise SuiteError(f"{turn}: field speaker is {speaker!r}; {' or '.join(speakers)} is wanted")
        caption = row.get("blip_caption") or ""
        found["turns with a caption (shown)"] += bool(caption)
        found["turns with an image query (left out)"] += "query" in row
        yield Message(place, speaker, text.strip(), str(caption).strip())


def _question(where: str, index: int, row: Any, known: set[Place], found: Counter[str]) -> Question:
    if not isinstance(row, dict):
        raise SuiteError(f"{where}: is {_shape(row)}, an object is wanted")
    category = row.get("category")
    if not isinstance(category, int) or isinstance(category, bool) or category not in CATEGORIES:
        raise SuiteError(f"{where}: field category is {category!r}; {', '.join(map(str, CATEGORIES))} are allowed")
    answer = row.get("answer")
    found["answers that are numbers (read as text)"] += isinstance(answer, int)
    found["distractors of category 5 (never read)"] += "adversarial_answer" in row
    if answer is not None and (
        isinstance(answer, bool) or not isinstance(answer, str | int) or not str(answer).strip()
    ):
        raise SuiteError(f"{where}: field answer is {answer!r}; a text or a whole number is wanted")
    if answer is None and category != ABSTAIN:
        raise SuiteError(f"{where}: field answer is missing; only category {ABSTAIN} may have none")
    cited = row.get("evidence")
    if not isinstance(cited, list) or not all(isinstance(one, str) for one in cited):
        raise SuiteError(f"{where}: field evidence is {_shape(cited)}, a list of turn ids is wanted")
    return Question(
        index,
        category,
        _text(where, row, "question").strip(),
        None if answer is None else str(answer).strip(),
        _evidence(cited, known, found),
        cited=len(cited),
        span=len({session for text in cited for session, _ in _named(text)}),
    )


def _evidence(cited: Sequence[str], known: set[Place], found: Counter[str]) -> tuple[Place, ...]:
    """Return the turns that a question cites, each once; what cannot be read or points nowhere is dropped."""
    found["evidence strings"] += len(cited)
    found["questions that cite nothing"] += not cited
    places: list[Place] = []
    for text in cited:
        named = _named(text)
        well_formed = _TURN_ID.fullmatch(text) is not None and text == f"D{named[0][0]}:{named[0][1]}"
        if not well_formed:
            found["malformed evidence strings"] += 1
            found["malformed evidence strings (repaired)" if named else "malformed evidence strings (dropped)"] += 1
        found["evidence that points nowhere (dropped)"] += sum(place not in known for place in named)
        places += [place for place in named if place in known]
    found["evidence that stands twice (kept once)"] += len(places) - len(set(places))
    return tuple(dict.fromkeys(places))


def _named(text: str) -> list[Place]:
    return [(int(session), int(turn)) for session, turn in _REPAIR.findall(text)]


def places(texts: Sequence[str]) -> tuple[Place, ...]:
    """Return the turns that well-formed ids name. Raises ValueError for another text."""
    found = [_TURN_ID.fullmatch(text) for text in texts]
    if None in found:
        raise ValueError(f"{texts[found.index(None)]!r} is no turn id")
    return tuple((int(one[1]), int(one[2])) for one in found if one)


def _count_names(dialogues: Sequence[Dialogue], found: Counter[str]) -> None:
    names = Counter(name for one in dialogues for name in set(one.speakers))
    found["chats that share a speaker's name with another"] = sum(
        any(names[name] > 1 for name in one.speakers) for one in dialogues
    )


def _text(where: str, row: Mapping[str, Any], name: str) -> str:
    text = row.get(name)
    if not isinstance(text, str) or not text.strip():
        raise SuiteError(f"{where}: field {name} is {_shape(text)}, a text is wanted")
    return text


def _shape(value: Any) -> str:
    """Say what a value is, without repeating what may be long."""
    if value is None:
        return "missing"
    return "empty" if value in ("", [], {}) else f"a {type(value).__name__}"
