"""Summary + fact recall: a rolling summary, and the facts that a question calls for.

Writes at 8 new turns, 4 of them the person's, and 3 hours after the last write, with two calls: the
summary anew, in at most `words` words, and the new facts, one dated sentence each. Keeps the last
summary and every fact ever written. Shows the summary, then the `k` facts that match the question
best (BM25), oldest first; each names the turns of its batch. Bad at questions that share no word
with the fact, and at changes: an outdated fact stands beside the newer one.

Where a reply cannot be read, nothing changes: `failed` counts it, and the batch waits in the state,
shown word for word, until the next write takes it along.
"""

import re
from dataclasses import dataclass
from typing import Any

from pytest_membench import LLM, Batch, Batched, Design, Snippet, bm25, read_json

SUMMARY = """\
You keep a summary of the conversations between a person and an assistant. Rewrite it so that it \
takes in the new messages: who is who, what is going on, what was decided, promised or wished for; \
where something changed, keep the latest. At most {words} words. Reply with the summary alone."""

FACTS = """\
You note facts from a conversation between a person and an assistant, so that they can be looked up \
months later. Take each name, number, date, decision, promise, preference and change from the new \
messages. One sentence per fact, clear without the others, that begins with its date (YYYY-MM-DD). \
Reply with JSON: {"facts": ["..."]}"""


@dataclass(frozen=True)
class SummaryFacts(Design[dict[str, Any]]):
    """One text for the whole, single sentences for the details."""

    label = "summary + fact recall"
    schedule = Batched(turns=8, from_person=4, hours=3)
    words: int = 300
    k: int = 10

    def start(self) -> dict[str, Any]:
        return {"summary": "", "facts": [], "waiting": [], "failed": 0}

    def ingest(self, state: dict[str, Any], batch: Batch, llm: LLM) -> dict[str, Any]:
        waiting = state["waiting"] + [[turn.i, str(turn)] for turn in batch]
        new = "# New messages\n" + "\n".join(line for _, line in waiting)
        old = f"# Summary so far\n{state['summary'] or '(empty)'}"
        summary = _ask(llm, SUMMARY.format(words=self.words), f"{old}\n\n{new}")
        facts = read_json(_ask(llm, FACTS, new, type="json_object"), "facts", list[str]) if summary else None
        if facts is None:
            return {**state, "waiting": waiting, "failed": state["failed"] + 1}
        known, turns = {fact["text"] for fact in state["facts"]}, [i for i, _ in waiting]
        new_facts = dict.fromkeys(_dated(text, f"{batch.now:%Y-%m-%d}") for text in facts if text.strip())
        added = [{"text": text, "turns": turns} for text in new_facts if text not in known]
        return {**state, "summary": summary, "facts": state["facts"] + added, "waiting": []}

    def recall(self, state: dict[str, Any], question: str, llm: LLM) -> list[Snippet]:
        summary = [Snippet(state["summary"])] if state["summary"] else []
        found = sorted(bm25(question, [fact["text"] for fact in state["facts"]], self.k))
        facts = [Snippet(state["facts"][i]["text"], tuple(state["facts"][i]["turns"])) for i in found]
        return summary + facts + [Snippet(line, (i,)) for i, line in state["waiting"]]


def _dated(text: str, day: str) -> str:
    """Return the fact as one line, with the day of the write where the model gave no date."""
    line = " ".join(text.split())
    return line if re.match(r"\d{4}-\d\d-\d\d", line) else f"{day}: {line}"


def _ask(llm: LLM, system: str, task: str, **response_format: str) -> str:
    """Return the reply, "" where it was cut off."""
    messages = [{"role": "system", "content": system}, {"role": "user", "content": task}]
    reply = llm.chat(messages, response_format=response_format or None)
    return "" if reply.finish_reason == "length" else reply.text.strip()
