"""Where an endpoint is opened: nowhere in replay, the stand-in for sim, else what the environment names."""

from typing import Any

import pytest

from pytest_membench.data import Setting
from pytest_membench.errors import InputError
from pytest_membench.llm import endpoint
from pytest_membench.llm.client import Endpoint
from pytest_membench.llm.endpoint import OPENAI_URL, UNUSED_URL, opened

KEYS = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "MEMBENCH_JUDGE_API_KEY")


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """What each endpoint was made with: its address and its key; the environment holds neither."""
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)
    calls: list[tuple[Any, ...]] = []

    class Kept(Endpoint):
        def __init__(self, *args: Any, **settings: Any) -> None:
            calls.append(args)
            super().__init__(*args, **settings)

    monkeypatch.setattr(endpoint, "Endpoint", Kept)
    return calls


def test_replay_has_nowhere_to_call(made: list[tuple[Any, ...]]) -> None:
    """No server is started, no key is needed, whatever the model."""
    with opened(Setting("sim"), "none"), opened(Setting("m"), "none", base_url="http://x.invalid/v1"):
        pass
    assert made == [(UNUSED_URL, "replay"), (UNUSED_URL, "replay")]


def test_sim_is_served_here_and_answers(made: list[tuple[Any, ...]]) -> None:
    """The stand-in runs on loopback as long as the endpoint is open."""
    with opened(Setting("sim"), "new") as client:
        body = {"model": "sim", "messages": [{"role": "user", "content": "Hello"}]}
        assert client.post("/chat/completions", body)["choices"]
    assert made[0][0].startswith("http://127.0.0.1:")


def test_a_live_endpoint_without_a_key_says_what_to_set(made: list[tuple[Any, ...]]) -> None:
    """Both variables and the way without a key are named, and nothing is opened."""
    with pytest.raises(InputError, match=r"set OPENAI_API_KEY .* OPENAI_BASE_URL .*record mode none"):
        opened(Setting("m"), "new").__enter__()
    assert made == []


def test_the_judges_key_and_address_go_first(made: list[tuple[Any, ...]], monkeypatch: pytest.MonkeyPatch) -> None:
    """MEMBENCH_JUDGE_API_KEY is the judge's alone; an address that is given goes before the environment's."""
    monkeypatch.setenv("OPENAI_API_KEY", "general")
    monkeypatch.setenv("MEMBENCH_JUDGE_API_KEY", "judge")
    with opened(Setting("m"), "new"), opened(Setting("m"), "new", judge=True):
        monkeypatch.setenv("OPENAI_BASE_URL", "http://all.invalid/v1")
        with opened(Setting("m"), "all"), opened(Setting("m"), "all", judge=True, base_url="http://own.invalid/v1"):
            pass
    assert made == [
        (OPENAI_URL, "general"),
        (OPENAI_URL, "judge"),
        ("http://all.invalid/v1", "general"),
        ("http://own.invalid/v1", "judge"),
    ]
