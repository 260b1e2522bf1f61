"""Answer a question from the lines that the prompt holds, by lexical rules."""

import re

import orjson

from pytest_membench.llm.sim import compose, request
from pytest_membench.llm.sim.prompt import Question
from pytest_membench.llm.sim.rank import Term
from pytest_membench.llm.sim.words import stem

ENOUGH = 0.8
"""Share of the question that one line has to cover to be answered without a search."""


def reply(asked: Question, json_wanted: bool = False) -> str:
    """Return the reply: a search where the lines do not answer and a search is left, else the answer.

    Openers and requests for work ask for nothing that could be looked up, so they are answered at
    once. In the JSON protocol (or where a JSON object is wanted) the reply is a JSON object.
    """
    if request.is_request(asked.text):
        return _answer(request.respond(asked), asked, json_wanted)
    wanted, hits = compose.look(asked)
    if asked.may_search and (not hits or hits[0].cover < ENOUGH):
        return _json({"tool": "search_chat", "arguments": {"query": keywords(asked.text, wanted)}})
    return _answer(compose.answer(asked, wanted, hits), asked, json_wanted)


def _answer(text: str, asked: Question, json_wanted: bool) -> str:
    return _json({"answer": text}) if asked.protocol or json_wanted else text


def _json(data: object) -> str:
    return orjson.dumps(data).decode()


def keywords(question: str, wanted: list[Term], most: int = 8) -> str:
    """Return the question's weightiest words as they stand in it; all of it where none has weight."""
    kept = {term.stem for term in sorted(wanted, key=lambda term: -term.weight)[:most]}
    bare = [
        w.strip(".,:'\u2019-").removesuffix("'s").removesuffix("\u2019s")
        for w in re.findall(r"[\w'\u2019.,:-]+", question)
    ]
    return " ".join(dict.fromkeys(w for w in bare if w and stem(w) in kept)) or question
