"""Replies of served conversations: kept while a conversation is served, and given again in a dry run.

| stage             | kept of each chat call                                                  |
|-------------------|-------------------------------------------------------------------------|
| ingest, retrieval | prompt tokens (counted here, and as the endpoint billed them), the text |
| answer            | the two token counts; the text is thrown away, as serving does          |
"""

import hashlib
import math
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import orjson

from pytest_membench import tokens
from pytest_membench.data import Reply, Stage, Usage
from pytest_membench.design import LLM
from pytest_membench.errors import CallFailed, StoreError
from pytest_membench.store import read_lines, write_bytes

_DIMENSIONS = 256


class Kept(NamedTuple):
    """One reply. `counted` is the prompt in o200k_base tokens, `billed` what the endpoint said (None: unknown).

    `task` tells the kinds of calls of one stage apart: a digest of the first message, where that is
    the system's.
    """

    stage: str
    task: str
    counted: int
    billed: int | None
    output: int | None
    text: str | None


class Keeper:
    """Passes calls of one stage on to `llm` and appends its replies to `kept`."""

    def __init__(self, llm: LLM, stage: Stage, kept: list[Kept]) -> None:
        self._llm, self._stage, self._kept = llm, stage, kept

    def chat(self, messages: Sequence[Mapping[str, str]], *, response_format: Mapping[str, Any] | None = None) -> Reply:
        """Send a chat and keep its reply. Raises CallFailed."""
        reply = self._llm.chat(messages, response_format=response_format)
        text = None if self._stage == "answer" else reply.text
        size, usage = _size(messages), reply.usage
        self._kept.append(Kept(self._stage, _task(messages), size, usage.input, usage.output, text))
        return reply

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the vectors; they are not kept. Raises CallFailed."""
        return self._llm.embed(texts)


class Replies:
    """Kept replies by stage and task, to be found by the length of a prompt; the order given breaks ties."""

    def __init__(self, kept: Iterable[Kept]) -> None:
        self._kept = list(kept)

    @cached_property
    def _sorted(self) -> dict[tuple[str, str | None], list[Kept]]:
        groups: dict[tuple[str, str | None], list[Kept]] = defaultdict(list)
        for one in self._kept:
            if one.text is not None:
                groups[one.stage, one.task].append(one)
                groups[one.stage, None].append(one)
        return {key: sorted(group, key=lambda one: one.counted) for key, group in groups.items()}

    def nearest(self, stage: str, task: str, counted: int) -> Kept:
        """Return the reply of the same task, or else of the same stage, whose prompt is nearest in length.

        Of two as near, the one that was kept first. Raises CallFailed where the stage has no reply.
        """
        group = self._sorted.get((stage, task)) or self._sorted.get((stage, None))
        if not group:
            raise CallFailed(f"no {stage} reply was recorded: measure a cell in which the design makes such a call")
        at = bisect_left(group, counted, key=lambda one: one.counted)
        low = group[at - 1].counted if at else None
        # Sorting is stable: the first of an equal length is the first that was kept.
        below = [group[bisect_left(group, low, key=lambda one: one.counted)]] if low is not None else []
        both = below + group[at : at + 1]
        least = min(abs(one.counted - counted) for one in both)
        return min((one for one in both if abs(one.counted - counted) == least), key=self._order)

    @cached_property
    def _positions(self) -> dict[int, int]:
        return {id(one): position for position, one in enumerate(self._kept)}

    def _order(self, one: Kept) -> int:
        return self._positions[id(one)]

    @cached_property
    def ratios(self) -> dict[str, float]:
        """Billed per counted prompt token, by stage: the median over calls in which both are known."""
        ratios: dict[str, list[float]] = defaultdict(list)
        for one in self._kept:
            if one.billed is not None and one.counted:
                ratios[one.stage].append(one.billed / one.counted)
        return {stage: median(values) for stage, values in ratios.items()}


class DryLLM:
    """A backbone without a model: it answers with kept replies, and tallies prompt tokens by stage."""

    def __init__(self, stage: Stage, replies: Replies, tally: Counter[str]) -> None:
        self._stage, self._replies, self._tally = stage, replies, tally

    def chat(self, messages: Sequence[Mapping[str, str]], *, response_format: Mapping[str, Any] | None = None) -> Reply:
        """Return the kept reply nearest in prompt length. Raises CallFailed where the stage has none."""
        size = _size(messages)
        self._tally[self._stage] += size
        if self._stage == "answer":
            return Reply("An answer, thrown away.", Usage(input=size), finish_reason="stop")
        kept = self._replies.nearest(self._stage, _task(messages), size)
        return Reply(kept.text or "", Usage(input=size, output=kept.output), finish_reason="stop")

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return unit vectors of hashed words: texts that share words are near, as with a real model."""
        return [_vector(text) for text in texts]


def write(path: Path, kept: Sequence[Kept]) -> None:
    """Write the replies of one conversation, a line of JSON each, whole or not at all."""
    write_bytes(path, b"".join(orjson.dumps(one._asdict(), option=orjson.OPT_APPEND_NEWLINE) for one in kept))


def read(path: Path) -> list[Kept]:
    """Return the replies of one conversation; none where it was served before replies were kept."""
    try:
        return [Kept(**line) for line in read_lines(path)]
    except TypeError as error:
        raise StoreError(f"{path}: a line is no kept reply ({error}); serve the conversation again") from error


def _size(messages: Sequence[Mapping[str, str]]) -> int:
    return tokens.count_messages([message["content"] for message in messages])


def _task(messages: Sequence[Mapping[str, str]]) -> str:
    first = messages[0] if messages else {}
    return hashlib.sha256(first["content"].encode()).hexdigest()[:12] if first.get("role") == "system" else ""


def _vector(text: str) -> list[float]:
    vector = [0.0] * _DIMENSIONS
    for word in text.lower().split() or [""]:
        vector[int.from_bytes(hashlib.sha256(word.encode()).digest()[:4]) % _DIMENSIONS] += 1.0
    norm = math.hypot(*vector)
    return [value / norm for value in vector]
