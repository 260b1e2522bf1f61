"""What was spent of a budget: by this session, and by all sessions into its results folder."""

from collections.abc import Mapping, Sequence
from typing import Any

Line = Mapping[str, Any]


def spent(ledger: Sequence[Line]) -> tuple[float, int]:
    """Return the USD of all live calls in a ledger, and how many have no known cost.

    Of what the table and the API say of a call, the larger counts, as it does for the budget. An
    attempt that failed without usage counts neither way: nobody knows whether it was billed.
    """
    usd, unknown = 0.0, 0
    for line in ledger:
        if line["replayed"]:
            continue
        known = [value for value in (line["usd"], line.get("observed_usd")) if value is not None]
        usd += max(known, default=0.0)
        unknown += not known and not line["error"]
    return usd, unknown


def lines(state: Mapping[str, Any], ledger: Sequence[Line]) -> list[str]:
    """Return the line that says what is left of the budget, and what the folder's sessions cost in all."""
    total, unknown = spent(ledger)
    kept = f" and {state['reserved']:.4f} reserved for calls of unknown cost" if state["reserved"] else ""
    without = f", and {unknown:,} calls of unknown cost" if unknown else ""
    own = f"budget: {state['usd']:.4f} USD for this session, {state['spent']:.4f} spent{kept}"
    return [f"{own}; all sessions into this folder: {total:.4f} USD{without}"]
