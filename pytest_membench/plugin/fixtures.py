"""The fixtures: a session's bench and one item's probe; a user's conftest may override them."""

import os
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from pytest_membench import prices
from pytest_membench.data import Setting
from pytest_membench.errors import InputError
from pytest_membench.plugin import items, options, results
from pytest_membench.run.cases import Case

if TYPE_CHECKING:
    from pytest_membench.llm.client import Endpoint, Model
    from pytest_membench.run.bench import Bench

UNUSED_URL = "http://replay.invalid/v1"
"""Where strict replay points its client: a name that cannot resolve."""


@dataclass
class ProbeItem:
    """What a benchmark test runs: `membench_probe.run()` asks the probe and records the verdict."""

    case: Case
    bench: "Bench"
    report: Callable[[tuple[str, str]], None]
    rerun: str
    strict: bool

    def run(self) -> dict[str, Any]:
        """Ask and judge; return the result row. Fails the item where it was not run or not judged."""
        __tracebackhide__ = True
        result = self.bench.probe(self.case, self.rerun)
        self.report(items.to_property(result.row))
        if result.error is not None:
            _fail(result.row, result.error)
        if self.strict and result.row["outcome"] == "wrong":
            pytest.fail(f"wrong answer to {self.case.probe.q!r}; --membench-strict fails it", pytrace=False)
        return result.row


def _is_design_error(row: dict[str, Any]) -> bool:
    return bool(row["cause"] == "design_error")


def _fail(row: dict[str, Any], error: Exception) -> None:
    """Fail the item: a design's own error with its traceback, all else with the message alone."""
    __tracebackhide__ = True
    if _is_design_error(row):
        raise error
    where = f"{row['design']}, {row['person']} {row['probe']}"
    pytest.fail(f"{row['outcome'].replace('_', ' ')}: {where}: {error}", pytrace=False)


@pytest.fixture(scope="session")
def membench_model(request: pytest.FixtureRequest) -> Iterator["Model"]:
    """The answering model; override it to give your own endpoint or sampling."""
    yield from _model(request.config, options.setting(request.config), judge=False)


@pytest.fixture(scope="session")
def membench_judge(request: pytest.FixtureRequest) -> Iterator["Model"]:
    """The judging model: the answering one unless --membench-judge names another."""
    yield from _model(request.config, options.judge_setting(request.config), judge=True)


@pytest.fixture(scope="session")
def membench_bench(request: pytest.FixtureRequest, membench_model: "Model", membench_judge: "Model") -> "Bench":
    """All that the items of this session share."""
    from pytest_membench.run.bench import Bench

    config = request.config
    return Bench(
        suite=items.suite(config),
        results=results.folder(config),
        cassettes=options.path(config, "cassettes"),
        record=options.record(config),
        model=membench_model,
        judge=membench_judge,
        session=results.session_id(config),
    )


@pytest.fixture
def membench_probe(request: pytest.FixtureRequest, membench_bench: "Bench") -> ProbeItem:
    """One probe of one design: `membench_probe.run()` in a test is one benchmark item."""
    return ProbeItem(
        case=request.param,
        bench=membench_bench,
        report=request.node.user_properties.append,
        rerun=_rerun(request.config, request.node.nodeid),
        strict=options.get(request.config, "strict"),
    )


def _model(config: pytest.Config, setting: Setting, judge: bool) -> Iterator["Model"]:
    from pytest_membench.llm.client import Model

    endpoints = _sim(config) if setting.model == "sim" else _endpoint(config, judge)
    for endpoint in endpoints:
        try:
            yield Model(
                endpoint=endpoint,
                setting=setting,
                temperature=0.0 if judge else options.get(config, "temperature"),
                max_tokens=options.get(config, "max-tokens"),
                price=prices.find(price_table(config), setting),
                embedding_model=options.get(config, "embedding-model"),
            )
        finally:
            endpoint.close()


def _sim(config: pytest.Config) -> Iterator["Endpoint"]:
    """Yield an endpoint of sim: a loopback server of this process, or none in strict replay."""
    from pytest_membench.llm.client import Endpoint

    if options.record(config) == "none":
        yield Endpoint(UNUSED_URL, "sim", trust_env=False)
        return
    from pytest_membench.llm.sim.server import SimServer

    with SimServer() as server:
        yield Endpoint(server.base_url, "sim", trust_env=False)


def _endpoint(config: pytest.Config, judge: bool) -> Iterator["Endpoint"]:
    from pytest_membench.llm.client import Endpoint

    url, key = os.environ.get("OPENAI_BASE_URL", ""), os.environ.get("OPENAI_API_KEY", "")
    if judge:
        url = options.get(config, "judge-base-url") or url
        key = os.environ.get("MEMBENCH_JUDGE_API_KEY", "") or key
    timeout_s = options.get(config, "timeout")
    if options.record(config) == "none":
        yield Endpoint(UNUSED_URL, "replay", trust_env=False, timeout_s=timeout_s)
        return
    if not key:
        raise pytest.UsageError(
            "recording needs a key: set OPENAI_API_KEY (any text where the endpoint wants none), and "
            "OPENAI_BASE_URL unless it is OpenAI's own; or replay with --membench-record=none"
        )
    yield Endpoint(url or "https://api.openai.com/v1", key, timeout_s=timeout_s)


def price_table(config: pytest.Config) -> tuple[prices.Price, ...]:
    """Return the prices of --membench-prices before the built-in ones. Raises pytest.UsageError."""
    name = options.get(config, "prices")
    try:
        return (*(prices.load(config.rootpath / name) if name else ()), *prices.TABLE)
    except InputError as error:
        raise pytest.UsageError(str(error)) from error


def _rerun(config: pytest.Config, nodeid: str) -> str:
    """Return the command that records what an item misses: its options, and it alone."""
    names = [f"--design={options.designs(config)}"]
    names += [f"--membench-{name}={options.get(config, name)}" for name in ("suite", "model")]
    return shlex.join(["pytest", nodeid, *names, "--membench-record=new"])
