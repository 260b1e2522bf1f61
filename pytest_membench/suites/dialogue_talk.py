"""Make up a conversation without a model: two people's plans, tastes and small facts, some of which change.

A talk is an endless stream of exchanges, drawn from its length and seed alone. All chance comes from
`random()` of one seeded generator, the method that Python promises to keep.
"""

import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from itertools import islice
from typing import Literal, NamedTuple, TypeVar

from pytest_membench import tokens
from pytest_membench.data import DAY_ONE
from pytest_membench.suites import dialogue_phrases as phrases
from pytest_membench.suites.dialogue_phrases import Topic

Who = Literal["u", "a"]
_T = TypeVar("_T")
_CHOICE = re.compile(r"\{([^{}]*)\}")
_SLOT = re.compile(r"<(\w+)>")
_START = re.compile(r"(^|[.!?] )([a-z])")
_MY = re.compile(r"\b[Mm]y\b")
_MOST_DETAILS = 4
_OVERSHOOT = 6
"""Tokens by which half a sentence passes the goal, so that the mean turn has L tokens."""
_FILLED = 12
"""Tokens that short sentences may make up; more are made up by facts."""
_MOST_PADDING = 200


class Dice:
    """A seeded source of choices."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed).random  # noqa: S311 - made-up talk, not secrets

    def between(self, low: int, high: int) -> int:
        """Return an integer from `low` to `high`, both included."""
        return low + int(self._random() * (high - low + 1))

    def chance(self, share: float) -> bool:
        """Return True in about this share of calls."""
        return self._random() < share

    def pick(self, things: Sequence[_T]) -> _T:
        """Return one of `things`."""
        return things[self.between(0, len(things) - 1)]

    def shuffled(self, things: Iterable[_T]) -> list[_T]:
        """Return `things` in another order."""
        mixed = list(things)
        for last in range(len(mixed) - 1, 0, -1):
            other = self.between(0, last)
            mixed[last], mixed[other] = mixed[other], mixed[last]
        return mixed


class Bounds(NamedTuple):
    """The fewest and the most tokens that a turn may have."""

    low: int
    high: int

    @classmethod
    def of(cls, length: int) -> "Bounds":
        """Return the whole numbers within 15% of `length`."""
        return cls(-(-85 * length // 100), 115 * length // 100)


@dataclass(frozen=True)
class Plan:
    """Something that is going to happen, with what is true of it now."""

    topic: Topic
    thing: str
    other: str
    who: str
    place: str
    day: int
    minute: int
    price: int
    count: int
    told: bool = False

    def slots(self) -> dict[str, str]:
        """Return what templates may say about the plan."""
        slots = {
            "thing": self.thing,
            "other": self.other,
            "who": self.who,
            "place": self.place.replace("<other>", self.other),
            "date": date_of(self.day),
            "weekday": phrases.WEEKDAYS[(self.day - 1) % 7],
            "time": clock(self.minute),
            "price": f"£{self.price:,}",
            "count": str(self.count),
            "counted": self.topic.counted,
        }
        return {**slots, "it": fill(self.topic.it, slots)}


@dataclass(frozen=True)
class Beat:
    """One matter of an exchange: how the person opens it and goes on, and how the assistant does.

    `plan` and `taste` are what holds afterwards, where the beat is said.
    """

    slots: Mapping[str, str]
    said: Sequence[str]
    more: Sequence[str]
    ack: Sequence[str]
    reply: Sequence[str]
    plan: Plan | None = None
    closes: bool = False
    taste: tuple[str, str] | None = None


@dataclass
class Text:
    """A turn as it grows by sentences, never beyond its upper bound."""

    bounds: Bounds
    goal: int
    sentences: list[str] = field(default_factory=list)
    tokens: int = 0

    @property
    def full(self) -> bool:
        """Whether the turn is as long as it was meant to be."""
        return self.tokens >= self.goal

    def add(self, sentence: str) -> bool:
        """Append a sentence, unless it stands there or would make the turn too long; say whether it was."""
        # A token never reaches across a blank into the next word, so that counts of sentences add up.
        size = tokens.count(f" {sentence}" if self.sentences else sentence)
        if self.tokens + size > self.bounds.high or sentence in self.sentences:
            return False
        self.sentences.append(sentence)
        self.tokens += size
        return True

    def __str__(self) -> str:
        return " ".join(self.sentences)


def date_of(day: int) -> str:
    """Return the date of day `day` as "14 September"."""
    when = DAY_ONE + timedelta(days=day - 1)
    return f"{when.day} {phrases.MONTHS[when.month - 1]}"


def clock(minute: int) -> str:
    """Return a minute of the day as "HH:MM"."""
    return f"{minute // 60:02}:{minute % 60:02}"


def fill(template: str, slots: Mapping[str, str]) -> str:
    """Return a template with its slots filled."""
    return _SLOT.sub(lambda found: slots[found[1]], template)


def name_of(seed: int) -> str:
    """Return the name of the person who writes in the dialogues of a seed."""
    return Dice(f"name {seed}").pick(phrases.NAMES)


def times(seed: int) -> Iterator[tuple[int, str]]:
    """Yield day and time of turn after turn: one to three sittings a day, hours apart, minutes between turns."""
    dice = Dice(f"times {seed}")
    day = 0
    while True:
        day += 2 if dice.chance(0.1) else 1
        for hour in sorted(dice.shuffled((7, 12, 18))[: dice.between(1, 3)]):
            minute = hour * 60 + dice.between(0, 89)
            for _ in range(dice.between(1, 4)):
                yield day, clock(minute)
                minute += dice.between(1, 2)
                yield day, clock(minute)
                minute += dice.between(2, 9)


class Talk:
    """What the two have talked about so far, and what they say next."""

    def __init__(self, length: int, seed: int) -> None:
        self._dice = Dice(f"talk {length} {seed}")
        self._length = length
        self._bounds = Bounds.of(length)
        self._me = name_of(seed)
        self._town, self._job = self._dice.pick(phrases.TOWNS), self._dice.pick(phrases.JOBS)
        self._names = [name for name in phrases.NAMES if name != self._me]
        self._plans: dict[str, Plan] = {}
        self._tastes = {subject: self._dice.pick(kinds) for subject, kinds in phrases.TASTES.items()}
        self._recent: list[str] = []
        self._used: set[str] = set()

    def exchange(self, day: int) -> tuple[str, str]:
        """Return what the person says on `day` and what the assistant replies; no turn comes twice."""
        while True:
            beats, said = self._said(day)
            replied = self._replied(beats, day)
            if said != replied and not {said, replied} & self._used:
                break
        self._keep(beats, day)
        self._used |= {said, replied}
        return said, replied

    def further(self, who: Who, day: int) -> Iterator[str]:
        """Yield sentences without end that `who` might add to a turn on `day`."""
        while True:
            for topic in self._order(day):
                slots = self._plans[topic.it].slots()
                for template in self._dice.shuffled(topic.said if who == "u" else topic.reply):
                    yield self._sentence(template, slots, who)

    def _said(self, day: int) -> tuple[list[Beat], str]:
        """Return the person's turn, and the beats that it holds."""
        text, beats = self._text(), []
        for beat in self._beats(day):
            if self._open(text, beat.said, beat.slots, "u"):
                beats.append(beat)
                for template in self._dice.shuffled(beat.more)[: self._dice.between(1, _MOST_DETAILS)]:
                    if not text.full:
                        text.add(self._sentence(template, beat.slots, "u"))
            if text.full:
                break
        return beats, self._ended(text, "u", day)

    def _replied(self, beats: Sequence[Beat], day: int) -> str:
        """Return the assistant's turn: on each beat, then on plans that did not come up."""
        text = self._text()
        for beat in beats:
            self._open(text, beat.ack, beat.slots, "a")
            for template in self._dice.shuffled(beat.reply)[: self._dice.between(1, _MOST_DETAILS)]:
                if not text.full:
                    text.add(self._sentence(template, beat.slots, "a"))
        named = {beat.slots.get("it") for beat in beats}
        for plan in self._dice.shuffled(self._plans.values()):
            slots = plan.slots()
            if not text.full and plan.told and slots["it"] not in named:
                self._open(text, phrases.RECAP if plan.day >= day else phrases.OVERDUE, slots, "a")
        return self._ended(text, "a", day)

    def _text(self) -> Text:
        goal = self._dice.between(94 * self._length // 100, 106 * self._length // 100) - _OVERSHOOT
        return Text(self._bounds, max(goal, self._bounds.low))

    def _open(self, text: Text, templates: Sequence[str], slots: Mapping[str, str], who: Who) -> bool:
        """Add the first of the templates that fits; say whether one did."""
        return not text.full and any(
            text.add(self._sentence(template, slots, who)) for template in self._dice.shuffled(templates)
        )

    def _ended(self, text: Text, who: Who, day: int) -> str:
        """Return the text, brought to its lower bound."""
        lengthen(text, self.further(who, day), self._dice.shuffled(phrases.FILLERS[who]))
        return str(text)

    def _sentence(self, template: str, slots: Mapping[str, str], who: Who) -> str:
        chosen = _CHOICE.sub(lambda found: self._dice.pick(found[1].split("|")), template)
        text = fill(chosen, slots)
        if who == "a":
            text = _MY.sub("your", text)
        return _START.sub(lambda found: found[1] + found[2].upper(), text)

    def _beats(self, day: int) -> Iterator[Beat]:
        """Yield what may come up in one exchange, in an order that avoids what came up just before."""
        if not self._used:
            yield self._opening()
        tastes, logs = self._dice.shuffled(phrases.TASTES), self._dice.shuffled(phrases.LOGS)
        for topic in self._order(day):
            if tastes and self._dice.chance(0.2):
                yield self._beat_of_taste(tastes.pop(), day)
            if logs and self._dice.chance(0.25):
                said, ack = logs.pop()
                yield Beat(self._small(day), (said,), (), (ack,), ())
            yield self._beat_of_plan(topic, day)

    def _order(self, day: int) -> list[Topic]:
        """Return the topics, shuffled, recent ones last; each has a plan, and none that nobody knows has passed."""
        topics = self._dice.shuffled(phrases.TOPICS)
        for topic in topics:
            plan = self._plans.get(topic.it)
            if plan is None or not (plan.told or plan.day > day + 1):
                self._plans[topic.it] = self._fresh(topic, day)
        return sorted(topics, key=lambda topic: topic.it in self._recent)

    def _fresh(self, topic: Topic, day: int) -> Plan:
        dice = self._dice
        who, other = dice.shuffled(self._names)[:2]
        return Plan(
            topic,
            dice.pick(topic.things),
            other,
            who,
            dice.pick(topic.places),
            day + dice.between(3, 40),
            self._minute(topic),
            dice.between(*topic.price),
            dice.between(*topic.amount),
        )

    def _minute(self, topic: Topic) -> int:
        first, last = topic.hours
        return self._dice.between(first * 12, last * 12) * 5

    def _opening(self) -> Beat:
        slots = {"me": self._me, "town": self._town, "job": self._job, **self._small(1)}
        return Beat(slots, phrases.OPENING, (), phrases.OPENING_ACK, ())

    def _beat_of_plan(self, topic: Topic, day: int) -> Beat:
        """Return news of a plan: that there is one, that it changed, how it stands, or that it is over."""
        plan = self._plans[topic.it]
        if not plan.told:
            return self._beat(replace(plan, told=True), topic.news, phrases.NEWS_ACK)
        if plan.day < day:
            return replace(self._beat(plan, phrases.DONE, phrases.DONE_ACK), more=(), reply=(), closes=True)
        if self._dice.chance(0.4):
            return self._change(plan, day)
        return self._beat(plan, phrases.UPDATE, phrases.UPDATE_ACK)

    def _beat(self, plan: Plan, said: Sequence[str], ack: Sequence[str], **slots: str) -> Beat:
        return Beat({**plan.slots(), **slots}, said, plan.topic.said, ack, plan.topic.reply, plan)

    def _change(self, plan: Plan, day: int) -> Beat:
        """Return the beat that gives one fact of a plan another value."""
        what = self._dice.pick(list(phrases.CHANGED))
        topic = plan.topic
        changed = {
            "date": replace(plan, day=max(plan.day, day) + self._dice.between(1, 12)),
            "time": replace(plan, minute=self._minute(topic)),
            "price": replace(plan, price=self._dice.between(*topic.price)),
            "count": replace(plan, count=self._dice.between(*topic.amount)),
            "place": replace(plan, place=self._dice.pick(topic.places)),
            "who": replace(plan, who=self._dice.pick([name for name in self._names if name != plan.other])),
        }[what]
        if changed == plan:
            return self._beat(plan, phrases.UPDATE, phrases.UPDATE_ACK)
        return self._beat(changed, phrases.CHANGED[what], phrases.CHANGED_ACK[what], old=plan.slots()[what])

    def _beat_of_taste(self, subject: str, day: int) -> Beat:
        old, new = self._tastes[subject], self._tastes[subject]
        if self._dice.chance(0.3):
            new = self._dice.pick(phrases.TASTES[subject])
        said = phrases.TASTE_SAID if new == old else phrases.TASTE_CHANGED
        slots = {"subject": subject, "old": old, "new": new, **self._small(day)}
        return Beat(slots, said, (), phrases.TASTE_ACK, (), taste=(subject, new))

    def _small(self, day: int) -> dict[str, str]:
        dice = self._dice
        return {
            "today": date_of(day),
            "n": str(dice.between(3, 9)),
            "m": str(dice.between(21, 98)),
            "pounds": f"£{dice.between(6, 95)}",
            "clock": clock(dice.between(6 * 60, 9 * 60)),
            "who": dice.pick(self._names),
        }

    def _keep(self, beats: Sequence[Beat], day: int) -> None:
        """Let hold from now on what the beats said."""
        for beat in beats:
            if beat.plan is not None:
                topic = beat.plan.topic
                self._plans[topic.it] = self._fresh(topic, day) if beat.closes else beat.plan
            if beat.taste is not None:
                self._tastes.update([beat.taste])
        named = [beat.plan.topic.it for beat in beats if beat.plan is not None]
        self._recent = [*self._recent, *named][-len(phrases.TOPICS) // 3 :]


def lengthen(text: Text, sentences: Iterable[str], fillers: Sequence[str]) -> None:
    """Bring a text to its lower bound: by `sentences` while much is missing, then by fillers.

    Of the fillers it takes the first that suffices, else the longest that fits. Raises ValueError
    where they do not suffice.
    """
    low = text.bounds.low
    for sentence in islice(sentences, _MOST_PADDING):
        if low - text.tokens <= _FILLED:
            break
        text.add(sentence)
    longest = sorted(fillers, key=lambda filler: -tokens.count(filler))
    while text.tokens < low:
        enough = [filler for filler in fillers if tokens.count(f" {filler}") >= low - text.tokens]
        if not any(text.add(filler) for filler in (*enough, *longest)):
            raise ValueError(f"no filler brings a text of {text.tokens} tokens to {text.bounds}")
