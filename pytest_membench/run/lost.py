"""Say of a miss where the fact was lost: on writing, on recall, on use, or by the judge."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from pytest_membench.data import Label, Probe

Place = Literal[
    "never written", "written but not recalled", "recalled but not used", "judge in doubt", "nothing to recall"
]

_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"


def essentials(probe: Probe) -> tuple[str, ...]:
    """Return the words without which no answer is right: the probe's own, else gold's figures and names."""
    if probe.key or probe.kind == "abstain":
        return probe.key
    main = next((part for part in re.split(r"[(;]", probe.gold) if part.strip(" .")), probe.gold)
    figures = re.findall(rf"\d+(?:[.,:]\d+)*(?: (?:{_MONTHS}))?", main)
    names = re.findall(r"(?<!^)(?<![.!?] )\b[A-Z][\w-]+", main)
    return tuple(dict.fromkeys(figures or names)) or (main.strip(" .") or main,)


def where_lost(
    probe: Probe, label: Label, *, state: Any, shown: Sequence[str], answer: str, overturned: bool
) -> Place | None:
    """Return the place where the fact of a miss was lost, or None for a correct answer.

    `shown` is all text that stood before the model: snippets, recent and pending turns, results of
    tools. A fact counts as present where all its essential words are; that is a lexical rule, so
    "judge in doubt" covers an answer that holds them and was not found correct, and looks that
    differ. An abstain probe has nothing to recall.
    """
    if label == "correct":
        return None
    words = essentials(probe)
    if not words:
        return "nothing to recall"
    if overturned or _all_in(words, [answer]):
        return "judge in doubt"
    if _all_in(words, shown):
        return "recalled but not used"
    return "written but not recalled" if _all_in(words, list(_texts(state))) else "never written"


def _texts(state: Any) -> Iterator[str]:
    """Yield the texts of a state, keys too, in their order; not as JSON, whose escapes hide words."""
    if isinstance(state, Mapping):
        for key, value in state.items():
            yield str(key)
            yield from _texts(value)
    elif isinstance(state, list | tuple):
        for part in state:
            yield from _texts(part)
    elif state is not None:
        yield str(state)


def _all_in(words: Sequence[str], texts: Sequence[str]) -> bool:
    whole = " ".join(texts)
    text = f" {_plain(whole)} "
    return all(f" {_plain(word)} " in text if _plain(word) else word in whole for word in words)


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))
