"""The whole summary of a session: scores, costs, and both together."""

from typing import Any

from pytest_membench.report.costs import joint, summarise_costs
from pytest_membench.report.folder import Session
from pytest_membench.report.scores import summarise


def summary_of(session: Session) -> dict[str, Any]:
    """Return summary.json of a session; parts that it did not measure are empty."""
    scores = summarise(session.manifest, session.rows, session.memories)
    costs = summarise_costs(session.served, session.mechanism, session.manifest["settings"])
    return {**scores, "costs": costs, "joint": joint(scores["scores"], costs)}
