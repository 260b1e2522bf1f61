"""The small benchmark that the chaos test runs, and the driver of its sessions."""

import json
import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson

from pytest_membench.store import read_lines

CONFTEST = '''
"""A real client of the endpoint in CHAOS_URL, and a disk that is full for a while where CHAOS_DISK says so."""
import os
import random
import stat
import tempfile
import time
from pathlib import Path

import pytest

from pytest_membench.llm.client import Endpoint

WORKER = os.environ.get("PYTEST_XDIST_WORKER")


@pytest.fixture(scope="session")
def membench_endpoint():
    endpoint = Endpoint(
        os.environ["CHAOS_URL"], "key", trust_env=False, timeout_s=2.0, sleep=lambda s: time.sleep(min(s, 0.02))
    )
    yield endpoint
    endpoint.close()


@pytest.fixture(scope="session")
def membench_judge_endpoint(membench_endpoint):
    return membench_endpoint


def pytest_configure(config):
    if WORKER:
        Path("pids").mkdir(exist_ok=True)
        Path("pids", f"{WORKER}-{os.getpid()}").touch()
        if os.environ.get("CHAOS_DISK"):
            fill_the_disk(random.Random(os.environ["CHAOS_DISK"] + WORKER))


def fill_the_disk(dice):
    """Let the disk be full for some writes in a row, cutting lines short."""
    write, mkstemp = os.write, tempfile.mkstemp
    full = iter([False] * dice.randint(3, 25) + [True] * dice.randint(1, 4))

    def fail():
        with open("disk-errors", "a") as file:
            file.write("x")
        raise OSError(28, "No space left on device")

    def write_or_fail(descriptor, content):
        if stat.S_ISREG(os.fstat(descriptor).st_mode) and next(full, False):
            write(descriptor, content[: len(content) // 2])
            fail()
        return write(descriptor, content)

    def mkstemp_or_fail(*args, **kwargs):
        if kwargs.get("prefix", "").endswith(".json.") and next(full, False):
            fail()
        return mkstemp(*args, **kwargs)

    os.write, tempfile.mkstemp = write_or_fail, mkstemp_or_fail
'''

DESIGN = '''
"""A memory that is the model's last word on the last: one lost, false or doubled reply changes all that follow."""
from dataclasses import dataclass

from pytest_membench import LLM, Batch, Design, EveryTurns, Snippet


@dataclass(frozen=True)
class Chain(Design[str]):
    label = "chain"
    recent = 0
    schedule = EveryTurns(3)

    def start(self) -> str:
        return ""

    def ingest(self, state: str, batch: Batch, llm: LLM) -> str:
        return llm.chat([{"role": "system", "content": f"fold: {state}"}, {"role": "user", "content": str(batch)}]).text

    def recall(self, state: str, question: str, llm: LLM) -> list[Snippet]:
        return [Snippet(state)]
'''

HUNG_S = 300.0
"""A session that takes longer hangs, and is killed so that the test can say which."""
PEOPLE, TURNS, PROBES = ("ada", "bo"), 12, 4


def write_benchmark(root: Path) -> None:
    """Write suite, design, test and conftest into an empty folder."""
    files = {
        "pytest.ini": "[pytest]\nmembench_suite = tiny\nmembench_model = chaotic\n",
        "conftest.py": CONFTEST,
        "designs/chain.py": DESIGN,
        "benchmarks/test_probes.py": "def test_probe(membench_probe):\n    membench_probe.run()\n",
    }
    for person in PEOPLE:
        turns = [
            {"i": i, "day": 1 + i, "time": "09:00", "who": "ua"[i % 2], "text": f"turn {i} of {person}"}
            for i in range(TURNS)
        ]
        probes = [
            {
                "id": f"recall-{n}",
                "kind": "recall",
                "q": f"what is thing {n} of {person}?",
                "gold": "g",
                "evidence": [0],
            }
            for n in range(PROBES)
        ]
        files[f"benchmarks/suites/tiny/chat/{person}.json"] = json.dumps({"messages": turns})
        files[f"benchmarks/suites/tiny/spec/{person}.json"] = json.dumps({"probes": probes})
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")


class Sessions:
    """Starts pytest sessions in a folder, one after the other, without paying for imports each time."""

    ARGS = (
        *("-p", "xdist", "-p", "pytest_membench.plugin.main", "-p", "no:cacheprovider"),
        *("benchmarks", "--design=chain", "--membench-out=out", "-q"),
    )

    def __init__(self, root: Path, url: str) -> None:
        self.root, self.url = root, url
        self.count = 0
        env = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "OPENBLAS_NUM_THREADS": "1", "PYTEST_ADDOPTS": ""}
        self._forker = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("forked_pytest.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=env,
        )
        self.main_pid = 0

    def run(self, *args: str, disk: str = "") -> int:
        """Run one session to its end; return its exit code, which is -9 where it was killed."""
        assert self._forker.stdin is not None
        assert self._forker.stdout is not None
        for path in (self.root / "pids").glob("*"):
            path.unlink()
        self.count += 1
        order = {
            "folder": str(self.root),
            "args": [*self.ARGS, *args],
            "env": {"CHAOS_URL": self.url, "CHAOS_DISK": disk},
            "log": str(self.root / f"session-{self.count}.log"),
        }
        self._forker.stdin.write(json.dumps(order) + "\n")
        self._forker.stdin.flush()
        self.main_pid = int(self._forker.stdout.readline())
        hung = threading.Timer(HUNG_S, self.kill, ("all", 0))
        hung.start()
        try:
            return int(self._forker.stdout.readline())
        finally:
            hung.cancel()

    def kill(self, victims: str, choice: int) -> None:
        """Kill one worker ("worker") or the whole session ("all"), as `kill -9` does."""
        pids = sorted(int(path.name.rsplit("-", 1)[1]) for path in (self.root / "pids").glob("*"))
        chosen = [self.main_pid, *pids] if victims == "all" else [pids[choice % len(pids)]]
        for pid in chosen:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    @property
    def log(self) -> str:
        """What the last session printed."""
        return (self.root / f"session-{self.count}.log").read_text(encoding="utf-8", errors="replace")

    def close(self) -> None:
        """End the forking process."""
        assert self._forker.stdin is not None
        assert self._forker.stdout is not None
        self._forker.stdin.close()
        self._forker.wait()
        self._forker.stdout.close()


def stored(root: Path) -> list[str]:
    """Return the digest of every call that cassettes and `.part` files hold, each as often as it is held."""
    found: list[str] = []
    folder = root / "cassettes"
    names = {path.with_name(path.name.removesuffix(".part")) for path in folder.rglob("*.json*") if path.name[0] != "."}
    for file in sorted(names):
        rows = orjson.loads(file.read_bytes())["interactions"] if file.exists() else []
        lines = read_lines(file.with_name(f"{file.name}.part"))
        if len(lines) > 1:
            rows = [*rows[: lines[0]["after"]], *lines[1:]]
        found += [row["request"]["sha256"] for row in rows]
    return found


def outcome(root: Path) -> dict[str, Any]:
    """Return what a complete run came to, without times and names of sessions: every answer and every verdict."""
    found: dict[str, Any] = {}
    for stage in ("mem", "ans", "judge", "judge2"):
        for path in (root / "out/chaotic" / stage).rglob("*.json"):
            data = orjson.loads(path.read_bytes())
            kept = ("state", "written") if stage == "mem" else set(data) - {"session"}
            found[str(path.relative_to(root))] = {name: data[name] for name in kept}
    return found


def scores(root: Path) -> Any:
    """Return the summary of the last session."""
    return orjson.loads((root / "out/summary.json").read_bytes())
