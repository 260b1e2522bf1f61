"""A small benchmark in a folder of its own, whose model and judge are scripted by what the suite says."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

WAYS: dict[str, tuple[str, ...]] = {
    "plain": (),
    "-n0": ("-n0",),
    "-n2": ("-n2",),
    "no:xdist": ("-p", "no:xdist"),
}

OTHERS = ("randomly", "recording", "socket", "benchmark", "timeout", "rerunfailures", "html", "metadata")
"""Plugins that test_coexistence.py is about; each costs a run some time."""

CONFTEST = '''
"""A model that answers with the question, and a judge that does what the gold says."""
import json
import os

import httpx2
import pytest

from pytest_membench.llm.client import Endpoint


def reply(request):
    body = json.loads(request.content)
    system, last = body["messages"][0]["content"], body["messages"][-1]["content"]
    if "You grade" not in system:
        return chat(json.dumps({"answer": "I heard: " + last.splitlines()[-1]}))
    gold = json.loads(last)["gold"]
    if gold.startswith("unpaid") or os.environ.get("UNPAID"):
        return httpx2.Response(402, json={"error": {"message": "no credit left"}})
    return chat(gold[4:] if gold.startswith("say ") else json.dumps({"label": gold.split()[0], "reason": "told to"}))


def chat(text):
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    return httpx2.Response(200, json={"choices": [choice], "usage": usage})


@pytest.fixture(scope="session")
def membench_endpoint():
    endpoint = Endpoint("http://model.invalid/v1", "key", transport=httpx2.MockTransport(reply), sleep=lambda s: None)
    yield endpoint
    endpoint.close()


@pytest.fixture(scope="session")
def membench_judge_endpoint(membench_endpoint):
    return membench_endpoint
'''

DESIGN = '''
"""Keep the last `n` turns."""
from dataclasses import dataclass

from pytest_membench import LLM, Batch, Design, Snippet


@dataclass(frozen=True)
class Window(Design[list[str]]):
    label = "window"
    recent = 0
    n: int = 2

    def start(self) -> list[str]:
        return []

    def ingest(self, state: list[str], batch: Batch, llm: LLM) -> list[str]:
        return [*state, *(str(turn) for turn in batch)][-self.n:]

    def recall(self, state: list[str], question: str, llm: LLM) -> list[Snippet]:
        return [Snippet(line) for line in state]
'''

TEST = """
def test_probe(membench_probe):
    membench_probe.run()
"""

GOLDS = ("correct", "correct", "partial", "wrong")


class Folder:
    """The folder of a small benchmark: edit it, then `run` pytest in it."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.pytester = pytester
        self.root = pytester.path
        self.write("pytest.ini", "[pytest]\nmembench_suite = tiny\nmembench_design = window\nmembench_no_html = true\n")
        self.write("conftest.py", CONFTEST)
        self.write("designs/window.py", DESIGN)
        self.write("benchmarks/test_probes.py", TEST)
        self.people(ada=GOLDS)

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def people(self, **golds: Sequence[str]) -> None:
        """Write the suite: each person with four turns and a recall probe for each gold."""
        for person, own in golds.items():
            turns = [
                {"i": i, "day": 1 + i, "time": "09:00", "who": "ua"[i % 2], "text": f"turn {i} of {person}"}
                for i in range(4)
            ]
            probes = [
                {"id": f"recall-{n:02}", "kind": "recall", "q": f"what is thing {n}?", "gold": gold, "evidence": [0]}
                for n, gold in enumerate(own, 1)
            ]
            suite = "benchmarks/suites/tiny"
            self.write(f"{suite}/chat/{person}.json", json.dumps({"messages": turns}))
            self.write(f"{suite}/spec/{person}.json", json.dumps({"probes": probes}))

    def run(self, *args: str, subprocess: bool = False, beside: str = "") -> pytest.RunResult:
        """Run the benchmark into the folder `out`; of other plugins that are installed with `beside` alone."""
        runner = self.pytester.runpytest_subprocess if subprocess else self.pytester.runpytest_inprocess
        absent = [part for name in OTHERS if name != beside for part in ("-p", f"no:{name}")]
        return runner("benchmarks", "--membench-out=out", *absent, *args)

    def read(self, name: str) -> Any:
        return json.loads((self.root / "out" / name).read_text(encoding="utf-8"))

    def summary(self) -> Any:
        return self.read("summary.json")

    def score(self) -> Any:
        return self.score_of("window")

    def score_of(self, design: str) -> Any:
        return self.summary()["scores"]["sim"][design]
