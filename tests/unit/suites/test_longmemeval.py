"""LongMemEval in its published form: each question a person of its own, labels kept from designs."""

import copy
import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from pytest_membench.data import RUBRIC_KINDS, Suite
from pytest_membench.errors import SuiteError
from pytest_membench.suites.longmemeval import load

COPY = Path(__file__).parents[2] / "data" / "longmemeval.json"
"""Four invented questions: an integer answer, an abstention, a preference, a session too late."""


@pytest.fixture(scope="module")
def suite() -> Suite:
    """The fixture, loaded."""
    return load(COPY)


def test_each_question_is_a_person_with_one_probe(suite: Suite) -> None:
    """The person's id is the question's; two questions about one history share no memory."""
    assert [person.id for person in suite.people] == ["ada01", "ada01_abs", "pref7", "late1"]
    assert all(len(person.probes) == 1 for person in suite.people)


def test_sessions_stand_by_date(suite: Suite) -> None:
    """In the file the later session stands first; an empty message is left out."""
    assert [str(turn) for turn in suite.person("ada01").turns] == [
        "[2024-05-20 21:10] User: Which shoes are good for running?",
        "[2024-05-20 21:10] Assistant: Light ones.",
        "[2024-06-03 07:45] User: I ran twelve kilometres this morning.",
        "[2024-06-03 07:45] Assistant: Well run!",
    ]


def test_labels_become_evidence(suite: Suite) -> None:
    """The labelled message is the third by date; the label stands nowhere in the turns."""
    assert suite.person("ada01").probes[0].evidence == (2,)
    assert "has_answer" not in repr(suite.person("ada01").turns)


def test_an_integer_is_an_answer(suite: Suite) -> None:
    """12 becomes "12"."""
    assert suite.person("ada01").probes[0].gold == "12"


def test_the_question_is_asked_at_its_date(suite: Suite) -> None:
    """Not the day after the last session, and not today."""
    assert suite.person("ada01").asked == datetime.fromisoformat("2024-06-30 18:20")


def test_what_ends_in_abs_is_an_abstention(suite: Suite) -> None:
    """Whatever its question_type says."""
    assert suite.person("ada01_abs").probes[0].kind == "abstain"


def test_a_preference_is_graded_by_its_rubric(suite: Suite) -> None:
    """Its answer describes a good reply and is none."""
    assert suite.person("pref7").probes[0].kind in RUBRIC_KINDS


def test_what_is_said_after_the_question_is_left_out_and_told(suite: Suite) -> None:
    """Nobody can remember the future; the notes count it."""
    assert "too late" not in repr(suite.person("ada01_abs").turns)
    assert "LongMemEval: 1 sessions dated after their question are left out." in suite.notes


def test_a_session_that_holds_the_answer_stays(suite: Suite) -> None:
    """Where the file dates it after its question, the question is asked at that time."""
    person = suite.person("late1")
    assert person.probes[0].evidence == (0,)
    assert person.asked == person.turns[-1].when


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"question_id": 5}, "question 0: field question_id is 5, a text is wanted"),
        ({"question_id": "pref7"}, "question 'pref7': field question_id stands twice"),
        (
            {"question_type": "riddle"},
            "question 'ada01': field question_type is 'riddle'; allowed are single-session-user",
        ),
        ({"question": ""}, "question 'ada01': field question is ''"),
        ({"answer": None}, "question 'ada01': field answer is missing"),
        ({"answer": True}, "question 'ada01': field answer is True"),
        ({"question_date": "30 June 2024"}, "question 'ada01': field question_date is '30 June 2024'; one like"),
        ({"question_date": "2024/13/30 (Sun) 18:20"}, "field question_date is '2024/13/30"),
        ({"haystack_dates": ["2024/06/03 (Mon) 07:45"]}, "field haystack_dates has 1 entries for 2 haystack_sessions"),
        ({"haystack_dates": ["2024/06/03 (Mon) 07:45", None]}, r"field haystack_dates\[1\] is missing"),
        ({"haystack_session_ids": None}, "field haystack_session_ids is missing, a list is wanted"),
        ({"haystack_sessions": "x"}, "field haystack_sessions is 'x', a list is wanted"),
        ({"haystack_sessions": [[], "x"]}, "session 's_a': field haystack_sessions holds 'x'"),
        (
            {"haystack_sessions": [[], [{"role": "system", "content": "x"}]]},
            "message 0: field role is 'system'; user or",
        ),
        ({"haystack_sessions": [[], [{"role": "user"}]]}, "message 0: field content is missing, a text is wanted"),
        ({"haystack_sessions": [[], []]}, "question 'ada01': field haystack_sessions holds no message"),
        ({"answer_session_ids": "s_b"}, "field answer_session_ids is 's_b', a list is wanted"),
    ],
)
def test_a_malformed_row_names_question_and_field(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    """The message says which question, which field, and what was wanted."""
    rows: list[dict[str, Any]] = copy.deepcopy(json.loads(COPY.read_text(encoding="utf-8")))
    rows[0].update(change)
    path = tmp_path / "copy.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    with pytest.raises(SuiteError, match=said):
        load(path)


@pytest.mark.parametrize(
    ("write", "said"),
    [
        (lambda _: None, "cannot be read"),
        (lambda path: path.write_text("no"), "is not JSON"),
        (lambda path: path.write_text("{}"), "is no file of LongMemEval"),
        (lambda path: path.write_text("[5]"), "question 0: is a int, an object is wanted"),
    ],
)
def test_what_is_no_file_of_longmemeval_says_so(tmp_path: Path, write: Callable[[Path], object], said: str) -> None:
    """Missing, no JSON, another shape."""
    write(tmp_path / "file.json")
    with pytest.raises(SuiteError, match=said):
        load(tmp_path / "file.json")
