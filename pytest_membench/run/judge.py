"""Judge an answer: a plain match, a first look, and a second look at all that is not correct."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from pytest_membench.data import CREDIT, Label, Person, Probe
from pytest_membench.design import LLM
from pytest_membench.errors import CallFailed, ContextOverflow, NotJudged, NotRecorded, OverBudget
from pytest_membench.grading import paper
from pytest_membench.grading.match import same_as_gold
from pytest_membench.grading.paper import paper_messages
from pytest_membench.grading.prompts import judge_messages
from pytest_membench.grading.verdict import LABELS, Judged, parse
from pytest_membench.tools import ChatIndex

AROUND = 2
"""How many turns before and after each piece of evidence the second look shows."""


@dataclass(frozen=True)
class Verdict:
    """What the judge said. `second` is None where there was no second look.

    `matched` says that the answer is the gold word for word, so that no judge was asked.
    """

    first: Judged
    second: Judged | None = None
    matched: bool = False

    @property
    def label(self) -> Label:
        """The label that counts: the second look's where there was one."""
        return (self.second or self.first).label

    @property
    def score(self) -> float:
        """1 for correct, 0.5 for partial, 0 for wrong."""
        return CREDIT[self.label]

    @property
    def overturned(self) -> bool:
        """Whether the second look changed the label."""
        return self.second is not None and self.second.label != self.first.label


def judge(probe: Probe, answer: str, person: Person, llm: LLM) -> Verdict:
    """Return the verdict on `answer`. Raises NotJudged where a look fails or has no clear label."""
    if same_as_gold(probe, answer):
        return Verdict(Judged("correct", "the answer is the gold, word for word"), matched=True)
    return looks(probe, answer, partial(excerpt, probe, person), llm)


def looks(probe: Probe, answer: str, lines: Callable[[], Sequence[str] | None], llm: LLM) -> Verdict:
    """Return the verdict of a first look, and of a second where the first did not find the answer correct.

    `lines` gives what the second look is shown; where it gives None, there is none. Raises NotJudged.
    """
    first = _look(judge_messages(probe, answer), llm)
    if first.label == "correct":
        return Verdict(first)
    shown = lines()
    return Verdict(first, _look(judge_messages(probe, answer, shown), llm) if shown is not None else None)


def judge_once(probe: Probe, answer: str, llm: LLM) -> Verdict:
    """Return the verdict of one look, correct or wrong, as arXiv 2608.11879 judges; the gold itself is judged too."""
    return Verdict(_look(paper_messages(probe, answer), llm, paper.LABELS))


def judge_choice(probe: Probe, chosen: str) -> Verdict:
    """Return the verdict on an answer that chose one of the offered golds: no judge is needed."""
    right = chosen == probe.gold
    return Verdict(Judged("correct" if right else "wrong", f"it chose {chosen!r}"), matched=right)


def excerpt(probe: Probe, person: Person) -> list[str]:
    """Return the dated lines around the evidence; around the question's search hits without any."""
    centres = set(probe.evidence) or {turn.i for turn in ChatIndex(person.turns).search(probe.q)}
    positions = [n for n, turn in enumerate(person.turns) if turn.i in centres]
    shown = sorted({n for p in positions for n in range(p - AROUND, p + AROUND + 1)})
    return [str(person.turns[n]) for n in shown if 0 <= n < len(person.turns)]


def _look(messages: Sequence[Mapping[str, str]], llm: LLM, labels: Sequence[Label] = LABELS) -> Judged:
    try:
        reply = llm.chat(messages, response_format={"type": "json_object"})
    except (NotRecorded, OverBudget):
        raise  # nobody asked the judge
    except ContextOverflow as error:
        raise NotJudged(f"the judge gave no verdict: {error}", error.cause) from error
    except CallFailed as error:
        raise NotJudged(f"the judge gave no verdict: {error}") from error
    return parse(reply.text, reply.finish_reason, labels)
