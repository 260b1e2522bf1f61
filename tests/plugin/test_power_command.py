"""`membench power`: what it prints, measures from two results folders, and refuses."""

import pytest
from bench_folder import Folder
from click.testing import CliRunner

from pytest_membench.cli import main


def membench(*args: str, code: int = 0) -> str:
    """Run `membench power` in the current folder and return all that it printed; it may not raise."""
    result = CliRunner().invoke(main, ["power", *args])
    assert result.exception is None or isinstance(result.exception, SystemExit), repr(result.exception)
    assert result.exit_code == code, result.output
    return " ".join(result.output.split()) if code else result.output


def row(text: str, start: str) -> list[str]:
    """Return the cells of the line that starts so."""
    return next(line for line in text.splitlines() if line.startswith(f"{start} points"))[len(start) + 7 :].split()


def test_it_says_what_so_many_probes_can_show() -> None:
    """180 probes: the smallest drop, four drops, and that the spread was assumed."""
    text = membench("--probes=180")
    assert text.startswith("sd 0.58, assumed: ")
    assert "smallest drop that is found with a chance of 80%: 11.7 points" in text
    assert row(text, "10") == ["68%", "243", "1%"]
    assert row(text, "15")[0] == "94%"
    assert [line.split()[0] for line in text.splitlines() if " points  " in line] == ["5", "10", "15", "20"]


def test_one_drop_gives_one_row() -> None:
    """--drop asks for this one alone; the chance and the level change what is needed."""
    text = membench("--probes=180", "--drop=10")
    assert "smallest" not in text
    assert row(text, "10") == ["68%", "243", "1%"]
    stricter = membench("--probes=180", "--drop=10", "--power=0.95", "--alpha=0.01")
    assert "probes for 95%" in stricter
    assert int(row(stricter, "10")[1]) > 400
    assert "1 point  " in membench("--probes=180", "--drop=1")


def test_what_needs_too_many_probes_says_so() -> None:
    """A row whose number is beyond all use still shows the rest."""
    assert "over 100,000" in membench("--probes=180", "--drop=1", "--power=0.99999")
    assert "no drop is found with a chance of 80%: 4 probes are too few" in membench("--probes=4")


def test_an_sd_that_a_drop_excludes_is_replaced_and_named() -> None:
    """Four percent of flips are no drop of 10 points: the least that are is taken, and the line says which."""
    text = membench("--probes=48", "--sd=0.2")
    assert text.startswith("sd 0.20, as given")
    assert "cannot have sd 0.20 with such drops; the nearest is used: 0.22 at 5 points, 0.30 at 10 points" in text
    assert "nearest" not in membench("--probes=48", "--sd=0.5")


def test_two_results_folders_measure_sd(folder: Folder) -> None:
    """Scores 1, 1, 0.5, 0 and then 0, 1, 1, 0: differences -1, 0, 0.5, 0, of which the sd is 0.54."""
    folder.run("--membench-out=a")
    folder.people(ada=("wrong", "correct", "correct", "wrong"))
    folder.run("--membench-out=b")
    text = membench("--baseline=a", "--second=b")
    assert text.startswith("window (sim) - window (sim)\nsd 0.54, measured: 2 of 4 probes have another score")
    assert "on 4 probes" in text
    assert "on 180 probes" in membench("--baseline=a", "--second=b", "--probes=180")


def test_sessions_that_repeat_every_answer_have_no_noise(folder: Folder) -> None:
    """Two equal sessions: sd 0, and noise alone reaches no drop."""
    folder.run("--membench-out=a")
    folder.run("--membench-out=b")
    text = membench("--baseline=a", "--second=b", "--probes=48")
    assert "sd 0.00, measured: 0 of 4 probes" in text
    assert "both sessions replay the same recordings; record one of them anew" in text
    assert row(text, "10")[-1] == "0%"


def test_sessions_without_a_shared_verdict_measure_nothing(folder: Folder) -> None:
    """A folder that is none, and one where nothing was judged, are named with exit code 4."""
    folder.run("--membench-out=a")
    folder.people(ada=["unpaid"] * 4)
    folder.run("--membench-out=b")
    assert "share no question that has a verdict in both" in membench("--baseline=a", "--second=b", code=4)
    assert "is no results folder" in membench("--baseline=a", "--second=designs", code=4)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([], "give --probes, how many a session answers"),
        (["--probes=0"], "0 is not in the range"),
        (["--probes=180", "--drop=0.1"], "0.1: a drop is given in points of the score, from 1 to 100; as a share 0.1"),
        (["--probes=180", "--drop=120"], "from 1 to 100"),
        (["--probes=180", "--drop=60"], "no more can be lost"),
        (["--probes=180", "--sd=50"], "50: sd is given as a share, from 0 to 1; 50 points are 0.5"),
        (["--probes=180", "--sd=-1"], "-1: sd is given as a share"),
        (["--probes=180", "--power=1"], "1.0 is not in the range"),
        (["--probes=180", "--baseline=."], "give both results folders"),
        (["--sd=0.5", "--baseline=.", "--second=."], "give one of them"),
    ],
)
def test_what_cannot_be_answered_is_refused_by_name(args: list[str], message: str) -> None:
    """Points for shares, shares for points, and half of a pair: a usage error that says what to give."""
    assert message in membench(*args, code=2)
