"""Serve without a model: recorded replies are given again, chosen and stretched by what is asked now.

| what a reply is chosen by  | the prompt nearest in length, of the same stage and task; what one reply's prompt  |
|                            | lacked or had too much is carried over to the next choice, so that prompts of      |
|                            | lengths that nobody recorded get shorter and longer replies in turn                |
| how long it is made        | as the recorded replies of the task grow with the turns that they are about: the   |
|                            | batch of a write, else the message. What a design shows beside these (a summary    |
|                            | so far, facts to compare with) counts for the choice alone: were it counted here,  |
|                            | a reply that is too long would lengthen the next prompt, and so the next reply     |

Measured in docs/decisions/007-mechanism.md.
"""

import hashlib
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from pytest_membench.data import Reply, Stage, Turn, Usage
from pytest_membench.design import LLM
from pytest_membench.run.replies import Kept, Replies, prompt_size, prompt_task, text_size
from pytest_membench.run.stretch import stretch

_DIMENSIONS = 256


class DryRun:
    """One conversation that is served dry. `tally` has its prompt tokens by stage; whoever reads may clear it."""

    def __init__(self, replies: Replies) -> None:
        self.tally: Counter[str] = Counter()
        self._replies = replies
        self._carried: Counter[tuple[str, str]] = Counter()

    def at(self, stage: Stage, new: Sequence[Turn]) -> LLM:
        """Return the backbone of a stage that is about the turns `new`."""
        return DryLLM(self, stage, text_size(new))

    def reply(self, stage: Stage, task: str, counted: int, new: int) -> str:
        """Return a recorded reply for a prompt of `counted` tokens, `new` of them the turns that it is about.

        Raises CallFailed where the stage has none.
        """
        shortest, longest = self._replies.span(stage, task)
        wanted = min(max(counted + self._carried[stage, task], shortest), longest)
        kept = self._replies.nearest(stage, task, wanted)
        self._carried[stage, task] = wanted - kept.counted
        return stretch(kept.text or "", self._factor(stage, task, kept, new))

    def _factor(self, stage: Stage, task: str, kept: Kept, new: int) -> float:
        return float((new / kept.new) ** self._replies.growth(stage, task)) if kept.new and new else 1.0


class DryLLM:
    """What a design calls in a dry run."""

    def __init__(self, run: DryRun, stage: Stage, new: int) -> None:
        self._run, self._stage, self._new = run, stage, new

    def chat(self, messages: Sequence[Mapping[str, str]], *, response_format: Mapping[str, Any] | None = None) -> Reply:
        """Return a recorded reply and tally the prompt. Raises CallFailed where the stage has none."""
        size = prompt_size(messages)
        self._run.tally[self._stage] += size
        if self._stage == "answer":
            return Reply("An answer, thrown away.", Usage(input=size), finish_reason="stop")
        text = self._run.reply(self._stage, prompt_task(messages), size, self._new)
        return Reply(text, Usage(input=size), finish_reason="stop")

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return unit vectors of hashed words: texts that share words are near, as with a real model."""
        return [_vector(text) for text in texts]


def _vector(text: str) -> list[float]:
    vector = [0.0] * _DIMENSIONS
    for word in text.lower().split() or [""]:
        vector[int.from_bytes(hashlib.sha256(word.encode()).digest()[:4]) % _DIMENSIONS] += 1.0
    norm = math.hypot(*vector)
    return [value / norm for value in vector]
