"""The audit: each check on a suite that breaks exactly that, and the rows that go to audit/."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_membench.errors import StoreError, SuiteError
from pytest_membench.suites import amend
from pytest_membench.suites import audit as audits
from pytest_membench.suites.audit import Demands, audit, demands_of, reading_list
from pytest_membench.suites.files import load

ROOT = Path(audits.__file__).parent.parent.parent
SUITES = ROOT / "benchmarks/suites"
FIRST = 101
"""The number of the first turn: turns are found by their number, not by their place."""

FACTS = {
    101: "We paid 450 euros for that blue kayak, which is now ours for good, believe it or not.",
    103: "The crossing to Bergen was booked for 2 October, and I could not be happier about that.",
    105: "Ines came by about the room this afternoon, a calm person with a very small dog.",
    109: "Somebody moved everything: we sail on 12 October instead, so say the people at the desk.",
    113: "Another visitor today was Karl, who measured the window and left without saying much at all.",
    115: "I promised my brother that he gets his drill back, and I meant it this time.",
    117: "By the way, nobody calls me Leonora, so please say Nora when you speak to me.",
    119: "His drill went home with him on Sunday, so that is one thing off my list.",
}


def _filler(i: int) -> str:
    """Return a line of 22 words that no other turn has; each sentence of it names the turn."""
    return (
        f"Line {i} is here so that this chat has something to say between facts, and it is turn {i} that says it today"
    )


def _messages() -> list[dict[str, Any]]:
    """Return forty turns on twenty days, a day off after each; the person and the assistant take turns."""
    return [
        {
            "i": i,
            "day": 1 + 2 * (n // 2),
            "time": f"{9 + n % 2:02}:15",
            "who": "ua"[n % 2],
            "text": FACTS.get(i, _filler(i)),
        }
        for n, i in enumerate(range(FIRST, FIRST + 40))
    ]


def _probe(name: str, q: str, gold: str, evidence: list[int], **check: Any) -> dict[str, Any]:
    kind = name.rsplit("-", 1)[0]
    return {"id": name, "kind": kind, "q": q, "gold": gold, "evidence": evidence, "check": check}


PROBES = [
    _probe("recall-01", "price of my boat?", "450 euros.", [101], must={"101": ["450 euros"]}, key=["450"]),
    _probe(
        "update-01",
        "departure date?",
        "12 October (first 2 October).",
        [103, 109],
        values=[{"turn": 103, "value": "2 October"}, {"turn": 109, "value": "12 October"}],
        key=["12 October"],
    ),
    _probe(
        "aggregate-01",
        "how many applicants?",
        "Two: Ines and Karl.",
        [105, 113],
        items=[{"turn": 105, "item": "Ines"}, {"turn": 113, "item": "Karl", "n": 1}],
        count=2,
        key=["Two"],
    ),
    _probe(
        "open_loop-01",
        "tools still lent?",
        "No, it went home.",
        [115, 119],
        must={"115": ["promised"], "119": ["went home"]},
        key=["No"],
    ),
    _probe("ask-01", "morning", 'Greets her as "Nora".', [117], must={"117": ["say Nora"]}, key=["Nora"]),
    _probe("abstain-01", "breed?", "It never came up.", [105], must={"105": ["small dog"]}, never=[["dog", "breed"]]),
]
SPEC = {"asked": {"day": 91, "time": "09:00"}, "probes": PROBES}

Break = Callable[[dict[str, Any], dict[str, Any]], object]
"""Changes chat and spec in place."""


def sound(chat: dict[str, Any], spec: dict[str, Any]) -> None:
    """Break nothing."""


@pytest.fixture
def suite(tmp_path: Path) -> Callable[..., Path]:
    """Write a suite of one person, nora, that has no fault but what `broken` does to it."""

    def write(broken: Break = sound, **audit_rows: Any) -> Path:
        chat: dict[str, Any] = {"name": "Nora", "messages": _messages()}
        spec = copy.deepcopy(SPEC)
        broken(chat, spec)
        for part, content in (("chat", chat), ("spec", spec), ("audit", audit_rows)):
            (tmp_path / "own" / part).mkdir(parents=True, exist_ok=True)
            (tmp_path / "own" / part / "nora.json").write_text(json.dumps(content), encoding="utf-8")
        return tmp_path / "own"

    return write


Write = Callable[..., Path]


def say(i: int, text: str, **fields: Any) -> Break:
    """Change what a turn says."""

    def change(chat: dict[str, Any], spec: dict[str, Any]) -> None:
        chat["messages"][i - FIRST].update(text=text, **fields)

    return change


def probe(name: str, **fields: Any) -> Break:
    """Change a probe's fields; `check` fields are merged into its check."""

    def change(chat: dict[str, Any], spec: dict[str, Any]) -> None:
        row = next(row for row in spec["probes"] if row["id"] == name)
        row["check"].update(fields.pop("check", {}))
        row.update(fields)

    return change


def every_day(chat: dict[str, Any], spec: dict[str, Any]) -> None:
    """Leave out the days off."""
    for message in chat["messages"]:
        message["day"] = (message["day"] + 1) // 2


def soon(chat: dict[str, Any], spec: dict[str, Any]) -> None:
    """Ask on the day after the last turn: five of nine pieces of evidence are older than 30 days."""
    spec["asked"]["day"] = 40


def short(who: str, words: int) -> Break:
    """Make all fillers of one side this short."""

    def change(chat: dict[str, Any], spec: dict[str, Any]) -> None:
        for message in chat["messages"]:
            if message["who"] == who:
                message["text"] = " ".join(message["text"].split()[:words])
        spec["probes"] = spec["probes"][:1] if who == "u" else spec["probes"]
        spec["probes"][0]["check"]["must"] = {"101": ["450"]}

    return change


def late(chat: dict[str, Any], spec: dict[str, Any]) -> None:
    """Move most evidence to one turn near the end, older than 30 days still."""
    chat["messages"][-3]["text"] = "A tent is what we took in the end, and it is green with a stripe all round."
    for n in range(2):
        fact = {"must": {"138": ["green"]}, "key": [f"stripe {n}"]}
        spec["probes"].append(_probe(f"recall-1{n}", f"tent {n}?", f"stripe {n}", [138], **fact))


def giveaway(chat: dict[str, Any], spec: dict[str, Any]) -> None:
    """Say the price again at the end, where every design sees it."""
    chat["messages"][-2]["text"] = "So that was 450 in all, a good price for what it is, don't you think so too?"


BROKEN: list[tuple[str, Break, str, str]] = [
    (
        "a sentence twice",
        say(140, _filler(138)),
        "turns [138, 140]",
        "stands 2 times, 1 allowed",
    ),
    (
        "a sentence twice in one turn, in other case",
        say(140, "The weather was really fine today. the weather was really fine today!\nAnd so on, and on it went."),
        "turns [140, 140]",
        "stands 2 times, 1 allowed",
    ),
    ("a terse person", short("u", 9), "chat", "median turn of the person has 9"),
    ("a terse assistant", short("a", 19), "chat", "median turn of the assistant has 19"),
    ("no day off", every_day, "chat", "every day has a turn"),
    ("four in the morning", say(139, _filler(139), time="04:00"), "turn 139", "is written at 04:00"),
    ("young evidence", soon, "evidence", "56% is older than 30 days"),
    ("evidence among the newest turns", late, "evidence", "lies before the last 14 turns"),
    ("a gold that the newest turns hold", giveaway, "golds", "recall-01 can be read off the last 14 turns"),
    (
        "evidence that is no evidence",
        probe("recall-01", check={"must": {"101": ["500 euros"]}}),
        "recall-01",
        "turn 101 does not hold '500 euros'",
    ),
    (
        "a part of a word",
        probe("recall-01", check={"must": {"101": ["50 euros"]}}),
        "recall-01",
        "turn 101 does not hold '50 euros'",
    ),
    (
        "a turn that is not named as evidence",
        probe("recall-01", check={"must": {"101": ["450"], "103": ["Bergen"]}}),
        "recall-01",
        "turn 103 does not hold 'Bergen', or is no evidence",
    ),
    (
        "evidence that nothing is said of",
        probe("recall-01", evidence=[101, 103]),
        "recall-01",
        "check says nothing of what evidence turn 103 holds",
    ),
    ("no key", probe("recall-01", check={"key": []}), "recall-01", "check.key is missing"),
    ("no key of a rubric", probe("ask-01", check={"key": []}), "ask-01", "check.key is missing"),
    ("another key", probe("recall-01", check={"key": ["500"]}), "recall-01", "the key '500' is not in the gold"),
    (
        "a key that is a part of the gold's figure",
        probe("recall-01", check={"key": ["45"]}),
        "recall-01",
        "the key '45' is not in the gold",
    ),
    (
        "values in the wrong order",
        probe(
            "update-01",
            gold="2 October.",
            check={
                "values": [{"turn": 109, "value": "12 October"}, {"turn": 103, "value": "2 October"}],
                "key": ["2 October"],
            },
        ),
        "update-01",
        "not in the order of their turns",
    ),
    (
        "a value that its turn does not hold",
        probe(
            "update-01", check={"values": [{"turn": 103, "value": "3 October"}, {"turn": 109, "value": "12 October"}]}
        ),
        "update-01",
        "turn 103 does not hold '3 October'",
    ),
    (
        "an older value as gold",
        probe("update-01", gold="2 October.", check={"key": ["2 October"]}),
        "update-01",
        "the last value '12 October' is not in the gold",
    ),
    (
        "a last value that is a part of the gold's date",
        lambda chat, spec: (
            say(109, FACTS[109].replace("12 October", "2 November"))(chat, spec),
            probe(
                "update-01",
                gold="12 November (first 2 October).",
                check={
                    "values": [{"turn": 103, "value": "2 October"}, {"turn": 109, "value": "2 November"}],
                    "key": ["12 November"],
                },
            )(chat, spec),
        ),
        "update-01",
        "the last value '2 November' is not in the gold",
    ),
    (
        "items that do not add up",
        probe("aggregate-01", gold="Three: Ines and Karl.", check={"count": 3, "key": ["Three"]}),
        "aggregate-01",
        "the items add up to 2, check.count is 3",
    ),
    (
        "items of other turns",
        probe("aggregate-01", check={"items": [{"turn": 105, "item": "Ines"}, {"turn": 105, "item": "dog"}]}),
        "aggregate-01",
        "the turns of the items are not the evidence",
    ),
    (
        "an item that its turn does not hold",
        probe("aggregate-01", check={"items": [{"turn": 105, "item": "Ines"}, {"turn": 113, "item": "Kurt"}]}),
        "aggregate-01",
        "turn 113 does not hold 'Kurt'",
    ),
    (
        "another count as gold",
        probe("aggregate-01", gold="Three: Ines, Karl and Bo.", check={"key": ["Three"]}),
        "aggregate-01",
        "the count 2 is not in the gold",
    ),
    (
        "an answer to what was never said",
        say(105, FACTS[105].replace("small dog", "small dog of an old breed")),
        "abstain-01",
        "turn 105 holds all of ['dog', 'breed']",
    ),
    ("nothing that was never said", probe("abstain-01", check={"never": []}), "abstain-01", "check.never is missing"),
]


def test_a_sound_suite_has_no_fault(suite: Write) -> None:
    """The suite that the tests break is sound to begin with."""
    assert audit(suite()) == []


@pytest.mark.parametrize(
    ("broken", "place", "what"), [row[1:] for row in BROKEN], ids=[row[0].replace(" ", "-") for row in BROKEN]
)
def test_each_fault_is_found_alone(suite: Write, broken: Break, place: str, what: str) -> None:
    """A suite that breaks one demand has faults at that place, all of this kind, and no other."""
    found = audit(suite(broken))
    assert found
    assert {(fault.person, fault.place) for fault in found} == {("nora", place)}
    assert any(what in fault.what for fault in found)
    assert what in " ".join(map(str, found))


def test_evidence_that_one_search_finds_is_not_scattered(suite: Write) -> None:
    """Questions that name the words of all their evidence are answered by search alone."""

    def broken(chat: dict[str, Any], spec: dict[str, Any]) -> None:
        probe("update-01", q="crossing Bergen booked, or sail instead as the desk people say?")(chat, spec)
        probe("aggregate-01", q="Ines came by calm, Karl measured the window?")(chat, spec)

    (fault,) = audit(suite(broken))
    assert fault == ("nora", "evidence", "one search returns all of it for aggregate-01, update-01")


def test_an_update_needs_an_older_value(suite: Write) -> None:
    """One value alone is no update."""
    found = audit(suite(probe("update-01", check={"values": [{"turn": 109, "value": "12 October"}]})))
    assert any("needs two values at least" in fault.what for fault in found)


def test_a_night_with_a_reason_is_no_fault(suite: Write) -> None:
    """A chat's `nights` say why somebody was up; half past midnight is still the evening."""

    def broken(chat: dict[str, Any], spec: dict[str, Any]) -> None:
        chat["messages"][-2].update(time="04:00")
        chat["nights"] = {"39": "the ferry leaves at five"}

    assert audit(suite(broken)) == []
    assert audit(suite(say(139, _filler(139), time="00:29"))) == []
    assert [f.place for f in audit(suite(say(139, _filler(139), time="00:30")))] == ["turn 139"]


def test_counts_may_be_written_in_words_or_figures(suite: Write) -> None:
    """The counts "1,400" and "fourteen" are what "1400" and "14" are; "1455" is not."""

    def sums(count: int, gold: str) -> Break:
        items = [{"turn": 105, "item": "Ines", "n": count - 1}, {"turn": 113, "item": "Karl"}]
        return probe("aggregate-01", gold=gold, check={"items": items, "count": count, "key": [gold]})

    assert audit(suite(sums(1400, "1,400"))) == []
    assert audit(suite(sums(14, "fourteen"))) == []
    assert [fault.what for fault in audit(suite(sums(14, "1455")))] == ["the count 14 is not in the gold"]


@pytest.mark.parametrize(
    ("name", "check", "where"),
    [
        ("recall-01", {"must": {"first": ["450"]}}, "check.must.first"),
        ("recall-01", {"must": {"101": "450"}}, "check.must.101"),
        ("update-01", {"values": [{"value": "12 October"}]}, "check.values.0.turn"),
        ("update-01", {"values": ["2 October", "12 October"]}, "check.values.0"),
        ("aggregate-01", {"items": [{"turn": 105}]}, "check.items.0.item"),
        ("aggregate-01", {"count": "two"}, "check.count"),
        ("abstain-01", {"never": ["dog breed"]}, "check.never.0"),
    ],
)
def test_a_check_of_another_form_is_a_fault(suite: Write, name: str, check: dict[str, Any], where: str) -> None:
    """What cannot be read is named with its field; it neither passes unseen nor ends in a traceback."""
    found = audit(suite(probe(name, check=check)))
    assert [fault.place for fault in found] == [name]
    assert found[0].what.startswith(where)
    assert "cannot be read" in found[0].what


def test_an_item_of_a_turn_that_does_not_exist_is_a_fault(suite: Write) -> None:
    """A turn far beyond the chat holds nothing."""
    found = audit(
        suite(probe("aggregate-01", check={"items": [{"turn": 105, "item": "Ines"}, {"turn": 999, "item": "K"}]}))
    )
    assert "turn 999 does not hold 'K'" in [fault.what for fault in found]


def test_a_suite_without_checks_is_asked_for_them(suite: Write) -> None:
    """A suite of the user's own without `check` is told what is missing, probe by probe."""

    def bare(chat: dict[str, Any], spec: dict[str, Any]) -> None:
        for row in spec["probes"]:
            del row["check"]

    assert {fault.place for fault in audit(suite(bare))} == {row["id"] for row in PROBES}


def test_probes_without_evidence_have_no_age(suite: Write) -> None:
    """Abstain probes alone: nothing to be old or young, nothing to be scattered."""

    def broken(chat: dict[str, Any], spec: dict[str, Any]) -> None:
        spec["probes"] = [_probe("abstain-01", "breed?", "It never came up.", [], never=[["dog", "breed"]])]

    assert audit(suite(broken)) == []


# --- demands -------------------------------------------------------------------------------------


def test_demands_come_from_the_suite(suite: Write) -> None:
    """`demands.json` changes what is demanded; what it does not name stays."""
    folder = suite(say(140, _filler(138)))
    assert demands_of(folder) == Demands()
    assert len(audit(folder)) == 1
    (folder / "demands.json").write_text('{"repeats": 2}')
    assert demands_of(folder) == Demands(repeats=2)
    assert audit(folder) == []
    assert len(audit(folder, Demands())) == 1


@pytest.mark.parametrize("content", ['{"repeat": 2}', "[1]", '{"old_share": "0.5"}', '{"repeats": null}', "3"])
def test_demands_that_are_none_are_named(suite: Write, content: str) -> None:
    """A misspelt field or no number is an error with the fields that exist."""
    folder = suite()
    (folder / "demands.json").write_text(content)
    with pytest.raises(SuiteError, match=r"demands\.json: [\s\S]*the fields are repeats, old_share"):
        demands_of(folder)


# --- shipped suites ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["mini", "people"])
def test_shipped_suites_have_no_fault(name: str) -> None:
    """What the package carries meets its own demands."""
    folder = SUITES / name
    assert [str(fault) for fault in audit(folder)] == []


# --- the reading list ----------------------------------------------------------------------------


def test_a_sound_suite_leaves_nothing_to_read(suite: Write) -> None:
    """Numbers that the evidence holds, as digits or as words, need no reader."""
    assert reading_list(suite()) == []


def test_one_question_with_two_golds_is_to_read(suite: Write) -> None:
    """The same words, whatever their case and marks, with two golds: it fits both."""
    same = _probe("recall-02", "Price of my boat", "455 with the oar", [101], key=["455"])

    def twice(chat: dict[str, Any], spec: dict[str, Any]) -> None:
        spec["probes"].append(same)

    found = reading_list(suite(twice))
    assert ("nora", "recall-01, recall-02") in [(place.person, place.place) for place in found]


def test_the_same_question_with_the_same_gold_is_no_matter(suite: Write) -> None:
    """Asked twice alike, there is one answer."""

    def twice(chat: dict[str, Any], spec: dict[str, Any]) -> None:
        spec["probes"].append({**PROBES[0], "id": "recall-02"})

    assert reading_list(suite(twice)) == []


@pytest.mark.parametrize(
    ("gold", "text", "listed"),
    [
        ("460 euros", FACTS[101], True),
        ("450 euros (not 500)", FACTS[101], False),
        ("the 3rd", "It is the third time that we met on the 3rd of the month there, I think.", False),
        ("3 times", "Three times we met there in the month that is over now, by my own count.", False),
        ("7 euros", "We took the 17 to town and nothing else was to be had on that day.", True),
    ],
)
def test_a_gold_whose_number_no_evidence_holds_is_to_read(suite: Write, gold: str, text: str, listed: bool) -> None:
    """A number that was worked out, or is wrong: a reader has to tell."""

    def broken(chat: dict[str, Any], spec: dict[str, Any]) -> None:
        say(101, text)(chat, spec)
        probe("recall-01", gold=gold)(chat, spec)

    assert [place.place for place in reading_list(suite(broken))] == (["recall-01"] if listed else [])


# --- rows of the audit ---------------------------------------------------------------------------


def content(folder: Path, part: str = "audit") -> Any:
    """Return one of nora's files."""
    return json.loads((folder / part / "nora.json").read_text())


def test_an_exclusion_goes_to_the_audit_alone(suite: Write) -> None:
    """The spec keeps every byte; the probe is no longer collected, with its reason on record."""
    folder = suite()
    before = (folder / "spec/nora.json").read_bytes()
    path = amend.exclude(folder, "nora", "recall-01", "fits two golds")
    assert path == folder / "audit/nora.json"
    assert (folder / "spec/nora.json").read_bytes() == before
    nora = load(folder).people[0]
    assert nora.excluded == {"recall-01": "fits two golds"}
    assert "recall-01" not in [own.id for own in nora.probes]


def test_a_correction_goes_to_the_audit_alone(suite: Write) -> None:
    """The spec keeps every byte; the probe has the new gold."""
    folder = suite()
    before = (folder / "spec/nora.json").read_bytes()
    amend.correct(folder, "nora", "recall-01", "500 euros", "she counted the oar")
    assert (folder / "spec/nora.json").read_bytes() == before
    assert {own.id: own.gold for own in load(folder).people[0].probes}["recall-01"] == "500 euros"


def test_rows_are_kept_sorted_and_one_a_probe(suite: Write) -> None:
    """A second row for a probe replaces the first; rows of others stay."""
    folder = suite()
    for name, reason in (("update-01", "a"), ("abstain-01", "b"), ("update-01", "c")):
        amend.exclude(folder, "nora", name, reason)
    amend.correct(folder, "nora", "recall-01", "500", "d")
    made = content(folder)
    assert [(row["id"], row["reason"]) for row in made["exclude"]] == [("abstain-01", "b"), ("update-01", "c")]
    assert [row["id"] for row in made["correct"]] == ["recall-01"]


def test_a_person_without_audit_file_gets_one(suite: Write) -> None:
    """The first row makes the file."""
    folder = suite()
    (folder / "audit/nora.json").unlink()
    amend.exclude(folder, "nora", "recall-01", "why")
    assert content(folder)["person"] == "nora"


@pytest.mark.parametrize(
    ("person", "name", "reason", "message"),
    [
        ("nora", "recall-01", " ", "needs a reason"),
        ("nora", "recall-99", "why", "nora has no probe 'recall-99'; it has abstain-01"),
        ("noam", "recall-01", "why", "suite 'own' has no person 'noam'; it has nora"),
        ("../nora", "recall-01", "why", "has no person"),
    ],
)
def test_a_row_that_cannot_be_is_refused(suite: Write, person: str, name: str, reason: str, message: str) -> None:
    """No reason, no such probe, no such person: said by name, and no file is written."""
    folder = suite()
    with pytest.raises(SuiteError, match=message):
        amend.exclude(folder, person, name, reason)
    assert content(folder) == {}


def test_an_empty_gold_is_refused_before_it_is_written(suite: Write) -> None:
    """A blank correction would leave a suite that cannot be loaded."""
    folder = suite()
    with pytest.raises(SuiteError, match="the gold is empty"):
        amend.correct(folder, "nora", "recall-01", "  ", "why")
    assert content(folder) == {}
    assert load(folder).people[0].probes


def test_a_corrected_gold_is_not_held_against_the_old_check(suite: Write) -> None:
    """The spec may not be touched, so its check still speaks of the old gold: no fault. Evidence still counts."""
    folder = suite()
    amend.correct(folder, "nora", "update-01", "14 October", "it was moved again")
    amend.correct(folder, "nora", "aggregate-01", "Three", "one more came")
    amend.correct(folder, "nora", "recall-01", "500", "she counted the oar")
    assert audit(folder) == []
    broken = suite(probe("recall-01", check={"must": {"101": ["900"]}}), **content(folder))
    assert [fault.place for fault in audit(broken)] == ["recall-01"]


def test_an_excluded_probe_is_not_checked(suite: Write) -> None:
    """What is not asked cannot be wrong."""
    folder = suite(probe("recall-01", check={"key": []}))
    assert len(audit(folder)) == 1
    amend.exclude(folder, "nora", "recall-01", "no key")
    assert audit(folder) == []


def test_a_suite_that_cannot_be_loaded_is_no_list_of_faults(suite: Write) -> None:
    """A broken file is an error that names it."""
    folder = suite()
    (folder / "spec/nora.json").write_text("{")
    with pytest.raises((SuiteError, StoreError), match=r"spec/nora\.json"):
        audit(folder)
