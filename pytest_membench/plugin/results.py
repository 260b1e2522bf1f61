"""Results: collected from reports as items end, compared with what was expected, and written."""

import time
import uuid
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_membench import prices
from pytest_membench.plugin import items, options
from pytest_membench.store import Results, item_key, read_json, read_lines, write_bytes, write_json

if TYPE_CHECKING:
    from pytest_membench.report.folder import Session

FOLDER = pytest.StashKey[Results]()
SESSION = pytest.StashKey[str]()
INCOMPLETE = 6


def folder(config: pytest.Config) -> Results:
    """Return the results folder: the controller chooses it, its workers are told."""
    if FOLDER not in config.stash:
        config.stash[FOLDER] = Results(Path(_from_controller(config, "membench_out") or _choose(config)))
    return config.stash[FOLDER]


def session_id(config: pytest.Config) -> str:
    """Return the id of this session, the same in all of its workers."""
    if SESSION not in config.stash:
        config.stash[SESSION] = _from_controller(config, "membench_session") or uuid.uuid4().hex
    return config.stash[SESSION]


def tell_worker(config: pytest.Config, workerinput: dict[str, Any]) -> None:
    """Hand folder and session to a worker."""
    workerinput["membench_out"] = str(folder(config).root)
    workerinput["membench_session"] = session_id(config)


def is_worker(config: pytest.Config) -> bool:
    """Whether this process is a worker of pytest-xdist."""
    return hasattr(config, "workerinput")


def _from_controller(config: pytest.Config, name: str) -> str:
    return str(getattr(config, "workerinput", {}).get(name, ""))


def _choose(config: pytest.Config) -> Path:
    if options.get(config, "out") and not options.get(config, "plan"):
        return options.path(config, "out")
    name = ("plan-" if options.get(config, "plan") else "") + time.strftime("%Y-%m-%dT%H-%M-%S")
    base = config.rootpath / ".membench" / name
    return next(path for n in range(1000) if not (path := base.with_name(base.name + f"-{n}" * (n > 0))).exists())


class Collected:
    """The rows that have arrived, by item; of an item that ran again the last one counts."""

    def __init__(self) -> None:
        self._rows: dict[tuple[Any, ...], dict[str, Any]] = {}

    def add(self, row: dict[str, Any]) -> None:
        """Take in one result."""
        self._rows[item_key(row)] = row

    @property
    def rows(self) -> list[dict[str, Any]]:
        """All results, in the order in which they first arrived."""
        return list(self._rows.values())


def write_manifest(config: pytest.Config, collected: list[pytest.Item]) -> None:
    """Write what this session is to produce; every worker writes the same."""
    manifest = items.manifest(config, collected, session_id(config))
    if manifest is None:
        return
    table = options.price_table(config)
    found = {one.key: (one, prices.find(table, one)) for one in options.settings(config)}
    described = {
        key: {**asdict(one), "priced": price is not None, "price": asdict(price) if price else None}
        for key, (one, price) in found.items()
    }
    write_json(folder(config).manifest, {**manifest, "settings": described})


def read_manifest(config: pytest.Config) -> dict[str, Any] | None:
    """Return this session's manifest, or None where no benchmark item was collected."""
    if FOLDER not in config.stash or not folder(config).manifest.exists():
        return None
    manifest: dict[str, Any] = read_json(folder(config).manifest)
    return manifest if manifest["session"] == session_id(config) else None


def write(
    config: pytest.Config, manifest: dict[str, Any], rows: list[dict[str, Any]], seconds: float
) -> dict[str, Any]:
    """Write summary.json, diag.json and report.md; return the summary."""
    from pytest_membench.report import folder as folders
    from pytest_membench.report import (
        scores,
        summary,
        text,
    )  # statistics take a second to import: only here, at the end

    out = folder(config)
    memories = folders.memories(out, manifest)
    session = folders.Session(out.root, manifest, rows, memories)
    _write_mechanism(config, session)
    found = summary.summary_of(session)
    write_json(out.root / "summary.json", found)
    write_json(out.root / "diag.json", scores.diagnose(manifest, rows, memories, seconds))
    write_bytes(out.root / "report.md", text.markdown(found).encode())
    return found


def _write_mechanism(config: pytest.Config, session: "Session") -> None:
    """Predict the conversations of a small grid, to say how far predictions can be trusted."""
    if session.served:
        from pytest_membench.run import mechanism, talks

        mechanism.write_errors(session, items.cost_designs(config), talks.of_session(session.manifest, config.rootpath))


def plan_lines(config: pytest.Config) -> list[str]:
    """Return what the run would take, from the ledger of its dry run."""
    from pytest_membench.report import plan, text

    ledger = read_lines(folder(config).spend)
    planned = plan.plan(ledger)
    guess = "Output tokens, and calls that depend on a reply, are a guess: the stand-in model answered here."
    recorded = f"{planned['recorded']:,} calls are recorded already and cost nothing."
    return [*text.align(plan.lines(planned)), recorded, "Nothing was sent to a paid model, nothing recorded.", guess]


def exit_code(before: int, summary: dict[str, Any]) -> int:
    """Return the session's exit code: 2 to 5 are pytest's own and stand, an incomplete session is 6."""
    return before if before >= 2 or summary["complete"] else INCOMPLETE
