"""Cassettes over real vcrpy and openai: what is stored, what is replayed, and what a fault leaves behind."""

import gzip
import json
import re
import socket
import threading
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx2
import openai
import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from vcr.request import Request

from pytest_membench.data import Record, Setting
from pytest_membench.errors import NotRecorded, StoreError
from pytest_membench.llm import cassette as cassettes
from pytest_membench.llm.cassette import Miss, use
from pytest_membench.llm.client import Endpoint, Model
from pytest_membench.llm.meter import Meter
from pytest_membench.llm.network import Blocked
from pytest_membench.store import append_line

KEY = "sk-test-0123456789"
ORIGINAL_SEND = httpx2.HTTPTransport.handle_request
Respond = Callable[[int], httpx2.Response]


def chat(text: str, **more: Any) -> dict[str, Any]:
    """A chat completion as endpoints answer it."""
    message = {"role": "assistant", "content": text}
    usage = {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}
    return {"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage, **more}


def replies(text: str) -> Respond:
    """Answer the n-th request with `text`, in which {} becomes n."""
    return lambda n: httpx2.Response(200, json=chat(text.format(n)))


def always(status: int, **response: Any) -> Respond:
    """Answer every request alike."""
    return lambda _: httpx2.Response(status, **response)


class Stub:
    """An endpoint that answers "reply 1", "reply 2", ... and keeps the requests it saw."""

    def __init__(self, respond: Respond | None = None, base_url: str = "http://model.invalid/v1") -> None:
        self.respond = respond or replies("reply {}")
        self.seen: list[httpx2.Request] = []
        self.endpoint = Endpoint(
            base_url, KEY, trust_env=False, sleep=self.no_sleep, transport=httpx2.MockTransport(self)
        )

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        """Answer a request."""
        self.seen.append(request)
        return self.respond(len(self.seen))

    def no_sleep(self, seconds: float) -> None:
        """Refuse to wait: no test here is to retry."""
        raise AssertionError(f"slept {seconds} s")

    def ask(self, *texts: str, **more: Any) -> str:
        """Send user messages; return the reply."""
        body = {"model": "m", "messages": messages(*texts), **more}
        data = self.endpoint.post("/chat/completions", body)
        return str(data["choices"][0]["message"]["content"])


def messages(*texts: str) -> list[dict[str, str]]:
    """User messages with these contents."""
    return [{"role": "user", "content": text} for text in texts]


def record(file: Path, *prompts: Sequence[str], mode: Record = "new", stub: Stub | None = None) -> Stub:
    """Ask each prompt in `mode`; return the endpoint that was asked."""
    stub = stub or Stub()
    with use(file, mode):
        for prompt in prompts:
            stub.ask(*prompt)
    return stub


def interactions(file: Path) -> list[dict[str, Any]]:
    """What a cassette file holds."""
    rows: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))["interactions"]
    return rows


def calls_in(part: Path) -> int:
    """How many calls a `.part` holds; its first line says what they follow."""
    return len(part.read_bytes().splitlines()) - 1


def nothing(*_: object, **__: object) -> None:
    """Do nothing."""


def no_fold(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the `.part` as it is, which is what a kill does."""
    monkeypatch.setattr(cassettes.IndexedCassette, "fold", nothing)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where the test's cassette lies."""
    return tmp_path / "deep" / "item.json"


@pytest.fixture
def part(file: Path) -> Path:
    """Where its recordings lie until they are folded in."""
    return file.with_name("item.json.part")


@pytest.fixture
def server() -> Iterator[ThreadingHTTPServer]:
    """A loopback server that answers every chat with "over the wire"."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            body = orjson.dumps(chat("over the wire"))
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the name is http.server's
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        thread = threading.Thread(target=http.serve_forever, args=(0.01,))
        thread.start()
        yield http
        http.shutdown()
        thread.join()


# --- replay --------------------------------------------------------------------------------------


def test_strict_replay_gives_the_recorded_replies_and_asks_nobody(file: Path) -> None:
    """What was recorded in `new` comes back in `none`, and the endpoint sees nothing."""
    record(file, ["a"], ["b"])
    stub = Stub()
    with use(file, "none") as cassette:
        assert [stub.ask("a"), stub.ask("b")] == ["reply 1", "reply 2"]
    assert stub.seen == []
    assert (cassette.replayed, cassette.recorded, len(cassette.unused)) == (2, 0, 0)


def test_a_real_connection_is_recorded_and_replayed_after_the_server_is_gone(
    file: Path, server: ThreadingHTTPServer
) -> None:
    """The same holds over a socket: vcrpy patches the transport that openai really uses."""
    url = f"http://127.0.0.1:{server.server_port}/v1"
    body = {"model": "m", "messages": messages("hi")}
    for mode in ("new", "none"):
        endpoint = Endpoint(url, KEY, trust_env=False)
        with use(file, mode) as cassette:
            reply = endpoint.post("/chat/completions", body)
        endpoint.close()
        server.shutdown()
        server.server_close()
        assert reply["choices"][0]["message"]["content"] == "over the wire"
    assert cassette.replayed == 1


def test_identical_requests_replay_in_recorded_order(file: Path) -> None:
    """The same prompt three times gives its three replies, in order, and then no fourth."""
    record(file, ["a"], ["a"], ["a"])
    stub = Stub()
    with use(file, "none"):
        assert [stub.ask("a") for _ in range(3)] == ["reply 1", "reply 2", "reply 3"]
        with pytest.raises(Miss, match="fewer times"):
            stub.ask("a")


def test_what_was_recorded_now_is_not_replayed(file: Path) -> None:
    """In `new` a repeated prompt is asked anew (stock vcrpy replays what it just recorded)."""
    record(file, ["a"])
    stub = Stub(replies("later {}"))
    with use(file, "new") as cassette:
        assert [stub.ask("a") for _ in range(3)] == ["reply 1", "later 1", "later 2"]
    assert (cassette.replayed, cassette.recorded) == (1, 2)
    assert len(interactions(file)) == 3


def test_recordings_that_nobody_asked_for_are_kept_and_counted(file: Path) -> None:
    """`new` drops nothing; `unused` says how much could be pruned."""
    record(file, ["a"], ["b"])
    with use(file, "new") as cassette:
        Stub().ask("b")
    assert len(cassette.unused) == 1
    assert len(interactions(file)) == 2


def test_the_host_does_not_count(file: Path) -> None:
    """A recording made at one host replays for another."""
    record(file, ["a"])
    with use(file, "none"):
        assert Stub(base_url="https://elsewhere.invalid:8443/v1").ask("a") == "reply 1"


@pytest.mark.parametrize(
    ("method", "uri", "body"),
    [
        ("POST", "http://h/v1/chat", b'{"a":2}'),
        ("POST", "http://h/v1/other", b'{"a":1}'),
        ("PUT", "http://h/v1/chat", b'{"a":1}'),
    ],
)
def test_method_path_and_body_count(method: str, uri: str, body: bytes) -> None:
    """A request that differs in one of the three has another key."""
    recorded = Request("POST", "http://h/v1/chat", b'{"a":1}', {})
    assert cassettes.key_of(Request(method, uri, body, {})) != cassettes.key_of(recorded)


def test_the_order_of_json_keys_does_not_count(file: Path) -> None:
    """Two bodies that are equal as JSON are one request."""
    body = {"model": "m", "messages": [{"role": "user", "content": "a"}], "temperature": 0.0}
    turned = {"temperature": 0.0, "messages": [{"content": "a", "role": "user"}], "model": "m"}
    with use(file, "new"):
        Stub().endpoint.post("/chat/completions", body)
    with use(file, "none") as cassette:
        Stub().endpoint.post("/chat/completions", turned)
    assert cassette.replayed == 1


def test_the_order_of_messages_counts(file: Path) -> None:
    """The same messages in another order are another request."""
    record(file, ["a", "b"])
    with use(file, "none"), pytest.raises(Miss, match="number 1"):
        Stub().ask("b", "a")


def test_bytes_that_are_not_json_have_a_digest_too() -> None:
    """A body that does not parse is found by its bytes."""
    assert cassettes.digest(b"{") == cassettes.digest(b"{")
    assert cassettes.digest(b"{") != cassettes.digest(b"{ ")


# --- a miss --------------------------------------------------------------------------------------


def miss_of(file: Path, *texts: str, rerun: str = "", **more: Any) -> Miss:
    """The error that strict replay raises for a prompt."""
    with use(file, "none", rerun), pytest.raises(Miss) as caught:
        Stub().ask(*texts, **more)
    return caught.value


def test_a_changed_character_names_the_first_message_that_differs(file: Path) -> None:
    """The message number, both previews, the file and the command stand in the miss."""
    record(file, ["first", "What is the cutover date?", "last"])
    error = miss_of(file, "first", "What is the cutover data?", "last", rerun="pytest x --membench-record=new")
    assert "first message that differs is number 2" in str(error)
    assert "recorded user of 25 characters 'What is the cutover date?'" in str(error)
    assert "now user of 25 characters 'What is the cutover data?'" in str(error)
    assert str(file) in str(error)
    assert str(error).endswith("\nrecord it with: pytest x --membench-record=new")


def test_a_change_beyond_the_preview_shows_both_ends(file: Path) -> None:
    """A long message is shown by its first and last characters."""
    record(file, ["a" * 500 + " old end"])
    error = miss_of(file, "a" * 500 + " new end")
    assert f"{'a' * cassettes.PREVIEW!r} ... " in str(error)
    assert "old end'" in str(error)
    assert "new end'" in str(error)


@pytest.mark.parametrize(
    ("recorded", "asked", "said"),
    [
        (["a", "b"], ["a"], "number 2: recorded user of 1 characters 'b', now nothing"),
        (["a"], ["a", "b"], "number 2: recorded nothing, now user of 1 characters 'b'"),
    ],
)
def test_a_message_more_or_less_is_said(file: Path, recorded: list[str], asked: list[str], said: str) -> None:
    """Where one request only has more messages, the other side shows nothing."""
    record(file, recorded)
    assert said in str(miss_of(file, *asked))


def test_other_parameters_are_said(file: Path) -> None:
    """Equal messages with another temperature miss, and the miss does not blame a message."""
    record(file, ["a"])
    assert "with other parameters" in str(miss_of(file, "a", temperature=0.5))


def test_the_nearest_recording_is_compared(file: Path) -> None:
    """Among several recordings, the one that shares most messages is named."""
    record(file, ["x"], ["a", "b", "c"], ["a", "y"])
    assert "number 3: recorded user of 1 characters 'c'" in str(miss_of(file, "a", "b", "d"))


def test_among_equally_near_recordings_one_that_was_not_replayed_is_compared(file: Path) -> None:
    """A probe's second call is compared with its own recording, not with the first call's."""
    record(file, ["one"], ["two"])
    stub = Stub()
    with use(file, "none"):
        stub.ask("one")
        with pytest.raises(Miss, match="recorded user of 3 characters 'two'"):
            stub.ask("changed")


def test_an_empty_cassette_says_so(file: Path) -> None:
    """A cassette that was never recorded is not called a changed prompt."""
    assert "the cassette does not exist or is empty" in str(miss_of(file, "a"))
    assert not file.exists()


def test_a_changed_embedding_is_named_like_a_message(file: Path) -> None:
    """Texts to embed are told apart as messages are, one text or a list."""
    body = {"model": "e", "input": ["one", "two"]}
    with use(file, "new"):
        Stub().endpoint.post("/embeddings", body)
    with use(file, "none"), pytest.raises(Miss, match="number 2: recorded input of 3 characters 'two', now input"):
        Stub().endpoint.post("/embeddings", {**body, "input": ["one", "tow"]})
    with use(file, "none"), pytest.raises(Miss, match="number 1: recorded input of 3 characters 'one', now input"):
        Stub().endpoint.post("/embeddings", {**body, "input": "text"})


@pytest.mark.parametrize("body", [b"[]", b"{", b'{"messages":[]}'])
def test_a_body_without_messages_is_a_miss_like_any_other(file: Path, body: bytes) -> None:
    """A request that is no chat misses with the number of recordings there are."""
    record(file, ["a"])
    with use(file, "none") as cassette, pytest.raises(Miss, match="its 1 recordings have another body"):
        cassette.can_play_response_for(Request("POST", "http://h/v1/chat/completions", body, {}))


def test_a_message_whose_content_is_no_text_is_described() -> None:
    """Content parts are compared by their JSON."""
    parts = [{"type": "text", "text": "hi"}]
    (row,) = cassettes.describe({"messages": [{"role": "user", "content": parts}]})
    assert row["head"] == '[{"type":"text","text":"hi"}]'


def test_a_miss_is_our_own_error_neither_wrapped_nor_retried(file: Path) -> None:
    """It is NotRecorded, reaches the caller as itself, is not slept over, and is noted on the meter."""
    record(file, ["a"])
    meter, stub = Meter("item"), Stub()
    llm = Model(stub.endpoint, Setting("m")).at("answer", meter)
    with use(file, "none"), pytest.raises(NotRecorded) as caught:
        llm.chat(messages("b"))
    assert type(caught.value) is Miss
    assert isinstance(caught.value, openai.OpenAIError)
    assert meter.failures == [caught.value]
    assert (meter.calls, stub.seen) == ([], [])


# --- what is stored ------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 529])
def test_outages_and_rate_limits_are_not_stored(file: Path, status: int) -> None:
    """A call that is worth another try leaves nothing behind, so that it is tried again."""
    stub = Stub(always(status, json={"error": {"message": "busy"}}))
    with use(file, "new") as cassette, pytest.raises(openai.APIStatusError):
        stub.ask("a")
    assert cassette.recorded == 0
    assert not file.exists()


@pytest.mark.parametrize("status", [401, 402, 403])
def test_refusals_of_the_account_are_not_stored(file: Path, status: int) -> None:
    """Another key or a paid bill must help: a refusal is no answer to the prompt, and may repeat the key."""
    message = f"Incorrect API key provided: {KEY}"
    stub = Stub(always(status, json={"error": {"message": message}}))
    with use(file, "new"), pytest.raises(openai.APIStatusError):
        stub.ask("a")
    assert record(file, ["a"]).seen != []
    assert KEY not in file.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "content",
    [
        b'{"choices": [{"mess',
        b"<html>busy</html>",
        b"{}",
        b'{"choices": []}',
        orjson.dumps(chat("")),
        orjson.dumps({"choices": [{"message": {"content": None}, "finish_reason": "stop"}]}),
    ],
)
def test_a_200_that_holds_no_reply_is_not_stored(file: Path, content: bytes) -> None:
    """What breaks off, says nothing or is no JSON would be replayed for ever, and its item never end."""
    stub = Stub(always(200, content=content))
    with use(file, "new"), suppress(ValueError, LookupError):
        stub.ask("a")
    assert not file.exists()
    assert not list(file.parent.glob("*.part"))


def test_a_reply_that_its_limit_cut_off_is_stored(file: Path) -> None:
    """A reasoning model that spent its budget will do so again; it was paid for."""
    cut = {"choices": [{"message": {"content": None}, "finish_reason": "length"}]}
    stub = Stub(always(200, json=cut))
    record(file, ["a"], stub=stub)
    assert interactions(file)[0]["response"]["body"] == cut


def test_a_refused_prompt_is_stored(file: Path) -> None:
    """A 400 is the endpoint's answer to this very prompt, and replays as one."""
    stub = Stub(always(400, json={"error": {"message": "too long"}}))
    for mode in ("new", "none"):
        with use(file, mode), pytest.raises(openai.BadRequestError, match="too long"):
            stub.ask("a")
    assert len(stub.seen) == 1


def test_nothing_secret_is_in_the_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys, cookies, organisation and request ids stay out; content-type alone is kept."""
    headers = {
        "set-cookie": "session=s3cret",
        "openai-organization": "org-s3cret",
        "x-request-id": "req-s3cret",
        "content-type": "application/json",
    }
    stub = Stub(always(200, headers=headers, content=orjson.dumps(chat("ok"))))
    for name in ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_ADMIN_KEY"):
        monkeypatch.setenv(name, "env-s3cret")
    record(file, ["a"], stub=stub)
    text = file.read_text(encoding="utf-8")
    assert stub.seen[0].headers["authorization"] == f"Bearer {KEY}"
    assert "s3cret" not in text
    assert KEY not in text
    assert "model.invalid" not in text
    assert interactions(file)[0]["response"]["headers"] == {"content-type": "application/json"}


def test_nothing_secret_is_in_the_part_either(file: Path, part: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a kill leaves behind is as clean as the file."""
    no_fold(monkeypatch)
    cookie = {"set-cookie": "session=s3cret"}
    record(file, ["a"], stub=Stub(always(200, headers=cookie, json=chat("ok"))))
    text = part.read_text(encoding="utf-8")
    assert "s3cret" not in text
    assert KEY not in text


@pytest.mark.parametrize(
    ("encoding", "pack"), [("gzip", gzip.compress), ("GZIP", gzip.compress), ("deflate", zlib.compress)]
)
def test_a_packed_response_is_stored_as_json_and_replays(
    file: Path, encoding: str, pack: Callable[[bytes], bytes]
) -> None:
    """A compressed body is stored unpacked, without the header that would have it unpacked twice."""
    headers = {"content-encoding": encoding, "content-type": "application/json"}
    body = pack(orjson.dumps(chat("größe ✓")))
    stub = Stub(always(200, headers=headers, stream=httpx2.ByteStream(body)))
    with use(file, "new"):
        assert stub.ask("a") == "größe ✓"
    with use(file, "none"):
        assert stub.ask("a") == "größe ✓"
    stored = interactions(file)[0]["response"]
    assert stored["body"]["choices"][0]["message"]["content"] == "größe ✓"
    assert stored["headers"] == {"content-type": "application/json"}


@pytest.mark.parametrize("text", ["<html>no model here</html>", '"a JSON string"', "12"])
def test_a_response_that_is_no_json_object_replays_byte_for_byte(file: Path, text: str) -> None:
    """Text comes back as it was, quotes and all."""
    stub = Stub(always(400, content=text.encode()))
    for mode in ("new", "none"):
        with use(file, mode), pytest.raises(openai.BadRequestError) as caught:
            stub.ask("a")
        assert caught.value.response.text == text


def test_the_file_is_readable_utf8(file: Path) -> None:
    """The file is indented, sorted, ends in a new line and holds letters, not escapes."""
    record(file, ["naïve 東京"])
    text = file.read_text(encoding="utf-8")
    assert "naïve 東京" in text
    assert text == json.dumps(json.loads(text), indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def test_only_messages_that_are_new_are_stored(file: Path) -> None:
    """A growing chat stores each message once: `same` counts the prefix shared with the request before."""
    record(file, ["a"], ["a", "b"], ["a", "b", "c"], ["x"])
    requests = [row["request"] for row in interactions(file)]
    assert [request["same"] for request in requests] == [0, 1, 2, 0]
    assert [[m["head"] for m in request["messages"]] for request in requests] == [["a"], ["b"], ["c"], ["x"]]


def test_the_shared_prefix_goes_on_from_what_is_on_disk(file: Path) -> None:
    """A recording added to an older file shares the prefix of that file's last request."""
    record(file, ["a", "b"])
    record(file, ["a", "b", "c"])
    assert interactions(file)[1]["request"]["same"] == 2
    assert [message["head"] for message in interactions(file)[1]["request"]["messages"]] == ["c"]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.sampled_from(["a", "b", "A" * 200]), max_size=4), max_size=6), st.integers(0, 6))
def test_the_shared_prefix_form_is_rebuilt_right(prompts: list[list[str]], cut: int) -> None:
    """Whatever was asked, and wherever a second recording went on, each request's messages come back."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "item.json"
        for part_of_them in (prompts[:cut], prompts[cut:]):
            with use(file, "new") as cassette:
                for prompt in part_of_them:
                    cassette.append(request_of(*prompt), ANSWER)
        stored = interactions(file) if prompts else []
    assert list(cassettes._histories(stored)) == [cassettes.describe({"messages": messages(*p)}) for p in prompts]


ANSWER = {"status": {"code": 200}, "headers": {}, "body": {"string": orjson.dumps(chat("ok"))}}


def request_of(*texts: str) -> Request:
    """A chat as vcrpy sees it."""
    return Request("POST", "http://h/v1/chat/completions", orjson.dumps({"messages": messages(*texts)}), {})


@pytest.mark.parametrize(
    "content",
    [
        json.dumps(chat("hello"))[:40],
        "<html>busy</html>",
        json.dumps({"choices": []}),
        json.dumps(chat("")),
        json.dumps(chat(" \n")),
    ],
    ids=["cut off", "no JSON", "no choice", "empty", "blank"],
)
def test_a_reply_that_cannot_be_used_is_not_stored(file: Path, content: str) -> None:
    """The next recording asks again; a stored fault would be replayed for ever."""
    with use(file, "new") as cassette:
        cassette.append(request_of("hi"), {**ANSWER, "body": {"string": content.encode()}})
    assert not file.exists()


def test_a_refusal_of_the_model_is_stored(file: Path) -> None:
    """A model that will not answer has answered: some endpoints give its text beside an empty content."""
    message = {"content": None, "refusal": "I will not."}
    body = json.dumps({"choices": [{"message": message, "finish_reason": "stop"}]}).encode()
    with use(file, "new") as cassette:
        cassette.append(request_of("hi"), {**ANSWER, "body": {"string": body}})
    assert len(interactions(file)) == 1


# --- interrupted recordings ----------------------------------------------------------------------


def test_each_live_call_is_on_disk_at_once(file: Path, part: Path) -> None:
    """A call stands in the `.part` before the next one is made; the file appears at the end."""
    stub = Stub()
    with use(file, "new"):
        stub.ask("a")
        assert calls_in(part) == 1
        stub.ask("b")
        assert calls_in(part) == 2
        assert not file.exists()
    assert len(interactions(file)) == 2
    assert not part.exists()


def test_after_a_kill_only_what_is_missing_is_asked(file: Path, part: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The `.part` of a killed recording is replayed, the rest recorded, and all of it folded."""
    with monkeypatch.context() as patch:
        no_fold(patch)
        record(file, ["a"], ["b"])
    assert not file.exists()
    stub = record(file, ["a"], ["b"], ["c"])
    assert [json.loads(request.content)["messages"][0]["content"] for request in stub.seen] == ["c"]
    assert len(interactions(file)) == 3
    assert not part.exists()


def test_strict_replay_reads_the_part_and_leaves_it(file: Path, part: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`none` writes nothing, not even to tidy up."""
    with monkeypatch.context() as patch:
        no_fold(patch)
        record(file, ["a"])
    with use(file, "none"):
        assert Stub().ask("a") == "reply 1"
    assert part.exists()
    assert not file.exists()


def test_the_next_opening_folds(file: Path, part: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Opening to record folds what a kill left, before the first new call."""
    with monkeypatch.context() as patch:
        no_fold(patch)
        record(file, ["a"])
    with use(file, "new"):
        assert len(interactions(file)) == 1
        assert not part.exists()


def test_a_torn_last_line_is_dropped(file: Path, part: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kill in the middle of a write loses that call alone."""
    with monkeypatch.context() as patch:
        no_fold(patch)
        record(file, ["a"], ["b"])
    part.write_bytes(part.read_bytes()[:-20])
    stub = record(file, ["a"], ["b"])
    assert len(stub.seen) == 1
    assert len(interactions(file)) == 2


@pytest.mark.parametrize("lines_before", [0, 1])
def test_a_second_kill_after_a_torn_line_loses_nothing_more(
    file: Path, part: Path, monkeypatch: pytest.MonkeyPatch, lines_before: int
) -> None:
    """What is recorded after a torn line does not run into it."""
    no_fold(monkeypatch)
    record(file, *[["a"]][:lines_before])
    part.parent.mkdir(exist_ok=True)
    with part.open("ab") as lines:
        lines.write(b'{"request": {"torn')
    monkeypatch.undo()
    with monkeypatch.context() as patch:
        patch.setattr(cassettes.IndexedCassette, "fold", fold_at_opening_alone(cassettes.IndexedCassette.fold))
        record(file, ["b"], ["c"])
    with use(file, "none") as cassette:
        assert [Stub().ask("b"), Stub().ask("c")] == ["reply 1", "reply 2"]
    assert len(cassette.unused) == lines_before


def fold_at_opening_alone(fold: Callable[[cassettes.IndexedCassette], None]) -> Callable[..., None]:
    """A fold that works while a cassette opens and, as after a kill, never again."""

    def first(self: cassettes.IndexedCassette) -> None:
        if not self.rewound:
            fold(self)

    return first


def test_a_kill_between_file_and_part_stores_nothing_twice(
    file: Path, part: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the file was written and the `.part` not yet dropped, its calls count once."""
    record(file, ["a"])
    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", nothing)
        record(file, ["a"], ["b"])
    assert part.exists()
    record(file, ["a"], ["b"])
    assert len(interactions(file)) == 2
    assert not part.exists()


def fail_after(stub: Stub) -> None:
    """Make one call and fail."""
    stub.ask("a")
    raise ZeroDivisionError


def test_what_was_recorded_before_an_error_is_folded(file: Path, part: Path) -> None:
    """An item that fails keeps the calls it made."""
    stub = Stub()
    with pytest.raises(ZeroDivisionError), use(file, "new"):
        fail_after(stub)
    assert len(interactions(file)) == 1
    assert not part.exists()


def test_all_replaces_the_file(file: Path, part: Path) -> None:
    """`all` asks everything anew and keeps nothing of before."""
    record(file, ["a"], ["b"])
    later = Stub(replies("anew"))
    record(file, ["a"], mode="all", stub=later)
    assert len(later.seen) == 1
    assert len(interactions(file)) == 1
    assert not part.exists()
    with use(file, "none"):
        assert Stub().ask("a") == "anew"


def test_an_interrupted_all_does_not_mix_old_and_new(file: Path, part: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a kill during `all`, `new` goes on with the new recordings and drops the old ones."""
    record(file, ["a"], ["b"])
    later = Stub(replies("anew {}"))
    with monkeypatch.context() as patch:
        no_fold(patch)
        record(file, ["a"], mode="all", stub=later)
    assert len(interactions(file)) == 2
    record(file, ["a"], ["b"], stub=later)
    assert len(later.seen) == 2
    assert not part.exists()
    with use(file, "none") as cassette:
        assert [Stub().ask("a"), Stub().ask("b")] == ["anew 1", "anew 2"]
    assert len(cassette.unused) == 0


def test_an_all_that_made_no_call_before_its_kill_leaves_the_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is lost for a recording that never began."""
    record(file, ["a"])
    with monkeypatch.context() as patch:
        no_fold(patch)
        record(file, mode="all")
    with use(file, "none"):
        assert Stub().ask("a") == "reply 1"


def test_all_drops_what_an_interrupted_recording_left(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`all` after a kill starts from nothing, the `.part` included."""
    with monkeypatch.context() as patch:
        no_fold(patch)
        record(file, ["a"], ["b"])
    record(file, ["c"], mode="all")
    assert [row["request"]["messages"][0]["head"] for row in interactions(file)] == ["c"]


def test_a_replay_rewrites_nothing(file: Path) -> None:
    """Where nothing was recorded the file is not touched, in `new` as in `none`."""
    record(file, ["a"])
    before = file.stat().st_ino
    record(file, ["a"])
    with use(file, "none"):
        Stub().ask("a")
    assert file.stat().st_ino == before


def test_a_failing_fold_leaves_no_patches_and_keeps_the_part(
    file: Path, part: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error while the file is written surfaces with vcrpy's patches off and the calls safe."""

    def full(*_: object) -> None:
        raise OSError("no space left")

    with monkeypatch.context() as patch:
        patch.setattr(cassettes, "write_json", full)
        with pytest.raises(OSError, match="no space left"):
            record(file, ["a"])
    assert httpx2.HTTPTransport.handle_request is ORIGINAL_SEND
    assert calls_in(part) == 1
    with use(file, "none"):
        assert Stub().ask("a") == "reply 1"


def test_vcrpy_patches_the_transport_only_while_a_cassette_is_open(file: Path) -> None:
    """The pins hold: this vcrpy sees what this openai sends, and lets go at the end."""
    with use(file, "new"):
        assert httpx2.HTTPTransport.handle_request is not ORIGINAL_SEND
    assert httpx2.HTTPTransport.handle_request is ORIGINAL_SEND


# --- pruning -------------------------------------------------------------------------------------


def test_pruning_removes_what_nobody_asked_for(file: Path) -> None:
    """What is left replays in its order, and a miss still names the message that differs."""
    record(file, ["a"], ["a", "b"], ["x"], ["a", "b", "c"])
    with use(file, "none") as cassette:
        Stub().ask("a")
        Stub().ask("a", "b", "c")
    assert cassette.unused == [1, 2]
    assert cassettes.prune(file, cassette.unused) == 2
    with use(file, "none") as cassette:
        assert [Stub().ask("a"), Stub().ask("a", "b", "c")] == ["reply 1", "reply 4"]
    assert cassette.unused == []
    assert "number 3: recorded user of 1 characters 'c'" in str(miss_of(file, "a", "b", "d"))


def test_a_cassette_of_which_nothing_is_left_goes(file: Path, part: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither an empty file nor the rest of a killed recording stays."""
    with monkeypatch.context() as patch:
        no_fold(patch)
        record(file, ["a"])
    assert cassettes.prune(file, [0]) == 1
    assert not file.exists()
    assert not part.exists()


@given(st.lists(st.lists(st.sampled_from("abc"), max_size=4), max_size=6), st.sets(st.integers(0, 6)))
def test_pruning_keeps_every_other_request_whole(prompts: list[list[str]], removed: set[int]) -> None:
    """The shared prefixes are those of the requests that are left."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "item.json"
        with use(file, "new") as cassette:
            for prompt in prompts:
                cassette.append(request_of(*prompt), ANSWER)
        cassettes.prune(file, sorted(removed))
        stored = interactions(file) if file.exists() else []
    kept = [prompt for position, prompt in enumerate(prompts) if position not in removed]
    assert list(cassettes._histories(stored)) == [cassettes.describe({"messages": messages(*p)}) for p in kept]


# --- files that are no cassettes -----------------------------------------------------------------

STOCK = {"version": 1, "interactions": [{"request": {"method": "POST", "uri": "http://h/"}, "response": {}}]}


@pytest.mark.parametrize(
    "content",
    [
        b"{",
        b"[]",
        b'{"interactions": []}',
        b'{"version": 1}',
        b'{"version": 1, "interactions": 3}',
        orjson.dumps(STOCK),
    ],
    ids=["torn", "list", "no version", "no interactions", "a number", "stock vcrpy"],
)
def test_a_file_that_is_no_cassette_is_named(file: Path, content: bytes) -> None:
    """The error names the file and what to do; vcrpy's patches and the socket guard are off."""
    file.parent.mkdir()
    file.write_bytes(content)
    with pytest.raises(StoreError, match=re.escape(str(file)) + ".*is no cassette.*record anew"), use(file, "none"):
        raise AssertionError("opened")
    assert httpx2.HTTPTransport.handle_request is ORIGINAL_SEND
    assert file.read_bytes() == content


def test_another_version_is_named(file: Path) -> None:
    """A cassette of another format says which, and which this release reads."""
    file.parent.mkdir()
    file.write_bytes(b'{"version": 2, "interactions": []}')
    with pytest.raises(StoreError, match=re.escape(str(file)) + ".*version 2.*reads 1"), use(file, "new"):
        raise AssertionError("opened")


@pytest.mark.parametrize("content", [b'{"after":0}\n{torn\n{}\n', b'{"request":{}}\n', b"[]\n"])
def test_a_part_that_is_damaged_inside_is_named(file: Path, part: Path, content: bytes) -> None:
    """A bad line that is not the last is no torn write, nor is a first line that says nothing; the `.part` is named."""
    part.parent.mkdir()
    part.write_bytes(content)
    with pytest.raises(StoreError, match=re.escape(str(part))), use(file, "none"):
        raise AssertionError("opened")


# --- no network ----------------------------------------------------------------------------------


@pytest.mark.parametrize("connect", ["connect", "connect_ex"])
def test_strict_replay_refuses_connections(file: Path, server: ThreadingHTTPServer, connect: str) -> None:
    """A design that opens its own connection is stopped, and told why."""
    with pytest.raises(Blocked, match="strict replay uses no network"), use(file, "none"), socket.socket() as sock:
        getattr(sock, connect)(("127.0.0.1", server.server_port))


@pytest.mark.parametrize("mode", ["none", "new"])
def test_connections_work_again_after_a_cassette(file: Path, server: ThreadingHTTPServer, mode: Record) -> None:
    """The guard ends with the replay, also after an error."""
    before = (socket.socket.connect, socket.socket.connect_ex)
    with pytest.raises(ZeroDivisionError), use(file, mode):
        raise ZeroDivisionError
    assert (socket.socket.connect, socket.socket.connect_ex) == before
    with socket.create_connection(("127.0.0.1", server.server_port)) as sock:
        assert sock.getpeername()[1] == server.server_port


def test_local_pipes_stay_open_in_strict_replay(file: Path, tmp_path: Path) -> None:
    """Unix sockets are no network: workers and loggers may use them."""
    address = str(tmp_path / "s")
    with socket.socket(socket.AF_UNIX) as listener, socket.socket(socket.AF_UNIX) as sock, use(file, "none"):
        listener.bind(address)
        listener.listen()
        sock.connect(address)
        assert sock.getpeername() == address


def test_a_call_that_cannot_be_stored_is_our_own_error_and_not_tried_again(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The client must not take a full disk for an outage and pay four times more; what is stored stays whole."""
    stub = record(file, ["a"])
    written = append_line

    def full(path: Path, line: dict[str, Any]) -> None:
        if "request" in line:
            raise StoreError(f"{path}: cannot be written (No space left on device)")
        written(path, line)

    monkeypatch.setattr(cassettes, "append_line", full)
    with pytest.raises(StoreError, match="No space left"):
        record(file, ["a", "b"], stub=stub)
    monkeypatch.undo()
    assert len(stub.seen) == 2
    record(file, ["a", "c"], stub=stub)
    assert [len(row["request"]["messages"]) for row in interactions(file)] == [1, 1]


def test_before_the_first_call_a_full_disk_costs_nothing(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The `.part` is begun before a call is made, so a disk that takes nothing is found out free of charge."""

    def full(path: Path, line: object) -> None:
        raise StoreError(f"{path}: cannot be written (No space left on device)")

    monkeypatch.setattr(cassettes, "append_line", full)
    stub = Stub()
    with pytest.raises(StoreError, match="No space left"):
        record(file, ["a"], stub=stub)
    assert stub.seen == []


def test_a_reply_nested_too_deep_to_be_written_is_stored_as_text(file: Path) -> None:
    """It is a reply all the same, and replays byte for byte."""
    body = orjson.dumps(chat("ok"))[:-1] + b',"x":' + b"[" * 500 + b"]" * 500 + b"}"
    stub = Stub(always(200, content=body))
    for mode in ("new", "none"):
        with use(file, mode):
            assert stub.ask("a") == "ok"
    assert len(stub.seen) == 1


def test_a_blocked_connection_of_another_client_is_our_own_error(file: Path, server: ThreadingHTTPServer) -> None:
    """It is NotRecorded, so that an item is never scored for it, and an OSError, as callers expect."""
    with pytest.raises(OSError, match="was refused") as caught, use(file, "none"):
        socket.create_connection(("127.0.0.1", server.server_port))
    assert isinstance(caught.value, NotRecorded)
