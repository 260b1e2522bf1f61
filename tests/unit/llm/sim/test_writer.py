"""The writer: summaries within their limit, facts, operations, notes, ledgers, other shapes."""

from typing import Any

import orjson
import pytest

from pytest_membench.llm.sim import writer
from pytest_membench.llm.sim.points import points_of
from pytest_membench.llm.sim.shape import shape

Write = Any
NEW = """# New messages
[2026-08-03 09:14] Maya: The cutover is on 29 August. Nice weather.
[2026-08-03 09:15] Assistant: How do you feel about that?
[2026-08-05 08:00] Maya: I promised Priya the retention note by Friday. Please never use emoji."""
SUMMARY = "You keep a summary. Rewrite it. At most {} words. Reply with the new summary alone."


def test_a_summary_keeps_what_matters_with_its_dates(write: Write) -> None:
    """Numbers, promises and wishes stand in the summary after the day they were said."""
    text = write(SUMMARY.format(400), f"# Summary so far\n(empty)\n\n{NEW}")
    assert "2026-08-03: The cutover is on 29 August." in text.split("\n")
    assert "2026-08-05: Please never use emoji." in text.split("\n")


def test_the_newest_value_wins(write: Write) -> None:
    """A sentence that repeats an old one with another number takes its place."""
    new = "# New messages\n[2026-08-11 09:14] Maya: The cutover is on 5 September now."
    text = write(SUMMARY.format(400), f"# Summary so far\n2026-08-03: The cutover is on 29 August.\n\n{new}")
    assert text == "2026-08-11: The cutover is on 5 September now."


@pytest.mark.parametrize("limit", [1, 5, 12, 30])
def test_the_word_limit_holds(write: Write, limit: int) -> None:
    """However much is to be told, the summary has at most so many words, and some."""
    assert 0 < len(write(SUMMARY.format(limit), NEW).split()) <= limit


def test_over_the_limit_the_least_important_goes(write: Write) -> None:
    """Small talk is dropped before a date."""
    text = write(SUMMARY.format(9), NEW)
    assert "weather" not in text


def test_a_summary_read_back_stays(write: Write) -> None:
    """Rewriting without news changes nothing."""
    first = write(SUMMARY.format(400), NEW)
    assert write(SUMMARY.format(400), f"# Summary so far\n{first}\n\n# New messages\n") == first


def test_nothing_to_write(write: Write) -> None:
    """An empty task gives a text all the same: an empty reply would count as an outage."""
    assert write(SUMMARY.format(400), "# New messages\n") == "(nothing to write down)"


def test_facts(write: Write) -> None:
    """Facts stand alone: each with its day and who said it; small talk is none."""
    system = 'List the facts as JSON: {"facts": ["...", "..."]}'
    facts = orjson.loads(write(system, NEW))["facts"]
    assert "2026-08-03 Maya: The cutover is on 29 August." in facts
    assert not any("weather" in fact for fact in facts)


def test_operations(write: Write) -> None:
    """Near facts are updated where a number differs, left where it does not; others are added."""
    system = 'Reply with {"operations": [{"op": "add"|"update"|"delete"|"none", "id": ..., "text": ...}]}'
    task = (
        "# Existing facts\nf1: The cutover is on 29 August.\nf2: Priya likes tea.\n\n"
        "# New facts\nThe cutover is on 5 September.\nPriya likes tea.\nJoris has a dog."
    )
    assert orjson.loads(write(system, task))["operations"] == [
        {"op": "update", "id": "f1", "text": "The cutover is on 5 September."},
        {"op": "none", "id": "f2", "text": "Priya likes tea."},
        {"op": "add", "id": None, "text": "Joris has a dog."},
    ]


def test_operations_without_existing_facts(write: Write) -> None:
    """Where nothing is known yet, all is added."""
    system = 'Reply with {"operations": [{"op": "add", "id": "", "text": ""}]}'
    operations = orjson.loads(write(system, "# New facts\nJoris has a dog."))["operations"]
    assert [operation["op"] for operation in operations] == ["add"]


def test_notes_by_topic(write: Write) -> None:
    """Notes come as one text a topic, named by what is spoken of most."""
    system = 'Keep notes by topic: {"notes": {"<topic>": "<text>"}}'
    task = "# New messages\n[2026-08-03 09:14] Maya: I met Priya at 10.\n[2026-08-04 09:14] Maya: I owe Priya 20 euros."
    notes = orjson.loads(write(system, task))["notes"]
    assert list(notes) == ["priya"]
    assert "20 euros" in notes["priya"]


def test_old_notes_keep_their_topic(write: Write) -> None:
    """A note that was written before stays under its own topic."""
    system = 'Keep notes by topic: {"notes": {"<topic>": "<text>"}}'
    notes = orjson.loads(write(system, "# Notes so far\nhome: the heating costs 90 a month"))["notes"]
    assert notes == {"home": "the heating costs 90 a month"}


def test_notes_as_a_list(write: Write) -> None:
    """The same notes as a bare list of objects."""
    system = 'Reply in JSON: [{"topic": "...", "text": "..."}]'
    notes = orjson.loads(write(system, NEW))
    assert all(set(note) == {"topic", "text"} for note in notes)
    assert any("29 August" in note["text"] for note in notes)


def test_objects_are_filled_by_their_fields_names(write: Write) -> None:
    """Date, speaker, importance and the like are filled by what the fields are called."""
    system = 'JSON: {"memories": [{"id": "", "date": "", "who": "", "text": "", "importance": 1, "priority": "", "name": ""}]}'
    memory = orjson.loads(write(system, NEW))["memories"][0]
    assert memory["date"] == "2026-08-03"
    assert memory["who"] == "Maya"
    assert memory["importance"] in (1, 2, 3)
    assert memory["priority"] in ("high", "medium", "low")
    assert memory["id"] is None


def test_lines_of_a_ledger(write: Write) -> None:
    """Ledger lines carry their day and a priority, in JSON where that is shown."""
    lines = orjson.loads(write('Reply with {"lines": ["..."]}', NEW))["lines"]
    assert lines[0].startswith("2026-08-03 Maya: ")
    assert lines[0].rsplit("[")[-1] in ("high]", "medium]", "low]")


def test_observations_in_plain_text(write: Write) -> None:
    """Asked for observations, one dated line each with its priority."""
    text = write("Write observations, one dated line each, with priority high, medium or low.", NEW)
    assert all(line.startswith("- 2026-08-0") for line in text.split("\n"))


def test_a_bare_list_of_texts(write: Write) -> None:
    """A bare JSON list of texts is a list of facts."""
    facts = orjson.loads(write('Reply in JSON: ["...", "..."]', NEW))
    assert any("29 August" in fact for fact in facts)


def test_a_json_key_with_a_text(write: Write) -> None:
    """A shape with one text holds the summary under its key."""
    assert "29 August" in orjson.loads(write('JSON: {"memo": "..."}', NEW))["memo"]


def test_json_wanted_without_a_shape(write: Write) -> None:
    """response_format alone gives an object with a summary."""
    reply = write("Sum up.", NEW, response_format={"type": "json_object"})
    assert "29 August" in orjson.loads(reply)["summary"]


@pytest.mark.parametrize(
    ("system", "kind", "limit"),
    [
        ("A summary of no more than 1,200 words", "summary", 1200),
        ("Use about 80 words", "summary", 80),
        ("Sum up.", "summary", 300),
        ('{"changes": [{"action": "add", "id": 1}]}', "operations", 300),
    ],
)
def test_shapes(system: str, kind: str, limit: int) -> None:
    """Kind and limit are read from the words of the prompt."""
    found = shape(system)
    assert (found.kind, found.limit) == (kind, limit)


def test_without_a_system_prompt_the_shape_is_in_the_task() -> None:
    """A design that sends one user message is served too."""
    task = f'Reply with {{"facts": ["..."]}}\n{NEW}'
    assert "facts" in orjson.loads(writer.write([{"role": "user"}], [task]))


def test_text_before_any_section_counts() -> None:
    """Lines that stand under no title are points like the others."""
    assert [point.text for point in points_of("[2026-08-03 09:14] Maya: Snow.")] == ["Snow."]


def test_long_chats_are_merged_in_bounded_work(write: Write) -> None:
    """Of thousands of sentences, the weightiest are kept and the limit holds."""
    lines = "\n".join(f"[2026-08-03 09:14] Maya: Item {k} costs {k} euros." for k in range(900))
    assert len(write(SUMMARY.format(100), f"# New messages\n{lines}").split()) <= 100


def test_overlap_of_nothing() -> None:
    """Texts without topical words share nothing."""
    assert writer.overlap("the", "of") == 0.0


def test_points_say_who_and_when() -> None:
    """An undated, unattributed point is its text alone; an attributed one says who."""
    point = points_of("Snow fell")[0]
    assert (point.dated(), point.attributed()) == ("Snow fell", "Snow fell")
    assert point._replace(who="Maya").attributed() == "Maya: Snow fell"
