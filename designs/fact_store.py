"""Fact store: single facts, each kept up to date; the best matches are shown.

Writes at 8 new turns, 4 of them the person's, and 3 hours after the last write, with two calls: the
first extracts facts; the second sets each against the `near` most similar of the store and says
whether to add it, update or delete an old one, or do none of these. Keeps the facts with the turns of
the batches that they came from. Shows the `k` that match the question best (BM25), oldest first.
Bad at questions that share no word with the fact, at what several facts tell together, and at wrong
decisions: an update overwrites.

Where a reply cannot be read, nothing changes: `failed` counts it, and the batch waits in the state,
shown word for word, until the next write takes it along.
"""

import re
from dataclasses import dataclass
from typing import Any, Literal

from pytest_membench import LLM, Batch, Batched, Design, Snippet, bm25, read_json

EXTRACT = """\
You note facts from a conversation between a person and an assistant, so that they can be looked up \
months later. Take each name, number, date, decision, promise, preference and change from the new \
messages; leave out small talk. One sentence per fact, clear without the others, that begins with its \
date (YYYY-MM-DD). Reply with JSON: {"facts": ["..."]}"""

DECIDE = """\
You keep a store of facts about a person. Decide for each new fact: "add" it where the store has \
nothing on the matter; "update" an existing fact, by its id, with a text that holds what is true now; \
"delete" an existing fact that is no longer true; "none" where the store has it already. Reply with \
JSON: {"operations": [{"op": "add" | "update" | "delete" | "none", "id": "id or null", "text": "..."}]}"""


@dataclass(frozen=True)
class Operation:
    """A decision of the model on one new fact."""

    op: Literal["add", "update", "delete", "none"]
    id: str | int | None = None
    text: str | None = None


@dataclass(frozen=True)
class FactStore(Design[dict[str, Any]]):
    """A list of facts that the model maintains."""

    label = "fact store"
    schedule = Batched(turns=8, from_person=4, hours=3)
    near: int = 3
    k: int = 15

    def start(self) -> dict[str, Any]:
        return {"facts": [], "ids": 0, "waiting": [], "failed": 0}

    def ingest(self, state: dict[str, Any], batch: Batch, llm: LLM) -> dict[str, Any]:
        waiting = state["waiting"] + [[turn.i, str(turn)] for turn in batch]
        reply = _ask(llm, EXTRACT, "# New messages\n" + "\n".join(line for _, line in waiting))
        new = read_json(reply, "facts", list[str])
        texts = [fact["text"] for fact in state["facts"]]
        places = sorted({i for text in new or [] for i in bm25(text, texts, self.near)})
        near = [state["facts"][i] for i in places]
        operations = None if new is None else _decide(llm, near, [text for text in new if text.strip()])
        if operations is None:
            return {**state, "waiting": waiting, "failed": state["failed"] + 1}
        return _applied(state, operations, {fact["id"] for fact in near}, waiting)

    def recall(self, state: dict[str, Any], question: str, llm: LLM) -> list[Snippet]:
        found = sorted(bm25(question, [fact["text"] for fact in state["facts"]], self.k))
        facts = [Snippet(state["facts"][i]["text"], tuple(state["facts"][i]["turns"])) for i in found]
        return facts + [Snippet(line, (i,)) for i, line in state["waiting"]]


def _decide(llm: LLM, near: list[dict[str, Any]], new: list[str]) -> list[Operation] | None:
    """Return what to do with the new facts, or None where the reply cannot be read."""
    if not near:
        return [Operation("add", text=text) for text in new]
    existing = "\n".join(f"{fact['id']}: {fact['text']}" for fact in near)
    task = f"# Existing facts\n{existing}\n\n# New facts\n" + "\n".join(new)
    operations = read_json(_ask(llm, DECIDE, task), "operations", list[Operation]) or None
    complete = all((one.text or "").strip() for one in operations or [] if one.op in ("add", "update"))
    return operations if complete else None


def _applied(state: dict[str, Any], operations: list[Operation], shown: set[str], waiting: list[Any]) -> dict[str, Any]:
    """Return the state after the operations; an update of a fact that was not shown adds its text."""
    facts, ids = {fact["id"]: fact for fact in state["facts"]}, state["ids"]
    for one in operations:
        old = facts.pop(str(one.id), None) if one.op in ("update", "delete") and str(one.id) in shown else None
        if one.op in ("add", "update"):
            ids += old is None
            key = old["id"] if old else str(ids)
            turns = {*(old["turns"] if old else ()), *(i for i, _ in waiting)}
            facts[key] = {"id": key, "text": _dated(str(one.text), waiting[-1][1][1:11]), "turns": sorted(turns)}
    return {**state, "facts": list(facts.values()), "ids": ids, "waiting": []}


def _dated(text: str, day: str) -> str:
    """Return the fact as one line, with the day of the write where the model gave no date."""
    line = " ".join(text.split())
    return line if re.match(r"\d{4}-\d\d-\d\d", line) else f"{day}: {line}"


def _ask(llm: LLM, system: str, task: str) -> str:
    messages = [{"role": "system", "content": system}, {"role": "user", "content": task}]
    return llm.chat(messages, response_format={"type": "json_object"}).text
