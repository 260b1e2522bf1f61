"""LoCoMo's file is read as it is: every irregularity mended and counted, every fault named."""

import copy
import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_membench.errors import SuiteError
from pytest_membench.suites.locomo_file import File, places, read

COPY = Path(__file__).parents[2] / "data" / "locomo.json"
"""Four invented chats with every irregularity that the published file has."""
ROWS: list[dict[str, Any]] = json.loads(COPY.read_text(encoding="utf-8"))


def changed(tmp_path: Path, change: Callable[[list[dict[str, Any]]], object]) -> Path:
    """Write a copy of the fixture with one change."""
    rows = copy.deepcopy(ROWS)
    change(rows)
    path = tmp_path / "copy.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def file() -> File:
    """The fixture, read."""
    return read(COPY)


def test_sessions_stand_by_number_not_as_text(file: File) -> None:
    """session_10 stands first in the JSON and follows session_2; sessions with a date alone are none."""
    assert [session.number for session in file.dialogues[0].sessions] == [1, 2, 10]


def test_dates_are_those_of_the_sessions(file: File) -> None:
    """Twelve-hour times are read, midnight too."""
    whens = [session.when for session in file.dialogues[0].sessions]
    assert whens == [datetime.fromisoformat(t) for t in ("2024-03-05 13:56", "2024-03-20 09:30", "2024-11-11 00:06")]


@given(st.permutations(list(ROWS[0]["conversation"])))
def test_the_order_of_keys_changes_nothing(tmp_path_factory: pytest.TempPathFactory, keys: list[str]) -> None:
    """JSON objects have no order that may be relied on."""

    def reorder(rows: list[dict[str, Any]]) -> None:
        rows[0]["conversation"] = {key: rows[0]["conversation"][key] for key in keys}

    path = changed(tmp_path_factory.mktemp("order"), reorder)
    assert read(path).dialogues == read(COPY).dialogues


def test_malformed_evidence_is_repaired_or_dropped(file: File) -> None:
    """Several ids in one string, D:10:2, D2:02, a bare D, a turn that is not there, none, and a double."""
    cited = {one.index: one.evidence for one in file.dialogues[0].questions}
    assert cited[2] == ((2, 1), (10, 1))
    assert cited[3] == ((10, 2),)
    assert cited[5] == ((2, 2),)
    assert cited[6] == ((1, 4), (2, 3))
    assert cited[4] == cited[7] == ()
    assert cited[8] == ((10, 3),)
    assert cited[10] == ((2, 4), (1, 1))


def test_what_the_file_cites_is_kept_for_comparing_chats(file: File) -> None:
    """`cited` counts strings, and `span` the sessions that they name, there or not."""
    raw = {one.index: (one.cited, one.span) for one in file.dialogues[0].questions}
    assert (raw[2], raw[7], raw[8], raw[10], raw[4]) == ((1, 2), (1, 0), (2, 2), (3, 2), (0, 0))


def test_every_irregularity_is_counted(file: File) -> None:
    """The counts are those of the fixture, counted by hand."""
    assert dict(file.found) == {
        "answers that are numbers (read as text)": 1,
        "chats that share a speaker's name with another": 3,
        "dates of sessions that do not exist (ignored)": 2,
        "distractors of category 5 (never read)": 2,
        "evidence strings": 24,
        "evidence that points nowhere (dropped)": 1,
        "evidence that stands twice (kept once)": 1,
        "malformed evidence strings": 5,
        "malformed evidence strings (dropped)": 1,
        "malformed evidence strings (repaired)": 4,
        "questions that cite nothing": 1,
        "questions that repeat another of their chat (kept)": 1,
        "sessions that the second speaker opens": 2,
        "turns with a caption (shown)": 2,
        "turns with an image query (left out)": 2,
    }


def test_a_number_is_an_answer_and_a_distractor_is_none(file: File) -> None:
    """7 becomes "7"; category 5 has the file's answer, or None, and never its adversarial answer."""
    answers = {one.index: one.answer for one in file.dialogues[0].questions}
    assert (answers[1], answers[11], answers[12]) == ("7", None, "No")
    assert "zeppelin" not in repr(file)
    assert "quokka" not in repr(file)


def test_queries_of_images_are_not_read(file: File) -> None:
    """Captions are, the search text and the address of a picture are not."""
    assert "a photo of a raft" in repr(file)
    assert "narwhal" not in repr(file)
    assert "pictures.invalid" not in repr(file)


def test_another_file_is_read_and_says_that_it_is_another(file: File) -> None:
    """The hash decides whether it is the published one."""
    assert not file.published
    assert len(file.sha256) == 64


def _turn(rows: list[dict[str, Any]]) -> Any:
    return rows[0]["conversation"]["session_2"][1]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda rows: rows.clear(), "a list of chats is wanted, it is empty"),
        (lambda rows: rows[1].pop("qa"), r"chat 1: is no chat of LoCoMo: field qa is missing"),
        (lambda rows: rows[2].update(sample_id="talk-2"), "two chats have the sample_id 'talk-2'"),
        (lambda rows: rows[0]["conversation"].pop("speaker_b"), r"\(talk-1\): field speaker_b is missing"),
        (lambda rows: rows[1]["conversation"].pop("session_1"), r"\(talk-2\): field conversation holds no session"),
        (lambda rows: rows[0]["conversation"].pop("session_2_date_time"), r"session_2: its date is None"),
        (
            lambda rows: rows[0]["conversation"].update(session_2_date_time="20/3/2024"),
            r"date is '20/3/2024'; one like",
        ),
        (
            lambda rows: rows[0]["conversation"].update(session_1_date_time="1:00 am on 1 April, 2024"),
            "before session_1",
        ),
        (lambda rows: rows[0]["conversation"].update(session_1="hello"), "session_1: is a str, a list of turns"),
        (lambda rows: _turn(rows).update(dia_id="D3:2"), r"session_2: turn 2: field dia_id is 'D3:2'; D2:<n>"),
        (lambda rows: _turn(rows).update(dia_id="D2:1"), "field dia_id is 'D2:1'"),
        (lambda rows: _turn(rows).update(speaker="Zoe"), "field speaker is 'Zoe'; Ivo or Petra is wanted"),
        (lambda rows: _turn(rows).update(text=" "), "turn 2: field text is a str"),
        (lambda rows: rows[0]["qa"][1].update(category=6), "question 1: field category is 6; 1, 2, 3, 4, 5 are"),
        (lambda rows: rows[0]["qa"][1].update(category=True), "field category is True"),
        (lambda rows: rows[0]["qa"][1].update(answer=None), "only category 5 may have none"),
        (lambda rows: rows[0]["qa"][1].update(answer=[7]), r"field answer is \[7\]; a text or a whole number"),
        (lambda rows: rows[0]["qa"][1].update(evidence="D1:3"), "field evidence is a str, a list of turn ids"),
        (lambda rows: rows[0]["qa"][1].pop("question"), "field question is missing"),
    ],
)
def test_a_fault_names_chat_place_and_field(
    tmp_path: Path, change: Callable[[list[dict[str, Any]]], object], said: str
) -> None:
    """What cannot be read is told with where it stands and what is wanted."""
    with pytest.raises(SuiteError, match=said):
        read(changed(tmp_path, change))


def test_what_is_no_file_of_locomo_says_so(tmp_path: Path) -> None:
    """A missing file, one that is no JSON, and JSON of another shape."""
    with pytest.raises(SuiteError, match="cannot be read"):
        read(tmp_path / "nothing.json")
    (tmp_path / "text.json").write_text("hello", encoding="utf-8")
    with pytest.raises(SuiteError, match="is not JSON"):
        read(tmp_path / "text.json")
    (tmp_path / "other.json").write_text('{"a": 1}', encoding="utf-8")
    with pytest.raises(SuiteError, match="is no LoCoMo file: a list of chats is wanted, it is a dict"):
        read(tmp_path / "other.json")


@given(st.lists(st.text(alphabet="D0123456789:; ", max_size=12), max_size=4))
def test_whatever_is_cited_becomes_turns_that_exist_each_once(
    tmp_path_factory: pytest.TempPathFactory, cited: list[str]
) -> None:
    """No evidence string, however broken, breaks the reading or points outside the chat."""
    path = changed(tmp_path_factory.mktemp("any"), lambda rows: rows[0]["qa"][0].update(evidence=cited))
    dialogue = read(path).dialogues[0]
    known = {message.place for session in dialogue.sessions for message in session.messages}
    found = dialogue.questions[0].evidence
    assert set(found) <= known
    assert len(set(found)) == len(found)


def test_places_takes_well_formed_ids_alone() -> None:
    """An audit's ids are not repaired."""
    assert places(["D2:1", "D10:3"]) == ((2, 1), (10, 3))
    with pytest.raises(ValueError, match="'D:2:1' is no turn id"):
        places(["D1:1", "D:2:1"])
