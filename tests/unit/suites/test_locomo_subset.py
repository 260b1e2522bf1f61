"""The subset whose questions are nearest to the whole file's is found among all subsets."""

import math
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_membench.errors import InputError
from pytest_membench.suites.locomo_file import Dialogue, File, Question, read
from pytest_membench.suites.locomo_subset import best

COPY = Path(__file__).parents[2] / "data" / "locomo.json"


def dialogue(position: int, questions: list[tuple[int, int, int]]) -> Dialogue:
    """Return a chat whose questions have these categories, evidence strings and sessions."""
    rows = [Question(n, category, "?", "!", (), cited, span) for n, (category, cited, span) in enumerate(questions)]
    return Dialogue(position, f"chat-{position}", ("A", "B"), (), tuple(rows))


def divergence(p: list[int], q: list[int]) -> float:
    """Jensen and Shannon's divergence by its definition, in nats."""
    a, b = ([x / sum(counts) for x in counts] for counts in (p, q))
    middle = [(x + y) / 2 for x, y in zip(a, b, strict=True)]

    def kl(one: list[float]) -> float:
        return sum(x * math.log(x / m) for x, m in zip(one, middle, strict=True) if x)

    return (kl(a) + kl(b)) / 2


QUESTIONS = st.lists(st.tuples(st.integers(1, 5), st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=6)


@given(st.lists(QUESTIONS, min_size=2, max_size=5), st.data())
def test_no_other_subset_is_nearer(chats: list[list[tuple[int, int, int]]], data: st.DataObject) -> None:
    """The best has the least sum of the three divergences, each as its definition gives it."""
    k = data.draw(st.integers(1, len(chats)))
    file = File(tuple(dialogue(n, rows) for n, rows in enumerate(chats)), "")

    def counts(of: tuple[int, ...] | range, axis: int) -> list[int]:
        found = [row[0] - 1 if axis == 0 else min(row[axis], 2) for n in of for row in chats[n]]
        return [found.count(wanted) for wanted in range(5 if axis == 0 else 3)]

    totals = [
        sum(divergence(counts(of, axis), counts(range(len(chats)), axis)) for axis in range(3))
        for of in combinations(range(len(chats)), k)
    ]
    first = best(file, k)[0]
    assert first.total == pytest.approx(min(totals), abs=1e-9)
    assert first.total == pytest.approx(sum(first.divergences), abs=1e-12)


def test_all_chats_are_no_distance_from_themselves() -> None:
    """The only subset of all chats has divergence 0; its questions are counted without category 5."""
    found = best(read(COPY), 4)
    assert len(found) == 1
    assert found[0].ids == ("talk-1", "talk-2", "talk-3", "talk-4")
    assert found[0].questions == 20
    assert found[0].total == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("k", [0, 5, -1])
def test_k_is_a_number_of_chats_that_there_are(k: int) -> None:
    """Another is refused with what is allowed."""
    with pytest.raises(InputError, match=rf"--k {k}: the file has 4 chats; 1 to 4 is allowed"):
        best(read(COPY), k)


def test_too_many_subsets_are_refused() -> None:
    """Of 40 chats there are 137,846,528,820 subsets of 20."""
    file = File(tuple(dialogue(n, [(1, 1, 1)]) for n in range(40)), "")
    with pytest.raises(InputError, match="137,846,528,820 subsets of 40 chats"):
        best(file, 20)
