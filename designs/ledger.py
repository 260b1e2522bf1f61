"""Append-only ledger: dated lines with an importance, written once and never rewritten.

Writes at 8 new turns, 4 of them the person's, and 3 hours after the last write; the model sees the
newest 20 lines and adds to them. Keeps every line, with the turns of its day in the batch. Shows
the ledger from the first line to the last while it holds at most `budget` tokens; over that, the
least important lines are left out, of these the oldest first, and stay in the state. Bad at changes,
which stand as two lines, and at long histories, where what seemed minor is no longer shown.

Where a reply cannot be read, nothing changes: `failed` counts it, and the batch waits in the state,
shown word for word beside the budget, until the next write takes it along.
"""

from dataclasses import dataclass
from typing import Any

from pytest_membench import LLM, Batch, Batched, Design, Snippet, count_tokens, read_json

PROMPT = """\
You keep a ledger of the conversations between a person and an assistant: dated lines that are never \
changed once they stand. Write the lines that the new messages call for: one line for each name, \
number, date, decision, promise, preference or change, clear without the others; none for small talk \
or for what the ledger has already. The date is that of the message (YYYY-MM-DD); importance is 3 for \
what must not be forgotten, 2 for what may be asked about, 1 for the rest. Reply with \
JSON: {"lines": [{"date": "...", "text": "...", "importance": 2}]}"""

TAIL = 20
"""How many lines the model sees when it writes."""


@dataclass(frozen=True)
class Line:
    """A line as the model writes it."""

    date: str
    text: str
    importance: int


@dataclass(frozen=True)
class Ledger(Design[dict[str, Any]]):
    """What is written stays; what is shown has a budget."""

    label = "append-only ledger"
    schedule = Batched(turns=8, from_person=4, hours=3)
    budget: int = 2_000

    def start(self) -> dict[str, Any]:
        return {"lines": [], "waiting": [], "failed": 0}

    def ingest(self, state: dict[str, Any], batch: Batch, llm: LLM) -> dict[str, Any]:
        waiting = state["waiting"] + [[turn.i, str(turn)] for turn in batch]
        newest = "\n".join(line["text"] for line in state["lines"][-TAIL:]) or "(empty)"
        task = f"# Ledger so far\n{newest}\n\n# New messages\n" + "\n".join(line for _, line in waiting)
        messages = [{"role": "system", "content": PROMPT}, {"role": "user", "content": task}]
        reply = llm.chat(messages, response_format={"type": "json_object"})
        lines = read_json(reply.text, "lines", list[Line])
        if lines is None:
            return {**state, "waiting": waiting, "failed": state["failed"] + 1}
        written = [_written(line, waiting) for line in lines if line.text.strip()]
        return {**state, "lines": state["lines"] + written, "waiting": []}

    def recall(self, state: dict[str, Any], question: str, llm: LLM) -> list[Snippet]:
        lines, left, shown = state["lines"], self.budget, []
        for i in sorted(range(len(lines)), key=lambda i: (-lines[i]["importance"], -i)):
            left -= count_tokens(lines[i]["text"] + "\n")
            if left < 0:
                break
            shown.append(i)
        kept = [Snippet(lines[i]["text"], tuple(lines[i]["turns"])) for i in sorted(shown)]
        return kept + [Snippet(line, (i,)) for i, line in state["waiting"]]


def _written(line: Line, waiting: list[Any]) -> dict[str, Any]:
    """Return a line as it is kept: dated by a day of the batch, its newest where the model gave another."""
    days = [text[1:11] for _, text in waiting]
    day = line.date if line.date in days else days[-1]
    text = " ".join(line.text.split()).removeprefix(day).lstrip(": ")
    turns = [i for i, said in waiting if said[1:11] == day]
    return {"text": f"{day}: {text}", "importance": min(3, max(1, line.importance)), "turns": turns}
