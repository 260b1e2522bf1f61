"""What must never be written or shown: keys, headers, and passwords in addresses; and how they are hidden."""

import base64
import os
import re
from collections.abc import Iterator
from urllib.parse import parse_qsl, unquote, urlsplit

KEYS = ("OPENAI_API_KEY", "MEMBENCH_JUDGE_API_KEY")
HEADERS = "OPENAI_CUSTOM_HEADERS"
ADDRESSES = ("OPENAI_BASE_URL",)
SHORTEST = 8
"""Shorter values ("sim", "none", "test") are words that texts hold for other reasons, and no secrets."""
HIDDEN = "***"
_LIKE = (
    (re.compile(r"(?i)((?:(?<![a-z])|(?<=\\[nrt]))sk-|bearer\s+|api[-_]?key\W{1,4})[\w.~+/=-]{6,}"), r"\1" + HIDDEN),
    (re.compile(r"(?<=://)[^\s/@'\"]+@"), HIDDEN + "@"),
    (re.compile(r"(?i)([?&][\w-]*(?:key|token|secret|password|signature)=)[^\s&'\"]+"), r"\1" + HIDDEN),
)
_ADDED: set[str] = set()


class Secret(str):
    """A text that no traceback shows: its repr is `***`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return HIDDEN


def add(*, key: str = "", address: str = "") -> None:
    """Remember a key or an address that an option or a fixture gave, to hide it like those of the environment."""
    _ADDED.update(_long([key, *_of_address(address)]))


def hide(text: str) -> str:
    """Return `text` without known secrets and without what looks like one: for errors, tracebacks and commands."""
    text = hide_known(text)
    for pattern, instead in _LIKE:
        text = pattern.sub(instead, text)
    return text


def hide_known(text: str) -> str:
    """Return `text` without this process's own secrets: for replies, where what merely looks like a key is data."""
    for secret in sorted(_known(), key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
    return text


def _known() -> set[str]:
    values = [os.environ.get(name, "") for name in KEYS]
    for line in os.environ.get(HEADERS, "").splitlines():
        value = line.partition(":")[2].strip()
        values += [value, *value.split()]
    for name in ADDRESSES:
        values += _of_address(os.environ.get(name, ""))
    return _ADDED | set(_long(values))


def _of_address(address: str) -> Iterator[str]:
    """Yield user, password, both as a header carries them, and the values of the query."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return
    user, password = parts.username or "", parts.password or ""
    if password:
        both = f"{unquote(user)}:{unquote(password)}"
        yield from (user, password, unquote(password), both, base64.b64encode(both.encode()).decode())
    for _, value in parse_qsl(parts.query):
        yield value


def _long(values: list[str]) -> list[str]:
    return [value for value in values if len(value) >= SHORTEST]
