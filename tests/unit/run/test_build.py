"""Building a memory: what is written, where it goes on after a stop, and what a state may be."""

import dataclasses
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_membench import LLM, Batch, Design, EveryDay, EveryTurns, Person, Snippet, TokenThreshold
from pytest_membench.errors import CallFailed, DesignError
from pytest_membench.run.build import Memory, build, digest, plain, recall
from pytest_membench.schedule import Schedule


@dataclass(frozen=True)
class Diary(Design[list[Any]]):
    """Writes a line a batch: who it is of, when it is, and what the model says of it."""

    def start(self) -> list[Any]:
        """Nothing is written."""
        return []

    def ingest(self, state: list[Any], batch: Batch, llm: LLM) -> list[Any]:
        """Ask the model and add its line; the state itself is changed, as careless designs do."""
        reply = llm.chat([{"role": "user", "content": str(batch)}]).text
        state.append([batch.person, batch.now.isoformat(), len(batch), reply])
        return state

    def recall(self, state: list[Any], question: str, llm: LLM) -> list[Snippet]:
        """Show all lines."""
        return [Snippet(line[3]) for line in state]


def changed(**attributes: Any) -> Design[list[Any]]:
    """Return a diary of which some class attributes or methods are others."""
    made: Design[list[Any]] = dataclass(frozen=True)(type("Changed", (Diary,), attributes))()  # type: ignore[misc]
    return made


def diary(schedule: Schedule) -> Design[list[Any]]:
    """Return a diary that is written on `schedule`."""
    return changed(schedule=schedule)


def test_each_batch_is_written_once_with_its_own_date(person: Person, scripted: Any) -> None:
    """Three days are three writes; each knows the person and the time of its newest turn, not today's."""
    memory = build(diary(EveryDay()), person, scripted("one", "two", "three"))
    assert memory.state == [
        ["nora", "2026-08-03T21:31:00", 4, "one"],
        ["nora", "2026-08-04T08:01:00", 2, "two"],
        ["nora", "2026-09-01T19:02:00", 2, "three"],
    ]
    assert (memory.written, memory.batches, memory.pending) == (8, 3, ())


def test_a_design_sees_the_turns_and_nothing_of_the_probes(person: Person, scripted: Any) -> None:
    """Neither gold nor evidence nor a probe's id reaches the model while a memory is built."""
    llm = scripted(*["ok"] * 8)
    build(Diary(), person, llm)
    for hidden in ("on Saturday\n", "never came up", "update-01", "abstain", "for a living"):
        assert hidden not in llm.sent
    assert llm.sent.splitlines() == [str(turn) for turn in person.turns]


def test_what_does_not_fill_the_threshold_stays_pending(person: Person, scripted: Any) -> None:
    """Under TokenThreshold the rest is not written before the probes; it waits, and is handed on."""
    nothing = build(diary(TokenThreshold(10_000)), person, scripted())
    assert (nothing.state, nothing.written, nothing.pending) == ([], 0, person.turns)
    some = build(diary(TokenThreshold(60)), person, scripted("a", "b", "c", "d"))
    assert 0 < some.written <= 8
    assert some.pending == person.turns[some.written :]


def test_checkpoints_follow_each_batch(person: Person, scripted: Any) -> None:
    """After every write the memory so far is handed out, the last one being the memory itself."""
    seen: list[tuple[int, int, int]] = []
    memory = build(
        diary(EveryTurns(3)),
        person,
        scripted("a", "b", "c"),
        checkpoint=lambda m: seen.append((m.written, m.batches, len(m.state))),
    )
    assert seen == [(3, 1, 1), (6, 2, 2), (8, 3, 3)]
    assert (memory.written, memory.batches) == (8, 3)


@pytest.mark.parametrize("done", [1, 2])
def test_a_build_goes_on_from_its_checkpoint_and_asks_for_the_rest_alone(
    person: Person, scripted: Any, done: int
) -> None:
    """After a failure the batches that were written are not paid for again, and the result is the same."""
    replies = ["one", "two", "three"]
    kept: list[Memory] = []
    broken = scripted(*replies[:done], CallFailed("402"))
    with pytest.raises(CallFailed, match="402"):
        build(diary(EveryDay()), person, broken, checkpoint=kept.append)
    assert kept[-1].batches == done
    rest = scripted(*replies[done:])
    memory = build(diary(EveryDay()), person, rest, done=kept[-1])
    assert memory == build(diary(EveryDay()), person, scripted(*replies))
    assert rest.replies == []


def test_a_batch_whose_call_failed_is_not_marked_as_written(person: Person, scripted: Any) -> None:
    """The first call fails: there is no checkpoint, though the design changed its state before."""
    kept: list[Memory] = []
    with pytest.raises(CallFailed):
        build(Diary(), person, scripted(CallFailed("timeout")), checkpoint=kept.append)
    assert kept == []


def test_a_finished_memory_is_not_built_again(person: Person, scripted: Any) -> None:
    """Going on from the end makes no call."""
    memory = build(diary(EveryDay()), person, scripted("a", "b", "c"))
    assert build(diary(EveryDay()), person, scripted(), done=memory) == memory


def test_two_people_do_not_share_a_memory(person: Person, scripted: Any) -> None:
    """One design builds two memories; the second starts from nothing."""
    design = diary(EveryDay())
    build(design, person, scripted("a", "b", "c"))
    other = dataclasses.replace(person, id="tom", turns=person.turns[:2])
    assert build(design, other, scripted("x")).state == [["tom", "2026-08-03T09:01:00", 2, "x"]]


@dataclass(frozen=True)
class Reader(Design[Any]):
    """Recalls as it is told."""

    how: Any = None

    def recall(self, state: Any, question: str, llm: LLM) -> list[Snippet]:
        """Do what the test wants."""
        made: list[Snippet] = self.how(state)
        return made


def test_recall_hands_on_the_snippets(scripted: Any) -> None:
    """A recall that only reads is given back as it is; no snippet at all is fine."""
    memory = Memory({"a": 1}, 2, 1, ())
    assert recall(Reader(lambda state: [Snippet(str(state["a"]), (1,))]), memory, "?", scripted()) == [
        Snippet("1", (1,))
    ]
    assert recall(Reader(lambda _: []), memory, "?", scripted()) == []


@pytest.mark.parametrize("change", ["state.update(b=2)", "state['a'].append(3)", "state.clear()"])
def test_recall_that_writes_is_refused(scripted: Any, change: str) -> None:
    """A state that is another one after reading is the design's error, however deep the change."""

    def how(state: Any) -> list[Snippet]:
        exec(change, {"state": state})
        return []

    with pytest.raises(DesignError, match=r"Reader\.recall\(\) changed the state"):
        recall(Reader(how), Memory({"a": [1]}, 1, 1, ()), "?", scripted())


@pytest.mark.parametrize("value", [None, "text", ["text"], (Snippet("a"),), [Snippet("a"), "b"]])
def test_recall_has_to_return_a_list_of_snippets(scripted: Any, value: Any) -> None:
    """Anything else is named, and what is wanted."""
    with pytest.raises(DesignError, match=r"Reader\.recall\(\) returned .*; a list of Snippet is wanted"):
        recall(Reader(lambda _: value), Memory({}, 0, 0, ()), "?", scripted())


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(2**53), 2**53), st.floats(allow_nan=False), st.text(max_size=5)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(JSON.filter(lambda value: "inf" not in repr(value)))
def test_plain_data_comes_back_as_it_is(state: Any) -> None:
    """Whatever JSON can hold is a state, and its copy is equal and apart."""
    again = plain(Diary(), state)
    assert again == state
    assert digest(again) == digest(state)
    if isinstance(state, list | dict):
        assert again is not state


@pytest.mark.parametrize("state", [(1, 2), {"a": (1,)}, float("nan"), [float("inf")], Snippet("x")])
def test_a_state_that_json_changes_is_refused(state: Any) -> None:
    """Tuples, NaN and dataclasses come back as something else, so a replay would not be the same."""
    with pytest.raises(DesignError, match="Diary: its state changes through JSON"):
        plain(Diary(), state)


@pytest.mark.parametrize("state", [{1, 2}, {1: "a"}, b"bytes", object(), {"a": {3}}, "\ud800", 2**70])
def test_a_state_that_json_cannot_hold_is_refused(state: Any) -> None:
    """Sets, numbers as keys, bytes and objects are named as what they are."""
    with pytest.raises(DesignError, match=r"Diary: its state is not plain data \(.*\); use dict, list, str, numbers"):
        plain(Diary(), state)


def test_a_bad_state_is_refused_where_it_arises(person: Person, scripted: Any) -> None:
    """Both the first state and one that ingest returns are checked."""
    with pytest.raises(DesignError, match="changes through JSON"):
        build(changed(start=lambda _: (1,)), person, scripted())
    with pytest.raises(DesignError, match="not plain data"):
        build(changed(ingest=lambda *_: {1}), person, scripted())


def test_the_digest_is_of_the_content() -> None:
    """The order of keys does not matter; that of a list does."""
    assert digest({"a": 1, "b": [1, 2]}) == digest({"b": [1, 2], "a": 1})
    assert digest({"a": 1, "b": [2, 1]}) != digest({"a": 1, "b": [1, 2]})


@pytest.mark.parametrize("state", [None, "", [], {}])
def test_an_empty_memory_has_no_tokens(state: Any) -> None:
    """Nothing remembered is of size 0."""
    assert Memory(state, 0, 0, ()).tokens() == 0


def test_the_size_of_a_memory_is_that_of_its_text_or_its_json() -> None:
    """A text counts as itself ("hello world" is 2 tokens of o200k_base); other states by their JSON."""
    assert Memory("hello world", 1, 1, ()).tokens() == 2
    assert Memory(["hello world"], 1, 1, ()).tokens() > 2
    assert Memory(0, 1, 1, ()).tokens() == 1
