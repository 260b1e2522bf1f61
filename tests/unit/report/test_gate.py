"""The gate: what fails a session, and what never may."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from pytest_membench.report import baseline
from pytest_membench.report.folder import Session
from pytest_membench.report.gate import Limits, exit_code, gate
from pytest_membench.report.scores import summarise

KEY = ("sim", "notes")
SCORES = {"correct": 1.0, "partial": 0.5, "wrong": 0.0}
YARDSTICK = {"suite": "tiny", "judge": "sim", "golds and audit": "a" * 64}
CELLS = {"15x50": {"input_tokens_per_turn": 100.0, "usd_per_conversation": 0.3, "runs": 2, "measured_turns": 15}}


def session(
    outcomes: Sequence[str | None],
    *,
    kinds: Sequence[str] = ("recall",),
    tokens: int | None = 100,
    usd: float | None = None,
    judge: str = "sim",
    price: Mapping[str, Any] | None = None,
    design: str = "notes",
) -> Session:
    """Return a session of one person with a probe for each outcome; None left no row."""
    items = [
        {
            "setting": "sim",
            "design": design,
            "person": "maya",
            "probe": f"p{n:03}",
            "kind": kinds[n % len(kinds)],
            "repeat": 1,
            "nodeid": f"test_probes.py::test_probe[{n}]",
        }
        for n in range(len(outcomes))
    ]
    usage = {stage: {"input": tokens, "output": 0} for stage in ("ingest", "retrieval", "answer", "judge")}
    spent = {"tokens": usage, "usd": dict.fromkeys(usage, usd), "cause": None}
    rows = [
        {**item, "outcome": outcome, "score": SCORES.get(outcome), **spent}
        for item, outcome in zip(items, outcomes, strict=True)
        if outcome is not None
    ]
    manifest = {
        "session": "s",
        "suite": "tiny",
        "suite_named": "tiny",
        "judge": judge,
        "settings": {"sim": {"priced": price is not None, "price": price}},
        "yardstick": {"probes": {**YARDSTICK, "judge": judge}, "cells": {"dialogues": "built-in 1"}},
        "designs": {design: {"digest": "d1"}},
        "items": items,
    }
    memories = [{"setting": "sim", "design": design, "person": "maya", "repeat": 1, "memory_tokens": 1, **spent}]
    return Session(Path("out"), manifest, rows, memories)


def gated(
    now: Session,
    before: Session | None,
    limits: Limits = Limits(),  # noqa: B008 - frozen
    cells: Mapping[str, Any] | None = None,
    cells_before: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the gate of the one design of `now` against a baseline made of `before`."""
    key = ("sim", next(iter(now.manifest["designs"])))
    costs = {"cells": cells} if cells else {}
    summary = {**summarise(now.manifest, now.rows, now.memories), "costs": {"sim": {key[1]: costs}}}
    base = baseline.make(before, KEY, {"cells": cells_before} if cells_before else {}) if before else None
    entry: dict[str, Any] = gate(now, summary, {key: base}, limits)["sim"][key[1]]
    return entry


def marks(right: int, wrong: int) -> list[str]:
    """Return outcomes: first the right, then the wrong."""
    return ["correct"] * right + ["wrong"] * wrong


def test_the_same_results_are_fine() -> None:
    """Nothing fell: p is 1, no reason, exit code 0."""
    entry = gated(session(marks(30, 18)), session(marks(30, 18)))
    assert (entry["verdict"], entry["reasons"], entry["drop"], entry["p_value"]) == ("ok", [], 0.0, 1.0)
    assert exit_code({"sim": {"notes": entry}}) == 0


def test_two_flips_of_180_are_noise() -> None:
    """Two probes that fell are within noise: exact McNemar gives 1/4."""
    entry = gated(session(marks(118, 62)), session(marks(120, 60)))
    assert entry["verdict"] == "ok"
    assert entry["p_value"] == pytest.approx(binomtest(2, 2, alternative="greater").pvalue)
    assert entry["newly_wrong"] == ["maya/p118", "maya/p119"]


@pytest.mark.parametrize(("losses", "verdict"), [(4, "ok"), (5, "regressed")])
def test_five_losses_without_a_gain_are_significant(losses: int, verdict: str) -> None:
    """2**-5 is below 0.05 and 2**-4 is not; the gate says the five beforehand."""
    entry = gated(session(marks(120 - losses, 60 + losses)), session(marks(120, 60)))
    assert entry["verdict"] == verdict
    assert entry["detectable_drop"] == pytest.approx(100 * 5 / 180, abs=0.05)


def test_partial_credit_is_tested_by_sign_flips() -> None:
    """Six answers that fell from correct to partial: all of 2**6 sign patterns but one are less extreme."""
    before = session(["correct"] * 20)
    entry = gated(session(["partial"] * 6 + ["correct"] * 14), before)
    assert entry["p_value"] == pytest.approx(1 / 64, rel=1e-3)
    assert (entry["verdict"], entry["drop"]) == ("regressed", 15.0)


def test_a_rise_never_fails() -> None:
    """Better is fine, however much."""
    entry = gated(session(marks(48, 0)), session(marks(10, 38)))
    assert (entry["verdict"], entry["drop"]) == ("ok", -79.2)
    assert len(entry["newly_right"]) == 38


@given(st.lists(st.sampled_from(["correct", "partial", "wrong"]), min_size=1, max_size=30), st.data())
def test_what_was_not_run_is_never_a_drop(outcomes: list[str], data: st.DataObject) -> None:
    """Losing results makes a session incomplete; over the rest nothing fell."""
    lost = data.draw(st.sets(st.integers(0, len(outcomes) - 1), min_size=1))
    now = [None if n in lost else outcome for n, outcome in enumerate(outcomes)]
    entry = gated(session(now), session(outcomes))
    assert entry["verdict"] == "incomplete"
    assert entry["drop"] in (None, 0.0)
    assert entry["newly_wrong"] == []
    assert f"{len(lost)} of {len(outcomes)} items were not run" in entry["reasons"]


def test_not_judged_is_incomplete_even_where_the_rest_fell() -> None:
    """Incomplete goes before regressed; both reasons are told."""
    entry = gated(session(["not_judged", *marks(10, 20)]), session(marks(31, 0)))
    assert entry["verdict"] == "incomplete"
    assert any("not judged" in reason for reason in entry["reasons"])
    assert any("fell by" in reason for reason in entry["reasons"])


def test_another_judge_is_stale_and_named() -> None:
    """Verdicts of two judges are not compared, not even when everything fell."""
    entry = gated(session(marks(0, 48), judge="strict-1"), session(marks(48, 0)))
    assert (entry["verdict"], entry["drop"]) == ("stale", None)
    assert entry["reasons"] == ["the baseline is stale: judge of the probes was 'sim' and is 'strict-1'"]
    assert exit_code({"sim": {"notes": entry}}) == 7


@pytest.mark.parametrize("part", ["probes", "cells"])
def test_every_part_of_the_yardstick_counts(part: str) -> None:
    """A digest that changed is named; that of the cells counts where both measured cells."""
    before, now = session(marks(5, 5)), session(marks(5, 5))
    now.manifest["yardstick"][part]["golds and audit"] = "b" * 64
    entry = gated(now, before, cells=CELLS, cells_before=CELLS)
    assert entry["verdict"] == "stale"
    assert "golds and audit" in entry["reasons"][0]


def test_another_source_is_what_the_gate_is_for() -> None:
    """A changed design is told, and compared."""
    now = session(marks(30, 18))
    now.manifest["designs"]["notes"]["digest"] = "d2"
    entry = gated(now, session(marks(30, 18)))
    assert entry["verdict"] == "ok"
    assert "its source or parameters changed since the baseline" in entry["notes"]


def test_a_kind_that_collapses_is_found_though_the_whole_holds() -> None:
    """Ten of kind recall are lost and ten of kind update won: the score stays, the kind fails."""
    kinds = ("recall", "update")
    before = session(["correct", "wrong"] * 10 + ["correct", "correct"] * 10, kinds=kinds)
    now = session(["wrong", "correct"] * 10 + ["correct", "correct"] * 10, kinds=kinds)
    entry = gated(now, before)
    assert (entry["drop"], entry["verdict"]) == (0.0, "regressed")
    assert entry["reasons"] == ["kind recall fell by 50.0 points on 20 probes (p 0.002 after Holm)"]


def test_kinds_too_small_are_named_and_do_not_weaken_the_others() -> None:
    """A kind of four right answers cannot reach 0.05; Holm counts the one that can alone."""
    kinds = ["recall"] * 8 + ["ask"] * 4
    before = session(["correct"] * 12, kinds=kinds)
    entry = gated(session(marks(0, 12), kinds=kinds), before)
    assert "too few probes to gate by kind: ask" in entry["notes"]
    assert entry["kinds"]["ask"]["p_holm"] is None
    assert entry["kinds"]["recall"]["p_holm"] == pytest.approx(2**-8, abs=1e-5)


def test_few_probes_say_that_they_can_never_fail() -> None:
    """Three right answers are too few for any p-value of 0.05."""
    entry = gated(session(marks(0, 3)), session(marks(3, 0)))
    assert (entry["verdict"], entry["detectable_drop"]) == ("ok", None)
    assert any("too few probes to gate" in note for note in entry["notes"])


def test_no_baseline_gates_by_the_limits_alone() -> None:
    """Without a baseline nothing is compared; a floor counts all the same."""
    assert gated(session(marks(5, 5)), None)["verdict"] == "none"
    entry = gated(session(marks(5, 5)), None, Limits(fail_under=60))
    assert entry["reasons"] == ["the score is 50.0 where --membench-fail-under wants 60"]
    assert entry["verdict"] == "regressed"


def test_max_drop_says_how_often_noise_reaches_it() -> None:
    """The user's own limit fails a drop that is not significant, and owns up to it."""
    entry = gated(session(marks(26, 22)), session(marks(28, 20)), Limits(max_drop=2))
    assert entry["verdict"] == "regressed"
    assert "noise alone reaches that in up to" in entry["reasons"][0]
    assert gated(session(marks(26, 22)), session(marks(28, 20)), Limits(max_drop=5))["verdict"] == "ok"


def test_a_selection_is_compared_on_what_it_asked() -> None:
    """Probes that were not collected are neither missing nor wrong."""
    entry = gated(session(marks(10, 0)), session(marks(30, 18)))
    assert (entry["verdict"], entry["pairs"], entry["of"]) == ("ok", 10, 48)


def test_a_cost_that_rose_fails_where_a_limit_is_given() -> None:
    """300 tokens a probe with its share of the memory become 330: a rise of 10 percent."""
    now, before = session(marks(5, 5), tokens=110), session(marks(5, 5), tokens=100)
    assert gated(now, before)["verdict"] == "ok"
    assert gated(now, before)["cost"]["tokens a probe"] == {"was": 210.0, "now": 231.0, "rise": 10.0}
    entry = gated(now, before, Limits(max_cost_rise=5))
    assert entry["verdict"] == "regressed"
    assert "tokens a probe rose by 10.0%" in entry["reasons"][0]
    assert gated(now, before, Limits(max_cost_rise=10))["verdict"] == "ok"


def test_unknown_tokens_are_no_pass_where_cost_is_gated() -> None:
    """A cost that cannot be compared leaves the session incomplete, not green."""
    entry = gated(session(marks(5, 5), tokens=None), session(marks(5, 5)), Limits(max_cost_rise=5))
    assert entry["verdict"] == "incomplete"
    assert gated(session(marks(5, 5), tokens=None), session(marks(5, 5)))["verdict"] == "ok"


def test_other_prices_make_money_stale_and_leave_tokens() -> None:
    """At other prices a rise in USD is nobody's fault; without a limit on cost it is not asked."""
    cheap, dear = {"input": 1.0}, {"input": 2.0}
    before, now = session(marks(5, 5), usd=0.1, price=cheap), session(marks(5, 5), usd=0.2, price=dear)
    assert gated(now, before)["verdict"] == "ok"
    entry = gated(now, before, Limits(max_cost_rise=5))
    assert (entry["verdict"], len(entry["reasons"])) == ("stale", 1)
    assert "prices" in entry["reasons"][0]


def test_a_turn_at_a_cell_that_costs_more_fails() -> None:
    """Each cell counts by itself; one that was measured over fewer turns is not compared."""
    now, before = session(marks(5, 5)), session(marks(5, 5))
    dearer = {"15x50": {**CELLS["15x50"], "input_tokens_per_turn": 120.0}}
    entry = gated(now, before, Limits(max_cost_rise=5), cells=dearer, cells_before=CELLS)
    assert entry["reasons"][0].startswith("tokens a turn at 15x50 rose by 20.0% (100 to 120)")
    shorter = {"15x50": {**CELLS["15x50"], "measured_turns": 9}}
    entry = gated(now, before, Limits(max_cost_rise=5), cells=shorter, cells_before=CELLS)
    assert entry["verdict"] == "incomplete"


def test_precedence_of_exit_codes() -> None:
    """Incomplete goes before stale, stale before regressed."""
    verdicts = ["regressed", "stale", "incomplete"]
    for number, code in ((3, 6), (2, 7), (1, 1)):
        assert exit_code({"sim": {name: {"verdict": name} for name in verdicts[:number]}}) == code


def repeated(shares: Sequence[tuple[int, int]]) -> Session:
    """Return a session with (right, repeats) of each probe: the right ones come first."""
    one = session(["correct"] * len(shares))
    rows = [
        {**row, "repeat": n, "score": float(n <= right), "outcome": "correct" if n <= right else "wrong"}
        for row, (right, repeats) in zip(one.rows, shares, strict=True)
        for n in range(1, repeats + 1)
    ]
    return Session(one.root, {**one.manifest, "items": rows}, rows, one.memories)


def written(base: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Return a baseline as it is read back from its file."""
    baseline.write(folder / "notes.json", base)
    return baseline.read(folder / "notes.json")


def against(now: Session, base: Mapping[str, Any], limits: Limits = Limits()) -> dict[str, Any]:  # noqa: B008 - frozen
    """Return the gate of `now` against this baseline."""
    summary = {**summarise(now.manifest, now.rows, now.memories), "costs": {}}
    entry: dict[str, Any] = gate(now, summary, {KEY: base}, limits)["sim"]["notes"]
    return entry


@given(st.integers(1, 40).flatmap(lambda n: st.lists(st.tuples(st.integers(0, n), st.just(n)), min_size=1, max_size=4)))
def test_a_pooled_score_that_did_not_change_is_no_flip(tmp_path_factory: Any, shares: list[tuple[int, int]]) -> None:
    """The file has 4 digits of a third; the same third now is neither newly wrong nor newly right."""
    base = written(baseline.make(repeated(shares), KEY, {}), tmp_path_factory.getbasetemp())
    entry = against(repeated(shares), base)
    assert (entry["newly_wrong"], entry["newly_right"], entry["drop"], entry["p_value"]) == ([], [], 0.0, 1.0)


def test_thirds_are_tested_in_thirds(tmp_path: Path) -> None:
    """Falls by a third from 3/3, 2/3 and 1/3 weigh the same, though 4 digits of them do not.

    Eight fall and two rise by one third each: McNemar's exact p of 8 falls among 10 flips.
    """
    before = [(3, 3), (2, 3), (1, 3), (2, 3), (1, 3), (3, 3), (2, 3), (1, 3), (0, 3), (1, 3)]
    moved = [-1] * 8 + [1, 1]
    after = [(right + move, n) for (right, n), move in zip(before, moved, strict=True)]
    entry = against(repeated(after), written(baseline.make(repeated(before), KEY, {}), tmp_path))
    assert entry["p_value"] == pytest.approx(binomtest(8, 10, alternative="greater").pvalue, rel=1e-3)
    assert (len(entry["newly_wrong"]), len(entry["newly_right"])) == (8, 2)
    assert entry["drop"] == 20.0


def test_a_repeat_more_is_no_change_of_what_is_always_right() -> None:
    """A baseline of one repeat and a session of three are paired by probe."""
    entry = against(repeated([(3, 3)] * 6 + [(0, 3)]), baseline.make(session(marks(6, 1)), KEY, {}))
    assert (entry["verdict"], entry["drop"], entry["pairs"]) == ("ok", 0.0, 7)


def test_a_baseline_with_partial_credit_that_is_lost() -> None:
    """Six partial answers that become wrong are a drop of 2**-6, and of half their number."""
    entry = gated(session(marks(14, 6)), session(["correct"] * 14 + ["partial"] * 6))
    assert entry["p_value"] == pytest.approx(1 / 64, rel=1e-3)
    assert (entry["verdict"], entry["drop"]) == ("regressed", 15.0)


def test_a_kind_that_is_only_in_the_session_is_not_compared() -> None:
    """Probes that the baseline does not have are in no pair, whatever became of them."""
    kinds = ["recall"] * 10 + ["ask"] * 10
    entry = gated(session(marks(10, 10), kinds=kinds), session(marks(10, 0)))
    assert (entry["verdict"], list(entry["kinds"]), entry["pairs"], entry["of"]) == ("ok", ["recall"], 10, 10)
    assert entry["newly_wrong"] == []


def test_no_probe_in_common_compares_nothing() -> None:
    """A note says so; no figure is made up."""
    now = session(marks(2, 0))
    rows = [{**row, "probe": f"new-{row['probe']}"} for row in now.rows]
    entry = against(Session(now.root, {**now.manifest, "items": rows}, rows, []), baseline.make(now, KEY, {}))
    assert (entry["verdict"], entry["drop"], entry["p_value"], entry["pairs"]) == ("ok", None, None, 0)
    assert entry["notes"] == ["no probe was asked in both: scores were not compared"]
    assert entry["of"] == 2


def test_a_baseline_of_cells_alone_says_that_no_score_was_compared() -> None:
    """Green without a word would look like a comparison; a session of cells has no score to compare."""
    asked, cost_only = session(marks(2, 0)), session([])
    costs = {"cells": CELLS}
    entry = against(asked, baseline.make(cost_only, KEY, costs))
    assert entry["notes"] == ["no probe was asked in both: scores were not compared"]
    assert against(cost_only, baseline.make(asked, KEY, costs))["notes"] == []


def test_an_unknown_cost_of_one_probe_makes_the_sum_unknown() -> None:
    """None is not added as 0: with one unknown probe tokens cannot be compared."""
    whole, broken = session(marks(5, 5)), session(marks(5, 5), tokens=None)
    now = Session(whole.root, whole.manifest, [broken.rows[0], *whole.rows[1:]], whole.memories)
    entry = gated(now, session(marks(5, 5)), Limits(max_cost_rise=5))
    assert entry["cost"]["tokens a probe"] == {"was": 210.0, "now": None, "rise": None}
    assert entry["verdict"] == "incomplete"


def test_a_lost_memory_is_no_saving() -> None:
    """Without the snapshot what it cost to write is unknown; it is not 0."""
    now = session(marks(5, 5))
    entry = against(Session(now.root, now.manifest, now.rows, []), baseline.make(now, KEY, {}))
    assert entry["cost"]["tokens a probe"]["now"] is None


@pytest.mark.parametrize(
    ("now", "verdict", "reason"),
    [(0, "ok", ""), (5, "regressed", "tokens a probe rose from 0 to"), (None, "incomplete", "cannot be compared")],
)
def test_a_cost_that_was_nothing(now: int | None, verdict: str, reason: str) -> None:
    """From 0 there is no percentage: any rise is over the limit, and unknown is no 0."""
    entry = gated(session(marks(5, 5), tokens=now), session(marks(5, 5), tokens=0), Limits(max_cost_rise=1000))
    assert entry["verdict"] == verdict
    assert reason in "".join(entry["reasons"])
    assert entry["cost"]["tokens a probe"]["rise"] is None


def test_each_setting_is_gated_by_itself() -> None:
    """The same design falls with one model and not with another; the exit code is the worse one's."""
    fallen, before = session(marks(0, 20)), session(marks(20, 0))
    mini = [{**row, "setting": "mini"} for row in before.rows]
    manifest = {
        **before.manifest,
        "settings": {**before.manifest["settings"], "mini": {"priced": False, "price": None}},
        "items": [*before.manifest["items"], *mini],
    }
    both = Session(before.root, manifest, [*fallen.rows, *mini], before.memories)
    summary = summarise(both.manifest, both.rows, both.memories)
    base = baseline.make(before, KEY, {})
    outcomes = gate(both, summary, {KEY: base, ("mini", "notes"): base}, Limits())
    assert {setting: designs["notes"]["verdict"] for setting, designs in outcomes.items()} == {
        "sim": "regressed",
        "mini": "ok",
    }
    assert exit_code(outcomes) == 1


def test_an_exclusion_of_today_is_stale_and_named() -> None:
    """Probes that the audit took away since are another yardstick, not a drop."""
    now = session(marks(8, 0))
    now.manifest["yardstick"]["probes"]["golds and audit"] = "b" * 64
    entry = gated(now, session(marks(8, 2)))
    assert (entry["verdict"], entry["drop"]) == ("stale", None)
    assert entry["reasons"] == ["the baseline is stale: golds and audit of the probes changed since"]


def test_people_with_a_slash_are_told_apart_by_their_probes() -> None:
    """The last part of a name is the probe's id, which has none; the memory's cost is that person's."""
    now = session(marks(5, 5))
    rows = [{**row, "person": "team/maya"} for row in now.rows]
    memories = [{**row, "person": "team/maya"} for row in now.memories]
    slashed = Session(now.root, {**now.manifest, "items": rows}, rows, memories)
    entry = against(slashed, baseline.make(slashed, KEY, {}))
    assert entry["cost"]["tokens a probe"]["was"] == 210.0
