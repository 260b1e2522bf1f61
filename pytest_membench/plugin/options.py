"""The options: each `--membench-NAME` is an ini key `membench_NAME` too; `--design` alone is short."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_membench import prices
from pytest_membench.data import Record, Setting
from pytest_membench.errors import InputError
from pytest_membench.grading.protocol import PAPER_MAX_TOKENS, PAPER_TEMPERATURE, Protocol
from pytest_membench.llm import secrets

if TYPE_CHECKING:
    from pytest_membench.suites.source import Source


def _positive(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise ValueError("a whole number from 1 up")
    return int(text)


def _float(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError("a number") from None


def _usd(text: str) -> float:
    value = _float(text)
    if not 0 <= value < float("inf"):
        raise ValueError("USD from 0 up")
    return value


def _seconds(text: str) -> float:
    value = _float(text)
    if not 0 < value < float("inf"):
        raise ValueError("a number of seconds above 0")
    return value


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


def _one_of(*allowed: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in allowed:
            raise ValueError(f"{', '.join(allowed[:-1])} or {allowed[-1]}")
        return text

    return read


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

    @property
    def metavar(self) -> str:
        """What stands for its value in help."""
        return _METAVARS.get(self.name, self.name.rpartition("-")[2].upper())


_METAVARS = {
    **dict.fromkeys(("repeats", "seeds"), "N"),
    **dict.fromkeys(("cassettes", "out", "baselines"), "FOLDER"),
    **dict.fromkeys(("prices", "locomo", "locomo-audit", "longmemeval"), "FILE"),
    **dict.fromkeys(("generator", "judge"), "MODEL"),
    "record": "MODE",
    "timeout": "SECONDS",
    "grid": "CELLS",
    "fail-under": "SCORE",
    "max-drop": "POINTS",
    "max-cost-rise": "PERCENT",
}
"""Where the last word of an option's name is not what its value is."""


OPTIONS = (
    Option(
        "suite",
        "chats and probes: a name under benchmarks/suites, a folder, locomo or longmemeval (default: mini)",
        default="mini",
    ),
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
        _one_of("none", "new", "all"),
    ),
    Option("cassettes", "folder of the cassettes (default: cassettes)", default="cassettes"),
    Option("out", "results folder (default: .membench/<time>)"),
    Option("temperature", "sampling temperature (default: 0)", _float, 0.0),
    Option("max-tokens", "most tokens of one reply (default: the endpoint's)", _positive),
    Option(
        "timeout",
        "seconds one call may take: to the next bytes of its reply, and in all; a tenth to connect (default: 300)",
        _seconds,
        300.0,
    ),
    Option("prices", "JSON file with prices that go before the built-in table"),
    Option(
        "budget-usd",
        "most USD that the live calls of this session may cost, over all workers and stages: no call is started that "
        "could pass it (a reply counts as --membench-max-tokens, or 4096 tokens without it, until its cost is known). "
        "Replayed calls are free; what earlier sessions into the same folder spent does not count (default: no limit)",
        _usd,
    ),
    Option(
        "grid",
        "cells of the cost runs: quick, paper, or cells like 15x50,100x100 (turns x tokens a turn; default: quick)",
        default="quick",
    ),
    Option("seeds", "conversations of each cell (default: 2, and the paper's own for paper)", _positive),
    Option("no-reference", "leave out the full_context runs that break-even is measured against", flag=True),
    Option("generator", "model that writes the cost dialogues (default: none, they are generated here)"),
    Option("plan", "count the calls, tokens and USD that the run would take, and make none of its calls", flag=True),
    Option("locomo", "your copy of LoCoMo's locomo10.json, for --membench-suite=locomo"),
    Option(
        "locomo-chats",
        "chats of LoCoMo: subset (the four of arXiv 2608.11879, 665 questions), all, or ids like conv-26,conv-42 "
        "(default: subset)",
        default="subset",
    ),
    Option("locomo-category5", "also ask LoCoMo's category 5, about what was never said, as abstention", flag=True),
    Option("locomo-audit", "JSON file with an audit of LoCoMo's golds and citations"),
    Option(
        "locomo-audit-mode",
        "flag: ask all, mark what the audit doubts; drop: leave out wrong golds, mend citations; "
        "evidence-only: mend citations (default: flag)",
        _one_of("flag", "drop", "evidence-only"),
        "flag",
    ),
    Option("longmemeval", "your copy of a file of LongMemEval, for --membench-suite=longmemeval"),
    Option(
        "judging",
        "two-looks: whatever is not correct gets a second look with the chat; paper: one look, correct or wrong, "
        "answers at temperature 0.7 with at most 32768 tokens (default: two-looks)",
        _one_of("two-looks", "paper"),
        "two-looks",
    ),
    Option(
        "answers",
        "free: the model answers in its own words; choice: it chooses among golds of the same chat (default: free)",
        _one_of("free", "choice"),
        "free",
    ),
    Option("no-html", "leave out report.html", flag=True),
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
ADDS_ITEMS = "locomo-category5"
"""The flag without which some items are not collected, so that a command for one of them needs it."""
_ASIDE = ("record", "out", "fail-under", "max-drop", "max-cost-rise")
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
        settings: dict[str, Any] = {"action": "store_true"} if option.flag else {"metavar": option.metavar}
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


def is_given(config: pytest.Config, name: str) -> bool:
    """Whether the command line or the ini file sets an option, so that no mode may change it."""
    dest = _BY_NAME[name].dest
    return config.getoption(dest) is not None or config.getini(dest) not in (None, "")


def source(config: pytest.Config) -> "Source":
    """Return where the suite comes from."""
    from pytest_membench.suites.source import Source  # pydantic is slow to import; most pytest runs need no suite

    return Source(
        suite=get(config, "suite"),
        locomo=get(config, "locomo"),
        chats=get(config, "locomo-chats"),
        category5=get(config, "locomo-category5"),
        audit=get(config, "locomo-audit"),
        audit_mode=get(config, "locomo-audit-mode"),
        longmemeval=get(config, "longmemeval"),
    )


def protocol(config: pytest.Config) -> Protocol:
    """Return how answers are asked for and judged; sampling that the user gives goes before the paper's."""
    judging, answers = get(config, "judging"), get(config, "answers")
    if judging != "paper":
        return Protocol(judging, answers)
    return Protocol(
        judging,
        answers,
        temperature=get(config, "temperature") if is_given(config, "temperature") else PAPER_TEMPERATURE,
        max_tokens=get(config, "max-tokens") if is_given(config, "max-tokens") else PAPER_MAX_TOKENS,
    )


def check(config: pytest.Config) -> None:
    """Read every option once, so that a bad value is told before anything runs."""
    for option in OPTIONS:
        get(config, option.name)
    settings(config)
    price_table(config)
    _check_budget(config)


def _check_budget(config: pytest.Config) -> None:
    """Refuse a budget for a model without a price: what cannot be counted cannot be kept within it."""
    if get(config, "budget-usd") is None or record(config) not in ("new", "all"):
        return
    generator = [Setting(name)] if (name := get(config, "generator")) else []
    for one in (*settings(config), judge_setting(config), *generator):
        if one.model != "sim" and not prices.can_bound(price_table(config), one):
            raise pytest.UsageError(
                f"--membench-budget-usd={get(config, 'budget-usd'):g}: {one.key} has no price in the table, so no "
                "budget can be kept; add one with --membench-prices FILE, or leave the budget out"
            )


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

    Where results go, what is recorded, limits of the gate, and flags that add no items are left
    out: they are no part of what is asked.
    """
    names = [f"--design={designs(config)}"] if designs(config) else []
    for option in OPTIONS:
        value = get(config, option.name)
        # The paper's protocol takes sampling of its own, unless the user's is given, the default or not.
        sampling = option.name in ("temperature", "max-tokens") and is_given(config, option.name)
        if option.name in _ASIDE or (value == option.default and not sampling):
            continue
        if not option.flag:
            names.append(secrets.hide(f"--membench-{option.name}={value}"))
        elif value and option.name == ADDS_ITEMS:
            names.append(f"--membench-{option.name}")
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
