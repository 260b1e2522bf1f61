"""Asking a judge about labelled answers: as a session does, and what broke has no verdict."""

import json
from pathlib import Path
from typing import Any

import httpx2
import pytest

from pytest_membench import Probe
from pytest_membench.data import Setting
from pytest_membench.llm.client import Endpoint, Model
from pytest_membench.llm.meter import Meter
from pytest_membench.run import judgecheck
from pytest_membench.run.judgecheck import GIVE_UP, Ruling, cassette, check
from pytest_membench.suites.calibration import Triple

LINES = ("[2026-08-03 09:14] Ann: Mint it is.",)


def triple(number: int, answer: str = "Sage.", excerpt: tuple[str, ...] | None = None) -> Triple:
    """Return a labelled answer."""
    return Triple(
        f"t-{number}", "wrong", Probe(f"t-{number}", "recall", "Which tea?", "mint"), answer, "wrong", "no", excerpt
    )


class Script:
    """An endpoint that gives its replies in order; a number is an HTTP status. Keeps what it was asked."""

    def __init__(self, *replies: str | int) -> None:
        self.replies = list(replies)
        self.asked: list[Any] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        self.asked.append(json.loads(json.loads(request.content)["messages"][-1]["content"]))
        reply = self.replies.pop(0)
        if isinstance(reply, int):
            return httpx2.Response(reply, json={"error": {"message": "no"}})
        message = {"role": "assistant", "content": reply}
        return httpx2.Response(200, json={"choices": [{"message": message, "finish_reason": "stop"}]})


def says(label: str) -> str:
    """Return a judge's reply."""
    return json.dumps({"label": label, "reason": "so"})


def run(script: Script, triples: list[Triple], folder: Path, record: Any = "new") -> list[Ruling]:
    """Ask the scripted judge."""
    endpoint = Endpoint("http://m.invalid/v1", "key", transport=httpx2.MockTransport(script), sleep=lambda _: None)
    try:
        model = Model(endpoint, Setting("m"))
        tape = cassette(folder, model.setting, None)
        return list(check(triples, model, Meter("check"), tape=tape, record=record, rerun="record it so"))
    finally:
        endpoint.close()


def test_a_second_look_sees_the_excerpt_and_wins(tmp_path: Path) -> None:
    """What the first look does not find correct is shown again with the excerpt."""
    script = Script(says("partial"), says("wrong"))
    (made,) = run(script, [triple(1, excerpt=LINES)], tmp_path)
    assert "excerpt" not in script.asked[0]
    assert script.asked[1]["excerpt"] == list(LINES)
    row = made.row
    assert (row["first"], row["second"], row["given"], row["expected"]) == ("partial", "wrong", "wrong", "wrong")


def test_without_an_excerpt_there_is_one_look(tmp_path: Path) -> None:
    """The first look counts, whatever it says."""
    script = Script(says("partial"))
    (made,) = run(script, [triple(1)], tmp_path)
    assert (made.row["given"], made.row["second"]) == ("partial", None)


def test_correct_at_the_first_look_needs_no_second(tmp_path: Path) -> None:
    """As in a session."""
    script = Script(says("correct"))
    (made,) = run(script, [triple(1, excerpt=LINES)], tmp_path)
    assert (made.row["given"], made.row["second"], len(script.asked)) == ("correct", None, 1)


def test_the_gold_word_for_word_is_asked_about_too(tmp_path: Path) -> None:
    """A session needs no judge for it; here it is the judge that is measured."""
    script = Script(says("wrong"))
    (made,) = run(script, [triple(1, "Mint.")], tmp_path)
    assert made.row["given"] == "wrong"


@pytest.mark.parametrize("reply", ["INCORRECT", '{"label": "incorrect"}', "", '{"label": "correct", "label": "wrong"}'])
def test_a_reply_without_one_label_is_not_judged_and_no_outage(tmp_path: Path, reply: str) -> None:
    """It is the judge's own fault: there is no label, and never a wrong one."""
    first, second = run(Script(reply, says("wrong")), [triple(1), triple(2)], tmp_path)
    assert (first.row["given"], first.outage) == (None, False)
    assert first.row["message"]
    assert second.row["given"] == "wrong"


def test_a_call_that_fails_is_an_outage(tmp_path: Path) -> None:
    """It has no label either, and says nothing about the judge."""
    first, second = run(Script(402, says("wrong")), [triple(1), triple(2)], tmp_path)
    assert (first.row["given"], first.outage) == (None, True)
    assert "402" in first.row["message"]
    assert second.row["given"] == "wrong"


def test_a_dead_endpoint_is_not_asked_for_every_answer(tmp_path: Path) -> None:
    """After a few failures in a row the rest is not asked; all are without a verdict."""
    script = Script(*[402] * GIVE_UP)
    made = run(script, [triple(n) for n in range(GIVE_UP + 3)], tmp_path)
    assert all(ruling.outage and ruling.row["given"] is None for ruling in made)
    assert len(script.asked) == GIVE_UP
    assert "not asked" in made[-1].row["message"]


def test_what_was_recorded_replays_without_an_endpoint(tmp_path: Path) -> None:
    """The recording lies under the setting, and strict replay gives the same rows."""
    triples = [triple(1, excerpt=LINES), triple(2)]
    made = run(Script(says("partial"), says("wrong"), says("correct")), triples, tmp_path)
    assert (tmp_path / "m/judge-check/shipped.json").exists()
    again = run(Script(), triples, tmp_path, "none")
    assert [ruling.row for ruling in again] == [ruling.row for ruling in made]


def test_what_is_not_recorded_names_the_command(tmp_path: Path) -> None:
    """Strict replay asks about each answer still, and says how to record it."""
    made = run(Script(), [triple(n) for n in range(GIVE_UP + 2)], tmp_path, "none")
    assert all(ruling.outage and "record it so" in ruling.row["message"] for ruling in made)


def test_a_set_of_ones_own_has_a_cassette_of_its_own() -> None:
    """It is named after the file."""
    made = judgecheck.cassette(Path("c"), Setting("m", "low"), Path("x/mine.json"))
    assert made.name == "mine.json"
    assert made.parent.name == "judge-check"
