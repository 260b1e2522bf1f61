"""What is shown of judges: one line beside the scores, and nothing that was not measured as 0."""

from typing import Any

import pytest

from pytest_membench.report.judgetext import (
    SHOWN,
    beside_scores,
    by_type,
    kappas,
    left_out,
    one_line,
    short,
    two_judges,
)

CHECK: dict[str, Any] = {
    "judge": "m",
    "n": 76,
    "right": 61,
    "accuracy": 80.3,
    "interval": [69.9, 87.7],
    "kappa": 0.701,
    "kappa_interval": [0.57, 0.83],
    "by_type": {},
    "not_judged": 0,
    "stale": False,
}
LINE = "judge m: right on 61 of 76 labelled answers (80.3%, 69.9 to 87.7), kappa 0.70"


def summary(check: dict[str, Any] | None, **settings: Any) -> dict[str, Any]:
    """Return a summary with one design's score."""
    return {"scores": {"m": {"window": {}}}, "judge": "m", "judge_check": check, "settings": settings}


def test_a_check_is_one_line() -> None:
    """Right answers, their share with its interval, kappa; what was not judged is added."""
    assert beside_scores(summary(CHECK)) == [one_line(CHECK)] == [LINE]
    assert one_line({**CHECK, "not_judged": 3}) == f"{LINE}, 3 not judged"
    assert one_line({**CHECK, "kappa": None}).endswith("kappa not defined")


def test_a_check_of_nothing_has_no_figures() -> None:
    """No share is shown where nothing was judged."""
    made = one_line({**CHECK, "n": 0, "right": 0, "accuracy": None, "interval": None, "not_judged": 76})
    assert made == "judge m: none of the labelled answers was judged, 76 not judged"


def test_a_stale_check_says_so_after_its_figures() -> None:
    """With the command that renews it."""
    (made,) = beside_scores(summary({**CHECK, "stale": True}))
    assert made.startswith(LINE + "; out of date")
    assert made.endswith("membench judge-check --model m --record new")


@pytest.mark.parametrize(
    ("setting", "options"),
    [
        ({"model": "org/m", "effort": "low", "provider": "p"}, "--model org/m --effort low --provider p --record new"),
        ({"model": "sim", "effort": None, "provider": None}, "--model sim"),
    ],
)
def test_the_command_names_the_judges_setting(setting: dict[str, Any], options: str) -> None:
    """A judge that is also an answering setting has its effort and provider."""
    assert beside_scores(summary(None, m=setting)) == [f"judge m was never checked: membench judge-check {options}"]


def test_without_a_score_there_is_no_line() -> None:
    """A session that judged nothing needs no judge."""
    assert beside_scores({**summary(None), "scores": {"m": {}}}) == []


def test_types_without_a_label_have_no_share() -> None:
    """A dash in its place."""
    part = {"n": 0, "right": 0, "accuracy": None, "not_judged": 5}
    assert by_type({"by_type": {"vague": part}})[1] == ["vague", "0", "0", "-", "5"]


def test_judges_without_a_common_answer_have_no_share() -> None:
    """It is said in words."""
    assert two_judges("a", "b", {"n": 0}) == ["a and b judged no answer in common"]


def test_a_kappa_without_an_interval_says_so() -> None:
    """Neither is a figure made up."""
    found = {"kappa": 1.0, "kappa_interval": None, "weighted_kappa": None, "weighted_kappa_interval": None}
    assert kappas(found)[0].startswith("kappa 1.00 (no interval), linear-weighted not defined (no interval);")


def test_texts_are_cut_to_one_line() -> None:
    """Line breaks of an answer do not break a listing."""
    assert short("a\n  b") == "a b"
    assert len(short("x" * 999)) == SHOWN


def test_nothing_left_out_needs_no_line() -> None:
    """Only what was left out is told."""
    assert left_out({}) == []
    assert left_out({"in one session only": 2}) == ["left out: 2 in one session only"]
