"""Build a memory: hand a person's turns to a design on its schedule, resumable batch by batch."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson

from pytest_membench import tokens
from pytest_membench.data import Batch, Person, Snippet, Turn
from pytest_membench.design import LLM, Design
from pytest_membench.errors import DesignError
from pytest_membench.schedule import Schedule


@dataclass(frozen=True)
class Memory:
    """What a design remembers after `written` turns; `pending` turns still wait for a write."""

    state: Any
    written: int
    batches: int
    pending: tuple[Turn, ...]

    def tokens(self) -> int:
        """Return the size of the state in o200k_base tokens of its JSON (of itself where it is text)."""
        text = self.state if isinstance(self.state, str) else orjson.dumps(self.state).decode()
        return 0 if self.state in (None, "", [], {}) else tokens.count(text)


def batches(turns: Sequence[Turn], schedule: Schedule) -> Iterator[tuple[Turn, ...]]:
    """Yield the batches that `schedule` makes of `turns`; what is pending at the end comes last.

    The last, shorter batch is left out where the schedule does not flush.
    """
    pending: list[Turn] = []
    last: datetime | None = None
    for turn in turns:
        pending.append(turn)
        count = schedule.due(pending, last)
        if count:
            batch, pending = tuple(pending[:count]), pending[count:]
            last = batch[-1].when
            yield batch
    if pending and schedule.flush:
        yield tuple(pending)


def build(
    design: Design[Any],
    person: Person,
    llm: LLM,
    *,
    done: Memory | None = None,
    checkpoint: Callable[[Memory], None] = lambda _: None,
) -> Memory:
    """Return the memory of all of the person's turns.

    `done` is an earlier checkpoint to go on from; `checkpoint` is called with the memory after
    each batch. Raises DesignError where the state does not round-trip through JSON, CallFailed
    where a model call fails: the batch is then not counted as written.
    """
    state = done.state if done else plain(design, design.start())
    written, count = (done.written, done.batches) if done else (0, 0)
    position = 0
    for turns in batches(person.turns, design.schedule):
        position += len(turns)
        if position <= written:
            continue
        state = plain(design, design.ingest(state, Batch(person.id, turns), llm))
        written, count = position, count + 1
        checkpoint(Memory(state, written, count, ()))
    return Memory(state, written, count, person.turns[written:])


def recall(design: Design[Any], memory: Memory, question: str, llm: LLM) -> list[Snippet]:
    """Return the design's snippets for `question`, holding it to reading alone.

    Raises DesignError where recall changed the state or returned something other than snippets.
    """
    before = digest(memory.state)
    snippets = design.recall(memory.state, question, llm)
    if digest(memory.state) != before:
        raise DesignError(f"{type(design).__name__}.recall() changed the state; recall reads, ingest writes")
    if not isinstance(snippets, list) or not all(isinstance(s, Snippet) for s in snippets):
        raise DesignError(f"{type(design).__name__}.recall() returned {snippets!r:.80}; a list of Snippet is wanted")
    return snippets


def plain(design: Design[Any], state: Any) -> Any:
    """Return the state as JSON gives it back. Raises DesignError where that is another state."""
    name = type(design).__name__
    try:
        again = orjson.loads(orjson.dumps(state))
    except TypeError as error:
        raise DesignError(f"{name}: its state is not plain data ({error}); use dict, list, str, numbers") from error
    if again != state:
        raise DesignError(f"{name}: its state changes through JSON (tuples become lists); use plain data")
    return again


def digest(state: Any) -> str:
    """Return a sha256 of the state's JSON."""
    return hashlib.sha256(orjson.dumps(state, option=orjson.OPT_SORT_KEYS)).hexdigest()
