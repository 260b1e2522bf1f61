"""Results folders for the tests of reports, made as a session writes them."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_membench.data import CREDIT, STAGES, Usage
from pytest_membench.store import Results, item_key, write_json

Verdicts = Mapping[tuple[str, str], Sequence[str | None]]
"""Outcomes of the repeats of each (person, probe); None for an item that left no result."""

USAGE = Usage(input=10, cached=0, cache_write=0, output=1, reasoning=0).as_dict()


def _write_session(
    root: Path,
    verdicts: Verdicts,
    *,
    session: str = "s1",
    design: str = "notes",
    setting: str = "sim",
    suite: str = "tiny",
    judge: str = "sim",
    kinds: Mapping[str, str] | None = None,
) -> Path:
    """Write manifest, rows, labels and memories of a session, and return its folder."""
    results = Results(root)
    described = {setting: {"model": setting, "effort": None, "provider": None, "priced": False}}
    head = {"session": session, "suite": suite, "suite_path": suite, "judge": judge, "record": "none"}
    items: list[dict[str, Any]] = []
    for (person, probe), outcomes in verdicts.items():
        for repeat, outcome in enumerate(outcomes, 1):
            kind = (kinds or {}).get(probe, "recall")
            names = {"setting": setting, "design": design, "person": person, "repeat": repeat}
            items.append({**names, "probe": probe, "kind": kind})
            memory = {**names, "memory_tokens": 40, "session": session}
            write_json(results.memory(setting, design, person, repeat), memory)
            if outcome is not None:
                write_json(results.row(*item_key(items[-1])), _row(items[-1], outcome, session))
                label = {"label": outcome, "gold": f"gold of {probe}", "session": session, "reason": ""}
                if outcome in CREDIT:
                    write_json(results.probe("judge", *item_key(items[-1])), label)
    write_json(results.manifest, {**head, "settings": described, "items": items})
    return root


def _row(item: Mapping[str, Any], outcome: str, session: str) -> dict[str, Any]:
    score = {"correct": 1.0, "partial": 0.5, "wrong": 0.0}.get(outcome)
    work = {"tokens": {stage: USAGE for stage in STAGES if stage != "ingest"}, "usd": {}, "providers": []}
    cause = None if score is not None else outcome
    return {**item, "outcome": outcome, "score": score, "cause": cause, "session": session, **work}


@pytest.fixture
def write_session(tmp_path: Path) -> Callable[..., Path]:
    """Write a session's results folder under a name: `write_session("a", {("maya", "p1"): ["correct"]})`."""

    def write(name: str, verdicts: Verdicts, **settings: Any) -> Path:
        return _write_session(tmp_path / name, verdicts, **{"session": f"session of {name}", **settings})

    return write


@pytest.fixture(scope="session")
def write_into() -> Callable[..., Path]:
    """Write a session's results folder at a path: `write_into(root, verdicts, session="s1")`."""
    return _write_session
