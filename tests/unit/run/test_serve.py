"""Serving a conversation: what is asked in a turn, in which order, and what stands in each prompt."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_membench import LLM, Batch, Design, EveryDay, EveryTurn, EveryTurns, Reply, Snippet, Turn, Usage, tokens
from pytest_membench.data import Stage
from pytest_membench.errors import CallFailed, DesignError
from pytest_membench.run.build import batches
from pytest_membench.run.cost import SYSTEM, serve
from pytest_membench.schedule import Schedule


@dataclass
class Log:
    """Keeps what each stage asked, in order, and what happened beside."""

    events: list[str] = field(default_factory=list)
    prompts: dict[str, list[str]] = field(default_factory=dict)
    formats: list[Mapping[str, Any] | None] = field(default_factory=list)
    text: str = "Fine."
    finish: str = "stop"

    about: list[tuple[Stage, tuple[int, ...]]] = field(default_factory=list)

    def at(self, stage: Stage, new: Sequence[Turn]) -> LLM:
        """The model as a stage sees it, which is about some turns."""
        self.about.append((stage, tuple(turn.i for turn in new)))
        return _Stage(self, stage)

    def after(self, t: int) -> None:
        """Note that turn t is paid for."""
        self.events.append(f"paid {t}")


@dataclass
class _Stage:
    log: Log
    stage: Stage

    def chat(self, messages: Sequence[Mapping[str, str]], *, response_format: Mapping[str, Any] | None = None) -> Reply:
        self.log.events.append(self.stage)
        self.log.prompts.setdefault(self.stage, []).append("\n".join(m["content"] for m in messages))
        self.log.formats.append(response_format)
        return Reply(self.log.text, Usage(), finish_reason=self.log.finish)

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        raise AssertionError(texts)


def say(text: str) -> list[dict[str, str]]:
    """One message of the person's."""
    return [{"role": "user", "content": text}]


@dataclass(frozen=True)
class Lines(Design[list[str]]):
    """Keeps each turn's line and asks the model wherever it may."""

    schedule: ClassVar[Schedule] = EveryTurn()
    recent = 0

    def start(self) -> list[str]:
        return []

    def ingest(self, state: list[str], batch: Batch, llm: LLM) -> list[str]:
        llm.chat(say(f"WRITE {batch}"))
        return [*state, *(f"noted {turn.text}" for turn in batch)]

    def recall(self, state: list[str], question: str, llm: LLM) -> list[Snippet]:
        llm.chat(say(f"READ {question}"))
        return [Snippet(line) for line in state]


@dataclass(frozen=True)
class ByThree(Lines):
    """Writes three turns at a time."""

    schedule = EveryTurns(3)


@dataclass(frozen=True)
class Showing(ByThree):
    """Shows what waits to be written."""

    show_pending = True


@dataclass(frozen=True)
class Recent(ByThree):
    """Shows the two newest turns too, as well as what waits."""

    recent = 2
    show_pending = True


@dataclass(frozen=True)
class ByDay(Lines):
    """Writes a day's turns when the next day begins."""

    schedule = EveryDay()


def talk(n: int, per_day: int = 4) -> tuple[Turn, ...]:
    """A conversation of n undated turns, each with a text of its own."""
    names = {"u": "Nora", "a": "Assistant"}
    return tuple(
        Turn(i, 1 + i // per_day, "09:00", "ua"[i % 2], f"text<{i}>", names["ua"[i % 2]], dated=False) for i in range(n)
    )


def served(design: Design[Any], turns: Sequence[Turn]) -> Log:
    """Serve the turns and return what was asked."""
    log = Log()
    serve(design, turns, log.at, log.after)
    return log


def shown(prompt: str, n: int) -> list[int]:
    """How often each turn's text stands in a prompt."""
    return [prompt.count(f"text<{i}>") for i in range(n)]


def test_a_turn_is_read_answered_and_only_then_written() -> None:
    """Retrieval comes first, then the answer, then the gate; the turn is paid for when all is done."""
    one = ["retrieval", "answer", "ingest"]
    assert served(Lines(), talk(2)).events == [*one, "paid 0", *one, "paid 1"]


def test_an_answer_sees_the_turns_before_and_the_message_once() -> None:
    """At turn t the memory holds turns 0 to t-1, and turn t is the message alone."""
    log = served(Lines(), talk(4))
    assert [shown(prompt, 4) for prompt in log.prompts["answer"]] == [
        [1, 0, 0, 0],
        [1, 1, 0, 0],
        [1, 1, 1, 0],
        [1, 1, 1, 1],
    ]
    assert log.prompts["answer"][3].endswith("# Message from Assistant\ntext<3>")
    assert log.prompts["retrieval"] == [f"READ text<{t}>" for t in range(4)]


def test_the_schedule_is_honoured_and_what_waits_is_never_flushed() -> None:
    """Writes come after turns 2 and 5; turns 6 and 7 are offered, but never written."""
    log = served(ByThree(), talk(8))
    assert log.prompts["ingest"] == [
        "WRITE Nora: text<0>\nAssistant: text<1>\nNora: text<2>",
        "WRITE Assistant: text<3>\nNora: text<4>\nAssistant: text<5>",
    ]
    assert log.events[-3:] == ["retrieval", "answer", "paid 7"]


def test_a_schedule_may_leave_newer_turns_waiting() -> None:
    """A day is written once the next one begins, without that one's first turn."""
    log = served(ByDay(), talk(5, per_day=2))
    assert log.prompts["ingest"] == [
        "WRITE Nora: text<0>\nAssistant: text<1>",
        "WRITE Nora: text<2>\nAssistant: text<3>",
    ]


def test_what_waits_is_hidden_unless_the_design_shows_it() -> None:
    """Without show_pending, turns that were not written yet are not before the model."""
    assert shown(served(ByThree(), talk(3)).prompts["answer"][2], 3) == [0, 0, 1]
    assert shown(served(Showing(), talk(3)).prompts["answer"][2], 3) == [1, 1, 1]


def test_what_was_written_no_longer_waits() -> None:
    """After a write the turns stand in the memory, not among those that wait as well."""
    prompt = served(Showing(), talk(5)).prompts["answer"][4]
    assert shown(prompt, 5) == [1, 1, 1, 1, 1]
    assert "noted text<2>\nAssistant: text<3>" in prompt


def test_recent_turns_stand_once_beside_the_memory() -> None:
    """The newest turns come under their own heading, without the message and without a second copy among those that wait."""
    log = served(Recent(), talk(3))
    assert "# Recent messages" not in log.prompts["answer"][0]
    assert shown(log.prompts["answer"][1], 3) == [1, 1, 0]
    memory, recent = log.prompts["answer"][2].split("# Recent messages")
    assert shown(memory, 3) == [0, 0, 0]
    assert recent == "\nNora: text<0>\nAssistant: text<1>\n\n# Message from Nora\ntext<2>"


def test_no_recent_turns_means_none() -> None:
    """`recent = 0` shows no turn; a slice of minus nothing would show all."""
    prompts = served(ByThree(), talk(3)).prompts["answer"]
    assert all("# Recent messages" not in prompt for prompt in prompts)


def test_the_prompt_is_short_and_offers_no_tools() -> None:
    """About 60 tokens of instructions, no JSON protocol, though every design has search_chat by default."""
    log = served(Lines(), talk(2))
    assert 40 <= tokens.count(SYSTEM) <= 80
    assert log.formats == [None] * 6
    assert not any("search_chat" in prompt or "JSON" in prompt for prompt in log.prompts["answer"])
    assert all(prompt.startswith(SYSTEM) for prompt in log.prompts["answer"])


def test_the_reply_is_thrown_away() -> None:
    """What the model says is in no later prompt: the conversation goes on as written."""
    log = Log(text="parrot")
    serve(Lines(), talk(5), log.at)
    assert all("parrot" not in prompt for prompts in log.prompts.values() for prompt in prompts)


def test_turns_are_not_dated() -> None:
    """A date on every line would cost as much as a short turn."""
    assert all("2026" not in prompt for prompt in served(Recent(), talk(6)).prompts["answer"])


@pytest.mark.parametrize(("text", "finish", "said"), [(" ", "stop", "empty"), ("Well", "length", "cut off")])
def test_a_reply_that_is_not_whole_ends_the_conversation(text: str, finish: str, said: str) -> None:
    """An empty or cut reply costs less than a whole one: its turn must not be counted."""
    log = Log(text=text, finish=finish)
    with pytest.raises(CallFailed, match=said):
        serve(Lines(), talk(3), log.at, log.after)
    assert log.events == ["retrieval", "answer"]


@dataclass(frozen=True)
class Tuples(Lines):
    """Its state is no plain data from the second write on."""

    def ingest(self, state: Any, batch: Batch, llm: LLM) -> Any:
        return (*state, "x") if state else ["x"]


@dataclass(frozen=True)
class Greedy(Lines):
    """Writes while it reads."""

    def recall(self, state: list[str], question: str, llm: LLM) -> list[Snippet]:
        state.append(question)
        return []


@pytest.mark.parametrize(("design", "paid"), [(Tuples(), 1), (Greedy(), 0)])
def test_a_design_is_held_to_its_contract(design: Design[Any], paid: int) -> None:
    """A state that is no plain data, or a reading that writes, ends the conversation with the turns paid so far."""
    log = Log()
    with pytest.raises(DesignError):
        serve(design, talk(3), log.at, log.after)
    assert [event for event in log.events if event.startswith("paid")] == [f"paid {t}" for t in range(paid)]


def test_nothing_is_served_of_nothing() -> None:
    """No turns, no calls."""
    assert served(Lines(), ()).events == []


@given(st.integers(0, 20), st.integers(1, 6), st.sampled_from([Lines, ByThree, ByDay]))
def test_writes_are_the_batches_that_a_build_makes(n: int, per_day: int, design: type[Lines]) -> None:
    """Turn by turn, the gate opens where it opens for a whole chat; only the last flush is missing."""
    turns = talk(n, per_day)
    built = [f"WRITE {Batch('dialogue', batch)}" for batch in batches(turns, design.schedule)]
    written = served(design(), turns).prompts.get("ingest", [])
    assert written == built[: len(written)]
    assert len(built) - len(written) <= 1


def test_each_stage_is_told_which_turns_it_is_about() -> None:
    """Reading and answering are about the message, a write about its batch."""
    log = served(Lines(), talk(2))
    message = [("retrieval", (0,)), ("answer", (0,)), ("ingest", (0,))]
    assert log.about == [*message, ("retrieval", (1,)), ("answer", (1,)), ("ingest", (1,))]
