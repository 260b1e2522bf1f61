"""Score a session anew from its stored labels, with the suite's audit as it is now; no model is asked."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_membench.data import CREDIT, Probe, Suite
from pytest_membench.errors import StoreError
from pytest_membench.grading.verdict import LABELS
from pytest_membench.report.folder import Row, Session
from pytest_membench.store import Results, item_key, read_json


def rescore(session: Session, suite: Suite) -> Session:
    """Return the session as its stored labels and today's suite have it.

    Probes that the audit excludes now are no longer expected. A probe whose gold changed since
    it was judged is not judged: its label speaks of another gold. Raises StoreError where the
    session is of another suite.
    """
    if session.manifest["suite"] != suite.name:
        raise StoreError(f"{session.root}: is of suite {session.manifest['suite']!r}, not {suite.name!r}")
    probes = {(person.id, probe.id): probe for person in suite.people for probe in person.probes}
    items = [item for item in session.manifest["items"] if (item["person"], item["probe"]) in probes]
    kept = {item_key(item) for item in items}
    rows = [
        _rescored(session.root, row, probes[row["person"], row["probe"]])
        for row in session.rows
        if item_key(row) in kept
    ]
    return Session(session.root, {**session.manifest, "items": items}, rows, session.memories)


def _rescored(root: Path, row: Row, probe: Probe) -> Row:
    first = _label_file(root, row, "judge")
    if first is None:
        return row
    if first["gold"] != probe.gold:
        changed = {"outcome": "not_judged", "score": None, "cause": "not_judged"}
        return {**row, **changed, "message": "its gold changed since it was judged; run it again"}
    label = (_label_file(root, row, "judge2") or first)["label"]
    if label not in LABELS:
        raise StoreError(f"{root}: {row['person']} {row['probe']}: label {label!r} is none of {', '.join(LABELS)}")
    return {**row, "outcome": label, "score": CREDIT[label], "overturned": label != first["label"]}


def _label_file(root: Path, row: Row, stage: str) -> Mapping[str, Any] | None:
    path = Results(root).probe(stage, *item_key(row))
    data: Mapping[str, Any] | None = read_json(path) if path.exists() else None
    return data if data is not None and data["session"] == row["session"] else None
