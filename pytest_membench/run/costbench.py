"""One conversation of a cost cell, with its dialogue, cassette, ledger and file."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pytest_membench.data import SERVING, Stage, Turn, slug
from pytest_membench.errors import CallFailed, ContextOverflow, StoreError
from pytest_membench.llm.cassette import use
from pytest_membench.llm.client import Model
from pytest_membench.llm.meter import Call, Meter, spent
from pytest_membench.run import replies
from pytest_membench.run.bench import Bench, Result, cause_of, finished, told
from pytest_membench.run.cells import CostCase
from pytest_membench.run.cost import serve
from pytest_membench.store import item_key, locked, write_json
from pytest_membench.suites.dialogues import dialogue

# Refusals of the prompt itself; an account, a rate limit or a conflict says nothing about it, and is in no cassette.
_REFUSALS = (400, 413, 422)  # how endpoints say that a prompt is too long or cannot be served


@dataclass
class _Work:
    meter: Meter
    turns: list[dict[str, Any]] = field(default_factory=list)
    kept: list[replies.Kept] = field(default_factory=list)
    unused: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class CostBench:
    """What the cost items of one session share. `generator` writes the dialogues where one is given."""

    bench: Bench
    dialogues: Path
    generator: Model | None = None

    def run(self, case: CostCase, rerun: str = "") -> Result:
        """Serve the conversation and write down what each turn billed; never raises for a failed item.

        A run that a refusal ends (the context is full, say) counts as far as it was measured.
        """
        started = time.perf_counter()
        work = _Work(Meter(case.id, self.bench.results.spend))
        error: Exception | None = None
        try:
            self._serve(case, work, rerun)
        except Exception as caught:  # noqa: BLE001 - whatever goes wrong, in a user's design too, is this item's outcome
            error = caught
        try:
            self._write_turns(case, work)
        except StoreError as full:
            error = full
        row = self._row(case, work, error)
        row["seconds"] = round(time.perf_counter() - started, 4)
        result = Result(row, None if row["outcome"] == "cut_short" else error)
        return finished(self.bench.results.row(*item_key(row)), result)

    def _serve(self, case: CostCase, work: _Work, rerun: str) -> None:
        turns = self._dialogue(case, rerun)
        with use(self.bench.cassettes / self._cassette(case), self.bench.record, rerun) as cassette:
            done = 0

            def after_turn(t: int) -> None:
                nonlocal done
                if work.meter.failures:  # what a design swallowed: this turn and all later ones stand on nothing
                    raise work.meter.failures[0]
                work.turns.append(_billed(work.meter.calls[done:]))
                done = len(work.meter.calls)

            def llm(stage: Stage, new: Sequence[Turn]) -> Any:
                model = self.bench.model.at(stage, work.meter, lambda: cassette.replayed)
                return replies.Keeper(model, stage, new, work.kept)

            serve(case.design.design, turns, llm, after_turn)
            work.unused = cassette.unused

    def _dialogue(self, case: CostCase, rerun: str) -> tuple[Turn, ...]:
        """Return the cell's conversation, the same for every design; made once, under a lock."""
        n, length = case.cell
        with locked(self.dialogues / f"{n}x{length}-s{case.seed}"):
            if self.generator is None:
                turns = dialogue(n, length, case.seed, self.dialogues)
            else:
                turns = self._generated(case, rerun, self.generator)
        return tuple(replace(turn, dated=False) for turn in turns)

    def _generated(self, case: CostCase, rerun: str, model: Model) -> tuple[Turn, ...]:
        meter = Meter(f"dialogue-{case.cell}-s{case.seed}", self.bench.results.spend)
        name = f"{slug(model.setting.key)}/dialogues/{case.cell}-s{case.seed}.json"
        with use(self.bench.cassettes / name, self.bench.record, rerun) as cassette:
            llm = model.at("generate", meter, lambda: cassette.replayed)
            n, length = case.cell
            return dialogue(n, length, case.seed, self.dialogues, llm, model.setting.key)

    def _cassette(self, case: CostCase) -> str:
        key, design = slug(self.bench.model.setting.key), slug(case.design.id)
        return f"{key}/cost/{design}/{case.cell}-s{case.seed}.json"

    def _write_turns(self, case: CostCase, work: _Work) -> None:
        if work.turns:
            name = (self.bench.model.setting.key, case.design.id, str(case.cell), f"s{case.seed}")
            content = {"session": self.bench.session, "design": case.design.digest, "turns": work.turns}
            write_json(self.bench.results.cost(*name), content)
            replies.write(self.bench.results.replies(*name), work.kept)

    def _row(self, case: CostCase, work: _Work, error: Exception | None) -> dict[str, Any]:
        key = self.bench.model.setting.key
        outcome = "measured" if error is None else _outcome(error, len(work.turns))
        return {
            **case.row(key),
            "outcome": outcome,
            "score": None,
            "cause": cause_of(error) if error else None,
            "message": told(error) if error else None,
            "turns": case.cell.turns,
            "length": case.cell.length,
            "seed": case.seed,
            "measured": len(work.turns),
            "unused": work.unused,
            "cassette": self._cassette(case),
            "session": self.bench.session,
            **spent(work.meter, SERVING),
        }


def _outcome(error: Exception, measured: int) -> str:
    """Return "cut_short" where the endpoint refused a later turn, as it does when the context is full."""
    refused = isinstance(error, ContextOverflow) or (isinstance(error, CallFailed) and error.status in _REFUSALS)
    return "cut_short" if refused and measured else "not_run"


def _billed(calls: list[Call]) -> dict[str, Any]:
    """Return what one turn's calls billed: tokens and USD by stage, embeddings apart."""
    meter = Meter("turn", None, calls)
    row: Mapping[str, Any] = spent(meter, SERVING)
    return {name: row[name] for name in ("tokens", "embedded", "usd")}
