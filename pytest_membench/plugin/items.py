"""Which items are collected: the plugin parametrises what asks for `membench_probe` or `membench_cost`."""

import hashlib
import json
from collections.abc import Iterable
from functools import cache
from typing import Any, NamedTuple

import pytest

from pytest_membench.data import REFERENCE, Setting, Suite
from pytest_membench.errors import MembenchError, SuiteError
from pytest_membench.plugin import options
from pytest_membench.run.cases import Case, cases
from pytest_membench.run.cells import CostCase, cost_cases
from pytest_membench.run.find import Found, find_all, known

PROBE, COST = "membench_probe", "membench_cost"


class Asked(NamedTuple):
    """What one item asks: a case, at a setting."""

    setting: Setting
    case: Case | CostCase


DESIGNS = pytest.StashKey[list[Found]]()
SUITE = pytest.StashKey[Suite]()


def suite(config: pytest.Config) -> Suite:
    """Return the suite of this session, loaded once. Raises SuiteError."""
    if SUITE not in config.stash:
        from pytest_membench.suites import files  # pydantic is slow to import; most pytest runs need no suite

        config.stash[SUITE] = files.load(files.locate(options.get(config, "suite"), config.rootpath))
    return config.stash[SUITE]


def designs(config: pytest.Config) -> list[Found]:
    """Return the designs of this session, found once. Raises DesignError or pytest.UsageError."""
    if DESIGNS not in config.stash:
        names = options.designs(config)
        if not names:
            exist = ", ".join(known(config.rootpath)) or "none yet; write one to designs/NAME.py"
            raise pytest.UsageError(f"which design? give --design=NAME[,NAME...] or --design=all; there are: {exist}")
        config.stash[DESIGNS] = find_all(names, config.rootpath)
    return config.stash[DESIGNS]


def parametrize(metafunc: pytest.Metafunc) -> None:
    """Give a test that asks for `membench_probe` or `membench_cost` one item for each case."""
    for fixture, find in ((PROBE, _probes), (COST, _costs)):
        if fixture in metafunc.fixturenames:
            try:
                options.check(metafunc.config)
                found = find(metafunc.config)
            except (MembenchError, pytest.UsageError) as error:
                raise pytest.Collector.CollectError(str(error)) from error
            asked = [Asked(setting, case) for setting in options.settings(metafunc.config) for case in found]
            metafunc.parametrize(fixture, [_param(one, metafunc.config) for one in asked], indirect=True)


def _probes(config: pytest.Config) -> list[Case]:
    found = list(cases(designs(config), suite(config), options.get(config, "repeats")))
    if not found:
        raise SuiteError(f"suite {suite(config).name!r} has no probe: all are excluded by its audit")
    return found


def _costs(config: pytest.Config) -> list[CostCase]:
    return list(cost_cases(cost_designs(config), options.get(config, "grid"), options.get(config, "seeds")))


def cost_designs(config: pytest.Config) -> list[Found]:
    """Return whose cost is measured: the whole transcript as reference too, unless it is there or unwanted."""
    chosen = designs(config)
    if options.get(config, "no-reference") or REFERENCE in {one.id for one in chosen}:
        return chosen
    return [*chosen, *find_all(REFERENCE, config.rootpath)]


def _param(asked: Asked, config: pytest.Config) -> Any:
    """Return the item's parameter; its id names the setting where there are several."""
    case = asked.case
    person, kind = (str(case.cell), "cost") if isinstance(case, CostCase) else (case.person.id, case.probe.kind)
    several = len(options.settings(config)) > 1
    name = f"{asked.setting.key}-{case.id}" if several else case.id
    return pytest.param(asked, id=name, marks=_mark(case.design.id, person, kind))


@cache
def _mark(design: str, person: str, kind: str) -> pytest.MarkDecorator:
    """Return the marker; making one for each of 20,000 items would take longer than loading the suite."""
    return pytest.mark.membench(design=design, person=person, kind=kind)


def asked_of(item: pytest.Item) -> Asked | None:
    """Return what a benchmark item asks, or None for any other item."""
    params = item.callspec.params if hasattr(item, "callspec") else {}
    asked = params.get(PROBE) or params.get(COST)
    return asked if isinstance(asked, Asked) else None


def asks_questions(asked: Iterable[Asked | None]) -> bool:
    """Return whether one of the items is a probe."""
    return any(one is not None and isinstance(one.case, Case) for one in asked)


def manifest(config: pytest.Config, items: list[pytest.Item], session: str) -> dict[str, Any] | None:
    """Return what the session is to produce, or None where no benchmark item was collected."""
    asked = [(one, item.nodeid) for item in items if (one := asked_of(item))]
    expected = [{**one.case.row(one.setting.key), "nodeid": nodeid} for one, nodeid in asked]
    if not expected:
        return None
    generator = options.get(config, "generator")
    chosen = suite(config) if asks_questions(one for one, _ in asked) else None
    return {
        "session": session,
        "suite": chosen.name if chosen else None,
        "suite_path": options.get(config, "suite"),
        "chats_digest": _digest(chosen) if chosen else None,
        "judge": options.judge_setting(config).key,
        "record": options.record(config),
        "grid": options.get(config, "grid"),
        "seeds": sorted({one.case.seed for one, _ in asked if isinstance(one.case, CostCase)}),
        "generator": Setting(generator).key if generator else None,
        "items": expected,
    }


def _digest(chosen: Suite) -> str:
    """Return a digest of the chats: sessions about other chats cannot be paired."""
    lines = [f"{person.id} {turn}" for person in chosen.people for turn in person.turns]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def to_property(row: dict[str, Any]) -> tuple[str, str]:
    """Return a result as it travels on a report: a string, which survives workers and JUnit."""
    return "membench", json.dumps(row, sort_keys=True)


def from_report(report: pytest.TestReport) -> dict[str, Any] | None:
    """Return the result that a report of the call phase carries, or None."""
    if report.when != "call":
        return None
    texts = [value for name, value in report.user_properties if name == "membench"]
    return json.loads(str(texts[-1])) if texts else None
