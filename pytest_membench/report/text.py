"""The tables that the terminal and report.md show, from a summary."""

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_membench.data import KINDS, SERVING, STAGES, known_sum
from pytest_membench.grading.protocol import USUAL
from pytest_membench.report import costtext, judgetext, providers

SIM_NOTE = (
    "sim is a stand-in that works by lexical rules: it exercises the harness and counts tokens; "
    "its scores say nothing about real models."
)


def terminal(summary: Mapping[str, Any], out: str) -> list[str]:
    """Return the lines of the end-of-run table."""
    lines: list[str] = []
    for setting in summary["settings"]:
        designs = summary["scores"].get(setting, {})
        if designs:
            lines += [*heading(summary, setting), "", *align(overview(designs, summary["settings"][setting])), ""]
            lines += [*align(by_kind(designs)), ""]
        for table in cost_tables(summary, setting, every_cell=False):
            lines += [*align(table), ""]
        lines += notes(summary, setting)
    lines += [*judgetext.beside_scores(summary), *incomplete(summary)]
    return [*lines, f"results: {out}"]


def markdown(summary: Mapping[str, Any]) -> str:
    """Return report.md: the same tables, and each kind's interval."""
    parts = ["# membench report"]
    for setting in summary["settings"]:
        parts.append(f"## {setting}")
        designs = summary["scores"].get(setting, {})
        if designs:
            parts += [" ".join(heading(summary, setting)), _pipes(overview(designs, summary["settings"][setting]))]
            parts += ["### Score by kind, 95% interval", _pipes(kind_intervals(designs))]
            parts += ["### Tokens by stage (input / output)", _pipes(stages(designs))]
        tables = cost_tables(summary, setting, every_cell=True)
        parts += [*(["### Serving cost"] if tables else []), *map(_pipes, tables), *notes(summary, setting)]
    return "\n\n".join([*parts, *judgetext.beside_scores(summary), *incomplete(summary)]) + "\n"


def cost_tables(summary: Mapping[str, Any], setting: str, *, every_cell: bool) -> list[list[list[str]]]:
    """Return the tables of serving cost, or none where no conversation was served."""
    designs = summary.get("costs", {}).get(setting)
    if not designs:
        return []
    priced = summary["settings"][setting]["priced"]
    tables = [costtext.fits(designs), costtext.cells(designs), costtext.break_even(designs, "tokens")]
    tables += [costtext.break_even(designs, "usd")] if priced else []
    matrix = summary["joint"].get(setting, {})
    chosen = list(matrix) if every_cell else [costtext.reference_cell(matrix)] if matrix else []
    return [*tables, *(costtext.joint(matrix, priced=priced, cell=cell) for cell in chosen)]


def heading(summary: Mapping[str, Any], setting: str) -> list[str]:
    """Return what was asked of whom, and by which model and judge, in one line."""
    designs = summary["scores"][setting]
    asked = max(_asked(row) for row in designs.values())
    people = sorted({person for row in designs.values() for person in row["people"]})
    protocol = summary.get("protocol", USUAL.name)
    what = f"{asked} {'probe' if asked == 1 else 'probes'} about {', '.join(people)}"
    judged = f"judge {summary['judge']}" + ("" if protocol == USUAL.name else f" ({protocol})")
    return [f"suite {summary['suite']}: {what}; model {setting}, {judged}"]


def _asked(row: Mapping[str, Any]) -> int:
    return sum(row[o] for o in ("correct", "partial", "wrong", "not_judged", "not_run"))


def overview(designs: Mapping[str, Any], setting: Mapping[str, Any]) -> list[list[str]]:
    """Return a row for each design: score, tokens, money, and what went wrong."""
    tokens = ["tokens in", "tokens out", "memory", "USD"]
    rows = [["design", "score", "95% interval", "n", *tokens, "plain", "searches", "not judged", "not run"]]
    for name, row in by_score(designs):
        rows.append([name, score_of(row), interval_of(row["interval"]), str(row["n"]), *_serving_tokens(row)])
        money = "no price" if not setting["priced"] else costtext.dollars(row["usd"])
        rows[-1] += [_number(row["memory_tokens"]), money, str(row["plain_replies"]), str(row["search_calls"])]
        rows[-1] += [str(row["not_judged"]), str(row["not_run"])]
    return _with_flags(rows, [row.get("flagged") for _, row in by_score(designs)])


def _with_flags(rows: list[list[str]], flagged: Sequence[Mapping[str, Any] | None]) -> list[list[str]]:
    """Add what an audit doubts, where it doubts anything: how many golds, and the score without them."""
    if not any(flagged):
        return rows
    cells = [["-", "-"] if one is None else [str(one["gold"]), score_of(one["without"])] for one in flagged]
    return [row + more for row, more in zip(rows, [["gold doubted", "score without"], *cells], strict=True)]


def by_score(designs: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return the designs, best score first; those without a score last."""
    return sorted(designs.items(), key=lambda pair: (pair[1]["score"] is None, -(pair[1]["score"] or 0.0), pair[0]))


def by_kind(designs: Mapping[str, Any]) -> list[list[str]]:
    """Return the score of each design and kind."""
    kinds = [kind for kind in KINDS if any(kind in row["kinds"] for row in designs.values())]
    rows = [["score by kind", *kinds]]
    for name, row in by_score(designs):
        rows.append([name, *(score_of(row["kinds"].get(kind, _NOTHING)) for kind in kinds)])
    return rows


_NOTHING: Mapping[str, Any] = {"score": None, "interval": None, "n": 0}


def kind_intervals(designs: Mapping[str, Any]) -> list[list[str]]:
    """Return a row for each design and kind, with its interval."""
    rows = [["design", "kind", "score", "95% interval", "n"]]
    for name, row in by_score(designs):
        for kind, part in row["kinds"].items():
            rows.append([name, kind, score_of(part), interval_of(part["interval"]), str(part["n"])])
    return rows


def stages(designs: Mapping[str, Any]) -> list[list[str]]:
    """Return input and output tokens by stage."""
    rows = [["design", *STAGES]]
    for name, row in by_score(designs):
        cells = [row["tokens"][stage] for stage in STAGES]
        rows.append([name, *(f"{_number(c['input'])} / {_number(c['output'])}" for c in cells)])
    return rows


def _serving_tokens(row: Mapping[str, Any]) -> list[str]:
    """Return input and output tokens of writing, reading and answering, without the judge's."""
    stages = [row["tokens"][stage] for stage in SERVING]
    return [_number(known_sum([stage[name] for stage in stages])) for name in ("input", "output")]


def notes(summary: Mapping[str, Any], setting: str) -> list[str]:
    """Return what a reader has to know to read the tables right."""
    scored, served = summary["scores"].get(setting, {}), summary.get("costs", {}).get(setting, {})
    lines = (
        ["Intervals speak for these questions and people; tokens and USD are without the judge's."] if scored else []
    )
    lines += list(summary.get("suite_notes", [])) if scored else []
    lines += [f"Cost of {line}" for line in costtext.verdicts(served)]
    full = summary.get("causes", {}).get("context_overflow", 0)
    if full:
        lines.append(f"Items whose prompt was longer than the context (cause context_overflow): {full:,}.")
    lines += providers.warnings(summary, setting)
    lines += costtext.footnotes(served, summary.get("joint", {}).get(setting, {}))
    if not summary["settings"][setting]["priced"]:
        lines.append(f"USD: no price for {setting} in the table; --membench-prices FILE adds one.")
    observed = {name: row["observed_usd"] for name, row in scored.items() if row.get("observed_usd")}
    if observed:
        told = ", ".join(f"{name} {costtext.dollars(value)}" for name, value in sorted(observed.items()))
        lines.append(f"USD as the API reported it: {told}.")
    unused = sum(row.get("unused_recordings", 0) for row in scored.values())
    if unused:
        many = "1 recording was" if unused == 1 else f"{unused:,} recordings were"
        lines.append(f"{many} not asked for; membench prune RESULTS removes them.")
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
                recorded += f" ({row['context_overflow']} for a full context)" if row.get("context_overflow") else ""
                lines.append(
                    f"  {setting} {name}: {row['not_run']} not run{recorded}, {row['not_judged']} not judged, "
                    f"of {_asked(row)}"
                )
    conversations = summary.get("conversations", {})
    if conversations.get("not_run"):
        lines.append(f"  {conversations['not_run']} of {sum(conversations.values())} conversations were not served")
    stopped = summary.get("causes", {}).get("budget", 0)
    if stopped:
        lines.append(f"  stopped by the budget: {stopped:,}; the same command with a higher budget goes on from there")
    return lines


def score_of(row: Mapping[str, Any]) -> str:
    """Return the score as shown; "?" marks one that misses some answers."""
    if row["score"] is None:
        return "-"
    return f"{row['score']:.1f}" + ("?" if row.get("not_run") or row.get("not_judged") else "")


def interval_of(interval: Sequence[float] | None) -> str:
    """Return an interval as shown, or "-"."""
    return "-" if interval is None else f"{interval[0]:.1f} to {interval[1]:.1f}"


def _number(value: int | None) -> str:
    return "unknown" if value is None else f"{value:,}"


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


def diagnosis(rows: Sequence[Mapping[str, Any]], memories: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the tables of what lies behind the scores: memories, replies, second looks, and lost facts."""
    designs = sorted({(row["setting"], row["design"]) for row in rows})
    table = [["design", "memory tokens", "batches", "plain", "searches", "overturned", "providers", "evidence recall"]]
    for setting, design in designs:
        own = [row for row in rows if (row["setting"], row["design"]) == (setting, design)]
        built = [m for m in memories if (m["setting"], m["design"]) == (setting, design)]
        table.append([f"{design} ({setting})", *_sizes(built), *_behaviour(own)])
    lost = [["facts lost by", *LOST]]
    for setting, design in designs:
        places = [row.get("lost") for row in rows if (row["setting"], row["design"]) == (setting, design)]
        lost.append([f"{design} ({setting})", *(str(places.count(where)) for where in LOST)])
    return [*align(table), "", *align(lost)]


LOST = ("never written", "written but not recalled", "recalled but not used", "judge in doubt", "nothing to recall")


def _sizes(memories: Sequence[Mapping[str, Any]]) -> list[str]:
    sizes = [m["memory_tokens"] for m in memories if m.get("memory_tokens") is not None]
    spread = "-" if not sizes else f"{min(sizes):,} to {max(sizes):,}"
    return [spread, str(sum(m.get("batches") or 0 for m in memories))]


def _behaviour(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    recalls = [row["evidence_recall"] for row in rows if row.get("evidence_recall") is not None]
    return [
        str(sum(bool(row.get("plain")) for row in rows)),
        str(sum(row.get("searches") or 0 for row in rows)),
        str(sum(bool(row.get("overturned")) for row in rows)),
        ", ".join(sorted({name for row in rows for name in row.get("providers", [])})) or "-",
        "not available" if not recalls else f"{100 * sum(recalls) / len(recalls):.0f}% of {len(recalls)}",
    ]


def per_probe(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return a line for each item: outcome, searches, where the fact was lost, and why there is no verdict."""
    table = [["item", "outcome", "searches", "evidence", "lost"]]
    for row in rows:
        name = f"{row['design']} {row['person']} {row['probe']}" + (f"~r{row['repeat']}" if row["repeat"] > 1 else "")
        recall = row.get("evidence_recall")
        shown = "-" if recall is None else f"{100 * recall:.0f}%"
        searches = "-" if row.get("searches") is None else str(row["searches"])
        why = row.get("lost") or row.get("message") or ""
        table.append([name, row["outcome"], searches, shown, str(why).splitlines()[0][:80] if why else ""])
    return align(table)


def differences(pairs: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return a table of paired differences in points, and the questions that flipped."""
    table = [["second - first", "points", "95% interval", "pairs", "better", "worse", "p (McNemar)"]]
    for pair in pairs:
        name = f"{pair['second']} - {pair['first']}"
        if pair["difference"] is None:
            table.append([name, "-", "-", "0", "-", "-", "-"])
            continue
        flips = [str(len(pair["better"])), str(len(pair["worse"]))]
        cells = [f"{pair['difference']:+.1f}", interval_of(pair["interval"]), str(pair["pairs"]), *flips]
        table.append([name, *cells, _p(pair["p_value"])])
    return align(table)


def flips(pair: Mapping[str, Any]) -> list[str]:
    """Return the differences by kind, and the questions that one pair answers better or worse."""
    table = [["kind", "points", "95% interval", "pairs", "p (Holm)"]]
    for kind, part in pair["kinds"].items():
        cells = [f"{part['difference']:+.1f}", interval_of(part["interval"]), str(part["pairs"])]
        table.append([kind, *cells, _p(part["p_holm"])])
    lines = [*align(table)]
    for word in ("worse", "better"):
        lines += [f"{word}: {', '.join(pair[word]) or 'none'}"] if word in pair else []
    return lines


def _p(value: float) -> str:
    return "<0.0001" if value < 0.0001 else f"{value:.4f}"
