"""Turn templates into sentences: alternatives, slots, articles, capitals, and no sentence too often.

In a template `{a|b}` is a choice (choices nest), `<name>` a slot, and `a~` the article that suits
the next word.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import timedelta

from pytest_membench.data import DAY_ONE
from pytest_membench.suites.people.dice import Dice

MOST_REPEATS = 4
"""So often may a sentence of six or more words stand in one chat."""
_TRIES = 40
_CHOICE = re.compile(r"\{([^{}]*)\}")
_SLOT = re.compile(r"<(\w+)>")
_ARTICLE = re.compile(r"\b([Aa])~ (\W?)([\w']+)")
_START = re.compile(r"(^|[.!?]\s+|\n+)(\W?)([a-z])")
_OPENING = re.compile(r"(^|[.!?]\s+|\n+)([A-Z][\w']*)")
_SAYS_YOU = ("uni", "use", "usu", "eu", "one", "once", "uk")
_SILENT_H = ("hour", "honest", "honour", "heir")
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def expand(template: str, slots: Mapping[str, str], dice: Dice) -> str:
    """Return the template as text: choices made, slots filled, articles and capitals put right."""
    text = template
    while found := _CHOICE.search(text):
        text = text[: found.start()] + dice.pick(found[1].split("|")) + text[found.end() :]
    text = _SLOT.sub(lambda found: slots[found[1]], text)
    text = _ARTICLE.sub(lambda found: f"{article(found[3], found[1])} {found[2]}{found[3]}", text)
    return _START.sub(lambda found: found[1] + found[2] + found[3].upper(), text)


def fill(template: str, slots: Mapping[str, str]) -> str:
    """Return the template with its slots filled and nothing else changed."""
    return _SLOT.sub(lambda found: slots[found[1]], template)


def article(word: str, form: str = "a") -> str:
    """Return "a" or "an", in the form given ("a" or "A"), as it is said before `word`."""
    said = word.lower()
    if said[0].isdigit():
        vowel = said[0] == "8" or re.match(r"1[18](?!\d)", said) is not None
    else:
        vowel = (said[0] in "aeiou" and not said.startswith(_SAYS_YOU)) or said.startswith(_SILENT_H)
    return form + "n" * vowel


def date_of(day: int) -> str:
    """Return the date of day `day` as "14 September"."""
    when = DAY_ONE + timedelta(days=day - 1)
    return f"{when.day} {_MONTHS[when.month - 1]}"


def weekday_of(day: int) -> str:
    """Return the weekday of day `day`; day 1 is a Monday."""
    return _WEEKDAYS[(day - 1) % 7]


def joined(parts: Sequence[str]) -> str:
    """Return "a, b and c"."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def sentences(text: str) -> list[str]:
    """Return the sentences of six or more words, without case and marks: what may not recur."""
    parts = re.split(r"(?<=[.!?])\s+|\n+", text)
    words = (re.findall(r"[\w']+", part.lower()) for part in parts)
    return [" ".join(said) for said in words if len(said) >= 6]


def holds(text: str, phrase: str) -> bool:
    """Whether a text holds a phrase as whole words, case aside."""
    return re.search(r"(?<!\w)" + re.escape(phrase.lower()) + r"(?!\w)", text.lower()) is not None


class Phrases:
    """Composes all texts of one chat and remembers what was said, so that nothing is said too often."""

    def __init__(self, dice: Dice, *, lower: bool = False, proper: frozenset[str] = frozenset()) -> None:
        self._dice = dice
        self._lower = lower
        self._proper = proper
        self._said: Counter[str] = Counter()

    def draft(self, templates: Sequence[str], slots: Mapping[str, str], *, from_person: bool) -> str:
        """Return a text from one of the templates: the first one that repeats nothing, else the least repeated.

        The text does not count as said before `keep` is called with it.
        """
        best, least = "", MOST_REPEATS
        for _ in range(_TRIES):
            text = expand(self._dice.pick(templates), slots, self._dice)
            if from_person and self._lower:
                text = self._lowered(text)
            often = max((self._said[own] for own in sentences(text)), default=0)
            if often == 0:
                return text
            if often < least:
                best, least = text, often
        return best

    def keep(self, text: str) -> None:
        """Count the sentences of a text as said."""
        self._said.update(sentences(text))

    def say(self, templates: Sequence[str], slots: Mapping[str, str], *, from_person: bool) -> str:
        """Return a text from one of the templates and count it as said."""
        text = self.draft(templates, slots, from_person=from_person)
        self.keep(text)
        return text

    def _lowered(self, text: str) -> str:
        """Return the text as somebody types it who leaves out capitals, but for names."""

        def lower(found: re.Match[str]) -> str:
            word = found[2]
            name = word.split("'")[0] in self._proper or word.isupper() or (word[0] == "I" and word[1:2] in ("", "'"))
            return found[1] + (word if name else word[0].lower() + word[1:])

        return _OPENING.sub(lower, text)


_MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
