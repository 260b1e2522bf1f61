"""Rolling summary: one summary by the model, rewritten as the chat grows.

Writes at 8 new turns, 4 of them the person's, and 3 hours after the last write; keeps one text of
at most `words` words; shows all of it. Cheap to read. Bad at details: what one rewriting drops is
gone, and numbers and names go first.
"""

from dataclasses import dataclass

from pytest_membench import LLM, Batch, Batched, Design, Snippet

PROMPT = """\
You keep a summary of the conversations between a person and an assistant. Rewrite it so that it \
takes in the new messages. Keep names, numbers, dates, decisions, promises and preferences; where \
something changed, keep the latest. At most {words} words. Reply with the new summary alone."""


@dataclass(frozen=True)
class RollingSummary(Design[str]):
    """One text that is written anew at every batch."""

    label = "rolling summary"
    schedule = Batched(turns=8, from_person=4, hours=3)
    words: int = 400

    def start(self) -> str:
        return ""

    def ingest(self, state: str, batch: Batch, llm: LLM) -> str:
        task = f"# Summary so far\n{state or '(empty)'}\n\n# New messages\n{batch}"
        messages = [
            {"role": "system", "content": PROMPT.format(words=self.words)},
            {"role": "user", "content": task},
        ]
        return llm.chat(messages).text.strip() or state

    def recall(self, state: str, question: str, llm: LLM) -> list[Snippet]:
        return [Snippet(state)] if state else []
