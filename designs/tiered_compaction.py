"""Tiered compaction: days into weeks into months, each rewritten shorter as it ages.

Writes at 8 new turns, 4 of them the person's, and 3 hours after the last write. New turns stand
word for word until their day is over; then the day becomes a note of at most `day_words` words. A
week's days become one note `keep_days` days after the week, a month's weeks one note `keep_weeks`
weeks after the last of them (a week belongs to the month of its Monday). Keeps and shows all notes, oldest
and coarsest first, and the newest turns. Bad at old details, which are rewritten three times, and
at long days, which stand whole.

Where a reply cannot be read, nothing changes: `failed` counts it, and what was to be compacted stays
as it is, shown whole, until the next write takes it up again.
"""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from pytest_membench import LLM, Batch, Batched, Design, Snippet

PROMPT = """\
You keep notes of the conversations between a person and an assistant. Rewrite what follows as one \
note on the {tier}, in at most {words} words. Keep names, numbers, dates (YYYY-MM-DD), decisions, \
promises and preferences; where something changed, say what it is now. Small talk goes first. Reply \
with the note alone."""


@dataclass(frozen=True)
class TieredCompaction(Design[dict[str, Any]]):
    """The older, the coarser."""

    label = "tiered compaction"
    schedule = Batched(turns=8, from_person=4, hours=3)
    day_words: int = 80
    week_words: int = 150
    month_words: int = 250
    keep_days: int = 7
    keep_weeks: int = 3

    def start(self) -> dict[str, Any]:
        return {"notes": [], "failed": 0}

    def ingest(self, state: dict[str, Any], batch: Batch, llm: LLM) -> dict[str, Any]:
        turns = [{"tier": "turn", "start": f"{t.when:%Y-%m-%d}", "text": str(t), "turns": [t.i]} for t in batch]
        notes = state["notes"] + turns
        for tier, words in (("day", self.day_words), ("week", self.week_words), ("month", self.month_words)):
            finer = [note for note in notes if _ORDER[note["tier"]] < _ORDER[tier]]
            for start in sorted({_start(note, tier) for note in finer}):
                if batch.now.date() < self._ripe(start, tier):
                    continue
                old = [note for note in finer if _start(note, tier) == start]
                text = _rewrite(old, tier, words, llm)
                if not text:
                    return {"notes": notes, "failed": state["failed"] + 1}
                new = {"tier": tier, "start": f"{start}", "text": text, "turns": []}
                notes = sorted([new, *(note for note in notes if note not in old)], key=lambda note: str(note["start"]))
        return {"notes": notes, "failed": state["failed"]}

    def recall(self, state: dict[str, Any], question: str, llm: LLM) -> list[Snippet]:
        return [Snippet(_shown(note), tuple(note["turns"])) for note in state["notes"]]

    def _ripe(self, start: date, tier: str) -> date:
        """Return the day from which a period is compacted."""
        if tier == "month":
            after = (start + timedelta(days=31)).replace(day=1)
            return after + timedelta(days=-after.weekday() % 7, weeks=self.keep_weeks)
        return start + timedelta(days=1 if tier == "day" else 7 + self.keep_days)


_ORDER = {"turn": 0, "day": 1, "week": 2, "month": 3}


def _start(note: dict[str, Any], tier: str) -> date:
    day = date.fromisoformat(note["start"])
    monday = day - timedelta(days=day.weekday())
    return {"day": day, "week": monday, "month": monday.replace(day=1)}[tier]


def _rewrite(old: list[dict[str, Any]], tier: str, words: int, llm: LLM) -> str:
    task = f"# The {tier}\n" + "\n".join(map(_shown, old))
    messages = [{"role": "system", "content": PROMPT.format(tier=tier, words=words)}, {"role": "user", "content": task}]
    reply = llm.chat(messages)
    return "" if reply.finish_reason == "length" else reply.text.strip()


def _shown(note: dict[str, Any]) -> str:
    title = "" if note["tier"] == "turn" else f"## {note['tier'].title()} of {note['start']}\n"
    return f"{title}{note['text']}"
