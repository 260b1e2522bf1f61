"""CSV files: the numbers of summary.json, unknown as nothing, and no cell that a spreadsheet would run."""

import csv
import io
from pathlib import Path
from typing import Any

import pytest
import report_session
from hypothesis import given
from hypothesis import strategies as st

from pytest_membench.report import tables
from pytest_membench.report.folder import Session
from pytest_membench.report.summary import summary_of


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    """The session with harmful texts, in two settings."""
    return report_session.write(tmp_path_factory.mktemp("tables"))


def read(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file."""
    return list(csv.DictReader(io.StringIO(path.read_bytes().decode(), newline="")))


def number(value: float | None) -> str:
    """Return a number as a cell has it."""
    return "" if value is None else str(value)


def test_scores_are_those_of_the_summary(session: Session) -> None:
    """Each design, kind and person has its row, with score, interval and n."""
    summary = summary_of(session)
    rows = {(r["setting"], r["design"], r["part"], r["name"]): r for r in read(tables.write(session, summary)[0])}
    expected: dict[Any, Any] = {}
    for setting, designs in summary["scores"].items():
        for design, row in designs.items():
            expected[setting, design, "all", ""] = row
            expected |= {(setting, design, "kind", name): part for name, part in row["kinds"].items()}
            expected |= {(setting, design, "person", name): part for name, part in row["people"].items()}
    assert rows.keys() == expected.keys()
    for key, part in expected.items():
        low, high = part["interval"]
        shown = [rows[key][name] for name in ("score", "low", "high", "n")]
        assert shown == [number(v) for v in (part["score"], low, high, part["n"])]
    paid, free = (rows[setting, "window", "all", ""] for setting in ("paid", "free"))
    assert paid["usd"] == str(summary["scores"]["paid"]["window"]["usd"])
    assert free["usd"] == ""
    assert paid["answer_input"] == str(summary["scores"]["paid"]["window"]["tokens"]["answer"]["input"])


def test_probes_has_a_row_for_every_expected_item(session: Session) -> None:
    """Also for the item whose worker died, and for conversations; what is not known is empty."""
    rows = read(tables.write(session, summary_of(session))[1])
    assert len(rows) == len(session.manifest["items"])
    found = {(r["setting"], r["design"], r["person"], r["probe"]): r for r in rows}
    dead = found["paid", "window", "bo", "abstain-02"]
    assert (dead["outcome"], dead["score"], dead["answer"]) == ("not_run", "", "")
    assert found["paid", "window", "20x100", "s2"]["outcome"] == "cut_short"
    assert found["paid", "window", "ada", "recall-01"]["retrieval_usd"] == "0.002"
    assert found["free", "window", "ada", "recall-01"]["retrieval_usd"] == ""


def test_costs_has_fits_break_even_and_accuracy_of_every_cell(session: Session) -> None:
    """A row for each setting, design and cell, with the numbers of the summary."""
    summary = summary_of(session)
    rows = read(tables.write(session, summary)[2])
    assert len(rows) == len(report_session.SETTINGS) * len(report_session.DESIGNS) * len(report_session.CELLS)
    for row in rows:
        design = summary["costs"][row["setting"]][row["design"]]
        assert [row["p"], row["q"], row["r2"]] == [number(design[name]) for name in ("p", "q", "r2")]
        assert row["p_low"] == number(design["p_interval"][0])
        assert row["input_tokens_per_turn"] == number(design["cells"][row["cell"]]["input_tokens_per_turn"])
        for unit in ("tokens", "usd"):
            point = design["break_even"][row["cell"]][unit]
            assert row[f"break_even_{unit}_turn"] == (number(point["turn"]) if point else "")
        beside = summary["joint"][row["setting"]][row["cell"]][row["design"]]
        assert row["tokens_per_correct"] == number(beside["tokens_per_correct"])


def test_every_value_has_its_column(session: Session) -> None:
    """No number is dropped because its column was forgotten."""
    summary = summary_of(session)
    for name, rows in (
        ("scores", tables.scores(summary)),
        ("probes", tables.probes(session)),
        ("costs", tables.costs(summary)),
    ):
        assert {key for row in rows for key in row} <= set(tables.COLUMNS[name])


def test_a_text_that_would_be_a_formula_is_defused(session: Session) -> None:
    """What the model wrote begins with "=": the cell begins with an apostrophe, in names too."""
    answers = [row["answer"] for row in read(tables.write(session, summary_of(session))[1]) if row["answer"]]
    assert answers
    assert all(answer.startswith("'=HYPERLINK") for answer in answers)


@given(st.text(max_size=20))
def test_no_cell_is_ever_a_formula_and_every_text_comes_back(value: str) -> None:
    """Whatever a text holds, its cell begins with none of = + - @, and reading it gives the text again."""
    written = tables.text([{"a": value}], ["a"])
    [_, row] = list(csv.reader(io.StringIO(written, newline="")))
    cell = row[0] if row else ""
    assert not cell.startswith(("=", "+", "-", "@", "\t", "\r"))
    assert cell in (value, "'" + value)


def test_numbers_stay_numbers() -> None:
    """A negative number is no formula; unknown is an empty cell, and true and false are words."""
    row = {"a": -1.5, "b": None, "c": True, "d": 0}
    assert tables.text([row], list(row)) == "a,b,c,d\r\n-1.5,,true,0\r\n"


def test_a_session_without_conversations_has_an_empty_table_of_costs(tmp_path: Path) -> None:
    """The file is there, with its head alone."""
    session = report_session.write(tmp_path, settings=("free",), costs=False)
    path = tables.write(session, summary_of(session))[2]
    assert path.read_bytes().decode() == ",".join(tables.COLUMNS["costs"]) + "\r\n"
