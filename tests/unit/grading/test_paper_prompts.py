"""The paper's judge is asked once, for CORRECT or WRONG."""

import json

import pytest

from pytest_membench.data import KINDS, RUBRIC_KINDS, Kind, Probe
from pytest_membench.errors import NotJudged
from pytest_membench.grading.paper import LABELS, paper_messages
from pytest_membench.grading.verdict import parse


def probe(kind: Kind = "single_hop") -> Probe:
    """Return a probe of this kind."""
    return Probe("q001", kind, "What colour is the raft?", "green", (9,))


@pytest.mark.parametrize("kind", KINDS)
def test_the_judge_sees_question_gold_and_answer_alone(kind: Kind) -> None:
    """Not the evidence, not the probe's id; a rubric is given as one."""
    system, user = paper_messages(probe(kind), "It is blue.")
    given_by = "rubric" if kind in RUBRIC_KINDS else "gold"
    assert json.loads(user["content"]) == {
        "question": "What colour is the raft?",
        given_by: "green",
        "answer": "It is blue.",
    }
    assert '"label": "CORRECT"' in system["content"]
    assert '"label": "WRONG"' in system["content"]
    assert "partial" not in system["content"]


def test_an_abstention_may_be_correct() -> None:
    """The rule of `abstain` asks for not knowing, that of the others calls it wrong."""
    told = {kind: paper_messages(probe(kind), "x")[0]["content"] for kind in ("abstain", "single_hop")}
    assert 'CORRECT: "answer" says that it does not know' in told["abstain"]
    assert "does not answer" in told["single_hop"]


@pytest.mark.parametrize(("text", "label"), [("CORRECT", "correct"), ("WRONG", "wrong"), ("Wrong", "wrong")])
def test_either_label_is_read(text: str, label: str) -> None:
    """Case aside."""
    assert parse(json.dumps({"label": text}), labels=LABELS).label == label


@pytest.mark.parametrize(
    "text",
    [
        '{"label": "INCORRECT"}',
        '{"label": "NOT CORRECT"}',
        '{"label": "PARTIAL"}',
        '{"label": "partially correct"}',
        '{"label": "CORRECT", "label": "WRONG"}',
        '{"label": ["CORRECT", "WRONG"]}',
        '{"label": "CORRECT or WRONG"}',
        '{"correct": false}',
        '{"score": 85}',
        "CORRECT",
        "**CORRECT**.",
        "Verdict:\nWRONG",
        "",
    ],
)
def test_whatever_is_not_exactly_one_of_the_two_is_not_judged(text: str) -> None:
    """A substring search would read the first of these as correct."""
    with pytest.raises(NotJudged):
        parse(text, labels=LABELS)


def test_a_verdict_that_was_cut_off_is_none() -> None:
    """Even where the label had been written."""
    with pytest.raises(NotJudged, match="cut off"):
        parse('{"label": "CORRECT"}', "length", LABELS)
