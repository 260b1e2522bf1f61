"""`membench preflight` at an endpoint over HTTP that cannot serve a run."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from bench_folder import Folder
from click.testing import CliRunner, Result

from pytest_membench.cli import main


class Chatty(BaseHTTPRequestHandler):
    """Refuses response_format, answers in plain text, and reports no usage."""

    def do_POST(self) -> None:
        """Answer a chat."""
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        status, data = 200, {"choices": [{"message": {"content": "Well, hello."}, "finish_reason": "stop"}]}
        if "response_format" in body:
            status, data = 400, {"error": {"message": "response_format: unknown field"}}  # type: ignore[dict-item]
        content = json.dumps(data).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def chatty() -> Iterator[str]:
    """The base URL of an endpoint that only chats."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Chatty)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    thread.join()
    server.server_close()


def preflight(*options: str) -> Result:
    """Run the command on the small benchmark."""
    return CliRunner().invoke(main, ["preflight", "--design=window", "--suite=tiny", *options])


def test_what_an_endpoint_lacks_is_shown(folder: Folder, chatty: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each check has its result and the endpoint's own words; the exit code is that of an incomplete session."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-secret-key")
    result = preflight("--model=other", f"--base-url={chatty}")
    assert result.exit_code == 6
    lines = {line[9:23].strip(): line for line in result.output.splitlines()}
    assert lines["answers"].startswith("ok")
    assert "'Well, hello.'" in lines["answers"]
    assert lines["usage"].startswith("failed")
    assert "response_format: unknown field" in lines["JSON mode"]
    assert lines["tool protocol"].startswith("failed")
    assert "tokens in, unknown out, USD unknown" in result.output.replace("unknown tokens", "tokens")
    assert "planted" not in result.output
    assert not (folder.root / "cassettes").exists()


def test_without_a_key_nothing_is_asked(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names the model and the variable."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    result = preflight("--model=other", "--base-url=http://127.0.0.1:9/v1")
    assert result.exit_code == 2
    assert "testing other at http://127.0.0.1:9/v1 needs a key: set OPENAI_API_KEY" in result.output


def test_an_unknown_design_is_told(folder: Folder) -> None:
    """As for pytest: what was asked for, and what there is."""
    result = CliRunner().invoke(main, ["preflight", "--design=nowhere", "--suite=tiny"])
    assert result.exit_code == 4
    assert "nowhere" in result.output


def test_a_published_suite_is_read_from_its_file(folder: Folder) -> None:
    """The longest prompt is that of the user's own copy, with the stand-in as endpoint."""
    file = Path(__file__).parents[1] / "data/longmemeval.json"
    result = CliRunner().invoke(main, ["preflight", "--design=window", "--suite=longmemeval", f"--longmemeval={file}"])
    assert result.exit_code == 0, result.output
    assert "longest prompt of window on longmemeval" in result.output
