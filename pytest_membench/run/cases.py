"""Which items a session has: each probe of each person, for each design and repeat."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_membench.data import Person, Probe, Suite
from pytest_membench.run.find import Found


@dataclass(frozen=True)
class Case:
    """One item: a probe of a person, asked of a design, for the `repeat`-th time."""

    design: Found
    person: Person
    probe: Probe
    repeat: int = 1

    @property
    def id(self) -> str:
        """The item's id: `rolling_summary-maya-recall-03`, with `~r2` for a second repeat."""
        tail = f"~r{self.repeat}" if self.repeat > 1 else ""
        return f"{self.design.id}-{self.person.id}-{self.probe.id}{tail}"

    def row(self, setting: str) -> dict[str, Any]:
        """Return what identifies the item in results, as plain JSON."""
        return {
            "setting": setting,
            "design": self.design.id,
            "person": self.person.id,
            "probe": self.probe.id,
            "kind": self.probe.kind,
            "repeat": self.repeat,
            **({"flag": self.probe.flag} if self.probe.flag else {}),
        }


def cases(designs: Sequence[Found], suite: Suite, repeats: int = 1) -> Iterator[Case]:
    """Yield the items in the order in which they are collected, the same in every worker."""
    for design in designs:
        for person in suite.people:
            for probe in person.probes:
                for repeat in range(1, repeats + 1):
                    yield Case(design, person, probe, repeat)
