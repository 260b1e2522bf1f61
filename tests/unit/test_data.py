"""The nouns: dates of turns, batches, usage that is unknown, settings and file names."""

import dataclasses
import string
from datetime import datetime
from pathlib import Path
from random import Random
from typing import get_args

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pytest_membench import Batch, Person, Suite, Turn, Usage
from pytest_membench.data import (
    CREDIT,
    DAY_ONE,
    KINDS,
    PERSON_KINDS,
    RUBRIC_KINDS,
    STAGES,
    Kind,
    Label,
    PersonKind,
    Setting,
    Stage,
    moment,
    slug,
)

COUNTS = st.one_of(st.none(), st.integers(0, 10**9))
USAGES = st.builds(Usage, COUNTS, COUNTS, COUNTS, COUNTS, COUNTS)


@pytest.mark.parametrize(
    ("day", "time", "expected"),
    [
        (1, "09:14", datetime.fromisoformat("2026-08-03 09:14")),
        (29, "00:00", datetime.fromisoformat("2026-08-31 00:00")),
        (30, "23:59", datetime.fromisoformat("2026-09-01 23:59")),
        (151, "12:00", datetime.fromisoformat("2026-12-31 12:00")),
        (0, "07:05", datetime.fromisoformat("2026-08-02 07:05")),
        (-214, "07:05", datetime.fromisoformat("2025-12-31 07:05")),
    ],
)
def test_day_one_is_the_third_of_august_2026(day: int, time: str, expected: datetime) -> None:
    """Days count from 1, over the ends of months and years, and backwards below 1."""
    assert moment(day, time) == expected


@given(st.integers(-400, 4000), st.integers(0, 23), st.integers(0, 59))
def test_a_moment_tells_its_day_and_time_again(day: int, hour: int, minute: int) -> None:
    """The day's number and the time can be read back from the date."""
    when = moment(day, f"{hour:02}:{minute:02}")
    assert (when.date() - DAY_ONE).days + 1 == day
    assert (when.hour, when.minute) == (hour, minute)


@pytest.mark.parametrize(
    ("who", "name", "shown"),
    [("u", "Maya", "Maya"), ("u", "", "User"), ("a", "", "Assistant"), ("Caroline", "", "Caroline")],
)
def test_a_turn_shows_its_own_date_and_who_spoke(who: str, name: str, shown: str) -> None:
    """The dated line of a turn has the session's date, not today's."""
    assert str(Turn(7, 10, "08:05", who, "hello", name)) == f"[2026-08-12 08:05] {shown}: hello"


@pytest.mark.parametrize(("who", "expected"), [("u", True), ("Caroline", True), ("a", False)])
def test_everybody_but_the_assistant_is_the_person(who: str, expected: bool) -> None:
    """A speaker with a name counts as the person's side of the chat."""
    assert Turn(1, 1, "09:00", who, "hi").from_person is expected


def test_turns_sort_by_time_and_not_as_strings() -> None:
    """Day 10 comes after day 9 although "10" sorts before "9"."""
    turns = [Turn(1, 10, "09:00", "u", "x"), Turn(2, 9, "10:00", "u", "y"), Turn(3, 9, "09:30", "u", "z")]
    assert [turn.i for turn in sorted(turns, key=lambda turn: turn.when)] == [3, 2, 1]


def test_a_batch_is_its_turns_and_now_is_its_newest(person: Person) -> None:
    """A batch iterates, counts and prints its turns; its day and time are those of the last."""
    batch = Batch("nora", person.turns[:5])
    assert list(batch) == list(person.turns[:5])
    assert len(batch) == 5
    assert (batch.day, batch.now) == (2, datetime.fromisoformat("2026-08-04 08:00"))
    assert str(batch).splitlines() == [str(turn) for turn in person.turns[:5]]


def test_nouns_cannot_be_changed(person: Person) -> None:
    """A design that is handed a turn cannot rewrite it for the next design."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        person.turns[0].text = "something else"  # type: ignore[misc]


def test_a_person_is_found_by_id_alone(person: Person) -> None:
    """Two people of one name are told apart by their ids."""
    other = dataclasses.replace(person, id="nora2")
    suite = Suite("pair", (person, other))
    assert suite.person("nora2") is other
    assert suite.person("nora") is person


def test_an_unknown_person_raises_and_lists_who_there_is(person: Person) -> None:
    """A wrong id names the suite and its people, and never falls back to somebody."""
    with pytest.raises(KeyError, match=r"no person 'tom' in suite 'pair': \['nora'\]"):
        Suite("pair", (person,)).person("tom")


@given(st.lists(USAGES, max_size=6))
def test_total_adds_field_by_field_and_keeps_unknown_unknown(usages: list[Usage]) -> None:
    """A field's total is the plain sum where every part is known, and None where one is not."""
    total = Usage.total(usages).as_dict()
    for name in ("input", "cached", "cache_write", "output", "reasoning"):
        parts = [usage.as_dict()[name] for usage in usages]
        assert total[name] == (None if None in parts else sum(part or 0 for part in parts))


@given(USAGES, st.lists(USAGES, max_size=4), st.randoms())
def test_total_does_not_depend_on_order_or_grouping(first: Usage, rest: list[Usage], random: Random) -> None:
    """Totals of totals are the total, in whatever order calls arrive."""
    shuffled = [first, *rest]
    random.shuffle(shuffled)
    assert Usage.total([first, Usage.total(rest)]) == Usage.total(shuffled)


def test_unknown_usage_is_not_zero() -> None:
    """A call whose endpoint reported nothing is not a free call."""
    assert Usage() != Usage(0, 0, 0, 0, 0)
    assert Usage.total([Usage(10, 0, 0, 5, 0), Usage()]) == Usage()
    assert Usage.total([]) == Usage(0, 0, 0, 0, 0)


def test_the_words_of_the_benchmark_are_all_there() -> None:
    """Kinds, labels and stages listed for reports are those of the types; the judge is a stage, too."""
    assert get_args(Kind) == KINDS
    assert get_args(PersonKind) == PERSON_KINDS
    assert set(PERSON_KINDS) < set(KINDS)
    assert set(RUBRIC_KINDS) < set(KINDS)
    assert set(CREDIT) == set(get_args(Label))
    assert set(get_args(Stage)) == {*STAGES, "generate"}
    assert [CREDIT["correct"], CREDIT["partial"], CREDIT["wrong"]] == [1.0, 0.5, 0.0]


@pytest.mark.parametrize(
    ("setting", "key"),
    [
        (Setting("sim"), "sim"),
        (Setting("gpt-oss-20b", "low"), "gpt-oss-20b/low"),
        (Setting("gpt-oss-20b", None, "groq"), "gpt-oss-20b@groq"),
        (Setting("gpt-oss-20b", "low", "deepinfra/fp8"), "gpt-oss-20b/low@deepinfra/fp8"),
    ],
)
def test_the_key_of_a_setting_names_all_that_was_given(setting: Setting, key: str) -> None:
    """Model, effort and provider each show in the key, and only where given."""
    assert setting.key == key


@given(st.text(), st.text())
@example("a/b", "a_b")
@example("maya", "Maya")
@example(".hidden", "hidden")
@example("", "_")
@example("a" * 61 + "/", "a" * 61 + "?")
@example("x/y", slug("x/y"))
def test_two_names_never_share_a_file(one: str, other: str) -> None:
    """Names that differ in any character have different slugs."""
    assert (slug(one) == slug(other)) == (one == other)


@given(st.one_of(st.text(), st.text(string.punctuation + "ab", max_size=12)))
@example("../../etc/passwd")
@example("..")
@example(".")
@example("/")
@example("a\x00b")
@example("x" * 300)
@example("C:\\temp")
@example("safe\n")
def test_a_slug_stays_in_its_folder(name: str) -> None:
    """Whatever a design or a person is called, its file is one plain part of a path."""
    made = slug(name)
    assert Path(made).name == made
    assert made not in {"", ".", ".."}
    assert not set(made) & set('/\\\0\n:*?"<>|')
    assert len(made) <= 80
    assert not made.startswith(".")


@pytest.mark.parametrize("name", ["rolling_summary", "recall-03", "rolling_window(n=20)", "x@groq", "a,b", "v1.2+x"])
def test_a_safe_name_is_its_own_slug(name: str) -> None:
    """Folders read like the names that people type."""
    assert slug(name) == name


def test_a_slug_is_the_same_everywhere() -> None:
    """The hash in it is of the name alone: printf 'gpt-oss-20b/low@groq' | sha256sum starts with it."""
    assert slug("gpt-oss-20b/low@groq") == f"gpt-oss-20b_low@groq~{_SHA256_OF_THE_NAME}"


_SHA256_OF_THE_NAME = "4bcf215f"
