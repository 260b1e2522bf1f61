"""The checks of an endpoint: each kind of endpoint that cannot serve a run is told apart."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest

from pytest_membench import LLM, Batch, Design, Person, Snippet
from pytest_membench.data import Setting, Suite
from pytest_membench.llm.client import Endpoint, Model
from pytest_membench.llm.meter import Meter
from pytest_membench.llm.sim.model import complete
from pytest_membench.prices import Price
from pytest_membench.run.preflight import Check, Longest, checks, dry_run

Body = dict[str, Any]


@dataclass(frozen=True)
class Whole(Design[list[str]]):
    """All turns, as they stand."""

    label = "whole"
    recent = 0

    def start(self) -> list[str]:
        return []

    def ingest(self, state: list[str], batch: Batch, llm: LLM) -> list[str]:
        return [*state, *map(str, batch)]

    def recall(self, state: list[str], question: str, llm: LLM) -> list[Snippet]:
        return [Snippet(line) for line in state]


@dataclass(frozen=True)
class Wordy(Whole):
    """A design whose writing takes the longest prompt."""

    label = "wordy"

    def ingest(self, state: list[str], batch: Batch, llm: LLM) -> list[str]:
        llm.chat([{"role": "user", "content": "word " * 900 + str(batch)}])
        return super().ingest(state, batch, llm)


@pytest.fixture
def longest(person: Person) -> Longest:
    """The dry run of a design that shows everything."""
    return dry_run([Whole()], Suite("s", (person,)))


def test_the_longest_prompt_is_the_answering_one_of_a_design_that_shows_everything(longest: Longest) -> None:
    """It holds the whole chat and is found without any endpoint."""
    assert longest.stage == "answer"
    assert "red kayak" in longest.messages[1]["content"]
    assert longest.tokens == longest.answer_tokens


def test_the_longest_prompt_may_be_one_of_writing(person: Person) -> None:
    """The answering prompt is kept beside it: JSON mode and tools are its business."""
    found = dry_run([Whole(), Wordy()], Suite("s", (person,)))
    assert (found.stage, found.tokens > 900 > found.answer_tokens) == ("ingest", True)
    assert "# Memory" in found.answer_messages[1]["content"]


def run(longest: Longest, serve: Callable[[Body], httpx2.Response], **model: Any) -> tuple[dict[str, Check], Meter]:
    """Check a scripted endpoint; return the checks by name, and what they spent."""
    transport = httpx2.MockTransport(lambda request: serve(json.loads(request.content)))
    endpoint = Endpoint("http://model.invalid/v1", "key", trust_env=False, sleep=lambda _: None, transport=transport)
    meter = Meter("preflight")
    made = checks(longest, Model(endpoint, **{"setting": Setting("m"), **model}), meter)
    assert [one.name for one in made] == ["answers", "usage", "provider", "JSON mode", "tool protocol", "max_tokens"]
    return {one.name: one for one in made}, meter


def good(body: Body, **more: Any) -> httpx2.Response:
    """What sim answers, with a provider."""
    return httpx2.Response(200, json={**complete(body), "provider": "Groq", **more})


def text(content: str, output: int = 5) -> httpx2.Response:
    """A reply of this text."""
    choice = {"message": {"content": content}, "finish_reason": "stop"}
    return httpx2.Response(200, json={"choices": [choice], "usage": {"prompt_tokens": 9, "completion_tokens": output}})


def test_an_endpoint_that_does_all_of_it_passes(longest: Longest) -> None:
    """Every check is ok and shows what came back; the calls are metered and priced."""
    found, meter = run(longest, good, setting=Setting("m", None, "groq"), price=Price("m", "groq", 1.0, 1.0))
    assert {one.status for one in found.values()} == {"ok"}
    assert "search_chat(" in found["tool protocol"].said
    assert found["provider"].said == "Groq"
    assert f"{longest.tokens:,} tokens" in found["answers"].said
    assert all(call.usd for call in meter.calls)


def test_plain_text_fails_json_mode_and_the_tool_protocol(longest: Longest) -> None:
    """A model that talks beside the protocol can call no tool; its words are shown."""
    found, _ = run(longest, lambda _: text("Sure, let me think.", 16))
    assert (found["answers"].status, found["JSON mode"].status, found["tool protocol"].status) == (
        "ok",
        "failed",
        "failed",
    )
    assert "'Sure, let me think.'" in found["JSON mode"].said


def test_a_model_that_answers_without_the_tool_is_unknown(longest: Longest) -> None:
    """It keeps to the protocol and did not do as it was told: neither proven nor refuted."""
    found, _ = run(longest, lambda _: text('{"answer": "no idea"}'))
    assert found["tool protocol"].status == "unknown"
    assert found["JSON mode"].status == "ok"


def test_usage_that_is_not_reported_fails(longest: Longest) -> None:
    """Tokens could not be counted; nothing is shown as 0."""
    found, _ = run(longest, lambda body: good(body, usage=None))
    assert found["usage"].status == "failed"
    assert "not reported in" in found["usage"].said
    assert found["max_tokens"].status == "ok"  # counted here instead


def test_a_refused_response_format_fails_json_mode_alone(longest: Longest) -> None:
    """The endpoint's own words say why; what needs no response_format is tested all the same."""

    def serve(body: Body) -> httpx2.Response:
        if "response_format" in body:
            return httpx2.Response(400, json={"error": {"message": "response_format is not supported"}})
        return good(body)

    found, _ = run(longest, serve)
    assert found["answers"].status == "ok"
    assert "response_format is not supported" in found["JSON mode"].said
    assert found["max_tokens"].status == "ok"


def test_a_full_context_is_named_and_the_rest_is_not_tried(longest: Longest) -> None:
    """One call is made; the message has the prompt's tokens and the limit."""
    error = {"message": "too long", "type": "exceed_context_size_error", "n_prompt_tokens": 1407, "n_ctx": 256}
    found, meter = run(longest, lambda _: httpx2.Response(400, json={"error": error}))
    assert "the prompt of 1,407 tokens is longer than the context of 256 tokens" in found["answers"].said
    assert [one.status for one in found.values()] == ["failed", *["unknown"] * 5]
    assert len(meter.calls) == 1


def test_max_tokens_that_is_ignored_fails(longest: Longest) -> None:
    """A budget that counts on it would not hold."""
    found, _ = run(longest, lambda body: good({**body, "max_tokens": None}))
    assert found["max_tokens"].status == "failed"


def test_a_model_that_thinks_for_all_of_max_tokens_keeps_to_it(longest: Longest) -> None:
    """An empty reply that was cut off at 16 tokens is proof enough; one of 400 is proof of the contrary."""

    def serve(output: int) -> Callable[[Body], httpx2.Response]:
        choice = {"message": {"content": ""}, "finish_reason": "length"}
        empty = {"choices": [choice], "usage": {"prompt_tokens": 9, "completion_tokens": output}}
        return lambda body: httpx2.Response(200, json=empty) if "max_tokens" in body else good(body)

    statuses = [run(longest, serve(output))[0]["max_tokens"].status for output in (16, 400)]
    assert statuses == ["ok", "failed"]


@pytest.mark.parametrize(("named", "status"), [("Groq", "ok"), ("DeepInfra", "failed"), (None, "unknown")])
def test_another_provider_than_the_pinned_one_fails(longest: Longest, named: str | None, status: str) -> None:
    """Fallbacks are off, so another name means that the pin does nothing."""
    found, _ = run(longest, lambda body: good(body, provider=named), setting=Setting("m", None, "groq"))
    assert found["provider"].status == status


def test_a_design_without_tools_leaves_the_protocol_untested(person: Person) -> None:
    """Nothing is asked that the run would not need."""

    class Bare(Whole):
        def tools(self, state: list[str]) -> list[Any]:
            return []

    found, _ = run(dry_run([Bare()], Suite("s", (person,))), good)
    assert (found["tool protocol"].status, found["tool protocol"].said) == ("unknown", "the design offers no tool")
