"""The judge's label: one of three, read strictly, or no verdict at all."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_membench.errors import NotJudged
from pytest_membench.grading.verdict import LABELS, Judged, parse


@pytest.mark.parametrize("label", ["correct", "partial", "wrong"])
@pytest.mark.parametrize("finish", ["stop", None])
def test_a_clear_label_is_read_with_its_reason(label: str, finish: str | None) -> None:
    """One object with one label is a verdict, whether or not the endpoint says why it stopped."""
    assert parse(json.dumps({"reason": "it says so", "label": label}), finish) == (label, "it says so")


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"label": "partial"}\n```',
        '```\n{"label": "partial"}\n```\n',
        '\n ```json\n{\n "label": "partial"\n}\n  ``` ',
        ' {"label": "PARTIAL"} ',
        '{"label": " Partial\\n"}',
    ],
)
def test_a_fence_white_space_and_case_change_nothing(text: str) -> None:
    """What models wrap around their JSON is taken off; the label is the same."""
    assert parse(text) == Judged("partial", "")


@pytest.mark.parametrize("reason", [None, 3, ["a"]])
def test_a_reason_that_is_no_text_is_left_out(reason: Any) -> None:
    """The label stands without its reason."""
    assert parse(json.dumps({"reason": reason, "label": "wrong"})) == Judged("wrong", "")


@pytest.mark.parametrize(
    "text",
    [
        "CORRECT",
        "**CORRECT**.",
        "INCORRECT",
        "NOT CORRECT",
        "partially correct",
        "correct=false",
        "Verdict:\ncorrect",
        "The answer is correct.",
        '{"label": "incorrect"}',
        '{"label": "INCORRECT"}',
        '{"label": "not correct"}',
        '{"label": "partially correct"}',
        '{"label": "correct, partial"}',
        '{"label": "correct."}',
        '{"label": "**correct**"}',
        '{"label": "correct or wrong"}',
        '{"label": "<label>"}',
        '{"label": ""}',
        '{"label": ["correct"]}',
        '{"label": {"correct": true}}',
        '{"label": true}',
        '{"label": 1}',
        '{"label": null}',
        '{"correct": true}',
        '{"correct": false}',
        '{"verdict": "correct"}',
        '{"score": 85}',
        '{"score": 0.85, "passed": true}',
        '{"passed": true}',
        '"correct"',
        '["correct"]',
        "1",
        "null",
        "{}",
    ],
)
def test_everything_else_is_no_verdict(text: str) -> None:
    """Prose, other scales, other fields and near misses never count, neither as correct nor as wrong."""
    with pytest.raises(NotJudged):
        parse(text)


def test_what_the_judge_thinks_of_passing_does_not_override_its_label() -> None:
    """A `passed` or a `score` beside the label changes nothing."""
    assert parse('{"passed": true, "score": 100, "label": "wrong"}').label == "wrong"


@pytest.mark.parametrize(
    "text",
    [
        '{"label": "wrong", "label": "correct"}',
        '{"label": "correct", "label": "correct"}',
        '{"label": "wrong"}{"label": "correct"}',
        '{"label": "wrong"}\n{"label": "correct"}',
        '{"label": "correct"} but on reflection {"label": "wrong"}',
        '```json\n{"label": "wrong"}\n```\n```json\n{"label": "correct"}\n```',
    ],
)
def test_two_labels_are_no_verdict(text: str) -> None:
    """A judge that gives two labels has not decided, even where both are the same."""
    with pytest.raises(NotJudged):
        parse(text)


@pytest.mark.parametrize("text", ["", "  \n"])
@pytest.mark.parametrize("finish", ["stop", "length", None])
def test_an_empty_reply_is_not_judged(text: str, finish: str | None) -> None:
    """A reasoning model that spent its budget has said nothing, not "wrong"."""
    with pytest.raises(NotJudged, match=r"empty|cut off"):
        parse(text, finish)


@pytest.mark.parametrize("text", ['{"label": "correct"}', '{"reason": "it st', '{"label": "corr'])
def test_a_reply_that_was_cut_off_is_not_judged(text: str) -> None:
    """What stopped at the token limit does not count, however whole it looks."""
    with pytest.raises(NotJudged, match="cut off at its token limit"):
        parse(text, "length")


def test_a_cut_reply_is_not_judged_even_when_the_endpoint_does_not_say_so() -> None:
    """Half an object is no object."""
    with pytest.raises(NotJudged, match="not one JSON object"):
        parse('{"label": "correct", "reason": "beca', "stop")


def test_a_reply_of_endless_brackets_is_not_judged() -> None:
    """A model that repeats itself breaks no parser: there is no verdict, and no crash."""
    with pytest.raises(NotJudged):
        parse("[" * 100_000)


def test_the_message_shows_the_label_and_the_beginning_of_the_reply() -> None:
    """The error quotes what came, at most 200 characters of it, and what was wanted."""
    with pytest.raises(NotJudged, match="'maybe'; one of correct, partial, wrong is wanted") as caught:
        parse(json.dumps({"label": "maybe", "reason": "x" * 1000}))
    assert len(str(caught.value)) < 350


@given(st.text().filter(lambda text: "label" not in text))
def test_no_text_is_a_verdict_by_accident(text: str) -> None:
    """Whatever a judge writes, what is no object with a label raises NotJudged."""
    with pytest.raises(NotJudged, match=r"^the judge's"):
        parse(text)


@given(st.text(max_size=12).filter(lambda text: text.strip().lower() not in LABELS))
def test_no_other_label_passes(label: str) -> None:
    """Only the three words are labels."""
    with pytest.raises(NotJudged):
        parse(json.dumps({"label": label}))
