"""From a session to its gate: which designs are compared, what is written, and what GitHub is told."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from pytest_membench.data import STAGES, Suite, Usage
from pytest_membench.errors import StoreError, SuiteError
from pytest_membench.report import baseline, gating
from pytest_membench.report.folder import Session
from pytest_membench.report.gate import Limits
from pytest_membench.report.gating import Gated
from pytest_membench.report.scores import summarise

NONE = Limits()


def session(root: Path, right: Mapping[str, int], of: int = 8) -> Session:
    """Return a session of one person with `of` probes, of which each design answers so many right."""
    usage = {stage: Usage(10, 0, 0, 1, 0).as_dict() for stage in STAGES}
    items: list[dict[str, Any]] = [
        {
            "setting": "sim",
            "design": design,
            "person": "maya",
            "probe": f"p{n}",
            "kind": "recall",
            "repeat": 1,
            "nodeid": f"test_probes.py::test_probe[{design}-{n}]",
        }
        for design in right
        for n in range(of)
    ]
    rows = [
        {**item, "score": score, "outcome": "correct" if score else "wrong", "cause": None, "session": "s"}
        | {"tokens": usage, "usd": dict.fromkeys(usage)}
        for item in items
        for score in [float(int(item["probe"][1:]) < right[item["design"]])]
    ]
    manifest = {
        "session": "s",
        "suite": "tiny",
        "suite_named": "tiny",
        "judge": "sim",
        "settings": {"sim": {"priced": False, "price": None}},
        "yardstick": {"probes": {"judge": "sim"}, "cells": {"dialogues": "built-in 1"}},
        "designs": {design: {"digest": "d", "source": f"designs/{design}.py"} for design in right},
        "items": items,
    }
    return Session(root, manifest, rows, [])


def no_suite() -> Suite:
    """Fail to load, as a suite that moved does."""
    raise SuiteError("there is no suite 'tiny'")


def compare(one: Session, folder: Path, limits: Limits = NONE, costs: Mapping[str, Any] | None = None) -> Gated:
    """Compare a session with the baselines under `folder`; its suite is gone."""
    return gating.compare(one, summary(one, costs), folder, limits, no_suite)


def summary(one: Session, costs: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the session's summary, with these costs."""
    return {**summarise(one.manifest, one.rows, one.memories), "costs": costs or {}}


def update(one: Session, folder: Path) -> Gated:
    """Make the session the baseline."""
    return gating.update(one, summary(one), folder, None)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of baselines with one of `notes`, all right."""
    assert update(session(tmp_path / "out", {"notes": 8}), tmp_path / "baselines").code == 0
    return tmp_path / "baselines"


def test_what_fell_is_red_and_shown_without_its_suite(tmp_path: Path, folder: Path) -> None:
    """A suite that cannot be loaded any more costs the evidence turns, not the verdict."""
    gated = compare(session(tmp_path, {"notes": 0}), folder)
    assert (gated.code, len(gated.broken)) == (1, 8)
    assert gated.broken[0].evidence == ()
    assert gated.annotations[0].startswith("::error file=designs/notes.py,")


def test_a_design_without_a_baseline_is_none(tmp_path: Path, folder: Path) -> None:
    """It is no failure, and the others are compared all the same."""
    gated = compare(session(tmp_path, {"notes": 8, "other": 0}), folder)
    assert {name: one["verdict"] for name, one in gated.outcomes["sim"].items()} == {"notes": "ok", "other": "none"}
    assert gated.code == 0


def test_a_session_without_any_baseline_is_green_and_silent(tmp_path: Path) -> None:
    """The folder need not even be there."""
    gated = compare(session(tmp_path, {"notes": 0}), tmp_path / "nowhere")
    assert (gated.code, gated.lines, gated.markdown, gated.annotations) == (0, (), "", [])


def test_a_reference_that_came_by_itself_is_not_gated(tmp_path: Path, folder: Path) -> None:
    """Nobody asked for it: it is not compared, though it has a baseline, and none is written of it."""
    one = session(tmp_path, {"notes": 0, "mine": 8})
    items = [{**item, "reference": True} if item["design"] == "notes" else item for item in one.manifest["items"]]
    referred = Session(one.root, {**one.manifest, "items": items}, one.rows, [])
    gated = compare(referred, folder)
    assert (list(gated.outcomes["sim"]), gated.code) == (["mine"], 0)
    before = (folder / "sim/tiny/notes.json").read_bytes()
    update(referred, folder)
    assert sorted(path.name for path in (folder / "sim/tiny").glob("*.json")) == ["mine.json", "notes.json"]
    assert (folder / "sim/tiny/notes.json").read_bytes() == before


def test_a_session_of_cost_alone_compares_its_cells(tmp_path: Path, folder: Path) -> None:
    """No score is missed: it asked nothing. Its cells are added to the baseline, whose probes stay."""
    one = session(tmp_path, {"notes": 0}, of=1)
    row = {"input_tokens_per_turn": 100.0, "usd_per_conversation": None, "runs": 2, "measured_turns": 15}
    costs = {"sim": {"notes": {"cells": {"15x50": row}}}}
    items = [{**item, "kind": "cost"} for item in one.manifest["items"]]
    rows = [{**row, "kind": "cost", "outcome": "measured", "score": None} for row in one.rows]
    cost = Session(one.root, {**one.manifest, "suite": None, "items": items}, rows, [])
    gated = compare(cost, folder, costs=costs)
    assert (gated.code, gated.outcomes["sim"]["notes"]["drop"]) == (0, None)
    gating.update(cost, summary(cost, costs), folder, None)
    kept = baseline.read(folder / "sim/tiny/notes.json")
    assert (len(kept["probes"]), kept["cells"]) == (8, {"15x50": row})
    dearer = {"sim": {"notes": {"cells": {"15x50": {**row, "input_tokens_per_turn": 150.0}}}}}
    assert compare(cost, folder, Limits(max_cost_rise=10), dearer).code == 1


def test_a_part_of_a_session_is_not_compared(tmp_path: Path, folder: Path) -> None:
    """Each machine of a split session has a part; the whole is compared once it is merged."""
    one = session(tmp_path, {"notes": 0})
    gated = compare(Session(one.root, {**one.manifest, "elsewhere": [{}]}, one.rows, []), folder)
    assert (gated.code, gated.outcomes) == (0, {})
    assert "membench merge" in gated.lines[0]


def test_a_session_without_a_yardstick_is_refused(tmp_path: Path, folder: Path) -> None:
    """What it was measured by is unknown, so that nothing is compared with it."""
    one = session(tmp_path, {"notes": 8})
    manifest = {name: value for name, value in one.manifest.items() if name != "yardstick"}
    for do in (compare, update):
        with pytest.raises(StoreError, match="without its yardstick; run the session again"):
            do(Session(one.root, manifest, one.rows, []), folder)


def test_what_broke_is_refused_as_a_baseline(tmp_path: Path, folder: Path) -> None:
    """Exit code 6, and the file of before stands."""
    one = session(tmp_path, {"notes": 8})
    before = (folder / "sim/tiny/notes.json").read_bytes()
    gated = update(Session(one.root, one.manifest, one.rows[:-1], []), folder)
    assert (gated.code, gated.refused) == (6, "the session is incomplete; no baseline was written")
    assert (folder / "sim/tiny/notes.json").read_bytes() == before


@pytest.mark.parametrize("content", ["{}", "<<<<<<< ours", '{"schema": 0}'])
def test_a_file_that_is_no_baseline_can_be_written_anew(tmp_path: Path, folder: Path, content: str) -> None:
    """The advice of the error message works: the update replaces the file and says that nothing was kept."""
    path = folder / "sim/tiny/notes.json"
    path.write_text(content)
    one = session(tmp_path, {"notes": 8})
    with pytest.raises(StoreError, match=r"notes\.json"):
        compare(one, folder)
    gated = update(one, folder)
    assert gated.code == 0
    assert "nothing of the file before was kept" in gated.lines[1]
    assert compare(one, folder).code == 0


def test_the_page_of_a_step_is_appended(tmp_path: Path) -> None:
    """Other steps' text stays; annotations are for GitHub alone."""
    page = tmp_path / "step.md"
    page.write_text("before\n")
    assert Gated().to_github({"GITHUB_STEP_SUMMARY": str(page)}, "## Gate\n") == []
    assert page.read_text() == "before\n## Gate\n"
    assert Gated().to_github({}, "## Gate\n") == []


def test_a_page_that_cannot_be_written_costs_a_line(tmp_path: Path, folder: Path) -> None:
    """The annotations are told all the same."""
    gated = compare(session(tmp_path, {"notes": 0}), folder)
    environment = {"GITHUB_STEP_SUMMARY": str(tmp_path), "GITHUB_ACTIONS": "true"}
    lines = gated.to_github(environment, "## Gate\n")
    assert lines[0].startswith(f"GITHUB_STEP_SUMMARY={tmp_path}: the step's summary was not written (")
    assert lines[1:] == gated.annotations


def test_a_design_outside_the_repository_has_no_file(tmp_path: Path, folder: Path) -> None:
    """The annotation stands at the step then."""
    one = session(tmp_path, {"notes": 0})
    designs = {"notes": {"digest": "d", "source": None}}
    gated = compare(Session(one.root, {**one.manifest, "designs": designs}, one.rows, []), folder)
    assert gated.annotations[0].startswith("::error title=membench%3A notes regressed::")


def test_a_written_baseline_is_the_same_from_any_order_of_rows(tmp_path: Path, folder: Path) -> None:
    """Workers finish in any order; the file does not show it."""
    before = (folder / "sim/tiny/notes.json").read_bytes()
    one = session(tmp_path, {"notes": 8})
    update(Session(one.root, one.manifest, one.rows[::-1], []), folder)
    assert (folder / "sim/tiny/notes.json").read_bytes() == before
    assert json.loads(before)["design"] == "notes"
