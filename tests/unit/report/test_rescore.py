"""Scoring anew from stored labels: today's audit counts, and no label speaks of another gold."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from pytest_membench.data import Person, Probe, Suite, Turn
from pytest_membench.errors import StoreError
from pytest_membench.report.folder import read
from pytest_membench.report.rescore import rescore
from pytest_membench.report.scores import summarise
from pytest_membench.store import read_json, write_json

Write = Callable[..., Path]
VERDICTS = {("maya", f"p{n}"): [label] for n, label in enumerate(["correct", "partial", "wrong", "not_judged"], 1)}


def suite(name: str = "tiny", **changes: Probe | None) -> Suite:
    """Return maya's suite with p1 to p4; a probe may be changed, or left out by None."""
    probes = {f"p{n}": Probe(f"p{n}", "recall", "q?", f"gold of p{n}", (0,)) for n in range(1, 5)}
    kept = tuple(probe for probe in {**probes, **changes}.values() if probe is not None)
    turns = (Turn(0, 1, "09:00", "u", "hello"),)
    return Suite(name, (Person("maya", "Maya", turns, kept, asked=datetime.fromisoformat("2026-09-01")),))


def outcomes(root: Path, today: Suite) -> dict[str, str]:
    """Return each probe's outcome by today's suite."""
    return {row["probe"]: row["outcome"] for row in rescore(read(root), today).rows}


def test_nothing_changed_nothing_changes(write_session: Write) -> None:
    """The stored labels and the same suite give the session's own summary."""
    session = read(write_session("a", VERDICTS))
    made = rescore(session, suite())
    assert summarise(made.manifest, made.rows, []) == summarise(session.manifest, session.rows, [])
    assert made.memories == session.memories


def test_an_excluded_probe_is_neither_scored_nor_expected(write_session: Write) -> None:
    """It leaves numerator and denominator alike."""
    made = rescore(read(write_session("a", VERDICTS)), suite(p3=None))
    row = summarise(made.manifest, made.rows, [])["scores"]["sim"]["notes"]
    assert (row["score"], row["n"], row["wrong"], row["not_run"], row["not_judged"]) == (75.0, 2, 0, 0, 1)
    assert len(made.manifest["items"]) == 3


def test_what_the_audit_doubts_now_counts(write_session: Write) -> None:
    """p3 is doubted since: the score without it is the mean of 100 and 50; cleared again, nothing is flagged."""
    doubted = replace(suite().people[0].probes[2], flag="gold")
    today = replace(suite(p3=doubted), notes=("audited anew",))
    made = rescore(read(write_session("a", VERDICTS)), today)
    found = summarise(made.manifest, made.rows, [])
    assert found["scores"]["sim"]["notes"]["flagged"]["gold"] == 1
    assert found["scores"]["sim"]["notes"]["flagged"]["without"]["score"] == 75.0
    assert found["suite_notes"] == ["audited anew"]
    cleared = rescore(made, suite())
    assert "flagged" not in summarise(cleared.manifest, cleared.rows, [])["scores"]["sim"]["notes"]


def test_what_was_not_run_stays_expected(write_session: Write) -> None:
    """An item without a result is not run by today's suite too."""
    made = rescore(read(write_session("a", {**VERDICTS, ("maya", "p4"): [None]})), suite())
    row = summarise(made.manifest, made.rows, [])["scores"]["sim"]["notes"]
    assert (row["not_run"], row["n"]) == (1, 3)


@pytest.mark.parametrize("label", ["correct", "partial", "wrong"])
def test_a_corrected_gold_leaves_its_probe_not_judged(write_session: Write, label: str) -> None:
    """The label speaks of the old gold: it counts neither for nor against the design."""
    fixed = Probe("p1", "recall", "q?", "another gold", (0,))
    made = rescore(read(write_session("a", {("maya", "p1"): [label], ("maya", "p2"): ["correct"]})), suite(p1=fixed))
    first = made.rows[0]
    assert (first["outcome"], first["score"], first["cause"]) == ("not_judged", None, "not_judged")
    assert "its gold changed since it was judged" in first["message"]
    row = summarise(made.manifest, made.rows, [])["scores"]["sim"]["notes"]
    assert (row["score"], row["n"], row["not_judged"], row["wrong"]) == (100.0, 1, 1, 0)


def test_another_question_under_the_same_id_is_not_judged(write_session: Write) -> None:
    """An answer to the question as it was is no answer to the one that stands there now."""
    root = write_session("a", VERDICTS)
    session = read(root).manifest["session"]
    write_json(root / "sim/ans/notes/maya/p1.json", {"question": "q?", "session": session})
    assert outcomes(root, suite())["p1"] == "correct"
    changed = rescore(read(root), suite(p1=Probe("p1", "recall", "another?", "gold of p1", (0,))))
    assert (changed.rows[0]["outcome"], changed.rows[0]["score"]) == ("not_judged", None)
    assert "its question changed" in changed.rows[0]["message"]


def test_the_second_look_wins(write_session: Write) -> None:
    """Where a second look was taken its label counts, and overturning is told."""
    root = write_session("a", VERDICTS)
    first = read_json(root / "sim/judge/notes/maya/p3.json")
    write_json(root / "sim/judge2/notes/maya/p3.json", {**first, "label": "correct"})
    made = {row["probe"]: row for row in rescore(read(root), suite()).rows}
    assert (made["p3"]["outcome"], made["p3"]["score"], made["p3"]["overturned"]) == ("correct", 1.0, True)
    assert (made["p1"]["overturned"], made["p2"]["outcome"]) == (False, "partial")


def test_a_label_corrected_by_hand_counts(write_session: Write) -> None:
    """Labels are read from their files, not from the rows."""
    root = write_session("a", VERDICTS)
    path = root / "sim/judge/notes/maya/p3.json"
    write_json(path, {**read_json(path), "label": "partial"})
    assert outcomes(root, suite())["p3"] == "partial"


@pytest.mark.parametrize("stage", ["judge", "judge2"])
def test_labels_of_an_earlier_session_do_not_count(write_session: Write, stage: str) -> None:
    """A label that another session left in the folder speaks of another answer."""
    root = write_session("a", VERDICTS)
    stale = {"label": "wrong", "gold": "gold of p1", "session": "an earlier one"}
    write_json(root / f"sim/{stage}/notes/maya/p1.json", stale)
    assert outcomes(root, suite())["p1"] == "correct"


@pytest.mark.parametrize("label", ["INCORRECT", "", 1, None])
def test_a_label_that_is_none_is_named(write_session: Write, label: Any) -> None:
    """An unreadable label is an error with its place, never a guess."""
    root = write_session("a", VERDICTS)
    path = root / "sim/judge/notes/maya/p1.json"
    write_json(path, {**read_json(path), "label": label})
    with pytest.raises(StoreError, match=r"maya p1: label .* is none of correct, partial, wrong"):
        rescore(read(root), suite())


def test_a_session_of_another_suite_is_refused(write_session: Write) -> None:
    """Ids of one suite mean nothing in another."""
    with pytest.raises(StoreError, match="is of suite 'tiny', not 'people'"):
        rescore(read(write_session("a", VERDICTS)), suite("people"))


def test_a_suite_that_asks_none_of_it_is_refused(write_session: Write) -> None:
    """A summary of nothing would say that all is complete."""
    session = read(write_session("a", VERDICTS))
    with pytest.raises(StoreError, match="suite 'tiny' asks none of its questions"):
        rescore(session, suite(p1=None, p2=None, p3=None, p4=None))


def test_a_person_without_the_probe_is_another_person(write_session: Write) -> None:
    """Tom's p1 is not maya's: only what the suite asks of that person is kept."""
    root = write_session("a", {**VERDICTS, ("tom", "p1"): ["wrong"]})
    made = rescore(read(root), suite())
    assert {row["person"] for row in made.rows} == {"maya"}
    both = replace(suite(), people=(*suite().people, replace(suite().people[0], id="tom")))
    assert len(rescore(read(root), both).rows) == 5


def test_cost_items_stay_as_they_are(write_session: Write) -> None:
    """A conversation that was priced has no gold: no audit touches it, and it is neither lost nor judged."""
    root = write_session("a", {**VERDICTS, ("15x50", "s1"): ["measured"]}, kinds={"s1": "cost"})
    made = rescore(read(root), suite(p3=None))
    assert [(row["probe"], row["outcome"]) for row in made.rows if row["kind"] == "cost"] == [("s1", "measured")]
    assert len(made.manifest["items"]) == 4
    with pytest.raises(StoreError, match="asks none of its questions"):
        rescore(read(root), suite(p1=None, p2=None, p3=None, p4=None))


def test_a_session_of_cost_alone_has_nothing_to_score(write_session: Write) -> None:
    """It named no suite and asked no question; the message says so rather than naming another suite."""
    session = read(write_session("a", VERDICTS))
    alone = replace(session, manifest={**session.manifest, "suite": None})
    with pytest.raises(StoreError, match="measured cost alone and asked no question"):
        rescore(alone, suite())
