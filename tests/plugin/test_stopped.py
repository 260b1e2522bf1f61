"""A session that is stopped: what is finished is kept and shown, and the next one pays only for what is missing."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from bench_folder import CONFTEST, DESIGN, Folder

from pytest_membench.store import read_lines

# Each answer waits until a file lets it go on, but for the first of each worker; each worker leaves its id.
WAITING = CONFTEST.replace(
    "def reply(request):",
    """
from pathlib import Path


def pytest_configure(config):
    for name in ("pids", "waiting"):
        Path(name).mkdir(exist_ok=True)
    Path("pids", str(os.getpid())).touch()


ASKED = []


def reply(request):
    import time
    if b"You grade" not in request.content:
        ASKED.append(1)
        if len(ASKED) > 1:
            Path("waiting", str(os.getpid())).touch()
        while len(ASKED) > 1 and not os.path.exists("go"):
            time.sleep(0.02)
    return answer(request)


def answer(request):""",
)


def wait_for(what: Callable[[], bool]) -> None:
    """Wait until something holds; fail after a minute."""
    end = time.monotonic() + 60
    while not what():
        assert time.monotonic() < end
        time.sleep(0.02)


def is_alive(pid: int) -> bool:
    """Whether a process is there."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def rows(folder: Folder) -> list[Path]:
    """Return the rows of items that ended."""
    return list((folder.root / "out/sim/rows/window/ada").glob("recall-*.json"))


def stop(folder: Folder, number: int, *args: str) -> tuple[int, str]:
    """Run a session, signal it while an answer is on its way, and return its exit code and what it printed."""
    command = [sys.executable, "-m", "pytest", "-p", "xdist", "-p", "pytest_membench.plugin.main", "benchmarks"]
    log = folder.root / "log"
    with log.open("wb") as out:
        running = subprocess.Popen(
            [*command, "--membench-out=out", "--membench-record=new", *args],
            cwd=folder.root,
            stdout=out,
            stderr=subprocess.STDOUT,
            env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""},
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509 - no threads here
        )
        wait_for(lambda: len(list((folder.root / "waiting").glob("*"))) >= (2 if "-n2" in args else 1))
        running.send_signal(number)
        code = running.wait(60)
    return code, log.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("number", "args"), [(signal.SIGINT, ()), (signal.SIGINT, ("-n2",)), (signal.SIGTERM, ("-n2",))]
)
def test_a_stopped_session_keeps_what_is_finished(folder: Folder, number: int, args: tuple[str, ...]) -> None:
    """Exit code 2, the table so far, no process left over, and nothing finished is asked again."""
    folder.write("conftest.py", WAITING)
    folder.people(ada=["correct"] * 6)
    folder.write("designs/window.py", DESIGN)
    code, shown = stop(folder, number, *args)
    assert code == 2, shown
    assert "membench: INCOMPLETE" in shown
    assert "INTERNALERROR" not in shown
    done = [json.loads(path.read_bytes()) for path in rows(folder)]
    assert folder.score()["n"] == len(done)
    assert folder.score()["not_run"] == 6 - len(done)
    wait_for(lambda: not any(is_alive(int(path.name)) for path in (folder.root / "pids").iterdir()))
    for part in (folder.root / "cassettes").rglob("*.part"):
        read_lines(part)
    folder.write("go", "")
    ledger = folder.root / "out/spend.jsonl"
    before = len(read_lines(ledger))
    assert folder.run("--membench-record=new").ret == 0
    assert folder.score()["correct"] == 6
    finished = {f"window-ada-{row['probe']}" for row in done}
    paid = {line["item"] for line in read_lines(ledger)[before:] if not line["replayed"]}
    assert not paid & finished


def test_without_benchmark_items_a_process_is_ended_as_ever(folder: Folder) -> None:
    """SIGTERM is no business of this plugin in anybody else's test run."""
    code = "import os, signal\ndef test_it():\n    os.kill(os.getpid(), signal.SIGTERM)\n"
    folder.write("other/test_other.py", code)
    result = folder.pytester.runpytest_subprocess("other", "-p", "no:randomly")
    assert result.ret == -signal.SIGTERM
