"""The gate: a session against its baselines, paired by probe."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from pytest_membench.data import KINDS, known_sum
from pytest_membench.report import baseline as baselines
from pytest_membench.report.compare import rounded_p
from pytest_membench.report.folder import Session
from pytest_membench.report.scores import with_missing
from pytest_membench.stats import paired, power

ALPHA = 0.05
CHANCE = 0.8
"""How often a drop has to be found before it is said that it would be."""
_PARTS = 70
"""The largest denominator of a pooled score that the 4 digits of a baseline still tell apart: 35 repeats."""
Outcome = Literal["ok", "regressed", "stale", "incomplete", "none"]
EXIT: Mapping[str, int] = {"incomplete": 6, "stale": 7, "regressed": 1}
"""Exit codes, in the order in which they go before one another."""


@dataclass(frozen=True)
class Limits:
    """What else fails a session; None is no limit.

    A score below `fail_under` (0 to 100), a drop of more than `max_drop` points, or tokens or USD
    that rose by more than `max_cost_rise` percent.
    """

    fail_under: float | None = None
    max_drop: float | None = None
    max_cost_rise: float | None = None


def gate(
    session: Session,
    summary: Mapping[str, Any],
    found: Mapping[baselines.Key, Mapping[str, Any] | None],
    limits: Limits,
) -> dict[str, dict[str, Any]]:
    """Return the gate of each setting and design, as summary.json holds it.

    `found` has the baseline of each (setting, design) of the session, or None. What was not run or
    not judged makes an outcome incomplete, and another yardstick makes it stale; neither is a drop.
    """
    outcomes: dict[str, dict[str, Any]] = {}
    for (setting, design), base in sorted(found.items()):
        outcomes.setdefault(setting, {})[design] = _of_design(session, summary, (setting, design), base, limits)
    return outcomes


def exit_code(outcomes: Mapping[str, Mapping[str, Any]]) -> int:
    """Return the exit code that the outcomes ask for: 6 incomplete, then 7 stale, then 1 regressed, else 0."""
    verdicts = {one["verdict"] for designs in outcomes.values() for one in designs.values()}
    return next((code for verdict, code in EXIT.items() if verdict in verdicts), 0)


def _of_design(
    session: Session,
    summary: Mapping[str, Any],
    key: baselines.Key,
    base: Mapping[str, Any] | None,
    limits: Limits,
) -> dict[str, Any]:
    costs = summary.get("costs", {}).get(key[0], {}).get(key[1], {})
    now = baselines.make(session, key, costs)
    score = summary["scores"].get(key[0], {}).get(key[1], {}).get("score")
    broken = _broken(session, key)
    entry: dict[str, Any] = {**_NOTHING, "score": score, "reasons": [], "notes": []}
    stale = _changed(now, base) if base else []
    if base is not None:
        entry["against"] = base["design"]
        entry["notes"] += _about(now, base)
    if base is not None and not stale:
        entry.update(_compared(now["probes"], base["probes"]))
        entry["notes"] += _power_notes(entry, asked=bool(now["probes"]))
    regressed = _too_low(score, limits) + _fallen(entry, limits)
    if base is not None and not stale:
        entry["cost"] = _cost_figures(now, base)
        costly, unknown, stale = _costly(entry["cost"], limits, now["about"]["price"] == base["about"].get("price"))
        regressed, broken = regressed + costly, broken + unknown
    return {**entry, **_verdict(broken, stale, regressed, base is not None)}


_NOTHING: Mapping[str, Any] = {
    "against": None,
    "drop": None,
    "p_value": None,
    "pairs": 0,
    "of": 0,
    "detectable_drop": None,
    "found_drop": None,
    "newly_wrong": [],
    "newly_right": [],
    "kinds": {},
    "cost": {},
}


def _verdict(incomplete: list[str], stale: list[str], regressed: list[str], there: bool) -> dict[str, Any]:
    reasons = [*incomplete, *stale, *regressed]
    found: dict[Outcome, list[str]] = {"incomplete": incomplete, "stale": stale, "regressed": regressed}
    verdict = next((name for name, why in found.items() if why), "ok" if there else "none")
    return {"verdict": verdict, "reasons": reasons}


def _broken(session: Session, key: baselines.Key) -> list[str]:
    """Return what has no verdict: it is never counted as wrong."""
    rows = [row for row in with_missing(session.manifest, session.rows) if (row["setting"], row["design"]) == key]
    reasons = []
    for outcome, words in (("not_run", "not run"), ("not_judged", "not judged")):
        count = sum(row["outcome"] == outcome for row in rows)
        if count:
            reasons.append(f"{count} of {len(rows)} items were {words}")
    return reasons


def _changed(now: Mapping[str, Any], base: Mapping[str, Any]) -> list[str]:
    """Return what of the yardstick is another than the baseline's, for the parts that both measured."""
    reasons = []
    for part in ("probes", "cells"):
        ours, theirs = now["yardstick"].get(part), base["yardstick"].get(part)
        if ours is None or theirs is None:
            continue
        names = [name for name in sorted({*ours, *theirs}) if ours.get(name) != theirs.get(name)]
        reasons += [_told(part, name, theirs.get(name), ours.get(name)) for name in names]
    return reasons


def _told(part: str, name: str, was: Any, now: Any) -> str:
    if all(isinstance(value, str) and len(value) == 64 for value in (was, now)):
        return f"the baseline is stale: {name} of the {part} changed since"
    before, after = ("not set" if value is None else repr(value) for value in (was, now))
    return f"the baseline is stale: {name} of the {part} was {before} and is {after}"


def _about(now: Mapping[str, Any], base: Mapping[str, Any]) -> list[str]:
    """Return what a reader may want to know of the two designs; a change of them is what the gate is for."""
    if now["design"] != base["design"]:
        return [f"compared with the baseline of {base['design']}; it has none of its own"]
    same = now["about"].get("digest") == base["about"].get("digest")
    return [] if same else ["its source or parameters changed since the baseline"]


def _compared(now: Mapping[str, Any], base: Mapping[str, Any]) -> dict[str, Any]:
    """Return drop, p-values and flips over the probes that both have, and by kind after Holm."""
    shared = sorted(now.keys() & base.keys())
    if not shared:
        return {"of": len(base)}
    first, second = _scores(base, shared), _scores(now, shared)
    return {
        "pairs": len(shared),
        "of": len(base),
        "drop": _points(_mean_drop(first, second)),
        "p_value": rounded_p(paired.drop(first, second)),
        "detectable_drop": _least_drop(first),
        "found_drop": _found_drop(len(shared)),
        "newly_wrong": [name for name in shared if now[name]["score"] < base[name]["score"]],
        "newly_right": [name for name in shared if now[name]["score"] > base[name]["score"]],
        "kinds": _kinds(now, base, shared),
    }


def _scores(probes: Mapping[str, Any], names: Sequence[str]) -> list[float]:
    return [_share(probes[name]["score"]) for name in names]


def _share(score: float) -> float:
    """Return the share that a baseline's 4 digits stand for: 0.3333 is a third.

    Else a fall by a third and one by another third would differ, and the test of their signs,
    which counts in a common step, would have none.
    """
    near = float(Fraction(score).limit_denominator(_PARTS))
    return near if abs(near - score) <= baselines.ROUNDING else score


def _mean_drop(first: Sequence[float], second: Sequence[float]) -> float:
    return (sum(first) - sum(second)) / len(first)


def _least_drop(first: Sequence[float]) -> float | None:
    """Return the smallest drop, in points, that can be significant: the fewest losses with nothing gained.

    None where even the loss of everything could not be.
    """
    held = sorted(score for score in first if score > 0)
    fewest = next((n for n in range(1, len(held) + 1) if paired.least_p(held[:n]) <= ALPHA), None)
    return None if fewest is None else _points(sum(held[:fewest]) / len(first))


def _found_drop(pairs: int) -> float | None:
    found = power.detectable_drop(pairs, CHANCE, ALPHA)
    return None if found is None else _points(found)


def _kinds(now: Mapping[str, Any], base: Mapping[str, Any], shared: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return each kind's drop; `gated` are those with enough right answers to be able to fail at all.

    Which ones these are is decided by the baseline alone, so that Holm over them is valid.
    """
    names = {base[name]["kind"] for name in shared}
    order = [kind for kind in KINDS if kind in names] + sorted(names - set(KINDS))
    members = {kind: [name for name in shared if base[name]["kind"] == kind] for kind in order}
    gated = _able({kind: _scores(base, own) for kind, own in members.items()})
    raw = {kind: paired.drop(_scores(base, own), _scores(now, own)) for kind, own in members.items()}
    adjusted = dict(zip(gated, paired.holm([raw[kind] for kind in gated]), strict=True))
    return {
        kind: {
            "pairs": len(own),
            "drop": _points(_mean_drop(_scores(base, own), _scores(now, own))),
            "p_value": rounded_p(raw[kind]),
            "p_holm": rounded_p(adjusted[kind]) if kind in adjusted else None,
            "gated": kind in adjusted,
        }
        for kind, own in members.items()
    }


def _able(first: Mapping[str, Sequence[float]]) -> list[str]:
    """Return the kinds that Holm can reject: the most, best first, of which each could reach the first step."""
    least = sorted((paired.least_p(scores), kind) for kind, scores in first.items())
    most = max((n for n in range(1, len(least) + 1) if least[n - 1][0] <= ALPHA / n), default=0)
    chosen = {kind for _, kind in least[:most]}
    return [kind for kind in first if kind in chosen]


def _fallen(entry: Mapping[str, Any], limits: Limits) -> list[str]:
    """Return why the scores have fallen: as a whole, in a kind, or beyond the user's limit."""
    if entry["drop"] is None:
        return []
    flips = f"{len(entry['newly_wrong'])} of {entry['pairs']} probes fell, {len(entry['newly_right'])} rose"
    reasons = []
    if entry["p_value"] <= ALPHA:
        reasons.append(f"the score fell by {entry['drop']:.1f} points: {flips} (one-sided p {entry['p_value']:.2g})")
    for kind, part in entry["kinds"].items():
        if part["gated"] and part["p_holm"] <= ALPHA:
            told = f"{part['drop']:.1f} points on {part['pairs']} probes (p {part['p_holm']:.2g} after Holm)"
            reasons.append(f"kind {kind} fell by {told}")
    if limits.max_drop is not None and entry["drop"] > limits.max_drop:
        noise = power.noise_reaches(entry["pairs"], limits.max_drop / 100)
        reasons.append(
            f"the score fell by {entry['drop']:.1f} points where --membench-max-drop allows {limits.max_drop:g}; "
            f"noise alone reaches that in up to {100 * noise:.0f}% of sessions"
        )
    return reasons


def _too_low(score: float | None, limits: Limits) -> list[str]:
    if limits.fail_under is None or score is None or score >= limits.fail_under:
        return []
    return [f"the score is {score:.1f} where --membench-fail-under wants {limits.fail_under:g}"]


def _power_notes(entry: Mapping[str, Any], *, asked: bool) -> list[str]:
    """Return how small a drop can be seen, and which kinds are too small to be gated."""
    if entry["drop"] is None:
        return ["no probe was asked in both: scores were not compared"] if asked else []
    least, found = entry["detectable_drop"], entry["found_drop"]
    if least is None:
        return [f"too few probes to gate ({entry['pairs']}): no drop of them could be told from noise"]
    often = (
        f"; one of {found:.1f} is found 4 times in 5 even where answers vary from run to run"
        if found is not None
        else ""
    )
    notes = [f"the smallest drop that {entry['pairs']} probes can show is {least:.1f} points{often}"]
    small = [kind for kind, part in entry["kinds"].items() if not part["gated"]]
    return [*notes, f"too few probes to gate by kind: {', '.join(small)}"] if small else notes


def _cost_figures(now: Mapping[str, Any], base: Mapping[str, Any]) -> dict[str, Any]:
    """Return tokens and USD of a probe and of a turn at each cell: before, now, and the rise in percent.

    Where something is unknown on one side, or was measured over other turns, the rise is null.
    """
    figures = {}
    shared = sorted(now["probes"].keys() & base["probes"].keys())
    people = {name.rpartition("/")[0] for name in shared} & (base["memories"].keys() | now["memories"].keys())
    if shared:
        for unit in ("tokens", "usd"):
            figures[f"{unit} a probe"] = _rise(*(_per_probe(side, shared, people, unit) for side in (base, now)))
    for cell in sorted(now["cells"].keys() & base["cells"].keys()):
        was, is_ = base["cells"][cell], now["cells"][cell]
        alike = was["measured_turns"] == is_["measured_turns"]
        for unit, name in (("tokens", "input_tokens_per_turn"), ("usd", "usd_per_conversation")):
            label = f"{unit} a {'turn' if unit == 'tokens' else 'conversation'} at {cell}"
            figures[label] = (
                _rise(was[name], is_[name]) if alike else {"was": was[name], "now": is_[name], "rise": None}
            )
    return figures


def _per_probe(side: Mapping[str, Any], shared: Sequence[str], people: Collection[str], unit: str) -> float | None:
    """Return what a probe costs with its share of writing the memories of `people`; one that is lost is unknown."""
    parts = [side["probes"][name][unit] for name in shared]
    parts += [side["memories"].get(person, {}).get(unit) for person in sorted(people)]
    total = known_sum(parts)
    return None if total is None else float(f"{total / len(shared):.6g}")


def _rise(was: float | None, now: float | None) -> dict[str, float | None]:
    known = was is not None and now is not None and was > 0
    rise = round(100 * (now - was) / was, 1) if known and was is not None and now is not None else None
    return {"was": was, "now": now, "rise": rise}


def _costly(figures: Mapping[str, Any], limits: Limits, same_price: bool) -> tuple[list[str], list[str], list[str]]:
    """Return what costs more than it may, what could not be compared, and whether prices are stale.

    Without a price on one of the sides there are tokens alone; USD at other prices is no rise of the design's.
    """
    costly: list[str] = []
    unknown: list[str] = []
    if limits.max_cost_rise is None:
        return costly, unknown, []
    usd = any(what.startswith("usd") and None not in (f["was"], f["now"]) for what, f in figures.items())
    for what, figure in figures.items():
        was, now = figure["was"], figure["now"]
        if what.startswith("usd") and (None in (was, now) or not same_price):
            continue
        if figure["rise"] is not None and figure["rise"] > limits.max_cost_rise:
            allowed = f"--membench-max-cost-rise allows {limits.max_cost_rise:g}%"
            costly.append(f"{what} rose by {figure['rise']:.1f}% ({was:g} to {now:g}); {allowed}")
        elif was == 0 and now:
            costly.append(f"{what} rose from 0 to {now:g}")
        elif figure["rise"] is None and (was, now) != (0, 0):
            unknown.append(f"{what} cannot be compared: it is unknown, or was measured over other turns")
    stale = ["the baseline is stale: the prices changed since, so USD cannot be compared"]
    return costly, unknown, stale if usd and not same_price else []


def _points(share: float) -> float:
    return round(100 * share, 1) + 0.0  # no minus before a zero
