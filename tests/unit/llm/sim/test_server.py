"""The server over real HTTP on loopback: paths, errors, keep-alive, closing."""

import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from pytest_membench.llm.sim.model import complete
from pytest_membench.llm.sim.server import SimServer

BODY: dict[str, Any] = {"model": "sim", "messages": [{"role": "user", "content": "[2026-08-03 09:00] Bo: It costs 5."}]}


@pytest.fixture
def server() -> Iterator[SimServer]:
    """A running server."""
    with SimServer() as running:
        yield running


def send(url: str, data: bytes | None = None) -> tuple[int, Any]:
    """Return the status and the JSON of a request."""
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=10) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


def test_a_chat_over_http(server: SimServer) -> None:
    """The reply over HTTP is what the pure function returns."""
    assert send(f"{server.base_url}/chat/completions", json.dumps(BODY).encode()) == (200, complete(BODY))


def test_embeddings_and_models(server: SimServer) -> None:
    """The other two endpoints answer too."""
    status, reply = send(f"{server.base_url}/embeddings", b'{"input": "barn", "model": "sim"}')
    assert (status, len(reply["data"])) == (200, 1)
    assert send(f"{server.base_url}/models")[1]["data"][0]["id"] == "sim"


@pytest.mark.parametrize("raw", [b"{not json", b"[1]", b'{"messages": []}', b'{"stream": true, "messages": [{}]}'])
def test_bad_bodies_are_400(server: SimServer, raw: bytes) -> None:
    """A body that cannot be served gives an OpenAI-style error, and the server lives on."""
    status, reply = send(f"{server.base_url}/chat/completions", raw)
    assert status == 400
    assert reply["error"]["type"] == "invalid_request_error"
    assert send(f"{server.base_url}/models")[0] == 200


@pytest.mark.parametrize(("path", "data"), [("/nothing", None), ("/nothing", b"{}")])
def test_unknown_paths_are_404(server: SimServer, path: str, data: bytes | None) -> None:
    """An unknown path says which ones there are."""
    status, reply = send(f"{server.base_url}{path}", data)
    assert status == 404
    assert "/v1/chat/completions" in reply["error"]["message"]


def test_one_connection_serves_many_requests(server: SimServer) -> None:
    """Connections are kept alive, also after an error."""
    address = server.base_url.removeprefix("http://").partition("/")[0]
    connection = http.client.HTTPConnection(address, timeout=10)
    for raw in (b"{", json.dumps(BODY).encode(), json.dumps(BODY).encode()):
        connection.request("POST", "/v1/chat/completions", raw)
        response = connection.getresponse()
        response.read()
        assert response.version == 11
        assert not response.will_close
    connection.close()


def test_many_clients_at_once_get_the_same_reply(server: SimServer) -> None:
    """Threads share caches and nothing else."""
    url, raw = f"{server.base_url}/chat/completions", json.dumps(BODY).encode()
    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(lambda _: send(url, raw), range(24)))
    assert replies == [(200, complete(BODY))] * 24


def test_a_client_that_hangs_up_is_no_matter(server: SimServer, capfd: pytest.CaptureFixture[str]) -> None:
    """A client that leaves in the middle prints nothing and stops nothing."""
    address = server.base_url.removeprefix("http://").partition("/")[0]
    connection = http.client.HTTPConnection(address, timeout=10)
    connection.connect()
    connection.sock.sendall(b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: x\r\n\r\n")
    connection.sock.recv(1)
    connection.close()
    assert send(f"{server.base_url}/models")[0] == 200
    assert capfd.readouterr() == ("", "")


def test_it_listens_on_loopback_only_while_it_runs() -> None:
    """The address is on 127.0.0.1; after closing, and before starting, there is none."""
    server = SimServer()
    with pytest.raises(RuntimeError, match="start"):
        _ = server.base_url
    assert server.start().base_url == server.start().base_url
    url = server.base_url
    assert url.startswith("http://127.0.0.1:")
    server.close()
    server.close()
    with pytest.raises(urllib.error.URLError):
        send(f"{url}/models")
