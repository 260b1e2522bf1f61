"""The fixtures: a session's bench and one item's probe; a user's conftest may override them."""

import shlex
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_membench import prices
from pytest_membench.data import Setting, Suite
from pytest_membench.errors import InputError
from pytest_membench.llm import secrets
from pytest_membench.plugin import items, options, results

if TYPE_CHECKING:
    from pytest_membench.llm.budget import Budget
    from pytest_membench.llm.client import Endpoint, Model
    from pytest_membench.run.bench import Bench, Result
    from pytest_membench.run.costbench import CostBench


@dataclass
class Item:
    """What a benchmark test runs: `membench_probe.run()` or `membench_cost.run()` is one item."""

    ask: Callable[[], "Result"]
    report: Callable[[tuple[str, str]], None]
    strict: bool

    def run(self) -> dict[str, Any]:
        """Do the item's work; return the result row. Fails the item where it came to no result."""
        __tracebackhide__ = True
        result = self.ask()
        self.report(items.to_property(result.row))
        if result.error is not None:
            _fail(result.row, result.error)
        if self.strict and result.row["outcome"] == "wrong":
            pytest.fail(
                f"wrong answer to {result.row['person']} {result.row['probe']}; --membench-strict fails it",
                pytrace=False,
            )
        return result.row


def _is_design_error(row: dict[str, Any]) -> bool:
    return bool(row["cause"] == "design_error")


def _fail(row: dict[str, Any], error: Exception) -> None:
    """Fail the item: a design's own error with its traceback, all else with the message alone."""
    __tracebackhide__ = True
    if _is_design_error(row):
        raise error
    where = f"{row['design']}, {row['person']} {row['probe']}"
    pytest.fail(f"{row['outcome'].replace('_', ' ')}: {where}: {secrets.hide(str(error))}", pytrace=False)


@pytest.fixture(scope="session")
def membench_endpoint(request: pytest.FixtureRequest) -> Iterator["Endpoint"]:
    """Where the answering model is called; override it to give a client of your own."""
    yield from _endpoint(request.config, options.settings(request.config)[0], judge=False)


@pytest.fixture(scope="session")
def membench_judge_endpoint(request: pytest.FixtureRequest) -> Iterator["Endpoint"]:
    """Where the judge is called; override it to give a client of your own."""
    yield from _endpoint(request.config, options.judge_setting(request.config), judge=True)


@pytest.fixture(scope="session")
def membench_model(request: pytest.FixtureRequest, membench_endpoint: "Endpoint") -> "Model":
    """The first answering model, with the sampling and the price that the options give."""
    config = request.config
    return _model(config, options.settings(config)[0], membench_endpoint, options.get(config, "temperature"))


@pytest.fixture(scope="session")
def membench_judge(request: pytest.FixtureRequest, membench_judge_endpoint: "Endpoint") -> "Model":
    """The judging model: the answering one unless --membench-judge names another; at temperature 0."""
    return _model(request.config, options.judge_setting(request.config), membench_judge_endpoint, 0.0)


@pytest.fixture(scope="session")
def membench_bench(request: pytest.FixtureRequest, membench_model: "Model", membench_judge: "Model") -> "Bench":
    """All that the items of this session share."""
    from pytest_membench.run.bench import Bench

    config = request.config
    return Bench(
        suite=_suite(request),
        results=results.folder(config),
        cassettes=options.path(config, "cassettes"),
        record=options.record(config),
        model=membench_model,
        judge=membench_judge,
        session=results.session_id(config),
        protocol=options.protocol(config),
    )


def _suite(request: pytest.FixtureRequest) -> Suite:
    """Return the session's suite; a session that measures cost alone needs none, and reads none."""
    asked = [items.asked_of(item) for item in request.session.items]
    return items.suite(request.config) if items.asks_questions(asked) else Suite("", ())


@pytest.fixture
def membench_probe(request: pytest.FixtureRequest, membench_bench: "Bench") -> Item:
    """One probe of one design: `membench_probe.run()` in a test is one benchmark item."""
    bench = _at(request.config, membench_bench, request.param.setting)
    return _item(request, lambda rerun: bench.probe(request.param.case, rerun))


@pytest.fixture(scope="session")
def membench_costbench(request: pytest.FixtureRequest, membench_bench: "Bench") -> Iterator["CostBench"]:
    """All that the cost items of this session share: the bench, and who writes the dialogues."""
    from pytest_membench.run.costbench import CostBench
    from pytest_membench.run.talks import FOLDER

    config = request.config
    folder = config.rootpath / FOLDER
    name = options.get(config, "generator")
    if not name:
        yield CostBench(membench_bench, folder)
        return
    for endpoint in _endpoint(config, Setting(name), judge=False):
        yield CostBench(membench_bench, folder, _model(config, Setting(name), endpoint, 0.0))


@pytest.fixture
def membench_cost(request: pytest.FixtureRequest, membench_costbench: "CostBench") -> Item:
    """One conversation of a cost cell: `membench_cost.run()` in a test is one benchmark item."""
    bench = _at(request.config, membench_costbench.bench, request.param.setting)
    return _item(request, lambda rerun: replace(membench_costbench, bench=bench).run(request.param.case, rerun))


def _item(request: pytest.FixtureRequest, ask: Callable[[str], "Result"]) -> Item:
    rerun = _rerun(request.config, request.node.nodeid)
    return Item(lambda: ask(rerun), request.node.user_properties.append, options.get(request.config, "strict"))


def _at(config: pytest.Config, bench: "Bench", setting: Setting) -> "Bench":
    """Return the bench at a setting: another model at the same endpoint, with its own price."""
    if setting == bench.model.setting:
        return bench
    own = _model(config, setting, bench.model.endpoint, bench.model.temperature)
    return replace(
        bench,
        model=replace(
            bench.model, setting=setting, price=own.price, embedding_price=own.embedding_price, budget=own.budget
        ),
    )


def _budget(config: pytest.Config, setting: Setting) -> "Budget | None":
    """Return the budget that all workers share, or None without one; sim is free unless it has a price."""
    from pytest_membench.llm.budget import Budget

    usd = options.get(config, "budget-usd")
    free = setting.model == "sim" and not prices.can_bound(options.price_table(config), setting)
    if usd is None or free or options.record(config) not in ("new", "all"):
        return None
    return Budget(results.folder(config).budget, results.session_id(config), usd)


def _model(config: pytest.Config, setting: Setting, endpoint: "Endpoint", temperature: float) -> "Model":
    from pytest_membench.llm.client import Model

    embedding = options.get(config, "embedding-model")
    return Model(
        endpoint=endpoint,
        setting=setting,
        temperature=temperature,
        max_tokens=options.get(config, "max-tokens"),
        price=prices.find(options.price_table(config), setting),
        embedding_model=embedding,
        embedding_price=prices.find(options.price_table(config), Setting(embedding or setting.model)),
        table=options.price_table(config),
        budget=_budget(config, setting),
    )


def _endpoint(config: pytest.Config, setting: Setting, *, judge: bool) -> Iterator["Endpoint"]:
    """Yield a client for the setting; in strict replay one that has nowhere to call."""
    from pytest_membench.llm.endpoint import opened

    own = options.get(config, "judge-base-url") if judge else None
    timeout_s = options.get(config, "timeout")
    with ExitStack() as stack:
        try:
            client = opened(setting, options.record(config), judge=judge, base_url=own, timeout_s=timeout_s)
            endpoint = stack.enter_context(client)
        except InputError as error:
            raise pytest.UsageError(str(error)) from error
        yield endpoint


def _rerun(config: pytest.Config, nodeid: str) -> str:
    """Return the command that records what an item misses: its options, and it alone."""
    return secrets.hide(shlex.join(["pytest", nodeid, *options.given(config), "--membench-record=new"]))
