"""One probe from memory to verdict, with its cassettes, ledger and files: the stages put together."""

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from pytest_membench.data import STAGES, Person, Probe, Record, Snippet, Suite, Turn, slug
from pytest_membench.design import LLM
from pytest_membench.errors import BuildFailed, NotRun, StoreError
from pytest_membench.grading import choices
from pytest_membench.grading.protocol import USUAL, Protocol
from pytest_membench.llm import secrets
from pytest_membench.llm.cassette import use
from pytest_membench.llm.client import Model
from pytest_membench.llm.meter import Meter, spent, with_earlier
from pytest_membench.run import build as building
from pytest_membench.run.answer import Answer, answer
from pytest_membench.run.build import Memory
from pytest_membench.run.cases import Case
from pytest_membench.run.judge import Verdict, judge, judge_choice, judge_once
from pytest_membench.run.lost import where_lost
from pytest_membench.store import Results, item_key, locked, read_json, repeat_name, write_json


@dataclass
class Result:
    """What one item came to. `row` is plain JSON; `error` is why there is no verdict, if so."""

    row: dict[str, Any]
    error: Exception | None = None


def finished(path: Path, result: Result) -> Result:
    """Write an item's row and return its result; one whose row cannot be written was not run."""
    try:
        write_json(path, result.row)
    except StoreError as error:
        why = {"cause": cause_of(error), "message": str(error)}
        return Result({**result.row, "outcome": "not_run", "score": None, **why}, error)
    return result


@dataclass
class _Work:
    """What an item gathers on its way, so that a failure leaves what was known."""

    meter: Meter
    rerun: str
    answer: Answer | None = None
    verdict: Verdict | None = None
    shown: frozenset[int] | None = None
    lost: str | None = None
    unused: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class Bench:
    """All that the items of one session share. `session` names it: a build fails once per session."""

    suite: Suite
    results: Results
    cassettes: Path
    record: Record
    model: Model
    judge: Model
    session: str
    protocol: Protocol = USUAL

    def probe(self, case: Case, rerun: str = "") -> Result:
        """Build or load the memory, answer, judge, write the files; never raises for a failed item.

        `rerun` is the command that a call missing from the cassettes can be recorded with.
        """
        started = time.perf_counter()
        work = _Work(Meter(case.id, self.results.spend), rerun)
        error: Exception | None = None
        try:
            self._work(case, work)
        except Exception as caught:  # noqa: BLE001 - whatever goes wrong, in a user's design too, is this item's outcome
            error = caught
        row = self._row(case, work, error)
        row["seconds"] = round(time.perf_counter() - started, 4)
        return finished(self.results.row(*item_key(row)), Result(row, error))

    def _work(self, case: Case, work: _Work) -> None:
        memory = self._memory(case, work.rerun)
        with use(self.cassettes / self._cassette(case, case.probe.id), self.record, work.rerun) as cassette:
            llm = partial(self.model.at, meter=work.meter, replays=lambda: cassette.replayed)
            self._answer(case, memory, work, llm)
            assert work.answer is not None
            at = self.judge.at("judge", work.meter, lambda: cassette.replayed)
            work.verdict = self._judge(case, work.answer.text, at)
            work.unused = cassette.unused
        work.lost = self._lost(case, memory, work.answer, work.verdict)
        self._write_verdict(case, work.verdict)

    def _judge(self, case: Case, text: str, llm: LLM) -> Verdict:
        """Return the verdict by the session's protocol; an answer that chose an option clearly needs no judge."""
        chosen = choices.chosen(text, self._options(case))
        if chosen is not None:
            return judge_choice(case.probe, chosen)
        if self.protocol.judging == "paper":
            return judge_once(case.probe, text, llm)
        return judge(case.probe, text, case.person, llm)

    def _options(self, case: Case) -> tuple[str, ...]:
        """Return the answers that the question offers; none where it is to be answered freely."""
        return choices.options(case.probe, case.person) if self.protocol.answers == "choice" else ()

    def _lost(self, case: Case, memory: Memory, given: Answer, verdict: Verdict) -> str | None:
        return where_lost(
            case.probe,
            verdict.label,
            state=memory.state,
            shown=given.shown,
            answer=given.text,
            overturned=verdict.overturned,
        )

    def _answer(self, case: Case, memory: Memory, work: _Work, llm: Callable[..., Any]) -> None:
        design, person = case.design.design, case.person
        snippets = building.recall(design, memory, case.probe.q, llm("retrieval"))
        recent = person.turns[-design.recent :] if design.recent else ()
        pending = memory.pending if design.show_pending else ()
        work.shown = _shown(snippets, recent, pending)
        offered = self._options(case)
        work.answer = answer(
            person,
            choices.asked(case.probe.q, offered) if offered else case.probe.q,
            snippets=snippets,
            recent=recent,
            pending=pending,
            tools=design.tools(memory.state),
            llm=replace(llm("answer"), model=self._answering),
        )
        _require_no_failure(work.meter)
        self._write_answer(case, work.answer, {"recent": [t.i for t in recent], "pending": [t.i for t in pending]})

    @property
    def _answering(self) -> Model:
        """The model with the sampling that the protocol has answers take."""
        temperature, most = self.protocol.temperature, self.protocol.max_tokens
        return replace(
            self.model,
            temperature=self.model.temperature if temperature is None else temperature,
            max_tokens=self.model.max_tokens if most is None else most,
        )

    def _cassette(self, case: Case, name: str) -> str:
        """Return the path of a cassette under the folder of all cassettes."""
        parts = (self.model.setting.key, self.suite.name, case.design.id, case.person.id)
        return "/".join([*map(slug, parts), f"{repeat_name(name, case.repeat)}.json"])

    def _memory(self, case: Case, rerun: str) -> Memory:
        """Return the memory; whoever comes first builds it, under a lock."""
        path = self.results.memory(self.model.setting.key, case.design.id, case.person.id, case.repeat)
        with locked(path):
            snapshot = self._snapshot(path, case)
            if snapshot.get("status") == "failed" and snapshot["session"] == self.session:
                raise BuildFailed(f"the memory could not be built: {snapshot['error']}", snapshot["cause"])
            if snapshot.get("status") != "done":
                snapshot = self._build(case, path, snapshot, rerun)
        return _memory_of(snapshot, case.person)

    def _snapshot(self, path: Path, case: Case) -> dict[str, Any]:
        """Return what an earlier build left, or nothing where it was of another design, chat or model.

        A memory of an earlier session whose calls no cassette holds is built anew, so that the
        recording is whole.
        """
        snapshot: dict[str, Any] = read_json(path) if path.exists() else {}
        if snapshot.get("fingerprint") != self._fingerprint(case):
            return {}
        file = self.cassettes / self._cassette(case, "build")
        recorded = file.exists() or file.with_name(f"{file.name}.part").exists()
        asked = any(snapshot.get("calls", {}).values())
        return snapshot if recorded or not asked or snapshot["session"] == self.session else {}

    def _fingerprint(self, case: Case) -> dict[str, Any]:
        model = self.model
        return {
            "design": case.design.digest,
            "chat": building.digest([str(turn) for turn in case.person.turns]),
            "setting": model.setting.key,
            "sampling": [model.temperature, model.max_tokens],
            "repeat": case.repeat,
        }

    def _build(self, case: Case, path: Path, before: Mapping[str, Any], rerun: str) -> dict[str, Any]:
        """Build, leaving a checkpoint after each batch; a failure keeps the last one.

        A recording anew ("all") starts from nothing, as its cassette does: it must hold every batch.
        """
        meter = Meter(f"{case.design.id}-{case.person.id}-build", self.results.spend)
        earlier = before if before.get("written") and self.record != "all" else {}
        names = {"setting": self.model.setting.key, "design": case.design.id, "person": case.person.id}
        head = {**names, "repeat": case.repeat, "fingerprint": self._fingerprint(case), "session": self.session}
        snapshot: dict[str, Any] = {**earlier, **head}

        def save(memory: Memory, status: str = "partial") -> None:
            _require_no_failure(meter)
            own = with_earlier(spent(meter, ("ingest",)), earlier)
            if status == "partial" and own == {name: snapshot.get(name) for name in own}:
                return  # a batch that asked no model costs nothing to write again
            snapshot.update(status=status, error=None, **_memory_row(memory), **own)
            write_json(path, snapshot, sort=False)  # the order of a state's keys is the design's own

        done = _memory_of(earlier, case.person) if earlier else None
        try:
            with use(self.cassettes / self._cassette(case, "build"), self.record, rerun) as cassette:
                llm = self.model.at("ingest", meter, lambda: cassette.replayed)
                memory = building.build(case.design.design, case.person, llm, done=done, checkpoint=save)
                # A build that was taken up again did not ask for its earlier batches anew; they are in use.
                snapshot.update(unused=[] if done else cassette.unused, cassette=self._cassette(case, "build"))
                save(memory, "done")
        except Exception as error:
            snapshot.update(status="failed", error=told(error), cause=cause_of(error))
            with suppress(StoreError):  # on a disk that is full the first error is the one to tell
                write_json(path, snapshot, sort=False)  # the order of a state's keys is the design's own
            raise
        return snapshot

    def _row(self, case: Case, work: _Work, error: Exception | None) -> dict[str, Any]:
        verdict = work.verdict if error is None else None
        return {
            **case.row(self.model.setting.key),
            "outcome": _outcome(verdict, error),
            "score": verdict.score if verdict else None,
            "cause": cause_of(error) if error else None,
            "message": told(error) if error else None,
            "plain": work.answer.plain if work.answer else None,
            "searches": work.answer.searches if work.answer else None,
            "matched": verdict.matched if verdict else None,
            "overturned": verdict.overturned if verdict else None,
            "evidence_recall": _evidence_recall(case.probe, work.shown),
            "lost": work.lost,
            "unused": work.unused,
            "cassette": self._cassette(case, case.probe.id),
            "session": self.session,
            **spent(work.meter, tuple(s for s in STAGES if s != "ingest")),
        }

    def _write_answer(self, case: Case, given: Answer, verbatim: Mapping[str, list[int]]) -> None:
        """Write the answer with all that stood before the model; `verbatim` are turns, which the chat holds."""
        write_json(
            self._file("ans", case),
            {
                "question": case.probe.q,
                **({"options": list(offered)} if (offered := self._options(case)) else {}),
                "answer": given.text,
                "plain": given.plain,
                "calls": [
                    {"tool": name, "arguments": dict(arguments), "result": result}
                    for (name, arguments), result in zip(given.calls, given.results, strict=True)
                ],
                "snippets": [{"text": s.text, "turns": list(s.turns)} for s in given.snippets],
                **verbatim,
                "session": self.session,
            },
        )

    def _write_verdict(self, case: Case, verdict: Verdict) -> None:
        head = {"judge": self.judge.setting.key, "matched": verdict.matched, "session": self.session}
        head["gold"] = case.probe.gold
        write_json(self._file("judge", case), {**head, **verdict.first._asdict()})
        second = self._file("judge2", case)
        if verdict.second is not None:
            write_json(second, {**head, **verdict.second._asdict()})
        else:
            second.unlink(missing_ok=True)

    def _file(self, stage: str, case: Case) -> Path:
        setting = self.model.setting.key
        return self.results.probe(stage, setting, case.design.id, case.person.id, case.probe.id, case.repeat)


def _memory_row(memory: Memory) -> dict[str, Any]:
    return {
        "state": memory.state,
        "written": memory.written,
        "batches": memory.batches,
        "memory_tokens": memory.tokens(),
    }


def _memory_of(snapshot: Mapping[str, Any], person: Person) -> Memory:
    written = snapshot["written"]
    return Memory(snapshot["state"], written, snapshot["batches"], person.turns[written:])


def _shown(snippets: list[Snippet], recent: tuple[Turn, ...], pending: tuple[Turn, ...]) -> frozenset[int] | None:
    """Return the turns that stood before the model, or None where a snippet does not name its own."""
    if not all(snippet.turns for snippet in snippets):
        return None
    verbatim = {turn.i for turn in (*recent, *pending)}
    return frozenset(verbatim.union(*(snippet.turns for snippet in snippets)))


def _evidence_recall(probe: Probe, shown: frozenset[int] | None) -> float | None:
    if shown is None or not probe.evidence:
        return None
    return len(shown & set(probe.evidence)) / len(set(probe.evidence))


def _require_no_failure(meter: Meter) -> None:
    """Raise the first failure that the design swallowed: what came after it stands on nothing."""
    if meter.failures:
        raise meter.failures[0]


def _outcome(verdict: Verdict | None, error: Exception | None) -> str:
    if verdict is not None:
        return verdict.label
    return error.outcome if isinstance(error, NotRun) else "not_run"


def told(error: Exception) -> str:
    """Return what an error says, without secrets: what a design raises may hold the environment."""
    return secrets.hide(str(error) or repr(error))[:2000]


def cause_of(error: Exception) -> str:
    """Return why there is no verdict; what is no failure of a call or a file is the design's own error."""
    if isinstance(error, StoreError):
        return "store_error"
    return error.cause if isinstance(error, NotRun) else "design_error"
