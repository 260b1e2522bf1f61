"""The yardstick: each named part changes with what it names, and with nothing else."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from pytest_membench.data import Person, Probe, Suite, Turn, moment
from pytest_membench.grading.protocol import Protocol
from pytest_membench.run import answer, cost, yardstick
from pytest_membench.suites import dialogues

TURNS = (Turn(0, 1, "09:00", "u", "my bike is red", "Maya"), Turn(1, 1, "09:01", "a", "noted", "Assistant"))
PROBES = (
    Probe("recall-01", "recall", "which colour?", "red", (0,), ("red",)),
    Probe("recall-02", "recall", "which thing?", "bike", (0,)),
)
MAYA = Person("maya", "Maya", TURNS, PROBES, moment(91, "09:00"), {"recall-03": "ambiguous"})
OMAR = replace(MAYA, id="omar", name="Omar")
SUITE = Suite("tiny", (MAYA, OMAR))
SAMPLING = {"temperature": 0.0, "max-tokens": 512, "embedding-model": None}


def with_maya(**fields: Any) -> Suite:
    """Return the suite with other fields of its first person."""
    return replace(SUITE, people=(replace(MAYA, **fields), OMAR))


def with_probe(**fields: Any) -> Suite:
    """Return the suite with other fields of its first probe."""
    return with_maya(probes=(replace(PROBES[0], **fields), PROBES[1]))


def changed(before: dict[str, Any], after: dict[str, Any]) -> set[str]:
    """Return the names of the parts that differ."""
    return {name for name in {*before, *after} if before.get(name) != after.get(name)}


@pytest.mark.parametrize(
    ("suite", "names"),
    [
        (replace(SUITE, name="other"), {"suite"}),
        (replace(SUITE, notes=("read this",)), set()),
        (replace(SUITE, people=(OMAR, MAYA)), set()),
        (with_maya(probes=PROBES[::-1]), set()),
        (with_maya(digest="d"), set()),
        (with_probe(flag="gold"), set()),
        (with_maya(turns=TURNS[::-1]), {"chats"}),
        (with_maya(turns=TURNS[:1]), {"chats"}),
        (with_maya(turns=(replace(TURNS[0], text="my bike is blue"), TURNS[1])), {"chats"}),
        (with_maya(turns=(replace(TURNS[0], time="09:30"), TURNS[1])), {"chats"}),
        (with_maya(turns=(replace(TURNS[0], name="May"), TURNS[1])), {"chats"}),
        (with_maya(asked=moment(92, "09:00")), {"questions"}),
        (with_probe(q="what colour?"), {"questions"}),
        (with_probe(kind="update"), {"questions"}),
        (with_probe(evidence=(0, 1)), {"questions"}),
        (with_probe(gold="dark red"), {"golds and audit"}),
        (with_probe(key=()), {"golds and audit"}),
        (with_maya(excluded={}), {"golds and audit"}),
        (with_maya(excluded={"recall-03": "asked of nobody"}), {"golds and audit"}),
        (with_maya(probes=PROBES[:1], excluded={**MAYA.excluded, "recall-02": "?"}), {"questions", "golds and audit"}),
        (replace(SUITE, people=(MAYA,)), {"chats", "questions", "golds and audit"}),
    ],
)
def test_a_part_of_a_suite_changes_with_what_it_names(suite: Suite, names: set[str]) -> None:
    """The order of people and probes is none of it, as each is asked alone; the order of turns is."""
    assert changed(yardstick.of_suite(SUITE), yardstick.of_suite(suite)) == names


def of_probes(
    judge: str = "sim", protocol: Protocol | None = None, sampling: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the yardstick of verdicts on the suite."""
    return yardstick.of_probes(SUITE, judge, protocol or Protocol(), {**SAMPLING, **(sampling or {})})


@pytest.mark.parametrize(
    ("after", "names"),
    [
        (of_probes("strict-1"), {"judge"}),
        (of_probes(protocol=Protocol(answers="choice")), {"protocol"}),
        (of_probes(protocol=Protocol("paper")), {"protocol", "judging prompts"}),
        (of_probes(sampling={"temperature": 0.7}), {"temperature"}),
        (of_probes(sampling={"max-tokens": 100}), {"max-tokens"}),
        (of_probes(sampling={"embedding-model": "e5"}), {"embedding-model"}),
        (of_probes(protocol=Protocol(temperature=0.7)), {"answers' temperature"}),
        (of_probes(protocol=Protocol(max_tokens=9)), {"answers' max-tokens"}),
    ],
)
def test_a_part_of_verdicts_changes_with_what_it_names(after: dict[str, Any], names: set[str]) -> None:
    """Judge, protocol and sampling, also where answers alone are sampled in another way."""
    assert changed(of_probes(), after) == names


def test_another_prompt_is_another_yardstick(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the answering model is told is a part of verdicts and of cells, each by its own prompt."""
    probes, cells = of_probes(), yardstick.of_cells(None, SAMPLING)
    monkeypatch.setattr(answer, "_SYSTEM", "Be somebody else.")
    assert changed(probes, of_probes()) == {"answering prompt"}
    assert changed(cells, yardstick.of_cells(None, SAMPLING)) == set()
    monkeypatch.setattr(cost, "SYSTEM", "Be somebody else.")
    assert changed(cells, yardstick.of_cells(None, SAMPLING)) == {"answering prompt"}


def test_the_dialogues_of_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who wrote them counts: a model, or a version of the generator that is built in."""
    cells = yardstick.of_cells(None, SAMPLING)
    assert changed(cells, yardstick.of_cells("gpt-oss-20b", SAMPLING)) == {"dialogues"}
    assert changed(cells, yardstick.of_cells(None, {**SAMPLING, "temperature": 1.0})) == {"temperature"}
    monkeypatch.setattr(dialogues, "VERSION", "next")
    assert changed(cells, yardstick.of_cells(None, SAMPLING)) == {"dialogues"}
