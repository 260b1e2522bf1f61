"""Compare sessions: two of them, or several pooled; paired by question throughout."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from pytest_membench.data import KINDS
from pytest_membench.errors import StoreError
from pytest_membench.grading.protocol import name_of
from pytest_membench.report.folder import Row, Session
from pytest_membench.report.scores import pool as pool_rows
from pytest_membench.report.scores import summarise, with_missing
from pytest_membench.stats.paired import difference, holm, mcnemar

Scores = Mapping[tuple[str, str], float]
"""A score in [0, 1] by (person, probe)."""


class Pair(NamedTuple):
    """Two designs (or one design in two sessions) and their scores."""

    first: str
    second: str
    first_scores: Scores
    second_scores: Scores
    kinds: Mapping[tuple[str, str], str]

    @property
    def shared(self) -> list[tuple[str, str]]:
        """The probes with a verdict in both, sorted: what can be paired."""
        return sorted(self.first_scores.keys() & self.second_scores.keys())


def compare(first: Session, second: Session) -> list[dict[str, Any]]:
    """Return what changed from the first session to the second, for each design of both.

    Where the sessions share no design and each has one, these two are compared. Raises StoreError
    where nothing can be paired, or where another judge or protocol graded the other session.
    """
    return [_compared(pair) for pair in paired(first, second)]


def paired(first: Session, second: Session) -> list[Pair]:
    """Return the scores of each design of both sessions, and which were set against which; raises as `compare` does."""
    for session in (first, second):
        if session.manifest["suite"] is None:
            raise StoreError(
                f"{session.root}: measured cost alone and asked no question that could be paired; "
                "`membench report` shows its costs, `membench pool` those of several folders"
            )
    if first.manifest["suite"] != second.manifest["suite"]:
        suites = f"{first.manifest['suite']!r} and {second.manifest['suite']!r}"
        raise StoreError(f"{first.root} and {second.root} are of the suites {suites}: their questions cannot be paired")
    _require_one_judge([first, second])
    _require_same_chats([first, second])
    groups, others = _groups(_expected(first)), _groups(_expected(second))
    shared = sorted(groups.keys() & others.keys())
    names = [(key, key) for key in shared]
    if not shared and len(groups) == len(others) == 1:
        names = [(next(iter(groups)), next(iter(others)))]
    if not names:
        have = f"{_list(groups)} and {_list(others)}"
        raise StoreError(f"{first.root} and {second.root} share no design: they have {have}")
    pairs = [_pair(a, b, groups[a], others[b]) for a, b in names]
    if not any(pair.shared for pair in pairs):
        raise StoreError(f"{first.root} and {second.root} share no question that has a verdict in both")
    return pairs


def pool(sessions: Sequence[Session]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the pooled summary of several sessions, and the differences between their designs.

    Each session's answers count as further repeats; a question's score is averaged first. Raises
    StoreError where the sessions are of several suites or judges, or one of them is given twice.
    """
    require_poolable(sessions)
    named = next((str(suite) for session in sessions if (suite := session.manifest["suite"]) is not None), None)
    manifest = {**_merged(sessions), "suite": named}
    rows = [row for number, session in enumerate(sessions) for row in _renumbered(_expected(session), number)]
    memories = [m for number, session in enumerate(sessions) for m in _renumbered(session.memories, number)]
    return summarise(manifest, rows, memories), between(rows)


def require_poolable(sessions: Sequence[Session]) -> None:
    """Raise StoreError where the sessions' answers are not to the same questions, by the same judge, each once.

    A session of cost alone has no answers.
    """
    suites = sorted({str(suite) for session in sessions if (suite := session.manifest["suite"]) is not None})
    if len(suites) > 1:
        raise StoreError(f"the sessions are of the suites {', '.join(suites)}; pool sessions of one suite")
    _require_one_judge([session for session in sessions if session.manifest["suite"] is not None])
    _require_same_chats(sessions)
    _require_each_once(sessions)


def between(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Return the paired differences between all designs of each setting, `second - first`."""
    groups = _groups(rows)
    pairs = [_pair(a, b, groups[a], groups[b]) for a, b in combinations(sorted(groups), 2) if a[0] == b[0]]
    return [_compared(pair) for pair in pairs]


def _require_same_chats(sessions: Sequence[Session]) -> None:
    digests = {digest for s in sessions if (digest := s.manifest.get("yardstick", {}).get("probes", {}).get("chats"))}
    if len(digests) > 1:
        raise StoreError(
            f"the chats of suite {sessions[0].manifest['suite']!r} changed between the sessions, or others were chosen, so "
            "their answers cannot be paired; run one of them again"
        )


def _require_one_judge(sessions: Sequence[Session]) -> None:
    judges = sorted({session.manifest["judge"] for session in sessions})
    if len(judges) > 1:
        raise StoreError(f"the sessions were judged by {', '.join(judges)}; only verdicts of one judge go together")
    protocols = sorted({name_of(session.manifest) for session in sessions})
    if len(protocols) > 1:
        raise StoreError(
            f"the sessions were measured by different protocols ({'; '.join(protocols)}), so their scores cannot be "
            "paired; run one of them again with the other's --membench-judging and --membench-answers"
        )


def _require_each_once(sessions: Sequence[Session]) -> None:
    seen: dict[str, Session] = {}
    for session in sessions:
        twin = seen.setdefault(session.manifest["session"], session)
        if twin is not session:
            raise StoreError(f"{twin.root} and {session.root} hold the same session; give each session once")


def _expected(session: Session) -> list[Row]:
    """Return a row for every item that the session was to produce, so that none is left out unseen."""
    return with_missing(session.manifest, session.rows)


def _groups(rows: Sequence[Row]) -> dict[tuple[str, str], list[Row]]:
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        if row["kind"] != "cost":  # conversations that were priced ask no question
            groups.setdefault((row["setting"], row["design"]), []).append(row)
    return groups


def _list(groups: Mapping[tuple[str, str], Any]) -> str:
    return ", ".join(f"{design} ({setting})" for setting, design in sorted(groups)) or "none"


def _pair(first: tuple[str, str], second: tuple[str, str], a: Sequence[Row], b: Sequence[Row]) -> Pair:
    kinds = {(row["person"], row["probe"]): row["kind"] for row in [*a, *b]}
    return Pair(_name(first), _name(second), pool_rows(a), pool_rows(b), kinds)


def _name(key: tuple[str, str]) -> str:
    return f"{key[1]} ({key[0]})"


def _compared(pair: Pair) -> dict[str, Any]:
    """Return the difference over all questions that both answered, its flips, and each kind's.

    `unpaired` counts the questions that were asked and have no verdict in one of the two, or in both.
    """
    shared = pair.shared
    head = {"first": pair.first, "second": pair.second, "unpaired": len(pair.kinds) - len(shared)}
    if not shared:
        return {**head, "pairs": 0, "difference": None, "interval": None, "p_value": None, "kinds": {}}
    whole = _difference(pair, shared)
    parts = {"p_value": rounded_p(whole["p_value"]), **_flipped(pair, shared), "kinds": _kinds(pair, shared)}
    return {**head, **whole, **parts}


def _difference(pair: Pair, keys: Sequence[tuple[str, str]]) -> dict[str, Any]:
    a, b = [pair.first_scores[k] for k in keys], [pair.second_scores[k] for k in keys]
    gap = difference(a, b, [person for person, _ in keys])
    return {
        "pairs": gap.pairs,
        "difference": round(100 * gap.mean, 1),
        "interval": [round(100 * gap.interval.low, 1), round(100 * gap.interval.high, 1)],
        "p_value": mcnemar(a, b).p_value,
    }


def rounded_p(value: float) -> float:
    """Return a p-value with four significant digits; a small one does not become 0."""
    return float(f"{value:.4g}")


def _flipped(pair: Pair, keys: Sequence[tuple[str, str]]) -> dict[str, list[str]]:
    def names(better: bool) -> Iterator[str]:
        for person, probe in keys:
            gap = pair.second_scores[person, probe] - pair.first_scores[person, probe]
            if (gap > 0) if better else (gap < 0):
                yield f"{person} {probe}"

    return {"better": list(names(True)), "worse": list(names(False))}


def _kinds(pair: Pair, keys: Sequence[tuple[str, str]]) -> dict[str, dict[str, Any]]:
    """Return the difference by kind; the p-values are adjusted by Holm over the kinds."""
    present = [kind for kind in KINDS if any(pair.kinds[key] == kind for key in keys)]
    parts = {kind: _difference(pair, [key for key in keys if pair.kinds[key] == kind]) for kind in present}
    adjusted = holm([part["p_value"] for part in parts.values()])
    return {
        kind: {**part, "p_value": rounded_p(part["p_value"]), "p_holm": rounded_p(p)}
        for (kind, part), p in zip(parts.items(), adjusted, strict=True)
    }


def _merged(sessions: Sequence[Session]) -> dict[str, Any]:
    items = [row for number, session in enumerate(sessions) for row in _renumbered(session.manifest["items"], number)]
    settings = {key: value for session in sessions for key, value in session.manifest["settings"].items()}
    asking = [session for session in sessions if session.manifest["suite"] is not None]  # their judge counts
    return {**(asking or sessions)[0].manifest, "items": items, "settings": settings}


def _renumbered(rows: Sequence[Row], session: int) -> list[Row]:
    """Return the rows with repeats that no other session's rows have."""
    return [{**row, "repeat": row["repeat"] + 1000 * session} for row in rows]
