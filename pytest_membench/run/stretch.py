"""Make a recorded reply longer or shorter in its own form: a JSON object stays one, a list keeps its items."""

import re
from typing import Any

import orjson

_OBJECT = re.compile(r"\{.*\}", re.DOTALL)


def stretch(text: str, factor: float) -> str:
    """Return a reply whose texts have about `factor` times their words.

    In JSON each string of two words or more is stretched (ids and labels stay), elsewhere each line.
    Words are taken out of the middle or repeated there: a text keeps its beginning and its end.
    """
    found = _OBJECT.search(text)
    try:
        value = orjson.loads(found[0]) if found else None
    except orjson.JSONDecodeError:
        value = None
    if found and value is not None:
        return text[: found.start()] + orjson.dumps(_leaves(value, factor)).decode() + text[found.end() :]
    return "\n".join(_words(line, factor) for line in text.split("\n"))


def _leaves(value: Any, factor: float) -> Any:
    if isinstance(value, dict):
        return {key: _leaves(one, factor) for key, one in value.items()}
    if isinstance(value, list):
        return [_leaves(one, factor) for one in value]
    return _words(value, factor) if isinstance(value, str) else value


def _words(line: str, factor: float) -> str:
    words = line.split(" ")
    wanted = max(2, round(len(words) * factor))
    if len(words) < 2 or wanted == len(words):
        return line
    head, tail = words[: -(-min(len(words), wanted) // 2)], words[len(words) - min(len(words), wanted) // 2 :]
    spare = words[1:-1] or words
    return " ".join([*head, *(spare[i % len(spare)] for i in range(wanted - len(words))), *tail])
