"""What broke: everything a reader needs, on lines that no text of a model or a suite can break out of."""

from pathlib import Path
from typing import Any

import pytest

from pytest_membench.data import Person, Probe, Suite, Turn, moment
from pytest_membench.report.broke import WIDTH, Broken, broken
from pytest_membench.report.folder import Session
from pytest_membench.store import Results, item_key, write_json

ITEM: dict[str, Any] = {
    "setting": "sim",
    "design": "notes(n=2)",
    "person": "maya",
    "probe": "recall-01",
    "repeat": 1,
    "kind": "recall",
    "nodeid": "benchmarks/test_probes.py::test_probe[notes(n=2)-maya-recall-01]",
}
ROW = {**ITEM, "outcome": "wrong", "score": 0.0, "session": "s", "lost": "never written down"}
TURNS = tuple(Turn(n, 1, f"09:{n:02}", "u", f"turn {n}", "Maya") for n in range(4))
PROBE = Probe("recall-01", "recall", "which colour?", "red", (1,))
SUITE = Suite("tiny", (Person("maya", "Maya", TURNS, (PROBE,), moment(91, "09:00")),))
ANSWER = {
    "session": "s",
    "question": "which colour?",
    "answer": "it was blue",
    "recent": [3],
    "pending": [2, 3],
    "snippets": [{"text": "the bike is red\n\nthe car is red too"}, {"text": "nothing of use"}],
}


def write(root: Path, stage: str, value: Any, row: Any = ROW) -> None:
    """Write what a stage left of an item."""
    write_json(Results(root).probe(stage, *item_key(row)), value)


def shown(root: Path, *rows: Any, suite: Suite | None = SUITE, verdict: str = "regressed", **manifest: Any) -> Any:
    """Return what broke in a session of these rows, whose baseline was right."""
    rows = rows or (ROW,)
    outcomes = {"sim": {ITEM["design"]: {"verdict": verdict, "newly_wrong": ["maya/recall-01"]}}}
    scores = {"sim": {ITEM["design"]: {"maya/recall-01": 1.0}}}
    return broken(Session(root, {"session": "s", "items": list(rows), **manifest}, rows, []), outcomes, scores, suite)


@pytest.fixture
def written(tmp_path: Path) -> Path:
    """A results folder with the answer and both looks at it."""
    write(tmp_path, "ans", ANSWER)
    write(tmp_path, "judge", {"session": "s", "label": "partial", "gold": "red", "reason": "close"})
    write(tmp_path, "judge2", {"session": "s", "label": "wrong", "gold": "red", "reason": ""})
    return tmp_path


def test_everything_stands_on_its_line(written: Path) -> None:
    """Question, gold, evidence, memory, answer, verdicts, the cause, both scores and the command."""
    (one,) = shown(written, options=["--design=notes(n=2)"])
    assert list(one.lines()) == [
        "question  which colour?",
        "gold      red",
        "evidence  [2026-08-03 09:01] Maya: turn 1",
        "memory    the bike is red",
        "memory    the car is red too",
        "          (2 of the 5 lines that stood before the model)",
        "answer    it was blue",
        "judge     first look: partial (close)",
        "judge     second look: wrong",
        "lost      never written down",
        "score     1 in the baseline, 0 now",
        "rerun     pytest 'benchmarks/test_probes.py::test_probe[notes(n=2)-maya-recall-01]' '--design=notes(n=2)'",
    ]


@pytest.mark.parametrize("verdict", ["ok", "stale", "incomplete", "none"])
def test_only_what_regressed_is_shown(written: Path, verdict: str) -> None:
    """A flip within noise, or beside a broken session, is no news."""
    assert shown(written, verdict=verdict) == []


def test_the_worst_repeat_is_shown_the_first_of_equals(tmp_path: Path) -> None:
    """Whatever the order in which workers finished."""
    rows = [{**ROW, "repeat": n, "score": score} for n, score in ((1, 1.0), (2, 0.0), (3, 0.5), (4, 0.0))]
    for row in rows:
        write(tmp_path, "ans", {**ANSWER, "answer": f"answer {row['repeat']}"}, row)
    assert [shown(tmp_path, *order)[0].answer for order in (rows, rows[::-1])] == ["answer 2", "answer 2"]


def test_a_repeat_that_was_not_judged_is_not_the_worst(written: Path) -> None:
    """Unknown is not 0: the one with a verdict is shown."""
    assert shown(written, ROW, {**ROW, "repeat": 2, "score": None, "outcome": "not_judged"})[0].now == 0.0


def test_without_suite_there_are_no_turns(written: Path) -> None:
    """The rest stands; turns shown verbatim are in the suite alone."""
    (one,) = shown(written, suite=None)
    assert (one.evidence, one.memory_lines, one.question) == ((), 3, "which colour?")


@pytest.mark.parametrize("probes", [(), (Probe("abstain-01", "abstain", "who?", "nobody"),)])
def test_a_probe_that_left_the_suite_has_no_evidence(written: Path, probes: tuple[Probe, ...]) -> None:
    """Somebody excluded it since: it is shown as far as it is known."""
    person = Person("maya", "Maya", TURNS, probes, moment(91, "09:00"))
    assert shown(written, suite=Suite("tiny", (person,)))[0].evidence == ()
    assert shown(written, suite=Suite("tiny", ()))[0].evidence == ()


@pytest.mark.parametrize("damage", [b"{", b"[]", b'{"session": "another"}', None])
def test_files_that_are_lost_or_damaged_cost_their_lines_alone(written: Path, damage: bytes | None) -> None:
    """The verdict stands in the row; the gate does not fail for want of an illustration."""
    for stage in ("ans", "judge", "judge2"):
        path = Results(written).probe(stage, *item_key(ROW))
        path.unlink() if damage is None else path.write_bytes(damage)
    (one,) = shown(written)
    assert (one.question, one.answer, one.memory, one.verdicts) == ("", "", (), ())
    assert "score     1 in the baseline, 0 now" in list(one.lines())


def test_no_text_begins_a_line_or_commands_a_terminal(tmp_path: Path) -> None:
    """Question, gold, answer and reason stay on one line each: `::` in it is no workflow command."""
    evil = "red\n::error::forged\r\x1b[2Jgone"
    write(tmp_path, "ans", {**ANSWER, "question": evil, "answer": evil, "snippets": [{"text": "red\x1b[2J"}]})
    write(tmp_path, "judge", {"session": "s", "label": "wrong", "gold": evil, "reason": evil})
    (one,) = shown(tmp_path)
    text = "\n".join(one.lines())
    assert text.count("::error::forged") == 4
    assert not any(line.startswith("::") for line in text.splitlines())
    assert "\x1b" not in text


def test_long_texts_are_cut_and_say_so(tmp_path: Path) -> None:
    """As many characters are shown, and the rest counted."""
    write(tmp_path, "ans", {**ANSWER, "answer": "a" * (WIDTH + 7)})
    assert shown(tmp_path)[0].answer == "a" * WIDTH + "... (7 characters more)"


def test_no_memory_that_fits_is_said() -> None:
    """Nothing in the memory shares a word with what was asked; nothing was ever said of it."""
    one = Broken(
        setting="sim",
        design="notes",
        name="maya/p",
        kind="abstain",
        question="?",
        gold="no",
        evidence=(),
        memory=(),
        memory_lines=0,
        answer="",
        verdicts=(),
        lost=None,
        was=0.3333,
        now=0.0,
        rerun="pytest x",
    )
    lines = list(one.lines())
    assert "evidence  none: it was never said" in lines
    assert "memory    no line that shares a word with question or gold" in lines
    assert not any(line.startswith("lost") for line in lines)
