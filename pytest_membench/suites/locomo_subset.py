"""Find the chats of LoCoMo that stand best for the whole file, as arXiv 2608.11879 chose its four."""

from collections.abc import Sequence
from itertools import combinations
from math import comb
from typing import NamedTuple

from pytest_membench.errors import InputError
from pytest_membench.suites.locomo_file import ABSTAIN, CATEGORIES, File, Question

AXES = ("category", "evidence", "span")
"""What chats are compared by: the category, min(evidence strings, 2), min(sessions named in them, 2)."""
MOST = 1_000_000
"""How many subsets are looked at, at most."""


class Subset(NamedTuple):
    """Some chats, and how far their questions are from those of the whole file.

    `questions` are without category 5; `divergences` stand in the order of `AXES`, in nats.
    """

    ids: tuple[str, ...]
    questions: int
    divergences: tuple[float, float, float]
    total: float


def best(file: File, k: int, most: int = 2) -> list[Subset]:
    """Return the `most` best of all subsets of `k` chats, the least total divergence first.

    All questions count, category 5 too. The divergence is Jensen and Shannon's with the natural
    logarithm: the square of `scipy.spatial.distance.jensenshannon`. Raises InputError where `k` is
    no number of chats that the file has, or the subsets are too many to look at.
    """
    import numpy as np
    from scipy.spatial.distance import jensenshannon

    chats = file.dialogues
    if not 1 <= k <= len(chats):
        raise InputError(f"--k {k}: the file has {len(chats)} chats; 1 to {len(chats)} is allowed")
    if comb(len(chats), k) > MOST:
        raise InputError(f"--k {k}: {comb(len(chats), k):,} subsets of {len(chats)} chats; {MOST:,} is allowed")
    counts = [np.array([_counts(axis, one.questions) for one in chats], dtype=float) for axis in AXES]
    subsets = np.array(list(combinations(range(len(chats)), k)))
    parts = [
        np.square(jensenshannon(count[subsets].sum(axis=1), count.sum(axis=0)[None, :], axis=1)) for count in counts
    ]
    total = np.sum(parts, axis=0)
    order = np.argsort(total, kind="stable")[:most]
    asked = [sum(question.category != ABSTAIN for question in one.questions) for one in chats]
    return [
        Subset(
            tuple(chats[i].id for i in subsets[n]),
            sum(asked[i] for i in subsets[n]),
            (float(parts[0][n]), float(parts[1][n]), float(parts[2][n])),
            float(total[n]),
        )
        for n in order
    ]


def _counts(axis: str, questions: Sequence[Question]) -> list[int]:
    bins = [_bin(axis, question) for question in questions]
    return [bins.count(wanted) for wanted in (CATEGORIES if axis == "category" else range(3))]


def _bin(axis: str, question: Question) -> int:
    if axis == "category":
        return question.category
    return min(question.cited if axis == "evidence" else question.span, 2)
