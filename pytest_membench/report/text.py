"""The tables that the terminal and report.md show, from a summary."""

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_membench.data import KINDS, STAGES

SIM_NOTE = (
    "sim is a stand-in that works by lexical rules: it exercises the harness and counts tokens; "
    "its scores say nothing about real models."
)


def terminal(summary: Mapping[str, Any], out: str) -> list[str]:
    """Return the lines of the end-of-run table."""
    lines: list[str] = []
    for setting, designs in summary["scores"].items():
        lines += _heading(summary, setting)
        lines += ["", *align(_overview(designs, summary["settings"][setting])), ""]
        lines += [*align(_by_kind(designs)), ""]
        lines += notes(summary, setting)
    lines += incomplete(summary)
    return [*lines, f"results: {out}"]


def markdown(summary: Mapping[str, Any]) -> str:
    """Return report.md: the same tables, and each kind's interval."""
    parts = ["# membench report"]
    for setting, designs in summary["scores"].items():
        parts += [f"## {setting}", " ".join(_heading(summary, setting))]
        parts += [_pipes(_overview(designs, summary["settings"][setting])), "### Score by kind, 95% interval"]
        parts += [_pipes(_kind_intervals(designs)), "### Tokens by stage (input / output)", _pipes(_stages(designs))]
        parts += notes(summary, setting)
    return "\n\n".join([*parts, *incomplete(summary)]) + "\n"


def _heading(summary: Mapping[str, Any], setting: str) -> list[str]:
    designs = summary["scores"][setting]
    asked = max(_asked(row) for row in designs.values())
    people = sorted({person for row in designs.values() for person in row["people"]})
    what = f"{asked} questions about {', '.join(people)}"
    return [f"suite {summary['suite']}: {what}; model {setting}, judge {summary['judge']}"]


def _asked(row: Mapping[str, Any]) -> int:
    return sum(row[o] for o in ("correct", "partial", "wrong", "not_judged", "not_run"))


def _overview(designs: Mapping[str, Any], setting: Mapping[str, Any]) -> list[list[str]]:
    tokens = ["tokens in", "tokens out", "memory", "USD"]
    rows = [["design", "score", "95% interval", "n", *tokens, "plain", "searches", "not judged", "not run"]]
    for name, row in by_score(designs):
        rows.append([name, _score(row), _interval(row["interval"]), str(row["n"]), *_serving_tokens(row)])
        money = "no price" if not setting["priced"] else _usd(row["usd"])
        rows[-1] += [_number(row["memory_tokens"]), money, str(row["plain_replies"]), str(row["search_calls"])]
        rows[-1] += [str(row["not_judged"]), str(row["not_run"])]
    return rows


def by_score(designs: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return the designs, best score first; those without a score last."""
    return sorted(designs.items(), key=lambda pair: (-(pair[1]["score"] or -1.0), pair[0]))


def _by_kind(designs: Mapping[str, Any]) -> list[list[str]]:
    kinds = [kind for kind in KINDS if any(kind in row["kinds"] for row in designs.values())]
    rows = [["score by kind", *kinds]]
    for name, row in by_score(designs):
        rows.append([name, *(_score(row["kinds"].get(kind, _NOTHING)) for kind in kinds)])
    return rows


_NOTHING: Mapping[str, Any] = {"score": None, "interval": None, "n": 0}


def _kind_intervals(designs: Mapping[str, Any]) -> list[list[str]]:
    rows = [["design", "kind", "score", "95% interval", "n"]]
    for name, row in by_score(designs):
        for kind, part in row["kinds"].items():
            rows.append([name, kind, _score(part), _interval(part["interval"]), str(part["n"])])
    return rows


def _stages(designs: Mapping[str, Any]) -> list[list[str]]:
    rows = [["design", *STAGES]]
    for name, row in by_score(designs):
        cells = [row["tokens"][stage] for stage in STAGES]
        rows.append([name, *(f"{_number(c['input'])} / {_number(c['output'])}" for c in cells)])
    return rows


def _serving_tokens(row: Mapping[str, Any]) -> list[str]:
    """Return input and output tokens of writing, reading and answering, without the judge's."""
    stages = [row["tokens"][stage] for stage in STAGES if stage != "judge"]
    return [_number(_sum([stage[name] for stage in stages])) for name in ("input", "output")]


def _sum(values: Sequence[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None


def notes(summary: Mapping[str, Any], setting: str) -> list[str]:
    """Return what a reader has to know to read the tables right."""
    lines = ["Intervals speak for these questions and people; tokens and USD are without the judge's."]
    if not summary["settings"][setting]["priced"]:
        lines.append(f"USD: no price for {setting} in the table; --membench-prices FILE adds one.")
    if "sim" in (summary["settings"][setting]["model"], summary["judge"]):
        lines.append(SIM_NOTE)
    return lines


def incomplete(summary: Mapping[str, Any]) -> list[str]:
    """Return the lines that say what is missing, or none where the session is complete."""
    if summary["complete"]:
        return []
    lines = ["INCOMPLETE: scores cover the judged answers alone (n); nothing that broke counts as wrong."]
    for setting, designs in summary["scores"].items():
        for name, row in designs.items():
            if row["not_run"] or row["not_judged"]:
                recorded = f" ({row['not_recorded']} of them not recorded)" if row["not_recorded"] else ""
                lines.append(
                    f"  {setting} {name}: {row['not_run']} not run{recorded}, {row['not_judged']} not judged, "
                    f"of {_asked(row)}"
                )
    return lines


def _score(row: Mapping[str, Any]) -> str:
    if row["score"] is None:
        return "-"
    return f"{row['score']:.1f}" + ("?" if row.get("not_run") or row.get("not_judged") else "")


def _interval(interval: Sequence[float] | None) -> str:
    return "-" if interval is None else f"{interval[0]:.1f} to {interval[1]:.1f}"


def _number(value: int | None) -> str:
    return "unknown" if value is None else f"{value:,}"


def _usd(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.4f}"


def align(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the rows as lines: the first column to the left, the others to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))]
        lines.append("  ".join(cells).rstrip())
    return lines


def _pipes(rows: Sequence[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]])
