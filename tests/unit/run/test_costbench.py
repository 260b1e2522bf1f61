"""A conversation with its ledger, cassette and file: measured, cut short, or not run; and who wrote the dialogue."""

import json
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import httpx2
import pytest

from pytest_membench import LLM, Batch, Design, EveryTurns, Snippet, Suite
from pytest_membench.data import Cell, Record, Setting
from pytest_membench.errors import CallFailed, NotRecorded
from pytest_membench.llm.client import Endpoint, Model
from pytest_membench.prices import Price
from pytest_membench.run.bench import Bench, Result
from pytest_membench.run.cells import CostCase
from pytest_membench.run.costbench import CostBench
from pytest_membench.run.find import Found
from pytest_membench.store import Results, read_json, read_lines

N = 6
DETAILS = {
    "prompt_tokens_details": {"cached_tokens": 3, "cache_write_tokens": 0},
    "completion_tokens_details": {"reasoning_tokens": 1},
}


@dataclass
class Server:
    """An endpoint that bills 10 tokens in and 4 out a chat, and refuses the n-th request with a status.

    From request `blind` on it reports no usage.
    """

    refuse: dict[int, int] = field(default_factory=dict)
    blind: int | None = None
    asked: Counter[str] = field(default_factory=Counter)
    bodies: list[dict[str, Any]] = field(default_factory=list)

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        """Answer, or refuse."""
        body = json.loads(request.content)
        self.bodies.append(body)
        count = len(self.bodies)
        if status := self.refuse.get(count):
            return httpx2.Response(status, json={"error": {"message": f"refused with {status}"}})
        if "input" in body:
            self.asked["embed"] += 1
            usage: dict[str, Any] = {"prompt_tokens": 7}
            return httpx2.Response(200, json={"data": [{"embedding": [1.0]} for _ in body["input"]], "usage": usage})
        self.asked["chat"] += 1
        usage = {"prompt_tokens": 10, "completion_tokens": 4, **DETAILS}
        known = self.blind is None or count < self.blind
        return httpx2.Response(200, json={"choices": [choice(self.say(body))]} | ({"usage": usage} if known else {}))

    def say(self, body: dict[str, Any]) -> str:
        """Return the reply to a chat: as many turns as a dialogue asks for, else a sentence."""
        if "You write one long" in body["messages"][0]["content"]:
            return json.dumps({"turns": [f"Written turn {len(self.bodies)}-{i} about a kayak." for i in range(20)]})
        return "Well."

    def model(self, name: str = "m", price: Price | None = None) -> Model:
        """A model at this endpoint."""
        transport = httpx2.MockTransport(self)
        endpoint = Endpoint(
            "http://model.invalid/v1", "key-0123", trust_env=False, transport=transport, sleep=lambda _: None
        )
        return Model(endpoint, Setting(name), price=price)


def choice(text: str) -> dict[str, Any]:
    """A reply as endpoints give it."""
    return {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}


@dataclass(frozen=True)
class Notes(Design[list[str]]):
    """Asks for a vector at every reading, and for a note on every two turns."""

    schedule: ClassVar[EveryTurns] = EveryTurns(2)
    recent = 1

    def start(self) -> list[str]:
        return []

    def ingest(self, state: list[str], batch: Batch, llm: LLM) -> list[str]:
        return [*state, llm.chat([{"role": "user", "content": f"WRITE {batch}"}]).text]

    def recall(self, state: list[str], question: str, llm: LLM) -> list[Snippet]:
        llm.embed([question])
        return [Snippet(text) for text in state]


@dataclass(frozen=True)
class Plain(Notes):
    """Asks nothing: the answer is its one call."""

    def ingest(self, state: list[str], batch: Batch, llm: LLM) -> list[str]:
        return [*state, *map(str, batch)]

    def recall(self, state: list[str], question: str, llm: LLM) -> list[Snippet]:
        return [Snippet(text) for text in state]


@dataclass(frozen=True)
class Swallowing(Notes):
    """Hides a failed write and goes on."""

    def ingest(self, state: list[str], batch: Batch, llm: LLM) -> list[str]:
        with suppress(CallFailed):
            return super().ingest(state, batch, llm)
        return state


@dataclass(frozen=True)
class Broken(Notes):
    """Fails when it writes for the second time."""

    def ingest(self, state: list[str], batch: Batch, llm: LLM) -> list[str]:
        if state:
            raise KeyError("gone")
        return super().ingest(state, batch, llm)


@dataclass
class Place:
    """Where a test's benches keep their files."""

    root: Path

    def bench(
        self,
        model: Model,
        record: Record = "new",
        out: str = "out",
        generator: Model | None = None,
        dialogues: str = "dialogues",
    ) -> CostBench:
        """A bench of one session."""
        bench = Bench(
            Suite("tiny", ()), Results(self.root / out), self.root / "cassettes", record, model, model, session=out
        )
        return CostBench(bench, self.root / dialogues, generator)

    def file(self, design: str = "notes", out: str = "out") -> Any:
        """What each turn of the conversation billed."""
        return read_json(Results(self.root / out).cost("m", design, f"{N}x25", "s1"))


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """An empty place."""
    return Place(tmp_path)


def case(design: Design[Any] | None = None, name: str = "notes", seed: int = 1) -> CostCase:
    """A short conversation."""
    return CostCase(Found(name, design or Notes(), None, f"digest of {name}"), Cell(N, 25), seed)


def same(result: Result) -> dict[str, Any]:
    """A row without what differs between a live run and its replay."""
    return {name: value for name, value in result.row.items() if name not in ("seconds", "calls", "session")}


def messages(server: Server) -> list[str]:
    """The messages that the answering model was sent, without the memory."""
    prompts = [body["messages"][-1]["content"] for body in server.bodies if "messages" in body]
    return [prompt.split("# Message from ")[1] for prompt in prompts if "# Message from " in prompt]


# --- a conversation that is served whole ---------------------------------------------------------


def test_a_row_says_what_was_measured(place: Place) -> None:
    """Every turn is paid for: six answers, three notes, six vectors, each under its stage."""
    server = Server()
    result = place.bench(server.model(price=Price("m", None, 1.0, 2.0))).run(case())
    row = result.row
    assert result.error is None
    assert (row["outcome"], row["measured"], row["score"], row["cause"], row["message"]) == (
        "measured",
        N,
        None,
        None,
        None,
    )
    assert (row["turns"], row["length"], row["seed"]) == (N, 25, 1)
    assert {stage: usage["input"] for stage, usage in row["tokens"].items()} == {
        "ingest": 30,
        "retrieval": 0,
        "answer": 60,
    }
    assert row["usd"]["answer"] == pytest.approx(N * (10 * 1.0 + 4 * 2.0) / 1e6)
    assert row["embedded"] == {"ingest": 0, "retrieval": 42, "answer": 0}
    assert row["calls"] == {"live": 15, "replayed": 0, "failed": 0}
    assert read_json(Results(place.root / "out").row("m", "notes", f"{N}x25", "s1", 1)) == row


def test_the_file_has_tokens_by_stage_and_turn(place: Place) -> None:
    """Input, cached, output and reasoning of each stage of each turn; embeddings stand apart from them."""
    place.bench(Server().model()).run(case())
    turns = place.file()["turns"]
    assert len(turns) == N
    call = {"input": 10, "cached": 3, "cache_write": 0, "output": 4, "reasoning": 1}
    for t, turn in enumerate(turns):
        assert turn["tokens"]["answer"] == call
        assert turn["tokens"]["ingest"] == (call if t % 2 else dict.fromkeys(call, 0))
        assert turn["tokens"]["retrieval"] == dict.fromkeys(call, 0)
        assert turn["embedded"] == {"ingest": 0, "retrieval": 7, "answer": 0}
    assert place.file()["design"] == "digest of notes"


def test_turns_add_up_to_the_row(place: Place) -> None:
    """No call is lost between two turns and none counts twice."""
    row = place.bench(Server().model(price=Price("m", None, 1.0, 2.0))).run(case()).row
    turns = place.file()["turns"]
    for stage in ("ingest", "retrieval", "answer"):
        for name, total in row["tokens"][stage].items():
            assert sum(turn["tokens"][stage][name] for turn in turns) == total
        assert sum(turn["embedded"][stage] for turn in turns) == row["embedded"][stage]
    assert sum(turn["usd"]["answer"] for turn in turns) == pytest.approx(row["usd"]["answer"])


def test_unknown_stays_unknown(place: Place) -> None:
    """Where the endpoint reports no usage, tokens and money of that turn and of the row are null, never 0."""
    row = place.bench(Server(blind=4).model(price=Price("m", None, 1.0, 2.0))).run(case(Plain())).row
    turns = place.file()["turns"]
    assert row["outcome"] == "measured"
    assert [turn["tokens"]["answer"]["input"] for turn in turns] == [10, 10, 10, None, None, None]
    assert [turn["usd"]["answer"] is None for turn in turns] == [False] * 3 + [True] * 3
    assert row["tokens"]["answer"]["input"] is None
    assert row["usd"]["answer"] is None
    assert row["tokens"]["ingest"]["input"] == 0  # no call was made: that is known


def test_without_a_price_there_is_no_money(place: Place) -> None:
    """Tokens are known, USD is null."""
    row = place.bench(Server().model()).run(case(Plain())).row
    assert row["usd"]["answer"] is None
    assert row["tokens"]["answer"]["input"] == 60


def test_every_call_is_in_the_ledger(place: Place) -> None:
    """A line for each call, with the item's id and its stage."""
    place.bench(Server().model()).run(case())
    lines = read_lines(place.root / "out" / "spend.jsonl")
    assert {line["item"] for line in lines} == {f"notes-N{N}-L25-s1"}
    assert Counter(line["stage"] for line in lines) == {"retrieval": N, "answer": N, "ingest": N // 2}


# --- replay --------------------------------------------------------------------------------------


def test_strict_replay_gives_the_same_row_and_turns(place: Place) -> None:
    """Nothing is asked; only what counts calls and times differs."""
    live = place.bench(Server().model()).run(case())
    silent = Server()
    replayed = place.bench(silent.model(), "none", "again").run(case())
    assert silent.bodies == []
    assert same(replayed) == same(live)
    assert replayed.row["calls"] == {"live": 0, "replayed": 15, "failed": 0}
    assert place.file(out="again")["turns"] == place.file()["turns"]


def test_what_no_cassette_holds_is_not_run(place: Place) -> None:
    """The error names the command that records it, and no turn is made up."""
    result = place.bench(Server().model(), "none").run(case(), rerun="pytest this")
    assert isinstance(result.error, NotRecorded)
    assert (result.row["outcome"], result.row["cause"], result.row["measured"]) == ("not_run", "not_recorded", 0)
    assert "pytest this" in result.row["message"]
    assert not Results(place.root / "out").cost("m", "notes", f"{N}x25", "s1").exists()


def test_recordings_that_are_no_longer_asked_for_are_counted(place: Place) -> None:
    """A design that stops to write leaves its notes' recordings over, by their places in the cassette."""
    place.bench(Server().model()).run(case())
    row = place.bench(Server().model(), out="again").run(case(Plain())).row
    cassette = read_json(place.root / "cassettes" / row["cassette"])
    asked = [cassette["interactions"][n]["request"]["path"] for n in row["unused"]]
    assert asked.count("/v1/embeddings") == N


# --- a conversation that ends early --------------------------------------------------------------


@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_refused_prompt_cuts_the_conversation_short(place: Place, status: int) -> None:
    """A full context is no outage: the turns before count, the row says what was refused, the item passes."""
    result = place.bench(Server(refuse={4: status}).model()).run(case(Plain()))
    assert result.error is None
    row = result.row
    assert (row["outcome"], row["cause"], row["measured"], row["turns"]) == ("cut_short", "call_failed", 3, N)
    assert f"refused with {status}" in row["message"]
    assert len(place.file()["turns"]) == 3


def test_a_cut_conversation_replays_as_one(place: Place) -> None:
    """The refusal is in the cassette: strict replay ends at the same turn."""
    live = place.bench(Server(refuse={4: 400}).model()).run(case(Plain()))
    replayed = place.bench(Server().model(), "none", "again").run(case(Plain()))
    assert replayed.error is None
    assert same(replayed) == same(live)


def test_a_first_turn_that_is_refused_is_not_run(place: Place) -> None:
    """Without one measured turn there is nothing to use."""
    result = place.bench(Server(refuse={1: 400}).model()).run(case(Plain()))
    assert result.error is not None
    assert (result.row["outcome"], result.row["measured"]) == ("not_run", 0)


@pytest.mark.parametrize("status", [401, 402, 403, 408, 409, 429, 500, 503])
def test_an_outage_is_not_run(place: Place, status: int) -> None:
    """Accounts, rate limits, time-outs and servers say nothing about the conversation's length."""
    result = place.bench(Server(refuse=dict.fromkeys(range(4, 20), status)).model()).run(case(Plain()))
    assert isinstance(result.error, CallFailed)
    assert (result.row["outcome"], result.row["cause"], result.row["measured"]) == ("not_run", "call_failed", 3)
    assert str(status) in result.row["message"]


def test_a_retry_that_succeeds_leaves_no_trace_in_the_tokens(place: Place) -> None:
    """A failed attempt bills nothing and makes nothing unknown; it is counted as failed."""
    row = place.bench(Server(refuse={2: 503}).model()).run(case(Plain())).row
    assert (row["outcome"], row["calls"]["failed"]) == ("measured", 1)
    assert [turn["tokens"]["answer"]["input"] for turn in place.file()["turns"]] == [10] * N


def test_an_error_of_the_design_is_not_run(place: Place) -> None:
    """It keeps its exception, for the traceback, and an error without words still says something."""
    result = place.bench(Server().model()).run(case(Broken()))
    assert isinstance(result.error, KeyError)
    assert (result.row["outcome"], result.row["cause"], result.row["measured"]) == ("not_run", "design_error", 3)
    assert "gone" in result.row["message"]


@pytest.mark.parametrize(("status", "outcome"), [(400, "cut_short"), (402, "not_run")])
def test_a_swallowed_failure_ends_the_measurement(place: Place, status: int, outcome: str) -> None:
    """A design that hides a failed write goes on cheaper than it is: no turn from there on counts."""
    # The fifth request is the first write: vector and answer twice, then the note on both turns.
    server = Server(refuse={5: status})
    row = place.bench(server.model()).run(case(Swallowing())).row
    assert (row["outcome"], row["measured"]) == (outcome, 1)
    assert len(place.file()["turns"]) == 1
    assert len(server.bodies) == 5


# --- the dialogue --------------------------------------------------------------------------------


def test_every_design_is_served_the_same_dialogue(place: Place) -> None:
    """Two designs, one conversation, word for word; another seed is another one."""
    servers = [Server(), Server(), Server()]
    place.bench(servers[0].model()).run(case())
    place.bench(servers[1].model()).run(case(Plain(), "plain"))
    place.bench(servers[2].model()).run(case(seed=2))
    first, second, other = map(messages, servers)
    assert len(first) == N
    assert first == second
    assert first != other


def test_a_generator_writes_the_dialogue_once(place: Place) -> None:
    """One call for up to 20 turns, before the first turn; the second design finds it written."""
    writer, server = Server(), Server()
    bench = place.bench(server.model(), generator=writer.model("writer"))
    row = bench.run(case()).row
    bench.run(case(Plain(), "plain"))
    assert len(writer.bodies) == 1
    texts = messages(server)
    assert all(f"Written turn 1-{t} about a kayak." in texts[t] for t in range(N))
    assert texts[:N] == texts[N:]
    assert row["calls"]["live"] == 15  # writing the dialogue is no cost of the design


def test_a_generated_dialogue_has_its_own_cassette(place: Place) -> None:
    """Strict replay on another machine, without the cache, gives the same conversation and asks nobody."""
    live = place.bench(Server().model(), generator=Server().model("writer")).run(case())
    assert (place.root / "cassettes" / "writer" / "dialogues" / f"{N}x25-s1.json").exists()
    silent = [Server(), Server()]
    bench = place.bench(silent[0].model(), "none", "again", silent[1].model("writer"), dialogues="elsewhere")
    assert same(bench.run(case())) == same(live)
    assert [server.bodies for server in silent] == [[], []]


def test_writing_the_dialogue_is_in_the_ledger_under_its_own_name(place: Place) -> None:
    """What it spends is known, and no item's."""
    place.bench(Server().model(), generator=Server().model("writer")).run(case())
    lines = [line for line in read_lines(place.root / "out" / "spend.jsonl") if line["stage"] == "generate"]
    assert [(line["item"], line["model"]) for line in lines] == [(f"dialogue-{N}x25-s1", "writer")]


@pytest.mark.parametrize("status", [400, 402])
def test_a_dialogue_that_cannot_be_written_is_not_run(place: Place, status: int) -> None:
    """Without a conversation there is nothing to serve, whatever the refusal."""
    server = Server()
    bench = place.bench(server.model(), generator=Server(refuse={1: status}).model("writer"))
    result = bench.run(case())
    assert isinstance(result.error, CallFailed)
    assert (result.row["outcome"], result.row["measured"]) == ("not_run", 0)
    assert server.bodies == []
