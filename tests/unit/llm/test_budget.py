"""The budget: whatever the order of calls, their real cost never passes it."""

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_membench import count_tokens
from pytest_membench.errors import OverBudget
from pytest_membench.llm.budget import OUTPUT_TOKENS, Budget, Hold, most_input, most_output

LATE_S = 100.0


def _no_sleep(seconds: float) -> None:
    raise AssertionError(f"waited {seconds} s")


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Budget]:
    """Make a budget in one folder; it refuses to wait, and its clock stands still."""

    def budget(usd: float, session: str = "s", sleep: Callable[[float], None] = _no_sleep, now: float = 0.0) -> Budget:
        return Budget(tmp_path / "budget.json", session, usd, sleep=sleep, clock=lambda: now)

    return budget


Make = Callable[..., Budget]


def test_a_claim_is_replaced_by_the_real_cost(make: Make) -> None:
    """0.8 of 1 USD is claimed, 0.3 is billed: 0.7 are left for another."""
    budget = make(1.0)
    budget.settle(budget.reserve("answer", 0.8, LATE_S), 0.3, "answer", 5)
    budget.reserve("answer", 0.7, LATE_S)
    assert budget.state() == {"usd": 1.0, "spent": 0.3, "reserved": 0.7, "refused": False}


def test_a_bill_that_nobody_knows_keeps_its_claim(make: Make) -> None:
    """0.8 stay claimed, so that 0.3 more do not fit."""
    budget = make(1.0)
    budget.settle(budget.reserve("answer", 0.8, LATE_S), None, "answer", None)
    with pytest.raises(OverBudget):
        budget.reserve("answer", 0.3, LATE_S)


def test_the_budget_itself_may_be_spent(make: Make) -> None:
    """Ten claims of a tenth fit exactly, in spite of how floats add up; an eleventh does not."""
    budget = make(1.0)
    for _ in range(10):
        budget.settle(budget.reserve("answer", 0.1, LATE_S), 0.1, "answer", 1)
    with pytest.raises(OverBudget):
        budget.reserve("answer", 1e-12, LATE_S)


def test_the_message_says_what_was_spent_and_what_to_do(make: Make) -> None:
    """Spent, reserved, budget, what the call could cost, and how to go on."""
    budget = make(1.0)
    budget.settle(budget.reserve("answer", 0.5, LATE_S), 0.25, "answer", 1)
    budget.settle(budget.reserve("judge", 0.5, LATE_S), None, "judge", None)
    with pytest.raises(OverBudget) as caught:
        budget.reserve("ingest", 0.75, LATE_S)
    for part in (
        "budget of 1.000000",
        "0.250000 USD spent",
        "0.500000 USD reserved",
        "ingest call could cost 0.750000",
    ):
        assert part in str(caught.value)
    assert "--membench-budget-usd" in str(caught.value)


def test_after_a_refusal_no_call_is_made(make: Make) -> None:
    """Also not a cheap one, and also where another worker asks: the session has stopped."""
    with pytest.raises(OverBudget):
        make(1.0).reserve("answer", 2.0, LATE_S)
    with pytest.raises(OverBudget, match="a judge call was not made"):
        make(1.0).reserve("judge", 0.001, LATE_S)


def test_each_session_has_the_budget_anew(make: Make) -> None:
    """What an earlier session into the same folder spent does not count, and its refusal does not bind."""
    with pytest.raises(OverBudget):
        make(1.0).reserve("answer", 2.0, LATE_S)
    make(1.0, "next").reserve("answer", 1.0, LATE_S)


def test_a_call_waits_for_calls_in_flight(make: Make) -> None:
    """Claims are larger than bills: what does not fit beside a call in flight fits when that one has ended."""
    budget = make(1.0)
    flying = budget.reserve("answer", 0.9, LATE_S)
    waits: list[float] = []

    def land(seconds: float) -> None:
        waits.append(seconds)
        budget.settle(flying, 0.1, "answer", 1)

    replace(budget, sleep=land).reserve("answer", 0.9, LATE_S)
    assert len(waits) == 1


def test_nobody_waits_for_a_worker_that_died(make: Make) -> None:
    """A claim that is older than its call can be stands for good: it may have been billed."""
    make(1.0).reserve("answer", 0.9, LATE_S)
    with pytest.raises(OverBudget):
        make(1.0, now=LATE_S + 1).reserve("answer", 0.2, LATE_S)


def test_a_claim_of_a_process_that_ended_stands(make: Make, tmp_path: Path) -> None:
    """Nobody waits for a worker that was killed while its call was in flight, nor spends what it may have spent."""
    source = (
        "import sys; from pathlib import Path; from pytest_membench.llm.budget import Budget; "
        "Budget(Path(sys.argv[1]), 's', 1.0, clock=lambda: 0.0).reserve('answer', 0.9, 100.0)"
    )
    subprocess.run([sys.executable, "-c", source, str(tmp_path / "budget.json")], check=True)
    with pytest.raises(OverBudget, match=r"0\.900000 USD reserved"):
        make(1.0).reserve("answer", 0.2, LATE_S)


def test_sessions_in_one_folder_do_not_reset_each_other(make: Make) -> None:
    """Two that run at once each keep to their own."""
    make(1.0, "a").reserve("answer", 0.9, LATE_S)
    make(1.0, "b").reserve("answer", 0.9, LATE_S)
    assert make(1.0, "a").state()["reserved"] == 0.9


def test_a_hold_takes_once_and_settles_once(make: Make) -> None:
    """A cassette may say twice that a request goes live."""
    budget = make(1.0)
    hold = Hold(budget, "answer", lambda _: 0.6, LATE_S)
    hold.take()
    hold.take()
    assert budget.state()["reserved"] == 0.6
    hold.settle(0.1, 7)
    hold.settle(0.1, 7)
    assert budget.state()["spent"] == 0.1
    assert (budget.longest("answer"), budget.longest("judge")) == (7, 0)


def test_a_hold_that_was_never_taken_settles_nothing(make: Make) -> None:
    """A replayed call costs nothing."""
    Hold(make(1.0), "answer", lambda _: 0.6, LATE_S).settle(0.6, 5)
    assert make(1.0).state()["spent"] == 0


def test_the_most_that_a_reply_can_have() -> None:
    """max_tokens, or a default, or what has been seen, whichever is more."""
    assert most_output(None, 0) == OUTPUT_TOKENS
    assert most_output(64, 10) == 64
    assert most_output(64, 100) == 100  # an endpoint that does not keep to max_tokens
    assert most_output(None, 9999) == 9999


@given(st.text(max_size=200))
def test_the_most_that_a_prompt_can_have_is_above_what_it_has_here(text: str) -> None:
    """A quarter more than o200k_base counts, and some: for chats and for embeddings."""
    counted = count_tokens(text)
    assert most_input({"messages": [{"role": "user", "content": text}]}) >= 1.25 * counted + 64
    assert most_input({"input": [text, text]}) >= 2.5 * counted


CALLS = st.lists(st.tuples(st.integers(1, 50), st.floats(0, 1), st.sampled_from(["known", "unknown"])), max_size=12)


@settings(max_examples=30, deadline=None)
@given(st.lists(CALLS, min_size=1, max_size=4), st.integers(0, 300))
def test_threads_never_spend_more_than_the_budget(workers: list[list[tuple[int, float, str]]], cents: int) -> None:
    """Whatever the interleaving, the real costs add up to at most the budget, each being at most its claim."""
    paid: list[int] = []
    with TemporaryDirectory() as folder:
        path = Path(folder) / "budget.json"

        def work(calls: list[tuple[int, float, str]]) -> None:
            budget = Budget(path, "s", cents / 100, sleep=lambda _: time.sleep(0.001))
            for worst, share, bill in calls:
                try:
                    name = budget.reserve("answer", worst / 100, LATE_S)
                except OverBudget:
                    return
                real = int(worst * share)
                paid.append(real)  # what the provider charges, whether it says so or not
                budget.settle(name, real / 100 if bill == "known" else None, "answer", 1)

        threads = [threading.Thread(target=work, args=(calls,)) for calls in workers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        spent = Budget(path, "s", cents / 100).state()
    assert sum(paid) <= cents
    assert spent["spent"] + spent["reserved"] <= cents / 100 + 1e-9


WORKER = """
import random, sys
from pathlib import Path
from pytest_membench.errors import OverBudget
from pytest_membench.llm.budget import Budget

dice, paid = random.Random(int(sys.argv[2])), 0.0
budget = Budget(Path(sys.argv[1]), "s", 1.0)
try:
    while True:
        worst = dice.randint(1, 40) / 1000
        name = budget.reserve("answer", worst, 60.0)
        real = worst * dice.random()
        paid += real
        budget.settle(name, real, "answer", 1)
except OverBudget:
    print(paid)
"""


def test_processes_never_spend_more_than_the_budget(tmp_path: Path) -> None:
    """Three workers of their own spend most of 1 USD together, and no more than that."""
    command = [sys.executable, "-c", WORKER, str(tmp_path / "budget.json")]
    running = [subprocess.Popen([*command, str(seed)], stdout=subprocess.PIPE, text=True) for seed in (1, 2, 3)]
    paid = sum(json.loads(process.communicate()[0]) for process in running)
    assert [process.returncode for process in running] == [0, 0, 0]
    assert 0.9 < paid <= 1.0
