"""The session as CSV: scores.csv, probes.csv and costs.csv, with the numbers of summary.json.

An unknown value is an empty cell, never 0. A text that begins with =, +, -, @, a tab or a carriage
return gets an apostrophe before it: spreadsheets would run it as a formula, and models and suites
wrote these texts. Numbers are written as they are. Rows end in CR LF (RFC 4180).
"""

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pytest_membench.data import SERVING, STAGES
from pytest_membench.report.folder import Row, Session, stage_file
from pytest_membench.report.scores import with_missing
from pytest_membench.store import item_key, write_bytes

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_TOKENS = ("input", "cached", "output", "reasoning")
_COUNTS = ("correct", "partial", "wrong", "not_judged", "not_run", "not_recorded", "plain_replies", "search_calls")
_FITS = ("p", "q", "r2", "r2_one_predictor", "loocv_mape", "max_ape", "worst_cell", "mechanism_mape")
_RATIOS = ("gamma", "zeta_answer", "zeta_ingest")
_POINT = ("turn", "sustained", "ratio_at_end", "measured_turns", "incomplete", "pairs")
_JOINT = ("score", "usd_per_correct", "tokens_per_correct", "frontier")


def write(session: Session, summary: Mapping[str, Any]) -> list[Path]:
    """Write the three files into the session's folder and return their paths; a table without rows has its head alone."""
    tables = {"scores": scores(summary), "probes": probes(session), "costs": costs(summary)}
    paths = []
    for name, rows in tables.items():
        paths.append(session.root / f"{name}.csv")
        write_bytes(paths[-1], text(rows, COLUMNS[name]).encode())
    return paths


def text(rows: Sequence[Row], columns: Sequence[str]) -> str:
    """Return rows as CSV under these columns."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow(columns)
    writer.writerows([_cell(row.get(name)) for name in columns] for row in rows)
    return file.getvalue()


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    return "'" + value if isinstance(value, str) and value.startswith(_FORMULA) else value


def scores(summary: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return a row for each setting and design: all questions, then each kind, then each person."""
    rows = []
    for setting, designs in sorted(summary["scores"].items()):
        for design, row in sorted(designs.items()):
            names = {"setting": setting, "design": design}
            counts = {name: row[name] for name in (*_COUNTS, *_WHOLE)}
            tokens = {f"{stage}_{name}": row["tokens"][stage][name] for stage in STAGES for name in _TOKENS}
            rows.append({**names, "part": "all", "name": "", **_scored(row), **counts, **tokens})
            for part in ("kinds", "people"):
                word = {"kinds": "kind", "people": "person"}[part]
                rows += [{**names, "part": word, "name": n, **_scored(own)} for n, own in sorted(row[part].items())]
    return rows


_WHOLE = ("evidence_recall", "memory_tokens", "usd", "observed_usd")


def _scored(row: Row) -> dict[str, Any]:
    low, high = row["interval"] or (None, None)
    return {"score": row["score"], "low": low, "high": high, "n": row["n"]}


def probes(session: Session) -> list[dict[str, Any]]:
    """Return a row for each expected item, probes and conversations, in the order of their names."""
    rows = sorted(with_missing(session.manifest, session.rows), key=item_key)
    return [_probe(session, row) for row in rows]


def _probe(session: Session, row: Row) -> dict[str, Any]:
    tokens, money = row.get("tokens") or {}, row.get("usd") or {}
    used = {f"{s}_{name}": tokens[s][name] for s in STAGES if s in tokens for name in ("input", "output")}
    usd = {f"{s}_usd": money[s] for s in STAGES if s in money}
    said = (stage_file(session, row, "ans") or {}) if row["kind"] != "cost" else {}
    judged = (stage_file(session, row, "judge2") or stage_file(session, row, "judge") or {}) if said else {}
    texts = {"question": said.get("question"), "answer": said.get("answer")}
    return {**{n: row.get(n) for n in _ITEM}, **used, **usd, **texts, "reason": judged.get("reason")}


_ITEM: tuple[str, ...] = ("setting", "design", "person", "probe", "repeat", "kind", "outcome", "score", "cause", "lost")
_ITEM += ("evidence_recall", "searches", "plain", "overturned", "message")


def costs(summary: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return a row for each setting, design and cell; the fits are of all cells and stand in each row."""
    return [
        {
            "setting": setting,
            "design": design,
            "cell": cell,
            **_cost(row, cell),
            **_beside(summary, setting, cell, design),
        }
        for setting, designs in sorted(summary["costs"].items())
        for design, row in sorted(designs.items())
        for cell in sorted(row["cells"], key=lambda name: [int(part) for part in name.split("x")])
    ]


def _cost(row: Row, cell: str) -> dict[str, Any]:
    fits = {name: row[name] for name in (*_FITS, *_RATIOS)}
    for name in ("p", "q"):
        fits[f"{name}_low"], fits[f"{name}_high"] = row[f"{name}_interval"] or (None, None)
    points: dict[str, Any] = {}
    for unit in ("tokens", "usd"):
        point = row["break_even"].get(cell, {}).get(unit) or {}
        points |= {f"break_even_{unit}_{name}": point.get(name) for name in _POINT}
        points[f"break_even_{unit}_low"], points[f"break_even_{unit}_high"] = point.get("range") or (None, None)
    return {**row["cells"][cell], **fits, **points}


def _beside(summary: Mapping[str, Any], setting: str, cell: str, design: str) -> dict[str, Any]:
    found = summary["joint"].get(setting, {}).get(cell, {}).get(design, {})
    return {name: found.get(name) for name in _JOINT}


def _point_columns(unit: str) -> list[str]:
    return [f"break_even_{unit}_{name}" for name in ("turn", "low", "high", *_POINT[1:])]


COLUMNS: Mapping[str, Sequence[str]] = {
    "scores": (
        *("setting", "design", "part", "name", "score", "low", "high", "n", *_COUNTS, *_WHOLE),
        *(f"{stage}_{name}" for stage in STAGES for name in _TOKENS),
    ),
    "probes": (
        *_ITEM,
        *(f"{stage}_{name}" for stage in STAGES for name in ("input", "output")),
        *(f"{stage}_usd" for stage in (*SERVING, "judge")),
        *("question", "answer", "reason"),
    ),
    "costs": (
        *("setting", "design", "cell", "input_tokens_per_turn", "whole_input_tokens_per_turn", "usd_per_conversation"),
        *("runs", "cut_short", "measured_turns"),
        *("p", "p_low", "p_high", "q", "q_low", "q_high", *_FITS[2:], *_RATIOS),
        *(*_point_columns("tokens"), *_point_columns("usd"), *_JOINT),
    ),
}
"""The columns of each file, in their order."""
