"""Cost items in a session: ids and selection, references, files, replay, exit codes, and what reports say."""

import json
from typing import Any

import pytest
from bench_folder import CONFTEST, DESIGN, Folder

TEST = """
def test_cost(membench_cost):
    membench_cost.run()
"""
SMALL = ("--membench-grid=6x50", "--membench-seeds=1")
COST = ("-m", "membench(kind='cost')")

# An endpoint that bills a token for every four characters, and refuses as the environment says.
METERED = CONFTEST.replace(
    "def reply(request):",
    """
def reply(request):
    limit = int(os.environ.get("CONTEXT", "0"))
    if limit and len(request.content) > limit:
        return httpx2.Response(int(os.environ["STATUS"]), json={"error": {"message": "context_length_exceeded"}})
    response = answered(request)
    if response.status_code != 200 or os.environ.get("BLIND"):
        return response if response.status_code != 200 else httpx2.Response(200, json=without_usage(response))
    data = response.json()
    data["usage"] = {"prompt_tokens": len(request.content) // 4, "completion_tokens": 10,
                     "total_tokens": len(request.content) // 4 + 10}
    return httpx2.Response(200, json=data)


def without_usage(response):
    return {name: value for name, value in response.json().items() if name != "usage"}


def answered(request):""",
)
NO_NETWORK = """
import httpx2
import pytest

from pytest_membench.llm.client import Endpoint


def refuse(request):
    raise AssertionError("a connection was opened")


@pytest.fixture(scope="session")
def membench_endpoint():
    endpoint = Endpoint("http://model.invalid/v1", "key", transport=httpx2.MockTransport(refuse), sleep=lambda s: None)
    yield endpoint
    endpoint.close()


@pytest.fixture(scope="session")
def membench_judge_endpoint(membench_endpoint):
    return membench_endpoint
"""


@pytest.fixture
def bench(folder: Folder) -> Folder:
    """The small benchmark with a cost test beside its probes, and an endpoint that bills by length."""
    folder.write("conftest.py", METERED)
    folder.write("benchmarks/test_cost.py", TEST)
    return folder


def collected(result: pytest.RunResult) -> list[str]:
    """The ids that `--collect-only -q` shows."""
    return [line.split("::")[1] for line in result.stdout.lines if "::" in line]


def rows(folder: Folder) -> dict[str, Any]:
    """The rows of a session's cost items, by design and seed."""
    return {
        f"{row['design']} {row['probe']}": row for row in folder.read("diag.json")["items"] if row["kind"] == "cost"
    }


# --- which items ---------------------------------------------------------------------------------


def test_cost_items_name_design_cell_and_seed(bench: Folder) -> None:
    """Designs, cells and seeds in order, the whole transcript last, added by itself."""
    result = bench.run(*COST, "--membench-grid=6x50,4x100", "--membench-seeds=2", "--collect-only", "-q")
    assert collected(result) == [
        f"test_cost[{design}-{cell}-s{seed}]"
        for design in ("window", "full_context")
        for cell in ("N6-L50", "N4-L100")
        for seed in (1, 2)
    ]


def test_the_reference_can_be_left_out_and_is_never_there_twice(bench: Folder) -> None:
    """`--membench-no-reference` leaves the chosen designs; a chosen full_context is the reference."""
    alone = bench.run(*COST, *SMALL, "--membench-no-reference", "--collect-only", "-q")
    assert collected(alone) == ["test_cost[window-N6-L50-s1]"]
    chosen = bench.run(*COST, *SMALL, "--design=full_context,window", "--collect-only", "-q")
    assert collected(chosen) == ["test_cost[full_context-N6-L50-s1]", "test_cost[window-N6-L50-s1]"]


def test_probes_get_no_reference(bench: Folder) -> None:
    """The whole transcript is asked no question that nobody ordered."""
    assert all("full_context" not in name for name in collected(bench.run("-k", "probe", "--collect-only", "-q")))


@pytest.mark.parametrize(
    ("selection", "count"),
    [
        (("-k", "full_context"), 2),
        (("-k", "N4-L100 and window"), 1),
        (COST, 4),
        (("-m", "membench(kind='cost', person='6x50')"), 2),
        (("-m", "membench(design='window', kind='cost')"), 2),
    ],
)
def test_cost_items_are_selected_as_probes_are(bench: Folder, selection: tuple[str, str], count: int) -> None:
    """`-k` reads the id, `-m` the marker: design, cell and kind."""
    grid = ("--membench-grid=6x50,4x100", "--membench-seeds=1")
    assert len(collected(bench.run(*selection, *grid, "--collect-only", "-q"))) == count


def test_a_bad_grid_is_told_at_collection(bench: Folder) -> None:
    """The message names the part that is no cell."""
    result = bench.run("--membench-grid=15x50,wide")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert "'wide' is no cell" in result.stdout.str()


def test_the_marker_can_be_used_with_the_quick_grid_by_default(bench: Folder) -> None:
    """Without options: four cells of two conversations, for the design and its reference."""
    assert len(collected(bench.run(*COST, "--collect-only", "-q"))) == 4 * 2 * 2


# --- a session -----------------------------------------------------------------------------------


def test_probes_and_cost_in_one_session_give_a_joint_matrix(bench: Folder) -> None:
    """Scores are those of the probes alone; beside them stand cost, cost of a right answer and the frontier."""
    result = bench.run(*SMALL)
    summary = bench.summary()
    assert (result.ret, summary["complete"]) == (0, True)
    scores = summary["scores"]["sim"]
    assert scores.keys() == {"window"}
    assert (scores["window"]["n"], scores["window"]["score"], scores["window"]["people"].keys()) == (4, 62.5, {"ada"})
    entry = summary["joint"]["sim"]["6x50"]["window"]
    assert entry["frontier"] is True
    assert entry["tokens_per_correct"] == pytest.approx(entry["input_tokens_per_turn"] / 0.625, abs=0.1)
    assert (entry["usd"], entry["usd_per_correct"]) == (None, None)
    assert summary["costs"]["sim"].keys() == {"window", "full_context"}


def test_a_session_of_cost_alone_has_no_suite_and_no_scores(bench: Folder) -> None:
    """Its letters are dollars, and the tables of cost stand in the terminal and in report.md."""
    result = bench.run(*COST, *SMALL)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["benchmarks*test_cost.py $$*"])
    summary = bench.summary()
    assert (summary["suite"], summary["scores"], summary["joint"]) == (None, {}, {})
    report = (bench.root / "out/report.md").read_text()
    for text in (result.stdout.str(), report):
        assert "break-even in input tokens" in text
        assert "must not be extrapolated" in text


def test_the_file_of_a_conversation_holds_every_turn(bench: Folder) -> None:
    """Per turn and stage: input, cached, output, reasoning; in a file by cell and seed."""
    bench.run(*COST, *SMALL)
    turns = bench.read("sim/cost/full_context/6x50-s1.json")["turns"]
    costs = [turn["tokens"]["answer"]["input"] for turn in turns]
    assert len(costs) == 6
    assert costs == sorted(costs)
    assert costs[0] < costs[-1]
    assert turns[0]["tokens"]["answer"].keys() == {"input", "cached", "cache_write", "output", "reasoning"}
    assert turns[0]["tokens"]["answer"]["cached"] is None  # the endpoint does not say


def test_break_even_is_measured_against_the_reference(bench: Folder) -> None:
    """A window of two turns undercuts the transcript before the end; without the reference nothing is measured."""
    bench.run(*COST, *SMALL)
    point = bench.summary()["costs"]["sim"]["window"]["break_even"]["6x50"]
    assert isinstance(point["tokens"]["turn"], int)
    assert point["tokens"]["ratio_at_end"] < 1
    assert point["usd"] is None
    result = bench.run(*COST, *SMALL, "--membench-no-reference")
    found = bench.summary()["costs"]["sim"]
    assert found.keys() == {"window"}
    assert found["window"]["break_even"]["6x50"] == {"tokens": None, "usd": None}
    assert "not measured" in result.stdout.str()


def test_a_price_gives_usd(bench: Folder) -> None:
    """Break-even in USD, and what a right answer costs: a conversation's USD over the accuracy."""
    bench.write("prices.json", json.dumps([{"model": "sim", "provider": None, "input": 100.0, "output": 200.0}]))
    result = bench.run(*SMALL, "--membench-prices=prices.json")
    summary = bench.summary()
    turns = bench.read("sim/cost/window/6x50-s1.json")["turns"]
    usd = sum(t["tokens"]["answer"]["input"] * 100 + t["tokens"]["answer"]["output"] * 200 for t in turns) / 1e6
    entry = summary["joint"]["sim"]["6x50"]["window"]
    assert entry["usd"] == pytest.approx(usd, abs=1e-6)
    assert entry["usd_per_correct"] == pytest.approx(usd / 0.625, abs=1e-5)
    assert isinstance(summary["costs"]["sim"]["window"]["break_even"]["6x50"]["usd"]["turn"], int)
    assert "USD a correct answer" in result.stdout.str()


def test_unknown_usage_is_unknown_in_every_report(bench: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """An endpoint that reports no usage gives no tokens, no break-even and no frontier, and never a 0."""
    monkeypatch.setenv("BLIND", "1")
    assert bench.run(*SMALL).ret == 0
    summary = bench.summary()
    found = summary["costs"]["sim"]["window"]
    assert (found["runs"], found["gamma"], found["p"]) == (0, None, None)
    assert found["cells"]["6x50"]["input_tokens_per_turn"] is None
    assert found["break_even"]["6x50"] == {"tokens": None, "usd": None}
    assert summary["joint"]["sim"]["6x50"]["window"]["frontier"] is None
    assert rows(bench)["window s1"]["tokens"]["answer"]["input"] is None


def test_strict_replay_gives_the_same_summary_and_opens_no_connection(bench: Folder) -> None:
    """Probes and conversations come from cassettes, byte for byte the same summary.json."""
    assert bench.run(*SMALL).ret == 0
    before = (bench.root / "out/summary.json").read_bytes()
    bench.write("conftest.py", NO_NETWORK)
    assert bench.run(*SMALL, "--membench-record=none").ret == 0
    assert (bench.root / "out/summary.json").read_bytes() == before
    assert bench.read("diag.json")["calls"]["live"] == 0


def test_workers_give_the_same_summary(bench: Folder) -> None:
    """Two workers share the dialogues and leave the same files as one process does."""
    bench.run(*COST, *SMALL)
    before = bench.summary()
    assert bench.run(*COST, *SMALL, "--membench-record=none", "-n2", subprocess=True).ret == 0
    assert bench.summary() == before


# --- what ends early -----------------------------------------------------------------------------


def test_a_full_context_is_a_result(bench: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """The transcript is cut short where a 400 ends it: used as far as it goes, told, and the session is complete."""
    monkeypatch.setenv("CONTEXT", "1200")
    monkeypatch.setenv("STATUS", "400")
    result = bench.run(*COST, *SMALL)
    assert result.ret == 0
    row = rows(bench)["full_context s1"]
    assert row["outcome"] == "cut_short"
    assert 0 < row["measured"] < 6
    assert "context_length_exceeded" in row["message"]
    summary = bench.summary()
    assert summary["complete"]
    assert summary["costs"]["sim"]["full_context"]["cut_short"] == 1
    point = summary["costs"]["sim"]["window"]["break_even"]["6x50"]["tokens"]
    assert (point["incomplete"], point["measured_turns"]) == (True, row["measured"])
    assert "(1 cut short)" in result.stdout.str()
    result.stdout.fnmatch_lines(["benchmarks*test_cost.py $c*"])


@pytest.mark.parametrize("status", ["401", "402", "503"])
def test_an_outage_makes_the_session_incomplete(bench: Folder, monkeypatch: pytest.MonkeyPatch, status: str) -> None:
    """A refused account or a server's error is no measurement: the item fails and the exit code is 6."""
    monkeypatch.setenv("CONTEXT", "1200")
    monkeypatch.setenv("STATUS", status)
    result = bench.run(*COST, *SMALL)
    assert result.ret == 6
    assert "not run: full_context, 6x50 s1" in result.stdout.str()
    assert not bench.summary()["complete"]
    assert (rows(bench)["full_context s1"]["outcome"], rows(bench)["window s1"]["outcome"]) == ("not_run", "measured")


def test_a_fault_of_the_design_shows_its_line(bench: Folder) -> None:
    """The user's own traceback; its reference is measured all the same, the session is incomplete."""
    broken = DESIGN.replace("n: int = 2", "n: int = 3").replace("in state]", "in state[: 9 // (3 - len(state))]]")
    bench.write("designs/broken.py", broken)
    result = bench.run(*COST, *SMALL, "--design=broken")
    assert result.ret == 6
    assert "ZeroDivisionError" in result.stdout.str()
    assert "9 // (3 - len(state))" in result.stdout.str()
    row = rows(bench)["broken s1"]
    assert (row["outcome"], row["cause"], row["measured"]) == ("not_run", "design_error", 3)
    assert rows(bench)["full_context s1"]["outcome"] == "measured"


def test_the_reference_rows_have_the_paper_s_shape(folder: Folder) -> None:
    """With sim, the transcript's cost grows with the turns and the window's hardly does (the paper: q 0.96 and 0.11)."""
    folder.write("conftest.py", "")
    folder.write("benchmarks/test_cost.py", TEST)
    grid = ("--membench-grid=15x50,15x200,40x100,100x50", "--membench-seeds=1")
    assert folder.run(*COST, *grid, "--design=full_context,rolling_window").ret == 0
    found = folder.summary()["costs"]["sim"]
    full, window = found["full_context"], found["rolling_window"]
    assert full["q"] > 0.85
    assert window["q"] < 0.45
    assert min(full["p"], window["p"]) > 0.7
    assert full["r2"] > 0.98
    assert window["r2_one_predictor"] < full["r2_one_predictor"]
    assert (full["folds"], window["folds"]) == (4, 4)
    assert window["break_even"]["100x50"]["tokens"]["ratio_at_end"] < 0.5


def test_cost_alone_reads_no_suite(bench: Folder) -> None:
    """A suite that is missing does not matter where no question is asked; the reports read what came of it."""
    result = bench.pytester.runpytest_inprocess(
        *("benchmarks/test_cost.py", "--membench-suite=nowhere", "--membench-out=out", *SMALL)
    )
    assert result.ret == 0
    manifest = bench.read("manifest.json")
    assert (manifest["suite"], bench.summary()["suite"]) == (None, None)
    assert "probes" not in manifest["yardstick"]
    assert (manifest["seeds"], manifest["generator"]) == ([1], None)
