"""Which items are collected: the plugin parametrises what asks for `membench_probe` or `membench_cost`."""

import json
from collections.abc import Iterable
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from pytest_membench.data import REFERENCE, Setting, Suite
from pytest_membench.errors import MembenchError, SuiteError
from pytest_membench.grading import choices
from pytest_membench.llm import secrets
from pytest_membench.plugin import options
from pytest_membench.run.cases import Case, cases
from pytest_membench.run.cells import CostCase, cost_cases
from pytest_membench.run.find import Found, find_all, known, split_names

PROBE, COST = "membench_probe", "membench_cost"


class Asked(NamedTuple):
    """What one item asks: a case, at a setting."""

    setting: Setting
    case: Case | CostCase


DESIGNS = pytest.StashKey[list[Found]]()
SUITE = pytest.StashKey[Suite]()
JUDGE_CHECK = pytest.StashKey[dict[str, Any] | None]()


def suite(config: pytest.Config) -> Suite:
    """Return the suite of this session, loaded once. Raises SuiteError."""
    if SUITE not in config.stash:
        from pytest_membench.suites import source  # pydantic is slow to import; most pytest runs need no suite

        config.stash[SUITE] = source.load(options.source(config), config.rootpath)
    return config.stash[SUITE]


def designs(config: pytest.Config) -> list[Found]:
    """Return the designs of this session, found once. Raises DesignError or pytest.UsageError."""
    if DESIGNS not in config.stash:
        names = options.designs(config)
        if not names:
            names = ",".join(_baselined(config))
        if not names:
            exist = ", ".join(known(config.rootpath)) or "none yet; write one to designs/NAME.py"
            raise pytest.UsageError(f"which design? give --design=NAME[,NAME...] or --design=all; there are: {exist}")
        config.stash[DESIGNS] = find_all(names, config.rootpath)
    return config.stash[DESIGNS]


def judge_check(config: pytest.Config) -> dict[str, Any] | None:
    """Return the last check of this session's judge, looked up once. Raises StoreError for a file that is none."""
    if JUDGE_CHECK not in config.stash:
        from pytest_membench.report import checked  # pydantic is slow to import; most pytest runs need no judge

        config.stash[JUDGE_CHECK] = checked.known(config.rootpath, options.judge_setting(config).key)
    return config.stash[JUDGE_CHECK]


def _baselined(config: pytest.Config) -> list[str]:
    """Return the designs that have a baseline for this session's suite and settings."""
    from pytest_membench.report import baseline

    folder, suite = options.path(config, "baselines"), Path(options.get(config, "suite")).name
    found = [baseline.designs(folder, one.key, suite) for one in options.settings(config)]
    return sorted({name for names in found for name in names})


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
    judge_check(config)  # a broken file is told before anything is paid for
    if options.get(config, "answers") == "choice":
        _require_options(found)
    return found


def _require_options(found: list[Case]) -> None:
    """Refuse multiple choice where a question cannot offer any."""
    for case in found:
        try:
            choices.options(case.probe, case.person)
        except ValueError as error:
            raise SuiteError(
                f"--membench-answers=choice: {error}; select others with -k, or leave it at free"
            ) from None


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


def manifest(
    config: pytest.Config, items: list[pytest.Item], session: str, elsewhere: list[pytest.Item]
) -> dict[str, Any] | None:
    """Return what the session is to produce, or None where no benchmark item was collected.

    `elsewhere` are the items that other machines run, where the session is split over several.
    """
    asked = [one for item in items if (one := asked_of(item))]
    if not asked:
        return None
    chosen = {one.id for one in designs(config)}
    expected, others = _expected(items, chosen), _expected(elsewhere, chosen)
    found = {one.case.design.id: one.case.design for one in asked}
    asks, generator = asks_questions(asked), options.get(config, "generator")
    return {
        "session": session,
        "suite": suite(config).name if asks else None,
        "suite_path": options.get(config, "suite"),
        "suite_source": options.source(config).as_dict(),
        "suite_notes": list(suite(config).notes) if asks else [],
        "suite_named": Path(options.get(config, "suite")).name,
        "judge": options.judge_setting(config).key,
        "judge_check": judge_check(config) if asks else None,
        "protocol": options.protocol(config).as_dict(),
        "record": options.record(config),
        "grid": options.get(config, "grid"),
        "seeds": sorted({one.case.seed for one in asked if isinstance(one.case, CostCase)}),
        "generator": Setting(generator).key if generator else None,
        "design_names": split_names(options.designs(config)),
        "options": options.given(config),
        "gate": {name: options.get(config, name) for name in ("baselines", "fail-under", "max-drop", "max-cost-rise")},
        "yardstick": _yardstick(config, {item["kind"] == "cost" for item in expected}),
        "designs": {name: _about(one, config) for name, one in found.items()},
        "items": expected,
        **({"elsewhere": others} if others else {}),
    }


def _expected(items: list[pytest.Item], chosen: set[str]) -> list[dict[str, Any]]:
    """Return the items' rows; a conversation of a design that nobody chose is a reference."""
    asked = [(one, item.nodeid) for item in items if (one := asked_of(item))]
    return [
        {
            **one.case.row(one.setting.key),
            **({} if one.case.design.id in chosen else {"reference": True}),
            "nodeid": nodeid,
        }
        for one, nodeid in asked
    ]


def _yardstick(config: pytest.Config, costs: set[bool]) -> dict[str, Any]:
    """Return what verdicts and costs of this session depend on besides the designs."""
    from pytest_membench.run import yardstick

    names = ("temperature", "max-tokens", "embedding-model")
    sampling = {name: options.get(config, name) for name in names}
    judge, protocol = options.judge_setting(config).key, options.protocol(config)
    return {
        **({"probes": yardstick.of_probes(suite(config), judge, protocol, sampling)} if False in costs else {}),
        **({"cells": yardstick.of_cells(options.get(config, "generator"), sampling)} if True in costs else {}),
    }


def _about(found: Found, config: pytest.Config) -> dict[str, Any]:
    """Return a design's file, seen from the rootdir where it is under it, its parameters and its digest."""
    source = found.source
    inside = source is not None and source.is_relative_to(config.rootpath)
    shown = source.relative_to(config.rootpath).as_posix() if source is not None and inside else None
    parameters = {field.name: repr(getattr(found.design, field.name)) for field in fields(found.design)}  # type: ignore[arg-type]  # checked when it was found
    return {"source": shown, "parameters": parameters, "digest": found.digest}


def hide_secrets(report: pytest.TestReport) -> None:
    """Replace secrets in a report's traceback and captured output; one without any stays as it is."""
    report.sections = [(name, secrets.hide(text)) for name, text in report.sections]
    text = str(report.longrepr or "")
    hidden = secrets.hide(text)
    if hidden != text:
        report.longrepr = hidden


def to_property(row: dict[str, Any]) -> tuple[str, str]:
    """Return a result as it travels on a report: a string, which survives workers and JUnit."""
    return "membench", json.dumps(row, sort_keys=True)


def from_report(report: pytest.TestReport) -> dict[str, Any] | None:
    """Return the result that a report of the call phase carries, or None."""
    if report.when != "call":
        return None
    texts = [value for name, value in report.user_properties if name == "membench"]
    return json.loads(str(texts[-1])) if texts else None
