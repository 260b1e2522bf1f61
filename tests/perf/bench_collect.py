"""Measure how long 20,000 items take to collect.

Run as `python tests/perf/bench_collect.py`; prints the figure with its limit and exits 1 where it
is missed. The suite is generated into a folder that goes away again. Measured is what a user of the
plugin has installed, pytest and xdist, without this project's development plugins; a plain
parametrised test of as many items says how much of it is pytest's own.
"""

# ruff: noqa: T201 - printing is what this script is for

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

ITEMS = 20_000
PEOPLE = 20
TURNS = 40
MOST_SECONDS = 6.0
KINDS = ("recall", "update", "temporal", "aggregate", "open_loop", "ask", "pref_apply", "abstain")

DESIGN = '''"""Keep nothing."""
from dataclasses import dataclass
from pytest_membench import LLM, Batch, Design, Snippet

@dataclass(frozen=True)
class Nothing(Design[None]):
    label = "nothing"
    def start(self) -> None:
        return None
    def ingest(self, state: None, batch: Batch, llm: LLM) -> None:
        return None
    def recall(self, state: None, question: str, llm: LLM) -> list[Snippet]:
        return []
'''

PLAIN = f'''"""As many items without the plugin."""
import pytest

@pytest.mark.parametrize("i", range({ITEMS}), ids=[f"nothing-person-{{i:05}}" for i in range({ITEMS})])
def test_probe(i):
    pass
'''

TEST = '''"""The items."""

def test_probe(membench_probe):
    membench_probe.run()
'''


def write_suite(folder: Path) -> None:
    """Write chats and probes for `ITEMS` items."""
    for part in ("chat", "spec"):
        (folder / part).mkdir(parents=True)
    turns = [
        {"i": i, "day": 1 + i // 10, "time": f"{8 + i % 10:02}:00", "who": "ua"[i % 2], "text": f"Turn number {i}."}
        for i in range(TURNS)
    ]
    for number in range(PEOPLE):
        probes = [
            {
                "id": f"p{i:04}",
                "kind": KINDS[i % len(KINDS)],
                "q": f"What of {i}?",
                "gold": f"It was {i}.",
                "evidence": [i % TURNS],
            }
            for i in range(ITEMS // PEOPLE)
        ]
        name = f"person{number:02}.json"
        (folder / "chat" / name).write_text(json.dumps({"messages": turns}), encoding="utf-8")
        (folder / "spec" / name).write_text(json.dumps({"probes": probes}), encoding="utf-8")


OURS = ("--design=designs/nothing.py", "--membench-suite=suite", "test_items.py")
BARE = ("-p", "no:membench", "test_plain.py")
DEVELOPMENT = ("no:randomly", "no:hypothesispytest", "no:pytest_cov")


def collect(root: Path, *arguments: str) -> tuple[float, float, int]:
    """Collect in a process of its own; return wall seconds, CPU seconds and how many items there were."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", f"--rootdir={root}"]
    command += [part for name in DEVELOPMENT for part in ("-p", name)]
    command += arguments
    before, wall = os.times(), time.perf_counter()
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    wall, after = time.perf_counter() - wall, os.times()
    if done.returncode != 0:
        raise SystemExit(f"collection failed:\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return wall, cpu, sum("::test_probe[" in line for line in done.stdout.splitlines())


def main() -> int:
    """Measure, print, and return the exit code."""
    with TemporaryDirectory() as name:
        root = Path(name)
        write_suite(root / "suite")
        (root / "designs").mkdir()
        (root / "designs" / "nothing.py").write_text(DESIGN, encoding="utf-8")
        (root / "test_items.py").write_text(TEST, encoding="utf-8")
        (root / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
        (root / "test_plain.py").write_text(PLAIN, encoding="utf-8")
        wall, cpu, items = min(collect(root, *OURS) for _ in range(3))
        bare, _, _ = min(collect(root, *BARE) for _ in range(3))
    ok = items == ITEMS and wall < MOST_SECONDS
    print(f"{items} of {ITEMS} items, {PEOPLE} people; best of 3; {1e6 * wall / ITEMS:.0f} us an item; CPU {cpu:.2f} s")
    print(f"as many plain parametrised items: {bare:.2f} s; ours costs {wall / bare:.1f} times as much")
    print(f"{'collection, s':45} {wall:9.3f}   < {MOST_SECONDS:g}   {'ok' if ok else 'MISSED'}")
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
