"""Read a results folder back: what was expected, what came of it, and the memories it stands on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from pytest_membench.errors import StoreError
from pytest_membench.store import Results, item_key, read_json

Row = Mapping[str, Any]
_FIELDS = {"session", "suite", "judge", "settings", "items"}
_ROW_FIELDS = {"kind", "outcome", "score", "cause"}


@dataclass(frozen=True)
class Session:
    """One session's results: its manifest, a row for each item that ended, and its memories."""

    root: Path
    manifest: Mapping[str, Any]
    rows: Sequence[Row]
    memories: Sequence[Row]

    @property
    def served(self) -> list["Served"]:
        """The conversations of cost items, with what each turn billed; one that broke is none of them."""
        results = Results(self.root)
        rows = [row for row in self.rows if row["kind"] == "cost" and row["outcome"] in ("measured", "cut_short")]
        rows.sort(key=item_key)  # rows arrive in the order in which workers finish; figures must not depend on it
        paths = [results.cost(row["setting"], row["design"], row["person"], row["probe"]) for row in rows]
        return [Served(row, read_json(path)["turns"]) for row, path in zip(rows, paths, strict=True)]

    @property
    def mechanism(self) -> Mapping[str, Mapping[str, float | None]]:
        """The held-out error of dry runs, by setting and design; empty where this session computed none."""
        path = Results(self.root).mechanism
        found = read_json(path) if path.exists() else {}
        return found["mape"] if found.get("session") == self.manifest["session"] else {}


class Served(NamedTuple):
    """One conversation: its row, and for each turn what each stage billed."""

    row: Row
    turns: Sequence[Row]


def read(root: Path) -> Session:
    """Return the session in a results folder, also one that was killed before its summary.

    Rows of earlier sessions in the same folder do not count. Raises StoreError naming the folder.
    """
    results = Results(root)
    if not results.manifest.exists():
        raise StoreError(f"{root}: is no results folder, it has no manifest.json; name one that a session wrote")
    manifest = read_json(results.manifest)
    _require_ours(results.manifest, manifest)
    rows = finished(results, manifest, manifest["items"])
    return Session(root=root, manifest=manifest, rows=rows, memories=memories(results, manifest))


def finished(results: Results, manifest: Mapping[str, Any], items: Sequence[Row]) -> list[Row]:
    """Return the rows that the manifest's session wrote for these expected items. Raises StoreError."""
    paths = [results.row(*item_key(item)) for item in items]
    rows = [_row(path, item) for path, item in zip(paths, items, strict=True) if path.exists()]
    return [row for row in rows if row.get("session") == manifest["session"]]


def _row(path: Path, item: Row) -> Row:
    """Return the row of an expected item. Raises StoreError where the file holds another's, or none."""
    row = read_json(path)
    if isinstance(row, dict) and "session" not in row:
        return row  # of no session at all, so it does not count
    try:
        own = item_key(row) == item_key(item) and row.keys() >= _ROW_FIELDS
    except (KeyError, TypeError, AttributeError):
        own = False
    if not own:
        raise StoreError(f"{path}: is not the result of the item that its path names; delete it or restore it")
    found: Row = row
    return found


def _snapshot(path: Path, name: tuple[Any, ...]) -> Row:
    """Return the snapshot of a memory. Raises StoreError where the file holds another's, or none."""
    found = read_json(path)
    keys = ("setting", "design", "person", "repeat")
    if not isinstance(found, dict) or tuple(found.get(key) for key in keys) != name:
        raise StoreError(f"{path}: is not the memory that its path names; delete it or restore it")
    return found


def _require_ours(path: Path, manifest: Any) -> None:
    """Raise StoreError for another program's manifest.json, or one that expects nothing."""
    try:
        own = manifest["items"] and all(map(_is_item, manifest["items"])) and manifest.keys() >= _FIELDS
        own = own and {item["setting"] for item in manifest["items"]} <= manifest["settings"].keys()
    except (KeyError, TypeError, AttributeError):
        own = False
    if not own:
        raise StoreError(f"{path}: is no manifest of a session with benchmark items; name a folder that one wrote")


def _is_item(item: Row) -> bool:
    """Whether an expected item is named by texts and a repeat; paths are made of them."""
    *names, repeat = item_key(item)
    return all(isinstance(name, str) and "\0" not in name for name in names) and type(repeat) is int and "kind" in item


def memories(results: Results, manifest: Mapping[str, Any]) -> list[Row]:
    """Return the snapshots of the memories that the session's items stand on, each once."""
    names = {(i["setting"], i["design"], i["person"], i["repeat"]) for i in manifest["items"]}
    paths = [(results.memory(*name), name) for name in sorted(names)]
    return [_snapshot(path, name) for path, name in paths if path.exists()]


def stage_file(session: Session, row: Row, stage: str) -> Mapping[str, Any] | None:
    """Return what "ans", "judge" or "judge2" wrote for an item in this session, or None."""
    path = Results(session.root).probe(stage, *item_key(row))
    data = read_json(path) if path.exists() else None
    return data if isinstance(data, dict) and data.get("session") == session.manifest["session"] else None
