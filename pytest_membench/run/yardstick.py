"""The yardstick: all that a verdict or a cost depends on besides the design, by name and digest."""

import hashlib
from collections.abc import Iterable
from typing import Any

from pytest_membench.data import Suite
from pytest_membench.grading import paper, prompts
from pytest_membench.grading.protocol import Protocol
from pytest_membench.run import answer, cost
from pytest_membench.suites import dialogues


def of_suite(suite: Suite) -> dict[str, str]:
    """Return the digests of a suite: its chats, its questions with their evidence, and its golds after the audit.

    The names are what a reader is told when one of them changed. The order of people and of their
    probes changes nothing, as each is asked alone; that of a chat's turns does.
    """
    people = sorted(suite.people, key=lambda person: person.id)
    probes = [(person, probe) for person in people for probe in sorted(person.probes, key=lambda probe: probe.id)]
    return {
        "suite": suite.name,
        "chats": _digest(f"{person.id} {turn}" for person in people for turn in person.turns),
        "questions": _digest(f"{p.id} {p.asked} {q.id} {q.kind} {q.q} {q.evidence}" for p, q in probes),
        "golds and audit": _digest(
            [
                *(f"{p.id} {q.id} {q.gold} {q.key}" for p, q in probes),
                *(f"{p.id} {name} {why}" for p in people for name, why in sorted(p.excluded.items())),
            ]
        ),
    }


def of_probes(suite: Suite, judge: str, protocol: Protocol, sampling: dict[str, Any]) -> dict[str, Any]:
    """Return the yardstick of verdicts; `judge` is the judge's setting, `sampling` that of the session.

    Where the protocol samples answers in a way of its own, that counts too.
    """
    own = {"answers' temperature": protocol.temperature, "answers' max-tokens": protocol.max_tokens}
    judging = paper.digest() if protocol.judging == "paper" else prompts.digest()
    return {
        **of_suite(suite),
        "answering prompt": answer.digest(),
        "judging prompts": judging,
        "judge": judge,
        "protocol": protocol.name,
        **sampling,
        **{name: value for name, value in own.items() if value is not None},
    }


def of_cells(generator: str | None, sampling: dict[str, Any]) -> dict[str, Any]:
    """Return the yardstick of cost cells; `generator` is the model that wrote the dialogues, if one did."""
    return {
        "dialogues": generator or f"{dialogues.BUILT_IN} {dialogues.VERSION}",
        "answering prompt": _digest([cost.SYSTEM]),
        **sampling,
    }


def _digest(lines: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
