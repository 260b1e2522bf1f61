"""How far verdicts agree: two sessions' judges on the same answers, or one session's first and second looks."""

from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

from pytest_membench.data import KINDS
from pytest_membench.errors import StoreError
from pytest_membench.grading.verdict import LABELS
from pytest_membench.report.folder import Row, Session, stage_file
from pytest_membench.report.judgecheck import agreement, as_dict
from pytest_membench.stats.agreement import confusion
from pytest_membench.store import item_key

Key = tuple[Any, ...]
NO_TWIN = "in one session only"
NO_VERDICT = "without a verdict on both sides"
OTHER = "with another question, gold or answer"
MATCHED = "that are the gold word for word, which no judge is asked about"


class Judgement(NamedTuple):
    """What was judged of one item: its texts, both looks, and the label that counts with its reason."""

    kind: str
    question: str
    gold: str
    answer: str
    matched: bool
    first: str
    second: str | None
    reason: str

    @property
    def label(self) -> str:
        """The label that counts."""
        return self.second or self.first


def second_looks(session: Session) -> dict[str, Any]:
    """Return how often the second look of a session overturned the first, and in which direction.

    `table` has the first look's labels as rows and the second's as columns, of the answers that got both.
    """
    made = list(_judgements(session).values())
    asked = [one for one in made if not one.matched]
    both = [(one.first, one.second) for one in asked if one.second is not None]
    moves = [LABELS.index(second) - LABELS.index(first) for first, second in both]
    return {
        "judge": session.manifest["judge"],
        "judged": len(asked),
        "matched": len(made) - len(asked),
        "second_looks": len(both),
        "overturned": sum(move != 0 for move in moves),
        "up": sum(move < 0 for move in moves),
        "down": sum(move > 0 for move in moves),
        "table": as_dict(confusion([a for a, _ in both], [b for _, b in both], LABELS)),
    }


def agree(first: Session, second: Session) -> dict[str, Any]:
    """Return how far the judges of two sessions agree on the answers that both judged.

    An answer is the same where item, question, gold and text are; others are left out and counted.
    Raises StoreError where it is one session twice, or none of their answers is the same.
    """
    _require_two(first, second)
    ours, theirs = _judgements(first), _judgements(second)
    kept, left_out = _shared(ours, theirs, _expected(first), _expected(second))
    if not kept:
        told = ", ".join(f"{number} {why}" for why, number in left_out.items()) or "nothing was judged"
        raise StoreError(f"{first.root} and {second.root} have no judged answer in common: {told}")
    kinds = [kind for kind in KINDS if any(ours[key].kind == kind for key in kept)]
    return {
        "judges": [first.manifest["judge"], second.manifest["judge"]],
        **_agreement(ours, theirs, kept),
        "kinds": {k: _agreement(ours, theirs, [key for key in kept if ours[key].kind == k]) for k in kinds},
        "left_out": left_out,
        "differ": [_difference(key, ours[key], theirs[key]) for key in kept if ours[key].label != theirs[key].label],
    }


def _require_two(first: Session, second: Session) -> None:
    if first.manifest["session"] == second.manifest["session"]:
        raise StoreError(f"{first.root} and {second.root} hold the same session; give two, or one of them alone")
    if first.manifest["suite"] != second.manifest["suite"]:
        suites = f"{first.manifest['suite']!r} and {second.manifest['suite']!r}"
        raise StoreError(f"{first.root} and {second.root} are of the suites {suites}: they share no question")


def _expected(session: Session) -> set[Key]:
    return {item_key(item) for item in session.manifest["items"] if item["kind"] != "cost"}


def _shared(
    ours: Mapping[Key, Judgement], theirs: Mapping[Key, Judgement], first: set[Key], second: set[Key]
) -> tuple[list[Key], dict[str, int]]:
    """Return the items that both judges were asked about, sorted, and how many others there are and why."""
    reasons: Counter[str] = Counter()
    kept = []
    for key in sorted(first | second):
        why = _why_not(ours.get(key), theirs.get(key)) if key in first and key in second else NO_TWIN
        if why is None:
            kept.append(key)
        else:
            reasons[why] += 1
    return kept, dict(sorted(reasons.items()))


def _why_not(ours: Judgement | None, theirs: Judgement | None) -> str | None:
    if ours is None or theirs is None:
        return NO_VERDICT
    if (ours.question, ours.gold, ours.answer) != (theirs.question, theirs.gold, theirs.answer):
        return OTHER
    return MATCHED if ours.matched else None


def _agreement(ours: Mapping[Key, Judgement], theirs: Mapping[Key, Judgement], keys: list[Key]) -> dict[str, Any]:
    return agreement([ours[key].label for key in keys], [theirs[key].label for key in keys])


def _difference(key: Key, ours: Judgement, theirs: Judgement) -> dict[str, Any]:
    setting, design, person, probe, repeat = key
    name = f"{design} {person} {probe}" + (f"~r{repeat}" if repeat > 1 else "")
    return {
        "item": f"{name} ({setting})",
        "question": ours.question,
        "gold": ours.gold,
        "answer": ours.answer,
        "first": ours.label,
        "second": theirs.label,
        "first_reason": ours.reason,
        "second_reason": theirs.reason,
    }


def _judgements(session: Session) -> dict[Key, Judgement]:
    """Return what was judged, by item; an item without a verdict of this session is none of them."""
    made = {item_key(row): _judgement(session, row) for row in session.rows if row["outcome"] in LABELS}
    return {key: one for key, one in made.items() if one is not None}


def _judgement(session: Session, row: Row) -> Judgement | None:
    asked, first, second = (stage_file(session, row, stage) for stage in ("ans", "judge", "judge2"))
    if asked is None or first is None:
        return None
    label = second["label"] if second else None
    texts = (asked["question"], first["gold"], asked["answer"])
    return Judgement(row["kind"], *texts, first["matched"], first["label"], label, (second or first)["reason"])
