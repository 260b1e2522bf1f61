"""The labelled answers: what the set that ships must hold, and how a user's file is refused."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from pytest_membench.data import RUBRIC_KINDS
from pytest_membench.errors import SuiteError
from pytest_membench.grading import prompts
from pytest_membench.grading.match import same_as_gold
from pytest_membench.suites.calibration import Triple, digest, load

TYPES = {
    *("exact", "paraphrase", "other format", "more detail", "wrong", "vague", "contradicting", "partly right"),
    *("several values", "outdated value", "refusal", "abstention", "abstention invented", "abstention with a guess"),
    *("rubric ask", "rubric pref_apply", "addresses the judge"),
    *("right by the excerpt", "partial by the excerpt", "wrong by the excerpt"),
}
ROW = {
    "id": "a-1",
    "type": "wrong",
    "kind": "recall",
    "question": "Which tea?",
    "gold": "mint",
    "answer": "Sage.",
    "label": "wrong",
    "why": "Another tea.",
}


@pytest.fixture(scope="module")
def shipped() -> tuple[Triple, ...]:
    """The set that ships."""
    return load()


def test_every_type_is_there_often_enough(shipped: tuple[Triple, ...]) -> None:
    """At least 72 answers, of each type 5 or more."""
    counts = Counter(triple.type for triple in shipped)
    assert set(counts) == TYPES
    assert min(counts.values()) >= 5
    assert len(shipped) >= 72


def test_labels_are_balanced(shipped: tuple[Triple, ...]) -> None:
    """No label is rarer than a quarter or more frequent than two fifths: always saying one label is no good judge."""
    counts = Counter(triple.label for triple in shipped)
    assert set(counts) == {"correct", "partial", "wrong"}
    assert all(0.25 <= count / len(shipped) <= 0.4 for count in counts.values())


def test_a_judge_must_be_asked_about_every_answer(shipped: tuple[Triple, ...]) -> None:
    """None is the gold word for word, which a session would not ask a judge about."""
    assert not [triple.id for triple in shipped if same_as_gold(triple.probe, triple.answer)]


def test_the_second_look_is_measured(shipped: tuple[Triple, ...]) -> None:
    """At least twelve have an excerpt, and these have all three labels."""
    shown = [triple for triple in shipped if triple.excerpt]
    assert len(shown) >= 12
    assert {triple.label for triple in shown} == {"correct", "partial", "wrong"}


def test_answers_are_short_long_and_not_only_ascii(shipped: tuple[Triple, ...]) -> None:
    """Some answers are a word or two, some run past 40 words, some have signs beyond ASCII."""
    words = [len(triple.answer.split()) for triple in shipped]
    assert sum(count <= 3 for count in words) >= 10
    assert sum(count >= 40 for count in words) >= 8
    assert sum(not triple.answer.isascii() for triple in shipped) >= 5


def test_orders_to_the_judge_come_with_every_label(shipped: tuple[Triple, ...]) -> None:
    """Who obeys, and who calls all such answers wrong, is both found out."""
    labels = Counter(t.label for t in shipped if t.type == "addresses the judge")
    assert set(labels) == {"correct", "partial", "wrong"}


def test_kinds_have_their_own_rules(shipped: tuple[Triple, ...]) -> None:
    """Abstentions are of kind abstain, rubrics of the rubric kinds, and the kinds compared with a gold are there too."""
    kinds = {t.type: {u.probe.kind for u in shipped if u.type == t.type} for t in shipped}
    assert kinds["abstention"] == kinds["abstention invented"] == kinds["abstention with a guess"] == {"abstain"}
    assert (kinds["rubric ask"], kinds["rubric pref_apply"]) == ({"ask"}, {"pref_apply"})
    assert {t.probe.kind for t in shipped} >= {"recall", "update", "temporal", "aggregate", "open_loop"}
    assert kinds["outdated value"] == {"update"}


def test_our_suites_people_are_not_in_it(shipped: tuple[Triple, ...]) -> None:
    """The set shares no person with the suites, so that no judge is measured on what it grades."""
    suites = Path(__file__).parents[3] / "benchmarks" / "suites"
    names = {path.stem.capitalize() for path in suites.glob("*/chat/*.json")}
    assert names
    said = " ".join(f"{t.probe.q} {t.probe.gold} {t.answer} {' '.join(t.excerpt or ())}" for t in shipped)
    assert not names & set(said.replace(":", " ").replace("'", " ").split())


def write(folder: Path, *rows: Any) -> Path:
    """Write a set."""
    path = folder / "mine.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    return path


def test_a_file_of_ones_own_is_read(tmp_path: Path) -> None:
    """In the file's order, with gold or rubric and the excerpt's lines."""
    lines = ["[2026-08-03 09:14] Ann: Mint it is."]
    asks = {**ROW, "id": "b-1", "kind": RUBRIC_KINDS[0], "rubric": "Says mint.", "excerpt": lines}
    del asks["gold"]
    first, second = load(write(tmp_path, ROW, asks))
    assert (first.id, first.probe.gold, first.label, first.excerpt) == ("a-1", "mint", "wrong", None)
    assert (second.probe.kind, second.probe.gold, second.excerpt) == ("ask", "Says mint.", tuple(lines))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"label": "right"}, r"row 'a-1': field label: .*'right'"),
        ({"kind": "riddle"}, "row 'a-1': field kind"),
        ({"answer": " "}, "row 'a-1': field answer is empty"),
        ({"why": ""}, "row 'a-1': field why is empty"),
        ({"gold": None}, "row 'a-1': field gold is missing; kind 'recall' needs it"),
        ({"gold": ""}, "row 'a-1': field gold is empty"),
        ({"rubric": "x"}, "row 'a-1': field rubric is given; kind 'recall' has a gold in its place"),
        ({"kind": "ask"}, "row 'a-1': field gold is given; kind 'ask' has a rubric in its place"),
        ({"excerpt": ["no date"]}, "row 'a-1': field excerpt: 'no date' is no line like"),
        ({"grade": 1}, "row 'a-1': field grade"),
        ({"id": 7}, "row 1: field id"),
    ],
)
def test_a_wrong_row_is_named_with_its_field(tmp_path: Path, change: dict[str, Any], says: str) -> None:
    """File, row and field stand in the message."""
    path = write(tmp_path, {**ROW, **change})
    with pytest.raises(SuiteError, match=says) as caught:
        load(path)
    assert str(path) in str(caught.value)


def test_a_missing_field_is_called_missing(tmp_path: Path) -> None:
    """A row without an answer."""
    with pytest.raises(SuiteError, match=r"row 'a-1': field answer: .* \(it is missing\)"):
        load(write(tmp_path, {name: value for name, value in ROW.items() if name != "answer"}))


def test_doubles_are_refused(tmp_path: Path) -> None:
    """An id that stands twice, and one triple under two ids."""
    with pytest.raises(SuiteError, match="row 'a-1': field id stands twice"):
        load(write(tmp_path, ROW, {**ROW, "answer": "Rose."}))
    with pytest.raises(SuiteError, match="row 'a-2': has question, gold and answer of row 'a-1'"):
        load(write(tmp_path, ROW, {**ROW, "id": "a-2"}))


@pytest.mark.parametrize(("text", "says"), [("[", "cannot be read"), ("[]", "an empty list"), ("{}", "holds dict")])
def test_what_is_no_list_is_refused(tmp_path: Path, text: str, says: str) -> None:
    """Broken JSON, an empty list, another form."""
    path = tmp_path / "mine.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SuiteError, match=says):
        load(path)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    """The path stands in the message."""
    with pytest.raises(SuiteError, match=r"none\.json: cannot be read"):
        load(tmp_path / "none.json")


@pytest.mark.parametrize(
    "change", [{"label": "partial"}, {"answer": "Rose."}, {"type": "vague"}, {"excerpt": ["[2026-08-03 09:14] A: x"]}]
)
def test_the_digest_changes_with_the_set(tmp_path: Path, change: dict[str, Any]) -> None:
    """Whatever is asked or expected."""
    before = digest(load(write(tmp_path, ROW)))
    assert digest(load(write(tmp_path, {**ROW, **change}))) != before


def test_the_digest_does_not_change_with_the_reason(tmp_path: Path) -> None:
    """Why a label is right is for readers; no judge sees it."""
    before = digest(load(write(tmp_path, ROW)))
    assert digest(load(write(tmp_path, {**ROW, "why": "Sage is not mint."}))) == before


def test_the_digest_changes_with_the_prompts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A judge that is asked in other words was not measured."""
    triples = load(write(tmp_path, ROW))
    before = digest(triples)
    monkeypatch.setattr(prompts, "_COMPARE", prompts._COMPARE + " Be kind.")
    assert digest(triples) != before
