"""Cassettes of several machines come together, and two recordings of the same calls are refused."""

import json
from collections.abc import Sequence
from itertools import permutations
from pathlib import Path

import pytest

from pytest_membench.errors import StoreError
from pytest_membench.llm.gather import gather


def write(root: Path, **files: Sequence[str]) -> Path:
    """Write cassettes `x/NAME.json` with these calls, and return the folder."""
    for name, calls in files.items():
        path = root / "x" / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"version": 1, "interactions": list(calls)}))
    root.mkdir(exist_ok=True)
    return root


def calls(root: Path, name: str) -> list[str]:
    """Return the calls of a cassette."""
    found: list[str] = json.loads((root / "x" / f"{name}.json").read_text())["interactions"]
    return found


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_the_recording_that_goes_on_from_the_others_is_kept(tmp_path: Path, order: tuple[int, ...]) -> None:
    """In any order; what no machine recorded anew stays; a second time there is nothing left to copy."""
    into = write(tmp_path / "into", old="ab", grown="ab", ours="abc")
    a = write(tmp_path / "a", old="ab", grown="ab", ours="ab", new_a="a")
    b = write(tmp_path / "b", old="ab", grown="abc", ours="ab", new_b="b")
    c = write(tmp_path / "c", grown="abcd")
    folders = [(a, b, c)[n] for n in order]
    assert gather(into, folders) == ["x/grown.json", "x/new_a.json", "x/new_b.json"]
    assert [calls(into, name) for name in ("old", "grown", "ours", "new_b")] == [
        ["a", "b"],
        ["a", "b", "c", "d"],
        ["a", "b", "c"],
        ["b"],
    ]
    assert gather(into, folders) == []


def test_the_folder_need_not_exist(tmp_path: Path) -> None:
    """The first recordings of all make it."""
    assert gather(tmp_path / "into", [write(tmp_path / "a", one="1"), write(tmp_path / "b", one="1")]) == ["x/one.json"]


@pytest.mark.parametrize("base", ["a", ""])
def test_two_recordings_of_one_file_are_refused_by_name(tmp_path: Path, base: str) -> None:
    """Nothing is copied, not even what does not conflict."""
    into = write(tmp_path / "into", build=base)
    a, b = write(tmp_path / "a", build="ab", fine="1"), write(tmp_path / "b", build="ac")
    with pytest.raises(StoreError, match=r"a/x/build.json and .*b/x/build.json are two recordings of the same calls"):
        gather(into, [a, b])
    assert calls(into, "build") == list(base)
    assert not (into / "x/fine.json").exists()


def test_a_recording_anew_is_not_written_over_the_old_one(tmp_path: Path) -> None:
    """Which of them is the newer one cannot be told: the user deletes one."""
    into = write(tmp_path / "into", build="old")
    with pytest.raises(StoreError, match=r"into/x/build.json and .*a/x/build.json are two recordings"):
        gather(into, [write(tmp_path / "a", build="new")])


def test_a_killed_recording_is_named(tmp_path: Path) -> None:
    """Its calls were paid: they are not left behind unseen."""
    a = write(tmp_path / "a", build="1")
    (a / "x/build.json.part").write_text("{}\n")
    with pytest.raises(StoreError, match=r"build.json.part: the recording was killed"):
        gather(tmp_path / "into", [a])


def test_other_files_are_no_cassettes(tmp_path: Path) -> None:
    """A results folder given by mistake is refused."""
    for name, text in (("a", "{}"), ("b", "[1]")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "summary.json").write_text(text)
    with pytest.raises(StoreError, match=r"summary.json: is no cassette"):
        gather(tmp_path / "into", [tmp_path / "a", tmp_path / "b"])
