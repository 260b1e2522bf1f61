"""Read a judge's label: exactly one of the three, or none."""

import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple, get_args

from pytest_membench.data import Label
from pytest_membench.errors import NotJudged

LABELS: tuple[Label, ...] = get_args(Label)
_FENCE = re.compile(r"\A\s*```(?:json)?\s*\n(.*)\n\s*```\s*\Z", re.DOTALL)


class Judged(NamedTuple):
    """A label and the judge's reason for it."""

    label: Label
    reason: str


def parse(text: str, finish_reason: str | None = "stop", labels: Sequence[Label] = LABELS) -> Judged:
    """Return the verdict in a judge's reply.

    The reply must be one JSON object (a code fence around it is allowed) with one `label` that is
    exactly one of `labels`, case aside. Everything else raises NotJudged: prose, "INCORRECT",
    "NOT CORRECT", a score, two labels, a label that was not offered, an empty reply, or one that
    was cut off.
    """
    if finish_reason == "length":
        raise NotJudged(f"the judge's reply was cut off at its token limit: {_show(text)}")
    if not text.strip():
        raise NotJudged("the judge's reply is empty")
    data = _object(text)
    label = data.get("label")
    if not isinstance(label, str) or label.strip().lower() not in labels:
        raise NotJudged(f"the judge's label is {label!r}; one of {', '.join(labels)} is wanted: {_show(text)}")
    reason = data.get("reason")
    return Judged(_label(label.strip().lower()), reason if isinstance(reason, str) else "")


def _object(text: str) -> dict[str, Any]:
    fenced = _FENCE.match(text)
    try:
        data = json.loads(fenced[1] if fenced else text, object_pairs_hook=_no_doubles)
    except (ValueError, RecursionError) as error:
        raise NotJudged(f"the judge's reply is not one JSON object ({error}): {_show(text)}") from error
    if not isinstance(data, dict):
        raise NotJudged(f"the judge's reply is not a JSON object: {_show(text)}")
    return data


def _no_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        raise ValueError("a field stands twice")
    return dict(pairs)


def _label(text: str) -> Label:
    return next(label for label in LABELS if label == text)


def _show(text: str) -> str:
    return repr(text if len(text) <= 200 else text[:200] + "...")
