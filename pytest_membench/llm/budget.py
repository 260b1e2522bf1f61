"""The budget of a session: what calls may cost together, kept across workers under a file lock."""

import math
import os
import time
import uuid
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_membench import tokens
from pytest_membench.data import Stage
from pytest_membench.errors import OverBudget
from pytest_membench.store import locked, read_json, write_json

OUTPUT_TOKENS = 4096
"""Output that a call is taken to have at most, where --membench-max-tokens says nothing and no longer one was seen."""
HEADROOM = 1.25
"""How many tokens another tokenizer may make of a prompt, for each of o200k_base."""
EXTRA_TOKENS = 64
"""Tokens that a chat template may add to a prompt."""
_PICO = 10**12
_POLL_S = 0.1
_NEVER: Callable[[], None] = lambda: None  # noqa: E731 - a default that does nothing
GOING_LIVE: ContextVar[Callable[[], None]] = ContextVar("GOING_LIVE", default=_NEVER)
"""What a cassette calls when it holds no answer, so that the request is about to be sent."""


@dataclass(frozen=True)
class Budget:
    """At most `usd` for all live calls of one session. `path` is the file that its workers share.

    Money is counted in whole 1e-12 USD, costs rounded up: sums are exact and do not depend on order.
    `sleep` and `clock` serve the waiting for calls in flight, whose claims are larger than what they cost.
    """

    path: Path
    session: str
    usd: float
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.time

    def reserve(self, stage: Stage, worst_usd: float, ends_s: float) -> str:
        """Claim the most that a call can cost and return the claim's name; the call may then be made.

        `ends_s` is for how many seconds the call may take: a claim that is older, or whose process has
        ended, stands: the call may have been billed. Where only calls in flight are in the way, this waits for them.
        Raises OverBudget, from then on for every call of the session.
        """
        while True:
            with locked(self.path):
                state = self._read()
                worst, limit = _pico(worst_usd), math.floor(self.usd * _PICO)
                if state["refused"]:
                    raise OverBudget(_message(state, limit, None, stage))
                if state["spent"] + sum(o["usd"] for o in state["open"].values()) + worst <= limit:
                    name = uuid.uuid4().hex
                    state["open"][name] = {"usd": worst, "until": self.clock() + ends_s, "pid": os.getpid()}
                    self._write(state)
                    return name
                if state["spent"] + self._standing(state) + worst > limit:
                    state["refused"] = True
                    self._write(state)
                    raise OverBudget(_message(state, limit, worst, stage))
            self.sleep(_POLL_S)

    def _standing(self, state: Mapping[str, Any]) -> int:
        """Return the claims that no call will give back: of unknown cost, or of a worker that died."""
        now = self.clock()
        claims = state["open"].values()
        return sum(one["usd"] for one in claims if one["until"] is None or one["until"] < now or _is_gone(one["pid"]))

    def settle(self, name: str, usd: float | None, stage: Stage, output: int | None) -> None:
        """Replace a claim by what the call cost; where that is unknown (None) the claim stands."""
        with locked(self.path):
            state = self._read()
            if usd is None:
                state["open"][name]["until"] = None
            else:
                del state["open"][name]
                state["spent"] += _pico(usd)
            state["longest"][stage] = max(output or 0, state["longest"].get(stage, 0))
            self._write(state)

    def longest(self, stage: Stage) -> int:
        """Return the most output tokens that a call of the stage has had in this session."""
        with locked(self.path):
            return int(self._read()["longest"].get(stage, 0))

    def state(self) -> dict[str, Any]:
        """Return what was spent and what is still claimed, in USD, and whether a call was refused."""
        with locked(self.path):
            state = self._read()
        claimed = sum(one["usd"] for one in state["open"].values())
        return {
            "usd": self.usd,
            "spent": state["spent"] / _PICO,
            "reserved": claimed / _PICO,
            "refused": state["refused"],
        }

    def _sessions(self) -> dict[str, Any]:
        found: dict[str, Any] = read_json(self.path) if self.path.exists() else {}
        return found

    def _read(self) -> dict[str, Any]:
        """Return what this session spent and claims; each session into the folder has a budget of its own."""
        return self._sessions().get(self.session) or {"spent": 0, "open": {}, "longest": {}, "refused": False}

    def _write(self, state: Mapping[str, Any]) -> None:
        write_json(self.path, {**self._sessions(), self.session: state})


@dataclass
class Hold:
    """One call's claim: taken when it goes live, settled when its cost is known. Replayed, it takes nothing."""

    budget: Budget
    stage: Stage
    worst_usd: Callable[[int], float]
    ends_s: float
    name: str | None = field(default=None, init=False)

    def take(self) -> None:
        """Claim the call's worst cost, once. Raises OverBudget."""
        if self.name is None:
            longest = self.budget.longest(self.stage)
            self.name = self.budget.reserve(self.stage, self.worst_usd(longest), self.ends_s)

    def settle(self, usd: float | None, output: int | None) -> None:
        """Say what the call cost (None: unknown) and how many tokens it put out."""
        if self.name is not None:
            self.budget.settle(self.name, usd, self.stage, output)
            self.name = None


def most_input(body: Mapping[str, Any]) -> int:
    """Return an upper bound of a request's input tokens: o200k_base's count, with headroom for other tokenizers."""
    messages = body.get("messages")
    if isinstance(messages, list):
        counted = tokens.count_messages([message["content"] for message in messages])
    else:
        counted = sum(map(tokens.count, body["input"]))
    return math.ceil(counted * HEADROOM) + EXTRA_TOKENS


def most_output(max_tokens: int | None, longest: int) -> int:
    """Return an upper bound of a chat's output tokens: what was asked for, or more where more has been seen."""
    return max(OUTPUT_TOKENS if max_tokens is None else max_tokens, longest)


def _is_gone(pid: int) -> bool:
    """Whether a process has ended; where a system cannot tell without harm, none is known to have."""
    if os.name != "posix":
        return False
    try:
        os.kill(pid, 0)  # signal 0 asks whether the process exists, and does nothing to it
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False


def _pico(usd: float) -> int:
    return math.ceil(usd * _PICO)


def _message(state: Mapping[str, Any], limit: int, worst: int | None, stage: str) -> str:
    claimed = sum(one["usd"] for one in state["open"].values())
    call = f"a {stage} call was not made" if worst is None else f"this {stage} call could cost {_usd(worst)} USD"
    return (
        f"the budget of {_usd(limit)} USD is used up: {_usd(state['spent'])} USD spent, {_usd(claimed)} USD reserved "
        f"for calls whose cost is not known yet, and {call}; run the same command again, with a higher "
        "--membench-budget-usd, to go on: what is recorded is not paid again (a smaller --membench-max-tokens "
        "reserves less)"
    )


def _usd(pico: int) -> str:
    return f"{pico / _PICO:.6f}"
