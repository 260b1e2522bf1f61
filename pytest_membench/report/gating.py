"""From a session to its gate: find its baselines, compare, show what broke; or write them."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_membench.data import Suite
from pytest_membench.errors import MembenchError, StoreError
from pytest_membench.report import baseline, gatetext
from pytest_membench.report.broke import Broken, broken
from pytest_membench.report.folder import Session
from pytest_membench.report.gate import Limits, exit_code, gate


@dataclass(frozen=True)
class Gated:
    """What comparing a session, or making it the baseline, came to.

    `code` is the exit code it asks for; `lines` what the terminal says; `refused` why no baseline
    was written, where it was to be.
    """

    outcomes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    broken: tuple[Broken, ...] = ()
    lines: tuple[str, ...] = ()
    sources: Mapping[str, str | None] = field(default_factory=dict)
    code: int = 0
    refused: str | None = None

    @property
    def annotations(self) -> list[str]:
        """GitHub's workflow commands."""
        return gatetext.annotations(self.outcomes, self.broken, self.sources)

    def to_github(self, environment: Mapping[str, str], page: str) -> list[str]:
        """Append `page` to the step's summary and return the annotations, where GitHub Actions asks for them.

        A summary that cannot be written costs a line that says so, and nothing else.
        """
        path = environment.get("GITHUB_STEP_SUMMARY")
        failed = _append(Path(path), page) if path and page else []
        return [*failed, *(self.annotations if environment.get("GITHUB_ACTIONS") == "true" else [])]

    @property
    def markdown(self) -> str:
        """The gate's part of a report."""
        return gatetext.markdown(self.outcomes, self.broken)


def _append(path: Path, page: str) -> list[str]:
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(page)
    except OSError as error:
        return [f"GITHUB_STEP_SUMMARY={path}: the step's summary was not written ({error}); report.md holds the same"]
    return []


def compare(
    session: Session, summary: Mapping[str, Any], folder: Path, limits: Limits, suite: Callable[[], Suite]
) -> Gated:
    """Compare every setting and design of a session with its baseline under `folder`.

    `suite` loads the session's suite, for the evidence turns of what broke; where it cannot be
    loaded any more they are left out. A part of a session is not compared: the whole is, once it is
    merged. Raises StoreError for a file that is no baseline.
    """
    if "elsewhere" in session.manifest:
        return Gated(lines=("gate: this is a part of a session; `membench merge OUT PARTS` compares the whole",))
    _require_yardstick(session)
    named = session.manifest["suite_named"]
    paths = {key: baseline.find(folder, key[0], named, key[1]) for key in _keys(session)}
    found = {key: baseline.read(path) if path else None for key, path in paths.items()}
    outcomes = gate(session, summary, found, limits)
    return Gated(
        outcomes=outcomes,
        broken=tuple(broken(session, outcomes, _scores(found), _loaded(suite, outcomes))),
        lines=tuple(gatetext.gate_lines(outcomes)),
        sources={name: about.get("source") for name, about in session.manifest["designs"].items()},
        code=exit_code(outcomes),
    )


def _require_yardstick(session: Session) -> None:
    if not session.manifest.keys() >= {"yardstick", "suite_named", "designs"}:
        raise StoreError(f"{session.root}: an earlier version wrote it, without its yardstick; run the session again")


def _keys(session: Session) -> list[baseline.Key]:
    """Return the (setting, design) pairs of a session; a reference that came by itself is none of them."""
    return sorted({(i["setting"], i["design"]) for i in session.manifest["items"] if not i.get("reference")})


def _scores(found: Mapping[baseline.Key, Mapping[str, Any] | None]) -> dict[str, dict[str, dict[str, float]]]:
    scores: dict[str, dict[str, dict[str, float]]] = {}
    for (setting, design), base in found.items():
        probes = base["probes"] if base else {}
        scores.setdefault(setting, {})[design] = {name: probe["score"] for name, probe in probes.items()}
    return scores


def _loaded(suite: Callable[[], Suite], outcomes: Mapping[str, Mapping[str, Any]]) -> Suite | None:
    if not any(one["verdict"] == "regressed" for designs in outcomes.values() for one in designs.values()):
        return None
    try:
        return suite()
    except MembenchError:
        return None


def update(session: Session, summary: Mapping[str, Any], folder: Path, suite: Suite | None) -> Gated:
    """Write the baseline of every setting and design of a session; refuse a selection or a broken session."""
    _require_yardstick(session)
    if not summary["complete"]:
        return Gated(refused="the session is incomplete; no baseline was written", code=6)
    asked = [(person.id, probe.id) for person in suite.people for probe in person.probes] if suite else []
    why = baseline.missing(session, asked, sorted({design for _, design in _keys(session)}))
    if why:
        return Gated(refused=f"a baseline needs the whole suite, and {why}; none was written", code=4)
    lines = []
    for key in _keys(session):
        path = baseline.path_of(folder, key[0], session.manifest["suite_named"], key[1])
        old, lost = _before(path)
        new = baseline.make(session, key, summary.get("costs", {}).get(key[0], {}).get(key[1], {}))
        baseline.write(path, baseline.kept_parts(new, old))
        counts = f"{len(new['probes'])} probes, {len(new['cells'])} cells"
        lines += [f"baseline: wrote {os.path.relpath(path)}: {counts}", *lost]
    return Gated(lines=tuple(lines))


def _before(path: Path) -> tuple[dict[str, Any] | None, list[str]]:
    """Return the baseline that is to be replaced; of one that cannot be read nothing is kept, and a line says so."""
    try:
        return (baseline.read(path) if path.exists() else None), []
    except StoreError as error:
        return None, [f"  (nothing of the file before was kept: {error})"]


def page(report: str, gated: Gated) -> str:
    """Return report.md: the tables, then the gate and what broke."""
    return "\n\n".join(part.strip() for part in (report, gated.markdown) if part.strip()) + "\n"
