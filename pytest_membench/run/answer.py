"""Answer a probe: pack memory, recent turns and the question into a prompt, and serve tools."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson

from pytest_membench.data import Person, Reply, Snippet, Tool, Turn
from pytest_membench.design import LLM
from pytest_membench.errors import CallFailed
from pytest_membench.tools import bind

TOOL_ROUNDS = 4
"""How often the model may call a tool before it has to answer."""

_SYSTEM = """\
You are the personal assistant of {name}; you two have talked for a long time. Now it is {now}.
Reply to the message at the end. What you remember of earlier conversations stands under \
"# Memory", and the newest messages under "# Recent messages". Rely on what was really said; when \
something never came up, say so rather than guess. Where things changed, the latest counts. Keep \
to how {name} asked to be treated. Be brief."""

_BETWEEN = """\
You have followed the conversations of {names} and are asked about them by somebody else. Now it is \
{now}. Reply to the question at the end. What you remember of their conversations stands under \
"# Memory", and their newest messages under "# Recent messages"; each line begins with the date on \
which it was written, so that "yesterday" in it is the day before that date. Rely on what was really \
said; when something never came up, say so rather than guess. Where things changed, the latest \
counts. Be brief."""
_READER = "the reader"
"""Who asks about a chat of two speakers."""

_PROTOCOL = """

Reply with one JSON object and nothing else: either {{"tool": "<name>", "arguments": {{...}}}} to \
call a tool and see its result, or {{"answer": "<your reply>"}} to reply.
Tools:
{tools}"""

_LAST_ROUND = 'No more tools: reply now with {"answer": "<your reply>"}.'


def digest() -> str:
    """Return a digest of what the answering model is told besides memory and question."""
    texts = (_SYSTEM, _BETWEEN, _PROTOCOL, _LAST_ROUND, str(TOOL_ROUNDS))
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


@dataclass(frozen=True)
class Answer:
    """A reply to a probe, and how it came about.

    `plain` says that a reply was not in the JSON protocol; `calls` lists the tools called, with
    their arguments, and `results` what each returned; `snippets` is what the design recalled, and
    `memory` the block of the prompt that held it with the recent and pending turns.
    """

    text: str
    plain: bool
    calls: tuple[tuple[str, Mapping[str, Any]], ...]
    snippets: tuple[Snippet, ...]
    results: tuple[str, ...] = ()
    memory: str = ""

    @property
    def shown(self) -> tuple[str, ...]:
        """All text that stood before the model, beside the instructions and the question."""
        return (self.memory, *self.results)

    @property
    def searches(self) -> int:
        """How often search_chat was called."""
        return sum(name == "search_chat" for name, _ in self.calls)


def answer(
    person: Person,
    question: str,
    *,
    snippets: Sequence[Snippet],
    recent: Sequence[Turn],
    pending: Sequence[Turn],
    tools: Sequence[Tool],
    llm: LLM,
) -> Answer:
    """Return the model's reply to `question`, asked at `person.asked`.

    `recent` and `pending` stand verbatim beside the snippets, no turn twice; search_chat covers
    all of the person's turns. Raises CallFailed when a call fails, or a reply is empty or cut off.
    """
    memory = memory_block(snippets, recent, pending)
    asker = _READER if person.speakers else person.name
    messages = [
        {"role": "system", "content": system_prompt(person.name, person.asked, tools, person.speakers)},
        {"role": "user", "content": f"{memory}\n\n# Message from {asker}\n{question}"},
    ]
    runners = bind(tools, person.turns)
    called: list[tuple[str, Mapping[str, Any]]] = []
    results: list[str] = []
    for round_number in range(TOOL_ROUNDS + 1):
        reply = complete(llm.chat(messages, response_format={"type": "json_object"} if tools else None))
        call = _tool_call(reply.text) if tools and round_number < TOOL_ROUNDS else None
        if call is None:
            break
        called.append(call)
        result = _run_tool(runners, *call)
        results.append(result)
        if round_number == TOOL_ROUNDS - 1:
            result += f"\n\n{_LAST_ROUND}"
        messages += [
            {"role": "assistant", "content": reply.text},
            {"role": "user", "content": f"# Result of {call[0]}\n{result}"},
        ]
    text, plain = _read(reply.text) if tools else (reply.text.strip(), False)
    return Answer(text, plain, tuple(called), tuple(snippets), tuple(results), memory)


def system_prompt(name: str, now: datetime, tools: Sequence[Tool], speakers: Sequence[str] = ()) -> str:
    """Return the instructions; the JSON protocol is part of them where there are tools.

    Where two `speakers` wrote the chat, they are asked about, not addressed.
    """
    when = f"{now:%A} {now.day} {now:%B %Y, %H:%M}"
    prompt = (
        _BETWEEN.format(names=" and ".join(speakers), now=when) if speakers else _SYSTEM.format(name=name, now=when)
    )
    if not tools:
        return prompt
    lines = [f"- {t.name}: {t.description} Arguments: {json.dumps(t.parameters)}" for t in tools]
    return prompt + _PROTOCOL.format(tools="\n".join(lines))


def memory_block(snippets: Sequence[Snippet], recent: Sequence[Turn], pending: Sequence[Turn]) -> str:
    """Return the part of the prompt that holds the memory; no turn stands in it twice.

    A turn that is both pending and recent stands among the recent ones; a snippet that is the
    line of a turn shown below, or stands twice, is left out.
    """
    newest = {turn.i: turn for turn in recent}
    waiting = {turn.i: turn for turn in pending if turn.i not in newest}
    verbatim = [str(turn) for turn in waiting.values()], [str(turn) for turn in newest.values()]
    shown = {line for lines in verbatim for line in lines}
    remembered = [text for text in dict.fromkeys(s.text for s in snippets) if text not in shown]
    memory = "\n".join([*remembered, *verbatim[0]]) or "(empty)"
    return f"# Memory\n{memory}" + ("\n\n# Recent messages\n" + "\n".join(verbatim[1]) if newest else "")


def complete(reply: Reply) -> Reply:
    """Return a reply that is whole. Raises CallFailed where it is empty or was cut off."""
    if reply.finish_reason == "length":
        raise CallFailed(f"the reply was cut off at its token limit: {reply.text[:200]!r}; raise --membench-max-tokens")
    if not reply.text.strip():
        raise CallFailed(f"the reply is empty (finish reason {reply.finish_reason!r})")
    return reply


def _json_object(text: str) -> dict[str, Any]:
    try:
        data = orjson.loads(text)
    except orjson.JSONDecodeError:
        return {}
    return data if isinstance(data, dict) else {}


def _tool_call(text: str) -> tuple[str, Mapping[str, Any]] | None:
    data = _json_object(text)
    name, arguments = data.get("tool"), data.get("arguments")
    arguments = {} if arguments is None else arguments
    return (name, arguments) if isinstance(name, str) and isinstance(arguments, dict) else None


def _run_tool(
    runners: Mapping[str, Callable[[Mapping[str, Any]], str]], name: str, arguments: Mapping[str, Any]
) -> str:
    if name not in runners:
        return f"There is no tool {name!r}; the tools are {', '.join(runners)}."
    return runners[name](arguments)


def _read(text: str) -> tuple[str, bool]:
    reply = _json_object(text).get("answer")
    return (reply.strip(), False) if isinstance(reply, str) and reply.strip() else (text.strip(), True)
