"""What report.html shows of each probe: question, gold, evidence, and what each design made of it."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pytest_membench.data import STAGES, Probe, Suite
from pytest_membench.report.folder import Row, Session, stage_file
from pytest_membench.report.scores import with_missing
from pytest_membench.store import Results, item_key

ROOM = 2_600_000
"""Characters for what models wrote, all items together: the page stays a few megabytes."""
MOST, LEAST = 4_000, 600
"""Characters for one item: its part of `ROOM`, within these."""
TURN = 400
EVIDENCE = 8


class Cut(NamedTuple):
    """A text as far as it is shown, and how many characters are left out."""

    text: str
    left_out: int


def cut(text: str, most: int) -> Cut:
    """Return the first `most` characters."""
    return Cut(text[:most], max(0, len(text) - most))


def questions(session: Session, suite: Suite | None) -> list[dict[str, Any]]:
    """Return the session's questions, each with the answers of all designs, settings and repeats.

    Evidence turns are shown where `suite` is the session's; their numbers alone elsewhere.
    """
    rows = [row for row in with_missing(session.manifest, session.rows) if row["kind"] != "cost"]
    room = max(LEAST, min(MOST, ROOM // max(1, len(rows))))
    grouped: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in sorted(rows, key=item_key):
        grouped[row["person"], row["probe"]].append(row)
    asked = _Asked(suite if suite and suite.name == session.manifest["suite"] else None)
    return [_question(session, asked, own, room) for own in grouped.values()]


class _Asked:
    """The suite's probes and turns, by id."""

    def __init__(self, suite: Suite | None) -> None:
        people = suite.people if suite else ()
        self._probes = {(person.id, probe.id): probe for person in people for probe in person.probes}
        self._turns = {(person.id, turn.i): str(turn) for person in people for turn in person.turns}

    def probe(self, row: Row) -> Probe | None:
        return self._probes.get((row["person"], row["probe"]))

    def turn(self, person: str, number: int) -> Cut:
        return cut(self._turns.get((person, number), ""), TURN)


def _question(session: Session, asked: _Asked, rows: Sequence[Row], room: int) -> dict[str, Any]:
    probe = asked.probe(rows[0])
    files = [{stage: stage_file(session, row, stage) for stage in ("ans", "judge", "judge2")} for row in rows]
    evidence = probe.evidence if probe else ()
    questions = [own["question"] for one in files if (own := one["ans"])]
    golds = [own["gold"] for one in files if (own := one["judge"])]
    return {
        **{name: rows[0][name] for name in ("person", "probe", "kind")},
        "question": questions[0] if questions else probe.q if probe else None,
        "gold": golds[0] if golds else probe.gold if probe else None,
        "evidence": [(number, asked.turn(rows[0]["person"], number)) for number in evidence[:EVIDENCE]],
        "more_evidence": len(evidence[EVIDENCE:]),
        "evidence_known": probe is not None,
        "answers": [_answer(session, row, own, evidence, room) for row, own in zip(rows, files, strict=True)],
    }


def _answer(session: Session, row: Row, files: Mapping[str, Any], evidence: Sequence[int], room: int) -> dict[str, Any]:
    ans = files["ans"] or {}
    path = Results(session.root).probe("ans", *item_key(row)).relative_to(session.root)
    return {
        **{name: row[name] for name in ("setting", "design", "repeat", "outcome")},
        "lost": row.get("lost"),
        "message": cut(row.get("message") or "", room // 3),
        "file": str(Path(path).as_posix()) if ans else None,
        "answer": cut(ans["answer"], room // 4) if ans else None,
        "memory": _memory(ans.get("snippets") or [], evidence, room // 2) if ans else None,
        "calls": [_call(call, room // 6) for call in ans.get("calls") or []],
        "looks": [_look(name, files[stage], room // 6) for stage, name in _LOOKS if files[stage]],
        "tokens": [(stage, used) for stage in STAGES if (used := (row.get("tokens") or {}).get(stage))],
        "evidence_recall": row.get("evidence_recall"),
    }


_LOOKS = (("judge", "First look"), ("judge2", "Second look"))


def _look(name: str, file: Mapping[str, Any], most: int) -> dict[str, Any]:
    return {"name": name, "label": file["label"], "reason": cut(file.get("reason") or "", most), "judge": file["judge"]}


def _call(call: Mapping[str, Any], most: int) -> dict[str, Any]:
    arguments = call.get("arguments")
    told = ", ".join(f"{k}={v}" for k, v in arguments.items()) if isinstance(arguments, dict) else str(arguments)
    return {"tool": call.get("tool"), "arguments": cut(told, most), "result": cut(str(call.get("result", "")), most)}


def _memory(snippets: Sequence[Mapping[str, Any]], evidence: Sequence[int], room: int) -> dict[str, Any]:
    """Return the snippets that have room, in their order; those made of evidence turns come in first."""
    wanted = [bool(set(one.get("turns") or ()) & set(evidence)) for one in snippets]
    parts: dict[int, Cut] = {}
    for number in sorted(range(len(snippets)), key=lambda n: not wanted[n]):
        if room <= 0:
            break
        parts[number] = cut(snippets[number]["text"], min(room, 600) if wanted[number] else room)
        room -= len(parts[number].text) + 20
    total = sum(len(one["text"]) for one in snippets)
    shown = sum(len(part.text) for part in parts.values())
    return {
        "snippets": [{"number": n + 1, "text": parts[n], "evidence": wanted[n]} for n in sorted(parts)],
        "count": len(snippets),
        "left_out": total - shown,
    }
