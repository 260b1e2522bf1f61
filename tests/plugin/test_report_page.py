"""report.html and CSV at the end of a session: written, left out, or failed without harm to the rest."""

import json

import pytest
from bench_folder import Folder
from click.testing import CliRunner

from pytest_membench.cli import main

WITH_PAGE = "[pytest]\nmembench_suite = tiny\nmembench_design = window\n"


@pytest.fixture
def with_page(folder: Folder) -> Folder:
    """The small benchmark without the option that leaves the page out."""
    folder.write("pytest.ini", WITH_PAGE)
    return folder


def test_a_session_writes_a_page_and_tables(with_page: Folder) -> None:
    """report.html and three CSV files stand beside report.md; the page has the evidence turn."""
    assert with_page.run().ret == 0
    names = {path.name for path in (with_page.root / "out").iterdir()}
    assert {"report.html", "report.md", "summary.json", "scores.csv", "probes.csv", "costs.csv"} <= names
    source = (with_page.root / "out/report.html").read_text(encoding="utf-8")
    assert "turn 0 of ada" in source
    assert source.count('<details class="answer"') == 4


def test_the_page_can_be_left_out(folder: Folder) -> None:
    """With --membench-no-html, or its ini key, there is no page, nor one of an earlier session; the tables are there."""
    folder.write("out/report.html", "an older page")
    assert folder.run().ret == 0
    assert not (folder.root / "out/report.html").exists()
    assert (folder.root / "out/scores.csv").exists()


def test_a_page_that_fails_costs_the_session_nothing_else(with_page: Folder) -> None:
    """A folder is in its place: summary, table and exit code are there, and the terminal says what failed."""
    with_page.write("out/report.html/in_the_way", "")
    result = with_page.run()
    assert result.ret == 0
    shown = result.stdout.str()
    assert "report.html: not written, " in shown
    assert "`membench html " in shown
    assert "95% interval" in shown
    assert with_page.summary()["complete"]
    assert (with_page.root / "out/report.md").exists()


def test_html_writes_the_same_page_from_the_folder(with_page: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """`membench html` gives the session's page again; without its suite it says what is missing."""
    with_page.run()
    path = with_page.root / "out/report.html"
    before = path.read_bytes()
    path.unlink()
    monkeypatch.chdir(with_page.root)
    done = CliRunner().invoke(main, ["html", "out"])
    assert done.exit_code == 0, done.output
    assert "out/report.html" in done.output
    assert path.read_bytes() == before
    (with_page.root / "benchmarks/suites/tiny").rename(with_page.root / "elsewhere")
    done = CliRunner().invoke(main, ["html", "out"])
    assert done.exit_code == 0
    assert "without the text of evidence turns" in done.output
    assert CliRunner().invoke(main, ["html", "out", "--suite", "tinny"]).exit_code != 0


def test_html_keeps_what_the_gate_said(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """The outcome in summary.json is shown, as it is no result of an item; a session without a summary has none."""
    folder.run()
    gate = {"verdict": "regressed", "reasons": ["fell <b>far</b>"], "drop": 12.0, "p_value": 0.01}
    gate |= {"detectable_drop": 9.4, "newly_wrong": ["ada recall-01"], "newly_right": []}
    path = folder.root / "out/summary.json"
    path.write_text(json.dumps({**folder.summary(), "gate": {"sim": {"window": gate}}}), encoding="utf-8")
    monkeypatch.chdir(folder.root)
    assert CliRunner().invoke(main, ["html", "out"]).exit_code == 0
    source = (folder.root / "out/report.html").read_text(encoding="utf-8")
    assert "window: regressed" in source
    assert "fell &lt;b&gt;far&lt;/b&gt;" in source
    path.unlink()
    assert CliRunner().invoke(main, ["html", "out"]).exit_code == 0
    assert "regressed" not in (folder.root / "out/report.html").read_text(encoding="utf-8")


def test_rescore_writes_the_page_of_the_new_scores(with_page: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """A question that the audit excludes is gone from the page and from the tables."""
    with_page.run()
    excluded = '{"exclude": [{"id": "recall-04", "reason": "two right answers"}]}'
    with_page.write("benchmarks/suites/tiny/audit/ada.json", excluded)
    monkeypatch.chdir(with_page.root)
    assert CliRunner().invoke(main, ["rescore", "out"]).exit_code == 0
    for name in ("report.html", "probes.csv"):
        source = (with_page.root / "out" / name).read_text(encoding="utf-8")
        assert "recall-03" in source
        assert "recall-04" not in source
