"""Commands on a user's copy of LoCoMo: what was found in it, and which chats stand best for the whole."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pytest_membench.cli.group import show

if TYPE_CHECKING:
    from pytest_membench.suites.locomo_file import File
    from pytest_membench.suites.locomo_subset import Subset

_Copy = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.group(short_help="Look into your copy of LoCoMo.")
def locomo() -> None:
    """Look into your copy of LoCoMo (locomo10.json), which membench does not ship."""


@locomo.command(short_help="Show what is in the file, and how it is read.")
@click.argument("path", type=_Copy)
@click.option("--audit", type=_Copy, help="Also hold an audit of its golds and citations to it.")
def check(path: Path, audit: Path | None) -> None:
    """Show what is in the file at PATH, and what was irregular in it and how it is read."""
    from pytest_membench.suites import locomo_audit, locomo_file

    file = locomo_file.read(path)
    show([f"sha256 {file.sha256}: {_is_published(file)}", *_contents(file), ""])
    show([f"{count:>6,}  {what}" for what, count in sorted(file.found.items()) if count])
    if audit:
        flags = [finding.flag for finding in locomo_audit.read(audit, file).values()]
        golds, citations = flags.count("gold"), flags.count("citation")
        show(["", f"audit: {len(flags)} rows match the file: {golds} wrong golds, {citations} wrong citations"])


def _is_published(file: "File") -> str:
    from pytest_membench.suites.locomo_file import SHA256

    return "the published file" if file.published else f"NOT the published file, which has {SHA256}"


def _contents(file: "File") -> list[str]:
    from pytest_membench.suites.locomo_file import ABSTAIN, CATEGORIES

    sessions = [session for one in file.dialogues for session in one.sessions]
    questions = [question.category for one in file.dialogues for question in one.questions]
    kinds = ", ".join(f"{number} {name} {questions.count(number)}" for number, name in CATEGORIES.items())
    turns = sum(len(session.messages) for session in sessions)
    without = len(questions) - questions.count(ABSTAIN)
    return [
        f"{len(file.dialogues)} chats, {len(sessions)} sessions, {turns:,} turns",
        f"{len(questions):,} questions, {without:,} without category {ABSTAIN}: {kinds}",
    ]


@locomo.command(short_help="Find the chats that stand best for the whole file.")
@click.argument("path", type=_Copy)
@click.option("--k", default=4, show_default=True, help="How many chats.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON: ids, questions, divergences.")
def subset(path: Path, k: int, as_json: bool) -> None:
    """Find the K chats whose questions are nearest to those of the whole file at PATH.

    Near is by Jensen-Shannon divergence (natural logarithm) of category, number of evidence strings
    and number of sessions named in them, over all questions and all subsets of K chats.
    """
    from pytest_membench.store import to_json
    from pytest_membench.suites import locomo_file, locomo_subset

    found = locomo_subset.best(locomo_file.read(path), k)
    if as_json:
        first, *rest = map(_row, found)
        click.echo(to_json({**first, "k": k, "runner_up": rest[0] if rest else None}, sort=False), nl=False)
        return
    show(_lines(found))


def _row(found: "Subset") -> dict[str, Any]:
    from pytest_membench.suites.locomo_subset import AXES

    divergences = dict(zip(AXES, found.divergences, strict=True))
    return {"ids": list(found.ids), "questions": found.questions, "divergences": {**divergences, "total": found.total}}


def _lines(found: list["Subset"]) -> list[str]:
    from pytest_membench.report.text import align
    from pytest_membench.suites.locomo_subset import AXES

    rows = [["chats", "questions", *AXES, "total"]]
    rows += [[", ".join(x.ids), str(x.questions), *_figures(x)] for x in found]
    return [*align(rows), "", "questions are without category 5; divergences count all questions, in nats"]


def _figures(found: "Subset") -> list[str]:
    return [f"{divergence:.3e}" for divergence in (*found.divergences, found.total)]
