"""Commands on judges: check one against labelled answers, and see how far verdicts agree."""

import shlex
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from pytest_membench.cli.group import INCOMPLETE, Folder, show

if TYPE_CHECKING:
    from pytest_membench.data import Record, Setting
    from pytest_membench.llm.meter import Meter
    from pytest_membench.run.judgecheck import Ruling
    from pytest_membench.suites.calibration import Triple


class _Asked(NamedTuple):
    """What the options of judge-check say, the same for each judge."""

    triples: "tuple[Triple, ...]"
    path: Path | None
    cassettes: Path
    record: "Record | None"
    base_url: str | None


class _Checked(NamedTuple):
    """What came of one judge."""

    judge: str
    found: dict[str, Any]
    rows: list[dict[str, Any]]
    spent: dict[str, Any]


@click.command("judge-check", short_help="Say how often a judge is right on labelled answers.")
@click.option("--model", "models", required=True, metavar="M[,M]", help="The judge, or several, comma-separated.")
@click.option("--effort", help="Reasoning effort to ask of it.")
@click.option("--provider", help="Provider to pin it to, with fallbacks off.")
@click.option("--base-url", help="Its endpoint, with the key in MEMBENCH_JUDGE_API_KEY (default: OPENAI_BASE_URL).")
@click.option("--record", type=click.Choice(["none", "new", "all"]), help="Default: none, and new with sim.")
@click.option("--cassettes", type=click.Path(file_okay=False, path_type=Path), default="cassettes", show_default=True)
@click.option("--set", "path", type=click.Path(path_type=Path), help="A file of your own labelled answers.")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), help="Default: benchmarks/judges.")
@click.option("--all", "every", is_flag=True, help="List every answer, not the misses alone.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def judge_check(
    models: str,
    effort: str | None,
    provider: str | None,
    base_url: str | None,
    record: "Record | None",
    cassettes: Path,
    path: Path | None,
    out: Path | None,
    every: bool,
    as_json: bool,
) -> None:
    """Ask a judge about labelled answers: how often it is right, by type, and where it is not.

    A low accuracy is a result (exit code 0); where something was not judged the exit code is 6. What is found
    is kept in benchmarks/judges, where sessions with this judge find it.
    """
    from pytest_membench.data import Setting
    from pytest_membench.report.checked import FOLDER
    from pytest_membench.store import to_json
    from pytest_membench.suites import calibration

    names = list(dict.fromkeys(name.strip() for name in models.split(",") if name.strip()))
    if not names:
        raise click.UsageError(f"--model={models!r} names no model")
    asked = _Asked(calibration.load(path), path, cassettes, record, base_url)
    checked, kept = [], []
    for name in names:
        checked.append(_check(Setting(name, effort, provider), asked))
        kept.append(_keep(checked[-1], out or FOLDER))  # at once, so that another judge's fault loses nothing
    pairs = _between(checked)
    if as_json:
        judges = [{**one.found, "rulings": one.rows, "spent": one.spent} for one in checked]
        click.echo(to_json({"judges": judges, "between": pairs}), nl=False)
    else:
        for one, line in zip(checked, kept, strict=True):
            _show(one, every=every)
            show([line, ""])
        _show_pairs(pairs)
    sys.exit(INCOMPLETE if any(one.found["not_judged"] for one in checked) else 0)


def _check(setting: "Setting", asked: _Asked) -> _Checked:
    from pytest_membench import prices
    from pytest_membench.llm.client import Model
    from pytest_membench.llm.endpoint import opened
    from pytest_membench.llm.meter import Meter
    from pytest_membench.report.judgecheck import summarise
    from pytest_membench.run import judgecheck
    from pytest_membench.suites.calibration import digest

    record = asked.record or ("new" if setting.model == "sim" else "none")
    meter = Meter(f"judge-check-{setting.key}")
    tape = judgecheck.cassette(asked.cassettes, setting, asked.path)
    with opened(setting, record, judge=True, base_url=asked.base_url) as endpoint:
        model = Model(endpoint, setting, price=prices.find(prices.TABLE, setting))
        work = judgecheck.check(asked.triples, model, meter, tape=tape, record=record, rerun=_rerun(setting, asked))
        rows = [ruling.row for ruling in _ticking(work, setting.key, len(asked.triples))]
    path = _relative(asked.path) if asked.path else None
    found = summarise(setting.key, rows, digest=digest(asked.triples), path=path)
    return _Checked(setting.key, found, rows, _spent(meter))


def _ticking(work: "Iterable[Ruling]", label: str, length: int) -> "Iterator[Ruling]":
    """Yield the rulings with a bar on a terminal's stderr: a live judge takes minutes."""
    if not sys.stderr.isatty():
        yield from work
        return
    with click.progressbar(work, length=length, label=label, file=sys.stderr) as bar:
        yield from bar


def _rerun(setting: "Setting", asked: _Asked) -> str:
    """Return the command that records what is missing; a password in an address is hidden."""
    from pytest_membench.llm import secrets

    parts = ["membench", "judge-check", "--model", setting.model]
    options = {"effort": setting.effort, "provider": setting.provider, "base-url": asked.base_url, "set": asked.path}
    for name, value in options.items():
        parts += [f"--{name}", str(value)] if value else []
    if asked.cassettes != Path("cassettes"):
        parts += ["--cassettes", str(asked.cassettes)]
    return secrets.hide(shlex.join([*parts, "--record", "new"]))


def _relative(path: Path) -> str:
    """Return a path as the file of a check names it: from the current folder, where it lies in it."""
    with suppress(ValueError):
        return path.resolve().relative_to(Path.cwd()).as_posix()
    return str(path)


def _spent(meter: "Meter") -> dict[str, Any]:
    """Return calls, tokens and USD of the judge."""
    usage = meter.usage("judge")
    replayed = sum(call.replayed for call in meter.calls)
    calls = {"made": len(meter.calls) - replayed, "replayed": replayed}
    return {**calls, "input": usage.input, "output": usage.output, "usd": meter.usd("judge")}


def _keep(one: _Checked, folder: Path) -> str:
    """Write the file that sessions find, unless calls failed: an outage says nothing about the judge."""
    from pytest_membench.report.checked import file_of
    from pytest_membench.store import write_json

    outages = [row for row in one.rows if row["outage"]]
    if outages:
        return f"not kept: {len(outages)} calls failed or are not recorded; the first: {outages[0]['message']}"
    file = file_of(folder, one.judge)
    write_json(file, one.found)
    return f"wrote {file}"


def _between(checked: Sequence[_Checked]) -> list[dict[str, Any]]:
    """Return the agreement of each pair of judges."""
    from itertools import combinations

    from pytest_membench.report.judgecheck import between

    labels = {one.judge: {row["id"]: row["given"] for row in one.rows} for one in checked}
    return [{"judges": [a, b], **between(labels[a], labels[b])} for a, b in combinations(labels, 2)]


def _show(one: _Checked, *, every: bool) -> None:
    from pytest_membench.report import judgetext
    from pytest_membench.report.text import align

    found, spent = one.found, one.spent
    listed = judgetext.rulings(one.rows, every=every)
    show([*listed, ""] if listed else [])
    if found["n"]:
        show([*align(judgetext.by_type(found)), ""])
        show([*align(judgetext.confusion(found["confusion"], "expected \\ given")), ""])
    show([judgetext.one_line(found)])
    show([*judgetext.kappas(found), *judgetext.second_look(found)] if found["n"] else [])
    tokens = " in, ".join("unknown" if n is None else f"{n:,}" for n in (spent["input"], spent["output"]))
    money = "no price" if spent["usd"] is None else f"{spent['usd']:.4f} USD"
    show([f"calls: {spent['made']} made, {spent['replayed']} replayed; tokens: {tokens} out; {money}"])


def _show_pairs(pairs: Sequence[dict[str, Any]]) -> None:
    from pytest_membench.report import judgetext
    from pytest_membench.report.text import align

    for pair in pairs:
        first, second = pair["judges"]
        show(judgetext.two_judges(first, second, pair))
        show(["", *align(judgetext.confusion(pair["confusion"], f"{first} \\ {second}")), ""] if pair["n"] else [])


@click.command(short_help="Show how far the judges of two sessions agree.")
@click.argument("results", type=Folder)
@click.argument("other", type=Folder, required=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def agree(results: Path, other: Path | None, as_json: bool) -> None:
    """Show how far the judges of RESULTS and OTHER agree on the same answers.

    With RESULTS alone: how often its second look overturned the first, and in which direction.
    """
    from pytest_membench.report import agree as agreeing
    from pytest_membench.report import folder
    from pytest_membench.store import to_json

    first = folder.read(results)
    found = agreeing.agree(first, folder.read(other)) if other else agreeing.second_looks(first)
    if as_json:
        click.echo(to_json(found), nl=False)
    elif other:
        _show_agreement(found, results, other)
    else:
        _show_second_looks(found)


def _show_second_looks(found: dict[str, Any]) -> None:
    from pytest_membench.report import judgetext
    from pytest_membench.report.text import align

    show(judgetext.overturned(found))
    if found["second_looks"]:
        show(["", *align(judgetext.confusion(found["table"], "first \\ second look"))])


def _show_agreement(found: dict[str, Any], results: Path, other: Path) -> None:
    from pytest_membench.report import judgetext
    from pytest_membench.report.text import align

    first, second = found["judges"]
    same = first == second
    names = (f"{first} in {results}", f"{second} in {other}") if same else (first, second)
    show([*judgetext.differing(found, *names), ""] if found["differ"] else [])
    show([*align(judgetext.by_kind(found)), ""])
    show([*align(judgetext.confusion(found["confusion"], "first \\ second")), ""])
    show(judgetext.two_judges(names[0], names[1], found))
    show([f"both were judged by {first}: this measures the judge's own noise"] if same else [])
    show(judgetext.left_out(found["left_out"]))
