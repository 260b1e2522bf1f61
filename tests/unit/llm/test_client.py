"""The client over real openai: what is sent, what is retried, what is metered, what is kept from errors."""

import json
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx2
import pytest

from pytest_membench.data import Setting, Usage
from pytest_membench.errors import CallFailed, ContextOverflow, OverBudget, StoreError
from pytest_membench.llm import cassette as cassettes
from pytest_membench.llm.budget import Budget
from pytest_membench.llm.client import ATTEMPTS, Endpoint, MeteredLLM, Model
from pytest_membench.llm.meter import Meter
from pytest_membench.llm.refusals import LONGEST_WAIT_S
from pytest_membench.prices import Price
from pytest_membench.store import append_line

KEY = "sk-test-0123456789"
HI = [{"role": "user", "content": "hi"}]
USAGE = {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}


def chat(text: str | None = "hello", **more: Any) -> dict[str, Any]:
    """A chat completion as endpoints answer it."""
    return {"choices": [{"message": {"content": text}, "finish_reason": "stop"}], "usage": USAGE, **more}


def ok(**more: Any) -> httpx2.Response:
    """A response that worked."""
    return httpx2.Response(200, json=chat(**more))


def refused(status: int, message: str = "no", **headers: str) -> httpx2.Response:
    """A response with an error status."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx2.Response(status, json={"error": {"message": message}}, headers=named)


class Fake:
    """An endpoint that goes through its script (the last step for ever), and what it saw."""

    def __init__(self, *script: httpx2.Response | Exception, key: str = KEY, **model: Any) -> None:
        self.script = script or (ok(),)
        self.seen: list[httpx2.Request] = []
        self.slept: list[float] = []
        self.meter = Meter("item")
        transport = httpx2.MockTransport(self._respond)
        self.endpoint = Endpoint(
            "http://model.invalid/v1", key, trust_env=False, sleep=self.slept.append, transport=transport
        )
        self.model = Model(self.endpoint, **{"setting": Setting("m"), **model})

    def _respond(self, request: httpx2.Request) -> httpx2.Response:
        self.seen.append(request)
        step = self.script[min(len(self.seen), len(self.script)) - 1]
        if isinstance(step, Exception):
            raise step
        return httpx2.Response(step.status_code, headers=step.headers, content=step.content)

    @property
    def llm(self) -> MeteredLLM:
        """The model at the answer stage."""
        return self.model.at("answer", self.meter)

    @property
    def body(self) -> Any:
        """The last request's body."""
        return json.loads(self.seen[-1].content)

    def failure(self) -> str:
        """What a chat that fails says."""
        with pytest.raises(CallFailed) as caught:
            self.llm.chat(HI)
        return str(caught.value)


# --- what is sent and what comes back ------------------------------------------------------------


def test_a_chat_sends_model_messages_and_temperature_and_nothing_else() -> None:
    """Nothing that was not asked for stands in the body: some endpoints refuse what they do not know."""
    fake = Fake()
    fake.llm.chat(HI)
    assert fake.body == {"model": "m", "messages": HI, "temperature": 0.0}
    assert fake.seen[0].url == "http://model.invalid/v1/chat/completions"
    assert fake.seen[0].headers["authorization"] == f"Bearer {KEY}"


def test_effort_provider_and_sampling_are_sent() -> None:
    """A pinned provider is the only one allowed: its prices and its tokens are what is measured."""
    fake = Fake(setting=Setting("gpt-oss-20b", "low", "groq"), temperature=0.7, max_tokens=64)
    fake.llm.chat(HI, response_format={"type": "json_object"})
    assert fake.body == {
        "model": "gpt-oss-20b",
        "messages": HI,
        "temperature": 0.7,
        "max_tokens": 64,
        "reasoning_effort": "low",
        "provider": {"order": ["groq"], "allow_fallbacks": False},
        "response_format": {"type": "json_object"},
    }


def test_messages_carry_role_and_content_alone() -> None:
    """What else a design puts into a message does not reach the model."""
    fake = Fake()
    fake.llm.chat([{"role": "user", "content": "hi", "probe": "recall-01"}])
    assert fake.body["messages"] == HI


def test_a_reply_has_text_usage_provider_and_finish_reason() -> None:
    """What the endpoint says comes back, and goes into the ledger with its price."""
    fake = Fake(ok(provider="Groq"), price=Price("m", None, 1.0, 2.0))
    reply = fake.llm.chat(HI)
    assert (reply.text, reply.provider, reply.finish_reason) == ("hello", "Groq", "stop")
    assert reply.usage == Usage(input=10, output=2)
    (call,) = fake.meter.calls
    assert (call.stage, call.kind, call.usage, call.provider, call.attempt) == (
        "answer",
        "chat",
        reply.usage,
        "Groq",
        1,
    )
    assert call.usd == pytest.approx(14e-6)
    assert (call.replayed, call.error) == (False, None)


def test_a_model_without_a_price_gives_tokens_and_no_money() -> None:
    """An unknown price is not 0."""
    fake = Fake()
    fake.llm.chat(HI)
    assert (fake.meter.calls[0].usd, fake.meter.usage("answer").input) == (None, 10)


@pytest.mark.parametrize(("reported", "noted"), [(0.25, 0.25), (0, 0.0), (None, None), ("0.25", None)])
def test_the_cost_an_endpoint_reports_is_noted_beside_ours(reported: object, noted: float | None) -> None:
    """OpenRouter's usage.cost is kept, never mixed with the price table's figure."""
    fake = Fake(ok(usage={**USAGE, "cost": reported}))
    fake.llm.chat(HI)
    assert (fake.meter.calls[0].observed_usd, fake.meter.calls[0].usd) == (noted, None)


@pytest.mark.parametrize("usage", [None, "none", [1]])
def test_a_reply_without_readable_usage_stands(usage: object) -> None:
    """Its tokens are unknown; they do not become 0, and the reply is not lost."""
    fake = Fake(ok(usage=usage))
    assert fake.llm.chat(HI).text == "hello"
    assert fake.meter.usage("answer").input is None


def test_a_model_that_spent_its_budget_on_thinking_fails_the_call() -> None:
    """An empty reply that was cut off is no answer, and asking again would end the same."""
    choice = {"message": {"content": None}, "finish_reason": "length"}
    usage = {**USAGE, "completion_tokens_details": {"reasoning_tokens": 2}}
    fake = Fake(ok(choices=[choice], usage=usage), price=Price("m", None, 1.0, 2.0))
    said = fake.failure()
    assert "spent its 2 output tokens, 2 of them reasoning" in said
    assert "raise --membench-max-tokens" in said
    (call,) = fake.meter.calls
    assert call.usage.output == 2
    assert call.usd == pytest.approx(14e-6)  # it is billed all the same


@pytest.mark.parametrize("content", [None, "", " \n"])
def test_an_empty_reply_is_asked_for_once_more(content: str | None) -> None:
    """A blank text is written into no memory and scored as no answer."""
    fake = Fake(ok(choices=[{"message": {"content": content}, "finish_reason": "stop"}]), ok())
    assert fake.llm.chat(HI).text == "hello"
    assert [bool(call.error) for call in fake.meter.calls] == [True, False]


def test_a_second_empty_reply_fails_the_call() -> None:
    """A model at temperature 0 says nothing as often as it is asked."""
    fake = Fake(ok(choices=[{"message": {"content": ""}, "finish_reason": "stop"}]))
    assert "after 2 attempt(s): the reply is empty (finish reason 'stop')" in fake.failure()


def test_a_refusal_is_what_the_model_says() -> None:
    """Some endpoints give the text of a refusal beside an empty content."""
    fake = Fake(ok(choices=[{"message": {"content": None, "refusal": "I will not."}, "finish_reason": "stop"}]))
    assert fake.llm.chat(HI).text == "I will not."


def test_embeddings_come_in_the_order_of_the_texts() -> None:
    """One vector a text, of the model named for embeddings, billed apart from chats."""
    rows = [{"embedding": [0.1, 0.2]}, {"embedding": [0.3, 0.4]}]
    fake = Fake(httpx2.Response(200, json={"data": rows, "usage": {"prompt_tokens": 4}}), embedding_model="e")
    assert fake.llm.embed(["a", "b"]) == [[0.1, 0.2], [0.3, 0.4]]
    assert fake.body == {"model": "e", "input": ["a", "b"], "encoding_format": "float"}
    assert fake.seen[0].url.path == "/v1/embeddings"
    assert fake.meter.usage("answer", "embed").input == 4
    assert fake.meter.usage("answer").input == 0


def test_embeddings_use_the_answering_model_unless_told() -> None:
    """Without a model of their own, embeddings ask the setting's."""
    fake = Fake(httpx2.Response(200, json={"data": [{"embedding": [1.0]}]}))
    fake.llm.embed(["a"])
    assert fake.body["model"] == "m"


def test_no_text_needs_no_call() -> None:
    """An empty list is answered without the endpoint."""
    fake = Fake()
    assert fake.llm.embed([]) == []
    assert fake.seen == []


@pytest.mark.parametrize("data", [[], [{"embedding": [1.0]}], [{"embedding": [1.0]}, {}], None, [3, 4]])
def test_a_vector_too_few_fails_and_is_noted(data: object) -> None:
    """A design that pairs texts with vectors must not be handed fewer, nor hide that it was."""
    fake = Fake(httpx2.Response(200, json={"data": data}))
    with pytest.raises(CallFailed, match="vectors for 2 texts") as caught:
        fake.llm.embed(["a", "b"])
    assert fake.meter.failures == [caught.value]


# --- retries -------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 529])
def test_what_may_pass_is_tried_again(status: int) -> None:
    """A rate limit or an outage is waited out; every attempt is a line of the ledger."""
    fake = Fake(refused(status), refused(status), ok())
    assert fake.llm.chat(HI).text == "hello"
    assert [(c.attempt, bool(c.error)) for c in fake.meter.calls] == [(1, True), (2, True), (3, False)]
    assert fake.slept == [1.0, 2.0]
    assert fake.meter.failures == []


def test_a_broken_connection_is_tried_again() -> None:
    """A refused connection and a timeout may pass too."""
    fake = Fake(httpx2.ConnectError("refused"), httpx2.ReadTimeout("slow"), ok())
    assert fake.llm.chat(HI).text == "hello"
    assert [c.error for c in fake.meter.calls if c.error] == [
        "APIConnectionError: Connection error. (ConnectError: refused)",
        "read timeout: the endpoint sent nothing within 300 s; allow more with --membench-timeout (now 300 s)",
    ]


def test_a_reply_that_is_no_json_is_tried_again() -> None:
    """A gateway's page with status 200 is an outage, not an answer."""
    fake = Fake(httpx2.Response(200, content=b"<html>busy</html>"), ok())
    assert fake.llm.chat(HI).text == "hello"
    assert "JSONDecodeError" in str(fake.meter.calls[0].error)


@pytest.mark.parametrize(
    ("headers", "waited"),
    [
        ({"retry_after": "7"}, 7.0),
        ({"retry_after_ms": "250"}, 0.25),
        ({"retry_after_ms": "250", "retry_after": "7"}, 0.25),
        ({"retry_after": "86400"}, LONGEST_WAIT_S),
        ({"retry_after": "-1"}, 0.0),
        ({"retry_after": "nan"}, 0.0),
        ({"retry_after": "Wed, 21 Oct 2026 07:28:40 GMT", "date": "Wed, 21 Oct 2026 07:28:00 GMT"}, 40.0),
        ({"retry_after": "Wed, 21 Oct 2026 07:28:00 GMT", "date": "Wed, 21 Oct 2026 07:28:40 GMT"}, 0.0),
        ({"retry_after": "Thu, 01 Jan 1970 00:16:45 GMT"}, 5.0),
        ({"retry_after": "soon"}, 1.0),
    ],
)
def test_the_server_says_how_long_to_wait(headers: dict[str, str], waited: float) -> None:
    """Retry-After-ms goes before Retry-After, which is seconds or a date; none is trusted beyond a minute."""
    fake = Fake(refused(429, **headers), ok())
    fake.endpoint.clock = lambda: 1000.0
    fake.llm.chat(HI)
    assert fake.slept == [waited]
    assert [(call.status, call.waited_s) for call in fake.meter.calls] == [(429, waited), (None, 0.0)]


def test_the_last_attempt_fails_the_call() -> None:
    """After all attempts the error says how many there were; no sleep follows the last."""
    fake = Fake(refused(503, "overloaded"))
    said = fake.failure()
    assert said.startswith(f"answer call to m failed after {ATTEMPTS} attempt(s): HTTP 503")
    assert said.endswith("overloaded")
    assert [c.attempt for c in fake.meter.calls] == [1, 2, 3, 4, 5]
    assert fake.slept == [1.0, 2.0, 4.0, 8.0]


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 422])
def test_what_will_not_pass_fails_at_once(status: int) -> None:
    """No credit, no right or a bad request: one attempt, no sleep."""
    fake = Fake(refused(status, "no credit"))
    said = fake.failure()
    assert f"failed after 1 attempt(s): HTTP {status}" in said
    assert said.endswith("no credit")
    assert (len(fake.seen), fake.slept) == (1, [])


def test_an_array_where_an_object_belongs_fails() -> None:
    """An answer of another shape is not retried."""
    assert "answered list where a JSON object was wanted" in Fake(httpx2.Response(200, json=[])).failure()


@pytest.mark.parametrize(
    "body", [{}, {"choices": []}, {"choices": None}, {"choices": {"a": 1}}, {"choices": [3]}, {"choices": [{}]}]
)
def test_a_response_without_a_reply_fails(body: dict[str, Any]) -> None:
    """No choice is no answer: an empty text would be scored, or written into a memory."""
    fake = Fake(httpx2.Response(200, json=body))
    assert "the endpoint gave no reply" in fake.failure()
    assert len(fake.meter.failures) == 1


def test_an_upstream_error_with_status_200_fails_and_is_not_recorded(tmp_path: Path) -> None:
    """Some routers report an upstream's error so; the call is asked again at the next recording."""
    fake = Fake(httpx2.Response(200, json={"error": {"message": "upstream is down", "code": 502}}), ok())
    file = tmp_path / "item.json"
    with cassettes.use(file, "new"):
        assert "upstream is down" in fake.failure()
    with cassettes.use(file, "new"):
        assert fake.llm.chat(HI).text == "hello"


def test_more_cached_tokens_than_the_prompt_has_leave_the_input_unknown() -> None:
    """What cannot be billed is not billed by guess, and the reply stands."""
    fake = Fake(ok(usage={**USAGE, "prompt_tokens_details": {"cached_tokens": 11}}))
    assert fake.llm.chat(HI).text == "hello"
    assert (fake.meter.usage("answer").input, fake.meter.usage("answer").cached) == (None, None)
    assert fake.meter.usd("answer") is None


def test_an_empty_reply_is_asked_for_again() -> None:
    """Some upstreams say nothing now and then; a reply that was cut off is not asked for again."""
    empty = {"message": {"content": " "}, "finish_reason": "stop"}
    fake = Fake(ok(choices=[empty]), ok())
    assert fake.llm.chat(HI).text == "hello"
    assert "the reply is empty (finish reason 'stop')" in str(fake.meter.calls[0].error)


def test_a_reply_that_stays_empty_fails_the_call() -> None:
    """No design gets an empty text for a reply."""
    fake = Fake(*[ok(choices=[{"message": {"content": None}, "finish_reason": "stop"}])] * ATTEMPTS)
    assert "the reply is empty" in fake.failure()


def test_a_failed_attempt_that_reports_usage_is_billed() -> None:
    """The ledger has the tokens and the price of an answer that never came."""
    body = {"error": {"message": "upstream went away"}, "usage": USAGE, "provider": "Groq"}
    fake = Fake(
        httpx2.Response(502, json=body), httpx2.Response(200, json={"usage": USAGE}), price=Price("m", None, 1, 2)
    )
    fake.failure()
    assert [(call.usage.input, call.usd) for call in fake.meter.calls] == [(10, 14e-6), (10, 14e-6)]
    assert fake.meter.calls[0].provider == "Groq"
    assert fake.meter.usd("answer") == 0


@pytest.mark.parametrize("body", [b"", b"busy", b"[]"])
def test_a_refusal_whose_body_is_no_object_is_a_refusal(body: bytes) -> None:
    """What a proxy puts before the endpoint does not break the reading of its status."""
    assert "failed after 1 attempt(s): HTTP 403" in Fake(httpx2.Response(403, content=body)).failure()


# --- timeouts ------------------------------------------------------------------------------------


def test_a_connect_timeout_is_named() -> None:
    """It says that there was no connection, the seconds allowed, and which option gives more."""
    said = Fake(httpx2.ConnectTimeout("slow")).failure()
    assert (
        "connect timeout: there was no connection within 30 s; allow more with --membench-timeout (now 300 s)" in said
    )


class Dribble(BaseHTTPRequestHandler):
    """Sends a reply of which there is no end, a byte at a time."""

    def do_POST(self) -> None:
        """Answer a chat."""
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-length", "1000000")
        self.end_headers()
        with suppress(OSError):
            while True:
                self.wfile.write(b" ")
                time.sleep(0.01)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def test_a_reply_that_does_not_end_is_cut_off(tmp_path: Path) -> None:
    """Bytes that keep coming do not keep a call alive: its whole time is limited too, also while it is recorded."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Dribble)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    endpoint = Endpoint(
        f"http://127.0.0.1:{server.server_port}/v1", KEY, trust_env=False, timeout_s=0.2, sleep=lambda _: None
    )
    try:
        with cassettes.use(tmp_path / "item.json", "new") as cassette, pytest.raises(CallFailed) as caught:
            Model(endpoint, Setting("m")).at("answer", Meter("item"), lambda: cassette.replayed).chat(HI)
    finally:
        endpoint.close()
        server.shutdown()
        thread.join()
        server.server_close()
    assert "read timeout: the reply did not end within 0.2 s; allow more with --membench-timeout" in str(caught.value)


# --- a context that is full ----------------------------------------------------------------------


def test_a_prompt_that_is_too_long_is_a_failure_of_its_own() -> None:
    """The message has the prompt's tokens and the limit, where the endpoint says them."""
    fake = Fake(refused(400, "prompt is too long: 208656 tokens > 200000 maximum"))
    with pytest.raises(ContextOverflow) as caught:
        fake.llm.chat(HI)
    assert "the prompt of 208,656 tokens is longer than the context of 200,000 tokens" in str(caught.value)
    assert caught.value.status == 400
    assert len(fake.seen) == 1


@pytest.mark.parametrize("status", [200, 500])
def test_an_overflow_with_another_status_is_not_asked_again(status: int) -> None:
    """llama.cpp once said 500, and routers hand an upstream's refusal on with a 200."""
    error = {"message": "the request exceeds the available context size", "type": "exceed_context_size_error"}
    fake = Fake(httpx2.Response(status, json={"error": error}))
    with pytest.raises(ContextOverflow):
        fake.llm.chat(HI)
    assert len(fake.seen) == 1


# --- prices of who served ------------------------------------------------------------------------

TABLE = (Price("m", "groq", 1.0, 2.0), Price("m", "amazon-bedrock", 3.0, 4.0))


@pytest.mark.parametrize(
    ("provider", "usd", "at_contract"),
    [
        ("Groq", 14e-6, False),
        ("Amazon Bedrock", 38e-6, False),
        ("Elsewhere", 14e-6, True),
        (None, 14e-6, False),
    ],
)
def test_a_request_is_billed_at_the_price_of_who_served_it(provider: str | None, usd: float, at_contract: bool) -> None:
    """10 in and 2 out: 10 x 1 + 2 x 2 at groq, 10 x 3 + 2 x 4 at bedrock; without a price, the contract's, said so."""
    fake = Fake(ok(provider=provider), setting=Setting("m", None, "groq"), price=TABLE[0], table=TABLE)
    fake.llm.chat(HI)
    assert fake.meter.calls[0].usd == pytest.approx(usd)
    assert fake.meter.calls[0].at_contract is at_contract


# --- the budget ----------------------------------------------------------------------------------


def budget(tmp_path: Path, usd: float) -> Budget:
    """A budget that never waits."""
    return Budget(tmp_path / "budget.json", "s", usd, sleep=lambda _: pytest.fail("waited"))


def test_a_call_that_could_pass_the_budget_is_not_made(tmp_path: Path) -> None:
    """At 1 USD a million and at most 100 output tokens, a short chat can cost 0.00017 USD: too much for 0.0001."""
    fake = Fake(price=Price("m", None, 1.0, 1.0), max_tokens=100, budget=budget(tmp_path, 0.0001))
    with pytest.raises(OverBudget, match=r"the budget of 0\.000100 USD is used up.*higher --membench-budget-usd"):
        fake.llm.chat(HI)
    assert fake.seen == []
    assert [type(failure) for failure in fake.meter.failures] == [OverBudget]


def test_calls_are_settled_at_what_they_cost(tmp_path: Path) -> None:
    """Three chats of 12 tokens cost 36e-6 USD, and nothing stays reserved."""
    fake = Fake(price=Price("m", None, 1.0, 1.0), max_tokens=100, budget=budget(tmp_path, 0.001))
    for _ in range(3):
        fake.llm.chat(HI)
    state = budget(tmp_path, 0.001).state()
    assert (state["spent"], state["reserved"]) == (pytest.approx(36e-6), 0)


@pytest.mark.parametrize(
    ("step", "released"),
    [
        (refused(402), True),
        (refused(400), True),
        (refused(500), False),
        (httpx2.ConnectError("refused"), True),
        (httpx2.ReadTimeout("slow"), False),
        (ok(usage=None), False),
        (httpx2.Response(200, content=b'{"choices": ['), False),
    ],
    ids=["402", "400", "500", "no connection", "read timeout", "no usage", "cut off"],
)
def test_a_claim_stands_where_the_bill_is_unknown(
    tmp_path: Path, step: httpx2.Response | Exception, released: bool
) -> None:
    """What a model never saw costs nothing; what it may have answered is kept as if it had."""
    fake = Fake(step, price=Price("m", None, 1.0, 1.0), max_tokens=100, budget=budget(tmp_path, 1.0))
    with suppress(CallFailed):
        fake.llm.chat(HI)
    state = budget(tmp_path, 1.0).state()
    assert state["spent"] == 0
    assert (state["reserved"] == 0) is released


def test_a_call_that_cannot_be_stored_keeps_its_claim_for_good(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was sent and may be billed; the next call must not wait for it as for one in flight."""
    lines: list[Any] = []

    def full_at_the_second(path: Path, value: Any) -> None:
        lines.append(value)
        if len(lines) == 2:
            raise StoreError("no space")
        append_line(path, value)

    monkeypatch.setattr(cassettes, "append_line", full_at_the_second)
    price = Price("m", None, 1.0, 1.0)
    fake = Fake(price=price, max_tokens=100, budget=budget(tmp_path, 0.0002))
    with cassettes.use(tmp_path / "item.json", "new") as cassette:
        llm = fake.model.at("answer", fake.meter, lambda: cassette.replayed)
        with pytest.raises(StoreError, match="no space"):
            llm.chat(HI)
        with pytest.raises(OverBudget, match=r"0\.000000 USD spent, 0\.0001\d+ USD reserved"):
            llm.chat(HI)
    assert len(fake.seen) == 1


def test_a_ledger_that_cannot_be_written_leaves_no_claim(tmp_path: Path) -> None:
    """The call is over and its cost is known: 12 tokens."""
    fake = Fake(price=Price("m", None, 1.0, 1.0), max_tokens=100, budget=budget(tmp_path, 1.0))
    fake.meter.ledger = tmp_path  # a folder
    with pytest.raises(StoreError):
        fake.llm.chat(HI)
    state = budget(tmp_path, 1.0).state()
    assert (state["spent"], state["reserved"]) == (pytest.approx(12e-6), 0)


def test_a_budget_that_cannot_be_kept_stops_the_call(tmp_path: Path) -> None:
    """Nothing is sent, the file is named, and a design that swallows the error changes nothing."""
    (tmp_path / "budget.json.lock").mkdir()
    fake = Fake(price=Price("m", None, 1.0, 1.0), budget=budget(tmp_path, 1.0))
    with pytest.raises(StoreError, match=r"budget\.json: cannot be written"):
        fake.llm.chat(HI)
    assert fake.seen == []
    assert [type(failure) for failure in fake.meter.failures] == [StoreError]


def test_a_replay_takes_nothing_from_the_budget(tmp_path: Path) -> None:
    """What a cassette holds is answered with a budget of nothing; what it does not hold is not asked."""
    fake, file = Fake(price=Price("m", None, 1.0, 1.0)), tmp_path / "item.json"
    with cassettes.use(file, "new") as cassette:
        fake.model.at("answer", fake.meter, lambda: cassette.replayed).chat(HI)
    poor = replace(fake.model, budget=budget(tmp_path, 0.0))
    with cassettes.use(file, "new") as cassette:
        llm = poor.at("answer", fake.meter, lambda: cassette.replayed)
        assert llm.chat(HI).text == "hello"
        with pytest.raises(OverBudget):
            llm.chat([{"role": "user", "content": "another"}])
    assert len(fake.seen) == 1


def test_an_embedding_without_a_price_is_not_asked_under_a_budget(tmp_path: Path) -> None:
    """A budget cannot be kept by guess; the message names the model and the option."""
    fake = Fake(price=Price("m", None, 1.0, 1.0), embedding_model="e", budget=budget(tmp_path, 1.0))
    with pytest.raises(OverBudget, match=r"e has no price for embeddings.*--membench-prices"):
        fake.llm.embed(["a"])


def test_the_dearest_provider_is_reserved_for(tmp_path: Path) -> None:
    """Whoever serves may send the bill: 100 output tokens at 4 USD a million do not fit where those at 2 would."""
    fake = Fake(
        setting=Setting("m", None, "groq"), price=TABLE[0], table=TABLE, max_tokens=1000, budget=budget(tmp_path, 0.003)
    )
    with pytest.raises(OverBudget, match=r"could cost 0\.0042"):
        fake.llm.chat(HI)


def test_a_swallowed_failure_stays_on_the_meter() -> None:
    """A design that catches the error does not turn an outage into a result."""
    fake = Fake(refused(402, "no credit"))
    with suppress(CallFailed):
        fake.llm.chat(HI)
    (failure,) = fake.meter.failures
    assert "HTTP 402" in str(failure)


# --- live or replayed ----------------------------------------------------------------------------


def test_replayed_calls_are_told_from_live_ones(tmp_path: Path) -> None:
    """The ledger says which calls a cassette answered."""
    fake, file = Fake(), tmp_path / "item.json"

    def ask(*texts: str) -> list[bool]:
        with cassettes.use(file, "new") as cassette:
            llm = fake.model.at("answer", meter := Meter("item"), lambda: cassette.replayed)
            for text in texts:
                llm.chat([{"role": "user", "content": text}])
        return [call.replayed for call in meter.calls]

    assert ask("a") == [False]
    assert ask("a", "b") == [True, False]


# --- secrets -------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", [KEY, "plain-secret-without-prefix"])
def test_the_key_is_hidden_in_errors(key: str) -> None:
    """An endpoint that repeats the key does not carry it into reports and ledgers."""
    fake = Fake(refused(401, f"Incorrect API key provided: {key}."), key=key)
    assert "provided: " in fake.failure()
    assert key not in fake.failure()
    assert key not in str(fake.meter.calls[0].error)


@pytest.mark.parametrize("before", range(360, 400, 7))
def test_no_half_of_a_key_is_left_where_an_error_is_cut(before: int) -> None:
    """A long message is cut after its secrets are hidden."""
    fake = Fake(refused(401, "x" * before + "plain-secret-without-prefix"), key="plain-secret-without-prefix")
    assert "plain" not in fake.failure()


@pytest.mark.parametrize(
    "text",
    [
        "Authorization: Bearer abcdef123456",
        "the key sk-or-v1-abcdef123456 is wrong",
        'body {"api_key": "abcdef123456"}',
        "see ?api-key=abcdef123456",
    ],
)
def test_what_looks_like_a_key_is_hidden(text: str) -> None:
    """Another's key, a header or a query parameter is hidden as well."""
    assert "abcdef123456" not in Fake().endpoint.hide(text)


def test_words_are_not_hidden() -> None:
    """A short key (sim's is three letters) does not blot out the words that hold it."""
    assert Fake(key="sim").endpoint.hide("a similar simile") == "a similar simile"


# --- the environment -----------------------------------------------------------------------------


class Server(ThreadingHTTPServer):
    """A loopback endpoint that keeps the headers of what it is asked."""

    def __init__(self) -> None:
        self.asked: list[dict[str, str]] = []
        super().__init__(("127.0.0.1", 0), Handler)

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    """Answers every chat alike, also where it is taken for a proxy."""

    server: Server

    def do_POST(self) -> None:
        """Answer a chat."""
        self.rfile.read(int(self.headers["content-length"]))
        self.server.asked.append({name.lower(): value for name, value in self.headers.items()})
        body = json.dumps(chat()).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def servers() -> Iterator[Sequence[Server]]:
    """Two loopback endpoints: the one that is meant, and a trap."""
    servers = (Server(), Server())
    threads = [threading.Thread(target=server.serve_forever, args=(0.01,)) for server in servers]
    for thread in threads:
        thread.start()
    yield servers
    for server, thread in zip(servers, threads, strict=True):
        server.shutdown()
        thread.join()
        server.server_close()


PROXIES = ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy")


@pytest.mark.parametrize("names", [("OPENAI_BASE_URL",), PROXIES], ids=["base url", "proxy"])
def test_the_environment_does_not_redirect_the_client(
    servers: Sequence[Server], monkeypatch: pytest.MonkeyPatch, names: Sequence[str]
) -> None:
    """The endpoint given is the endpoint asked, whatever OPENAI_BASE_URL or the proxies say."""
    meant, trap = servers
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    for name in names:
        monkeypatch.setenv(name, trap.url)
    endpoint = Endpoint(f"{meant.url}/v1", KEY, trust_env=False)
    endpoint.post("/chat/completions", {"model": "m", "messages": HI})
    endpoint.close()
    assert (len(meant.asked), len(trap.asked)) == (1, 0)


def test_an_endpoint_that_trusts_the_environment_goes_through_its_proxy(
    servers: Sequence[Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The trap works: a company's proxy is used for a real endpoint, which is the default."""
    meant, proxy = servers
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HTTP_PROXY", proxy.url)
    monkeypatch.setenv("http_proxy", proxy.url)
    endpoint = Endpoint(f"{meant.url}/v1", KEY)
    endpoint.post("/chat/completions", {"model": "m", "messages": HI})
    endpoint.close()
    assert (len(meant.asked), len(proxy.asked)) == (0, 1)


def test_keys_and_accounts_of_the_environment_are_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """The key given is the key sent; no organisation, project or other key goes along."""
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, "from-the-environment")
    fake = Fake()
    fake.llm.chat(HI)
    assert "from-the-environment" not in fake.seen[0].headers.values()
    assert fake.seen[0].headers["authorization"] == f"Bearer {KEY}"
