"""Measure what a strict replay of a whole-transcript cell costs, beside a stock YAML cassette.

Run as `python tests/perf/bench_replay.py`; prints each figure with its limit and exits 1 where one
is missed. The cell is made without a server: its calls are recorded through a fake transport.
"""

# ruff: noqa: T201 - printing is what this script is for

import json
import random
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx2
import vcr

from pytest_membench.llm.cassette import use
from pytest_membench.llm.client import Endpoint

TURNS = 400
TURN_CHARACTERS = 800
STOCK_TURNS = 100
MOST_SECONDS = 1.5
LEAST_TIMES_FASTER = 20.0
MOST_TIMES_GROWTH = 20.0
MOST_MEGABYTES = 1.5
SYSTEM = "You are the personal assistant of Maya. Rely on what was really said."


def transcript(turns: int) -> list[str]:
    """Return the lines of a chat, the same in every run."""
    dice = random.Random(0)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(dice.choices(letters, k=dice.randint(2, 9))) for _ in range(4000)]
    lines = (" ".join(dice.choices(words, k=TURN_CHARACTERS // 5)) for _ in range(turns))
    return [line[: TURN_CHARACTERS - 1] for line in lines]


def bodies(turns: int) -> Iterator[dict[str, Any]]:
    """Yield the request of each turn: a system message and one that holds all turns so far."""
    held = ""
    for line in transcript(turns):
        held += line + "\n"
        messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": held}]
        yield {"model": "m", "messages": messages, "temperature": 0.0}


def answer(request: httpx2.Request) -> httpx2.Response:
    """Answer as a model does: a short text, and usage that follows the prompt."""
    tokens = len(request.content) // 4
    message = {"role": "assistant", "content": f"answer to {tokens} tokens " + "word " * 60}
    usage = {"prompt_tokens": tokens, "completion_tokens": 80, "total_tokens": tokens + 80}
    return httpx2.Response(200, json={"id": "x", "choices": [{"index": 0, "message": message}], "usage": usage})


def endpoint(respond: Callable[[httpx2.Request], httpx2.Response]) -> Endpoint:
    """Return a client that asks `respond`."""
    return Endpoint("http://model.invalid/v1", "key", trust_env=False, transport=httpx2.MockTransport(respond))


def refuse(request: httpx2.Request) -> httpx2.Response:
    """Fail: a replay asks nobody."""
    raise AssertionError(f"a replay sent {request.url}")


def ask_all(client: Endpoint, turns: int) -> float:
    """Make the calls of a cell; return the CPU seconds they took, without making the prompts."""
    spent = 0.0
    for body in bodies(turns):
        before = time.process_time()
        client.post("/chat/completions", body)
        spent += time.process_time() - before
    return spent


def replay_ours(folder: Path, turns: int) -> tuple[float, int]:
    """Record a cell and replay it strictly; return CPU seconds of opening and replaying, and bytes."""
    file = folder / f"cell-{turns}.json"
    with use(file, "new"):
        ask_all(endpoint(answer), turns)
    before = time.process_time()
    context = use(file, "none")
    cassette = context.__enter__()
    opened = time.process_time() - before
    seconds = opened + ask_all(endpoint(refuse), turns)
    context.__exit__(None, None, None)
    assert cassette.replayed == turns
    return seconds, file.stat().st_size


def replay_stock(folder: Path, turns: int) -> float:
    """Record and replay the cell with vcrpy's own YAML cassette and body matching; return CPU seconds."""
    recorder = vcr.VCR(match_on=("method", "path", "body"))
    file = str(folder / f"stock-{turns}.yaml")
    # Recording matches every call with all before it, so the cell is recorded without a matcher.
    with vcr.VCR(match_on=("method",)).use_cassette(file, record_mode="all"):
        ask_all(endpoint(answer), turns)
    before = time.process_time()
    context = recorder.use_cassette(file, record_mode="none")
    cassette = context.__enter__()
    opened = time.process_time() - before
    seconds = opened + ask_all(endpoint(refuse), turns)
    context.__exit__(None, None, None)
    assert cassette.play_count == turns
    return seconds


def main() -> int:
    """Measure, print, and return the exit code."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        replay_ours(folder, 5)  # imports and first calls are no part of the figures
        small, _ = min(replay_ours(folder, STOCK_TURNS) for _ in range(3))
        large, size = min(replay_ours(folder, TURNS) for _ in range(3))
        stock = replay_stock(folder, STOCK_TURNS)
    prompt_kb = len(json.dumps(list(bodies(TURNS))[-1])) / 1000
    print(f"whole-transcript cell of {TURNS} turns, prompts up to {prompt_kb:.0f} KB; CPU of this process")
    print(f"stock YAML cassette with body matching, {STOCK_TURNS} turns: {stock:.2f} s; ours: {small:.3f} s")
    checks = [
        (f"replay of {TURNS} turns, s", large, "<=", MOST_SECONDS),
        (f"times faster than stock at {STOCK_TURNS} turns", stock / small, ">=", LEAST_TIMES_FASTER),
        (f"times the cost from {STOCK_TURNS} to {TURNS} turns", large / small, "<=", MOST_TIMES_GROWTH),
        (f"cassette of {TURNS} turns, MB", size / 1e6, "<=", MOST_MEGABYTES),
    ]
    met = [figure >= limit if sign == ">=" else figure <= limit for _, figure, sign, limit in checks]
    for (what, figure, sign, limit), ok in zip(checks, met, strict=True):
        print(f"{what:45} {figure:9.3f}   {sign} {limit:g}   {'ok' if ok else 'MISSED'}")
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
