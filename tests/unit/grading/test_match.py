"""Plain matching: it may spare a judge, and must never be more generous than one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_membench import Probe
from pytest_membench.data import KINDS, RUBRIC_KINDS, Kind
from pytest_membench.grading.match import normal, same_as_gold


def probe(gold: str, kind: Kind = "recall") -> Probe:
    """Return a probe with this gold."""
    return Probe("x-01", kind, "?", gold, (1,))


@pytest.mark.parametrize(
    ("gold", "answer"),
    [
        ("14 September", "14 september."),
        ("14 September", "  14   SEPTEMBER\n"),
        ("the red kayak", "A red kayak!"),
        ("Straße", "STRASSE"),
        ("Zoë", "Zoe\u0308"),
        ("42", "\uff14\uff12"),
    ],
)
def test_form_alone_makes_no_difference(gold: str, answer: str) -> None:
    """Case, space, a full stop, articles and ways to encode a letter do not matter."""
    assert same_as_gold(probe(gold), answer)


@pytest.mark.parametrize(
    ("gold", "answer"),
    [
        ("14 September", "not 14 September"),
        ("14 September", "14 September or 15 September"),
        ("14 September", "14"),
        ("correct", "incorrect"),
        ("yes", "no"),
        ("Zoë", "Zoe"),
        ("14 September", ""),
        ("14 September", "..."),
        ("!", "?"),
    ],
)
def test_containing_the_gold_is_not_being_the_gold(gold: str, answer: str) -> None:
    """More, less or other words go to the judge, and so does an answer without any."""
    assert not same_as_gold(probe(gold), answer)


@pytest.mark.parametrize(
    ("gold", "answer"),
    [
        ("-5 degrees", "5 degrees"),
        ("€40", "$40"),
        ("10%", "10"),
        ("Team A", "team"),
        ("C++", "C#"),
        ("1.5", "1 5"),
        ("yes 👍", "yes 👎"),
        ("\u0915\u093f", "\u0915\u0940"),
    ],
)
def test_a_sign_that_carries_meaning_is_no_form(gold: str, answer: str) -> None:
    """A minus, a currency, a unit, a letter that names a thing or a vowel sign makes another answer."""
    assert not same_as_gold(probe(gold), answer)


@pytest.mark.parametrize("kind", KINDS)
def test_a_rubric_is_never_matched(kind: Kind) -> None:
    """An answer that repeats the rubric word for word is not what the rubric asks for."""
    rubric = "Greets her as Max."
    assert same_as_gold(probe(rubric, kind), rubric) == (kind not in RUBRIC_KINDS)


@given(st.text())
def test_normal_is_settled_after_one_step(text: str) -> None:
    """What is normal stays as it is."""
    assert normal(normal(text)) == normal(text)


@given(st.text(), st.text())
def test_matching_does_not_depend_on_the_side(one: str, other: str) -> None:
    """Gold and answer can be exchanged."""
    assert same_as_gold(probe(one), other) == same_as_gold(probe(other), one)
