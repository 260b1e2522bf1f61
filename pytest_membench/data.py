"""The nouns: turns, chats, probes, people, suites, snippets, tools, usage and settings."""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date, datetime, timedelta
from typing import Any, Literal, NamedTuple, TypeVar, get_args

PersonKind = Literal["recall", "update", "temporal", "aggregate", "open_loop", "ask", "pref_apply", "abstain"]
PERSON_KINDS: tuple[PersonKind, ...] = get_args(PersonKind)
"""The kinds of the suites that are written here, and of a folder of the user's."""
Kind = Literal[
    "recall",
    "update",
    "multi_hop",
    "temporal",
    "open_domain",
    "single_hop",
    "aggregate",
    "open_loop",
    "single_session_user",
    "single_session_assistant",
    "single_session_preference",
    "multi_session",
    "temporal_reasoning",
    "knowledge_update",
    "ask",
    "pref_apply",
    "abstain",
]
KINDS: tuple[Kind, ...] = get_args(Kind)
"""All kinds, those of LoCoMo and LongMemEval too, in the order in which reports show them."""
RUBRIC_KINDS: tuple[Kind, ...] = ("ask", "pref_apply", "single_session_preference")
"""Kinds whose gold is a rubric: the reply is graded against it, not compared with it."""

Stage = Literal["ingest", "retrieval", "answer", "judge", "generate"]
STAGES: tuple[Stage, ...] = ("ingest", "retrieval", "answer", "judge")
"""The stages of a probe, in the order in which reports show them."""
SERVING: tuple[Stage, ...] = tuple(stage for stage in STAGES if stage != "judge")
"""The stages that a design's cost is made of: the judge is no cost of the design."""
REFERENCE = "full_context"
"""The whole transcript: the design that every other has to undercut."""

Flag = Literal["gold", "citation"]
"""What an audit says is wrong with a probe that is asked all the same."""

Label = Literal["correct", "partial", "wrong"]
CREDIT: Mapping[Label, float] = {"correct": 1.0, "partial": 0.5, "wrong": 0.0}

Record = Literal["none", "new", "all", "plan"]
"""Strict replay; replay and record what is missing; record everything anew; replay and store nothing."""

DAY_ONE = date(2026, 8, 3)
"""The date of day 1 of every chat."""


def moment(day: int, time: str) -> datetime:
    """Return day `day` (1 = 3 August 2026; may be below 1) at `time` ("HH:MM") as a datetime."""
    hour, minute = time.split(":")
    midnight = datetime.combine(DAY_ONE + timedelta(days=day - 1), datetime.min.time())
    return midnight.replace(hour=int(hour), minute=int(minute))


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a chat.

    `who` is "u" for the person, "a" for the assistant, or a speaker's name; `name` is what
    `str(turn)` shows for it. Turns of cost dialogues are not `dated`: a date would add as many
    tokens to each as a short turn has itself.
    """

    i: int
    day: int
    time: str
    who: str
    text: str
    name: str = ""
    dated: bool = True

    @property
    def when(self) -> datetime:
        """Date and time of the turn."""
        return moment(self.day, self.time)

    @property
    def from_person(self) -> bool:
        """Whether somebody other than the assistant wrote it."""
        return self.who != "a"

    def __str__(self) -> str:
        """Return the dated line that prompts show: `[2026-08-03 09:14] Maya: ...`."""
        name = self.name or {"u": "User", "a": "Assistant"}.get(self.who, self.who)
        return f"[{self.when:%Y-%m-%d %H:%M}] {name}: {self.text}" if self.dated else f"{name}: {self.text}"


@dataclass(frozen=True, slots=True)
class Batch:
    """The turns that one write hands to a design, oldest first; never empty."""

    person: str
    turns: tuple[Turn, ...]

    @property
    def day(self) -> int:
        """Day of the newest turn."""
        return self.turns[-1].day

    @property
    def now(self) -> datetime:
        """Date and time of the newest turn."""
        return self.turns[-1].when

    def __iter__(self) -> Iterator[Turn]:
        return iter(self.turns)

    def __len__(self) -> int:
        return len(self.turns)

    def __str__(self) -> str:
        """Return the turns as dated lines."""
        return "\n".join(map(str, self.turns))


@dataclass(frozen=True, slots=True)
class Probe:
    """One question about a chat. For the rubric kinds, `gold` is the rubric.

    `key` holds the words without which no answer is right, where the suite names them. `flag` says
    what an audit doubts about it: its gold, or the evidence it cites.
    """

    id: str
    kind: Kind
    q: str
    gold: str
    evidence: tuple[int, ...] = ()
    key: tuple[str, ...] = ()
    flag: Flag | None = None


@dataclass(frozen=True)
class Person:
    """One chat with its probes. `excluded` holds the audit's reasons by probe id.

    A chat of two `speakers` is asked about by a third person; without them the person asks
    their own assistant.
    """

    id: str
    name: str
    turns: tuple[Turn, ...]
    probes: tuple[Probe, ...]
    asked: datetime
    excluded: Mapping[str, str] = field(default_factory=dict)
    digest: str = ""
    speakers: tuple[str, ...] = ()


@dataclass(frozen=True)
class Suite:
    """A named set of people. `notes` say what a reader of its scores has to know."""

    name: str
    people: tuple[Person, ...]
    notes: tuple[str, ...] = ()

    def person(self, person_id: str) -> Person:
        """Return the person with this id; KeyError, with the ids there are, where there is none."""
        for person in self.people:
            if person.id == person_id:
                return person
        raise KeyError(f"no person {person_id!r} in suite {self.name!r}: {[p.id for p in self.people]}")


class Cell(NamedTuple):
    """A cell of the cost grid: conversations of N `turns` of about L = `length` tokens each."""

    turns: int
    length: int

    def __str__(self) -> str:
        return f"{self.turns}x{self.length}"


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of memory that is put before the model, with the turns it came from where known."""

    text: str
    turns: tuple[int, ...] = ()


@dataclass(frozen=True)
class Tool:
    """Something the answering model may call.

    `parameters` is a JSON schema of the arguments; `run` takes the arguments and returns text.
    A tool without `run` is one that the harness supplies (`search_chat`).
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    run: Callable[[Mapping[str, Any]], str] | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call, or of many together. None is unknown, which is not 0.

    `cached` and `cache_write` are parts of `input`; `reasoning` is part of `output`.
    """

    input: int | None = None
    cached: int | None = None
    cache_write: int | None = None
    output: int | None = None
    reasoning: int | None = None

    @classmethod
    def total(cls, usages: Sequence["Usage"]) -> "Usage":
        """Return the sum, field by field; a field that is unknown once is unknown in the sum."""
        return cls(**{name: known_sum([getattr(u, name) for u in usages]) for name in cls.__slots__})

    def as_dict(self) -> dict[str, int | None]:
        """Return the fields by name."""
        return asdict(self)


_Number = TypeVar("_Number", int, float)


def known_sum(values: Sequence[_Number | None]) -> _Number | int | None:
    """Return the sum, 0 of nothing, or None where one value is unknown: unknown is never 0."""
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered to one chat call."""

    text: str
    usage: Usage
    provider: str | None = None
    finish_reason: str | None = None


@dataclass(frozen=True, slots=True)
class Setting:
    """A model, with its reasoning effort and the provider it is pinned to, where given."""

    model: str
    effort: str | None = None
    provider: str | None = None

    @property
    def key(self) -> str:
        """The setting's name: `model[/effort][@provider]`."""
        effort = f"/{self.effort}" if self.effort else ""
        return f"{self.model}{effort}" + (f"@{self.provider}" if self.provider else "")


_SAFE = re.compile(r"[A-Za-z0-9_@=(),+-][A-Za-z0-9._@=(),+-]{0,79}")

_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?|.*\.")
"""Names that Windows gives to devices, and those that it cuts."""


def slug(name: str) -> str:
    """Return a file name for `name`: itself where that is safe, else a readable form and a hash.

    Two names that differ in any character never share a slug, and no slug leaves its folder.
    """
    if _SAFE.fullmatch(name) and not _RESERVED.fullmatch(name):
        return name
    readable = re.sub(r"[^A-Za-z0-9._@=(),+-]+", "_", name).lstrip(".")[:60]
    return f"{readable}~{hashlib.sha256(name.encode()).hexdigest()[:8]}"
