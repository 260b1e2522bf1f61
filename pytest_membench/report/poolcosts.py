"""Pool the conversations of several sessions: the same dialogue, served twice by one design, is one run."""

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_membench.data import known_sum
from pytest_membench.errors import StoreError
from pytest_membench.report.costs import joint, summarise_costs
from pytest_membench.report.folder import Row, Served, Session
from pytest_membench.store import item_key


def pool_costs(sessions: Sequence[Session], scores: Mapping[str, Any]) -> dict[str, Any]:
    """Return the `costs` and `joint` of the pooled summary; `scores` are the pooled scores.

    Conversations of the same setting, design, cell and seed are repeats: they share their dialogue,
    so each turn is averaged over them first and they count as one run. The cluster bootstrap goes
    on drawing runs that are independent; were repeats runs of their own, its intervals would be too
    narrow. The error of dry runs is one folder's and unknown here. Raises StoreError where the
    sessions took their dialogues from several generators.
    """
    _require_one_generator(sessions)
    settings = {key: value for session in sessions for key, value in session.manifest["settings"].items()}
    costs = summarise_costs(pooled(sessions), settings=settings)
    return {"costs": costs, "joint": joint(scores, costs)}


def pooled(sessions: Sequence[Session]) -> list[Served]:
    """Return a conversation for each setting, design, cell and seed: the mean of those of the sessions.

    It goes as far as the shortest of them, and is cut short where one was.
    """
    groups: dict[tuple[Any, ...], list[Served]] = {}
    for session in sessions:
        for one in session.served:
            groups.setdefault(item_key(one.row), []).append(one)
    return [own[0] if len(own) == 1 else _mean(own) for own in groups.values()]


def _mean(repeats: Sequence[Served]) -> Served:
    cut = any(one.row["outcome"] == "cut_short" for one in repeats)
    row = {**repeats[0].row, "outcome": "cut_short" if cut else "measured"}
    return Served(row, [_mean_turn(turns) for turns in zip(*(one.turns for one in repeats), strict=False)])


def _mean_turn(turns: Sequence[Row]) -> Row:
    """Return the mean of a turn's tokens, embedded tokens and USD; None where one of them is unknown."""
    first = turns[0]
    return {
        "tokens": {
            stage: {name: _average([turn["tokens"][stage][name] for turn in turns]) for name in usage}
            for stage, usage in first["tokens"].items()
        },
        **{
            name: {stage: _average([turn[name][stage] for turn in turns]) for stage in first[name]}
            for name in ("embedded", "usd")
        },
    }


def _average(values: Sequence[float | None]) -> float | None:
    total = known_sum(values)
    return None if total is None else total / len(values)


def _require_one_generator(sessions: Sequence[Session]) -> None:
    with_costs = [session for session in sessions if session.served]
    generators = sorted({session.manifest.get("generator") or "built-in" for session in with_costs})
    if len(generators) > 1:
        raise StoreError(
            f"the sessions served dialogues of {' and '.join(generators)}: other dialogues are other runs; "
            "pool sessions of one --membench-generator"
        )
