"""Ask a judge about labelled answers, as a session asks it: a first look, then a second with the excerpt."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_membench.data import Record, Setting, slug
from pytest_membench.design import LLM
from pytest_membench.errors import CallFailed, NotRecorded, NotRun
from pytest_membench.llm.cassette import use
from pytest_membench.llm.client import Model
from pytest_membench.llm.meter import Meter
from pytest_membench.run.judge import Verdict, looks
from pytest_membench.suites.calibration import Triple

GIVE_UP = 5
"""After how many failed calls in a row the endpoint is taken to be down."""
_GAVE_UP = CallFailed(f"not asked, because {GIVE_UP} calls in a row had failed")


@dataclass(frozen=True)
class Ruling:
    """What a judge made of one triple: a verdict, or why there is none."""

    triple: Triple
    verdict: Verdict | None = None
    error: NotRun | None = None

    @property
    def outage(self) -> bool:
        """Whether a call failed or is not recorded: that says nothing about the judge."""
        return isinstance(self.error, CallFailed) or isinstance(getattr(self.error, "__cause__", None), CallFailed)

    @property
    def row(self) -> dict[str, Any]:
        """The ruling as plain JSON; `given`, `first` and `second` are None where there is none."""
        triple, verdict = self.triple, self.verdict
        decisive = (verdict.second or verdict.first) if verdict else None
        return {
            "id": triple.id,
            "type": triple.type,
            "question": triple.probe.q,
            "gold": triple.probe.gold,
            "answer": triple.answer,
            "expected": triple.label,
            "why": triple.why,
            "given": decisive.label if decisive else None,
            "reason": decisive.reason if decisive else None,
            "first": verdict.first.label if verdict else None,
            "second": verdict.second.label if verdict and verdict.second else None,
            "message": str(self.error)[:2000] if self.error else None,
            "outage": self.outage,
        }


def cassette(folder: Path, setting: Setting, path: Path | None) -> Path:
    """Return where the calls about a set are recorded: the set that ships, or the one in `path`."""
    return folder / slug(setting.key) / "judge-check" / f"{slug(path.stem) if path else 'shipped'}.json"


def check(
    triples: Sequence[Triple], model: Model, meter: Meter, *, tape: Path, record: Record, rerun: str
) -> Iterator[Ruling]:
    """Yield a ruling for each triple, in order; what broke is a ruling without a verdict.

    Once GIVE_UP calls in a row have failed, the others are not asked: each would be tried for as long.
    """
    failed = 0
    with use(tape, record, rerun) as open_cassette:
        llm = model.at("judge", meter, lambda: open_cassette.replayed)
        for triple in triples:
            ruling = _rule(triple, llm) if failed < GIVE_UP else Ruling(triple, error=_GAVE_UP)
            failed = failed + 1 if ruling.outage and not isinstance(ruling.error, NotRecorded) else 0
            yield ruling


def _rule(triple: Triple, llm: LLM) -> Ruling:
    """Ask; an answer that is the gold word for word is asked about too, for it is the judge that is measured."""
    try:
        return Ruling(triple, looks(triple.probe, triple.answer, lambda: triple.excerpt, llm))
    except NotRun as error:
        return Ruling(triple, error=error)
