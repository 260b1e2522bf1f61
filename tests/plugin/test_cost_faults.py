"""What may not enter a cost figure, and what a cost session says of what it lacks."""

from dataclasses import replace

import pytest
from bench_folder import Folder

from pytest_membench.report.folder import read

COST_TEST = "def test_cost(membench_cost):\n    membench_cost.run()\n"
GRID = ("-k", "test_cost", "--membench-grid=15x50", "--membench-seeds=1", "--membench-no-reference")


@pytest.fixture
def served(folder: Folder) -> Folder:
    """A small benchmark with cost items."""
    folder.write("benchmarks/test_cost.py", COST_TEST)
    return folder


def _refuse_from_turn_five(folder: Folder, status: int) -> None:
    conftest = folder.root / "conftest.py"
    refuse = f'    if len(SEEN) > 5:\n        return httpx2.Response({status}, json={{"error": {{"message": "no"}}}})\n'
    text = conftest.read_text().replace(
        "def reply(request):\n", f"SEEN = []\n\ndef reply(request):\n    SEEN.append(1)\n{refuse}"
    )
    conftest.write_text(text)


@pytest.mark.parametrize("status", [404, 402])
def test_a_conversation_that_broke_enters_no_figure(served: Folder, status: int) -> None:
    """A missing model or an empty account is an outage: its five turns count nowhere, and the session says so."""
    _refuse_from_turn_five(served, status)
    result = served.run(*GRID)
    assert result.ret == 6
    assert served.summary()["costs"] == {}
    assert served.summary()["conversations"] == {"measured": 0, "cut_short": 0, "not_run": 1}
    assert "1 of 1 conversations were not served" in result.stdout.str()


def test_a_conversation_that_was_refused_counts_as_far_as_measured(served: Folder) -> None:
    """A full context ends the conversation; five turns are measured, and the session is complete."""
    _refuse_from_turn_five(served, 400)
    result = served.run(*GRID)
    assert result.ret == 0
    assert served.summary()["costs"]["sim"]["window"]["cells"]["15x50"]["measured_turns"] == 5
    assert "conversations that were cut short" in result.stdout.str()


def test_the_command_of_a_miss_repeats_the_options_that_made_the_item(served: Folder) -> None:
    """Without its seeds the suggested command would find no such item."""
    served.run(*GRID)
    conftest = served.root / "designs/window.py"
    conftest.write_text(conftest.read_text().replace("n: int = 2", "n: int = 3"))
    result = served.run(*GRID, "--membench-seeds=3", "--membench-record=none")
    assert "--membench-seeds=3 --membench-record=new" in result.stdout.str()


def test_a_paid_generator_is_not_asked_by_default(served: Folder) -> None:
    """With sim alone missing calls are recorded; with a paid generator replay is strict unless asked for."""
    result = served.run(*GRID, "--membench-generator=paid")
    assert result.ret == 6
    assert "no recording of POST" in result.stdout.str()


def test_served_conversations_come_in_one_order(served: Folder) -> None:
    """Whichever worker finished first, figures are worked out from the same order of conversations."""
    served.run(*GRID, "--membench-seeds=3")
    session = read(served.root / "out")
    turned = replace(session, rows=list(reversed(session.rows)))
    assert [one.row["probe"] for one in session.served] == ["s1", "s2", "s3"]
    assert [one.row["probe"] for one in turned.served] == ["s1", "s2", "s3"]
