"""What broke: each newly wrong probe with what a reader needs to see why."""

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_membench.data import Person, Suite
from pytest_membench.errors import StoreError
from pytest_membench.report.folder import Row, Session, stage_file
from pytest_membench.store import item_key
from pytest_membench.tools import bm25

LINES = 4
"""How many lines of the memory block are shown."""
WIDTH = 400
"""How many characters of a line, an answer or a reason are shown."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


@dataclass(frozen=True)
class Broken:
    """One probe that got worse: what was asked, what was said of it, what the memory held, what was answered."""

    setting: str
    design: str
    name: str
    kind: str
    question: str
    gold: str
    evidence: tuple[str, ...]
    memory: tuple[str, ...]
    memory_lines: int
    answer: str
    verdicts: tuple[str, ...]
    lost: str | None
    was: float
    now: float
    rerun: str

    def lines(self) -> Iterator[str]:
        """Yield the lines that show it."""
        yield f"question  {self.question}"
        yield f"gold      {self.gold}"
        yield from (f"evidence  {line}" for line in self.evidence or ("none: it was never said",))
        held = self.memory or ("no line that shares a word with question or gold",)
        yield from (f"memory    {line}" for line in held)
        yield f"          ({len(self.memory)} of the {self.memory_lines} lines that stood before the model)"
        yield f"answer    {self.answer}"
        yield from (f"judge     {verdict}" for verdict in self.verdicts)
        if self.lost:
            yield f"lost      {self.lost}"
        yield f"score     {self.was:g} in the baseline, {self.now:g} now"
        yield f"rerun     {self.rerun}"


def broken(
    session: Session, outcomes: Mapping[str, Mapping[str, Any]], scores: Mapping[str, Any], suite: Suite | None
) -> list[Broken]:
    """Return the newly wrong probes of every design that regressed, each at its worst repeat.

    `outcomes` is the gate's, `scores` holds the baselines' scores in [0, 1] by setting, design and
    probe; without a `suite` (it moved, say) there are no evidence turns. Of equally bad repeats the
    first is shown.
    """
    rows: dict[tuple[str, str, str], Row] = {}
    judged = [row for row in session.rows if row["score"] is not None]
    for row in sorted(judged, key=lambda r: (-r["score"], -r["repeat"])):  # rows come in the order workers finished
        rows[row["setting"], row["design"], f"{row['person']}/{row['probe']}"] = row
    return [
        _one(session, rows[setting, design, name], scores[setting][design][name], suite)
        for setting, designs in outcomes.items()
        for design, entry in designs.items()
        if entry["verdict"] == "regressed"
        for name in entry["newly_wrong"]
    ]


def _one(session: Session, row: Row, was: float, suite: Suite | None) -> Broken:
    given, first, second = (_stage(session, row, stage) for stage in ("ans", "judge", "judge2"))
    person = next((p for p in suite.people if p.id == row["person"]), None) if suite else None
    question, gold = str(given.get("question", "")), str(first.get("gold", ""))
    held = _held(given, person)
    return Broken(
        setting=row["setting"],
        design=row["design"],
        name=f"{row['person']}/{row['probe']}",
        kind=row["kind"],
        question=_plain(question),
        gold=_plain(gold),
        evidence=tuple(_evidence(person, row["probe"])),
        memory=tuple(_short(held[i]) for i in sorted(bm25(f"{gold} {question}", held, LINES))),
        memory_lines=len(held),
        answer=_short(str(given.get("answer", ""))),
        verdicts=tuple(_verdict(name, look) for name, look in (("first look", first), ("second look", second)) if look),
        lost=row.get("lost"),
        was=was,
        now=row["score"],
        rerun=rerun(session.manifest, row),
    )


def rerun(manifest: Mapping[str, Any], row: Row) -> str:
    """Return the command that runs one item alone, as the session ran it."""
    nodeid = next((item["nodeid"] for item in manifest["items"] if item_key(item) == item_key(row)), "benchmarks")
    return shlex.join(["pytest", nodeid, *manifest.get("options", [])])


def _stage(session: Session, row: Row, stage: str) -> Mapping[str, Any]:
    """Return what a stage wrote; nothing where the file is lost or damaged, for the row has the verdict."""
    try:
        return stage_file(session, row, stage) or {}
    except StoreError:
        return {}


def _held(given: Mapping[str, Any], person: Person | None) -> list[str]:
    """Return the lines that stood before the model: the snippets', then the turns shown verbatim."""
    lines = [line for snippet in given.get("snippets", []) for line in snippet["text"].splitlines() if line.strip()]
    verbatim = {*given.get("recent", []), *given.get("pending", [])}
    turns = [str(turn) for turn in person.turns if turn.i in verbatim] if person else []
    return list(dict.fromkeys([*lines, *turns]))


def _evidence(person: Person | None, probe: str) -> Iterator[str]:
    if person is None:
        return
    wanted = next((one.evidence for one in person.probes if one.id == probe), ())
    yield from (_short(str(turn)) for turn in person.turns if turn.i in wanted)


def _verdict(name: str, look: Mapping[str, Any]) -> str:
    return f"{name}: {look.get('label', 'no label')}" + (f" ({_short(look['reason'])})" if look.get("reason") else "")


def _short(text: str) -> str:
    plain = _plain(text)
    return plain if len(plain) <= WIDTH else f"{plain[:WIDTH]}... ({len(plain) - WIDTH} characters more)"


def _plain(text: str) -> str:
    """Return `text` as one line without control characters: no line of it can command a terminal or GitHub."""
    return " ".join(_CONTROL.sub(" ", text).split())
