"""Items: every probe of every person for every design, in one order, under ids that tell them apart."""

import dataclasses
from pathlib import Path

from pytest_membench import Person, Probe, Suite
from pytest_membench.run.cases import Case, cases
from pytest_membench.run.find import Found, find_all
from pytest_membench.store import item_key


def found(names: str, tmp_path: Path) -> list[Found]:
    """Return designs that ship."""
    return find_all(names, tmp_path)


def test_every_design_person_probe_and_repeat_is_one_case(person: Person, tmp_path: Path) -> None:
    """Two designs, two people of two probes, three repeats: 24 cases with ids and keys of their own."""
    suite = Suite("pair", (person, dataclasses.replace(person, id="tom")))
    made = list(cases(found("no_memory,full_context", tmp_path), suite, 3))
    assert len(made) == 24
    assert len({case.id for case in made}) == 24
    assert len({item_key(case.row("sim")) for case in made}) == 24


def test_the_order_is_design_person_probe_repeat(person: Person, tmp_path: Path) -> None:
    """Every worker collects the same ids in the same order."""
    suite = Suite("one", (person,))
    assert [case.id for case in cases(found("no_memory,full_context", tmp_path), suite, 2)] == [
        "no_memory-nora-update-01",
        "no_memory-nora-update-01~r2",
        "no_memory-nora-abstain-01",
        "no_memory-nora-abstain-01~r2",
        "full_context-nora-update-01",
        "full_context-nora-update-01~r2",
        "full_context-nora-abstain-01",
        "full_context-nora-abstain-01~r2",
    ]


def test_a_case_says_in_plain_json_what_it_is(person: Person, tmp_path: Path) -> None:
    """The row identifies the item and holds neither gold nor evidence."""
    (design,) = found("rolling_summary(words=50)", tmp_path)
    assert Case(design, person, person.probes[0], 2).row("sim") == {
        "setting": "sim",
        "design": "rolling_summary(words=50)",
        "person": "nora",
        "probe": "update-01",
        "kind": "update",
        "repeat": 2,
    }


def test_a_person_without_probes_has_no_cases(person: Person, tmp_path: Path) -> None:
    """All probes excluded: nothing is collected for that person, and the other is asked."""
    nobody = dataclasses.replace(person, id="nobody", probes=())
    made = cases(found("no_memory", tmp_path), Suite("s", (nobody, person)))
    assert {case.person.id for case in made} == {"nora"}


def test_a_probe_named_like_a_repeat_has_an_id_of_its_own(person: Person, tmp_path: Path) -> None:
    """`x-r2` asked once and `x` asked twice are two items."""
    probes = (Probe("x", "recall", "?", "!", (1,)), Probe("x-r2", "recall", "?", "!", (1,)))
    suite = Suite("s", (dataclasses.replace(person, probes=probes),))
    made = [case.id for case in cases(found("no_memory", tmp_path), suite, 2)]
    assert len(set(made)) == len(made) == 4
