"""The options: each `--membench-NAME` is an ini key `membench_NAME` too; `--design` alone is short."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pytest_membench import prices
from pytest_membench.data import Record, Setting
from pytest_membench.errors import InputError


def _positive(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise ValueError("a whole number from 1 up")
    return int(text)


def _float(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError("a number") from None


def _percent(text: str) -> float:
    value = _float(text)
    if not 0 <= value <= 100:
        raise ValueError("a number from 0 to 100")
    return value


def _rise(text: str) -> float:
    value = _float(text)
    if not 0 <= value < float("inf"):
        raise ValueError("a number from 0 up")
    return value


def _record(text: str) -> str:
    if text not in ("none", "new", "all"):
        raise ValueError("none, new or all")
    return text


@dataclass(frozen=True)
class Option:
    """One option: its name, its help, what reads its text, and its default."""

    name: str
    help: str
    read: Callable[[str], Any] = str
    default: Any = None
    flag: bool = False

    @property
    def dest(self) -> str:
        """Its name in pytest's namespace and in the ini file."""
        return f"membench_{self.name.replace('-', '_')}"


OPTIONS = (
    Option("suite", "chats and probes: a name under benchmarks/suites, or a folder (default: mini)", default="mini"),
    Option(
        "model",
        "the answering model, or several (a,b); 'sim' is a local stand-in that needs no key (default: sim)",
        default="sim",
    ),
    Option("effort", "reasoning effort to ask of the model, or several (low,medium)"),
    Option("provider", "provider to pin the model to, with fallbacks off"),
    Option("judge", "the judging model (default: the answering model)"),
    Option(
        "judge-base-url", "endpoint of the judge, with the key in MEMBENCH_JUDGE_API_KEY (default: OPENAI_BASE_URL)"
    ),
    Option("embedding-model", "model for a design's embeddings (default: the answering model)"),
    Option("repeats", "answer every probe this many times, pooled per probe (default: 1)", _positive, 1),
    Option(
        "record",
        "none: replay cassettes alone, no network; new: replay, and record what is missing; all: record anew "
        "(default: none, and new with sim)",
        _record,
    ),
    Option("cassettes", "folder of the cassettes (default: cassettes)", default="cassettes"),
    Option("out", "results folder (default: .membench/<time>)"),
    Option("temperature", "sampling temperature (default: 0)", _float, 0.0),
    Option("max-tokens", "most tokens of one reply (default: the endpoint's)", _positive),
    Option("timeout", "seconds one call may take (default: 300)", _float, 300.0),
    Option("prices", "JSON file with prices that go before the built-in table"),
    Option(
        "grid",
        "cells of the cost runs: quick, paper, or cells like 15x50,100x100 (turns x tokens a turn; default: quick)",
        default="quick",
    ),
    Option("seeds", "conversations of each cell (default: 2, and the paper's own for paper)", _positive),
    Option("no-reference", "leave out the full_context runs that break-even is measured against", flag=True),
    Option("generator", "model that writes the cost dialogues (default: none, they are generated here)"),
    Option("plan", "count the calls, tokens and USD that the run would take, and make none of its calls", flag=True),
    Option("strict", "wrong answers fail their items (exit code 1)", flag=True),
    Option("baselines", "folder of the baselines (default: benchmarks/baselines)", default="benchmarks/baselines"),
    Option("update-baseline", "make this session, whole and complete, the baseline; commit the files", flag=True),
    Option("fail-under", "a score below this fails the session (0 to 100)", _percent),
    Option(
        "max-drop",
        "a drop of more points than this fails the session, significant or not; a significant one always does",
        _percent,
    ),
    Option("max-cost-rise", "tokens or USD that rise by more percent than this fail the session", _rise),
)
_BY_NAME = {option.name: option for option in OPTIONS}


def add(parser: pytest.Parser) -> None:
    """Register all options, in a help group of their own."""
    group = parser.getgroup("membench", "membench: judge designs of agent memory")
    group.addoption(
        "--design",
        metavar="NAMES",
        help="memory designs, comma-separated: a name under designs/, file.py[:attr], pkg.mod:attr, "
        "'name(parameter=value)', or all",
    )
    parser.addini("membench_design", "default of --design", default="")
    for option in OPTIONS:
        settings: dict[str, Any] = {"action": "store_true"} if option.flag else {"metavar": option.name.upper()}
        group.addoption(f"--membench-{option.name}", dest=option.dest, default=None, help=option.help, **settings)
        parser.addini(option.dest, f"default of --membench-{option.name}", default="")


def get(config: pytest.Config, name: str) -> Any:
    """Return an option's value: the command line's, else the ini file's, else its default.

    Raises pytest.UsageError naming option, value and what is allowed.
    """
    option = _BY_NAME[name]
    text = config.getoption(option.dest)
    text = config.getini(option.dest) if text is None else text
    if option.flag:
        return text is True or str(text).lower() in ("1", "true", "yes", "on")
    if text in (None, ""):
        return option.default
    try:
        return option.read(str(text))
    except ValueError as error:
        raise pytest.UsageError(f"--membench-{name}={text}: {error} is wanted") from error


def check(config: pytest.Config) -> None:
    """Read every option once, so that a bad value is told before anything runs."""
    for option in OPTIONS:
        get(config, option.name)
    settings(config)


def designs(config: pytest.Config) -> str:
    """Return the names in --design or its ini key; empty where neither is given."""
    return str(config.getoption("--design") or config.getini("membench_design"))


def settings(config: pytest.Config) -> list[Setting]:
    """Return the answering settings: each of the models at each of the efforts.

    Raises pytest.UsageError where sim stands beside other models: it has an endpoint of its own.
    """
    models, efforts = (_parts(get(config, name)) for name in ("model", "effort"))
    if "sim" in models and len(models) > 1:
        raise pytest.UsageError(f"--membench-model={get(config, 'model')}: sim runs alone; name it or the others")
    provider = get(config, "provider")
    return [Setting(model, effort, provider) for model in models for effort in (efforts or (None,))]


def _parts(text: str | None) -> list[str]:
    return list(dict.fromkeys(part.strip() for part in (text or "").split(",") if part.strip()))


def given(config: pytest.Config) -> list[str]:
    """Return the options of this session that differ from their defaults, as a command line has them.

    Where results go, what is recorded and flags are left out: they are no part of what is asked.
    """
    names = [f"--design={designs(config)}"] if designs(config) else []
    for option in OPTIONS:
        value = get(config, option.name)
        if value != option.default and not option.flag and option.name not in ("record", "out"):
            names.append(f"--membench-{option.name}={value}")
    return names


def judge_setting(config: pytest.Config) -> Setting:
    """Return the judge's setting: its own model, or the first answering setting; one for all settings."""
    model = get(config, "judge")
    return Setting(model) if model else settings(config)[0]


def record(config: pytest.Config) -> Record:
    """Return the record mode: `new` for sim, which is local and free, else strict replay."""
    if get(config, "plan"):
        return "plan"
    models = {settings(config)[0].model, judge_setting(config).model, get(config, "generator") or "sim"}
    local = models == {"sim"}
    chosen: Record | None = get(config, "record")
    return chosen or ("new" if local else "none")


def path(config: pytest.Config, name: str) -> Path:
    """Return a path option relative to the rootdir."""
    return config.rootpath / str(get(config, name))


def price_table(config: pytest.Config) -> tuple[prices.Price, ...]:
    """Return the prices of --membench-prices before the built-in ones. Raises pytest.UsageError."""
    name = get(config, "prices")
    try:
        return (*(prices.load(config.rootpath / name) if name else ()), *prices.TABLE)
    except InputError as error:
        raise pytest.UsageError(str(error)) from error
