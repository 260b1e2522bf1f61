"""Read a results folder back: what was expected, what came of it, and the memories it stands on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_membench.errors import StoreError
from pytest_membench.store import Results, item_key, read_json

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Session:
    """One session's results: its manifest, a row for each item that ended, and its memories."""

    root: Path
    manifest: Mapping[str, Any]
    rows: Sequence[Row]
    memories: Sequence[Row]


def read(root: Path) -> Session:
    """Return the session in a results folder, also one that was killed before its summary.

    Rows of earlier sessions in the same folder do not count. Raises StoreError naming the folder.
    """
    results = Results(root)
    if not results.manifest.exists():
        raise StoreError(f"{root}: is no results folder, it has no manifest.json; name one that a session wrote")
    manifest = read_json(results.manifest)
    items = manifest["items"]
    paths = [results.row(*item_key(item)) for item in items]
    rows = [read_json(path) for path in paths if path.exists()]
    return Session(
        root=root,
        manifest=manifest,
        rows=[row for row in rows if row["session"] == manifest["session"]],
        memories=memories(results, manifest),
    )


def memories(results: Results, manifest: Mapping[str, Any]) -> list[Row]:
    """Return the snapshots of the memories that the session's items stand on, each once."""
    names = {(i["setting"], i["design"], i["person"], i["repeat"]) for i in manifest["items"]}
    paths = [results.memory(*name) for name in sorted(names)]
    return [read_json(path) for path in paths if path.exists()]
