"""Who served the calls of each design, and what a reader has to know of it."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from pytest_membench.prices import same_provider

Row = Mapping[str, Any]


def served(rows: Sequence[Row], memories: Sequence[Row]) -> dict[str, dict[str, dict[str, int]]]:
    """Return the replies by setting, design and provider; where no endpoint names its provider, nothing.

    Writing, retrieval and answers count, the judge's calls do not.
    """
    counts: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for row in [*rows, *memories]:
        if row.get("served"):
            counts[row["setting"]][row["design"]].update(row["served"])
    return {
        setting: {design: dict(sorted(by_name.items())) for design, by_name in designs.items()}
        for setting, designs in counts.items()
    }


def at_contract(rows: Sequence[Row], memories: Sequence[Row]) -> dict[str, list[str]]:
    """Return by setting the providers that have no price of their own, and were billed at the contract's."""
    names: dict[str, set[str]] = defaultdict(set)
    for row in [*rows, *memories]:
        names[row["setting"]].update(row.get("at_contract", []))
    return {setting: sorted(own) for setting, own in names.items() if own}


def warnings(summary: Mapping[str, Any], setting: str) -> list[str]:
    """Return the lines that warn of calls which another provider served than the pinned one, or several did."""
    pinned = summary["settings"][setting].get("provider")
    lines = []
    for design, counts in sorted(summary.get("providers", {}).get(setting, {}).items()):
        total = sum(counts.values())
        others = {name: n for name, n in counts.items() if pinned and not same_provider(name, pinned)}
        if others:
            lines.append(
                f"warning: {design}: {sum(others.values()):,} of {total:,} calls were served by {_names(others)} and "
                f"not by the pinned {pinned}; their tokens and prices are another's"
            )
        elif not pinned and _several(counts):
            lines.append(
                f"warning: {design}: its {total:,} calls were served by several providers ({_names(counts)}); "
                "--membench-provider pins one"
            )
    unpriced = summary.get("at_contract", {}).get(setting, [])
    if unpriced:
        lines.append(
            f"warning: no price for {setting.partition('@')[0]} at {', '.join(unpriced)}: billed at the contract price of "
            f"{setting}; --membench-prices FILE adds one"
        )
    return lines


def _several(counts: Mapping[str, int]) -> bool:
    first, *rest = counts
    return any(not same_provider(first, other) for other in rest)


def _names(counts: Mapping[str, int]) -> str:
    return ", ".join(
        f"{name} {count:,}" for name, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    )
