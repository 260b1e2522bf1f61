"""Replies of served conversations: kept while a conversation is served, and found again by what was asked.

| stage             | kept of each chat call                                                  |
|-------------------|-------------------------------------------------------------------------|
| ingest, retrieval | prompt tokens (counted here, and as the endpoint billed them), tokens   |
|                   | of the turns that it was about, the text                                |
| answer            | the token counts; the text is thrown away, as serving does              |
"""

import hashlib
import math
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from statistics import StatisticsError, linear_regression, median
from typing import Any, NamedTuple

import orjson

from pytest_membench import tokens
from pytest_membench.data import Reply, Stage, Turn
from pytest_membench.design import LLM
from pytest_membench.errors import CallFailed, StoreError
from pytest_membench.store import read_lines, write_bytes


class Kept(NamedTuple):
    """One reply. `counted` is the prompt in o200k_base tokens, `billed` what the endpoint said (None: unknown).

    `new` are the tokens of the turns that the call was about: the batch of a write, else the message
    (None in folders of earlier versions). `task` tells the kinds of calls of one stage apart: a digest of the first message, where that is
    the system's.
    """

    stage: str
    task: str
    counted: int
    billed: int | None
    output: int | None
    text: str | None
    new: int | None = None


class Keeper:
    """Passes calls of one stage on to `llm` and appends its replies to `kept`."""

    def __init__(self, llm: LLM, stage: Stage, new: Sequence[Turn], kept: list[Kept]) -> None:
        self._llm, self._stage, self._new, self._kept = llm, stage, text_size(new), kept

    def chat(self, messages: Sequence[Mapping[str, str]], *, response_format: Mapping[str, Any] | None = None) -> Reply:
        """Send a chat and keep its reply. Raises CallFailed."""
        reply = self._llm.chat(messages, response_format=response_format)
        text = None if self._stage == "answer" else reply.text
        size, usage = prompt_size(messages), reply.usage
        self._kept.append(Kept(self._stage, prompt_task(messages), size, usage.input, usage.output, text, self._new))
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
        group = self._group(stage, task)
        at = bisect_left(group, counted, key=lambda one: one.counted)
        low = group[at - 1].counted if at else None
        # Sorting is stable: the first of an equal length is the first that was kept.
        below = [group[bisect_left(group, low, key=lambda one: one.counted)]] if low is not None else []
        both = below + group[at : at + 1]
        least = min(abs(one.counted - counted) for one in both)
        return min((one for one in both if abs(one.counted - counted) == least), key=self._order)

    def span(self, stage: str, task: str) -> tuple[int, int]:
        """Return the shortest and the longest prompt among the replies that `nearest` chooses from; raises as it does."""
        group = self._group(stage, task)
        return group[0].counted, group[-1].counted

    def growth(self, stage: str, task: str) -> float:
        """Return how replies grow with what they are about: the exponent b of length ~ new^b, from 0 to 1.

        Ordinary least squares of log(characters) on log(new) over the task's replies; 0 where all are
        about as many tokens: nothing is then known. Raises as `nearest` does.
        """
        key = stage, task
        if key not in self._growth:
            known = [(one.new, len(one.text)) for one in self._group(stage, task) if one.new and one.text]
            self._growth[key] = _exponent(known)
        return self._growth[key]

    @cached_property
    def _growth(self) -> dict[tuple[str, str], float]:
        return {}

    def _group(self, stage: str, task: str) -> list[Kept]:
        group = self._sorted.get((stage, task)) or self._sorted.get((stage, None))
        if not group:
            raise CallFailed(f"no {stage} reply was recorded: measure a cell in which the design makes such a call")
        return group

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


def _exponent(points: Sequence[tuple[int, int]]) -> float:
    try:
        slope = linear_regression([math.log(x) for x, _ in points], [math.log(y) for _, y in points]).slope
    except StatisticsError:
        return 0.0
    return min(1.0, max(0.0, slope))


def write(path: Path, kept: Sequence[Kept]) -> None:
    """Write the replies of one conversation, a line of JSON each, whole or not at all."""
    write_bytes(path, b"".join(orjson.dumps(one._asdict(), option=orjson.OPT_APPEND_NEWLINE) for one in kept))


def read(path: Path) -> list[Kept]:
    """Return the replies of one conversation; none where it was served before replies were kept."""
    try:
        return [Kept(**line) for line in read_lines(path)]
    except TypeError as error:
        raise StoreError(f"{path}: a line is no kept reply ({error}); serve the conversation again") from error


def text_size(turns: Sequence[Turn]) -> int:
    """Return the o200k_base tokens of the texts of some turns."""
    return sum(tokens.count(turn.text) for turn in turns)


def prompt_size(messages: Sequence[Mapping[str, str]]) -> int:
    """Return the o200k_base tokens of a prompt."""
    return tokens.count_messages([message["content"] for message in messages])


def prompt_task(messages: Sequence[Mapping[str, str]]) -> str:
    """Return what tells the kinds of calls of a stage apart: see `Kept`."""
    first = messages[0] if messages else {}
    return hashlib.sha256(first["content"].encode()).hexdigest()[:12] if first.get("role") == "system" else ""
