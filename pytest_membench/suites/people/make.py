"""Make people from a seed: choose their stories, lay them over the days, fill in small talk, number the turns."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pytest_membench.data import PERSON_KINDS, Kind
from pytest_membench.errors import InputError
from pytest_membench.store import write_json
from pytest_membench.suites.people.changes import CHANGES, update
from pytest_membench.suites.people.counts import TALLIES, aggregate
from pytest_membench.suites.people.dice import Dice
from pytest_membench.suites.people.facts import FACTS, recall
from pytest_membench.suites.people.life import Beat, Life, Plant, Story, UsedUp
from pytest_membench.suites.people.nearly import NEARLY, abstain
from pytest_membench.suites.people.phrases import MOST_REPEATS, Phrases, holds
from pytest_membench.suites.people.promises import PROMISES
from pytest_membench.suites.people.talk import chatter
from pytest_membench.suites.people.times import TIMES
from pytest_membench.suites.people.wishes import ASKS, PREFS, wish
from pytest_membench.suites.people.world import MAINS, TOWNS, TRADES, proper_words

LEAST_TURNS, MOST_TURNS = 60, 5_000
LEAST_DAYS, MOST_DAYS = 45, 365
MOST_PEOPLE = len(MAINS)
MOST_PROBES = 45
SHARES: Mapping[Kind, int] = {
    "recall": 10,
    "update": 6,
    "temporal": 5,
    "aggregate": 5,
    "open_loop": 5,
    "ask": 4,
    "pref_apply": 4,
    "abstain": 6,
}
"""The probes of each kind in suite `people`, whose proportions hold here too."""
_OLD = 30
_OLD_SHARE = 0.72
"""Above this share of old evidence a story may run to the end; the check wants 0.6."""
_LARGEST = 6
"""The most evidence that one story has."""
_TAIL_DAYS = 3
_TAIL = 8
"""So many exchanges at the end are small talk: the newest 14 turns answer nothing."""

Files = dict[str, dict[str, Any]]
Make = Callable[[Life], Story]


def generate(seed: int, turns: int, people: int = 2, days: int = 90) -> dict[str, Files]:
    """Return, for each person's id, the contents of its chat, spec and audit files.

    The same arguments give the same contents on every Python. A person has exactly `turns` turns on
    days 1 to `days` and is asked about them on the day after; there is about one probe to 8 turns,
    at most 45. Raises InputError where an argument is out of range.
    """
    for name, given, least, most in (
        ("turns", turns, LEAST_TURNS, MOST_TURNS),
        ("people", people, 1, MOST_PEOPLE),
        ("days", days, LEAST_DAYS, MOST_DAYS),
    ):
        if not least <= given <= most:
            raise InputError(f"{name} is {given}; {least:,} to {most:,} is allowed for made-up people")
    dice = Dice(f"people/{seed}")
    mains, trades = dice.shuffled(MAINS), dice.shuffled(TRADES)
    made: dict[str, Files] = {}
    for number in range(people):
        (who, nick), own = mains[number], Dice(f"people/{seed}/{number}")
        lower = own.chance(0.4)
        life = Life(
            dice=own,
            phrases=Phrases(own, lower=lower, proper=proper_words() | {nick}),
            who=who,
            nick=nick,
            trade=trades[number % len(trades)],
            town=own.pick(TOWNS),
            money=own.pick(["£", "€"]),
            days=_busy_days(own, turns, days),
        )
        made[who.name.lower()] = _files(life, turns, days)
    return made


def write(folder: Path, seed: int, turns: int, people: int = 2, days: int = 90) -> list[Path]:
    """Write a suite of made-up people to `folder`, with what it has to meet, and return the files' paths.

    Raises InputError where an argument is out of range or the folder holds somebody else's chat.
    """
    made = generate(seed, turns, people, days)
    others = sorted(path.stem for path in (folder / "chat").glob("*.json") if path.stem not in made)
    if others:
        raise InputError(f"{folder}: holds chats of {', '.join(others)} already; give a folder of its own")
    contents = {folder / "demands.json": {"repeats": MOST_REPEATS}} | {
        folder / part / f"{person}.json": content for person, files in made.items() for part, content in files.items()
    }
    for path, content in contents.items():
        write_json(path, content, sort=False)
    return list(contents)


def quotas(turns: int) -> dict[Kind, int]:
    """Return how many probes of each kind a chat of so many turns gets: in proportion, one at least."""
    total = min(MOST_PROBES, max(len(PERSON_KINDS), round(turns / 8)))
    have: dict[Kind, int] = dict.fromkeys(PERSON_KINDS, 1)
    while sum(have.values()) < total:
        short: dict[Kind, int] = {kind: SHARES[kind] * total - MOST_PROBES * have[kind] for kind in PERSON_KINDS}
        have[max(PERSON_KINDS, key=lambda kind: short[kind])] += 1
    return have


def _busy_days(dice: Dice, turns: int, days: int) -> list[int]:
    """Return the days that have talk: the first, the last and enough between, never all."""
    count = min(days * 7 // 10, max(20, turns // 3))
    return [1, *dice.some(range(2, days), count - 2), days]


def _makers(dice: Dice) -> dict[Kind, Iterator[Make]]:
    """Return, for each kind, its schemas in an order of this life's own, again and again."""

    def endless(makers: Sequence[Make]) -> Iterator[Make]:
        while True:
            yield from dice.shuffled(makers)

    def bind(make: Callable[..., Story], *given: Any) -> Make:
        return lambda life: make(life, *given)

    return {
        "recall": endless([bind(recall, form) for form in FACTS]),
        "update": endless([bind(update, form) for form in CHANGES]),
        "temporal": endless(TIMES),
        "aggregate": endless([bind(aggregate, form) for form in TALLIES]),
        "open_loop": endless(PROMISES),
        "ask": endless([bind(wish, "ask", form) for form in ASKS]),
        "pref_apply": endless([bind(wish, "pref_apply", form) for form in PREFS]),
        "abstain": endless([bind(abstain, form) for form in NEARLY]),
    }


def _stories(life: Life, turns: int, days: int) -> list[Story]:
    """Return the stories that are asked about: most of their evidence old, none in the last days."""
    wide = life.days[:-_TAIL_DAYS]
    old = [day for day in wide if day <= days - _OLD]
    makers = _makers(life.dice)
    kinds = life.dice.shuffled([kind for kind, count in quotas(turns).items() for _ in range(count)])
    stories: list[Story] = []
    seen: list[bool] = []
    for kind in kinds:
        settled = sum(seen) > _OLD_SHARE * (len(seen) + _LARGEST)
        story = next(makers[kind])(replace(life, days=wide if settled else old))
        seen += [beat.day <= days - _OLD for plant in story.plants for beat in plant.beats]
        stories.append(story)
    return stories


def _more_stories(life: Life, room: int) -> list[Beat]:
    """Return the beats of stories that nobody asks about, for chats that have room: haystack, not straw."""
    makers = _makers(life.dice)
    beats: list[Beat] = []
    own = replace(life, days=life.days[:-_TAIL_DAYS])
    while True:
        for kind in ("recall", "abstain", "temporal", "update", "open_loop"):
            try:
                more = next(makers[kind])(own).beats
            except UsedUp:
                return beats
            if len(beats) + len(more) > room:
                return beats
            beats += more


@dataclass(frozen=True)
class _Bans:
    """What small talk may not say: words that never stand together, and, at the end, any gold's words."""

    never: Sequence[Sequence[str]]
    keys: Sequence[str]

    def allow(self, text: str, *, tail: bool) -> bool:
        if any(all(holds(text, word) for word in words) for words in self.never):
            return False
        return not tail or not any(holds(text, key) for key in self.keys)


def _files(life: Life, turns: int, days: int) -> Files:
    twice = turns // 35 + (turns - turns // 35) % 2
    exchanges = (turns - twice) // 2
    intro = _intro(life)
    stories = _stories(life, turns, days)
    beats = _chosen(life, [intro, *(beat for story in stories for beat in story.beats)], exchanges - _TAIL)
    room = exchanges - _TAIL - len(beats)
    beats += _more_stories(life, room // 4) if room > 160 else []
    plants = [plant for story in stories for plant in story.plants]
    bans = _Bans([words for plant in plants for words in plant.never], [key for plant in plants for key in plant.key])
    messages, place = _told(life, _laid(life, beats, exchanges, intro), twice, bans)
    person = life.who.name.lower()
    asked = {"day": days + 1, "time": "09:00"}
    return {
        "chat": {"person": person, "name": life.who.name, "messages": messages},
        "spec": {"person": person, "asked": asked, "probes": _probes(plants, place)},
        "audit": {"person": person, "exclude": [], "correct": []},
    }


def _intro(life: Life) -> Beat:
    return life.beat(
        1,
        [
            f"{{Hello. New here|So this is it|First go}}, so who I am: {life.trade.told}. {{I'll write when I can|Expect gaps}}, {{about anything|work and the rest}}, {{and I'm not polite before coffee|sometimes at length}}.",
        ],
        [
            "{Glad to meet you|Welcome}. {Write as it comes|No need for polish}, long or short; {I'll keep up|I can follow}, and I'll say so when {I don't know|something isn't clear}. {What's first|Where shall we begin}?",
        ],
        {},
    )


def _chosen(life: Life, beats: Sequence[Beat], most: int) -> list[Beat]:
    """Return all beats that are needed, and of the spare ones as many as there is room for."""
    needed = [beat for beat in beats if not beat.spare]
    spare = life.dice.shuffled([beat for beat in beats if beat.spare])
    return [*needed, *spare[: max(0, most - len(needed))]]


def _laid(life: Life, beats: Sequence[Beat], exchanges: int, intro: Beat) -> list[tuple[int, Beat | None]]:
    """Return each exchange in order as its day and its beat, None for small talk."""
    dice = life.dice
    by_day: dict[int, list[Beat | None]] = {day: [] for day in life.days}
    for beat in beats:
        if beat is not intro:
            by_day[beat.day].append(beat)
    tail = life.days[-_TAIL_DAYS:]
    talk = [dice.pick(tail) for _ in range(_TAIL)]
    weighted = [day for day in life.days for _ in range(dice.pick([1, 2, 2, 3, 5]))]
    talk += [dice.pick(weighted) for _ in range(exchanges - len(beats) - _TAIL)]
    for day in talk:
        by_day[day].append(None)
    laid: list[tuple[int, Beat | None]] = [(1, intro)]
    for day, own in by_day.items():
        laid += [(day, beat) for beat in dice.shuffled(own)]
    return laid


def _told(
    life: Life, laid: Sequence[tuple[int, Beat | None]], twice: int, bans: _Bans
) -> tuple[list[dict[str, Any]], dict[int, int]]:
    """Return the messages, and the turn of each beat by its identity."""
    talk = [number for number, (_, beat) in enumerate(laid) if beat is None]
    halved = set(life.dice.shuffled(talk)[:twice])
    messages: list[dict[str, Any]] = []
    place: dict[int, int] = {}
    times = _times(life.dice, [day for day, _ in laid])
    for number, ((day, beat), minute) in enumerate(zip(laid, times, strict=True)):
        tail = number >= len(laid) - _TAIL
        if beat is None:
            *said, reply = _small_talk(life, day, bans, halved=number in halved, tail=tail)
        else:
            place[id(beat)] = len(messages)
            said, reply = [beat.said], beat.reply
        for later, text in enumerate([*said, reply]):
            who = "a" if later == len(said) else "u"
            time = f"{(minute + later) // 60:02}:{(minute + later) % 60:02}"
            messages.append({"i": len(messages), "day": day, "time": time, "who": who, "text": text})
    return messages, place


def _small_talk(life: Life, day: int, bans: _Bans, *, halved: bool, tail: bool) -> list[str]:
    """Return what the person says, in two messages if `halved`, and the reply."""
    while True:
        said, reply = chatter(life, day)
        parts = _halves(said) if halved else [said]
        fresh = bool(said and reply) and len(parts) == 1 + halved
        if fresh and all(bans.allow(text, tail=tail) for text in (said, reply)):
            life.phrases.keep(said)
            life.phrases.keep(reply)
            return [*parts, reply]


def _halves(text: str) -> list[str]:
    """Return a text as two messages, cut after the sentence that ends nearest its middle."""
    ends = [place + 1 for place in range(len(text) - 1) if text[place] in ".!?" and text[place + 1] == " "]
    if not ends:
        return [text]
    cut = min(ends, key=lambda end: (abs(2 * end - len(text)), end))
    return [text[:cut], text[cut + 1 :]]


def _times(dice: Dice, days: Sequence[int]) -> list[int]:
    """Return a minute of the day for each exchange, ascending within a day, mostly in this person's hours."""
    hours = dice.pick([((6, 8), (12, 14), (20, 22)), ((8, 11), (17, 19)), ((9, 10), (13, 15), (21, 23)), ((7, 23),)])
    slots = list(range(6 * 60 + 20, 23 * 60 + 50, 5))
    liked = [slot for slot in slots if any(first <= slot // 60 < last for first, last in hours)]
    others = [slot for slot in slots if slot not in liked]
    times: list[int] = []
    for day in sorted(set(days)):
        count = list(days).count(day)
        spread = dice.shuffled(liked)[: count - count // 4]
        spread += dice.shuffled(others or slots)[: count - len(spread)]
        spread += [slot for slot in dice.shuffled(slots) if slot not in spread][: count - len(spread)]
        times += [slot + dice.below(3) for slot in sorted(spread)]
    return times


def _probes(plants: Sequence[Plant], place: Mapping[int, int]) -> list[dict[str, Any]]:
    """Return the probes as the spec holds them, numbered within their kinds."""
    return [
        _probe(plant, f"{kind}-{number:02}", place)
        for kind in PERSON_KINDS
        for number, plant in enumerate((plant for plant in plants if plant.kind == kind), 1)
    ]


def _probe(plant: Plant, name: str, place: Mapping[int, int]) -> dict[str, Any]:
    turn = {id(beat): place[id(beat)] for beat in plant.beats}
    check: dict[str, Any] = {}
    if plant.holds:
        check["must"] = {str(turn[id(beat)]): list(words) for beat, words in plant.holds}
    if plant.values:
        check["values"] = [{"turn": turn[id(beat)], "value": value} for beat, value in plant.values]
    if plant.items:
        check["items"] = [{"turn": turn[id(beat)], "item": item, "n": number} for beat, item, number in plant.items]
        check["count"] = sum(number for _, _, number in plant.items)
    if plant.never:
        check["never"] = [list(words) for words in plant.never]
    if plant.key:
        check["key"] = list(plant.key)
    return {
        "id": name,
        "kind": plant.kind,
        "q": plant.q,
        "gold": plant.gold,
        "evidence": sorted(turn.values()),
        "check": check,
    }
