"""Write what a session leaves for its readers: summary.json, diag.json, report.md, CSV files and report.html."""

from collections.abc import Callable, Mapping
from typing import Any

from pytest_membench.data import Suite
from pytest_membench.report import gating, scores, tables, text
from pytest_membench.report.folder import Session
from pytest_membench.report.gating import Gated
from pytest_membench.report.summary import summary_of
from pytest_membench.store import write_bytes, write_json


def write(
    session: Session,
    seconds: float | None,
    compare: Callable[[Mapping[str, Any]], Gated],
    more: Mapping[str, Any] | None = None,
) -> tuple[dict[str, Any], Gated]:
    """Write the files into the session's folder; return its summary and what the gate says.

    `seconds` may be unknown; `compare` sets the summary against the baselines; `more` is for diag.json alone.
    """
    found = summary_of(session)
    gated = compare(found)
    found["gate"] = gated.outcomes
    write_json(session.root / "summary.json", found)
    diag = scores.diagnose(session.manifest, session.rows, session.memories, seconds)
    write_json(session.root / "diag.json", {**diag, **(more or {})})
    write_bytes(session.root / "report.md", gating.page(text.markdown(found), gated).encode())
    tables.write(session, found)
    return found, gated


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
