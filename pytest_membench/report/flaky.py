"""Which questions come out differently when they are asked again, and what that does to a score."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from pytest_membench.errors import StoreError
from pytest_membench.report.compare import require_poolable
from pytest_membench.report.folder import Row, Session
from pytest_membench.report.text import align
from pytest_membench.stats import noise

_LETTERS = {"correct": ".", "partial": "p", "wrong": "w"}
_SHOWN = 20


def flaky(sessions: Sequence[Session]) -> list[dict[str, Any]]:
    """Return for each setting and design its questions, least stable first, and the noise of its score.

    The answers of all repeats and all sessions count. Raises StoreError where the sessions are not
    of one suite, judge and chats, where a design changed between them, or where no question has
    two verdicts.
    """
    require_poolable(sessions)
    _require_same_designs(sessions)
    groups: dict[tuple[str, str], dict[tuple[str, str], list[Row]]] = defaultdict(lambda: defaultdict(list))
    for session in sessions:
        for row in session.rows:
            if row["kind"] != "cost" and row["score"] is not None:
                groups[row["setting"], row["design"]][row["person"], row["probe"]].append(row)
    found = [_design(key, questions) for key, questions in sorted(groups.items())]
    if not any(probe["flips"] is not None for one in found for probe in one["probes"]):
        raise StoreError(
            "each probe has one verdict or none: nothing says how stable it is; run with --membench-repeats=3, or give "
            "the folders of several sessions"
        )
    return found


def _require_same_designs(sessions: Sequence[Session]) -> None:
    seen: dict[str, tuple[Session, str]] = {}
    for session in sessions:
        for design, about in session.manifest.get("designs", {}).items():
            digest = about["digest"]
            first, known = seen.setdefault(design, (session, digest))
            if known != digest:
                raise StoreError(
                    f"{design} changed between {first.root} and {session.root}: what flips is no noise; see "
                    "`membench compare`"
                )


def _design(key: tuple[str, str], questions: Mapping[tuple[str, str], Sequence[Row]]) -> dict[str, Any]:
    answers = {name: noise.of_answers([row["score"] for row in rows]) for name, rows in questions.items()}
    repeated = [one for one in answers.values() if one.variance is not None]
    whole = noise.of_score(repeated)
    total = sum(one.variance or 0.0 for one in repeated)
    probes = [
        {
            "person": person,
            "probe": probe,
            "kind": questions[person, probe][0]["kind"],
            "verdicts": "".join(_LETTERS[row["outcome"]] for row in questions[person, probe]),
            "score": round(100 * one.mean, 1),
            "flips": None if one.flips is None else round(one.flips, 4),
            "noise_share": None if one.variance is None else round(one.variance / total, 4) if total else 0.0,
        }
        for (person, probe), one in sorted(answers.items())
    ]
    probes.sort(key=lambda one: (one["flips"] is None, -(one["noise_share"] or 0.0), one["person"], one["probe"]))
    return {
        "setting": key[0],
        "design": key[1],
        "probes": probes,
        "unstable": sum(bool(one["flips"]) for one in probes),
        "answered_once": len(answers) - len(repeated),
        "n": len(repeated),
        "noise_points": None if whole is None else round(100 * whole.sd, 2),
        "expected_flips": None if whole is None else round(whole.flips, 2),
    }


def lines(found: Sequence[Mapping[str, Any]], *, every: bool = False) -> list[str]:
    """Return the tables: by default the questions that flip, at most 20 a design."""
    shown: list[str] = []
    for one in found:
        shown += [*([""] if shown else []), *_heading(one)]
        probes = [probe for probe in one["probes"] if every or probe["flips"]]
        table = [["probe", "verdicts", "score", "chance to flip", "share of the noise"]]
        for probe in probes if every else probes[:_SHOWN]:
            numbers = [_percent(probe["flips"]), _percent(probe["noise_share"])]
            table.append([f"{probe['person']} {probe['probe']}", probe["verdicts"], f"{probe['score']:.1f}", *numbers])
        shown += ["", *align(table)] if len(table) > 1 else []
        if len(probes) > _SHOWN and not every:
            shown.append(f"and {len(probes) - _SHOWN} more; --all lists every probe")
    return shown


def _heading(one: Mapping[str, Any]) -> list[str]:
    name = f"{one['design']} ({one['setting']})"
    if one["noise_points"] is None:
        return [f"{name}: each probe was answered once, so nothing is known of chance"]
    words = [
        f"{name}: {one['unstable']} of {one['n']} probes came out differently.",
        f"Between two sessions {one['expected_flips']:.1f} of them are expected to flip;",
        f"chance alone moves the score of one session by {one['noise_points']:.1f} points (standard deviation).",
    ]
    alone = one["answered_once"]
    once = "1 probe has one verdict alone and is" if alone == 1 else f"{alone} probes have one verdict alone and are"
    return [*words, f"{once} left out."] if alone else words


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.0f}%"


def copies(sessions: Sequence[Session]) -> list[str]:
    """Return a warning for each session after the first that made no live call: it may be a copy of another."""
    return [
        f"{session.root} made no live call: if it replayed the cassettes of another of these sessions, its answers are "
        "copies, and they look more stable than they are"
        for session in sessions[1:]
        if not any(row["calls"]["live"] for row in session.rows if row.get("calls"))
    ]
