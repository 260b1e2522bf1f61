"""Put the page together: the template, our style and script, and a policy under which it can load nothing."""

import hashlib
from base64 import b64encode
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pytest_membench.data import Suite
from pytest_membench.report import judgetext, text
from pytest_membench.report.folder import Session
from pytest_membench.report.html.probes import questions
from pytest_membench.report.html.sections import of_setting
from pytest_membench.store import write_bytes

HERE = Path(__file__).parent


def write(session: Session, summary: Mapping[str, Any], suite: Suite | None) -> Path:
    """Write report.html into the session's folder and return its path."""
    path = session.root / "report.html"
    write_bytes(path, page(session, summary, suite).encode())
    return path


def page(session: Session, summary: Mapping[str, Any], suite: Suite | None) -> str:
    """Return the whole page. `suite` gives the text of evidence turns; without it their numbers stand alone.

    Equal sessions give equal pages. Whatever a model, a suite or a design's name holds is escaped
    by the template; figures escape their own text.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=FileSystemLoader(HERE), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters.update(score=lambda value: "unknown" if value is None else f"{value:.1f}", number=_number)
    script = (HERE / "filter.js").read_text(encoding="utf-8")
    asked = questions(session, suite)
    parts = [of_setting(session, summary, name, n) for n, name in enumerate(summary["settings"], 1)]
    return environment.get_template("page.html.j2").render(
        summary=summary,
        judge_lines=judgetext.beside_scores(summary),
        judge_types=judgetext.by_type(summary["judge_check"]) if summary.get("judge_check") else [],
        classes=_classes,
        policy=_policy(script),
        style=Markup((HERE / "style.css").read_text(encoding="utf-8")),  # noqa: S704 - our own file
        script=Markup(script),  # noqa: S704 - our own file
        svg=Markup,
        incomplete=text.incomplete(summary),
        settings=parts,
        questions=asked,
        choices=_choices(asked),
    )


def _policy(script: str) -> str:
    """Return the content security policy: our script by its digest, our style, and nothing from anywhere."""
    digest = b64encode(hashlib.sha256(script.encode()).digest()).decode()
    own = f"script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data:"
    return f"default-src 'none'; {own}; base-uri 'none'; form-action 'none'"


def _choices(asked: list[dict[str, Any]]) -> dict[str, list[str]]:
    """Return what each filter offers: the values that occur."""
    answers = [answer for one in asked for answer in one["answers"]]
    found = {
        **{name: {one[name] for one in asked} for name in ("person", "kind")},
        **{name: {one[name] for one in answers if one[name]} for name in ("setting", "design", "outcome", "lost")},
    }
    order = ("setting", "design", "person", "kind", "outcome", "lost")
    return {name: sorted(found[name]) for name in order}


def _number(value: int | None) -> str:
    return "unknown" if value is None else f"{value:,}"


def _classes(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return each column's class: "n", to the right, where most cells are numbers or stand for one."""
    columns = list(zip(*rows[1:], strict=True)) or [()] * len(rows[0])
    return ["n" if 2 * sum(map(_numeric, column)) > len(column) else "t" for column in columns]


def _numeric(cell: str) -> bool:
    return cell.lstrip("+-")[:1].isdigit() or cell.startswith("turn ") or cell in _WORDS


_WORDS = ("-", "unknown", "no price", "not measured", "never", "immediate")
