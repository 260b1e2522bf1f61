"""Serve the model `sim` over loopback HTTP as an OpenAI-compatible endpoint."""

import socket
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

import orjson

from pytest_membench.llm.sim.model import BadRequest, complete, embed

__all__ = ["SimServer", "complete"]

_POST: Mapping[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    "/v1/chat/completions": complete,
    "/v1/embeddings": embed,
}
_MODELS = {"object": "list", "data": [{"id": "sim", "object": "model", "created": 0, "owned_by": "membench"}]}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        if self.path == "/v1/models":
            self._send(200, _MODELS)
        else:
            self._fail(404, f"unknown path {self.path!r}: sim serves GET /v1/models and POST {', '.join(_POST)}")

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        serve = _POST.get(self.path)
        if serve is None:
            self._fail(404, f"unknown path {self.path!r}: sim serves POST {', '.join(_POST)}")
            return
        try:
            self._send(200, serve(_body(raw)))
        except BadRequest as error:
            self._fail(400, str(error))
        except Exception as error:  # noqa: BLE001 - a fault of the stand-in is the client's HTTP 500, not a lost line
            self._fail(500, f"sim failed: {error!r}")

    def _fail(self, status: int, message: str) -> None:
        kind = "invalid_request_error"
        self._send(status, {"error": {"message": message, "type": kind, "param": None, "code": None}})

    def _send(self, status: int, data: Mapping[str, Any]) -> None:
        raw = orjson.dumps(data)
        self.send_response_only(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *args: object) -> None:
        """Write no log: the meter keeps the record of calls."""


def _body(raw: bytes) -> Mapping[str, Any]:
    try:
        data = orjson.loads(raw)
    except ValueError as error:
        raise BadRequest(f"the body is not JSON: {error}") from error
    if not isinstance(data, dict):
        raise BadRequest("the body must be a JSON object")
    return data


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def get_request(self) -> tuple[socket.socket, Any]:
        connection, address = super().get_request()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection, address

    def handle_error(self, request: object, client_address: object) -> None:
        """Stay silent when a client hangs up in the middle of a reply."""


class SimServer:
    """The endpoint: `start()` it, use `base_url`, `close()` it, or use it in a `with`."""

    def __init__(self) -> None:
        self._server: _Server | None = None

    @property
    def base_url(self) -> str:
        """The address to give a client; RuntimeError before `start()`."""
        if self._server is None:
            raise RuntimeError("the sim server is not running: call start() first")
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def start(self) -> Self:
        """Listen on a free port of 127.0.0.1 and serve from a daemon thread; once is enough."""
        if self._server is None:
            self._server = _Server(("127.0.0.1", 0), _Handler)
            threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True, name="sim").start()
        return self

    def close(self) -> None:
        """Stop serving and free the port; a second call does nothing."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
