"""Write to a person's audit file: exclusions and corrected golds, never silently into the spec."""

from pathlib import Path
from typing import Any

from pytest_membench.errors import SuiteError
from pytest_membench.store import read_json, write_json
from pytest_membench.suites.files import load


def exclude(folder: Path, person: str, probe: str, reason: str) -> Path:
    """Write an exclusion to the person's audit file and return its path; the spec stays as it is."""
    return _amend(folder, person, "exclude", {"id": probe, "reason": reason})


def correct(folder: Path, person: str, probe: str, gold: str, reason: str) -> Path:
    """Write a corrected gold to the person's audit file and return its path; the spec stays as it is."""
    return _amend(folder, person, "correct", {"id": probe, "gold": gold, "reason": reason})


def _amend(folder: Path, person: str, list_name: str, row: dict[str, str]) -> Path:
    if not row["reason"].strip():
        raise SuiteError(f"{person} {row['id']}: an audit row needs a reason; give one with --reason")
    if not row.get("gold", "right").strip():
        raise SuiteError(f"{person} {row['id']}: the gold is empty; give the right answer with --gold")
    people = [own.id for own in load(folder).people]
    if person not in people:
        raise SuiteError(f"suite {folder.name!r} has no person {person!r}; it has {', '.join(people)}")
    known = {p["id"] for p in read_json(folder / "spec" / f"{person}.json")["probes"]}
    if row["id"] not in known:
        raise SuiteError(f"{person} has no probe {row['id']!r}; it has {', '.join(sorted(known))}")
    path = folder / "audit" / f"{person}.json"
    content: dict[str, Any] = read_json(path) if path.exists() else {"person": person, "exclude": [], "correct": []}
    others = [own for own in content.get(list_name, []) if own["id"] != row["id"]]
    content[list_name] = sorted([*others, row], key=lambda own: own["id"])
    write_json(path, content)
    return path
