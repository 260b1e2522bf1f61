"""What the tests of designs share: batches in one line, a checked write, a checked read, unreadable replies."""

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_membench import Batch, Design, Snippet, Turn
from pytest_membench.run.build import Memory, plain
from pytest_membench.run.build import recall as recalled
from pytest_membench.run.find import find

UNREADABLE = (
    "",
    "I would rather talk.",
    "[]",
    "{}",
    '{"KEY": null}',
    '{"KEY": "text"}',
    '{"KEY": [1, 2]}',
    '{"other": []}',
    '{"KEY": ["cut o',
)


@pytest.fixture(scope="session")
def load() -> Callable[[str], Design[Any]]:
    """Find one of the designs that ship, with the parameters in its name."""
    return lambda name: find(name, Path(__file__).parent)[0].design


@pytest.fixture(scope="session")
def talk() -> Callable[..., Batch]:
    """Make a batch of one day: its texts are Nora's and the assistant's in turn, numbered from `first`."""

    def make(day: int, *texts: str, first: int = 0) -> Batch:
        names = {"u": "Nora", "a": "Assistant"}
        turns = [
            Turn(first + n, day, f"09:{n:02}", "ua"[n % 2], text, names["ua"[n % 2]]) for n, text in enumerate(texts)
        ]
        return Batch("nora", tuple(turns))

    return make


@pytest.fixture(scope="session")
def write() -> Callable[..., Any]:
    """Write batches: each state survives JSON, and no state that was given is changed."""

    def ingest(design: Design[Any], state: Any, llm: Any, *batches: Batch) -> Any:
        for batch in batches:
            before = copy.deepcopy(state)
            after = plain(design, design.ingest(state, batch, llm))
            assert state == before
            state = after
        return state

    return ingest


@pytest.fixture(scope="session")
def recall() -> Callable[..., list[Snippet]]:
    """Read as the harness does, which refuses a design that writes while it reads; no model is asked."""
    return lambda design, state, question="?": recalled(design, Memory(state, 0, 0, ()), question, None)  # type: ignore[arg-type]


@pytest.fixture(params=UNREADABLE)
def unreadable(request: pytest.FixtureRequest) -> str:
    """A reply that is not the JSON that was asked for; KEY stands for the key that the design reads."""
    return str(request.param)
