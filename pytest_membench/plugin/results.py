"""Results: collected from reports as items end, compared with what was expected, and written."""

import json
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_membench import prices
from pytest_membench.data import Setting
from pytest_membench.errors import StoreError
from pytest_membench.plugin import gate, items, options
from pytest_membench.store import Results, item_key, read_json, read_lines, write_json

if TYPE_CHECKING:
    from pytest_membench.report.folder import Session
    from pytest_membench.report.gating import Gated

FOLDER = pytest.StashKey[Results]()
SESSION = pytest.StashKey[str]()
PAGE_ERROR = pytest.StashKey[str | None]()
ELSEWHERE = pytest.StashKey[list[pytest.Item]]()
MANIFEST = pytest.StashKey[dict[str, Any]]()
UNWRITTEN = pytest.StashKey[list[str]]()
UNSENT = "membench_manifest"
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


def note_deselected(deselected: Sequence[pytest.Item]) -> None:
    """Remember what pytest-split leaves to other machines: it deselects last, after -k and -m."""
    config = deselected[0].config if deselected else None
    if config is not None and config.getoption("splits", None):
        config.stash[ELSEWHERE] = list(deselected)


def write_manifest(config: pytest.Config, collected: list[pytest.Item]) -> None:
    """Write what this session is to produce; every worker writes the same."""
    manifest = items.manifest(config, collected, session_id(config), config.stash.get(ELSEWHERE, []))
    if manifest is None:
        return
    table = options.price_table(config)
    found = {one.key: (one, prices.find(table, one)) for one in options.settings(config)}
    described = {
        key: {
            **asdict(one),
            "priced": price is not None or _by_provider(table, one),
            "price": asdict(price) if price else None,
        }
        for key, (one, price) in found.items()
    }
    manifest = {**manifest, "settings": described}
    config.stash[MANIFEST] = manifest
    try:
        write_json(folder(config).manifest, manifest)
    except StoreError as error:  # the items will say so too; what was expected is kept for the table
        config.stash[UNWRITTEN] = [str(error)]
        if is_worker(config):
            config.workeroutput[UNSENT] = [json.dumps(manifest), str(error)]  # type: ignore[attr-defined]


def take_manifest(config: pytest.Config, workeroutput: Mapping[str, Any]) -> None:
    """Take in the manifest of a worker that could not write it."""
    if UNSENT in workeroutput and MANIFEST not in config.stash:
        text, why = workeroutput[UNSENT]
        config.stash[MANIFEST] = json.loads(text)
        config.stash[UNWRITTEN] = [why]


def _by_provider(table: tuple[prices.Price, ...], setting: Setting) -> bool:
    """Whether whoever serves an unpinned model may have a price, though there is none for all of them."""
    return setting.provider is None and bool(prices.of_model(table, setting.model))


def read_manifest(config: pytest.Config) -> dict[str, Any] | None:
    """Return this session's manifest, or None where no benchmark item was collected."""
    if MANIFEST in config.stash:
        return config.stash[MANIFEST]
    if FOLDER not in config.stash or not folder(config).manifest.exists():
        return None
    manifest: dict[str, Any] = read_json(folder(config).manifest)
    if manifest["session"] != session_id(config):
        return None
    config.stash[MANIFEST] = manifest
    return manifest


def write(
    config: pytest.Config, manifest: dict[str, Any], rows: list[dict[str, Any]], seconds: float
) -> tuple[dict[str, Any], "Gated"]:
    """Write summary.json, diag.json, report.md, the CSV files and, unless left out, report.html.

    Returns the summary and what the gate says.
    """
    from pytest_membench.report import folder as folders
    from pytest_membench.report import write as reports  # statistics take a second to import: only here, at the end

    out = folder(config)
    memories: list[Any] = []
    with _noted(config):
        memories = folders.memories(out, manifest)
    with _noted(config):  # an item may have ended as the session was stopped, before its result was sent
        received = {item_key(row) for row in rows}
        unsent = [item for item in manifest["items"] if item_key(item) not in received]
        rows = [*rows, *map(dict, folders.finished(out, manifest, unsent))]
    session = folders.Session(out.root, manifest, rows, memories)
    with _noted(config):
        _write_mechanism(config, session)
    budget = None
    with _noted(config):
        budget = _budget_state(config)
    found, gated = reports.summarise(session, lambda found: gate.compare(config, session, found))
    with _noted(config):
        reports.write(session, found, gated, seconds, {"budget": budget} if budget else {})
    if options.get(config, "no-html"):
        (out.root / "report.html").unlink(missing_ok=True)  # one of an earlier session would show other numbers
    else:
        config.stash[PAGE_ERROR] = reports.write_page(session, found, lambda: items.suite(config))
    return found, gated


@contextmanager
def _noted(config: pytest.Config) -> Iterator[None]:
    """Note a file that cannot be read or written: the table is shown all the same, as INCOMPLETE."""
    try:
        yield
    except StoreError as error:
        config.stash.setdefault(UNWRITTEN, []).append(str(error))


def unwritten(config: pytest.Config) -> list[str]:
    """Return what of this session's results could not be written or read back, a line each."""
    return config.stash.get(UNWRITTEN, [])


def _write_mechanism(config: pytest.Config, session: "Session") -> None:
    """Predict the conversations of a small grid, to say how far predictions can be trusted."""
    if session.served:
        from pytest_membench.run import mechanism, talks

        mechanism.write_errors(session, items.cost_designs(config), talks.of_session(session.manifest, config.rootpath))


def _budget_state(config: pytest.Config) -> dict[str, Any] | None:
    """Return what this session spent of its budget, or None where it has none."""
    usd = options.get(config, "budget-usd")
    if usd is None or options.record(config) not in ("new", "all"):
        return None
    from pytest_membench.llm.budget import Budget

    return Budget(folder(config).budget, session_id(config), usd).state()


def budget_lines(config: pytest.Config) -> list[str]:
    """Return what this session spent of its budget, and what all sessions into its folder did."""
    from pytest_membench.report import spending

    try:
        state = _budget_state(config)
        return spending.lines(state, read_lines(folder(config).spend)) if state is not None else []
    except StoreError as error:
        return [f"budget: unknown, {error}"]


def plan_lines(config: pytest.Config) -> list[str]:
    """Return what the run would take, from the ledger of its dry run."""
    from pytest_membench.report import plan, text

    ledger = read_lines(folder(config).spend)
    planned = plan.plan(ledger)
    guess = "Output tokens, and calls that depend on a reply, are a guess: the stand-in model answered here."
    recorded = f"{planned['recorded']:,} calls are recorded already and cost nothing."
    return [*text.align(plan.lines(planned)), recorded, "Nothing was sent to a paid model, nothing recorded.", guess]


def exit_code(before: int, gate_code: int, *, complete: bool) -> int:
    """Return the session's exit code.

    2 to 5 are pytest's own and stand, then 6 for an incomplete session, then what the gate asks
    for, then pytest's 0 or 1.
    """
    if before >= 2:
        return before
    return (gate_code or before) if complete else INCOMPLETE
