"""One probe from memory to verdict, with its cassettes, ledger and files: the stages put together."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from filelock import FileLock

from pytest_membench.data import STAGES, Person, Probe, Record, Snippet, Stage, Suite, Turn, Usage, slug
from pytest_membench.errors import BuildFailed, NotRun
from pytest_membench.llm.cassette import use
from pytest_membench.llm.client import Model
from pytest_membench.llm.meter import Meter
from pytest_membench.run import build as building
from pytest_membench.run.answer import Answer, answer
from pytest_membench.run.build import Memory
from pytest_membench.run.cases import Case
from pytest_membench.run.judge import Verdict, judge
from pytest_membench.store import Results, read_json, repeat_name, write_json


@dataclass
class Result:
    """What one item came to. `row` is plain JSON; `error` is why there is no verdict, if so."""

    row: dict[str, Any]
    error: Exception | None = None


@dataclass
class _Work:
    """What an item gathers on its way, so that a failure leaves what was known."""

    meter: Meter
    rerun: str
    answer: Answer | None = None
    verdict: Verdict | None = None
    shown: frozenset[int] | None = None


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
        return Result(row, error)

    def _work(self, case: Case, work: _Work) -> None:
        memory = self._memory(case, work.rerun)
        folder = self._folder(case)
        file = folder / f"{repeat_name(case.probe.id, case.repeat)}.json"
        with use(file, self.record, work.rerun) as cassette:
            llm = partial(self.model.at, meter=work.meter, replays=lambda: cassette.replayed)
            self._answer(case, memory, work, llm)
            assert work.answer is not None
            at = self.judge.at("judge", work.meter, lambda: cassette.replayed)
            work.verdict = judge(case.probe, work.answer.text, case.person, at)
            self._write_verdict(case, work.verdict)

    def _answer(self, case: Case, memory: Memory, work: _Work, llm: Callable[..., Any]) -> None:
        design, person = case.design.design, case.person
        snippets = building.recall(design, memory, case.probe.q, llm("retrieval"))
        recent = person.turns[len(person.turns) - design.recent :] if design.recent else ()
        pending = memory.pending if design.show_pending else ()
        work.shown = _shown(snippets, recent, pending)
        work.answer = answer(
            person,
            case.probe.q,
            snippets=snippets,
            recent=recent,
            pending=pending,
            tools=design.tools(memory.state),
            llm=llm("answer"),
        )
        _require_no_failure(work.meter)
        self._write_answer(case, work.answer)

    def _folder(self, case: Case) -> Path:
        key = slug(self.model.setting.key)
        return self.cassettes / key / slug(self.suite.name) / slug(case.design.id) / slug(case.person.id)

    def _memory(self, case: Case, rerun: str) -> Memory:
        """Return the memory; whoever comes first builds it, under a lock."""
        path = self.results.memory(self.model.setting.key, case.design.id, case.person.id, case.repeat)
        path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{path}.lock"):
            snapshot = self._snapshot(path, case)
            if snapshot.get("status") == "failed" and snapshot["session"] == self.session:
                raise BuildFailed(f"the memory could not be built: {snapshot['error']}", snapshot["cause"])
            if snapshot.get("status") != "done":
                snapshot = self._build(case, path, snapshot, rerun)
        return _memory_of(snapshot, case.person)

    def _snapshot(self, path: Path, case: Case) -> dict[str, Any]:
        """Return what an earlier build left, or nothing where it was of another design, chat or model."""
        snapshot: dict[str, Any] = read_json(path) if path.exists() else {}
        return snapshot if snapshot.get("fingerprint") == self._fingerprint(case) else {}

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
        """Build, leaving a checkpoint after each batch; a failure keeps the last one."""
        meter = Meter(f"{case.design.id}-{case.person.id}-build", self.results.spend)
        earlier = before if before.get("written") else {}
        head = {**case.row(self.model.setting.key), "fingerprint": self._fingerprint(case)}
        snapshot: dict[str, Any] = {**earlier, **head, "session": self.session}

        def save(memory: Memory, status: str = "partial") -> None:
            _require_no_failure(meter)
            snapshot.update(status=status, error=None, **_memory_row(memory), **_spent(meter, earlier))
            write_json(path, snapshot)

        file = self._folder(case) / f"{repeat_name('build', case.repeat)}.json"
        done = _memory_of(earlier, case.person) if earlier else None
        try:
            with use(file, self.record, rerun) as cassette:
                llm = self.model.at("ingest", meter, lambda: cassette.replayed)
                save(building.build(case.design.design, case.person, llm, done=done, checkpoint=save), "done")
        except Exception as error:
            snapshot.update(status="failed", error=str(error) or repr(error), cause=_cause(error))
            write_json(path, snapshot)
            raise
        return snapshot

    def _row(self, case: Case, work: _Work, error: Exception | None) -> dict[str, Any]:
        verdict = work.verdict if error is None else None
        return {
            **case.row(self.model.setting.key),
            "outcome": _outcome(verdict, error),
            "score": verdict.score if verdict else None,
            "cause": _cause(error) if error else None,
            "message": (str(error) or repr(error))[:2000] if error else None,
            "plain": work.answer.plain if work.answer else None,
            "searches": work.answer.searches if work.answer else None,
            "matched": verdict.matched if verdict else None,
            "overturned": verdict.overturned if verdict else None,
            "evidence_recall": _evidence_recall(case.probe, work.shown),
            **spent(work.meter, tuple(s for s in STAGES if s != "ingest")),
        }

    def _write_answer(self, case: Case, given: Answer) -> None:
        write_json(
            self._file("ans", case),
            {
                "question": case.probe.q,
                "answer": given.text,
                "plain": given.plain,
                "calls": [{"tool": name, "arguments": dict(arguments)} for name, arguments in given.calls],
                "snippets": [{"text": s.text, "turns": list(s.turns)} for s in given.snippets],
                "session": self.session,
            },
        )

    def _write_verdict(self, case: Case, verdict: Verdict) -> None:
        head = {"judge": self.judge.setting.key, "matched": verdict.matched, "session": self.session}
        write_json(self._file("judge", case), {**head, **verdict.first._asdict()})
        second = self._file("judge2", case)
        if verdict.second is not None:
            write_json(second, {**head, **verdict.second._asdict()})
        else:
            second.unlink(missing_ok=True)

    def _file(self, stage: str, case: Case) -> Path:
        setting = self.model.setting.key
        return self.results.probe(stage, setting, case.design.id, case.person.id, case.probe.id, case.repeat)


def spent(meter: Meter, stages: tuple[Stage, ...]) -> dict[str, Any]:
    """Return tokens and USD by stage, and the calls by how they were answered."""
    calls = meter.calls
    return {
        "tokens": {stage: meter.usage(stage).as_dict() for stage in stages},
        "embedded": {stage: meter.usage(stage, "embed").input for stage in stages},
        "usd": {stage: meter.usd(stage) for stage in stages},
        "calls": {
            "live": sum(not call.replayed for call in calls),
            "replayed": sum(call.replayed for call in calls),
            "failed": sum(call.error is not None for call in calls),
        },
        "providers": sorted({call.provider for call in calls if call.provider}),
    }


def _spent(meter: Meter, earlier: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a build spent, with what its earlier checkpoint had spent already."""
    now = spent(meter, ("ingest",))
    if not earlier:
        return now
    usages = [Usage(**row["tokens"]["ingest"]) for row in (earlier, now)]
    dollars = [row["usd"]["ingest"] for row in (earlier, now)]
    embedded = [row["embedded"]["ingest"] for row in (earlier, now)]
    return {
        "tokens": {"ingest": Usage.total(usages).as_dict()},
        "embedded": {"ingest": None if None in embedded else sum(embedded)},
        "usd": {"ingest": None if None in dollars else sum(dollars)},
        "calls": {name: earlier["calls"][name] + now["calls"][name] for name in now["calls"]},
        "providers": sorted({*earlier["providers"], *now["providers"]}),
    }


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


def _cause(error: Exception) -> str:
    """Return why there is no verdict; what is no failure of a call is the design's own error."""
    return error.cause if isinstance(error, NotRun) else "design_error"
