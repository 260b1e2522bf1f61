"""The design observational_memory: observe at one threshold, reflect at another."""

import dataclasses
from typing import Any

import pytest

from pytest_membench import Person, Reply, Snippet, TokenThreshold, Usage, count_tokens
from pytest_membench.errors import DesignError
from pytest_membench.run.answer import memory_block
from pytest_membench.run.build import build

FERRY = "2026-08-03 The ferry leaves on Friday [high]"
TENT = "2026-08-03 Ida lends Nora a tent [low]"
MOVED = "2026-08-04 The ferry leaves on Saturday instead [high]"


def observed(*lines: str, task: str = "") -> str:
    """A reply of the observer."""
    return "\n".join([*(f"- {line}" for line in lines), *([f"Current task: {task}"] if task else [])])


@pytest.fixture
def design(load: Any) -> Any:
    """The design with thresholds that a test can reach."""
    return load("observational_memory(observe_at=60, reflect_at=60)")


def test_the_thresholds_are_those_of_the_original_and_parameters(load: Any) -> None:
    """30,000 and 40,000 tokens; the schedule follows the parameter; pending turns are shown, no others."""
    design = load("observational_memory")
    assert (design.observe_at, design.reflect_at, design.schedule) == (30_000, 40_000, TokenThreshold(30_000))
    assert (design.show_pending, design.recent, type(design).schedule) == (True, 0, TokenThreshold(30_000))
    assert load("observational_memory(observe_at=500)").schedule == TokenThreshold(500)
    assert dataclasses.replace(design, observe_at=7).schedule == TokenThreshold(7)


def test_a_threshold_of_nothing_is_refused(load: Any) -> None:
    """It is found when the design is loaded, not in the middle of a build."""
    with pytest.raises(DesignError, match="tokens must be 1 or more"):
        load("observational_memory(observe_at=0)")


def test_nothing_is_observed_below_the_threshold(load: Any, person: Person, scripted: Any, recall: Any) -> None:
    """All turns are pending, no model is asked, and each turn is shown once."""
    design, llm = load("observational_memory"), scripted()
    memory = build(design, person, llm)
    assert (memory.batches, memory.pending, llm.prompts) == (0, person.turns, [])
    shown = memory_block(recall(design, memory.state), (), memory.pending)
    assert shown.splitlines() == ["# Memory", *map(str, person.turns)]


def test_at_the_threshold_turns_become_observations(design: Any, person: Person, scripted: Any, recall: Any) -> None:
    """The batch goes to the observer; its lines and the task are the memory; later turns stay pending."""
    llm = scripted(observed(FERRY, task="packing for Bergen"), observed(MOVED))
    memory = build(dataclasses.replace(design, reflect_at=9_000), person, llm)
    written = person.turns[: memory.written]
    first, second = (prompt[1]["content"] for prompt in llm.prompts)
    assert memory.written + len(memory.pending) == 8
    assert first.startswith(f"# Observations so far\n(empty)\n\n# New messages\n{person.turns[0]}\n")
    assert second.startswith(f"# Observations so far\n{FERRY}\n\n# New messages\n")
    assert second.endswith(str(written[-1]))
    assert recall(design, memory.state) == [
        Snippet(FERRY),
        Snippet(MOVED),
        Snippet("Current task: packing for Bergen"),
    ]


def test_observations_of_undated_messages_are_list_items(
    design: Any, person: Person, scripted: Any, recall: Any
) -> None:
    """Messages may have no date, and then the observer has none to give; a task among the items is still the task."""
    llm = scripted("- Ida lends a tent [low]\n* The ferry is late\nno item\n- Current task: packing", observed(MOVED))
    memory = build(dataclasses.replace(design, reflect_at=9_000), person, llm)
    assert [snippet.text for snippet in recall(design, memory.state)][:2] == [
        "Ida lends a tent [low]",
        "The ferry is late",
    ]
    assert recall(design, memory.state)[-1] == Snippet("Current task: packing")
    assert memory.state["failed"] == 0


def test_observations_are_read_whatever_stands_around_them(design: Any, talk: Any, write: Any, scripted: Any) -> None:
    """Bullets, headings and prose are passed over, and a line ends at its priority."""
    reply = f"Here you are:\n\n* {FERRY} [high]\n  - 2026-08-03 no priority\nno date [low]\n**Current task:** rest\n"
    state = write(design, design.start(), scripted(reply), talk(1, "x"))
    assert state["log"] == [FERRY, "2026-08-03 no priority"]
    assert state["task"] == "rest"


def test_a_new_task_takes_the_place_of_the_old(design: Any, talk: Any, write: Any, scripted: Any) -> None:
    """The last one named counts; a reply without one leaves it."""
    llm = scripted(observed(FERRY, task="one"), observed(TENT, task="two"), observed("2026-08-05 rain [low]"))
    state = write(
        dataclasses.replace(design, reflect_at=999), design.start(), llm, talk(1, "a"), talk(2, "b"), talk(3, "c")
    )
    assert (state["task"], len(state["log"])) == ("two", 3)


@pytest.mark.parametrize(
    "reply", ["", " \n", "Nothing to note.", "Current task: x", Reply(f"- {FERRY}", Usage(), finish_reason="length")]
)
def test_a_reply_without_observations_changes_nothing_and_loses_nothing(
    design: Any, talk: Any, write: Any, recall: Any, scripted: Any, reply: Any
) -> None:
    """The cursor does not move past turns that nobody noted: they wait, shown, and are observed next time."""
    kept, batch = {**design.start(), "log": [FERRY], "task": "packing"}, talk(2, "late", first=2)
    line = str(batch.turns[0])
    state = write(design, kept, scripted(reply), batch)
    assert state == {**kept, "waiting": [[2, line]], "failed": 1}
    assert recall(design, state)[-1] == Snippet(line, (2,))
    llm = scripted(observed(TENT))
    state = write(design, state, llm, talk(3, "last", first=3))
    assert line in llm.sent
    assert (state["log"], state["waiting"], state["failed"]) == ([FERRY, TENT], [], 1)


LONG = [f"2026-08-{day:02} something of no great importance happened again [low]" for day in range(3, 9)]


def test_a_long_log_is_rewritten_shorter(design: Any, talk: Any, write: Any, scripted: Any) -> None:
    """At the second threshold the reflector gets the whole log, and its shorter one takes the place."""
    llm = scripted(observed(*LONG), observed(FERRY, MOVED))
    state = write(design, design.start(), llm, talk(1, "x"))
    assert llm.prompts[1][1]["content"] == "# Observations\n" + "\n".join(LONG)
    assert (state["log"], state["failed"]) == ([FERRY, MOVED], 0)


def test_the_reflector_is_told_more_strictly_until_the_log_fits(
    design: Any, talk: Any, write: Any, scripted: Any
) -> None:
    """Each try asks for half as many words; the first log under the threshold ends it."""
    llm = scripted(observed(*LONG), observed(*LONG), observed(*LONG[:5]), observed(FERRY))
    state = write(design, design.start(), llm, talk(1, "x"))
    first, second, third = (prompt[0]["content"] for prompt in llm.prompts[1:])
    assert (
        second
        == first + "\nThat was too long before. Halve it: at most 15 words in all, the oldest details first to go."
    )
    assert "at most 7 words" in third
    assert state["log"] == [FERRY]


def test_the_shortest_log_counts_where_none_fits(design: Any, talk: Any, write: Any, scripted: Any) -> None:
    """Three tries at most; shorter is better than nothing."""
    llm = scripted(observed(*LONG), observed(*LONG[:5]), observed(*LONG[:4]), observed(*LONG))
    state = write(design, design.start(), llm, talk(1, "x"))
    assert (state["log"], state["failed"], len(llm.prompts)) == (LONG[:4], 0, 4)
    assert count_tokens("\n".join(state["log"])) >= design.reflect_at


def test_an_empty_or_longer_log_is_never_committed(design: Any, talk: Any, write: Any, scripted: Any) -> None:
    """The old log stays, with the new observations, and the failure is counted."""
    cut = Reply(observed(FERRY), Usage(), finish_reason="length")
    state = write(design, design.start(), scripted(observed(*LONG), "", observed(*LONG, FERRY), cut), talk(1, "x"))
    assert (state["log"], state["failed"], state["waiting"]) == (LONG, 1, [])
