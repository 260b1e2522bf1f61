"""What a run would take, before it is run."""

from pathlib import Path

from bench_folder import Folder
from click.testing import CliRunner

from pytest_membench.cli import main
from pytest_membench.report.plan import lines, plan

PRICES = '[{"model": "sim", "provider": null, "input": 1.0, "output": 10.0}]'


def _files(folder: Folder) -> set[Path]:
    return {path for path in (folder.root / "cassettes").rglob("*") if path.is_file()}


def test_a_plan_counts_calls_tokens_and_money(folder: Folder) -> None:
    """Four answers, four first looks and two second looks are counted at 100 in and 10 out each."""
    folder.write("prices.json", PRICES)
    result = folder.run("--membench-plan", "--membench-prices=prices.json")
    assert result.ret == 0
    result.stdout.re_match_lines(
        [r"sim +answer +4 +400 +40 +0.0008", r"sim +judge +6 +600 +60 +0.0012", r"in all +10 "]
    )


def test_a_plan_records_nothing_and_scores_nothing(folder: Folder) -> None:
    """Neither cassettes nor a summary are written, and no score is shown."""
    result = folder.run("--membench-plan")
    assert _files(folder) == set()
    assert not (folder.root / "out").exists()
    assert "95% interval" not in result.stdout.str()


def test_what_is_recorded_is_taken_off(folder: Folder) -> None:
    """After a recording of one probe a plan counts the calls of the others alone."""
    folder.run("-k", "recall-01")
    before = _files(folder)
    result = folder.run("--membench-plan")
    assert "2 calls are recorded already and cost nothing." in result.stdout.str()
    result.stdout.re_match_lines([r"sim +answer +3 ", r"in all +8 "])
    assert _files(folder) == before


def test_a_paid_model_is_not_asked(folder: Folder) -> None:
    """Without scripted endpoints the stand-in answers for any model, and no key is needed."""
    folder.write("conftest.py", "")
    result = folder.run("--membench-plan", "--membench-model=gpt-oss-20b", "--membench-provider=groq")
    assert result.ret == 0
    assert "gpt-oss-20b" in result.stdout.str()
    assert "no price" not in result.stdout.str()


def test_unknown_tokens_are_no_zero() -> None:
    """A call whose tokens or price are unknown makes the sum unknown, and the table says so."""
    line = {"model": "m", "stage": "answer", "replayed": False, "input": None, "output": 5, "usd": None}
    planned = plan([line, {**line, "input": 7, "usd": 0.5}])
    assert (planned["calls"], planned["usd"], planned["stages"][0]["input"]) == (2, None, None)
    assert lines(planned)[1][2:] == ["2", "unknown", "10", "no price"]


def test_the_order_of_stages_is_that_of_a_probe() -> None:
    """Ingest comes before answer and judge; a generated dialogue comes last."""
    line = {"model": "m", "replayed": False, "input": 1, "output": 1, "usd": 0.0}
    planned = plan([{**line, "stage": stage} for stage in ("judge", "generate", "answer", "ingest")])
    assert [row["stage"] for row in planned["stages"]] == ["ingest", "answer", "judge", "generate"]


def test_the_command_hands_its_options_to_pytest(folder: Folder) -> None:
    """`membench plan` runs pytest on benchmarks/ with --membench-plan and gives its exit code."""
    assert CliRunner().invoke(main, ["plan", "-k", "recall-01"]).exit_code == 0
    assert CliRunner().invoke(main, ["plan", "--membench-record=sometimes"]).exit_code == 2
    assert _files(folder) == set()
    assert [path.name.startswith("plan-") for path in (folder.root / ".membench").iterdir()] == [True]
