"""Secrets planted wherever they could come from, and looked for wherever anything is written or shown."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from bench_folder import DESIGN, Folder

import pytest_membench.llm.cassette  # noqa: F401 - pytester restores sys.modules: what is patched must stay in it

KEY, JUDGE_KEY = "sk-pl4nt3d-answer-key", "pl4nt3d plain judge key"
PLANTED = "pl4nt3d"
"""A part of every secret here, so that halves are found too."""

LEAKY = (
    DESIGN.replace("Window", "Leaky")
    .replace('"window"', '"leaky"')
    .replace(
        "        return [Snippet(line) for line in state]",
        """
        import logging, os
        own = os.environ["OPENAI_API_KEY"]
        print("printed", own)
        logging.getLogger("x").error("logged %s", own)
        try:
            raise ValueError(f"first {own}")
        except ValueError as first:
            raise RuntimeError(f"then {os.environ['OPENAI_BASE_URL']}") from first
        """,
    )
)


class Echo(BaseHTTPRequestHandler):
    """Repeats what it is sent in replies, errors and headers."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        sent = f"{dict(self.headers)} {self.path}"
        last = body["messages"][-1]["content"]
        if "You grade" in body["messages"][0]["content"]:
            return self.say(json.dumps({"label": "wrong", "reason": f"I was sent {sent}"}))
        for thing, status in ((2, 400), (3, 401), (5, 500)):
            if f"thing {thing}?" in last:
                return self.send(status, {"error": {"message": f"refused: {sent}", "sent": sent}})
        return self.say(json.dumps({"answer": f"you sent me {sent}"}))

    def say(self, text: str) -> None:
        self.send(200, {"choices": [{"message": {"content": text}, "finish_reason": "stop"}], "provider": "p"})

    def send(self, status: int, data: object) -> None:
        raw = json.dumps(data).encode()
        self.send_response(status)
        for name, value in (("Set-Cookie", "s=pl4nt3d-cookie"), ("X-Request-Id", "request-1"), ("Retry-After", "0")):
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *args: object) -> None:
        """Write no log."""


@pytest.fixture
def address() -> Iterator[str]:
    """Host and port of an endpoint that repeats what it is sent."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    yield f"127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def planted(folder: Folder, address: str, monkeypatch: pytest.MonkeyPatch) -> Folder:
    """A benchmark whose environment holds secrets of every sort; three of its probes are refused."""
    folder.write("conftest.py", "")
    folder.people(ada=["a"] * 6)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("MEMBENCH_JUDGE_API_KEY", JUDGE_KEY)
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Team: pl4nt3d-header-value")
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://pl4nt3d-user:pl4nt3d-password@{address}/v1")
    return folder


def options(address: str) -> tuple[str, ...]:
    """Return the options of a run that shows as much as pytest can."""
    judge = f"--membench-judge-base-url=http://pl4nt3d-judge:pl4nt3d-too@{address}/v1?api_key=pl4nt3d-query"
    shown = ("-vv", "--tb=long", "--showlocals", "--full-trace", "--log-level=DEBUG", "--junitxml=out/junit.xml")
    return ("--membench-model=m", "--membench-judge=j", judge, *shown)


def leaks(folder: Folder, shown: str) -> list[str]:
    """Return where a planted secret stands: a file that was written, or a line that was shown."""
    root = folder.root
    written = [path for part in ("out", "cassettes", ".pytest_cache") for path in (root / part).rglob("*")]
    files = [str(path) for path in written if path.is_file() and PLANTED.encode() in path.read_bytes()]
    return files + [line for line in shown.splitlines() if PLANTED in line]


def test_nothing_planted_is_written_or_shown(planted: Folder, address: str) -> None:
    """Replies, refusals and headers that repeat the request leave nothing behind, live and replayed."""
    result = planted.run(*options(address), "--membench-record=new")
    assert result.ret == 6
    text = result.stdout.str() + result.stderr.str()
    assert "refused: " in text
    assert "***" in text
    assert leaks(planted, text) == []
    answer = planted.read("m/ans/window/ada/recall-04.json")["answer"]
    assert "'Authorization': 'Basic ***'" in answer
    again = planted.run(*options(address), "--membench-record=none")
    assert leaks(planted, again.stdout.str() + again.stderr.str()) == []
    assert planted.read("m/ans/window/ada/recall-04.json")["answer"] == answer


def test_what_a_kill_leaves_holds_nothing_planted(
    planted: Folder, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The `.part` files of calls that were never folded are as clean."""
    monkeypatch.setattr("pytest_membench.llm.cassette.IndexedCassette.fold", lambda _: None)
    result = planted.run(*options(address), "--membench-record=new")
    assert list((planted.root / "cassettes").rglob("*.part"))
    assert leaks(planted, result.stdout.str() + result.stderr.str()) == []


def test_what_a_design_prints_logs_and_raises_is_shown_without_secrets(planted: Folder, address: str) -> None:
    """Chained exceptions with locals, captured output and the log of a user's own code."""
    planted.write("designs/leaky.py", LEAKY)
    result = planted.run("--design=leaky", *options(address), "--membench-record=new")
    text = result.stdout.str() + result.stderr.str()
    assert all(word in text for word in ("printed ***", "logged ***", "first ***", "RuntimeError: then http://***@"))
    shown = [line for line in leaks(planted, text) if "designs/leaky.py" not in line]
    assert shown == []


def test_the_command_that_records_holds_no_password(planted: Folder, address: str) -> None:
    """A call that is not recorded names the judge's address without what stands before its host."""
    result = planted.run(*options(address), "--membench-record=none")
    text = result.stdout.str()
    assert f"--membench-judge-base-url=http://***@{address}/v1?api_key=***" in text
    assert leaks(planted, text) == []


def test_an_address_that_cannot_be_used_shows_no_key(planted: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """The client's own error comes with locals, one of which is the key."""
    monkeypatch.setenv("OPENAI_BASE_URL", "http://pl4nt3d-user:pl4nt3d-password@host:no-port/v1")
    result = planted.run("--membench-model=m", "--membench-record=new", "--showlocals", "--tb=long", "-vv")
    assert leaks(planted, result.stdout.str() + result.stderr.str()) == []


def test_a_plan_shows_nothing_planted(planted: Folder, address: str) -> None:
    """Counting what a run would take needs no key and shows none."""
    result = planted.run(*options(address), "--membench-plan")
    assert result.ret == 0
    assert leaks(planted, result.stdout.str() + result.stderr.str()) == []


def test_a_commit_of_the_cassettes_replays_without_any_secret(
    planted: Folder, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Replay needs none of the variables: what was hidden was hidden before the request that followed it."""
    judge = f"--membench-judge-base-url=http://pl4nt3d-judge:pl4nt3d-too@{address}/v1"
    planted.run("--membench-model=m", "--membench-judge=j", judge, "--membench-record=new", "-k", "recall-04")
    for name in ("OPENAI_API_KEY", "MEMBENCH_JUDGE_API_KEY", "OPENAI_CUSTOM_HEADERS", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name)
    result = planted.run("--membench-model=m", "--membench-judge=j", "--membench-record=none", "-k", "recall-04")
    assert result.ret == 0, result.stdout.str()
