"""Read from a system prompt which shape a piece of writing is to have."""

import re
from typing import Literal, NamedTuple

Kind = Literal["summary", "strings", "objects", "operations", "topics", "ledger"]

_KEY = re.compile(r'\{\s*"(?P<key>\w+)"\s*:\s*(?P<open>\[\s*\{|\[|\{|"|<|\.)')
_BARE_LIST = re.compile(r"\[\s*(?P<open>\{|\"|\.\.\.)")
_FIELD = re.compile(r'[{,]\s*"(\w+)"\s*:')
_WORDS = re.compile(
    r"\b(?:at most|no more than|under|within|up to|maximum of|max\.?|fewer than|less than) (\d[\d,]*)\s+words",
    re.IGNORECASE,
)
_ABOUT = re.compile(r"\b(\d[\d,]*)\s+words", re.IGNORECASE)
_LEDGER = re.compile(
    r"\bobservations?\b|\bledger\b|\bone (?:dated )?line (?:each|per|for)\b|\bdated lines?\b", re.IGNORECASE
)

DEFAULT_WORDS = 300
"""How long a summary may be where the prompt says nothing."""


class Shape(NamedTuple):
    """The shape asked for: its kind, the JSON key that holds it, an object's fields, a word limit.

    `key` is "" for a bare list or plain text.
    """

    kind: Kind
    key: str
    fields: tuple[str, ...]
    limit: int
    json: bool


def shape(system: str, json_wanted: bool = False) -> Shape:
    """Return the shape that the instructions ask for; a plain summary where they show none."""
    limit = _limit(system)
    shown = _KEY.search(system)
    bare = _BARE_LIST.search(system) if "JSON" in system else None
    if shown and not (bare and bare.start() < shown.start() and bare.end() > shown.start()):
        return _keyed(system[shown.start() :], shown["key"], shown["open"].replace("\n", "").replace(" ", ""), limit)
    if bare:
        fields = tuple(dict.fromkeys(_FIELD.findall(system[bare.start() :]))) if bare["open"] == "{" else ()
        return Shape(_listed(fields), "", fields, limit, True)
    if _LEDGER.search(system):
        return Shape("ledger", "", (), limit, False)
    return Shape("summary", "summary" if json_wanted else "", (), limit, json_wanted)


def _limit(system: str) -> int:
    found = _WORDS.search(system) or _ABOUT.search(system)
    return max(1, int(found[1].replace(",", ""))) if found else DEFAULT_WORDS


def _keyed(shown: str, key: str, opening: str, limit: int) -> Shape:
    if opening == "[{":
        fields = tuple(dict.fromkeys(field for field in _FIELD.findall(shown) if field != key))
        return Shape(_listed(fields), key, fields, limit, True)
    if opening == "[":
        return Shape("ledger" if key in ("lines", "observations", "ledger") else "strings", key, (), limit, True)
    if opening == "{":
        return Shape("topics", key, (), limit, True)
    return Shape("summary", key, (), limit, True)


def _listed(fields: tuple[str, ...]) -> Kind:
    if "op" in fields or "operation" in fields or "action" in fields:
        return "operations"
    return "objects" if fields else "strings"
