"""search_chat: keyword search over the whole chat, offered to every design."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from pytest_membench.data import Tool, Turn
from pytest_membench.errors import DesignError

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


class ChatIndex:
    """A BM25 index over the turns of one chat."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        self.turns = tuple(turns)

    @cached_property
    def _bm25(self) -> Any:
        from rank_bm25 import BM25Okapi

        return BM25Okapi([words(turn.text) or [""] for turn in self.turns])

    def search(self, query: str, hits: int = HITS) -> list[Turn]:
        """Return the at most `hits` best matching turns with a score above 0, best first.

        Equal scores go to the older turn, so that results are the same everywhere.
        """
        terms = words(query)
        if not terms or not self.turns:
            return []
        scores = self._bm25.get_scores(terms)
        # Okapi scores a word that most turns hold at 0 or below, so a match is told by shared words.
        matching = [i for i, turn in enumerate(self.turns) if not set(terms).isdisjoint(words(turn.text))]
        best = sorted(matching, key=lambda i: (-scores[i], i))[:hits]
        return [self.turns[i] for i in best]


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
