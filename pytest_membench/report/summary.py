"""The whole summary of a session: scores, costs, and both together."""

from typing import Any

from pytest_membench.report import providers
from pytest_membench.report.costs import joint, summarise_costs
from pytest_membench.report.folder import Session
from pytest_membench.report.scores import summarise


def summary_of(session: Session) -> dict[str, Any]:
    """Return summary.json of a session; parts that it did not measure are empty."""
    rows, memories = session.rows, session.memories
    scores = summarise(session.manifest, rows, memories)
    costs = summarise_costs(session.served, session.mechanism, session.manifest["settings"])
    who = {"providers": providers.served(rows, memories), "at_contract": providers.at_contract(rows, memories)}
    return {**scores, "costs": costs, "joint": joint(scores["scores"], costs), **who}
