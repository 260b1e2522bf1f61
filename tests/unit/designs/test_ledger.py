"""The design ledger: lines that are appended and never changed, shown within a budget."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_membench import Batched, Snippet, count_tokens, search_chat


def lines(*rows: tuple[str, str, int]) -> str:
    """A reply with these lines: (date, text, importance)."""
    return json.dumps({"lines": [{"date": d, "text": t, "importance": i} for d, t, i in rows]})


@pytest.fixture
def ledger(load: Any) -> Any:
    """The design with its defaults."""
    return load("ledger")


def kept(*rows: tuple[str, int]) -> dict[str, Any]:
    """A state with these lines: (text, importance); each comes from the turn of its place."""
    return {
        "lines": [{"text": text, "importance": level, "turns": [n]} for n, (text, level) in enumerate(rows)],
        "waiting": [],
        "failed": 0,
    }


def test_it_has_what_the_memories_of_its_kind_have(ledger: Any) -> None:
    """The schedule of agent-memory-bench, 14 recent turns, search."""
    assert (ledger.schedule, ledger.recent) == (Batched(turns=8, from_person=4, hours=3), 14)
    assert ledger.tools(ledger.start()) == [search_chat]


def test_lines_are_appended_and_a_contradiction_stands_beside(
    ledger: Any, talk: Any, write: Any, recall: Any, scripted: Any
) -> None:
    """A change is a second line; the first is not touched, and the model sees it when it writes."""
    llm = scripted(
        lines(("2026-08-03", "The ferry leaves on Friday.", 3)),
        lines(("2026-08-04", "The ferry leaves on Saturday.", 2)),
    )
    second = talk(2, "moved", first=2)
    state = write(ledger, ledger.start(), llm, talk(1, "ferry", "ok"), second)
    assert recall(ledger, state) == [
        Snippet("2026-08-03: The ferry leaves on Friday.", (0, 1)),
        Snippet("2026-08-04: The ferry leaves on Saturday.", (2,)),
    ]
    assert llm.prompts[1][1]["content"] == (
        f"# Ledger so far\n2026-08-03: The ferry leaves on Friday.\n\n# New messages\n{second}"
    )
    assert [line["importance"] for line in state["lines"]] == [3, 2]


def test_the_model_sees_the_newest_lines_alone(ledger: Any, talk: Any, write: Any, scripted: Any) -> None:
    """Writing does not grow dearer with the ledger: 20 lines are shown, the ledger keeps all."""
    state = kept(*((f"line{n}.", 1) for n in range(30)))
    llm = scripted(lines())
    assert len(write(ledger, state, llm, talk(1, "x"))["lines"]) == 30
    assert "line9." not in llm.sent
    assert "line10." in llm.sent


def test_a_line_is_dated_by_a_day_of_its_batch_and_names_the_turns_of_that_day(
    ledger: Any, talk: Any, write: Any, scripted: Any
) -> None:
    """Another date becomes that of the newest day; a date in the text is not said twice; 9 is as 3, 0 as 1."""
    first, second = talk(1, "ferry", "ok"), talk(2, "tent", first=2)
    state = write(ledger, ledger.start(), scripted(""), first)
    llm = scripted(lines(("2026-08-03", "2026-08-03: one\nday", 9), ("2026-09-30", "later", 0), ("soon", " ", 2)))
    assert write(ledger, state, llm, second)["lines"] == [
        {"text": "2026-08-03: one day", "importance": 3, "turns": [0, 1]},
        {"text": "2026-08-04: later", "importance": 1, "turns": [2]},
    ]


def test_over_budget_the_least_important_and_of_these_the_oldest_are_left_out(load: Any, recall: Any) -> None:
    """What is shown stays in its order, what is left out stays in the state."""
    state = kept(("minor one", 1), ("vital two", 3), ("minor three", 1), ("so so four", 2), ("minor five", 1))
    sizes = [count_tokens(line["text"] + "\n") for line in state["lines"]]
    design = load(f"ledger(budget={sum(sizes) - 1})")
    assert [s.turns for s in recall(design, state)] == [(1,), (2,), (3,), (4,)]
    design = load(f"ledger(budget={sizes[1] + sizes[3] + sizes[4]})")
    assert [s.turns for s in recall(design, state)] == [(1,), (3,), (4,)]
    assert len(state["lines"]) == 5


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\n\r"), min_size=1, max_size=60)


@given(rows=st.lists(st.tuples(TEXTS, st.integers(1, 3)), max_size=20), budget=st.integers(0, 120))
def test_the_budget_is_never_exceeded_and_the_rest_ranks_below(
    load: Any, recall: Any, rows: list[tuple[str, int]], budget: int
) -> None:
    """The shown lines fit together; every line left out is less important than all of them, or as important and older."""
    state = kept(*rows)
    shown = [snippet.turns[0] for snippet in recall(load(f"ledger(budget={budget})"), state)]
    assert sum(count_tokens(rows[n][0] + "\n") for n in shown) <= budget
    assert shown == sorted(shown)
    rank = [(rows[n][1], n) for n in range(len(rows))]
    left = [rank[n] for n in range(len(rows)) if n not in shown]
    assert not left or not shown or max(left) < min(rank[n] for n in shown)


@given(writes=st.lists(st.one_of(st.none(), st.lists(st.integers(1, 3), max_size=4)), max_size=8))
def test_no_line_and_no_turn_is_lost_from_the_state(
    load: Any, talk: Any, write: Any, writes: list[list[int] | None]
) -> None:
    """After any mixture of replies, all earlier lines stand unchanged, and each unread turn waits."""
    design = load("ledger(budget=0)")
    state = design.start()
    unread: list[int] = []
    for n, levels in enumerate(writes):
        before = state["lines"]
        reply = "no JSON" if levels is None else lines(*(("", f"line {n}", level) for level in levels))
        state = write(design, state, Fixed(reply), talk(n + 1, "x", first=n))
        unread = [*unread, n] if levels is None else []
        assert state["lines"][: len(before)] == before
        assert len(state["lines"]) == len(before) + len(levels or [])
        assert [i for i, _ in state["waiting"]] == unread
    assert state["failed"] == writes.count(None)


class Fixed:
    """A model with one reply."""

    def __init__(self, text: str) -> None:
        self.text = text

    def chat(self, messages: object, *, response_format: object = None) -> Any:
        """Give the reply."""
        return self


def test_unreadable_lines_change_nothing_and_lose_nothing(
    ledger: Any, talk: Any, write: Any, recall: Any, scripted: Any, unreadable: str
) -> None:
    """The ledger stays, the failure is counted, the batch is shown and goes along with the next write."""
    old, batch = kept(("2026-08-01: ferry", 2)), talk(2, "late", first=2)
    line = str(batch.turns[0])
    state = write(ledger, old, scripted(unreadable.replace("KEY", "lines")), batch)
    assert state == {**old, "waiting": [[2, line]], "failed": 1}
    assert recall(ledger, state)[-1] == Snippet(line, (2,))
    llm = scripted(lines())
    state = write(ledger, state, llm, talk(3, "last", first=3))
    assert line in llm.sent
    assert state == {**old, "failed": 1}


@pytest.mark.parametrize(
    "line",
    [
        {"date": "2026-08-03", "text": "x"},
        {"date": "2026-08-03", "text": "x", "importance": "2"},
        {"date": "2026-08-03", "text": "x", "importance": None},
        {"date": 3, "text": "x", "importance": 2},
        {"text": "x", "importance": 2},
    ],
)
def test_one_line_of_the_wrong_type_fails_the_reply(
    ledger: Any, talk: Any, write: Any, scripted: Any, line: dict[str, Any]
) -> None:
    """A reply is taken whole or not at all, so that a retry writes nothing twice."""
    good = {"date": "2026-08-03", "text": "fine", "importance": 2}
    state = write(ledger, ledger.start(), scripted(json.dumps({"lines": [good, line]})), talk(1, "x"))
    assert (state["lines"], state["failed"]) == ([], 1)
