"""The design fact_store: facts are extracted, then added, updated, deleted or passed over."""

import json
from typing import Any

import pytest

from pytest_membench import Batched, Snippet, search_chat

FERRY = "2026-08-03 The ferry to Bergen leaves on Friday."
MOVED = "2026-08-04 The ferry to Bergen leaves on Saturday, no longer on Friday."
TENT = "2026-08-03 Ida lends Nora her tent."

FILLER = [{"id": str(n), "text": f"filler{n}", "turns": [n]} for n in range(3, 9)]


def facts(*texts: str) -> str:
    """A reply with these facts."""
    return json.dumps({"facts": texts})


def operations(*rows: tuple[str, Any, Any]) -> str:
    """A reply with these operations: (op, id, text)."""
    return json.dumps({"operations": [{"op": op, "id": fact_id, "text": text} for op, fact_id, text in rows]})


@pytest.fixture
def store(load: Any) -> Any:
    """The design with its defaults."""
    return load("fact_store")


@pytest.fixture
def two(store: Any, talk: Any, write: Any, scripted: Any) -> Any:
    """A state with two facts from the turns 0 and 1."""
    return write(store, store.start(), scripted(facts(FERRY, TENT)), talk(1, "ferry", "ok"))


def test_it_has_what_the_memories_of_its_kind_have(store: Any) -> None:
    """The schedule of agent-memory-bench, 14 recent turns, search."""
    assert (store.schedule, store.recent) == (Batched(turns=8, from_person=4, hours=3), 14)
    assert store.tools(store.start()) == [search_chat]


def test_the_first_facts_are_added_without_a_second_call(two: Any) -> None:
    """Where nothing is near there is nothing to decide; each fact has an id and the turns of its batch."""
    assert two == {
        "facts": [{"id": "1", "text": FERRY, "turns": [0, 1]}, {"id": "2", "text": TENT, "turns": [0, 1]}],
        "ids": 2,
        "waiting": [],
        "failed": 0,
    }


def test_a_contradiction_replaces_the_fact(store: Any, two: Any, talk: Any, write: Any, scripted: Any) -> None:
    """The new text takes the place of the old one under its id, and names the turns of both."""
    llm = scripted(facts(MOVED), operations(("update", "1", MOVED)))
    state = write(store, two, llm, talk(2, "The ferry was moved.", first=2))
    assert state["facts"] == [
        {"id": "2", "text": TENT, "turns": [0, 1]},
        {"id": "1", "text": MOVED, "turns": [0, 1, 2]},
    ]
    assert llm.prompts[1][1]["content"] == f"# Existing facts\n1: {FERRY}\n2: {TENT}\n\n# New facts\n{MOVED}"
    assert llm.formats == [{"type": "json_object"}] * 2


def test_the_new_facts_are_set_against_the_nearest_alone(
    load: Any, two: Any, talk: Any, write: Any, scripted: Any
) -> None:
    """`near` facts at most are put beside each new one."""
    many = {**two, "facts": two["facts"] + FILLER}
    llm = scripted(facts("The tent of Ida leaks."), operations(("add", None, "The tent of Ida leaks.")))
    write(load("fact_store(near=1)"), many, llm, talk(2, "it leaks", first=2))
    assert llm.prompts[1][1]["content"].startswith(f"# Existing facts\n2: {TENT}\n\n")


def test_each_operation_does_what_it_says(store: Any, two: Any, talk: Any, write: Any, scripted: Any) -> None:
    """Add takes a new id, delete removes, none leaves; ids may be numbers; undated text gets the day of the write."""
    llm = scripted(
        facts(FERRY, "gone"), operations(("none", "1", None), ("delete", 2, None), ("add", None, "a\nkayak"))
    )
    state = write(store, two, llm, talk(3, "x", first=2))
    assert state["facts"] == [two["facts"][0], {"id": "3", "text": "2026-08-05: a kayak", "turns": [2]}]


@pytest.mark.parametrize("fact_id", ["99", None, "2"])
def test_a_fact_that_was_not_shown_is_neither_overwritten_nor_deleted(
    load: Any, two: Any, talk: Any, write: Any, scripted: Any, fact_id: str | None
) -> None:
    """An invented id, or one the model guessed, adds the text of an update and deletes nothing."""
    design = load("fact_store(near=1)")
    llm = scripted(facts("ferry to Bergen"), operations(("update", fact_id, MOVED), ("delete", fact_id, None)))
    state = write(design, two, llm, talk(2, "x", first=2))
    assert [fact["text"] for fact in state["facts"]] == [FERRY, TENT, MOVED]


def test_the_best_matches_are_shown_oldest_first(store: Any, two: Any, load: Any, recall: Any) -> None:
    """BM25 chooses, `k` limits, and each fact names its turns; without a shared word nothing is shown."""
    assert recall(store, two, "When does the ferry leave Ida's tent?") == [
        Snippet(FERRY, (0, 1)),
        Snippet(TENT, (0, 1)),
    ]
    many = {**two, "facts": two["facts"] + FILLER}
    assert recall(load("fact_store(k=1)"), many, "Ida's tent, the blue") == [Snippet(TENT, (0, 1))]
    assert recall(store, two, "zebra") == []


def test_unreadable_facts_change_nothing_and_lose_nothing(
    store: Any, two: Any, talk: Any, write: Any, recall: Any, scripted: Any, unreadable: str
) -> None:
    """The store stays, the failure is counted, the batch is shown and goes along with the next write."""
    line = str(talk(2, "late", first=2).turns[0])
    state = write(store, two, scripted(unreadable.replace("KEY", "facts")), talk(2, "late", first=2))
    assert state == {**two, "waiting": [[2, line]], "failed": 1}
    assert recall(store, state) == [Snippet(line, (2,))]
    llm = scripted(facts("zebra"))
    state = write(store, state, llm, talk(3, "last", first=3))
    assert line in llm.prompts[0][1]["content"]
    assert (state["waiting"], state["failed"], state["facts"][-1]["turns"]) == ([], 1, [2, 3])


@pytest.mark.parametrize(
    "reply",
    [
        "",
        '{"operations": []}',
        '{"operations": {"op": "add", "text": "x"}}',
        '{"operations": ["add"]}',
        '{"operations": [{"op": "merge", "text": "x"}]}',
        '{"operations": [{"op": "add", "id": null, "text": " "}]}',
        '{"operations": [{"op": "none"}, {"op": "update", "id": "1"}]}',
        '{"operations": [{"op": "add", "text": 3}]}',
        '{"operations": [{"id": "1", "text": "x"}]}',
    ],
)
def test_unreadable_operations_are_not_applied_in_part(
    store: Any, two: Any, talk: Any, write: Any, scripted: Any, reply: str
) -> None:
    """One operation that cannot be read and none is applied; facts that nobody decided on are not lost."""
    state = write(store, two, scripted(facts(MOVED), reply), talk(2, "late", first=2))
    assert (state["facts"], state["failed"], [i for i, _ in state["waiting"]]) == (two["facts"], 1, [2])


def test_small_talk_writes_nothing(store: Any, two: Any, talk: Any, write: Any, scripted: Any) -> None:
    """No facts is a reply as good as any: nothing waits and nothing failed."""
    assert write(store, two, scripted(facts(" ")), talk(2, "night night", first=2)) == two
