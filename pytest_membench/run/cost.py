"""Serve one conversation turn by turn: retrieve, answer, offer the turn to the ingest gate."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from pytest_membench.data import Batch, Stage, Turn
from pytest_membench.design import LLM, Design
from pytest_membench.run.answer import complete, memory_block
from pytest_membench.run.build import Memory, plain, recall

SYSTEM = """\
You are a personal assistant in a long conversation. What you remember stands under "# Memory". \
Reply to the last message in one to three sentences, in keeping with what was said before. Do not \
repeat the message."""


def serve(
    design: Design[Any],
    turns: Sequence[Turn],
    llm: Callable[[Stage, Sequence[Turn]], LLM],
    after_turn: Callable[[int], None] = lambda _: None,
) -> None:
    """Serve `turns` with `design`; `after_turn(t)` is called when turn t has been paid for.

    `llm(stage, new)` gives the model of a stage that is about the turns `new`: the batch of a
    write, else turn t.

    At turn t the design recalls for it, the model answers with the memory of turns 0 to t-1, the
    recent and (where the design shows them) pending turns, and turn t as the message; then turn t
    is offered to the ingest gate. The reply is thrown away: the conversation goes on as written.
    Pending turns are never flushed. Raises CallFailed where a call fails.
    """
    state, written, batches = plain(design, design.start()), 0, 0
    pending: list[Turn] = []
    last: datetime | None = None
    for t, turn in enumerate(turns):
        memory = Memory(state, written, batches, tuple(pending))
        snippets = recall(design, memory, turn.text, llm("retrieval", (turn,)))
        recent = turns[max(0, t - design.recent) : t] if design.recent else ()
        block = memory_block(snippets, recent, pending if design.show_pending else ())
        complete(llm("answer", (turn,)).chat(_messages(block, turn)))
        pending.append(turn)
        count = design.schedule.due(pending, last)
        if count:
            batch, pending = tuple(pending[:count]), pending[count:]
            state = plain(design, design.ingest(state, Batch("dialogue", batch), llm("ingest", batch)))
            written, batches, last = written + count, batches + 1, batch[-1].when
        after_turn(t)


def _messages(block: str, turn: Turn) -> list[dict[str, str]]:
    return [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": f"{block}\n\n# Message from {turn.name}\n{turn.text}"},
    ]
