"""People made up from a seed: always the same ones, and good enough to be asked."""

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from pytest_membench.data import DAY_ONE, PERSON_KINDS
from pytest_membench.errors import InputError
from pytest_membench.suites.audit import audit
from pytest_membench.suites.files import load
from pytest_membench.suites.people import LEAST_DAYS, LEAST_TURNS, MOST_PEOPLE, MOST_TURNS, generate, write
from pytest_membench.suites.people.dice import Dice
from pytest_membench.suites.people.life import Life, UsedUp
from pytest_membench.suites.people.make import SHARES, quotas
from pytest_membench.suites.people.phrases import (
    MOST_REPEATS,
    Phrases,
    article,
    date_of,
    expand,
    joined,
    sentences,
    weekday_of,
)
from pytest_membench.suites.people.talk import TOPICS
from pytest_membench.suites.people.world import MAINS, NEARLY_ALIKE, POOLS, TRADES

MONTHS = [
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
]
WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]


def texts(seed: int, turns: int, people: int = 1) -> list[str]:
    """Return all that is said in some made-up chats, and all questions and golds."""
    found: list[str] = []
    for files in generate(seed, turns, people).values():
        found += [message["text"] for message in files["chat"]["messages"]]
        found += [probe[name] for probe in files["spec"]["probes"] for name in ("q", "gold")]
    return found


def test_the_same_arguments_give_the_same_bytes_in_another_process() -> None:
    """Neither hashing nor an earlier use of chance changes what a seed gives."""
    code = "import json; from pytest_membench.suites.people import generate; print(json.dumps(generate(11, 200), indent=1))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == json.dumps(generate(11, 200), indent=1)


@pytest.mark.parametrize(
    ("seed", "turns"), [*((seed, 80) for seed in range(10)), *((seed, 300) for seed in range(4)), (0, 1200)]
)
def test_the_audit_finds_no_fault(tmp_path: Path, seed: int, turns: int) -> None:
    """All checks of a written suite hold, with up to four repeats of a sentence."""
    write(tmp_path, seed, turns)
    assert [str(fault) for fault in audit(tmp_path)] == []


@settings(max_examples=6, phases=[Phase.explicit, Phase.generate])
@given(seed=st.integers(-(2**70), 2**70), turns=st.integers(100, 500), days=st.integers(LEAST_DAYS, 200))
def test_any_seed_and_size_passes_the_audit(
    tmp_path_factory: pytest.TempPathFactory, seed: int, turns: int, days: int
) -> None:
    """The checks hold for seeds, sizes and spans that nobody chose."""
    folder = tmp_path_factory.mktemp("fresh")
    write(folder, seed, turns, people=1, days=days)
    assert [str(fault) for fault in audit(folder)] == []


def test_the_largest_chat_passes_the_audit(tmp_path: Path) -> None:
    """Five thousand turns of one person still say nothing too often."""
    write(tmp_path, 1, MOST_TURNS, people=1)
    assert audit(tmp_path) == []


@settings(max_examples=10)
@given(seed=st.integers(0, 10_000), turns=st.integers(LEAST_TURNS, 400), people=st.integers(1, 3))
def test_a_person_has_the_turns_that_were_asked_for(seed: int, turns: int, people: int) -> None:
    """Turns are counted exactly, numbered from 0, alternate but for a message in two parts, and ascend."""
    for files in generate(seed, turns, people).values():
        messages = files["chat"]["messages"]
        assert [message["i"] for message in messages] == list(range(turns))
        times = [(message["day"], message["time"]) for message in messages]
        assert times == sorted(times)
        assert "aa" not in "".join(message["who"] for message in messages)
        assert not any("00:30" <= time < "05:00" for _, time in times)


def test_a_written_suite_loads(tmp_path: Path) -> None:
    """The folder is a suite like any other, asked on the day after the last."""
    paths = write(tmp_path / "fresh", 5, 120, people=3, days=60)
    suite = load(tmp_path / "fresh")
    assert len(suite.people) == 3
    assert {path.parent.name for path in paths} == {"fresh", "chat", "spec", "audit"}
    for person in suite.people:
        assert person.turns[-1].day == 60
        assert f"{person.asked:%H:%M}" == "09:00"
        assert (person.asked.date() - DAY_ONE).days == 60


def test_writing_twice_is_allowed_but_not_over_other_people(tmp_path: Path) -> None:
    """A folder may be written again with the same people; other people's chats are never mixed in."""
    write(tmp_path, 5, 60)
    write(tmp_path, 5, 60)
    with pytest.raises(InputError, match="holds chats of"):
        write(tmp_path, 6, 60)


@pytest.mark.parametrize(
    ("turns", "people", "days", "message"),
    [
        (LEAST_TURNS - 1, 2, 90, "turns is 59; 60 to 5,000"),
        (MOST_TURNS + 1, 2, 90, "turns is 5001"),
        (300, 0, 90, "people is 0; 1 to"),
        (300, MOST_PEOPLE + 1, 90, "people is"),
        (300, 2, 44, "days is 44; 45 to"),
    ],
)
def test_what_cannot_be_made_is_refused(turns: int, people: int, days: int, message: str) -> None:
    """A size out of range is an error that says what is allowed."""
    with pytest.raises(InputError, match=message):
        generate(1, turns, people, days)


def test_kinds_come_in_the_proportions_of_suite_people() -> None:
    """A long chat has exactly the 45 probes of `people`; a short one has one of each kind at least."""
    assert quotas(360) == quotas(5000) == dict(SHARES)
    assert quotas(60) == dict.fromkeys(PERSON_KINDS, 1)
    for turns in range(60, 360, 7):
        counts = quotas(turns)
        assert min(counts.values()) >= 1
        assert sum(counts.values()) == max(8, round(turns / 8))
        assert all(abs(counts[kind] - SHARES[kind] * turns / 360) < 1.6 for kind in PERSON_KINDS)


def test_a_chat_has_the_probes_of_its_quota() -> None:
    """What the quota says is what the spec holds, ids numbered within their kinds."""
    for files in generate(3, 240).values():
        probes = files["spec"]["probes"]
        assert Counter(probe["kind"] for probe in probes) == quotas(240)
        assert all(re.fullmatch(rf"{probe['kind']}-\d\d", probe["id"]) for probe in probes)
        assert len({probe["q"] for probe in probes}) == len(probes)


def test_seeds_differ_clearly() -> None:
    """Two seeds share few of their longer sentences, and neither do two people of one seed."""
    one, other = ({s for text in texts(seed, 300) for s in sentences(text)} for seed in (1, 2))
    assert len(one & other) < 0.15 * min(len(one), len(other))
    first, second = generate(4, 100).values()
    assert first["chat"]["name"] != second["chat"]["name"]


@pytest.mark.parametrize("seed", range(4))
def test_the_english_is_clean(seed: int) -> None:
    """No template mark is left, articles suit their words, weekdays suit their dates, sentences begin well."""
    for text in texts(seed, 600):
        assert not re.search(r"[{}|<>~]|  | [,.;:?!]|\.\.|,,|\bNone\b", text), text
        assert not re.search(r"\ba [aeio]\w", text, re.IGNORECASE) or re.search(r"\ba (one|once|eu)", text), text
        assert not re.search(r"\ban [bcdfgjklmnpqrstvwxyz]", text), text
        for weekday, day, month in re.findall(rf"({'|'.join(WEEKDAYS)}) (\d+) ({'|'.join(MONTHS)})\b(?! 202)", text):
            year = 2026 if MONTHS.index(month) >= 7 else 2027
            assert DAY_ONE.replace(year=year, month=MONTHS.index(month) + 1, day=int(day)).weekday() == WEEKDAYS.index(
                weekday
            ), text


def test_every_topic_can_be_drawn() -> None:
    """No topic of small talk lacks a slot: each gives a text for many throws of the dice."""
    dice = Dice("topics")
    life = Life(dice, Phrases(dice), *MAINS[0], TRADES[0], "Kelby", "£", range(1, 60))
    for topic in TOPICS:
        for day in range(1, 20):
            slots = {"cur": "£", **topic.draw(life, day)}
            for template in (*topic.said, *topic.reply):
                assert "<" not in expand(template, slots, dice)


def test_names_that_nearly_sound_alike_stand_in_no_other_list() -> None:
    """A namesake is one on purpose; nobody else bears such a name, and no name stands twice."""
    names = [somebody.name for somebody in POOLS["name"]]
    alike = [somebody.name for pair in NEARLY_ALIKE for somebody in pair]
    mains = [main.name for main, _ in MAINS]
    assert len({*names, *alike, *mains}) == len(names) + len(alike) + len(mains)


def test_a_pool_that_is_used_up_says_so() -> None:
    """Nothing is told of the same thing twice: an empty pool ends the stories that need it."""
    dice = Dice("pool")
    life = Life(dice, Phrases(dice), *MAINS[0], TRADES[0], "Kelby", "£", range(1, 60))
    taken = [life.take("venue_for") for _ in POOLS["venue_for"]]
    assert sorted(taken) == sorted(POOLS["venue_for"])
    with pytest.raises(UsedUp, match="venue_for"):
        life.take("venue_for")


@pytest.mark.parametrize(
    ("word", "given"),
    [("apple", "an"), ("pear", "a"), ("hour", "an"), ("one", "a"), ("8", "an"), ("11", "an"), ("18th", "an"), ("80", "an"), ("1", "a"), ("unit", "a"), ("European", "a"), ("useful", "a")],
)  # fmt: skip
def test_articles(word: str, given: str) -> None:
    """The article goes by the sound, as far as the lists of words need it."""
    assert article(word) == given


def test_dates_follow_the_calendar_of_every_chat() -> None:
    """Day 1 is Monday 3 August 2026; the year may turn."""
    assert (date_of(1), weekday_of(1)) == ("3 August", "Monday")
    assert (date_of(152), weekday_of(152)) == ("1 January", "Friday")


def test_templates_expand() -> None:
    """Choices nest, slots are filled after them, articles and capitals are put right."""
    dice = Dice("x")
    assert expand("{a~|a~} <x> came. so {did|did} <y>?", {"x": "owl", "y": "I"}, dice) == "An owl came. So did I?"
    assert {expand("{a {b|c}|d}", {}, dice) for _ in range(50)} == {"A b", "A c", "D"}
    assert joined(["a", "b", "c"]) == "a, b and c"
    assert joined(["a"]) == "a"


def test_a_sentence_is_not_drafted_more_often_than_allowed() -> None:
    """A template without choices can be said four times and then gives nothing."""
    phrases = Phrases(Dice("x"))
    said = [phrases.say(["One two three four five six."], {}, from_person=True) for _ in range(MOST_REPEATS + 1)]
    assert said == ["One two three four five six."] * MOST_REPEATS + [""]


def test_somebody_who_types_without_capitals_keeps_those_of_names() -> None:
    """Only the first letters of sentences go, and those of names and of "I" stay."""
    phrases = Phrases(Dice("x"), lower=True, proper=frozenset({"Ivo"}))
    assert phrases.say(["the cat. Ivo's dog. I know. NHS."], {}, from_person=True) == "the cat. Ivo's dog. I know. NHS."
    assert phrases.say(["so it is. good."], {}, from_person=False) == "So it is. Good."


def test_evidence_says_what_the_probes_need() -> None:
    """Each phrase that `check` names for a turn stands in that turn."""
    for files in generate(21, 400).values():
        said: list[dict[str, Any]] = files["chat"]["messages"]
        for probe in files["spec"]["probes"]:
            for turn, phrases in probe["check"].get("must", {}).items():
                assert all(phrase.lower() in said[int(turn)]["text"].lower() for phrase in phrases), probe
                assert said[int(turn)]["who"] == "u"
