"""One request in, one reply out: a pure stand-in for a chat model and for an embedding model."""

import base64
import hashlib
import math
import re
import struct
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import orjson

from pytest_membench import tokens
from pytest_membench.llm.sim import grader, reader, writer
from pytest_membench.llm.sim.prompt import contents, question
from pytest_membench.llm.sim.words import stems

DIMENSIONS = 64
"""Length of an embedding."""


class BadRequest(ValueError):
    """The body of a request is not one that this model can answer; the message says why."""


def complete(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the chat completion for a request's body; the same body gives the same reply.

    Raises BadRequest for a body without messages, for streaming, and for several choices.
    """
    texts = _check(body)
    text = _reply(body, texts)
    limit = body.get("max_completion_tokens") or body.get("max_tokens")
    cut = cut_off(text, limit) if isinstance(limit, int) else text
    return {
        "id": f"chatcmpl-{_digest(body)}",
        "object": "chat.completion",
        "created": 0,
        "model": body.get("model", "sim"),
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": cut},
                "finish_reason": "stop" if cut == text else "length",
            }
        ],
        "usage": _usage(tokens.count_messages(texts), tokens.count(cut)),
    }


def _check(body: Mapping[str, Any]) -> list[str]:
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages or not all(isinstance(m, dict) for m in messages):
        raise BadRequest("'messages' must be a non-empty list of {role, content} objects")
    if body.get("stream"):
        raise BadRequest("'stream' is not supported by sim: send stream=false")
    if body.get("n", 1) not in (1, None):
        raise BadRequest(f"'n' is {body['n']!r}; sim gives one choice: send n=1")
    return contents(messages)


def _reply(body: Mapping[str, Any], texts: list[str]) -> str:
    messages = body["messages"]
    task = grader.task(texts)
    if task is not None:
        return grader.grade(task)
    asked = question(messages, texts)
    if asked is not None:
        return reader.reply(asked, json_wanted=_wants_json(body))
    return writer.write(messages, texts, json_wanted=_wants_json(body))


def _wants_json(body: Mapping[str, Any]) -> bool:
    wanted = body.get("response_format")
    return isinstance(wanted, dict) and wanted.get("type") in ("json_object", "json_schema")


def _digest(body: Mapping[str, Any]) -> str:
    return hashlib.sha256(orjson.dumps(body, option=orjson.OPT_SORT_KEYS)).hexdigest()[:24]


def _usage(prompt: int, completion: int) -> dict[str, Any]:
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_tokens_details": {"cached_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0},
    }


def cut_off(text: str, limit: int) -> str:
    """Return as many leading words of `text` as fit into `limit` tokens; all of it where it fits."""
    if tokens.count(text) <= limit:
        return text
    pieces = re.findall(r"\s*\S+", text)
    low, high = 0, len(pieces)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if tokens.count("".join(pieces[:middle])) <= limit else (low, middle - 1)
    return "".join(pieces[:low])


def embed(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the embeddings for a request's body: hashed bags of stems, of length 1.

    Raises BadRequest for an input that is neither a text nor a list of texts.
    """
    given = body.get("input")
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list) or not texts or not all(isinstance(text, str) for text in texts):
        raise BadRequest("'input' must be a text or a non-empty list of texts")
    if body.get("dimensions") not in (None, DIMENSIONS):
        raise BadRequest(f"'dimensions' is {body['dimensions']!r}; sim gives {DIMENSIONS}")
    used = sum(map(tokens.count, texts))
    return {
        "object": "list",
        "model": body.get("model", "sim"),
        "data": _vectors(texts, body.get("encoding_format", "float")),
        "usage": {"prompt_tokens": used, "total_tokens": used},
    }


def _vectors(texts: Sequence[str], encoding: object) -> list[dict[str, Any]]:
    shown = _base64 if encoding == "base64" else list
    return [{"object": "embedding", "index": i, "embedding": shown(vector(text))} for i, text in enumerate(texts)]


def _base64(values: Sequence[float]) -> str:
    return base64.b64encode(struct.pack(f"<{len(values)}f", *values)).decode()


@lru_cache(maxsize=1 << 14)
def vector(text: str) -> tuple[float, ...]:
    """Return the embedding of `text`; a text without topical words points along the first axis."""
    bag = [0.0] * DIMENSIONS
    for s in sorted(stems(text)):
        code = hashlib.sha256(s.encode()).digest()
        bag[code[0] % DIMENSIONS] += 1.0 if code[1] & 1 else -1.0
    length = math.sqrt(sum(x * x for x in bag))
    return tuple(x / length for x in bag) if length else (1.0, *bag[1:])
