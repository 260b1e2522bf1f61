"""Write what a session leaves for its readers: summary.json, diag.json, report.md, CSV files and report.html."""

from collections.abc import Callable, Mapping
from typing import Any

from pytest_membench.data import Suite
from pytest_membench.report import gating, scores, tables, text
from pytest_membench.report.folder import Session
from pytest_membench.report.gating import Gated
from pytest_membench.report.summary import summary_of
from pytest_membench.store import write_bytes, write_json


def summarise(session: Session, compare: Callable[[Mapping[str, Any]], Gated]) -> tuple[dict[str, Any], Gated]:
    """Return the session's summary and what the gate says; `compare` sets the summary against the baselines."""
    found = summary_of(session)
    gated = compare(found)
    found["gate"] = gated.outcomes
    return found, gated


def write(
    session: Session,
    found: Mapping[str, Any],
    gated: Gated,
    seconds: float | None,
    more: Mapping[str, Any] | None = None,
) -> None:
    """Write diag.json, summary.json, report.md and the CSV files into the session's folder.

    `seconds` may be unknown; `more` is for diag.json alone. Raises StoreError naming a file that cannot be written.
    """
    write_tables(session, found, gated)
    diag = scores.diagnose(session.manifest, session.rows, session.memories, seconds)
    write_json(session.root / "diag.json", {**diag, **(more or {})})


def write_tables(session: Session, found: Mapping[str, Any], gated: Gated) -> str:
    """Write summary.json, report.md and the CSV files; return report.md's text. Raises StoreError."""
    page = gating.page(text.markdown(found), gated)
    write_json(session.root / "summary.json", found)
    write_bytes(session.root / "report.md", page.encode())
    tables.write(session, found)
    return page


def write_page(session: Session, summary: Mapping[str, Any], suite: Callable[[], Suite]) -> str | None:
    """Write report.html; return why it could not be written, or None.

    Whatever a picture fails at must not cost the session its results.
    """
    path = session.root / "report.html"
    try:
        path.unlink(missing_ok=True)  # one of an earlier session would show other numbers
        from pytest_membench.report.html import page  # figures take a second to import

        asked = any(item["kind"] != "cost" for item in session.manifest["items"])
        page.write(session, summary, suite() if asked else None)
    except Exception as error:  # noqa: BLE001 - see above
        again = f"`membench html {session.root}` tries again; the other files are complete"
        return f"{path}: not written, {type(error).__name__}: {error}; {again}"
    return None
