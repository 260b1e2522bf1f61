"""Write what a session leaves for its readers: summary.json, diag.json and report.md."""

from typing import Any

from pytest_membench.report import scores, text
from pytest_membench.report.folder import Session
from pytest_membench.report.summary import summary_of
from pytest_membench.store import write_bytes, write_json


def write(session: Session, seconds: float | None) -> dict[str, Any]:
    """Write the files into the session's folder and return its summary; `seconds` may be unknown."""
    found = summary_of(session)
    write_json(session.root / "summary.json", found)
    diag = scores.diagnose(session.manifest, session.rows, session.memories, seconds)
    write_json(session.root / "diag.json", diag)
    write_bytes(session.root / "report.md", text.markdown(found).encode())
    return found
