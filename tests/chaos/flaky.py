"""An endpoint on loopback that answers by rules, and breaks by a seed in every way that endpoints break."""

import json
import random
import select
import socket
import struct
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from pytest_membench.data import Usage
from pytest_membench.llm.cassette import digest
from pytest_membench.llm.meter import read_usage

FAULTS = ("429", "500", "reset", "slow", "truncated", "empty")
USAGES = ("negative", "cached above prompt", "missing")


@dataclass
class Run:
    """What one run asks of the endpoint, and what it got. `rate` is the share of replies that break."""

    seed: int
    rate: float = 0.0
    slow_left: int = 1
    at_reply: Callable[[int], None] = lambda _: None
    answered: Counter[str] = field(default_factory=Counter)
    stages: dict[str, str] = field(default_factory=dict)
    seen: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def fault(self, sha256: str) -> str | None:
        """Return how this request breaks, if it does; the same request asked again may fare otherwise."""
        with self.lock:
            self.seen[sha256] += 1
            dice = random.Random(f"{self.seed} {sha256} {self.seen[sha256]}")
            chosen = dice.choice(FAULTS) if dice.random() < self.rate else None
            if chosen == "slow":
                self.slow_left -= 1
                chosen = "slow" if self.slow_left >= 0 else "reset"  # each costs the client its whole timeout
            if chosen:
                self.faults[chosen] += 1
            return chosen

    def usage(self, sha256: str) -> Any:
        """Return the usage that is reported for a request: always the same, and wrong for some."""
        size = int(sha256[:2], 16)
        right = {
            "prompt_tokens": 50 + size,
            "completion_tokens": 5 + size % 7,
            "total_tokens": 55 + size + size % 7,
            "prompt_tokens_details": {"cached_tokens": size % 40},
        }
        dice = random.Random(f"{self.seed} usage {sha256}")
        if self.seed == 0 or dice.random() >= 0.05:
            return right
        wrong = dice.choice(USAGES)
        if wrong == "negative":
            return {**right, "prompt_tokens": -right["prompt_tokens"]}  # type: ignore[operator]
        return None if wrong == "missing" else {**right, "prompt_tokens_details": {"cached_tokens": 10_000}}

    def tokens(self, undisturbed: "Run", stage: str) -> dict[str, int | None]:
        """Return the tokens of a stage as this run's endpoint reports them, over the calls of an undisturbed run."""
        usages = [read_usage(self.usage(sha256)) for sha256, own in undisturbed.stages.items() if own == stage]
        total = Usage.total(usages)
        return {name: getattr(total, name) for name in ("input", "cached", "output", "reasoning")}


def reply(body: dict[str, Any], sha256: str) -> tuple[str, str]:
    """Return stage and text of the reply: a rule of the request alone, so that a false memory shows in all that follows."""
    system = body["messages"][0]["content"]
    size = int(sha256[2:6], 16)
    if "You grade" in system:
        label = ("correct", "partial", "wrong")[size % 3]
        return "judge", json.dumps({"label": label, "reason": "by the rule"})
    if "You are the personal assistant" not in system:
        return "ingest", f"memory {sha256[:24]}"
    if len(body["messages"]) == 2 and size % 3 == 0:
        return "answer", json.dumps({"tool": "search_chat", "arguments": {"query": "turn"}})
    return "answer", json.dumps({"answer": f"reply {sha256[:24]}"})


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "_Server"

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        run = self.server.runs[self.path.split("/")[1]]
        sha256 = digest(raw)
        fault = run.fault(sha256)
        if fault in ("429", "500"):
            self.send(int(fault), {"error": {"message": "broken on purpose"}})
            return
        stage, text = reply(json.loads(raw), sha256)
        if fault == "empty":
            text = ""
        choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        data = {"choices": [choice], "usage": run.usage(sha256)}
        if fault == "slow":
            select.select([self.connection], [], [], 30.0)  # until the client hangs up
            self.close_connection = True
        elif fault == "reset":
            self.reset(json.dumps(data).encode())
        elif fault == "truncated":
            self.send(200, data, cut=True)
        elif fault == "empty":
            self.send(200, data)
        else:
            with run.lock:
                run.answered[sha256] += 1
                run.stages[sha256] = stage
                count = run.answered.total()
            self.send(200, data)
            run.at_reply(count)

    def send(self, status: int, data: Any, *, cut: bool = False) -> None:
        raw = json.dumps(data).encode()
        raw = raw[: len(raw) // 2] if cut else raw
        self.send_response_only(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Retry-After", "0.01")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def reset(self, raw: bytes) -> None:
        """Send half of a reply and break the connection off."""
        self.send_response_only(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw[: len(raw) // 2])
        self.wfile.flush()
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True

    def log_message(self, *args: object) -> None:
        """Write no log."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64
    runs: dict[str, Run]

    def handle_error(self, request: object, client_address: object) -> None:
        """Stay silent when a client that was killed hangs up."""


@contextmanager
def serving(runs: dict[str, Run]) -> Iterator[str]:
    """Serve the runs, each under its name in the path; the value is the address without it."""
    server = _Server(("127.0.0.1", 0), _Handler)
    server.runs = runs
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
