"""The file of a judge's check, as a session finds it."""

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_membench.errors import StoreError
from pytest_membench.report.checked import FOLDER, KEPT, file_of, known
from pytest_membench.report.judgecheck import summarise
from pytest_membench.store import write_json
from pytest_membench.suites.calibration import digest, load


def keep(root: Path, judge: str = "m", **changes: Any) -> dict[str, Any]:
    """Write a check of a judge, of the set that ships."""
    rows = [{"type": "t", "expected": "wrong", "given": "wrong", "first": "wrong", "second": None}]
    found = {**summarise(judge, rows, digest=digest(load()), path=None), **changes}
    write_json(file_of(root / FOLDER, judge), found)
    return found


def test_a_judge_without_a_file_was_never_checked(tmp_path: Path) -> None:
    """Another judge's file does not count."""
    keep(tmp_path, "other")
    assert known(tmp_path, "m") is None


def test_a_check_is_found_by_the_judges_setting(tmp_path: Path) -> None:
    """Under a name that is safe as a file's; digest and confusion stay in the file."""
    found = keep(tmp_path, "org/m/low@x")
    assert known(tmp_path, "org/m/low@x") == {**{name: found[name] for name in KEPT}, "stale": False}


def test_another_digest_is_stale(tmp_path: Path) -> None:
    """The set or the prompts changed since."""
    keep(tmp_path, digest="0" * 64)
    made = known(tmp_path, "m")
    assert made is not None
    assert made["stale"] is True


def test_a_set_of_ones_own_is_looked_up_again(tmp_path: Path) -> None:
    """It stands relative to the rootdir; changed or gone, the check is out of date."""
    row = {
        "id": "a",
        "type": "t",
        "kind": "recall",
        "question": "q",
        "gold": "g",
        "answer": "a",
        "label": "wrong",
        "why": "w",
    }
    path = tmp_path / "mine.json"
    path.write_text(json.dumps([row]), encoding="utf-8")
    keep(tmp_path, set="mine.json", digest=digest(load(path)))
    assert known(tmp_path, "m")["stale"] is False  # type: ignore[index]
    path.write_text(json.dumps([{**row, "answer": "b"}]), encoding="utf-8")
    assert known(tmp_path, "m")["stale"] is True  # type: ignore[index]
    path.unlink()
    assert known(tmp_path, "m")["stale"] is True  # type: ignore[index]


@pytest.mark.parametrize("content", ["[]", '{"judge": "m"}', "{"])
def test_a_file_that_is_no_check_is_named(tmp_path: Path, content: str) -> None:
    """So that it is deleted or written anew, and never read as a check."""
    path = file_of(tmp_path / FOLDER, "m")
    path.parent.mkdir(parents=True)
    path.write_text(content, encoding="utf-8")
    with pytest.raises(StoreError, match=r"m\.json"):
        known(tmp_path, "m")


def test_a_file_of_another_judge_is_refused(tmp_path: Path) -> None:
    """A copied file does not vouch for another judge."""
    write_json(file_of(tmp_path / FOLDER, "m"), keep(tmp_path, "other"))
    with pytest.raises(StoreError, match="no check of judge 'm'"):
        known(tmp_path, "m")
