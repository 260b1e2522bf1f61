"""What answers are measured by: how they are judged, in which form they are asked for, and how they are sampled."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

Judging = Literal["two-looks", "paper"]
Form = Literal["free", "choice"]

PAPER_TEMPERATURE = 0.7
PAPER_MAX_TOKENS = 32_768
"""How the answers of arXiv 2608.11879 were sampled."""


@dataclass(frozen=True)
class Protocol:
    """Scores by two different protocols do not go together.

    `judging` is "two-looks" (a second look at all that is not correct) or "paper" (one look, correct
    or wrong); `answers` are "free" or a "choice". `temperature` and `max_tokens` hold for answers
    alone; None leaves them as the session's other calls have them.
    """

    judging: Judging = "two-looks"
    answers: Form = "free"
    temperature: float | None = None
    max_tokens: int | None = None

    @property
    def name(self) -> str:
        """The protocol in words: "two-looks, free"."""
        return f"{self.judging}, {self.answers}"

    def as_dict(self) -> dict[str, Any]:
        """Return the fields by name, as a manifest keeps them."""
        return asdict(self)


USUAL = Protocol()
"""The protocol of every session that chooses no other."""


def name_of(manifest: Mapping[str, Any]) -> str:
    """Return the name of a session's protocol; sessions from before there were several had the first."""
    return Protocol(**(manifest.get("protocol") or {})).name
