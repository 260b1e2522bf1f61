"""The tables: what a reader sees, and what must never look like a number that it is not."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_membench.report.text import (
    SIM_NOTE,
    align,
    by_score,
    diagnosis,
    differences,
    flips,
    incomplete,
    markdown,
    notes,
    per_probe,
    terminal,
)


def design(score: float | None, **fields: Any) -> dict[str, Any]:
    """Return the scores of one design."""
    part = {"score": score, "interval": None if score is None else [score - 5, score + 5], "n": 12}
    stage = {"input": 1200, "cached": 0, "output": 34, "reasoning": 0}
    return {
        **part,
        "correct": 6,
        "partial": 2,
        "wrong": 4,
        "not_judged": 0,
        "not_run": 0,
        "not_recorded": 0,
        "plain_replies": 3,
        "search_calls": 31,
        "memory_tokens": 4120,
        "usd": 0.01234,
        "tokens": {name: dict(stage) for name in ("ingest", "retrieval", "answer", "judge")},
        "kinds": {"recall": {**part, "n": 6}},
        "people": {"maya": part, "tom": part},
        **fields,
    }


def summary(model: str = "gpt-oss-20b", priced: bool = True, judge: str = "big", **designs: Any) -> dict[str, Any]:
    """Return the summary of a session with one setting."""
    broken = any(row["not_run"] or row["not_judged"] for row in designs.values())
    setting = {"model": model, "effort": None, "provider": None, "priced": priced}
    head = {"complete": not broken, "suite": "mini", "judge": judge, "settings": {model: setting}}
    return {**head, "scores": {model: designs}}


def cells(lines: list[str], name: str, nth: int = 0) -> list[str]:
    """Return the cells of a line of an aligned table, by its first cell."""
    found = [line for line in lines if line.startswith(name)]
    return [cell for cell in found[nth].split("  ") if cell]


def test_the_table_shows_score_interval_tokens_and_money() -> None:
    """One line a design: tokens are those of writing, reading and answering, three stages of 1,200 and 34."""
    lines = terminal(summary(notes=design(61.5)), ".membench/x")
    assert [part.strip() for part in cells(lines, "notes")] == [
        *("notes", "61.5", "56.5 to 66.5", "12", "3,600", "102", "4,120", "0.0123", "3", "31", "0", "0"),
    ]
    assert lines[0] == "suite mini: 12 probes about maya, tom; model gpt-oss-20b, judge big"
    assert lines[-1] == "results: .membench/x"


def test_scores_by_kind_have_a_table_with_a_dash_where_a_kind_was_not_asked() -> None:
    """Kinds stand in their order; a design that lacks one shows "-" and not 0."""
    other = {"abstain": {"score": 25.0, "interval": [1.0, 60.0], "n": 2}}
    lines = terminal(summary(a=design(50.0), b=design(40.0, kinds=other)), "x")
    assert cells(lines, "score by kind") == ["score by kind", "recall", "abstain"]
    assert [part.strip() for part in cells(lines, "a ", nth=-1)] == ["a", "50.0", "-"]
    assert [part.strip() for part in cells(lines, "b ", nth=-1)] == ["b", "-", "25.0"]


def test_unknown_is_shown_as_unknown_and_not_as_zero() -> None:
    """Tokens, size and money that nobody reported are words, and a missing score is a dash."""
    missing = {"input": None, "cached": None, "output": 7, "reasoning": None}
    stages = dict.fromkeys(("ingest", "retrieval", "answer", "judge"), missing)
    line = cells(terminal(summary(a=design(None, tokens=stages, memory_tokens=None, usd=None)), "x"), "a ")
    assert [part.strip() for part in line][:8] == ["a", "-", "-", "12", "unknown", "21", "unknown", "unknown"]


def test_zero_is_shown_as_zero() -> None:
    """A design that got nothing right has the score 0.0, not a dash."""
    assert cells(terminal(summary(a=design(0.0)), "x"), "a ")[1].strip() == "0.0"


def test_a_model_without_a_price_says_so_and_how_to_add_one() -> None:
    """There is no money figure, whatever the row holds, and the note names the option."""
    lines = terminal(summary(priced=False, a=design(50.0)), "x")
    assert "no price" in [part.strip() for part in cells(lines, "a ")]
    assert "USD: no price for gpt-oss-20b in the table; --membench-prices FILE adds one." in lines
    assert not any("no price" in line for line in terminal(summary(a=design(50.0)), "x"))


def test_recordings_that_nobody_asked_for_are_said_with_what_removes_them() -> None:
    """Those of all designs of a setting are one number; none is not mentioned."""
    made = summary(a=design(50.0, unused_recordings=2), b=design(40.0, unused_recordings=1), c=design(30.0))
    assert "3 recordings were not asked for; membench prune RESULTS removes them." in terminal(made, "x")
    assert not any("recordings" in line for line in terminal(summary(a=design(50.0)), "x"))


@pytest.mark.parametrize(("model", "judge", "shown"), [("sim", "big", True), ("x", "sim", True), ("x", "big", False)])
def test_reports_of_the_stand_in_say_what_its_scores_are_worth(model: str, judge: str, shown: bool) -> None:
    """Whether it answered or judged, sim is named for what it is."""
    assert (SIM_NOTE in notes(summary(model=model, judge=judge, a=design(50.0)), model)) == shown


def test_the_best_score_comes_first_and_none_last() -> None:
    """Equal scores go by name; a score of 0 is still a score and stands before none."""
    rows = {"none": design(None), "b": design(70.0), "zero": design(0.0), "a": design(70.0), "top": design(90.0)}
    assert [name for name, _ in by_score(rows)] == ["top", "a", "b", "zero", "none"]


def test_a_complete_session_says_nothing_of_missing_items() -> None:
    """INCOMPLETE and question marks appear only where something is missing."""
    lines = terminal(summary(a=design(50.0)), "x")
    assert incomplete(summary(a=design(50.0))) == []
    assert not any("INCOMPLETE" in line or "?" in line for line in lines)


def test_an_incomplete_session_says_what_is_missing_and_marks_the_score() -> None:
    """Each design that lacks items is listed with how many, and how many were merely not recorded."""
    broken = design(50.0, not_run=5, not_recorded=2, not_judged=1)
    made = summary(a=broken, b=design(40.0), c=design(30.0, not_judged=3))
    lines = terminal(made, "x")
    assert incomplete(made) == [
        "INCOMPLETE: scores cover the judged answers alone (n); nothing that broke counts as wrong.",
        "  gpt-oss-20b a: 5 not run (2 of them not recorded), 1 not judged, of 18",
        "  gpt-oss-20b c: 0 not run, 3 not judged, of 15",
    ]
    assert cells(lines, "a ")[1].strip() == "50.0?"
    assert cells(lines, "b ")[1].strip() == "40.0"
    assert lines[-4:-1] == incomplete(made)


def test_the_markdown_report_has_the_tables_and_each_kinds_interval() -> None:
    """Overview, kinds with intervals and tokens by stage, as tables that a pipe in a name does not break."""
    made = summary()
    made["scores"]["gpt-oss-20b"]["w(sep='|')"] = design(61.5)
    report = markdown(made)
    assert report.startswith("# membench report\n\n## gpt-oss-20b\n\n")
    assert "| w(sep='\\|') | recall | 61.5 | 56.5 to 66.5 | 6 |" in report
    assert "| w(sep='\\|') | 1,200 / 34 | 1,200 / 34 | 1,200 / 34 | 1,200 / 34 |" in report
    assert "INCOMPLETE" not in report
    assert "INCOMPLETE" in markdown(summary(a=design(None, not_run=12)))


def test_every_setting_has_its_own_tables() -> None:
    """Two models in one session do not share a table."""
    one, two = summary(model="small", a=design(10.0)), summary(model="large", a=design(90.0))
    both = {**one, "settings": {**one["settings"], **two["settings"]}, "scores": {**one["scores"], **two["scores"]}}
    lines = terminal(both, "x")
    assert [cells(lines, "a ", n)[1].strip() for n in (0, 2)] == ["10.0", "90.0"]
    assert markdown(both).count("\n## ") == 2


@given(
    st.integers(1, 4).flatmap(
        lambda n: st.lists(st.lists(st.text("ab c", max_size=5), min_size=n, max_size=n), min_size=1)
    )
)
def test_aligned_columns_end_in_line(rows: list[list[str]]) -> None:
    """Every cell stands in its column's place: the first to the left, the others to the right."""
    widths = [max(len(row[n]) for row in rows) for n in range(len(rows[0]))]
    for row, line in zip(rows, align(rows), strict=True):
        padded = line.ljust(sum(widths) + 2 * (len(widths) - 1))
        start = 0
        for n, (cell, width) in enumerate(zip(row, widths, strict=True)):
            there = padded[start : start + width]
            assert there == (cell.ljust(width) if n == 0 else cell.rjust(width))
            start += width + 2


def row(probe: str, **fields: Any) -> dict[str, Any]:
    """Return the row of one item."""
    head = {"setting": "sim", "design": "notes", "person": "maya", "probe": probe, "repeat": 1, "outcome": "correct"}
    return {
        **head,
        "plain": False,
        "searches": 2,
        "overturned": False,
        "providers": ["groq"],
        "evidence_recall": None,
        "lost": None,
        "message": None,
        **fields,
    }


def trimmed(line: str) -> list[str]:
    """Return the cells of an aligned line without the space around them."""
    return [cell.strip() for cell in line.split("  ") if cell]


def test_the_diagnosis_shows_what_lies_behind_the_scores() -> None:
    """Sizes, batches, replies and second looks by design; facts lost are counted by place."""
    rows = [
        row("a", plain=True, evidence_recall=1.0),
        row("b", overturned=True, evidence_recall=0.0, lost="never written", providers=["vertex", "groq"]),
        row("c", lost="never written", searches=None),
        row("a", design="window", providers=[], lost="judge in doubt"),
    ]
    memories: list[dict[str, Any]] = [
        {"setting": "sim", "design": "notes", "memory_tokens": 1500, "batches": 3},
        {"setting": "sim", "design": "notes", "memory_tokens": 90, "batches": 4},
        {"setting": "sim", "design": "notes", "memory_tokens": None, "batches": None},
    ]
    lines = diagnosis(rows, memories)
    assert trimmed(lines[1]) == ["notes (sim)", "90 to 1,500", "7", "1", "4", "1", "groq, vertex", "50% of 2"]
    assert trimmed(lines[2]) == ["window (sim)", "-", "0", "0", "2", "0", "-", "not available"]
    assert trimmed(lines[4])[:2] == ["facts lost by", "never written"]
    assert trimmed(lines[5]) == ["notes (sim)", "2", "0", "0", "0", "0"]
    assert trimmed(lines[6]) == ["window (sim)", "0", "0", "0", "1", "0"]


def test_each_item_has_a_line_that_says_what_became_of_it() -> None:
    """Repeats show, unknown is a dash, and what did not run says why, in one short line."""
    rows = [
        row("a", evidence_recall=0.5, outcome="wrong", lost="never written"),
        row("b", repeat=2),
        row("c", outcome="not_run", searches=None, message="HTTP 402: " + "x" * 200 + "\nmore"),
    ]
    first, second, third = map(trimmed, per_probe(rows)[1:])
    assert first == ["notes maya a", "wrong", "2", "50%", "never written"]
    assert second == ["notes maya b~r2", "correct", "2", "-"]
    assert third == ["notes maya c", "not_run", "-", "-", "HTTP 402: " + "x" * 70]


PAIR = {
    "first": "notes (sim)",
    "second": "window (sim)",
    "difference": -12.5,
    "interval": [-25.0, 0.0],
    "pairs": 24,
    "p_value": 0.0312,
    "better": ["maya a"],
    "worse": ["maya b", "tom c", "tom d"],
    "kinds": {"recall": {"difference": 4.0, "interval": [1.0, 7.0], "pairs": 6, "p_holm": 0.5}},
}


def test_a_difference_shows_its_sign_interval_and_flips() -> None:
    """Points with a sign, pairs, how many got better and worse, and McNemar's p."""
    nothing = {**PAIR, "difference": None, "interval": None, "p_value": None, "pairs": 0}
    lines = differences([PAIR, nothing])
    assert trimmed(lines[1]) == ["window (sim) - notes (sim)", "-12.5", "-25.0 to 0.0", "24", "1", "3", "0.0312"]
    assert trimmed(lines[2]) == ["window (sim) - notes (sim)", "-", "-", "0", "-", "-", "-"]


def test_flips_are_listed_by_name_with_the_difference_by_kind() -> None:
    """A person sees which questions got worse; none is said as such; without pairs there is no list."""
    lines = flips(PAIR)
    assert trimmed(lines[1]) == ["recall", "+4.0", "1.0 to 7.0", "6", "0.5000"]
    assert lines[2:] == ["worse: maya b, tom c, tom d", "better: maya a"]
    assert flips({**PAIR, "better": []})[-1] == "better: none"
    assert len(flips({"kinds": {}})) == 1


def test_doubted_golds_have_columns_of_their_own() -> None:
    """They stand only where an audit doubts something."""
    flagged = {"gold": 3, "citation": 2, "without": {"score": 52.25, "interval": [40.0, 64.0], "n": 9}}
    lines = terminal(summary(notes=design(50.0, flagged=flagged), other=design(40.0)), "out")
    assert cells(lines, "design")[-2:] == ["gold doubted", "score without"]
    assert [cell.strip() for cell in cells(lines, "notes")[-2:]] == ["3", "52.2"]
    assert [cell.strip() for cell in cells(lines, "other")[-2:]] == ["-", "-"]
    assert "gold doubted" not in "".join(terminal(summary(notes=design(50.0)), "out"))


def test_another_protocol_and_the_suite_s_notes_are_shown() -> None:
    """The usual one is not mentioned."""
    plain = summary(notes=design(50.0))
    told = {**plain, "protocol": "paper, choice", "suite_notes": ["warning: another file"]}
    assert "judge big (paper, choice)" in "\n".join(terminal(told, "out"))
    assert "warning: another file" in terminal(told, "out")
    assert "judge big\n" in "\n".join(terminal({**plain, "protocol": "two-looks, free"}, "out"))
