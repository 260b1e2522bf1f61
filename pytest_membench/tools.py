"""What designs are given: search_chat over the whole chat, BM25 over their own texts, JSON replies read."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeVar

from pytest_membench.data import Tool, Turn
from pytest_membench.errors import DesignError

Shape = TypeVar("Shape")

HITS = 5
"""How many turns one search returns."""

search_chat = Tool(
    name="search_chat",
    description=(
        f"Search the whole chat by keywords; returns the {HITS} best matching messages, oldest first, with their dates."
    ),
    parameters={
        "type": "object",
        "properties": {"query": {"type": "string", "description": "a few keywords"}},
        "required": ["query"],
    },
)
"""The tool as designs offer it; the harness runs it over the person's chat."""


def words(text: str) -> list[str]:
    """Return the lower-case words of `text`, as search sees them."""
    return re.findall(r"\w+", text.lower())


@lru_cache(maxsize=1 << 14)
def _terms(text: str) -> frozenset[str]:
    return frozenset(words(text))


@lru_cache(maxsize=32)
def _okapi(texts: tuple[str, ...]) -> Any:
    from rank_bm25 import BM25Okapi

    return BM25Okapi([words(text) or [""] for text in texts])


def bm25(query: str, texts: Sequence[str], k: int) -> list[int]:
    """Return the places of the at most `k` texts that match `query` best by BM25, best first.

    A text matches that shares a word with the query; equal scores go to the earlier text, so that
    results are the same everywhere.
    """
    terms = _terms(query)
    # Okapi scores a word that most texts hold at 0 or below, so a match is told by shared words.
    matching = [i for i, text in enumerate(texts) if not terms.isdisjoint(_terms(text))]
    if not matching:
        return []
    scores = _okapi(tuple(texts)).get_scores(words(query))
    return sorted(matching, key=lambda i: (-scores[i], i))[: max(0, k)]


def read_json(text: str, key: str, shape: type[Shape]) -> Shape | None:
    """Return what a model's reply holds under `key`, or None where it is not JSON of that `shape`.

    `shape` is a type such as list[str], or a list of a dataclass; a value of another type is never
    converted to it. What stands around the JSON object, such as a code fence, is passed over.
    """
    import orjson
    from pydantic import TypeAdapter

    found = re.search(r"\{.*\}", text, re.DOTALL)
    try:  # both libraries' errors are ValueErrors
        value = orjson.loads(found[0] if found else "").get(key)
        return TypeAdapter(shape).validate_json(orjson.dumps(value), strict=True)
    except ValueError:
        return None


class ChatIndex:
    """A BM25 index over the turns of one chat."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        self.turns = tuple(turns)
        self._texts = tuple(turn.text for turn in self.turns)

    def search(self, query: str, hits: int = HITS) -> list[Turn]:
        """Return the at most `hits` turns that match `query` best, best first; equals oldest first."""
        return [self.turns[i] for i in bm25(query, self._texts, hits)]


def bind(tools: Sequence[Tool], turns: Sequence[Turn]) -> dict[str, Callable[[Mapping[str, Any]], str]]:
    """Return what runs each tool, by name; `search_chat` searches `turns`.

    Raises DesignError for another tool without `run`.
    """
    index = ChatIndex(turns)

    def search(arguments: Mapping[str, Any]) -> str:
        found = sorted(index.search(str(arguments.get("query", ""))), key=lambda turn: turn.i)
        return "\n".join(map(str, found)) or "No message matches."

    for tool in tools:
        if tool.run is None and tool.name != search_chat.name:
            raise DesignError(f"the tool {tool.name!r} has no `run`; only search_chat is run by the harness")
    return {tool.name: tool.run or search for tool in tools}
