"""One life as it is being made up: who it is, which days have talk, and what has been used already."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pytest_membench.data import Kind
from pytest_membench.suites.people.dice import Dice
from pytest_membench.suites.people.phrases import Phrases, fill
from pytest_membench.suites.people.world import OPENERS, POOLS, Somebody, Trade


class UsedUp(LookupError):
    """All things of a pool have been used in this life; there is no further story of that sort."""


@dataclass(eq=False)
class Beat:
    """One exchange of a story: what the person says on a day, and the reply. `spare` ones may be left out."""

    day: int
    said: str
    reply: str
    spare: bool = False


@dataclass(frozen=True)
class Plant:
    """A probe that follows from beats. `holds` says which words of a beat the gold needs."""

    kind: Kind
    q: str
    gold: str
    key: Sequence[str] = ()
    holds: Sequence[tuple[Beat, Sequence[str]]] = ()
    values: Sequence[tuple[Beat, str]] = ()
    items: Sequence[tuple[Beat, str, int]] = ()
    never: Sequence[Sequence[str]] = ()

    @property
    def beats(self) -> list[Beat]:
        """The beats that are evidence."""
        return [row[0] for rows in (self.holds, self.values, self.items) for row in rows]


@dataclass(frozen=True)
class Story:
    """What one schema yields: the beats of a story, and the probes that can be asked about it."""

    beats: Sequence[Beat]
    plants: Sequence[Plant]


@dataclass
class Life:
    """What schemas draw from. `days` are those on which a story may have a beat, ascending."""

    dice: Dice
    phrases: Phrases
    who: Somebody
    nick: str
    trade: Trade
    town: str
    money: str
    days: Sequence[int]
    _left: dict[str, list[Any]] = field(default_factory=dict)

    def take(self, pool: str) -> Any:
        """Return something from a pool that was not taken before in this life. Raises UsedUp where all was."""
        if pool not in self._left:
            own = {"project": self.trade.projects, "paper": self.trade.papers, "mishap": self.trade.mishaps}
            self._left[pool] = self.dice.shuffled([*own.get(pool, ()), *POOLS.get(pool, ())])
        if not self._left[pool]:
            raise UsedUp(pool)
        return self._left[pool].pop()

    def sessions(self, count: int) -> list[int]:
        """Return `count` different days, ascending."""
        return self.dice.some(self.days, count)

    def opened(self, templates: Sequence[str]) -> list[str]:
        """Return the templates, some of them after a few words that have nothing to do with them."""
        return [f"{self.dice.pick(OPENERS)} {t}" if self.dice.chance(0.3) else t for t in templates]

    def beat(
        self,
        day: int,
        said: Sequence[str],
        reply: Sequence[str],
        slots: Mapping[str, str],
        *,
        spare: bool = False,
    ) -> Beat:
        """Return an exchange on `day`, both texts composed from templates."""
        own = {"town": self.town, "cur": self.money, "place": self.trade.place, **slots}
        return Beat(
            day,
            self.phrases.say(self.opened(said), own, from_person=True),
            self.phrases.say(reply, own, from_person=False),
            spare,
        )

    def ask(self, templates: Sequence[str], slots: Mapping[str, str]) -> str:
        """Return a question as the person would type it, without counting it as said in the chat."""
        own = {"town": self.town, "cur": self.money, "place": self.trade.place, **slots}
        return self.phrases.draft(templates, own, from_person=True)

    def fill(self, template: str, slots: Mapping[str, str]) -> str:
        """Return a text whose slots are filled, nothing else changed: for golds and what they need."""
        return fill(template, {"town": self.town, "cur": self.money, "place": self.trade.place, **slots})
