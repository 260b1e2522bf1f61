"""Index + notes + recall: the index of topic notes, and the notes that a question calls for.

Writes at 8 new turns, 4 of them the person's, and 3 hours after the last write: the model is given
the `near` notes that match the new turns best (BM25) and the topics of all, and rewrites the notes
that change, at most `words` words each; to a note that it was not given, its text is added. Keeps
one note per topic. Shows the index, which is the first sentence of each note, and whole the `k` notes
that match the question best; the model opens others by the tool open_note. Bad at questions that
share no word with the note, at many topics (the index grows with them), and at details: what a
rewriting drops is gone.

Where a reply cannot be read, nothing changes: `failed` counts it, and the batch waits in the state,
shown word for word, until the next write takes it along.
"""

import re
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pytest_membench import LLM, Batch, Batched, Design, Snippet, Tool, bm25, read_json, search_chat

PROMPT = """\
You keep notes on a person by topic: a project, a person they know, a plan, a habit, their wishes. \
Take in the new messages: names, numbers, dates (YYYY-MM-DD), decisions, promises, preferences; where \
something changed, say what it is now and what it was. Return only the notes that change and new \
ones, each complete, its first sentence fit for an index, at most {words} words. A topic is one to \
three words; keep to topics that exist. Reply with JSON: {{"notes": {{"<topic>": "<text>"}}}}"""


@dataclass(frozen=True)
class IndexNotesRecall(Design[dict[str, Any]]):
    """Notes in drawers; the likely ones lie open."""

    label = "index + notes + recall"
    schedule = Batched(turns=8, from_person=4, hours=3)
    near: int = 6
    words: int = 120
    k: int = 3

    def start(self) -> dict[str, Any]:
        return {"notes": {}, "waiting": [], "failed": 0}

    def ingest(self, state: dict[str, Any], batch: Batch, llm: LLM) -> dict[str, Any]:
        waiting = state["waiting"] + [[turn.i, str(turn)] for turn in batch]
        new = "\n".join(line for _, line in waiting)
        given = _best(new, state["notes"], self.near)
        existing = "\n".join(f"{topic}: {note}" for topic, note in given.items()) or "(empty)"
        task = f"# Existing notes (of: {', '.join(state['notes'])})\n{existing}\n\n# New messages\n{new}"
        system = PROMPT.format(words=self.words)
        messages = [{"role": "system", "content": system}, {"role": "user", "content": task}]
        reply = llm.chat(messages, response_format={"type": "json_object"})
        written = read_json(reply.text, "notes", dict[str, str])
        if written is None:
            return {**state, "waiting": waiting, "failed": state["failed"] + 1}
        notes = dict(state["notes"])
        for topic, text in ((_one_line(topic).lower(), _one_line(text)) for topic, text in written.items()):
            if topic and text:
                notes[topic] = text if topic in given else f"{notes.get(topic, '')} {text}".strip()
        return {**state, "notes": notes, "waiting": []}

    def recall(self, state: dict[str, Any], question: str, llm: LLM) -> list[Snippet]:
        index = [Snippet(f"- {topic}: {_first_sentence(note)}") for topic, note in state["notes"].items()]
        titled = [Snippet("Index of the notes, each to be opened by open_note:"), *index] if index else []
        found = [Snippet(f"{topic}: {note}") for topic, note in _best(question, state["notes"], self.k).items()]
        return titled + found + [Snippet(line, (i,)) for i, line in state["waiting"]]

    def tools(self, state: dict[str, Any]) -> list[Tool]:
        def open_note(arguments: Mapping[str, Any]) -> str:
            topic = _one_line(str(arguments.get("topic", ""))).lower()
            missing = f"There is no note on {topic!r}; the index has {', '.join(state['notes']) or 'none'}."
            return str(state["notes"].get(topic, missing))

        topic = {"type": "string", "description": "a topic of the index"}
        parameters = {"type": "object", "properties": {"topic": topic}, "required": ["topic"]}
        return [Tool("open_note", "Open the note on a topic of the index.", parameters, open_note), search_chat]


def _best(query: str, notes: dict[str, str], k: int) -> dict[str, str]:
    """Return the at most `k` notes that match best, in the order of the notes."""
    topics = list(notes)
    found = bm25(query, [f"{topic}: {note}" for topic, note in notes.items()], k)
    return {topics[i]: notes[topics[i]] for i in sorted(found)}


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _first_sentence(note: str) -> str:
    return textwrap.shorten(re.split(r"(?<=[.!?]) ", note, maxsplit=1)[0], 120, placeholder=" ...")
