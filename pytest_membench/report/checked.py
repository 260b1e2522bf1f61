"""What is known of a judge: the file that `membench judge-check` keeps, as a session finds it."""

from pathlib import Path
from typing import Any

from pytest_membench.data import slug
from pytest_membench.errors import StoreError, SuiteError
from pytest_membench.store import read_json
from pytest_membench.suites import calibration

FOLDER = Path("benchmarks") / "judges"
"""Where the files lie under the rootdir."""
KEPT = ("judge", "n", "right", "accuracy", "interval", "kappa", "kappa_interval", "by_type", "not_judged")


def file_of(folder: Path, judge: str) -> Path:
    """Return the path of a judge's file; `judge` is the key of its setting."""
    return folder / f"{slug(judge)}.json"


def known(root: Path, judge: str) -> dict[str, Any] | None:
    """Return the last check of a judge, or None where it was never checked.

    `stale` says that the set or the prompts changed since, or that the set cannot be read any more.
    Raises StoreError for a file that is no check of this judge.
    """
    path = file_of(root / FOLDER, judge)
    if not path.exists():
        return None
    data = read_json(path)
    if not isinstance(data, dict) or not data.keys() >= {*KEPT, "digest", "set"} or data["judge"] != judge:
        command = "membench judge-check"
        raise StoreError(f"{path}: is no check of judge {judge!r}; delete it, or write it anew with {command}")
    return {**{name: data[name] for name in KEPT}, "stale": _digest(root, data["set"]) != data["digest"]}


def _digest(root: Path, path: str | None) -> str | None:
    try:
        return calibration.digest(calibration.load(root / path if path else None))
    except SuiteError:
        return None
