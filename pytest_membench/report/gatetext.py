"""What the gate says: lines for a terminal, Markdown for a page, annotations for GitHub."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from pytest_membench.report.broke import Broken

ANNOTATIONS = 10
"""GitHub shows as many errors of one step, and drops the rest."""
NAMES = 12
"""How many probes a line lists."""


def gate_lines(outcomes: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return a line for each design that was compared or failed, and one for each of its reasons and notes.

    A design that is as it was has a line alone; its notes stand in summary.json.
    """
    lines = []
    for setting, designs in outcomes.items():
        for design, entry in designs.items():
            if entry["verdict"] == "none":
                continue
            lines.append(f"gate: {setting} {design}: {entry['verdict'].upper()}{_figures(entry)}")
            lines += [f"  {reason}" for reason in entry["reasons"]]
            lines += [_names(word, entry[f"newly_{word}"]) for word in ("wrong", "right") if entry[f"newly_{word}"]]
            lines += [] if _is_as_it_was(entry) else [f"  ({note})" for note in entry["notes"]]
    return lines


def _is_as_it_was(entry: Mapping[str, Any]) -> bool:
    able = entry["verdict"] == "ok" and entry["drop"] is not None and entry["detectable_drop"] is not None
    return able and not entry["newly_wrong"] and not entry["newly_right"]


def _figures(entry: Mapping[str, Any]) -> str:
    if entry["drop"] is None:
        return ""
    if _is_as_it_was(entry):
        least = f"the smallest drop that they can show is {entry['detectable_drop']:.1f} points"
        part = f" of {entry['of']} in the baseline" if entry["pairs"] < entry["of"] else ""
        return f": the same scores on {entry['pairs']} probes{part}; {least}"
    moved = f"{len(entry['newly_wrong'])} of {entry['pairs']} probes fell, {len(entry['newly_right'])} rose"
    part = f" (of {entry['of']} in the baseline)" if entry["pairs"] < entry["of"] else ""
    change = -entry["drop"] + 0.0
    noise = ", within noise" if entry["verdict"] == "ok" and (entry["newly_wrong"] or entry["newly_right"]) else ""
    return f": {change:+.1f} points{noise}: {moved}{part}, one-sided p {entry['p_value']:.2g}"


def _names(word: str, probes: Sequence[str]) -> str:
    more = f" and {len(probes) - NAMES} more" if len(probes) > NAMES else ""
    return f"  newly {word}: {', '.join(probes[:NAMES])}{more}"


def markdown(outcomes: Mapping[str, Mapping[str, Any]], broken: Sequence[Broken]) -> str:
    """Return the gate's part of a report in Markdown; empty where nothing was compared."""
    lines = gate_lines(outcomes)
    if not lines:
        return ""
    return "\n\n".join(["## Gate", _block(lines), *(_folded(one) for one in broken)]) + "\n"


def _folded(one: Broken) -> str:
    title = f"<summary><code>{escape(one.design)} {escape(one.name)}</code></summary>"
    return f"<details>{title}\n\n{_block(list(one.lines()))}\n\n</details>"


def _block(lines: Sequence[str]) -> str:
    """Return lines as a block of plain text, which no text of a model can end."""
    text = "\n".join(lines)
    fence = "`" * max(3, 1 + max((len(run) for run in _ticks(text)), default=0))
    return f"{fence}text\n{text}\n{fence}"


def _ticks(text: str) -> list[str]:
    return "".join(c if c == "`" else " " for c in text).split()


def annotations(
    outcomes: Mapping[str, Mapping[str, Any]], broken: Sequence[Broken], sources: Mapping[str, str | None]
) -> list[str]:
    """Return GitHub's workflow commands: an error for each design that failed, then for each probe that broke.

    `sources` are the designs' files under the repository, by design.
    """
    failed = [
        _error(sources.get(design), f"membench: {design} {entry['verdict']}", "\n".join(entry["reasons"]))
        for designs in outcomes.values()
        for design, entry in designs.items()
        if entry["verdict"] not in ("ok", "none")
    ]
    broke = [
        _error(sources.get(one.design), f"newly wrong: {one.design} {one.name}", "\n".join(one.lines()))
        for one in broken
    ]
    return [*failed, *broke][:ANNOTATIONS]


def _error(file: str | None, title: str, message: str) -> str:
    where = f"file={_property(file)}," if file else ""
    return f"::error {where}title={_property(title)}::{_data(message)}"


def _data(text: str) -> str:
    """Return `text` as the data of a workflow command: no text of a model can start another one."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
