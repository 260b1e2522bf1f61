"""Suites from files: what a good one becomes, and how each fault is named."""

import copy
import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from pytest_membench.errors import SuiteError
from pytest_membench.suites.files import load, locate

CHAT: dict[str, Any] = {
    "name": "Nora",
    "messages": [
        {"i": 1, "day": 1, "time": "09:00", "who": "u", "text": "The ferry leaves on Friday."},
        {"i": 2, "day": 1, "time": "09:00", "who": "a", "text": "Noted."},
        {"i": 5, "day": 9, "time": "23:30", "who": "u", "text": "It was moved to Saturday."},
        {"i": 6, "day": 10, "time": "00:10", "who": "Ida", "text": "I come along."},
    ],
}
SPEC: dict[str, Any] = {
    "asked": {"day": 12, "time": "08:15"},
    "probes": [
        {"id": "update-01", "kind": "update", "q": "When?", "gold": "Saturday", "evidence": [1, 5]},
        {"id": "abstain-01", "kind": "abstain", "q": "Ida's job?", "gold": "Never said."},
        {"id": "recall-01", "kind": "recall", "q": "Who comes?", "gold": "Ida", "evidence": [6]},
    ],
}
AUDIT: dict[str, Any] = {"exclude": [], "correct": []}

Write = Callable[..., Path]


@pytest.fixture
def suite(tmp_path: Path) -> Write:
    """Write one person's files into a suite and return its folder; None leaves a file out."""

    def write(chat: Any = CHAT, spec: Any = SPEC, audit: Any = AUDIT, person: str = "nora") -> Path:
        for part, content in (("chat", chat), ("spec", spec), ("audit", audit)):
            (tmp_path / "own" / part).mkdir(parents=True, exist_ok=True)
            if content is not None:
                text = content if isinstance(content, str) else json.dumps(content)
                (tmp_path / "own" / part / f"{person}.json").write_text(text, encoding="utf-8")
        return tmp_path / "own"

    return write


def changed(content: dict[str, Any], *path: Any, **fields: Any) -> dict[str, Any]:
    """Return a copy whose row at `path` has other fields; a field of `...` is removed."""
    made = copy.deepcopy(content)
    row = made
    for step in path:
        row = row[step]
    row.update(fields)
    for name in [name for name, value in fields.items() if value is ...]:
        del row[name]
    return made


def message(position: int, **fields: Any) -> dict[str, Any]:
    """Return the chat with one message changed."""
    return changed(CHAT, "messages", position, **fields)


def probe(position: int, **fields: Any) -> dict[str, Any]:
    """Return the spec with one probe changed."""
    return changed(SPEC, "probes", position, **fields)


def test_a_suite_is_read_as_it_is_written(suite: Write) -> None:
    """Turns keep numbers, dates and names; probes come sorted by id, with gold and evidence."""
    made = load(suite())
    (nora,) = made.people
    assert (made.name, nora.id, nora.name) == ("own", "nora", "Nora")
    assert [str(turn) for turn in nora.turns] == [
        "[2026-08-03 09:00] Nora: The ferry leaves on Friday.",
        "[2026-08-03 09:00] Assistant: Noted.",
        "[2026-08-11 23:30] Nora: It was moved to Saturday.",
        "[2026-08-12 00:10] Ida: I come along.",
    ]
    assert [turn.i for turn in nora.turns] == [1, 2, 5, 6]
    assert [one.id for one in nora.probes] == ["abstain-01", "recall-01", "update-01"]
    assert nora.probes[2].gold == "Saturday"
    assert [one.evidence for one in nora.probes] == [(), (6,), (1, 5)]
    assert nora.asked == datetime.fromisoformat("2026-08-14 08:15")


def test_without_a_date_probes_are_asked_on_the_morning_after_the_last_turn(suite: Write) -> None:
    """The current date is that of this person's last turn and a day, not today's and not another chat's."""
    suite(spec=changed(SPEC, asked=...))
    later = changed(CHAT, "messages", 3, day=30)
    (ida, nora) = load(suite(chat=later, spec=changed(SPEC, asked=...), person="ida")).people
    assert nora.asked == datetime.fromisoformat("2026-08-13 09:00")
    assert ida.asked == datetime.fromisoformat("2026-09-02 09:00")


def test_probes_may_be_asked_at_the_minute_of_the_last_turn(suite: Write) -> None:
    """The last turn's own time is late enough."""
    spec = changed(SPEC, asked={"day": 10, "time": "00:10"})
    assert load(suite(spec=spec)).people[0].asked == datetime.fromisoformat("2026-08-12 00:10")


def test_people_are_sorted_by_id_and_named_after_their_file(suite: Write) -> None:
    """The order is that of the ids, the same on every machine; a chat without a name takes the file's."""
    for person in ("tom", "maya-2", "maya"):
        suite(chat=changed(CHAT, name=...), person=person)
    people = load(suite(person="ada")).people
    assert [person.id for person in people] == ["ada", "maya", "maya-2", "tom"]
    assert people[3].name == "Tom"


@pytest.mark.parametrize("part", ["chat", "spec", "audit"])
def test_a_file_that_names_another_person_is_refused(suite: Write, part: str) -> None:
    """A copied file whose `person` was not changed is told, not read as somebody else's."""
    files = {"chat": CHAT, "spec": SPEC, "audit": AUDIT}
    folder = suite(**{part: {**files[part], "person": "ida"}})
    with pytest.raises(SuiteError, match=rf"{part}/nora\.json: field person is 'ida'"):
        load(folder)


def test_an_audit_takes_probes_out_and_corrects_golds(suite: Write) -> None:
    """An excluded probe is neither asked nor counted; a corrected one is asked with the new gold."""
    audit = {
        "exclude": [{"id": "recall-01", "reason": "two people come"}],
        "correct": [{"id": "update-01", "gold": "Saturday at noon", "reason": "time was said"}],
    }
    (nora,) = load(suite(audit=audit)).people
    assert [(one.id, one.gold) for one in nora.probes] == [
        ("abstain-01", "Never said."),
        ("update-01", "Saturday at noon"),
    ]
    assert nora.excluded == {"recall-01": "two people come"}


def test_a_suite_without_an_audit_excludes_nothing(suite: Write) -> None:
    """The audit is optional."""
    (nora,) = load(suite(audit=None)).people
    assert (len(nora.probes), nora.excluded) == (3, {})


def test_fields_that_membench_does_not_know_are_left_alone(suite: Write) -> None:
    """A suite may carry notes of its own."""
    spec = changed(probe(0, check={"must": {}}), note="x")
    assert len(load(suite(chat=changed(CHAT, tone="dry"), spec=spec)).people[0].probes) == 3


def test_the_words_that_an_answer_needs_are_read_and_go_with_a_corrected_gold(suite: Write) -> None:
    """`check.key` belongs to the gold that was written: where the audit corrects it, the words are unknown."""
    spec = probe(0, check={"key": ["Saturday"]})
    assert [one.key for one in load(suite(spec=spec)).people[0].probes] == [(), (), ("Saturday",)]
    audit = {"correct": [{"id": "update-01", "gold": "Sunday", "reason": "x"}]}
    assert [one.key for one in load(suite(spec=spec, audit=audit)).people[0].probes] == [(), (), ()]


def test_the_digest_changes_with_any_of_the_three_files(suite: Write) -> None:
    """Another chat, spec or audit is another person to whoever keeps results."""
    excluding = {"exclude": [{"id": "recall-01", "reason": "x"}]}
    digests = [
        load(suite()).people[0].digest,
        load(suite(chat=message(0, text="It leaves on Monday."))).people[0].digest,
        load(suite(spec=probe(0, gold="Sunday"))).people[0].digest,
        load(suite(audit=excluding)).people[0].digest,
    ]
    assert len(set(digests)) == 4
    assert load(suite()).people[0].digest == digests[0]


WRONG_CHATS = [
    ("{", r"chat/nora\.json: is not JSON"),
    (changed(CHAT, messages=[]), "field messages is empty"),
    (changed(CHAT, messages=...), "field messages.*missing"),
    (message(1, text=...), r"turn 2: field text: .*missing"),
    (message(1, text="  "), "turn 2: fields text and who"),
    (message(1, who=""), "turn 2: fields text and who"),
    (message(1, day="1"), r"turn 2: field day: .*'1'"),
    (message(1, day=True), r"turn 2: field day: .*True"),
    (message(1, day=1.5), r"turn 2: field day: .*1\.5"),
    (message(0, i="1"), r"turn 1: field i: .*'1'"),
    (message(1, time="9:00"), r"turn 2: field time is '9:00'; HH:MM"),
    (message(1, time="24:00"), "turn 2: field time is '24:00'"),
    (message(1, time="09:60"), "turn 2: field time is '09:60'"),
    (message(1, time="09:00:00"), "turn 2: field time is '09:00:00'"),
    (message(1, time="09:00\n"), "turn 2: field time is"),
    (message(1, time=900), "turn 2: field time: .*900"),
    (message(1, i=1), "turn 1: field i follows 1; indices must ascend"),
    (message(2, i=0), "turn 0: field i follows 2"),
    (message(1, time="08:59"), r"turn 2: 2026-08-03 08:59:00 comes before turn 1 \(2026-08-03 09:00:00\)"),
    (message(3, day=2), r"turn 6: 2026-08-04 .* comes before turn 5"),
    (message(1, day=10**7), r"turn 2: .*10000000"),
    ("[]", r"chat/nora\.json: .*the whole"),
    ('{"messages": [7]}', r"messages\.0.*7"),
]


@pytest.mark.parametrize(("chat", "named"), WRONG_CHATS)
def test_a_wrong_chat_is_refused_by_file_turn_and_field(suite: Write, chat: Any, named: str) -> None:
    """Each fault of a chat names the file, the turn and the field, and shows the value."""
    with pytest.raises(SuiteError, match=named) as caught:
        load(suite(chat=chat))
    assert str(Path("chat") / "nora.json") in str(caught.value)


def test_days_are_numbers_and_not_strings_when_turns_are_ordered(suite: Write) -> None:
    """Day 10 after day 9 is in order, though "10" sorts before "9"."""
    turns = load(suite()).people[0].turns
    assert [turn.day for turn in turns] == [1, 1, 9, 10]


WRONG_SPECS = [
    (None, "missing or empty; the probes of 'nora' belong there"),
    ("", "missing or empty"),
    ("nonsense", "is not JSON"),
    (changed(SPEC, probes=...), "field probes.*missing"),
    (probe(1, id="update-01"), "probe 'update-01': field id stands twice"),
    (probe(0, id="up date"), "probe 'up date': field id may hold letters"),
    (probe(0, id="../x"), r"probe '\.\./x': field id may hold"),
    (probe(0, id="a\n"), "field id may hold"),
    (probe(0, id="build"), "probe 'build': field id"),
    (probe(0, id=...), r"probes 0: field id: .*missing"),
    (probe(0, kind="trivia"), r"probes 'update-01': field kind: .*'recall'.*'trivia'"),
    (probe(0, gold=...), r"probes 'update-01': field gold: .*missing"),
    (probe(0, gold=" "), "probe 'update-01': field gold is empty"),
    (probe(0, gold=7), r"probes 'update-01': field gold: .*7"),
    (probe(0, q=""), "probe 'update-01': field q is empty"),
    (probe(0, evidence=[1, 3]), "probe 'update-01': field evidence names turn 3, which the chat does not have"),
    (probe(0, evidence=["1"]), r"probes 'update-01': field evidence\.0: .*'1'"),
    (probe(0, evidence=[]), "probe 'update-01': field evidence is empty; only an abstain"),
    (probe(0, evidence=...), "probe 'update-01': field evidence is empty"),
    (probe(0, check={"key": "Saturday"}), r"probes 'update-01': field check\.key: .*'Saturday'"),
    (changed(SPEC, asked={"day": 12, "time": "8:15"}), r"field asked\.time is '8:15'"),
    (changed(SPEC, asked={"day": "12", "time": "08:15"}), r"field asked\.day"),
    (changed(SPEC, asked={"day": 10**7, "time": "08:15"}), r"field asked\.day is 10000000"),
    (changed(SPEC, asked={"day": 9, "time": "23:59"}), r"field asked is 2026-08-11 23:59:00, before the last turn"),
]


@pytest.mark.parametrize(("spec", "named"), WRONG_SPECS)
def test_a_wrong_spec_is_refused_by_file_probe_and_field(suite: Write, spec: Any, named: str) -> None:
    """Each fault of a spec names the file, the probe and the field, and shows the value."""
    with pytest.raises(SuiteError, match=named) as caught:
        load(suite(spec=spec))
    assert str(Path("spec") / "nora.json") in str(caught.value)


WRONG_AUDITS = [
    ({"exclude": [{"id": "recall-9", "reason": "x"}]}, "names probe 'recall-9', which the spec does not have"),
    ({"correct": [{"id": "recall-9", "gold": "x", "reason": "x"}]}, "names probe 'recall-9'"),
    ({"exclude": [{"id": "recall-01", "reason": ""}]}, "probe 'recall-01': field reason is empty"),
    ({"exclude": [{"id": "recall-01"}]}, "exclude 'recall-01': field reason: .*missing"),
    ({"correct": [{"id": "recall-01", "reason": "x"}]}, "correct 'recall-01': field gold: .*missing"),
    ({"correct": [{"id": "recall-01", "gold": " ", "reason": "x"}]}, "probe 'recall-01': field gold is empty"),
    ("]", "is not JSON"),
]


@pytest.mark.parametrize(("audit", "named"), WRONG_AUDITS)
def test_a_wrong_audit_is_refused_by_file_and_probe(suite: Write, audit: Any, named: str) -> None:
    """An audit that names no probe, gives no reason or no gold is refused."""
    with pytest.raises(SuiteError, match=named) as caught:
        load(suite(audit=audit))
    assert str(Path("audit") / "nora.json") in str(caught.value)


@pytest.mark.parametrize("part", ["spec", "audit"])
def test_a_file_without_a_chat_of_its_name_is_refused(suite: Write, part: str) -> None:
    """A misspelt file is not passed over: its probes, or what it excludes, would go missing unseen."""
    folder = suite()
    (folder / part / "nroa.json").write_text('{"probes": []}', encoding="utf-8")
    with pytest.raises(SuiteError, match=rf"{part}/nroa\.json: there is no chat of that name"):
        load(folder)


def test_a_folder_without_chats_is_refused(tmp_path: Path) -> None:
    """A suite of nobody would be a run of nothing."""
    (tmp_path / "chat").mkdir()
    with pytest.raises(SuiteError, match=r"holds no <person>\.json"):
        load(tmp_path)


def test_a_suite_is_located_by_path_or_by_name(suite: Write, tmp_path: Path) -> None:
    """A folder's path, a path under the rootdir, and a name under benchmarks/suites all lead to it."""
    folder = suite()
    assert locate(str(folder), tmp_path / "elsewhere") == folder.resolve()
    assert locate("own", tmp_path) == folder.resolve()
    (tmp_path / "benchmarks").mkdir()
    folder.rename(tmp_path / "benchmarks" / "suites")
    (tmp_path / "named" / "benchmarks" / "suites").mkdir(parents=True)
    moved = (tmp_path / "benchmarks" / "suites").rename(tmp_path / "named" / "benchmarks" / "suites" / "own")
    assert locate("own", tmp_path / "named") == moved.resolve()


def test_the_suite_that_ships_is_found_from_anywhere(tmp_path: Path) -> None:
    """`mini` needs no folder of the user's."""
    folder = locate("mini", tmp_path)
    assert folder.name == "mini"
    assert list((folder / "chat").glob("*.json"))


def test_an_unknown_suite_lists_what_there_is_and_suggests_the_nearest(tmp_path: Path) -> None:
    """A typing error is met with the name that was meant."""
    with pytest.raises(SuiteError, match=r"no suite 'minni': .*nor one of .*mini.*; did you mean 'mini'\?"):
        locate("minni", tmp_path)
    with pytest.raises(SuiteError, match="no suite 'zzzzzz'") as caught:
        locate("zzzzzz", tmp_path)
    assert "did you mean" not in str(caught.value)
