"""Money: what the table says a run costs, what the API reports, and how cached input moves break-even."""

import pytest
from bench_folder import Folder

PRICES = '[{"model": "sim", "provider": null, "input": 1.0, "cached_input": 0.25, "output": 10.0}]'
COST_TEST = "def test_cost(membench_cost):\n    membench_cost.run()\n"


@pytest.fixture
def billed(folder: Folder) -> Folder:
    """A small benchmark whose endpoint reports 40 cached tokens and a cost of its own with every reply."""
    conftest = folder.root / "conftest.py"
    usage = '"total_tokens": 110, "cost": 0.003, "prompt_tokens_details": {"cached_tokens": 40}}'
    conftest.write_text(conftest.read_text().replace('"total_tokens": 110}', usage))
    folder.write("prices.json", PRICES)
    return folder


def test_cached_input_is_billed_once_at_its_own_rate(billed: Folder) -> None:
    """Each answer costs 60 fresh tokens at 1, 40 cached ones at 0.25 and 10 of output at 10 USD a million."""
    billed.run("--membench-prices=prices.json")
    assert billed.score()["usd"] == pytest.approx(4 * (60 * 1.0 + 40 * 0.25 + 10 * 10.0) / 1e6)


def test_what_the_api_reports_stands_beside_it(billed: Folder) -> None:
    """The reported cost of four answers is summed and shown; the judge's is no cost of the design."""
    result = billed.run("--membench-prices=prices.json")
    assert billed.score()["observed_usd"] == pytest.approx(4 * 0.003)
    assert "USD as the API reported it: window 0.0120." in result.stdout.str()


def test_an_api_that_reports_no_cost_leaves_it_unknown(folder: Folder) -> None:
    """Nothing reported is null, not 0, and no line is shown."""
    result = folder.run()
    assert folder.score()["observed_usd"] is None
    assert "as the API reported" not in result.stdout.str()


def test_break_even_moves_with_the_price_of_cached_input(billed: Folder) -> None:
    """For each cell there is a turn at each share of the input price, from full price down to free."""
    billed.write("benchmarks/test_cost.py", COST_TEST)
    grid = ("--membench-grid=15x50", "--membench-seeds=1", "--membench-prices=prices.json", "-k", "test_cost")
    assert billed.run(*grid).ret == 0
    row = billed.summary()["costs"]["sim"]["window"]
    assert [share for share, _ in row["by_cached_price"]["15x50"]] == [1.0, 0.75, 0.5, 0.25, 0.1, 0.0]
    at_quarter = dict(map(tuple, row["by_cached_price"]["15x50"]))[0.25]
    assert at_quarter == row["break_even"]["15x50"]["usd"]["turn"]


def test_without_a_price_nothing_is_repriced(folder: Folder) -> None:
    """Tokens alone cannot say how a price moves."""
    folder.write("benchmarks/test_cost.py", COST_TEST)
    folder.run("--membench-grid=15x50", "--membench-seeds=1", "-k", "test_cost")
    assert folder.summary()["costs"]["sim"]["window"]["by_cached_price"] == {}
