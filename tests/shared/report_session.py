"""A session's results folder made by hand: probes and conversations of two settings, with texts that would do harm."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_membench.data import CREDIT, STAGES, Kind, Label, Person, Probe, Suite, Turn, moment
from pytest_membench.report.folder import Session, read
from pytest_membench.store import Results, item_key, write_json

SCRIPT = "<script>window.planted = 1</script>"
HANDLER = '<img src="x" onerror="window.planted = 2">'
CLOSING = "</script></style></svg><b onmouseover=alert(1)>"
FORMULA = "=HYPERLINK(1)"
HARMFUL = (SCRIPT, HANDLER, CLOSING)
EVIL = f"evil{HANDLER}"
DESIGNS = ("full_context", "window", EVIL)
SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "paid": {"model": "paid", "effort": None, "provider": None, "priced": True, "price": {"input": 1.0, "output": 2.0}},
    "free": {"model": "free", "effort": "low", "provider": None, "priced": False, "price": None},
}
CELLS = ((6, 50), (6, 100), (20, 50), (20, 100))
KINDS: tuple[Kind, ...] = ("recall", "update", "abstain")
_OUTCOMES: tuple[Label, ...] = ("correct", "partial", "wrong", "correct")


def suite() -> Suite:
    """Two people with six turns and six probes each; the first question and gold would do harm."""
    return Suite("tiny", tuple(_person(name) for name in ("ada", "bo")))


def _person(name: str) -> Person:
    turns = [Turn(i, 1 + i, "09:00", "ua"[i % 2], f"turn {i} of {name} {HANDLER}") for i in range(6)]
    probes = [
        Probe(f"{kind}-{n:02}", kind, f"what is {kind} {n}? {SCRIPT if n == 1 else ''}", f"gold {n} {CLOSING}", (n,))
        for kind in KINDS
        for n in (1, 2)
    ]
    return Person(name, name.capitalize(), tuple(turns), tuple(probes), moment(9, "09:00"))


def write(
    root: Path, session: str = "s1", *, settings: tuple[str, ...] = ("paid", "free"), costs: bool = True
) -> Session:
    """Write the session and return it: one item was not run, one was not judged, one conversation was cut short."""
    results, items = Results(root), []
    for setting in settings:
        for number, design in enumerate(DESIGNS):
            for person in suite().people:
                memory = {"setting": setting, "design": design, "person": person.id, "repeat": 1, "session": session}
                write_json(results.memory(setting, design, person.id, 1), {**memory, **_memory(setting, number)})
                for place, probe in enumerate(person.probes):
                    names = {"setting": setting, "design": design, "person": person.id, "probe": probe.id, "repeat": 1}
                    items.append({**names, "kind": probe.kind})
                    _write_probe(results, session, items[-1], probe, number + place)
            items += [
                _write_cost(results, session, setting, number, *cell, s) for cell in CELLS * costs for s in (1, 2)
            ]
    described = {name: SETTINGS[name] for name in settings}
    head = {"session": session, "suite": "tiny", "suite_path": "tiny", "judge": "paid", "record": "none"}
    write_json(results.manifest, {**head, "settings": described, "items": items})
    return read(root)


def _usage(number: int) -> dict[str, int]:
    return {"input": 100 * number, "cached": 0, "cache_write": 0, "output": 10 * number, "reasoning": 0}


def _memory(setting: str, number: int) -> dict[str, Any]:
    money = {"ingest": 0.001 * number if setting == "paid" else None}
    return {"memory_tokens": 40, "tokens": {"ingest": _usage(number)}, "usd": money, "observed_usd": money}


def _write_probe(results: Results, session: str, item: Mapping[str, Any], probe: Probe, number: int) -> None:
    key = item_key(item)
    if (item["person"], probe.id, item["design"]) == ("bo", "abstain-02", "window"):
        return  # its worker died
    unjudged = (item["person"], probe.id, item["design"]) == ("bo", "abstain-01", "window")
    label = None if unjudged else _OUTCOMES[number % 4]
    outcome = label or "not_judged"
    usd = dict.fromkeys(("retrieval", "answer", "judge"), 0.002 if item["setting"] == "paid" else None)
    row = {
        **item,
        "session": session,
        "outcome": outcome,
        "score": CREDIT[label] if label else None,
        "usd": usd,
        "observed_usd": usd,
        "tokens": {s: _usage(2) for s in STAGES if s != "ingest"},
        "providers": [],
        "searches": 1,
        "plain": False,
        "cause": "not_judged" if unjudged else None,
        "message": f"no label {SCRIPT}" if unjudged else None,
        "evidence_recall": 1.0,
        "overturned": False,
        "lost": "recalled but not used" if outcome == "wrong" else None,
    }
    write_json(results.row(*key), row)
    snippets = [{"text": f"note {n} {HANDLER} " + "long " * 300, "turns": [n]} for n in range(6)]
    call = {"tool": "search_chat", "arguments": {"query": SCRIPT}, "result": CLOSING}
    answer = f"{FORMULA} {SCRIPT} {CLOSING} I say {number} " + "again " * 400
    said = {"session": session, "question": probe.q, "answer": answer, "snippets": snippets, "calls": [call]}
    write_json(results.probe("ans", *key), {**said, "plain": False})
    for stage in ("judge", *(("judge2",) if outcome != "correct" else ())):
        look = {"label": label, "reason": f"told {stage} {SCRIPT}", "judge": "paid"}
        write_json(results.probe(stage, *key), {"session": session, "gold": probe.gold, **look})


def _write_cost(
    results: Results, session: str, setting: str, number: int, turns: int, length: int, seed: int
) -> dict[str, Any]:
    """Write a conversation: the transcript grows, the others stay flat; the longest of `window` was cut short."""
    design, cell = DESIGNS[number], f"{turns}x{length}"
    cut = (design, cell, seed) == ("window", "20x100", 2)
    names = {"setting": setting, "design": design, "person": cell, "probe": f"s{seed}", "repeat": 1}
    item = {**names, "kind": "cost", "turns": turns, "length": length, "seed": seed}
    billed = [_turn(setting, number, length, t, seed) for t in range(12 if cut else turns)]
    outcome = "cut_short" if cut else "measured"
    row = {**item, "session": session, "outcome": outcome, "score": None, "cause": None, "providers": []}
    write_json(results.row(*item_key(item)), row)
    write_json(results.cost(setting, design, cell, f"s{seed}"), {"session": session, "turns": billed})
    return {**names, "kind": "cost"}


def _turn(setting: str, number: int, length: int, t: int, seed: int) -> dict[str, Any]:
    size = 60 + length * (t + 1) if number == 0 else 60 + length * (3 + number) + 3 * t + seed
    tokens = {"ingest": _usage(number), "retrieval": _usage(0), "answer": {**_usage(1), "input": size}}
    usd = {s: u["input"] / 1e6 if setting == "paid" else None for s, u in tokens.items()}
    return {"tokens": tokens, "usd": usd, "embedded": dict.fromkeys(tokens, 0)}
