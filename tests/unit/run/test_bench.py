"""One probe from memory to verdict: built once, resumed, replayed, and honest about what failed."""

import json
import multiprocessing
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Literal

import httpx2
import pytest

from pytest_membench import LLM, Batch, Design, EveryTurns, Person, Snippet, Suite, TokenThreshold
from pytest_membench.data import Record, Setting
from pytest_membench.errors import BuildFailed, CallFailed, NotJudged, NotRecorded, StoreError
from pytest_membench.llm.client import Endpoint, Model
from pytest_membench.prices import Price
from pytest_membench.run.bench import Bench, Result
from pytest_membench.run.cases import Case
from pytest_membench.run.find import Found
from pytest_membench.schedule import Schedule
from pytest_membench.store import Results, read_lines

ANSWER = '{"answer": "It was moved to Saturday."}'
CORRECT = '{"reason": "r", "label": "correct"}'
WRONG = '{"reason": "r", "label": "wrong"}'
USAGE = {
    "prompt_tokens": 10,
    "completion_tokens": 2,
    "prompt_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
    "completion_tokens_details": {"reasoning_tokens": 0},
}
Asked = Literal["write", "read", "answer", "judge", "embed"]


class Backend:
    """An endpoint that answers by stage, `judge` by turns, and counts what it was asked.

    `refused` holds the (stage, n) whose n-th request is answered 402.
    """

    def __init__(self, answer: str = ANSWER, judge: tuple[str, ...] = (CORRECT,)) -> None:
        self.answer, self.judge = answer, judge
        self.asked: Counter[Asked] = Counter()
        self.refused: set[tuple[Asked, int]] = set()
        transport = httpx2.MockTransport(self)
        self.endpoint = Endpoint("http://model.invalid/v1", "key-0123", trust_env=False, transport=transport)

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        """Answer a request, or refuse it."""
        body = json.loads(request.content)
        stage = _stage(body)
        self.asked[stage] += 1
        if (stage, self.asked[stage]) in self.refused:
            return httpx2.Response(402, json={"error": {"message": "no credit"}})
        if stage == "embed":
            return httpx2.Response(200, json={"data": [{"embedding": [1.0]}], "usage": {"prompt_tokens": 7}})
        n = self.asked[stage]
        text = {"answer": self.answer, "judge": self.judge[(n - 1) % len(self.judge)]}.get(stage, f"note {n}")
        choice = {"message": {"content": text}, "finish_reason": "stop"}
        return httpx2.Response(200, json={"choices": [choice], "usage": USAGE, "provider": "Stub"})


def _stage(body: dict[str, Any]) -> Asked:
    if "input" in body:
        return "embed"
    first: str = body["messages"][0]["content"]
    openings: dict[str, Asked] = {"WRITE": "write", "READ": "read", "You grade": "judge"}
    return next((stage for opening, stage in openings.items() if first.startswith(opening)), "answer")


def say(text: str) -> list[dict[str, str]]:
    """One message of the person's."""
    return [{"role": "user", "content": text}]


@dataclass(frozen=True)
class Notes(Design[list[str]]):
    """A note for every three turns."""

    schedule: ClassVar[Schedule] = EveryTurns(3)
    recent = 0

    def start(self) -> list[str]:
        """Return no notes."""
        return []

    def ingest(self, state: list[str], batch: Batch, llm: LLM) -> list[str]:
        """Add the model's note on the batch."""
        return [*state, llm.chat(say(f"WRITE\n{batch}")).text]

    def recall(self, state: list[str], question: str, llm: LLM) -> list[Snippet]:
        """Show all notes."""
        return [Snippet(note) for note in state]


@dataclass(frozen=True)
class Turns(Notes):
    """Turns 1 and 5, which say where they came from."""

    def recall(self, state: list[str], question: str, llm: LLM) -> list[Snippet]:
        """Show two snippets with their turns."""
        return [Snippet("one", (1,)), Snippet("five", (5,))]


@dataclass(frozen=True)
class Reading(Notes):
    """Asks the model, and for vectors, when it recalls."""

    def recall(self, state: list[str], question: str, llm: LLM) -> list[Snippet]:
        """Show what the model says of the question."""
        llm.embed([question])
        return [Snippet(llm.chat(say(f"READ\n{question}")).text)]


@dataclass(frozen=True)
class Swallowing(Notes):
    """Hides failed calls, where it writes as where it reads."""

    def ingest(self, state: list[str], batch: Batch, llm: LLM) -> list[str]:
        """Go on without a note where the call fails."""
        with suppress(CallFailed):
            return super().ingest(state, batch, llm)
        return state

    def recall(self, state: list[str], question: str, llm: LLM) -> list[Snippet]:
        """Go on without a snippet where the call fails."""
        with suppress(CallFailed):
            llm.chat(say("READ"))
        return []


@dataclass(frozen=True)
class Broken(Notes):
    """Fails in one of its methods, without a word in its error."""

    method: str = "recall"
    error: type[BaseException] = ZeroDivisionError

    def ingest(self, state: list[str], batch: Batch, llm: LLM) -> list[str]:
        """Fail in the third batch, if told to."""
        if self.method == "ingest" and len(state) == 2:
            raise self.error
        return super().ingest(state, batch, llm)

    def recall(self, state: list[str], question: str, llm: LLM) -> list[Snippet]:
        """Fail, if told to."""
        if self.method == "recall":
            raise self.error
        return super().recall(state, question, llm)


@dataclass
class Desk:
    """What a test works with: a bench for each session, and cases of Nora's."""

    root: Path
    person: Person

    def bench(self, backend: Backend, session: str = "s1", record: Record = "new", out: str = "out") -> Bench:
        """A bench of one session; equal `out` is an equal results folder."""
        model = Model(backend.endpoint, Setting("m"), price=Price("m", None, 1.0, 1.0))
        return Bench(
            suite=Suite("tiny", (self.person,)),
            results=Results(self.root / out),
            cassettes=self.root / "cassettes",
            record=record,
            model=model,
            judge=model,
            session=session,
        )

    def case(self, probe: int = 0, design: Design[Any] | None = None, repeat: int = 1) -> Case:
        """A case of the person's probe at this position."""
        found = Found("notes", design or Notes(), None, f"digest of {design}")
        return Case(found, self.person, self.person.probes[probe], repeat)

    def read(self, path: str, out: str = "out") -> Any:
        """A JSON file of the results folder."""
        return json.loads((self.root / out / path).read_text(encoding="utf-8"))

    def memory(self, out: str = "out") -> Any:
        """The snapshot of Nora's memory."""
        return self.read("m/mem/notes/nora.json", out)

    def cassettes(self) -> list[str]:
        """The names of the cassettes there are."""
        return sorted(path.name for path in (self.root / "cassettes" / "m" / "tiny" / "notes" / "nora").glob("*.json"))


@pytest.fixture
def desk(tmp_path: Path, person: Person) -> Desk:
    """A place for benches and cases."""
    return Desk(tmp_path, person)


def same(result: Result) -> dict[str, Any]:
    """A row without what differs between a live run and its replay."""
    return {name: value for name, value in result.row.items() if name not in ("seconds", "calls", "session")}


# --- a probe that works --------------------------------------------------------------------------


def test_a_probe_is_built_answered_and_judged(desk: Desk) -> None:
    """The row says what came of it, with tokens and money by stage; building is not the probe's."""
    backend = Backend()
    result = desk.bench(backend).probe(desk.case())
    assert result.error is None
    assert backend.asked == {"write": 3, "answer": 1, "judge": 1}
    row = result.row
    assert (row["outcome"], row["score"], row["cause"], row["message"]) == ("correct", 1.0, None, None)
    assert (row["plain"], row["searches"], row["matched"], row["overturned"]) == (False, 0, False, False)
    assert row["tokens"]["answer"] == {"input": 10, "cached": 0, "cache_write": 0, "output": 2, "reasoning": 0}
    assert row["tokens"]["retrieval"]["input"] == 0
    assert "ingest" not in row["tokens"]
    assert row["usd"]["answer"] == pytest.approx(12e-6)
    assert row["calls"] == {"live": 2, "replayed": 0, "failed": 0}
    assert row["providers"] == ["Stub"]


def test_a_row_is_plain_json_and_lies_in_the_results_folder(desk: Desk) -> None:
    """It travels on reports, and a worker that dies later has left it behind."""
    row = desk.bench(Backend()).probe(desk.case()).row
    assert json.loads(json.dumps(row)) == row
    assert desk.read("m/rows/notes/nora/update-01.json") == row


def test_answer_and_verdict_are_written(desk: Desk) -> None:
    """The published layout: ans/ and judge/ by design, person and probe; judge2/ where it looked twice."""
    desk.bench(Backend(judge=(WRONG, CORRECT))).probe(desk.case())
    given = desk.read("m/ans/notes/nora/update-01.json")
    assert (given["answer"], given["session"]) == ("It was moved to Saturday.", "s1")
    assert [snippet["text"] for snippet in given["snippets"]] == ["note 1", "note 2", "note 3"]
    assert desk.read("m/judge/notes/nora/update-01.json")["label"] == "wrong"
    assert desk.read("m/judge2/notes/nora/update-01.json")["label"] == "correct"


def test_the_second_look_counts(desk: Desk) -> None:
    """A verdict that the second look overturned is the second look's."""
    row = desk.bench(Backend(judge=(WRONG, CORRECT))).probe(desk.case()).row
    assert (row["outcome"], row["score"], row["overturned"]) == ("correct", 1.0, True)


def test_a_wrong_answer_is_a_result(desk: Desk) -> None:
    """Wrong is no error."""
    result = desk.bench(Backend(judge=(WRONG,))).probe(desk.case())
    assert (result.error, result.row["outcome"], result.row["score"]) == (None, "wrong", 0.0)


def test_a_second_look_of_before_does_not_stay(desk: Desk) -> None:
    """Asked anew and found correct at once, no old judge2 file contradicts it."""
    desk.bench(Backend(judge=(WRONG,))).probe(desk.case())
    desk.bench(Backend(), "s2", "all").probe(desk.case())
    assert desk.read("m/judge/notes/nora/update-01.json")["label"] == "correct"
    assert not (desk.root / "out/m/judge2/notes/nora/update-01.json").exists()


def test_gold_word_for_word_needs_no_judge(desk: Desk) -> None:
    """No call is paid for what a comparison of words decides."""
    backend = Backend(answer='{"answer": "On Saturday."}')
    row = desk.bench(backend).probe(desk.case()).row
    assert (row["outcome"], row["matched"], backend.asked["judge"]) == ("correct", True, 0)


def test_plain_replies_are_counted(desk: Desk) -> None:
    """A reply outside the protocol is an answer that could not have searched."""
    row = desk.bench(Backend(answer="It leaves on Saturday.")).probe(desk.case()).row
    assert (row["outcome"], row["plain"]) == ("correct", True)


def test_retrieval_is_metered_apart(desk: Desk) -> None:
    """Calls and vectors that recall asks for are retrieval's; vectors without a price have no money."""
    row = desk.bench(Backend()).probe(desk.case(design=Reading())).row
    assert (row["tokens"]["retrieval"]["input"], row["embedded"]["retrieval"]) == (10, 7)
    assert row["usd"]["retrieval"] is None
    assert row["tokens"]["answer"]["input"] == 10


# --- evidence ------------------------------------------------------------------------------------


def test_evidence_recall_is_unknown_where_snippets_do_not_name_their_turns(desk: Desk) -> None:
    """Unknown is null, neither 0 nor 1."""
    assert desk.bench(Backend()).probe(desk.case()).row["evidence_recall"] is None


@pytest.mark.parametrize(("evidence", "recall"), [((5,), 1.0), ((1, 2), 0.5), ((2, 3), 0.0), ((), None)])
def test_evidence_recall_is_the_share_of_evidence_shown(
    desk: Desk, evidence: tuple[int, ...], recall: float | None
) -> None:
    """Turns 1 and 5 are shown; a probe without evidence has no recall."""
    probes = (replace(desk.person.probes[0], evidence=evidence),)
    desk.person = replace(desk.person, probes=probes)
    assert desk.bench(Backend()).probe(desk.case(design=Turns())).row["evidence_recall"] == recall


def test_turns_shown_verbatim_count_as_shown(desk: Desk) -> None:
    """The recent turns and the pending ones stand before the model as well."""

    @dataclass(frozen=True)
    class Verbatim(Turns):
        schedule: ClassVar[Schedule] = TokenThreshold(1_000_000)
        recent = 1
        show_pending = True

    desk.person = replace(desk.person, probes=(replace(desk.person.probes[0], evidence=(2, 8)),))
    backend = Backend()
    assert desk.bench(backend).probe(desk.case(design=Verbatim())).row["evidence_recall"] == 1.0
    assert backend.asked["write"] == 0


# --- replay --------------------------------------------------------------------------------------


def test_strict_replay_gives_the_same_rows_without_the_endpoint(desk: Desk) -> None:
    """A fresh results folder and the cassettes alone come to the same results and costs."""
    design = Reading()
    live = [desk.bench(Backend()).probe(desk.case(n, design)) for n in (0, 1)]
    backend = Backend()
    again = [desk.bench(backend, "s2", "none", "again").probe(desk.case(n, design)) for n in (0, 1)]
    assert backend.asked == {}
    assert list(map(same, again)) == list(map(same, live))
    assert [result.row["calls"]["live"] for result in again] == [0, 0]
    built, rebuilt = desk.memory(), desk.memory("again")
    assert rebuilt["calls"] == {"live": 0, "replayed": 3, "failed": 0}
    assert (rebuilt["state"], rebuilt["tokens"], rebuilt["usd"]) == (built["state"], built["tokens"], built["usd"])


def test_what_is_not_recorded_is_said_with_its_command(desk: Desk) -> None:
    """It is apart from outages, names the command that records it, and is no wrong answer."""
    backend = Backend()
    desk.bench(backend).probe(desk.case())
    desk.person = replace(desk.person, probes=(replace(desk.person.probes[0], q="When does the ferry go?"),))
    result = desk.bench(backend, "s2", "none").probe(desk.case(), "pytest --membench-record=new x")
    assert isinstance(result.error, NotRecorded)
    assert (result.row["outcome"], result.row["score"], result.row["cause"]) == ("not_run", None, "not_recorded")
    assert "first message that differs is number 2" in result.row["message"]
    assert "record it with: pytest --membench-record=new x" in result.row["message"]


def test_a_judge_that_is_not_recorded_is_not_called_unable_to_judge(desk: Desk) -> None:
    """A changed judge's prompt has the cause not_recorded too."""
    desk.bench(Backend()).probe(desk.case())
    desk.person = replace(desk.person, probes=(replace(desk.person.probes[0], gold="on Sunday"),))
    row = desk.bench(Backend(), "s2", "none").probe(desk.case()).row
    assert (row["outcome"], row["cause"]) == ("not_run", "not_recorded")


def test_repeats_never_share_a_cassette_or_a_memory(desk: Desk) -> None:
    """A second sample is asked for anew, built and answered."""
    backend = Backend()
    for repeat in (1, 2):
        desk.bench(backend).probe(desk.case(repeat=repeat))
    assert backend.asked == {"write": 6, "answer": 2, "judge": 2}
    assert desk.cassettes() == ["build.json", "build~r2.json", "update-01.json", "update-01~r2.json"]
    third = desk.bench(backend, "s2", "none").probe(desk.case(repeat=3)).row
    assert (third["outcome"], third["cause"]) == ("not_run", "not_recorded")


def test_a_broken_cassette_is_not_blamed_on_the_design(desk: Desk) -> None:
    """The error names the file; the cause is the store's."""
    desk.bench(Backend()).probe(desk.case())
    file = desk.root / "cassettes/m/tiny/notes/nora/update-01.json"
    file.write_text("{", encoding="utf-8")
    result = desk.bench(Backend(), "s2").probe(desk.case())
    assert isinstance(result.error, StoreError)
    assert (result.row["outcome"], result.row["cause"]) == ("not_run", "store_error")
    assert str(file) in result.row["message"]


# --- building ------------------------------------------------------------------------------------


def test_a_memory_is_built_once_and_counted_once(desk: Desk) -> None:
    """The second probe finds it; the snapshot holds the ingest usage of one build."""
    backend = Backend()
    bench = desk.bench(backend)
    first, second = bench.probe(desk.case(0)), bench.probe(desk.case(1))
    assert (first.error, second.error, backend.asked["write"]) == (None, None, 3)
    memory = desk.memory()
    assert (memory["status"], memory["written"], memory["batches"]) == ("done", 8, 3)
    assert memory["tokens"]["ingest"]["input"] == 30
    assert memory["usd"]["ingest"] == pytest.approx(36e-6)


# Python 3.12 warns of fork() beside threads, and a worker of pytest-xdist has some.
@pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")
def test_workers_that_come_at_once_build_it_once(desk: Desk) -> None:
    """The lock lets one process build; the ledger shows three writes, not six."""
    context = multiprocessing.get_context("fork")
    start = context.Barrier(2)

    def work(probe: int) -> None:
        bench = desk.bench(Backend())
        start.wait()
        assert bench.probe(desk.case(probe)).error is None

    workers = [context.Process(target=work, args=(probe,)) for probe in (0, 1)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0]
    stages = Counter(line["stage"] for line in read_lines(desk.root / "out/spend.jsonl"))
    assert stages == {"ingest": 3, "answer": 2, "judge": 2}


def test_a_failed_build_is_tried_once_a_session(desk: Desk) -> None:
    """The other probes are not run, for the same reason, and nothing is asked again."""
    backend = Backend()
    backend.refused = {("write", 3)}
    bench = desk.bench(backend)
    first, second = bench.probe(desk.case(0)), bench.probe(desk.case(1))
    assert isinstance(second.error, BuildFailed)
    assert [r.row["outcome"] for r in (first, second)] == ["not_run", "not_run"]
    assert [r.row["cause"] for r in (first, second)] == ["call_failed", "call_failed"]
    assert "HTTP 402" in second.row["message"]
    assert backend.asked == {"write": 3}
    assert (desk.memory()["status"], desk.memory()["written"]) == ("failed", 6)


def test_a_failed_build_goes_on_in_the_next_session_and_counts_nothing_twice(desk: Desk) -> None:
    """Only the batch that failed is asked; tokens are those of a build without a failure."""
    backend = Backend()
    backend.refused = {("write", 2), ("write", 4)}
    for session, written in (("s1", 3), ("s2", 6), ("s3", 8)):
        desk.bench(backend, session).probe(desk.case())
        assert desk.memory()["written"] == written
    assert backend.asked["write"] == 5
    memory = desk.memory()
    assert (memory["status"], memory["error"], memory["batches"]) == ("done", None, 3)
    assert memory["state"] == ["note 1", "note 3", "note 5"]
    assert memory["tokens"]["ingest"]["input"] == 30
    assert memory["usd"]["ingest"] == pytest.approx(36e-6)


def test_a_build_that_failed_in_its_first_batch_starts_anew(desk: Desk) -> None:
    """Nothing was written, so there is nothing to go on from."""
    backend = Backend()
    backend.refused = {("write", 1)}
    desk.bench(backend, "s1").probe(desk.case())
    assert desk.bench(backend, "s2").probe(desk.case()).error is None
    assert desk.memory()["tokens"]["ingest"]["input"] == 30


def test_a_killed_build_goes_on_from_its_checkpoint(desk: Desk) -> None:
    """What a killed worker wrote stands, and another worker of the same session finishes it."""
    case = desk.case(design=Broken("ingest", KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        desk.bench(Backend()).probe(case)
    assert (desk.memory()["status"], desk.memory()["written"]) == ("partial", 6)
    backend = Backend()
    whole = replace(case, design=replace(case.design, design=Notes()))
    assert desk.bench(backend).probe(whole).error is None
    assert backend.asked["write"] == 1
    assert desk.memory()["tokens"]["ingest"]["input"] == 30


def test_a_build_that_asks_no_model_resumes_too(desk: Desk) -> None:
    """Batches that cost nothing are not saved one by one; after a kill they are written again."""

    @dataclass(frozen=True)
    class Free(Broken):
        def ingest(self, state: list[str], batch: Batch, llm: LLM) -> list[str]:
            if self.method == "ingest" and len(state) == 2:
                raise self.error
            return [*state, str(len(batch))]

    case = desk.case(design=Free("ingest", KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        desk.bench(Backend()).probe(case)
    assert (desk.memory()["status"], desk.memory()["written"]) == ("partial", 3)
    whole = replace(case, design=replace(case.design, design=Free("nothing")))
    assert desk.bench(Backend()).probe(whole).error is None
    memory = desk.memory()
    assert (memory["status"], memory["written"], memory["batches"]) == ("done", 8, 3)
    assert memory["state"] == ["3", "3", "2"]


def test_recording_all_anew_does_not_go_on_from_a_checkpoint(desk: Desk) -> None:
    """It replaces the cassette, which must then hold the whole build: strict replay needs it from the start."""
    backend = Backend()
    backend.refused = {("write", 3)}
    for session in ("s1", "s2"):
        desk.bench(backend, session, "all").probe(desk.case())
    assert backend.asked["write"] == 6
    assert desk.bench(Backend(), "s3", "none", "fresh").probe(desk.case()).error is None


@pytest.mark.parametrize("changed", ["design", "chat", "sampling"])
def test_a_memory_of_something_else_is_built_anew(desk: Desk, changed: str) -> None:
    """Another source, chat or sampling is another memory, and its old cost is not added."""
    backend = Backend()
    desk.bench(backend).probe(desk.case())
    case, bench = desk.case(), desk.bench(backend, "s2", "all")
    if changed == "design":
        case = replace(case, design=replace(case.design, digest="another"))
    elif changed == "chat":
        turn = replace(case.person.turns[0], text="The ferry leaves on Monday.")
        case = replace(case, person=replace(case.person, turns=(turn, *case.person.turns[1:])))
    else:
        bench = replace(bench, model=replace(bench.model, temperature=0.7))
    bench.probe(case)
    assert backend.asked["write"] == 6
    assert desk.memory()["tokens"]["ingest"]["input"] == 30


def test_a_failure_of_something_else_does_not_stop_a_build(desk: Desk) -> None:
    """In the same session too: another design's failure is not this one's."""
    desk.bench(Backend()).probe(desk.case(design=Broken("ingest")))
    assert desk.memory()["status"] == "failed"
    assert desk.bench(Backend()).probe(desk.case()).error is None


# --- what fails ----------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["ingest", "recall"])
def test_an_error_of_the_design_is_called_so(desk: Desk, method: str) -> None:
    """It is the outcome of its item, whose other probes share it where the build failed."""
    bench = desk.bench(Backend())
    first, second = (bench.probe(desk.case(probe, Broken(method))) for probe in (0, 1))
    assert isinstance(first.error, ZeroDivisionError)
    assert [(r.row["outcome"], r.row["score"], r.row["cause"]) for r in (first, second)] == [
        ("not_run", None, "design_error"),
        ("not_run", None, "design_error"),
    ]
    assert first.row["message"] == "ZeroDivisionError()"
    assert (type(second.error) is BuildFailed) == (method == "ingest")


def test_a_failure_swallowed_in_a_build_fails_it(desk: Desk) -> None:
    """A memory that lacks a batch for an outage is not a memory; the batch is not marked as written."""
    backend = Backend()
    backend.refused = {("write", 2)}
    row = desk.bench(backend).probe(desk.case(design=Swallowing())).row
    assert (row["outcome"], row["cause"]) == ("not_run", "call_failed")
    assert (desk.memory()["status"], desk.memory()["written"]) == ("failed", 3)


def test_a_failure_swallowed_in_recall_fails_the_item(desk: Desk) -> None:
    """An answer that stands on a hidden outage is not judged."""
    backend = Backend()
    backend.refused = {("read", 1)}
    row = desk.bench(backend).probe(desk.case(design=Swallowing())).row
    assert (row["outcome"], row["cause"], backend.asked["judge"]) == ("not_run", "call_failed", 0)
    assert not (desk.root / "out/m/ans/notes/nora/update-01.json").exists()


def test_a_judge_without_credit_judges_nothing(desk: Desk) -> None:
    """402 to the judge's every call: no score, and the answer is kept."""
    backend = Backend()
    backend.refused = {("judge", 1)}
    result = desk.bench(backend).probe(desk.case())
    assert isinstance(result.error, NotJudged)
    row = result.row
    assert (row["outcome"], row["score"], row["cause"]) == ("not_judged", None, "not_judged")
    assert (row["plain"], row["tokens"]["answer"]["input"], row["calls"]["failed"]) == (False, 10, 1)
    assert desk.read("m/ans/notes/nora/update-01.json")["answer"] == "It was moved to Saturday."
    assert not (desk.root / "out/m/judge/notes/nora/update-01.json").exists()


@pytest.mark.parametrize(
    "judge", ["INCORRECT", '{"label": "NOT CORRECT"}', "", '{"label": "correct", "label": "wrong"}']
)
def test_a_judge_that_cannot_be_read_judges_nothing(desk: Desk, judge: str) -> None:
    """No label is guessed from a reply that holds the letters of one."""
    row = desk.bench(Backend(judge=(judge,))).probe(desk.case()).row
    assert (row["outcome"], row["score"], row["matched"]) == ("not_judged", None, None)


def test_an_answer_that_fails_leaves_what_was_known(desk: Desk) -> None:
    """No answer is null, not plain=false; the failed call is in the ledger."""
    backend = Backend()
    backend.refused = {("answer", 1)}
    row = desk.bench(backend).probe(desk.case(design=Turns())).row
    assert (row["outcome"], row["cause"], row["plain"], row["searches"]) == ("not_run", "call_failed", None, None)
    assert row["evidence_recall"] == 1.0
    assert row["calls"] == {"live": 1, "replayed": 0, "failed": 1}
    assert [bool(line["error"]) for line in read_lines(desk.root / "out/spend.jsonl")] == [False, False, False, True]


def test_a_retried_recording_pays_only_for_what_failed(desk: Desk) -> None:
    """After an outage, `new` replays the build and asks the answer and the judge alone."""
    backend = Backend()
    backend.refused = {("answer", 1)}
    desk.bench(backend).probe(desk.case())
    result = desk.bench(backend, "s2", out="fresh").probe(desk.case())
    assert result.row["outcome"] == "correct"
    assert backend.asked == {"write": 3, "answer": 2, "judge": 1}


def test_long_messages_are_cut(desk: Desk) -> None:
    """A row stays small whatever an error says."""

    @dataclass(frozen=True)
    class Wordy(Notes):
        def recall(self, state: list[str], question: str, llm: LLM) -> list[Snippet]:
            raise RuntimeError("x" * 10_000)

    assert desk.bench(Backend()).probe(desk.case(design=Wordy())).row["message"] == "x" * 2000
