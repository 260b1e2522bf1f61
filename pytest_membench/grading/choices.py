"""Turn a question into multiple choice: options from the golds of the same chat, and the letter read back.

LoCoMo has no choices; these are made here, so scores by them are comparable with each other alone.
"""

import hashlib
import re
from collections.abc import Iterator, Sequence

from pytest_membench.data import RUBRIC_KINDS, Person, Probe
from pytest_membench.grading.match import normal

OPTIONS = 4
"""How many answers are offered, the gold among them."""
_LETTERS = "ABCD"
_LETTER = re.compile(rf"\W*(?:answer\W+)?\(?([{_LETTERS}])(?:\)|\.|:)?\W*", re.IGNORECASE)


def options(probe: Probe, person: Person) -> tuple[str, ...]:
    """Return the gold and up to three other golds of the person's probes, in an order of their own.

    Golds of the same kind come first; those of other kinds fill up. Which ones, and their order,
    follow from the texts by sha256: equal in every session, and no place is more often right.
    Raises ValueError for a kind whose gold is a rubric, and where no other gold differs.
    """
    if probe.kind in RUBRIC_KINDS:
        raise ValueError(f"probe {probe.id!r} of {person.id!r} is graded by a rubric: it has no answers to choose from")
    seed = f"{person.id} {probe.id}"
    others = list(_others(probe, person, seed))[: OPTIONS - 1]
    if not others:
        raise ValueError(f"no other probe of {person.id!r} has another gold than {probe.id!r}: nothing to choose from")
    return tuple(sorted([probe.gold, *others], key=lambda gold: _hash("order", seed, gold)))


def _others(probe: Probe, person: Person, seed: str) -> Iterator[str]:
    """Yield the other golds, each once however it is written, those of the same kind first."""
    seen = {normal(probe.gold)}
    answers = [other for other in person.probes if other.kind not in RUBRIC_KINDS]
    for other in sorted(answers, key=lambda one: (one.kind != probe.kind, _hash("pick", seed, one.gold), one.id)):
        if normal(other.gold) not in seen:
            seen.add(normal(other.gold))
            yield other.gold


def _hash(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def asked(question: str, offered: Sequence[str]) -> str:
    """Return the question with its options below."""
    lines = [f"{letter}) {text}" for letter, text in zip(_LETTERS, offered, strict=False)]
    return "\n".join([question, "", "Choose the right one of these, and reply with its letter alone:", *lines])


def chosen(answer: str, offered: Sequence[str]) -> str | None:
    """Return the option that an answer chooses by its letter, its text, or both; None where it is unclear.

    "B", "(b)", "Answer: B." and "B) the text of B" choose B; "B or C", "not B" and "B) the text of C" do not.
    """
    lettered = dict(zip(_LETTERS, offered, strict=False))
    letter = _LETTER.fullmatch(answer.strip())
    if letter:
        return lettered.get(letter[1].upper())
    for name, text in lettered.items():
        said = re.sub(rf"^\W*{name}[).:]\s*", "", answer.strip(), flags=re.IGNORECASE)
        if normal(said) == normal(text) and normal(text):
            return text
    return None
