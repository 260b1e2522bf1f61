"""Plain matching: an answer that is the gold, word for word, needs no judge."""

import re
import unicodedata

from pytest_membench.data import RUBRIC_KINDS, Probe


def normal(text: str) -> str:
    """Return `text` without case, accents of form, punctuation, articles and extra space."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(w for w in re.findall(r"\w+", plain) if w not in {"a", "an", "the"})


def same_as_gold(probe: Probe, answer: str) -> bool:
    """Return whether `answer` says exactly what gold says; never for kinds graded by a rubric.

    Equality of the whole, not containment: "not 14 September" does not match "14 September".
    """
    return probe.kind not in RUBRIC_KINDS and bool(normal(answer)) and normal(answer) == normal(probe.gold)
