"""What answers are measured by has a name, and a session's manifest keeps it."""

from pytest_membench.grading.protocol import USUAL, Protocol, name_of


def test_a_protocol_is_named_by_judging_and_form() -> None:
    """Sampling is kept beside it."""
    assert USUAL.name == "two-looks, free"
    assert Protocol("paper", "choice", 0.7, 32_768).name == "paper, choice"


def test_a_manifest_gives_the_name_back() -> None:
    """One from before there were several is of the usual protocol."""
    assert name_of({"protocol": Protocol("paper", temperature=0.7).as_dict()}) == "paper, free"
    assert name_of({}) == USUAL.name
