"""Dialogues for cost runs: N turns of about L tokens each, made up here or by a model, and kept on disk.

| where from                    | a shorter N is the beginning of a longer one                              |
|-------------------------------|---------------------------------------------------------------------------|
| built-in (`built_in`)         | always: the chance in it depends on L and the seed alone                  |
| a model (`from_model`)        | as far as the model replies the same to the same request: N is in none    |
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any, Literal, Protocol

import orjson
from pydantic import BaseModel, ConfigDict, ValidationError

from pytest_membench import tokens
from pytest_membench.data import Reply, Turn, slug
from pytest_membench.errors import CallFailed, StoreError, SuiteError
from pytest_membench.store import locked, read_json, write_json
from pytest_membench.suites import dialogue_phrases as phrases
from pytest_membench.suites.dialogue_talk import Bounds, Dice, Talk, Text, Who, lengthen, name_of, times

VERSION = 1
"""Counts up whenever the same (N, L, seed) would give other turns; part of every key."""
BUILT_IN = "built-in"
SHORTEST, LONGEST = 25, 400
CHUNK = 20
_CONTEXT = 10
_AGAIN = 3
_SENTENCE_END = re.compile(r"[.!?][\"')\]]*(?= )")

_SYSTEM = """\
You write one long, realistic chat between a person and an assistant, a few exchanges a day over many weeks. Every \
turn carries concrete facts: names, dates, numbers, preferences, plans. Now and then a fact changes. No two turns are \
the same. Reply with JSON: {"turns": ["...", "..."]}, the text of each turn alone, without the speaker's name."""

_TASK = """\
# Conversation {seed}
{name} is {job} in {town}. Among other things it is about {topics}.

# Last turns so far
{last}

# Task
Write the next {chunk} turns, exactly {chunk}. They alternate; {name} begins and the assistant ends. \
Each turn has about {length} tokens, which is about {words} words."""


class Writer(Protocol):
    """A model that writes dialogues."""

    def chat(self, messages: Sequence[Mapping[str, str]], *, response_format: Mapping[str, Any] | None = None) -> Reply:
        """Send `messages` ({"role", "content"} each); return the reply. Raises CallFailed."""


class _Turn(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    i: int
    day: int
    time: str
    who: Literal["u", "a"]
    text: str
    name: str


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    version: int
    model: str
    n: int
    length: int
    seed: int
    turns: list[_Turn]


class _Chunk(BaseModel):
    turns: list[str]


def dialogue(
    n: int, length: int, seed: int, cache: Path | None, llm: Writer | None = None, model: str = ""
) -> tuple[Turn, ...]:
    """Return the dialogue of `n` turns of `length` tokens, from the folder `cache` where it is kept already.

    Without `model` it is built in; with one, `llm` writes it unless it is cached. Processes that
    share a folder wait for each other, so that all get the same turns. Raises SuiteError where `n`
    or `length` is out of range or there is nobody to write it, StoreError that names a damaged
    cache file (a dialogue that was paid for is never replaced unasked), CallFailed from the model.
    """
    _require_range(n, length)
    _require_model(llm, model)
    if cache is None:
        return _make(n, length, seed, llm, model)
    path = cache_path(cache, n, length, seed, model)
    if not path.exists():
        with locked(path):
            if not path.exists():
                turns = _make(n, length, seed, llm, model)
                write_json(path, {**_key(n, length, seed, model), "turns": [_row(turn) for turn in turns]})
    return _read(path, _key(n, length, seed, model))


def cache_path(cache: Path, n: int, length: int, seed: int, model: str = "") -> Path:
    """Return the file of a dialogue: `<cache>/<model or built-in>/v1-N400-L50-s2.json`."""
    return cache / slug(model or BUILT_IN) / f"v{VERSION}-N{n}-L{length}-s{seed}.json"


def built_in(n: int, length: int, seed: int) -> tuple[Turn, ...]:
    """Return a dialogue that is made up without a model: the same on every machine and Python.

    Each turn has 0.85 to 1.15 of `length` o200k_base tokens; no two are identical. Raises
    SuiteError where `n` is below 1 or `length` outside 25 to 400.
    """
    _require_range(n, length)
    return _dated(_talked(Talk(length, seed), seed), n, seed)


def from_model(n: int, length: int, seed: int, llm: Writer) -> tuple[Turn, ...]:
    """Return a dialogue that `llm` writes, 20 turns a call, each turn trimmed or padded to 0.85 to 1.15 of `length`.

    A last chunk is asked for whole and cut, so that N never changes a request. A reply that cannot
    be used is asked for again, three times. Raises CallFailed that says what came instead, and
    SuiteError as `built_in` does.
    """
    _require_range(n, length)
    bounds, spare, texts = Bounds.of(length), Talk(length, seed), list[str]()
    clock = times(seed)
    while len(texts) < n:
        for text in _chunk(_prompt(length, seed, texts), len(texts), llm):
            who = _who(len(texts))
            texts.append(fit(text, bounds, spare.further(who, next(clock)[0]), phrases.FILLERS[who]))
    return _dated(texts, n, seed)


def fit(text: str, bounds: Bounds, sentences: Iterable[str], fillers: Sequence[str]) -> str:
    """Return `text` on one line, within the bounds: trimmed at a sentence or a word, or padded with sentences.

    Fillers come last, where no sentence fits.
    """
    line = " ".join(text.split())
    return pad(trim(line, bounds), bounds, sentences, fillers)


def trim(line: str, bounds: Bounds) -> str:
    """Return a line cut to the upper bound: after a sentence where one ends within the bounds, else after a word.

    A first word that is too long by itself is cut within.
    """
    if tokens.count(line) <= bounds.high:
        return line
    for end in reversed([found.end() for found in _SENTENCE_END.finditer(line)]):
        if bounds.low <= tokens.count(line[:end]) <= bounds.high:
            return line[:end]
    words = line.split(" ")
    sizes = accumulate(tokens.count(f" {word}" if i else word) for i, word in enumerate(words))
    fitting = sum(size < bounds.high for size in sizes)
    if fitting:
        return _closed(" ".join(words[:fitting]))
    while tokens.count(line) >= bounds.high:
        line = line[: min(len(line) - 1, len(line) * bounds.high // tokens.count(line))]
    return _closed(line)


def pad(line: str, bounds: Bounds, sentences: Iterable[str], fillers: Sequence[str]) -> str:
    """Return a line brought to the lower bound by those of the sentences that fit, and by fillers at the end."""
    if tokens.count(line) >= bounds.low:
        return line
    closed = _closed(line)
    text = Text(bounds, bounds.low, [closed], tokens.count(closed))
    lengthen(text, sentences, fillers)
    return str(text)


def _closed(line: str) -> str:
    """Return the line with a full stop where it ends in the middle of a sentence."""
    ended = line.rstrip(",;:-")
    return f"{ended}." if ended and ended[-1].isalnum() else line


def _require_range(n: int, length: int) -> None:
    if n < 1:
        raise SuiteError(f"dialogue of N={n} turns: N must be 1 or more")
    if not SHORTEST <= length <= LONGEST:
        raise SuiteError(f"dialogue of L={length} tokens per turn: L must be {SHORTEST} to {LONGEST}")


def _require_model(llm: Writer | None, model: str) -> None:
    if model == BUILT_IN or (llm is not None and not model):
        raise SuiteError(f"dialogue from a model named {model!r}: name the model that writes it; {BUILT_IN!r} is taken")


def _make(n: int, length: int, seed: int, llm: Writer | None, model: str) -> tuple[Turn, ...]:
    if not model:
        return built_in(n, length, seed)
    if llm is None:
        raise SuiteError(f"no dialogue of N={n}, L={length}, seed {seed} by {model!r} is cached, and no model is given")
    return from_model(n, length, seed, llm)


def _key(n: int, length: int, seed: int, model: str) -> dict[str, Any]:
    return {"version": VERSION, "model": model or BUILT_IN, "n": n, "length": length, "seed": seed}


def _row(turn: Turn) -> dict[str, Any]:
    return {name: getattr(turn, name) for name in _Turn.model_fields}


def _read(path: Path, key: Mapping[str, Any]) -> tuple[Turn, ...]:
    """Return the turns in a cache file, which must hold what its name says."""
    try:
        file = _File.model_validate(read_json(path))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the whole"
        raise StoreError(f"{path}: {where}: {first['msg']}; delete the file to have the dialogue made anew") from error
    if file.model_dump(exclude={"turns"}) != key or [turn.i for turn in file.turns] != list(range(file.n)):
        raise StoreError(f"{path}: holds another dialogue than {dict(key)}; delete the file to have it made anew")
    return tuple(Turn(**turn.model_dump()) for turn in file.turns)


def _talked(talk: Talk, seed: int) -> Iterator[str]:
    """Yield the texts of a built-in dialogue, without end."""
    clock = times(seed)
    while True:
        (day, _), _reply = next(clock), next(clock)
        yield from talk.exchange(day)


def _dated(texts: Iterable[str], n: int, seed: int) -> tuple[Turn, ...]:
    """Return the first `n` texts as turns."""
    names = {"u": name_of(seed), "a": "Assistant"}
    rows = zip(range(n), times(seed), texts, strict=False)
    return tuple(Turn(i, day, time, _who(i), text, names[_who(i)]) for i, (day, time), text in rows)


def _who(i: int) -> Who:
    return "a" if i % 2 else "u"


def _prompt(length: int, seed: int, texts: Sequence[str]) -> list[dict[str, str]]:
    dice, name = Dice(f"prompt {seed}"), name_of(seed)
    names = {"u": name, "a": "Assistant"}
    shown = range(max(0, len(texts) - _CONTEXT), len(texts))
    topics = [topic.it for topic in dice.shuffled(phrases.TOPICS) if "<" not in topic.it][:4]
    task = _TASK.format(
        seed=seed,
        name=name,
        job=dice.pick(phrases.JOBS),
        town=dice.pick(phrases.TOWNS),
        topics=", ".join(topics),
        last="\n".join(f"{names[_who(i)]}: {texts[i]}" for i in shown) or "(none: the chat begins here)",
        chunk=CHUNK,
        length=length,
        words=3 * length // 4,
    )
    return [{"role": "system", "content": _SYSTEM}, {"role": "user", "content": task}]


def _chunk(prompt: list[dict[str, str]], first: int, llm: Writer) -> list[str]:
    """Return the next 20 texts. Raises CallFailed once the model was asked four times in vain."""
    messages, problem = prompt, ""
    for _ in range(1 + _AGAIN):
        reply = llm.chat(messages, response_format={"type": "json_object"})
        texts, problem = _parsed(reply)
        if not problem:
            return texts
        task = f"{prompt[-1]['content']}\n\nYour last reply could not be used: {problem}. Follow the format exactly."
        messages = [prompt[0], {"role": "user", "content": task}]
    raise CallFailed(
        f"turns {first} to {first + CHUNK - 1} of a dialogue: asked {1 + _AGAIN} times, the last reply cannot be used: "
        f"{problem}; it began {reply.text[:80]!r}. Take another model, or the built-in dialogues"
    )


def _parsed(reply: Reply) -> tuple[list[str], str]:
    """Return the texts in a reply, or what is wrong with it."""
    if reply.finish_reason == "length":
        return [], "it was cut off (finish_reason length)"
    try:
        texts = _Chunk.model_validate(orjson.loads(reply.text), strict=True).turns
    except orjson.JSONDecodeError:
        return [], "it is not JSON"
    except ValidationError:
        return [], 'it is not of the form {"turns": ["...", "..."]}'
    if len(texts) != CHUNK:
        return [], f"it holds {len(texts)} turns, {CHUNK} were wanted"
    empty = [i for i, text in enumerate(texts, 1) if not text.strip()]
    return texts, f"turn {empty[0]} of its turns is empty" if empty else ""
