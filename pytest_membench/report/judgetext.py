"""What is shown of judges: the line beside the scores, the tables of a check, and of two judges' agreement."""

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from pytest_membench.grading.verdict import LABELS
from pytest_membench.report.folder import Row

SHOWN = 200
"""Characters of a text that a listing shows."""


def beside_scores(summary: Mapping[str, Any]) -> list[str]:
    """Return the line that says how far the session's judge can be trusted; none where nothing was judged."""
    if not any(summary["scores"].values()):
        return []
    judge, found = summary["judge"], summary.get("judge_check")
    setting = summary["settings"].get(judge, {"model": judge})
    if found is None:
        return [f"judge {judge} was never checked: {_command(setting)}"]
    line = one_line(found)
    return [f"{line}; out of date, set or prompts changed since: {_command(setting)}" if found["stale"] else line]


def _command(setting: Mapping[str, Any]) -> str:
    """Return the command that checks a judge; a judge that is paid has to be recorded first."""
    parts = ["membench", "judge-check", "--model", setting["model"]]
    for name in ("effort", "provider"):
        parts += [f"--{name}", setting[name]] if setting.get(name) else []
    return shlex.join(parts + ([] if setting["model"] == "sim" else ["--record", "new"]))


def one_line(found: Mapping[str, Any]) -> str:
    """Return a check in one line."""
    broken = f", {found['not_judged']} not judged" if found["not_judged"] else ""
    if not found["n"]:
        return f"judge {found['judge']}: none of the labelled answers was judged{broken}"
    low, high = found["interval"]
    share = f"right on {found['right']} of {found['n']} labelled answers ({found['accuracy']:.1f}%, {low:.1f} to {high:.1f})"
    return f"judge {found['judge']}: {share}, kappa {_figure(found['kappa'])}{broken}"


def kappas(found: Mapping[str, Any]) -> list[str]:
    """Return both kappas with their intervals."""
    parts = [
        f"{name} {_figure(found[key])} ({_ends(found[f'{key}_interval'])})"
        for name, key in (("kappa", "kappa"), ("linear-weighted", "weighted_kappa"))
    ]
    return [", ".join(parts) + "; 95% intervals by the asymptotic variance of Fleiss, Cohen and Everitt (1969)"]


def _figure(value: float | None) -> str:
    return "not defined" if value is None else f"{value:.2f}"


def _ends(interval: Sequence[float] | None) -> str:
    return "no interval" if interval is None else f"{interval[0]:.2f} to {interval[1]:.2f}"


def by_type(found: Mapping[str, Any]) -> list[list[str]]:
    """Return the table of accuracy by type."""
    rows = [["type", "n", "right", "%", "not judged"]]
    for name, part in found["by_type"].items():
        percent = "-" if part["accuracy"] is None else f"{part['accuracy']:.0f}"
        rows.append([name, str(part["n"]), str(part["right"]), percent, str(part["not_judged"])])
    return rows


def confusion(table: Mapping[str, Mapping[str, int]], corner: str) -> list[list[str]]:
    """Return a confusion table; `corner` names its rows and columns."""
    return [[corner, *LABELS], *([label, *(str(table[label][other]) for other in LABELS)] for label in LABELS)]


def second_look(found: Mapping[str, Any]) -> list[str]:
    """Return what the second look did."""
    part = found["second_look"]
    return [f"second look: {part['n']} answers, {part['mended']} put right, {part['spoiled']} put wrong"]


def rulings(rows: Sequence[Row], *, every: bool) -> list[str]:
    """Return the answers that the judge labelled otherwise or gave no label, or with `every` all of them.

    A call that failed says nothing about the answer; it is shown with `every` alone.
    """
    lines: list[str] = []
    for row in rows:
        if every or (row["given"] != row["expected"] and not row["outage"]):
            given = row["given"] or "not judged"
            lines += [f"{row['id']} ({row['type']}): expected {row['expected']}, given {given}"]
            lines += [f"    {name}: {short(row[name])}" for name in ("question", "gold", "answer")]
            lines += [
                f"    expected because: {row['why']}",
                f"    judge: {short(row['reason'] or row['message'] or '-')}",
            ]
    return lines


def short(text: str) -> str:
    """Return a text in one line, cut to what a listing shows."""
    line = " ".join(text.split())
    return line if len(line) <= SHOWN else line[: SHOWN - 3] + "..."


def two_judges(first: str, second: str, found: Mapping[str, Any]) -> list[str]:
    """Return the lines on how far two judges agree."""
    if not found["n"]:
        return [f"{first} and {second} judged no answer in common"]
    low, high = found["interval"]
    share = f"{found['same']} of {found['n']} ({found['agreement']:.1f}%, {low:.1f} to {high:.1f})"
    return [f"{first} and {second} give the same label to {share}", *kappas(found)]


def by_kind(found: Mapping[str, Any]) -> list[list[str]]:
    """Return the table of two judges' agreement by kind of question."""
    rows = [["kind", "n", "same", "%", "kappa"]]
    for kind, part in found["kinds"].items():
        rows.append([kind, str(part["n"]), str(part["same"]), f"{part['agreement']:.0f}", _figure(part["kappa"])])
    return rows


def differing(found: Mapping[str, Any], first: str, second: str) -> list[str]:
    """Return the answers on which two judges differ, each with both labels and reasons."""
    lines: list[str] = []
    for row in found["differ"]:
        lines += [f"{row['item']}: {first} {row['first']}, {second} {row['second']}"]
        lines += [f"    {name}: {short(row[name])}" for name in ("question", "gold", "answer")]
        lines += [f"    {first}: {short(row['first_reason'])}", f"    {second}: {short(row['second_reason'])}"]
    return lines


def left_out(found: Mapping[str, int]) -> list[str]:
    """Return a line on the answers that two sessions do not share, or none."""
    told = [f"{number} {why}" for why, number in found.items() if number]
    return [f"left out: {', '.join(told)}"] if told else []


def overturned(found: Mapping[str, Any]) -> list[str]:
    """Return the lines on the second looks of one session."""
    head = f"{found['judged']} answers judged by {found['judge']}, {found['matched']} more are the gold word for word"
    if not found["second_looks"]:
        return [head, "no answer got a second look"]
    share = 100 * found["overturned"] / found["second_looks"]
    line = f"second look: {found['second_looks']} answers, {found['overturned']} overturned ({share:.1f}%)"
    return [head, f"{line}: {found['up']} up, {found['down']} down"]
