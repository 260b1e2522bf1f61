"""Every row of an audit is held to the question that it names."""

import copy
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from pytest_membench.errors import SuiteError
from pytest_membench.suites import locomo_audit
from pytest_membench.suites.locomo_file import read

DATA = Path(__file__).parents[2] / "data"
ROWS: list[dict[str, Any]] = json.loads((DATA / "locomo_audit.json").read_text(encoding="utf-8"))


def findings(tmp_path: Path, rows: Any) -> Mapping[tuple[int, int], locomo_audit.Finding]:
    """Read an audit of these rows against the fixture."""
    path = tmp_path / "audit.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    return locomo_audit.read(path, read(DATA / "locomo.json"))


def test_rows_are_joined_by_position_and_index(tmp_path: Path) -> None:
    """A wrong citation doubts the evidence, every other type the gold."""
    found = findings(tmp_path, ROWS)
    assert {key: (one.flag, one.kind) for key, one in found.items()} == {
        (0, 1): ("citation", "WRONG_CITATION"),
        (0, 3): ("gold", "HALLUCINATION"),
        (1, 0): ("gold", "AMBIGUOUS"),
    }
    assert found[0, 1].evidence == ((1, 1), (1, 3))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"question_id": "locomo_0_qa2"}, r"row 0 \('locomo_0_qa2'\): field question is 'How many hens"),
        ({"question": "How many geese does Ivo keep?"}, r"row 0 \('locomo_0_qa1'\): field question is 'How many geese"),
        ({"golden_answer": "8"}, "field golden_answer is '8', the file says '7'"),
        ({"golden_answer": None}, "field golden_answer is 'None'"),
        ({"question_id": "locomo_9_qa1"}, "the file has no question 1 of chat 9"),
        ({"question_id": "locomo_0_qa13"}, "the file has no question 13 of chat 0"),
        ({"question_id": "qa1"}, r"row 0 \('qa1'\): field question_id: locomo_<chat>_qa<question>"),
        ({"error_type": ""}, "field error_type is ''"),
        ({"correct_evidence": ["D:1:1"]}, "field correct_evidence: 'D:1:1' is no turn id"),
        ({"correct_evidence": ["D9:9"]}, "correct_evidence names turn D9:9, which the chat has not"),
        ({"correct_evidence": "D1:1"}, "field correct_evidence is 'D1:1'; a list"),
    ],
)
def test_a_row_that_does_not_match_is_named(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    """An audit of another file, or of another version, corrects nothing unseen."""
    rows = copy.deepcopy(ROWS)
    rows[0].update(change)
    with pytest.raises(SuiteError, match=said):
        findings(tmp_path, rows)


def test_a_question_named_twice_is_refused(tmp_path: Path) -> None:
    """Two rows could say two things."""
    with pytest.raises(SuiteError, match=r"row 3 .*another row names already"):
        findings(tmp_path, [*ROWS, ROWS[0]])


def test_what_is_no_audit_says_so(tmp_path: Path) -> None:
    """Another shape, no JSON, and no file."""
    with pytest.raises(SuiteError, match="is no audit of LoCoMo"):
        findings(tmp_path, {"rows": ROWS})
    (tmp_path / "text.json").write_text("no", encoding="utf-8")
    file = read(DATA / "locomo.json")
    with pytest.raises(SuiteError, match="is not JSON"):
        locomo_audit.read(tmp_path / "text.json", file)
    with pytest.raises(SuiteError, match="cannot be read"):
        locomo_audit.read(tmp_path / "none.json", file)
