"""Observational memory: turns become dated observations, and these are rewritten once they are many.

Writes once the pending turns hold `observe_at` tokens: the observer, given the log so far, turns them
into one-line observations with date and priority, which are appended, and names the current task. Once
the log holds `reflect_at` tokens, the reflector rewrites it shorter; it is told so more strictly up to
`tries` times, and its shortest log counts if it is shorter than the old one and not empty. Keeps the
log and the task. Shows both whole, then every turn that was not observed yet, word for word: nothing
is retrieved. Bad at cost before the first observation, when every question pays for the whole chat.

Where a reply cannot be read, nothing changes: `failed` counts it, and the log stays as it was; the
batch waits in the state, shown word for word, until the next write takes it along.
"""

import re
from dataclasses import dataclass
from typing import Any

from pytest_membench import LLM, Batch, Design, Reply, Snippet, TokenThreshold, count_tokens

OBSERVER = """\
You observe the conversations between a person and an assistant. Write observations of the new \
messages that are not in the log yet: who they are, what they do, want, decide, promise, ask and get, \
with names, numbers and dates; where something changed, say so. Each observation is one line: \
- YYYY-MM-DD what was observed [high], or [medium], or [low], by how much it will matter later. At the \
end one line: Current task: what the person is busy with now."""

REFLECTOR = """\
You reflect on a log of observations about a person. Rewrite it shorter: join what belongs together, \
drop what was overtaken and what no longer matters, keep dates, names, numbers, promises and \
preferences. Observations have one line each: - YYYY-MM-DD what was observed [high], or [medium], or \
[low]. The whole log is rewritten: what you leave out is forgotten."""

STRICTER = "\nThat was too long before. Halve it: at most {words} words in all, the oldest details first to go."

_OBSERVATION = re.compile(
    r"^(?:\W*(?=\d{4}-\d\d-\d\d\b)|\s*[-*] +(?!current task\b))(\S.*?(?: \[(?:high|medium|low)\]|$))",
    re.MULTILINE | re.IGNORECASE,
)
"""A line that begins with a date or, as messages may have none, as a list item."""
_TASK = re.compile(r"^\W*current task\W+(\S.*)$", re.MULTILINE | re.IGNORECASE)


@dataclass(frozen=True)
class ObservationalMemory(Design[dict[str, Any]]):
    """A log of what was observed, with the unobserved turns after it."""

    label = "observational memory"
    schedule = TokenThreshold(30_000)
    recent = 0  # the pending turns are the newest ones
    show_pending = True
    observe_at: int = 30_000
    reflect_at: int = 40_000
    tries: int = 3

    def __post_init__(self) -> None:
        object.__setattr__(self, "schedule", TokenThreshold(self.observe_at))  # the parameter sets it

    def start(self) -> dict[str, Any]:
        return {"log": [], "task": "", "waiting": [], "failed": 0}

    def ingest(self, state: dict[str, Any], batch: Batch, llm: LLM) -> dict[str, Any]:
        waiting = state["waiting"] + [[turn.i, str(turn)] for turn in batch]
        log = "\n".join(state["log"]) or "(empty)"
        task = f"# Observations so far\n{log}\n\n# New messages\n" + "\n".join(line for _, line in waiting)
        reply = _ask(llm, OBSERVER, task)
        observed = _observations(reply)
        if not observed:
            return {**state, "waiting": waiting, "failed": state["failed"] + 1}
        found = _TASK.search(reply.text)
        state = {**state, "log": state["log"] + observed, "task": found[1] if found else state["task"], "waiting": []}
        return state if _size(state["log"]) < self.reflect_at else self._reflect(state, llm)

    def recall(self, state: dict[str, Any], question: str, llm: LLM) -> list[Snippet]:
        task = [Snippet(f"Current task: {state['task']}")] if state["task"] else []
        return [*map(Snippet, state["log"]), *task, *(Snippet(line, (i,)) for i, line in state["waiting"])]

    def _reflect(self, state: dict[str, Any], llm: LLM) -> dict[str, Any]:
        """Return the state with the log rewritten, or as it was where no reply is shorter."""
        shortest = state["log"]
        for attempt in range(self.tries):
            stricter = STRICTER.format(words=self.reflect_at // 2 ** (attempt + 1)) if attempt else ""
            log = _observations(_ask(llm, REFLECTOR + stricter, "# Observations\n" + "\n".join(state["log"])))
            shortest = min(shortest, log or shortest, key=_size)
            if _size(shortest) < self.reflect_at:
                break
        return {**state, "log": shortest, "failed": state["failed"] + (shortest is state["log"])}


def _ask(llm: LLM, system: str, task: str) -> Reply:
    return llm.chat([{"role": "system", "content": system}, {"role": "user", "content": task}])


def _observations(reply: Reply) -> list[str]:
    """Return the observations of a reply; none of one that was cut off."""
    return [] if reply.finish_reason == "length" else _OBSERVATION.findall(reply.text)


def _size(log: list[str]) -> int:
    return count_tokens("\n".join(log))
