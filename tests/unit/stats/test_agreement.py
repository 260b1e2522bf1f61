"""Agreement beyond chance: what is not defined is None, and what must hold for any two raters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_membench.stats.agreement import Weights, confusion, kappa

LABELS = ("correct", "partial", "wrong")
PAIRS = st.lists(st.tuples(st.sampled_from(LABELS), st.sampled_from(LABELS)), min_size=1, max_size=40)
BOTH = pytest.mark.parametrize("weights", [None, "linear"])


def table_of(pairs: list[tuple[str, str]]) -> list[list[int]]:
    """Return the table of pairs of labels."""
    return confusion([a for a, _ in pairs], [b for _, b in pairs], LABELS)


def test_confusion_counts_pairs() -> None:
    """Rows are the first rater's labels, columns the second's, in the order given."""
    first = ["correct", "correct", "wrong", "partial"]
    second = ["correct", "wrong", "wrong", "correct"]
    assert confusion(first, second, LABELS) == [[1, 0, 1], [1, 0, 0], [0, 0, 1]]


def test_confusion_refuses_what_is_no_pair_of_labels() -> None:
    """Other lengths and unknown labels are told."""
    with pytest.raises(ValueError, match="2 and 1 labels are no pairs"):
        confusion(["correct", "wrong"], ["wrong"], LABELS)
    with pytest.raises(ValueError, match="labels maybe: correct, partial, wrong are possible"):
        confusion(["maybe"], ["wrong"], LABELS)


@BOTH
def test_one_label_alone_has_no_kappa(weights: Weights) -> None:
    """Where both give everything the same label, kappa is unknown: neither 1 nor 0."""
    assert kappa([[0, 0, 0], [0, 9, 0], [0, 0, 0]], weights) == (None, None, 9)


@BOTH
def test_full_agreement_is_1_without_an_interval(weights: Weights) -> None:
    """An estimated error of 0 would be an interval without width: there is none."""
    made = kappa([[4, 0, 0], [0, 3, 0], [0, 0, 2]], weights)
    assert made.value == pytest.approx(1.0)
    assert made.interval is None


@BOTH
def test_a_rater_with_one_label_agrees_by_chance(weights: Weights) -> None:
    """Who always says correct has kappa 0, however many are correct."""
    made = kappa([[40, 0, 0], [3, 0, 0], [5, 0, 0]], weights)
    assert made.value == pytest.approx(0.0, abs=1e-12)
    assert made.interval is None


def test_opposite_raters_are_below_chance() -> None:
    """Two raters of whom each says what the other does not have kappa -1."""
    assert kappa([[0, 5], [5, 0]]).value == -1.0


def test_linear_weights_forgive_a_near_miss_more_than_a_far_one() -> None:
    """Correct for partial costs less than correct for wrong; unweighted they cost the same."""
    near = [[8, 2, 0], [0, 10, 0], [0, 2, 8]]
    far = [[8, 0, 2], [0, 10, 0], [2, 0, 8]]
    assert kappa(near, "linear").value > kappa(far, "linear").value  # type: ignore[operator]


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ([[1, 2]], "as many rows as columns"),
        ([[1]], "two at least"),
        ([[1, -1], [0, 2]], "none below 0"),
        ([[0, 0], [0, 0]], "agreement on nothing is unknown"),
    ],
)
def test_what_is_no_table_is_refused(table: list[list[int]], says: str) -> None:
    """Every refusal says what is wanted."""
    with pytest.raises(ValueError, match=says):
        kappa(table)


@given(PAIRS)
def test_kappa_lies_in_its_range_and_in_its_interval(pairs: list[tuple[str, str]]) -> None:
    """Kappa is in [-1, 1], and an interval holds it and has a width."""
    choices: tuple[Weights, ...] = (None, "linear")
    for weights in choices:
        made = kappa(table_of(pairs), weights)
        if made.value is not None:
            assert -1 - 1e-9 <= made.value <= 1 + 1e-9
        if made.interval is not None:
            assert made.value is not None
            assert -1 <= made.interval.low < made.interval.high <= 1
            assert made.interval.low - 1e-9 <= made.value <= made.interval.high + 1e-9


@given(PAIRS)
def test_the_raters_may_change_places(pairs: list[tuple[str, str]]) -> None:
    """Kappa does not depend on who is called the first."""
    swapped = kappa(table_of([(b, a) for a, b in pairs])).value
    assert kappa(table_of(pairs)).value == (swapped if swapped is None else pytest.approx(swapped))


@given(PAIRS)
def test_two_labels_have_no_near_misses(pairs: list[tuple[str, str]]) -> None:
    """With two labels the linear weights are those of plain kappa."""
    two = [[row[0], row[2]] for row in (table_of(pairs)[0], table_of(pairs)[2])]
    if any(map(any, two)):
        plain, linear = kappa(two), kappa(two, "linear")
        assert linear.value == (plain.value if plain.value is None else pytest.approx(plain.value))
