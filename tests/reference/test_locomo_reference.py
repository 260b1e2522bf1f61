"""The published LoCoMo file: the paper's subset, and the counts of its irregularities and of its audit.

The files are CC BY-NC 4.0 and do not ship. Set MEMBENCH_LOCOMO_DATA to the folder that holds
`locomo10.json` and `locomo_audit_errors.json`; beside the rootdir, `../shared/data` is looked at.
"""

import os
from collections import Counter
from pathlib import Path

import pytest

from pytest_membench.suites import locomo, locomo_audit, locomo_file
from pytest_membench.suites.locomo_audit import Mode
from pytest_membench.suites.locomo_file import File
from pytest_membench.suites.locomo_subset import best

DATA = Path(os.environ.get("MEMBENCH_LOCOMO_DATA", Path(__file__).parents[2].parent / "shared" / "data"))
COPY, AUDIT = DATA / "locomo10.json", DATA / "locomo_audit_errors.json"

pytestmark = pytest.mark.skipif(
    not (COPY.exists() and AUDIT.exists()),
    reason="LoCoMo does not ship (CC BY-NC): set MEMBENCH_LOCOMO_DATA to a folder with the file and its audit",
)


@pytest.fixture(scope="module")
def file() -> File:
    """The published file, read."""
    return locomo_file.read(COPY)


def test_the_subset_is_the_paper_s(file: File) -> None:
    """As arXiv 2608.11879 has it: conv-26, 42, 44 and 48, 665 questions, and the three divergences."""
    first, second = best(file, 4)
    assert first.ids == locomo.PAPER_SUBSET
    assert first.questions == 665
    assert first.divergences == pytest.approx((2.783e-5, 2.012e-5, 1.358e-5), abs=5e-9)
    assert first.total == pytest.approx(6.154e-5, abs=5e-9)
    assert second.total == pytest.approx(8.228e-5, abs=5e-9)


def test_the_published_file_is_known_by_its_hash(file: File) -> None:
    """So no note warns of it."""
    assert file.published
    assert not any(note.startswith("warning") for note in locomo.load(COPY).notes)


def test_the_counts_are_those_of_the_dataset(file: File) -> None:
    """10 chats, 272 sessions, 5,882 turns, 1,986 questions: the dataset's own figures."""
    sessions = [session for one in file.dialogues for session in one.sessions]
    categories = Counter(question.category for one in file.dialogues for question in one.questions)
    assert (len(file.dialogues), len(sessions), sum(len(s.messages) for s in sessions)) == (10, 272, 5882)
    assert categories == {1: 282, 2: 321, 3: 96, 4: 841, 5: 446}


def test_every_irregularity_is_found(file: File) -> None:
    """Counted by hand over the published file."""
    wanted = {
        "malformed evidence strings": 7,
        "malformed evidence strings (repaired)": 6,
        "evidence strings": 2815,
        "evidence that points nowhere (dropped)": 2,
        "evidence that stands twice (kept once)": 1,
        "questions that cite nothing": 4,
        "answers that are numbers (read as text)": 6,
        "dates of sessions that do not exist (ignored)": 16,
        "questions that repeat another of their chat (kept)": 11,
        "turns with a caption (shown)": 1226,
        "turns with an image query (left out)": 888,
    }
    assert {name: file.found[name] for name in wanted} == wanted


def test_all_rows_of_the_audit_match(file: File) -> None:
    """156 rows: 99 wrong golds and 57 wrong citations."""
    flags = Counter(finding.flag for finding in locomo_audit.read(AUDIT, file).values())
    assert flags == {"gold": 99, "citation": 57}


@pytest.mark.parametrize(("mode", "questions"), [("flag", 665), ("drop", 622), ("evidence-only", 665)])
def test_the_audit_leaves_so_many_questions_of_the_subset(mode: Mode, questions: int) -> None:
    """Dropping wrong golds takes 43 of 665."""
    suite = locomo.load(COPY, audit=AUDIT, mode=mode)
    assert sum(len(person.probes) for person in suite.people) == questions


def test_no_turn_id_stands_in_a_turn() -> None:
    """Ids such as D1:2 must not reach the answering model."""
    suite = locomo.load(COPY, chats="all", category5=True)
    lines = [str(turn) for person in suite.people for turn in person.turns]
    assert len(lines) == 5882
    assert not any("D1:" in line for line in lines)
