"""Plain matching: an answer that is the gold, word for word, needs no judge."""

import re
import unicodedata

from pytest_membench.data import RUBRIC_KINDS, Probe


def normal(text: str) -> str:
    """Return `text` without case, form of characters, extra space, quotes, final mark, first article.

    Nothing else is dropped: a sign, a symbol or an article further in may carry the meaning.
    """
    plain = " ".join(unicodedata.normalize("NFKC", text).casefold().split()).strip(".!\"'\u201c\u201d ")
    return re.sub(r"^(?:a|an|the) ", "", plain)


def same_as_gold(probe: Probe, answer: str) -> bool:
    """Return whether `answer` says exactly what gold says; never for kinds graded by a rubric.

    Equality of the whole, not containment: "not 14 September" does not match "14 September".
    """
    return probe.kind not in RUBRIC_KINDS and bool(normal(answer)) and normal(answer) == normal(probe.gold)
