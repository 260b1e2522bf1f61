"""The design rolling_window: the last n turns, and nothing else."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_membench import EveryTurn, Person, Snippet
from pytest_membench.run.build import build


def test_it_writes_every_turn_and_shows_nothing_beside_the_window(load: Any) -> None:
    """Ten turns by default; no recent turns stand beside them, since they are the recent turns."""
    window = load("rolling_window")
    assert (window.n, window.recent, window.show_pending, window.schedule) == (10, 0, False, EveryTurn())


def test_the_newest_turns_survive_and_name_themselves(load: Any, person: Person, scripted: Any, recall: Any) -> None:
    """Of eight turns a window of three holds the last three, without a call to the model."""
    window, llm = load("rolling_window(n=3)"), scripted()
    memory = build(window, person, llm)
    assert recall(window, memory.state) == [Snippet(str(turn), (turn.i,)) for turn in person.turns[-3:]]
    assert llm.prompts == []


def test_what_left_the_window_is_gone(load: Any, person: Person, scripted: Any, recall: Any) -> None:
    """The ferry was talked of too long ago."""
    window = load("rolling_window(n=2)")
    shown = recall(window, build(window, person, scripted()).state, "When does the ferry leave?")
    assert not any("ferry" in snippet.text for snippet in shown)


@given(n=st.integers(1, 12), sizes=st.lists(st.integers(1, 5), max_size=8))
def test_the_window_holds_the_last_n_whatever_the_batches(
    load: Any, talk: Any, write: Any, recall: Any, n: int, sizes: list[int]
) -> None:
    """However turns are handed over, the window is the end of the chat."""
    window = load(f"rolling_window(n={n})")
    starts = [sum(sizes[:k]) for k in range(len(sizes))]
    batches = [talk(1, *map(str, range(size)), first=start) for size, start in zip(sizes, starts, strict=True)]
    state = write(window, window.start(), None, *batches)
    assert [snippet.turns for snippet in recall(window, state)] == [(i,) for i in range(sum(sizes))][-n:]


@pytest.mark.parametrize("n", [0, -3])
def test_a_window_of_nothing_is_refused(load: Any, n: int) -> None:
    """A slice of the last 0 would be the whole chat; the message names the value and what to use."""
    with pytest.raises(Exception, match=f"n={n}: .*1 turn or more.*no_memory"):
        load(f"rolling_window(n={n})")
