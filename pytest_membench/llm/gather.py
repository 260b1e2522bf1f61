"""Bring together the cassettes that several machines recorded, each starting from the same ones."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pytest_membench.errors import StoreError
from pytest_membench.store import read_json, write_bytes


def gather(into: Path, folders: Sequence[Path]) -> list[str]:
    """Copy to `into` what the `folders` have that it has not, and return the names that were copied.

    New calls are recorded after the old ones: of two files with one name, the one that begins with
    all calls of the other is taken, wherever it lies. Raises StoreError naming two files of which
    neither goes on from the other, or a recording that was killed; nothing is copied then.
    """
    newest: dict[str, Path] = {}
    for folder in folders:
        _require_whole(folder)
        for path in sorted(folder.rglob("*.json")):
            name = path.relative_to(folder).as_posix()
            mine = [into / name] if (into / name).exists() else []
            for other in [newest[name]] if name in newest else mine:
                path = _newer(other, path)  # noqa: PLW2901 - the newest of all that have this name
            newest[name] = path
    copied = {name: path for name, path in newest.items() if path != into / name}
    for name, path in copied.items():
        write_bytes(into / name, path.read_bytes())
    return sorted(copied)


def _newer(first: Path, second: Path) -> Path:
    """Return the file that goes on from the other; the first where they are equal."""
    if first.read_bytes() == second.read_bytes():
        return first
    calls, others = _calls(first), _calls(second)
    if calls[: len(others)] == others:
        return first
    if others[: len(calls)] == calls:
        return second
    raise StoreError(
        f"{first} and {second} are two recordings of the same calls; delete one of them, and record each design and "
        "person on one machine"
    )


def _calls(path: Path) -> list[Any]:
    found = read_json(path)
    calls = found.get("interactions") if isinstance(found, dict) else None
    if not isinstance(calls, list):
        raise StoreError(f"{path}: is no cassette; name the folders that hold cassettes and nothing else")
    return calls


def _require_whole(folder: Path) -> None:
    torn = sorted(folder.rglob("*.part"))
    if torn:
        raise StoreError(
            f"{torn[0]}: the recording was killed; run the same pytest command once more there, it pays only for "
            "what is missing"
        )
