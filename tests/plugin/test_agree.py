"""`membench agree`: two judges on the same answers, and the second looks of one session."""

import json
from typing import Any

from bench_folder import CONFTEST, Folder
from click.testing import CliRunner

from pytest_membench.cli import main

STRICT = CONFTEST.replace(
    '    if gold.startswith("unpaid")',
    '    if body["model"] == "strict":\n        gold = gold.replace("partial", "wrong")\n    if gold.startswith("unpaid")',
)
GOLDS = ("correct", "partial", "wrong", "correct", "partial")


def agree(*args: str, code: int = 0) -> str:
    """Run the command and return what it printed; it may not raise."""
    result = CliRunner().invoke(main, ["agree", *args])
    assert result.exception is None or isinstance(result.exception, SystemExit), repr(result.exception)
    assert result.exit_code == code, result.output
    return result.output


def found(*args: str) -> Any:
    """Return what the command prints as JSON."""
    return json.loads(agree(*args, "--json"))


def record(folder: Folder, out: str, judge: str, *args: str) -> None:
    """Run a session with this judge."""
    folder.write("conftest.py", STRICT)
    folder.run(f"--membench-out={out}", f"--membench-judge={judge}", "--membench-record=new", *args)


def test_two_judges_on_the_same_answers(folder: Folder) -> None:
    """3 of 5 labels are the same; the two others are listed with both labels."""
    folder.people(ada=GOLDS)
    record(folder, "A", "mild")
    record(folder, "B", "strict")
    text = agree("A", "B")
    assert "mild and strict give the same label to 3 of 5 (60.0%, " in text
    assert "window ada recall-02 (sim): mild partial, strict wrong" in text
    assert "window ada recall-05 (sim): mild partial, strict wrong" in text
    assert "noise" not in text
    data = found("A", "B")
    assert data["confusion"]["partial"] == {"correct": 0, "partial": 0, "wrong": 2}
    assert data["kinds"]["recall"]["same"] == 3
    assert data["left_out"] == {}
    assert 0 < data["kappa"] < 1


def test_the_same_judge_twice_measures_its_noise(folder: Folder) -> None:
    """It is said, and the two are told apart by their folders."""
    record(folder, "A", "mild")
    record(folder, "B", "mild")
    text = agree("A", "B")
    assert "mild in A and mild in B give the same label to 4 of 4" in text
    assert "both were judged by mild: this measures the judge's own noise" in text


def test_other_answers_are_left_out_and_counted(folder: Folder) -> None:
    """An answer whose text differs, one without a verdict, and one that only one session asked for."""
    folder.people(ada=("correct", "partial", "wrong", "correct"))
    record(folder, "A", "mild")
    folder.people(ada=("correct", "partial", "wrong", "say nothing", "wrong"))
    record(folder, "B", "strict")
    path = folder.root / "B/sim/ans/window/ada/recall-03.json"
    path.write_text(path.read_text().replace("I heard", "I have heard"))
    text = agree("A", "B")
    assert "same label to 1 of 2" in text
    assert (
        "left out: 1 in one session only, 1 with another question, gold or answer, 1 without a verdict on both sides"
        in text
    )


def test_an_answer_that_is_the_gold_says_nothing_about_judges(folder: Folder) -> None:
    """No judge was asked about it, so agreement on it is none."""
    folder.people(ada=("correct", "I heard: what is thing 2?"))
    record(folder, "A", "mild")
    record(folder, "B", "strict")
    data = found("A", "B")
    assert data["n"] == 1
    assert [n for why, n in data["left_out"].items() if "word for word" in why] == [1]


def test_sessions_without_a_common_answer_are_refused(folder: Folder) -> None:
    """What keeps them apart is told; one session twice is refused too."""
    record(folder, "A", "mild", "-k", "recall-01")
    record(folder, "B", "mild", "-k", "recall-02")
    assert "no judged answer in common: 2 in one session only" in agree("A", "B", code=4)
    assert "hold the same session" in agree("A", "A", code=4)


def test_one_session_alone_shows_its_second_looks(folder: Folder) -> None:
    """What is not correct was looked at twice; a look that says the same overturned nothing."""
    folder.people(ada=GOLDS)
    record(folder, "A", "mild")
    assert "second look: 3 answers, 0 overturned (0.0%): 0 up, 0 down" in agree("A")


def test_the_direction_of_second_looks(folder: Folder) -> None:
    """Up is towards correct: two up, one down, as the stored labels say."""
    folder.people(ada=("wrong", "wrong", "partial", "correct"))
    record(folder, "A", "mild")
    for probe, label in (("recall-01", "correct"), ("recall-02", "partial"), ("recall-03", "wrong")):
        path = folder.root / f"A/sim/judge2/window/ada/{probe}.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | {"label": label}))
    data = found("A")
    assert (data["second_looks"], data["overturned"], data["up"], data["down"]) == (3, 3, 2, 1)
    assert data["table"]["wrong"] == {"correct": 1, "partial": 1, "wrong": 0}
    assert "3 overturned (100.0%): 2 up, 1 down" in agree("A")


def test_a_session_without_second_looks_says_so(folder: Folder) -> None:
    """All answers were correct at the first look."""
    folder.people(ada=("correct", "correct"))
    record(folder, "A", "mild")
    assert "no answer got a second look" in agree("A")


def test_sessions_of_two_suites_share_no_question(folder: Folder) -> None:
    """Both suites are named."""
    record(folder, "A", "mild")
    record(folder, "B", "mild")
    path = folder.root / "B/manifest.json"
    path.write_text(path.read_text().replace('"suite": "tiny"', '"suite": "other"'))
    assert "are of the suites 'tiny' and 'other'" in agree("A", "B", code=4)


def test_a_verdict_whose_answer_is_gone_is_left_out(folder: Folder) -> None:
    """Without its text nobody can say that the answers are the same."""
    record(folder, "A", "mild")
    record(folder, "B", "mild")
    (folder.root / "B/sim/ans/window/ada/recall-01.json").unlink()
    assert "left out: 1 without a verdict on both sides" in agree("A", "B")
