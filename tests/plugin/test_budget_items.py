"""A budget over a whole session: workers, stages, the stop, and what comes after it."""

import json
from pathlib import Path
from typing import Any

import pytest
from bench_folder import Folder

PRICES = '[{"model": "sim", "provider": null, "input": 1.0, "output": 1.0}]'
COST_USD = 110e-6
"""What each scripted call costs: 100 tokens in and 10 out at 1 USD a million."""
MONEY = ("--membench-prices=prices.json", "--membench-max-tokens=10")
INGESTING = """
    def ingest(self, state: list[str], batch: Batch, llm: LLM) -> list[str]:
        llm.chat([{"role": "user", "content": "note it"}])
        return [*state, *(str(turn) for turn in batch)][-self.n:]
"""


@pytest.fixture
def priced(folder: Folder) -> Folder:
    """A small benchmark of eight probes and two people, whose design writes by a model that has a price."""
    folder.write("prices.json", PRICES)
    design = folder.root / "designs/window.py"
    design.write_text(
        design.read_text().replace(design.read_text().split("    def ingest")[1].split("    def recall")[0], "@@")
    )
    design.write_text(design.read_text().replace("    def ingest@@", INGESTING.lstrip("\n") + "\n"))
    folder.people(ada=("correct",) * 4, ben=("correct",) * 4)
    return folder


def ledger(folder: Folder) -> list[dict[str, Any]]:
    """Return the attempts of all sessions."""
    return [json.loads(line) for line in (folder.root / "out/spend.jsonl").read_text().splitlines()]


def live_usd(folder: Folder) -> float:
    """Return what was really paid."""
    return float(sum(line["usd"] or 0 for line in ledger(folder) if not line["replayed"]))


def causes(folder: Folder) -> dict[str, int]:
    """Return the summary's causes."""
    found: dict[str, int] = folder.summary()["causes"]
    return found


@pytest.mark.parametrize("way", ["plain", "-n2"])
def test_a_session_that_meets_its_budget_stops_and_can_be_taken_up(priced: Folder, way: str) -> None:
    """8 writes, 8 answers and 8 verdicts cost 24 calls: at ten of them it stops, and the rest is paid in a second session."""
    workers = () if way == "plain" else ("-n2",)
    budget = 10 * COST_USD
    first = priced.run(*MONEY, f"--membench-budget-usd={budget}", *workers)
    assert first.ret == 6
    paid = live_usd(priced)
    assert 0 < paid <= budget
    assert causes(priced) == {"budget": priced.score()["not_run"]}
    assert f"stopped by the budget: {priced.score()['not_run']}; the same command" in first.stdout.str()
    assert f"budget: {budget:.4f} USD for this session, {paid:.4f} spent" in first.stdout.str()

    second = priced.run(*MONEY, "--membench-budget-usd=1")
    assert second.ret == 0
    assert priced.score()["correct"] == 8
    assert live_usd(priced) == pytest.approx(24 * COST_USD)  # no call was paid twice
    assert f"all sessions into this folder: {24 * COST_USD:.4f} USD" in second.stdout.str()


def test_once_the_budget_is_out_no_call_is_made(priced: Folder) -> None:
    """With nothing to spend nothing is asked: every item fails at once, for one cause, with the way on in its message."""
    result = priced.run(*MONEY, "--membench-budget-usd=0")
    assert result.ret == 6
    assert not (priced.root / "out/spend.jsonl").exists()
    assert causes(priced) == {"budget": 8}
    assert "higher --membench-budget-usd" in result.stdout.str()
    assert priced.read("diag.json")["budget"]["refused"] is True


def test_replayed_calls_are_free(priced: Folder) -> None:
    """What is recorded replays with a budget of nothing."""
    priced.run(*MONEY)
    assert priced.run(*MONEY, "--membench-budget-usd=0", "--membench-record=new").ret == 0


def test_a_judge_that_cannot_be_paid_leaves_the_item_not_run(priced: Folder) -> None:
    """An answer without a verdict for want of money is asked for again; it is neither wrong nor the judge's failure."""
    priced.run(*MONEY, "-k", "recall-01 and ada", f"--membench-budget-usd={5.9 * COST_USD}")
    row = priced.read("sim/rows/window/ada/recall-01.json")
    assert (row["outcome"], row["cause"]) == ("not_run", "budget")


def test_a_cost_conversation_stops_at_the_budget(priced: Folder) -> None:
    """It enters no figure: it was not refused by the endpoint, it was not served."""
    priced.write("benchmarks/test_cost.py", "def test_cost(membench_cost):\n    membench_cost.run()\n")
    grid = ("-k", "test_cost", "--membench-grid=15x50", "--membench-seeds=1", "--membench-no-reference")
    result = priced.run(*MONEY, *grid, f"--membench-budget-usd={20 * COST_USD}")
    assert result.ret == 6
    assert priced.summary()["conversations"] == {"measured": 0, "cut_short": 0, "not_run": 1}
    assert live_usd(priced) <= 20 * COST_USD
    assert priced.run(*MONEY, *grid, "--membench-budget-usd=1").ret == 0
    assert live_usd(priced) == pytest.approx(30 * COST_USD)


def test_a_model_without_a_price_refuses_a_budget(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything runs: the model, the option and the file of prices are named."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    result = folder.run("--membench-model=unheard-of", "--membench-record=new", "--membench-budget-usd=1")
    assert result.ret == 2
    assert "--membench-budget-usd=1: unheard-of has no price in the table" in result.stdout.str()
    assert "--membench-prices FILE" in result.stdout.str()
    assert not (folder.root / "out").exists()


@pytest.mark.parametrize("option", ["--membench-judge=unheard-of", "--membench-generator=unheard-of"])
def test_judge_and_generator_need_a_price_too(priced: Folder, option: str) -> None:
    """The budget is over all stages."""
    result = priced.run(*MONEY, option, "--membench-record=new", "--membench-budget-usd=1")
    assert result.ret == 2
    assert "unheard-of has no price" in result.stdout.str()


def test_sim_needs_no_price(folder: Folder) -> None:
    """It is local and free, so that an ini file may hold a budget for all runs."""
    result = folder.run("--membench-budget-usd=0")
    assert result.ret == 0
    assert "budget: 0.0000 USD for this session, 0.0000 spent" in result.stdout.str()


@pytest.mark.parametrize("value", ["-1", "nan", "much"])
def test_a_budget_that_is_no_sum_is_refused(folder: Folder, value: str) -> None:
    """The message says what is wanted."""
    result = folder.run(f"--membench-budget-usd={value}")
    assert result.ret == 2
    result.stdout.fnmatch_lines([f"*--membench-budget-usd={value}: * is wanted*"])


def test_two_sessions_without_a_budget_write_no_file_of_one(folder: Folder) -> None:
    """Nothing is shown or written of what nobody asked for."""
    result = folder.run()
    assert "budget:" not in result.stdout.str()
    assert not Path(folder.root / "out/budget.json").exists()


@pytest.mark.parametrize("way", ["plain", "-n2"])
def test_prices_that_are_none_are_told_at_collection(folder: Folder, way: str) -> None:
    """In workers too, without an internal error."""
    folder.write("prices.json", "{}")
    result = folder.run("--membench-prices=prices.json", *(() if way == "plain" else ("-n2",)))
    said = result.stdout.str() + result.stderr.str()
    assert result.ret not in (0, 3)
    assert "prices.json" in said
    assert "INTERNALERROR" not in said


def test_a_budget_that_cannot_be_kept_is_told_and_nothing_is_sent(priced: Folder) -> None:
    """Its lock is a folder: every item says so, and the table is shown."""
    (priced.root / "out/budget.json.lock").mkdir(parents=True)
    result = priced.run(*MONEY, "--membench-budget-usd=1")
    assert result.ret == 6
    assert causes(priced) == {"store_error": 8}
    assert not (priced.root / "out/spend.jsonl").exists()
    result.stdout.fnmatch_lines(["budget: unknown, *budget.json: cannot be written*", "INCOMPLETE: *budget.json*"])
    assert "INTERNALERROR" not in result.stdout.str()
