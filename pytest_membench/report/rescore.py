"""Score a session anew from its stored labels, with the suite's audit as it is now; no model is asked."""

from pytest_membench.data import CREDIT, Probe, Suite
from pytest_membench.errors import StoreError
from pytest_membench.grading.verdict import LABELS
from pytest_membench.report.folder import Row, Session, stage_file
from pytest_membench.store import item_key


def rescore(session: Session, suite: Suite) -> Session:
    """Return the session as its stored labels and today's suite have it.

    Probes that the audit excludes now are no longer expected; cost items stay as they are. A probe whose question or gold
    changed since it was judged is not judged: its label speaks of another one. Raises StoreError
    where the session is of another suite, or the suite asks nothing of what the session asked.
    """
    require_questions(session)
    if session.manifest["suite"] != suite.name:
        raise StoreError(f"{session.root}: is of suite {session.manifest['suite']!r}, not {suite.name!r}")
    probes = {(person.id, probe.id): probe for person in suite.people for probe in person.probes}
    costs = [item for item in session.manifest["items"] if item["kind"] == "cost"]
    items = [item for item in session.manifest["items"] if (item["person"], item["probe"]) in probes]
    asked = [_flagged(item, probes[item["person"], item["probe"]]) for item in items]
    if not asked:
        raise StoreError(f"{session.root}: suite {suite.name!r} asks none of its questions; name another suite")
    kept = {item_key(item) for item in asked}
    rows = [
        _rescored(session, row, probes[row["person"], row["probe"]]) if row["kind"] != "cost" else row
        for row in session.rows
        if row["kind"] == "cost" or item_key(row) in kept
    ]
    return Session(
        session.root,
        {**session.manifest, "items": [*asked, *costs], "suite_notes": list(suite.notes)},
        rows,
        session.memories,
    )


def require_questions(session: Session) -> None:
    """Raise StoreError for a session that measured cost alone."""
    if session.manifest["suite"] is None:
        raise StoreError(f"{session.root}: measured cost alone and asked no question; there is nothing to score anew")


def _flagged(row: Row, probe: Probe) -> Row:
    """Return the row with what the audit doubts now."""
    rest = {name: value for name, value in row.items() if name != "flag"}
    return {**rest, "flag": probe.flag} if probe.flag else rest


def _rescored(session: Session, row: Row, probe: Probe) -> Row:
    row = _flagged(row, probe)
    first = stage_file(session, row, "judge")
    if first is None:
        return row
    asked = stage_file(session, row, "ans")
    for name, then, now in (
        ("question", asked["question"] if asked else probe.q, probe.q),
        ("gold", first["gold"], probe.gold),
    ):
        if then != now:
            changed = {"outcome": "not_judged", "score": None, "cause": "not_judged"}
            return {**row, **changed, "message": f"its {name} changed since it was judged; run it again"}
    label = (stage_file(session, row, "judge2") or first)["label"]
    if label not in LABELS:
        raise StoreError(
            f"{session.root}: {row['person']} {row['probe']}: label {label!r} is none of {', '.join(LABELS)}"
        )
    return {**row, "outcome": label, "score": CREDIT[label], "overturned": label != first["label"]}
