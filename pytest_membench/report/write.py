"""Write what a session leaves for its readers: summary.json, diag.json and report.md."""

from collections.abc import Callable, Mapping
from typing import Any

from pytest_membench.report import gating, scores, text
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
    return found, gated
