"""What the unit tests share: a scripted model, a short chat, and Hypothesis without a clock."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import pytest
from hypothesis import settings

from pytest_membench import Person, Probe, Reply, Turn, Usage

settings.register_profile("membench", deadline=None, database=None, derandomize=True, max_examples=60)
settings.load_profile("membench")


class ScriptedLLM:
    """A model that gives its replies in order and keeps what it was sent.

    A reply is a text, a whole `Reply`, or an error to raise. A call beyond the script fails.
    """

    def __init__(self, *replies: str | Reply | Exception) -> None:
        self.replies = list(replies)
        self.prompts: list[list[dict[str, str]]] = []
        self.formats: list[Mapping[str, Any] | None] = []

    def chat(self, messages: Sequence[Mapping[str, str]], *, response_format: Mapping[str, Any] | None = None) -> Reply:
        """Keep the prompt and give the next reply."""
        self.prompts.append([dict(message) for message in messages])
        self.formats.append(response_format)
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply if isinstance(reply, Reply) else Reply(reply, Usage(), finish_reason="stop")

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Give each text its length as its one coordinate."""
        return [[float(len(text))] for text in texts]

    @property
    def sent(self) -> str:
        """All that the model was sent, as one text."""
        return "\n".join(message["content"] for prompt in self.prompts for message in prompt)


@pytest.fixture
def scripted() -> type[ScriptedLLM]:
    """The scripted model; call it with its replies."""
    return ScriptedLLM


def _chat(lines: Iterable[tuple[int, str, str, str]]) -> tuple[Turn, ...]:
    names = {"u": "Nora", "a": "Assistant"}
    return tuple(Turn(i, day, time, who, text, names[who]) for i, (day, time, who, text) in enumerate(lines, 1))


@pytest.fixture
def person() -> Person:
    """Nora: eight turns on three days, numbered from 1, a fact that changes, two probes."""
    turns = _chat(
        [
            (1, "09:00", "u", "The ferry to Bergen leaves on Friday."),
            (1, "09:01", "a", "Noted: ferry on Friday."),
            (1, "21:30", "u", "My sister Ida lends me her tent."),
            (1, "21:31", "a", "Good, one thing less to buy."),
            (2, "08:00", "u", "The ferry was moved to Saturday."),
            (2, "08:01", "a", "Saturday, then."),
            (30, "19:00", "u", "I bought a red kayak."),
            (30, "19:02", "a", "Enjoy the kayak!"),
        ]
    )
    probes = (
        Probe("update-01", "update", "When does the ferry leave?", "on Saturday", (5,)),
        Probe("abstain-01", "abstain", "What does Ida do for a living?", "It never came up."),
    )
    return Person("nora", "Nora", turns, probes, asked=datetime.fromisoformat("2026-09-02 09:00"))
