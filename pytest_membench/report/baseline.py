"""Baselines: committed results of a design, one file for each setting, suite and design."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pytest_membench.data import known_sum, slug
from pytest_membench.errors import StoreError
from pytest_membench.report.folder import Row, Session
from pytest_membench.report.scores import pool
from pytest_membench.store import read_json, write_bytes

SCHEMA = 1
FOLDER = "benchmarks/baselines"
"""Where baselines lie under the rootdir unless an option says otherwise."""
ROUNDING = 0.5e-4
"""How far a score of a baseline may be from the one that was measured: it has 4 digits."""
_NUMBERS = ("tokens", "usd")
_FIELDS: Mapping[str, tuple[str, ...]] = {
    "probes": ("kind", "score", *_NUMBERS),
    "memories": _NUMBERS,
    "cells": ("input_tokens_per_turn", "usd_per_conversation", "measured_turns"),
    "about": (),
    "yardstick": (),
}
"""The parts of a baseline, and what each row of one has."""

Key = tuple[str, str]
"""A setting and a design."""


def path_of(folder: Path, setting: str, suite: str, design: str) -> Path:
    """Return where the baseline of a design lies."""
    return folder / slug(setting) / slug(suite) / f"{slug(design)}.json"


def find(folder: Path, setting: str, suite: str, design: str) -> Path | None:
    """Return the baseline to compare a design with, or None where there is none.

    A design with parameters that has no baseline of its own is compared with the one without them.
    """
    names = (design, design.partition("(")[0])
    paths = (path_of(folder, setting, suite, name) for name in names)
    return next((path for path in paths if path.exists()), None)


def designs(folder: Path, setting: str, suite: str) -> list[str]:
    """Return the designs that have a baseline for this setting and suite, sorted."""
    return sorted(read(path)["design"] for path in (folder / slug(setting) / slug(suite)).glob("*.json"))


def read(path: Path) -> dict[str, Any]:
    """Return a baseline. Raises StoreError naming the file where it is none."""
    data = read_json(path)
    if not isinstance(data, dict) or data.get("schema") != SCHEMA or not data.keys() >= {"design", *_FIELDS}:
        raise StoreError(f"{path}: is no baseline of schema {SCHEMA}; write it anew with --membench-update-baseline")
    for part, fields in _FIELDS.items():
        _require_rows(path, part, data[part], fields)
    return data


def _require_rows(path: Path, part: str, rows: Any, fields: Sequence[str]) -> None:
    """Raise StoreError for a row that lacks a field, as a merge by hand may leave one."""
    if not isinstance(rows, dict):
        raise StoreError(f"{path}: {part} is no object; restore the file, or write it anew")
    for name, row in rows.items() if fields else ():
        lacks = [field for field in fields if not isinstance(row, dict) or field not in row]
        if lacks or not isinstance(row.get("score", 0.0), int | float):
            wanted = f"lacks {', '.join(lacks)}" if lacks else f"has the score {row['score']!r}, no number"
            raise StoreError(f"{path}: {name!r} of the {part} {wanted}; restore the file, or write it anew")


def make(session: Session, key: Key, costs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the baseline of one setting and design of a session.

    `costs` is what summary.json holds of the design's cost cells, empty where none were served.
    Tokens are input and output of a probe's retrieval and answer; those of writing a person's
    memory stand apart. Unknown is null.
    """
    setting, design = key
    yardstick, about = session.manifest["yardstick"], session.manifest["designs"].get(design, {})
    own = [row for row in session.rows if (row["setting"], row["design"]) == key and row["kind"] != "cost"]
    return {
        "schema": SCHEMA,
        "design": design,
        "setting": setting,
        "suite": session.manifest["suite_named"],
        "about": {**about, "price": session.manifest["settings"][setting].get("price")},
        "yardstick": {part: yardstick[part] for part, there in (("probes", own), ("cells", costs)) if there},
        "probes": probes(own),
        "memories": memories([m for m in session.memories if (m["setting"], m["design"]) == key]),
        "cells": cells(costs),
    }


def probes(rows: Sequence[Row]) -> dict[str, dict[str, Any]]:
    """Return kind, score in [0, 1], tokens and USD of each judged probe, by `person/probe`; repeats are pooled."""
    scores, grouped = pool(rows), _grouped(rows, lambda row: f"{row['person']}/{row['probe']}")
    return {
        f"{person}/{probe}": {
            "kind": grouped[f"{person}/{probe}"][0]["kind"],
            "score": round(score, 4),
            **_spent(grouped[f"{person}/{probe}"], ("retrieval", "answer")),
        }
        for (person, probe), score in scores.items()
    }


def memories(rows: Sequence[Row]) -> dict[str, dict[str, Any]]:
    """Return tokens and USD of writing each person's memory; repeats are averaged."""
    return {person: _spent(own, ("ingest",)) for person, own in sorted(_grouped(rows, lambda r: r["person"]).items())}


def cells(costs: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the cost of a turn at each cell, and over how many runs and turns it was measured."""
    kept = ("input_tokens_per_turn", "usd_per_conversation", "runs", "measured_turns")
    return {cell: {name: row[name] for name in kept} for cell, row in costs.get("cells", {}).items()}


def _grouped(rows: Sequence[Row], name: Any) -> dict[str, list[Row]]:
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        groups[name(row)].append(row)
    return groups


def _spent(rows: Sequence[Row], stages: Sequence[str]) -> dict[str, float | None]:
    """Return tokens and USD of the stages, the mean over repeats; of what was never finished they are unknown."""
    if not all(row.get("tokens") for row in rows):
        return dict.fromkeys(_NUMBERS)
    tokens = known_sum([row["tokens"][s][n] for row in rows for s in stages for n in ("input", "output")])
    usd = known_sum([row["usd"][stage] for row in rows for stage in stages])
    return {"tokens": _mean(tokens, len(rows)), "usd": _mean(usd, len(rows))}


def _mean(total: float | None, count: int) -> float | None:
    if total is None:
        return None
    mean = total / count
    return int(mean) if mean == int(mean) else float(f"{mean:.6g}")


def kept_parts(new: Mapping[str, Any], old: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the new baseline with what its session did not measure taken from the old one.

    A session of probes alone keeps the cells of the baseline before, and one of cells alone its probes.
    Where prices changed between them, USD of what is kept is unknown: it was spent at other prices.
    """
    merged = dict(new)
    if old is None:
        return merged
    for part, names in (("probes", ("probes", "memories")), ("cells", ("cells",))):
        if part not in new["yardstick"] and part in old.get("yardstick", {}):
            merged["yardstick"] = {**merged["yardstick"], part: old["yardstick"][part]}
            same_price = new["about"]["price"] == old["about"].get("price")
            merged.update({name: old[name] if same_price else _without_usd(old[name]) for name in names})
    return merged


def _without_usd(rows: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    return {
        name: {field: None if field.startswith("usd") else value for field, value in row.items()}
        for name, row in rows.items()
    }


def write(path: Path, baseline: Mapping[str, Any]) -> None:
    """Write a baseline sorted, with a line for each probe, memory and cell, so that a diff reads well."""
    write_bytes(path, (_text(baseline) + "\n").encode())


def _text(baseline: Mapping[str, Any]) -> str:
    blocks = []
    for name, value in sorted(baseline.items()):
        rows = isinstance(value, dict) and name in ("probes", "memories", "cells") and value
        shown = _lines(value) if rows else json.dumps(value, ensure_ascii=False, indent=2, sort_keys=True)
        blocks.append(f'"{name}": ' + shown.replace("\n", "\n  "))
    return "{\n  " + ",\n  ".join(blocks) + "\n}"


def _lines(rows: Mapping[str, Any]) -> str:
    dumped = (
        f"{json.dumps(n, ensure_ascii=False)}: {json.dumps(row, sort_keys=True)}" for n, row in sorted(rows.items())
    )
    return "{\n  " + ",\n  ".join(dumped) + "\n}"


def missing(session: Session, asked: Sequence[tuple[str, str]], designs_asked: Sequence[str]) -> str | None:
    """Return why a session cannot be a baseline: it was a selection; None where it asked everything.

    `asked` are the (person, probe) of the whole suite. A session without any probe, of cells
    alone, is whole as far as it went.
    """
    rows = [item for item in session.manifest["items"] if item["kind"] != "cost"]
    had = {(item["setting"], item["design"], item["person"], item["probe"]) for item in rows}
    wanted = {(s, d, *one) for s in session.manifest["settings"] for d in designs_asked for one in asked}
    if rows and wanted - had:
        return f"it asked {len(wanted & had)} of {len(wanted)} questions"
    return None
