"""Where calls go: a real endpoint from the environment, a judge of its own, a generator, or nowhere."""

import json
from collections.abc import Iterator

import pytest
from bench_folder import Folder

from pytest_membench.llm.sim.server import SimServer


@pytest.fixture
def server() -> Iterator[str]:
    """The base URL of an OpenAI-compatible endpoint on loopback."""
    with SimServer() as running:
        yield running.base_url


@pytest.fixture
def live(folder: Folder) -> Folder:
    """A small benchmark without scripted endpoints."""
    folder.write("conftest.py", "")
    return folder


def test_a_real_endpoint_comes_from_the_environment(live: Folder, server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """OPENAI_BASE_URL and OPENAI_API_KEY are all that a recording with another model needs."""
    monkeypatch.setenv("OPENAI_BASE_URL", server)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-secret-key")
    assert live.run("--membench-model=other", "--membench-record=new").ret == 0
    row = live.summary()["scores"]["other"]["window"]
    assert row["n"] == 4
    written = [p.read_text() for p in live.root.rglob("*") if p.is_file()]
    assert not any("planted-secret" in text for text in written)


def test_a_model_that_is_not_sim_replays_strictly_by_default(
    live: Folder, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without --membench-record no call of a paid model is made, though a key is set."""
    monkeypatch.setenv("OPENAI_BASE_URL", server)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-secret-key")
    assert live.run("--membench-model=other").ret == 6
    assert live.summary()["scores"]["other"]["window"]["not_recorded"] == 4


def test_recording_without_a_key_says_what_to_set(live: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names both variables and the way to replay instead."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    result = live.run("--membench-model=other", "--membench-record=new")
    assert result.ret == 6
    assert "recording needs a key: set OPENAI_API_KEY" in result.stdout.str()


def test_the_judge_may_have_an_endpoint_of_its_own(live: Folder, server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A judge with its own address and key grades what sim answers."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("MEMBENCH_JUDGE_API_KEY", "sk-judge")
    options = ("--membench-judge=grader", f"--membench-judge-base-url={server}", "--membench-record=new")
    assert live.run(*options).ret == 0
    assert live.summary()["judge"] == "grader"
    lines = [json.loads(line) for line in (live.root / "out/spend.jsonl").read_text().splitlines()]
    assert {line["model"] for line in lines if line["stage"] == "judge"} == {"grader"}


def test_a_variable_of_the_environment_does_not_redirect_sim(live: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """The stand-in answers on loopback whatever OPENAI_BASE_URL and the proxy variables say."""
    for name in ("OPENAI_BASE_URL", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://nowhere.invalid:9")
    assert live.run().ret == 0
    assert live.score()["n"] == 4


def test_closed_book_sees_nothing_of_the_chat(live: Folder) -> None:
    """The design of the audit has no memory, no recent turns and no tools."""
    assert live.run("--design=pytest_membench.run.closed_book:ClosedBook").ret == 0
    answer = live.read("sim/ans/ClosedBook/ada/recall-01.json")
    assert (answer["snippets"], answer["calls"]) == ([], [])
    row = live.summary()["scores"]["sim"]["ClosedBook"]
    assert (row["search_calls"], row["memory_tokens"]) == (0, 0)
