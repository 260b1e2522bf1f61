"""Test an endpoint before a paid run: does it do what the harness needs, at the length of the run's longest prompt?"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

import orjson

from pytest_membench import tokens
from pytest_membench.data import Person, Reply, Snippet, Suite, Tool, Turn, Usage
from pytest_membench.design import LLM, Design
from pytest_membench.errors import CallFailed
from pytest_membench.llm.client import Model
from pytest_membench.llm.meter import Meter
from pytest_membench.llm.sim.model import complete, embed
from pytest_membench.prices import same_provider
from pytest_membench.run import build as building
from pytest_membench.run.answer import answer

Status = Literal["ok", "failed", "unknown"]
FEW_TOKENS = 16
"""The max_tokens that a long reply is asked for with."""
_COUNT = "Count from one to two hundred in words, separated by commas. Write all of them."
_JSON = {"type": "json_object"}
Messages = Sequence[Mapping[str, str]]


class Check(NamedTuple):
    """One thing that a run needs of the endpoint: whether it is so, and what came back."""

    name: str
    status: Status
    said: str


@dataclass(frozen=True)
class Asked:
    """What stands before the answering model for one probe, beside the question."""

    person: Person
    snippets: Sequence[Snippet]
    recent: Sequence[Turn]
    pending: Sequence[Turn]
    tools: Sequence[Tool]

    def answer(self, question: str, llm: LLM) -> Any:
        """Answer a question as a run does. Raises CallFailed."""
        return answer(
            self.person,
            question,
            snippets=self.snippets,
            recent=self.recent,
            pending=self.pending,
            tools=self.tools,
            llm=llm,
        )


@dataclass
class Longest:
    """The longest prompt of a dry run, the longest of its answering prompts, and what that one was made of."""

    tokens: int = 0
    stage: str = ""
    messages: Messages = ()
    answer_tokens: int = 0
    answer_messages: Messages = ()
    asked: Asked | None = None


@dataclass
class _Dry:
    """The stand-in model in this process; it notes the longest prompt that it is sent."""

    stage: str
    tokens: int = 0
    messages: Messages = field(default_factory=list)

    def chat(self, messages: Messages, *, response_format: Mapping[str, Any] | None = None) -> Reply:
        """Answer as sim does."""
        size = tokens.count_messages([message["content"] for message in messages])
        if size > self.tokens:
            self.tokens, self.messages = size, [dict(message) for message in messages]
        body = {"model": "sim", "messages": list(messages), "response_format": response_format}
        choice = complete(body)["choices"][0]
        return Reply(choice["message"]["content"], Usage(), finish_reason=choice["finish_reason"])

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return sim's vectors."""
        return [row["embedding"] for row in embed({"model": "sim", "input": list(texts)})["data"]] if texts else []


def dry_run(designs: Sequence[Design[Any]], suite: Suite) -> Longest:
    """Return the longest prompt that the designs send for the suite, with the stand-in in the model's place.

    Memories that the model writes are the stand-in's, so their length is a guess; what is shown verbatim is not.
    """
    found = Longest()
    for design in designs:
        for person in suite.people:
            _of_person(design, person, found)
    return found


def _of_person(design: Design[Any], person: Person, found: Longest) -> None:
    ingest, retrieval = _Dry("ingest"), _Dry("retrieval")
    memory = building.build(design, person, ingest)
    recent = person.turns[-design.recent :] if design.recent else ()
    pending = memory.pending if design.show_pending else ()
    for probe in person.probes:
        snippets = building.recall(design, memory, probe.q, retrieval)
        asked = Asked(person, snippets, recent, pending, design.tools(memory.state))
        dry = _Dry("answer")
        asked.answer(probe.q, dry)
        if dry.tokens > found.answer_tokens:
            found.answer_tokens, found.answer_messages, found.asked = dry.tokens, dry.messages, asked
        _keep_longest(found, dry)
    _keep_longest(found, ingest)
    _keep_longest(found, retrieval)


def _keep_longest(found: Longest, dry: _Dry) -> None:
    if dry.tokens > found.tokens:
        found.tokens, found.stage, found.messages = dry.tokens, dry.stage, dry.messages


def checks(longest: Longest, model: Model, meter: Meter) -> list[Check]:
    """Return what the endpoint did with the real prompts. Live calls are made and metered; nothing is recorded.

    Where it does not answer at all, the other checks are unknown.
    """
    llm = model.at("answer", meter)
    try:
        reply = llm.chat(longest.messages)
    except CallFailed as error:
        names = ("usage", "provider", "JSON mode", "tool protocol", "max_tokens")
        rest = [Check(name, "unknown", "not tried: the endpoint does not answer") for name in names]
        return [Check("answers", "failed", str(error)), *rest]
    return [
        Check("answers", "ok", f"{longest.stage} prompt of {longest.tokens:,} tokens: {_short(reply.text)}"),
        _usage(reply, longest.tokens),
        _provider(reply, model.setting.provider),
        _tried("JSON mode", lambda: _json_mode(longest, llm)),
        _tried("tool protocol", lambda: _tools(longest, llm)),
        _tried("max_tokens", lambda: _max_tokens(model, meter)),
    ]


def _tried(name: str, check: Callable[[], tuple[Status, str]]) -> Check:
    try:
        return Check(name, *check())
    except CallFailed as error:
        return Check(name, "failed", str(error))


def _usage(reply: Reply, counted: int) -> Check:
    usage = reply.usage
    shown = [f"{_number(usage.input)} in ({counted:,} by o200k_base)", f"{_number(usage.output)} out"]
    shown += [f"{_number(usage.cached)} cached", f"{_number(usage.reasoning)} reasoning"]
    status: Status = "failed" if usage.input is None or usage.output is None else "ok"
    return Check("usage", status, ", ".join(shown))


def _number(value: int | None) -> str:
    return "not reported" if value is None else f"{value:,}"


def _provider(reply: Reply, pinned: str | None) -> Check:
    if reply.provider is None:
        return Check("provider", "unknown", "not reported" + (f"; {pinned} is pinned" if pinned else ""))
    if pinned and not same_provider(reply.provider, pinned):
        return Check("provider", "failed", f"{reply.provider} served, not the pinned {pinned}")
    return Check("provider", "ok", reply.provider)


def _json_mode(longest: Longest, llm: LLM) -> tuple[Status, str]:
    reply = llm.chat(longest.answer_messages, response_format=_JSON)
    said = f"answer prompt of {longest.answer_tokens:,} tokens: {_short(reply.text)}"
    return ("ok" if _is_object(reply.text) else "failed"), said


def _is_object(text: str) -> bool:
    try:
        return isinstance(orjson.loads(text), dict)
    except orjson.JSONDecodeError:
        return False


def _tools(longest: Longest, llm: LLM) -> tuple[Status, str]:
    asked = longest.asked
    if asked is None or not asked.tools:
        return "unknown", "the design offers no tool"
    name = next((tool.name for tool in asked.tools if tool.name == "search_chat"), asked.tools[0].name)
    word = max(asked.person.turns[0].text.split(), key=len).strip(".,!?;:\"'()")
    question = f'Search first: call {name} once, for "{word}". Then tell me in one sentence what we said about {word}.'
    given = asked.answer(question, llm)
    called = ", ".join(f"{tool}({orjson.dumps(dict(arguments)).decode()})" for tool, arguments in given.calls)
    said = f"called {called or 'nothing'}; answered {_short(given.text)}"
    if given.plain:
        return "failed", f"{said}, outside the JSON protocol"
    return ("ok", said) if given.calls else ("unknown", said)


def _max_tokens(model: Model, meter: Meter) -> tuple[Status, str]:
    before = len(meter.calls)
    try:
        text = (
            replace(model, max_tokens=FEW_TOKENS).at("answer", meter).chat([{"role": "user", "content": _COUNT}]).text
        )
    except CallFailed:
        if meter.calls[-1].usage.output is None:
            raise
        text = ""  # a model that thought for as long as it was allowed to
    usages = [call.usage.output for call in meter.calls[before:]]
    output = usages[-1] if usages[-1] is not None else tokens.count(text)
    said = f"asked for {FEW_TOKENS}, got {output}: {_short(text)}"
    return ("ok" if output <= FEW_TOKENS else "failed"), said


def _short(text: str) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= 90 else line[:90] + "...")
