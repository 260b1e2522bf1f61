"""Questions that flip between repeats and sessions: which, how often, and with what noise."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_membench.errors import StoreError
from pytest_membench.report import flaky, folder
from pytest_membench.report.folder import Session
from pytest_membench.store import Results, read_json, write_json

Write = Callable[..., Path]


@pytest.fixture
def sessions(write_session: Write) -> list[Session]:
    """Two sessions of two repeats: p1 always right, p2 flips between sessions, p3 within one, p4 broke once."""
    first = {
        ("maya", "p1"): ["correct", "correct"],
        ("maya", "p2"): ["wrong", "wrong"],
        ("omar", "p3"): ["partial", "correct"],
        ("omar", "p4"): [None, "not_judged"],
    }
    second = {
        ("maya", "p1"): ["correct", "correct"],
        ("maya", "p2"): ["correct", "correct"],
        ("omar", "p3"): ["correct", "correct"],
        ("omar", "p4"): ["not_judged", "wrong"],
    }
    return [folder.read(write_session(name, rows)) for name, rows in (("a", first), ("b", second))]


def test_the_least_stable_question_comes_first(sessions: list[Session]) -> None:
    """p2 has variance 1/3 and p3 1/16; an item that broke is no flip and no zero."""
    (found,) = flaky.flaky(sessions)
    assert [(p["probe"], p["verdicts"], p["score"], p["flips"]) for p in found["probes"]] == [
        ("p2", "ww..", 50.0, 0.6667),
        ("p3", "p...", 87.5, 0.5),
        ("p1", "....", 100.0, 0.0),
        ("p4", "w", 0.0, None),
    ]
    assert [p["noise_share"] for p in found["probes"][:3]] == pytest.approx([16 / 19, 3 / 19, 0.0], abs=1e-4)
    assert (found["unstable"], found["n"], found["answered_once"]) == (2, 3, 1)
    assert found["noise_points"] == pytest.approx(100 * (1 / 3 + 1 / 16) ** 0.5 / 3, abs=0.01)
    assert found["expected_flips"] == pytest.approx(2 / 3 + 1 / 2, abs=0.01)


def test_the_table_lists_what_flips(sessions: list[Session]) -> None:
    """By default no question that is stable; --all lists them too."""
    found = flaky.flaky(sessions)
    shown = "\n".join(flaky.lines(found))
    assert "notes (sim): 2 of 3 probes came out differently." in shown
    assert "1 probe has one verdict alone" in shown
    assert "maya p2" in shown
    assert "maya p1" not in shown
    assert "maya p1" in "\n".join(flaky.lines(found, every=True))


def test_without_a_second_answer_there_is_nothing_to_say(write_session: Write) -> None:
    """One session of one repeat is refused, with what to do."""
    session = folder.read(write_session("a", {("maya", "p1"): ["correct"]}))
    with pytest.raises(StoreError, match=r"run with --membench-repeats=3, or give the folders of several sessions"):
        flaky.flaky([session])


def test_a_design_answered_once_beside_another_is_unknown(write_session: Write) -> None:
    """Its noise is not 0."""
    a = write_session("a", {("maya", "p1"): ["correct", "wrong"]})
    b = write_session("b", {("maya", "p1"): ["correct"]}, design="other")
    found = flaky.flaky([folder.read(a), folder.read(b)])
    assert [one["noise_points"] for one in found] == [pytest.approx(100 * 0.5**0.5, abs=0.01), None]
    assert "other (sim): each probe was answered once, so nothing is known of chance" in flaky.lines(found)


def test_a_long_list_is_cut_and_says_so(write_session: Write) -> None:
    """Twenty a design; the rest by --all."""
    rows = {("maya", f"p{n}"): ["correct", "wrong"] for n in range(23)}
    found = flaky.flaky([folder.read(write_session("a", rows))])
    assert flaky.lines(found)[-1] == "and 3 more; --all lists every probe"
    assert len(flaky.lines(found, every=True)) == len(flaky.lines(found)) + 2


def test_a_design_that_changed_is_refused(sessions: list[Session]) -> None:
    """What an edit flips is no noise."""
    for session, digest in zip(sessions, ("1", "2"), strict=True):
        path = Results(session.root).manifest
        write_json(path, {**read_json(path), "designs": {"notes": {"digest": digest}}})
    with pytest.raises(StoreError, match=r"notes changed between .*a and .*b: what flips is no noise"):
        flaky.flaky([folder.read(session.root) for session in sessions])


def test_a_replay_is_told_from_a_second_opinion(sessions: list[Session]) -> None:
    """A session without one live call may be a copy of the one before."""
    for session, live in zip(sessions, (3, 0), strict=True):
        for path in session.root.glob("sim/rows/*/*/*.json"):
            write_json(path, {**read_json(path), "calls": {"live": live, "replayed": 3 - live, "failed": 0}})
    first, second = (folder.read(session.root) for session in sessions)
    assert flaky.copies([second, first]) == []
    (line,) = flaky.copies([first, second])
    assert line.startswith(f"{second.root} made no live call")
