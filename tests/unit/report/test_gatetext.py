"""What the gate says: annotations that no answer can forge, blocks that no answer can end."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pytest_membench.report.broke import Broken
from pytest_membench.report.gatetext import annotations, gate_lines, markdown

ENTRY: dict[str, Any] = {
    "verdict": "regressed",
    "reasons": ["the score fell"],
    "notes": ["a note"],
    "drop": 10.0,
    "p_value": 0.01,
    "pairs": 10,
    "of": 10,
    "newly_wrong": [f"maya/p{n:02}" for n in range(15)],
    "newly_right": [],
}
OUTCOMES = {"sim": {"notes": ENTRY}}


def broke(answer: str = "it was blue", design: str = "notes") -> Broken:
    """Return one broken probe with this answer."""
    return Broken(
        setting="sim",
        design=design,
        name="maya/p00",
        kind="recall",
        question="which colour?",
        gold="red",
        evidence=("[2026-08-03 09:00] Maya: red",),
        memory=(),
        memory_lines=0,
        answer=answer,
        verdicts=("first look: wrong",),
        lost=None,
        was=1.0,
        now=0.0,
        rerun="pytest x",
    )


def test_lines_name_as_many_probes_as_fit() -> None:
    """Twelve are listed and the rest counted."""
    lines = gate_lines(OUTCOMES)
    assert lines[0] == "gate: sim notes: REGRESSED: -10.0 points: 15 of 10 probes fell, 0 rose, one-sided p 0.01"
    assert lines[2].endswith("maya/p11 and 3 more")
    assert lines[3] == "  (a note)"


def test_a_design_without_a_baseline_says_nothing() -> None:
    """Nothing was compared: no line, no page, no annotation."""
    outcomes = {"sim": {"notes": {**ENTRY, "verdict": "none"}}}
    assert (gate_lines(outcomes), markdown(outcomes, []), annotations(outcomes, [], {})) == ([], "", [])


@given(st.text())
def test_no_answer_starts_a_workflow_command(answer: str) -> None:
    """Whatever a model wrote, an annotation is one line that starts with its own command."""
    for line in annotations(OUTCOMES, [broke(answer)], {"notes": "designs/a,b:c.py"}):
        assert line.startswith("::error file=designs/a%2Cb%3Ac.py,title=")
        assert "\n" not in line
        assert "\r" not in line


@given(st.text(alphabet="`\n~ax<"))
def test_no_answer_ends_its_block(answer: str) -> None:
    """The fence is longer than any run of backticks within."""
    page = markdown(OUTCOMES, [broke(answer)])
    folded = page[page.index("<details>") :].splitlines()
    fence = next(line for line in folded if line.startswith("```")).removesuffix("text")
    assert folded.count(fence) == 1
    assert folded[-1] == "</details>"


def test_no_name_ends_its_summary() -> None:
    """A design's id is text in the page, not markup."""
    page = markdown(OUTCOMES, [broke(design="notes(x='</summary><script>')")])
    assert "<script>" not in page.replace("&lt;script&gt;", "")
