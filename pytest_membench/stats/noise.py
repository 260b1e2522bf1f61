"""How much a score moves by chance alone, from the same questions answered several times."""

import math
from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple


class Answers(NamedTuple):
    """What the repeated answers to one question came to.

    `mean` is in [0, 1]; `variance` is that of one answer, `flips` the chance that two answers
    differ. Both are None for a single answer: it says nothing of chance.
    """

    mean: float
    variance: float | None
    flips: float | None


class Noise(NamedTuple):
    """What chance does to a score over n questions, each answered once.

    `sd` is the standard deviation of the score, in [0, 1]; `flips` how many questions are expected
    to come out differently in a second session.
    """

    sd: float
    flips: float
    n: int


def of_answers(scores: Sequence[float]) -> Answers:
    """Return mean, variance and chance of a flip of one question's scores, each in [0, 1].

    The variance divides by n - 1, and the chance of a flip is the share of pairs that differ: both
    are unbiased (Hoeffding 1948, doi:10.1214/aoms/1177730196). Raises ValueError for no score.
    """
    if not scores:
        raise ValueError("no score: of a question that was not answered nothing is known")
    mean = math.fsum(scores) / len(scores)
    if len(scores) == 1:
        return Answers(mean, None, None)
    variance = math.fsum((score - mean) ** 2 for score in scores) / (len(scores) - 1)
    pairs = list(combinations(scores, 2))
    return Answers(mean, variance, sum(a != b for a, b in pairs) / len(pairs))


def of_score(questions: Sequence[Answers]) -> Noise | None:
    """Return the noise of the mean over these questions, or None where one was answered once only.

    Questions are independent given the design and its memory, so their variances add up.
    """
    variances = [one.variance for one in questions if one.variance is not None]
    flips = [one.flips for one in questions if one.flips is not None]
    if not questions or len(variances) < len(questions):
        return None
    n = len(questions)
    return Noise(math.sqrt(math.fsum(variances)) / n, math.fsum(flips), n)
