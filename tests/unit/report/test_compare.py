"""Two sessions, or several pooled: paired by question, and nothing left out unseen."""

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_membench.errors import StoreError
from pytest_membench.report.compare import between, compare, pool
from pytest_membench.report.folder import Session, read
from pytest_membench.report.scores import summarise

Write = Callable[..., Path]
Verdicts = dict[tuple[str, str], list[str | None]]
SCORES = {"correct": 1.0, "partial": 0.5, "wrong": 0.0}


def session(verdicts: Verdicts, name: str = "s1", design: str = "notes", **settings: Any) -> Session:
    """Return a session with these outcomes of the repeats of each (person, probe); None left no row."""
    setting, kinds = settings.pop("setting", "sim"), settings.pop("kinds", {})
    items = [
        {
            "setting": setting,
            "design": design,
            "person": person,
            "probe": probe,
            "kind": kinds.get(probe, "recall"),
            "repeat": repeat,
        }
        for (person, probe), outcomes in verdicts.items()
        for repeat, _ in enumerate(outcomes, 1)
    ]
    outcomes = [outcome for own in verdicts.values() for outcome in own]
    rows = [
        {**item, "outcome": outcome, "score": SCORES.get(outcome), "cause": None}
        for item, outcome in zip(items, outcomes, strict=True)
        if outcome is not None
    ]
    head = {"session": name, "suite": "tiny", "judge": "sim", **settings}
    described = {setting: {"model": setting, "priced": False}}
    return Session(Path(name), {**head, "settings": described, "items": items}, rows, [])


def merged(*sessions: Session) -> Session:
    """Return one session that holds the designs of all."""
    items = [item for own in sessions for item in own.manifest["items"]]
    settings = {key: value for own in sessions for key, value in own.manifest["settings"].items()}
    rows = [row for own in sessions for row in own.rows]
    return Session(Path("all"), {**sessions[0].manifest, "items": items, "settings": settings}, rows, [])


FOUR: Verdicts = {("maya", f"p{n}"): [label] for n, label in enumerate(["correct", "wrong", "wrong", "correct"], 1)}
BETTER: Verdicts = {**FOUR, ("maya", "p2"): ["correct"], ("maya", "p3"): ["partial"]}


def test_the_same_design_in_two_sessions_is_paired_by_question() -> None:
    """Of four questions one rose by a point and one by half: 37.5 points, two flips, p = 2 / 4."""
    (made,) = compare(session(FOUR), session(BETTER, "s2"))
    assert (made["first"], made["second"]) == ("notes (sim)", "notes (sim)")
    assert (made["difference"], made["pairs"], made["unpaired"], made["p_value"]) == (37.5, 4, 0, 0.5)
    assert (made["better"], made["worse"]) == (["maya p2", "maya p3"], [])
    assert made["interval"][0] <= 37.5 <= made["interval"][1]


def test_back_again_is_the_same_drop() -> None:
    """From the second to the first, what was better is worse."""
    (made,) = compare(session(BETTER), session(FOUR, "s2"))
    assert (made["difference"], made["better"], made["worse"]) == (-37.5, [], ["maya p2", "maya p3"])


def test_two_designs_in_two_sessions_are_compared_where_each_has_one() -> None:
    """Nothing shared, one design each: these two."""
    (made,) = compare(session(FOUR, design="old"), session(BETTER, "s2", design="new"))
    assert (made["first"], made["second"], made["difference"]) == ("old (sim)", "new (sim)", 37.5)


def test_the_same_design_on_two_models_is_no_shared_design() -> None:
    """A setting is part of what is compared: each session has one, so they are set against each other by name."""
    (made,) = compare(session(FOUR), session(BETTER, "s2", setting="big"))
    assert (made["first"], made["second"]) == ("notes (sim)", "notes (big)")


def test_every_shared_design_is_compared_with_itself() -> None:
    """Designs that only one session has are left aside."""
    first = merged(session(FOUR, design="a"), session(FOUR, design="b"), session(FOUR, design="only here"))
    second = merged(session(BETTER, design="b"), session(FOUR, design="a"))
    made = compare(first, second)
    assert [(pair["first"], pair["second"], pair["difference"]) for pair in made] == [
        ("a (sim)", "a (sim)", 0.0),
        ("b (sim)", "b (sim)", 37.5),
    ]


def test_no_shared_design_is_an_error_that_names_both_sides() -> None:
    """Two designs against two others: the user has to say which."""
    first = merged(session(FOUR, design="a"), session(FOUR, design="b"))
    second = merged(session(FOUR, design="c"), session(FOUR, design="d"))
    with pytest.raises(StoreError, match=r"share no design: they have a \(sim\), b \(sim\) and c \(sim\), d \(sim\)"):
        compare(first, second)


def test_questions_of_other_suites_are_never_paired() -> None:
    """Two suites may both have a `p1` of a `maya`; they are other questions."""
    with pytest.raises(StoreError, match="of the suites 'tiny' and 'people': their questions cannot be paired"):
        compare(session(FOUR), session(FOUR, suite="people"))


def test_verdicts_of_two_judges_are_never_compared() -> None:
    """A stricter judge is no worse design."""
    with pytest.raises(StoreError, match="judged by gpt-oss, sim; only verdicts of one judge go together"):
        compare(session(FOUR), session(FOUR, "s2", judge="gpt-oss"))


def test_no_shared_question_is_an_error() -> None:
    """`-k maya` and `-k tom` have the design in common and nothing to pair."""
    with pytest.raises(StoreError, match="share no question that has a verdict in both"):
        compare(session(FOUR), session({("tom", "p1"): ["correct"]}, "s2"))


@pytest.mark.parametrize("outcome", ["not_run", "not_judged", None])
def test_what_has_no_verdict_is_left_out_and_counted(outcome: str | None) -> None:
    """A question without a verdict on one side, or on both, is no pair, no flip and no zero."""
    first: Verdicts = {**FOUR, ("maya", "p5"): [outcome], ("maya", "p6"): ["correct"]}
    second: Verdicts = {**FOUR, ("maya", "p5"): [outcome], ("maya", "p6"): [outcome]}
    (made,) = compare(session(first), session(second, "s2"))
    assert (made["difference"], made["pairs"], made["unpaired"]) == (0.0, 4, 2)
    assert made["worse"] == []


def test_a_session_without_any_result_cannot_be_compared() -> None:
    """A session killed at its start shares the design and no verdict."""
    with pytest.raises(StoreError, match="share no question"):
        compare(session(FOUR), session({key: [None] for key in FOUR}, "s2"))


def test_repeats_are_pooled_before_they_are_paired() -> None:
    """Two repeats of one question are one pair, at the mean of their scores."""
    (made,) = compare(session({("maya", "p1"): ["wrong"]}), session({("maya", "p1"): ["correct", "wrong"]}, "s2"))
    assert (made["pairs"], made["difference"], made["better"]) == (1, 50.0, ["maya p1"])


def test_people_with_the_same_probe_ids_stay_apart() -> None:
    """Maya's p1 and Tom's p1 are two questions."""
    first: Verdicts = {("maya", "p1"): ["correct"], ("tom", "p1"): ["wrong"]}
    second: Verdicts = {("maya", "p1"): ["wrong"], ("tom", "p1"): ["correct"]}
    (made,) = compare(session(first), session(second, "s2"))
    assert (made["pairs"], made["better"], made["worse"]) == (2, ["tom p1"], ["maya p1"])


def test_kinds_are_compared_apart_and_adjusted_by_holm() -> None:
    """Six of six updates fall (2 / 64), recall stays: two kinds, so the smaller p is doubled."""
    kinds = {f"u{n}": "update" for n in range(6)}
    before: Verdicts = {("maya", f"{kind}{n}"): ["correct"] for kind in "ur" for n in range(6)}
    after: Verdicts = {key: ["wrong" if key[1] in kinds else "correct"] for key in before}
    (made,) = compare(session(before, kinds=kinds), session(after, "s2", kinds=kinds))
    assert list(made["kinds"]) == ["recall", "update"]
    recall, update = made["kinds"]["recall"], made["kinds"]["update"]
    assert (recall["difference"], recall["p_value"], recall["p_holm"]) == (0.0, 1.0, 1.0)
    assert (update["difference"], update["p_value"], update["p_holm"]) == (-100.0, 0.03125, 0.0625)


def test_a_small_p_value_is_not_rounded_to_zero_before_holm() -> None:
    """40 of 40 fall in each of two kinds: p = 2 / 2^40 is small, its double twice as large, and neither is 0."""
    kinds = {f"u{n}": "update" for n in range(40)}
    before: Verdicts = {("maya", f"{kind}{n}"): ["correct"] for kind in "ur" for n in range(40)}
    (made,) = compare(session(before, kinds=kinds), session({key: ["wrong"] for key in before}, "s2", kinds=kinds))
    assert made["kinds"]["update"]["p_value"] == pytest.approx(2 / 2**40, rel=1e-3)
    assert made["kinds"]["update"]["p_holm"] == pytest.approx(4 / 2**40, rel=1e-3)
    assert made["p_value"] == pytest.approx(2 / 2**80, rel=1e-3)


def test_permuting_the_pairing_changes_the_interval() -> None:
    """The same verdicts of the second session on other questions: the same difference, less surely."""
    labels = ["correct", "wrong"] * 10
    first: Verdicts = {("maya", f"p{n:02}"): [label] for n, label in enumerate(labels)}
    second: Verdicts = {**first, ("maya", "p01"): ["correct"]}
    turned = dict(zip(second, [*list(second.values())[1:], second["maya", "p00"]], strict=True))
    (paired,), (permuted,) = (compare(session(first), session(other, "s2")) for other in (second, turned))
    assert paired["difference"] == permuted["difference"] == 5.0
    assert paired["interval"][1] - paired["interval"][0] < 25
    assert permuted["interval"][1] - permuted["interval"][0] > 60


def test_priced_conversations_are_no_questions() -> None:
    """Cost items have no verdict and want none: they are no pair and not left out either."""
    verdicts: Verdicts = {**FOUR, ("15x50", "s1"): ["measured"]}
    sessions = [session(verdicts, name, kinds={"s1": "cost"}) for name in ("s1", "s2")]
    (made,) = compare(*sessions)
    assert (made["pairs"], made["unpaired"]) == (4, 0)


# --- pooling -------------------------------------------------------------------------------------

LABELS = st.sampled_from(["correct", "partial", "wrong", "not_judged", "not_run", None])
VERDICTS = st.dictionaries(
    st.tuples(st.sampled_from(["maya", "tom"]), st.sampled_from(["p1", "p2", "p3", "p4"])),
    st.lists(LABELS, min_size=1, max_size=2),
    min_size=1,
)


def summary(of: Session) -> dict[str, Any]:
    """Return a session's own summary."""
    return summarise(of.manifest, of.rows, of.memories)


@given(VERDICTS)
def test_a_pool_of_one_session_is_its_summary(verdicts: Verdicts) -> None:
    """Whatever ran and whatever did not: pooling alone changes nothing."""
    only = session(verdicts)
    assert pool([only]) == (summary(only), [])


@given(VERDICTS, st.randoms())
def test_two_repeats_are_two_sessions_pooled(verdicts: Verdicts, random: Random) -> None:
    """One session of two repeats gives the summary of two one-repeat sessions with the same verdicts."""
    twice: Verdicts = {key: [own[0], own[-1]] for key, own in verdicts.items()}
    halves = [session({key: [own[n]] for key, own in twice.items()}, f"s{n}") for n in (0, 1)]
    random.shuffle(halves)
    pooled, _ = pool(halves)
    assert pooled == summary(session(twice))


def test_a_question_is_averaged_before_questions_are() -> None:
    """p1 asked three times and right, p2 asked once and wrong: 50, not 75; n counts the answers."""
    second = session({("maya", "p1"): ["correct", "correct"]}, "s2")
    made, _ = pool([session({("maya", "p1"): ["correct"], ("maya", "p2"): ["wrong"]}), second])
    row = made["scores"]["sim"]["notes"]
    assert (row["score"], row["n"]) == (50.0, 4)


def test_designs_are_compared_in_pairs_within_a_setting() -> None:
    """Three designs on one model give three pairs; a design on another model is compared with none of them."""
    sessions = [session(FOUR, f"s {name}", design=name) for name in "cab"]
    _, pairs = pool([*sessions, session(FOUR, "s big", design="d", setting="big")])
    assert [(pair["first"], pair["second"]) for pair in pairs] == [
        ("a (sim)", "b (sim)"),
        ("a (sim)", "c (sim)"),
        ("b (sim)", "c (sim)"),
    ]


def test_pooled_designs_are_paired_over_all_their_sessions() -> None:
    """Each design has two sessions; its questions' means are what is paired."""
    old = [session({("maya", "p1"): [label]}, f"o{n}", "old") for n, label in enumerate(["wrong", "correct"])]
    new = [session({("maya", "p1"): ["correct"]}, f"n{n}", "new") for n in range(2)]
    _, (pair,) = pool([*old, *new])
    assert (pair["first"], pair["second"], pair["difference"], pair["pairs"]) == ("new (sim)", "old (sim)", -50.0, 1)


def test_a_pair_without_a_shared_verdict_is_unknown() -> None:
    """No difference, no interval and no p-value; not 0."""
    _, (pair,) = pool([session(FOUR, design="a"), session({("tom", "p1"): ["correct"]}, "s2", "b")])
    assert (pair["pairs"], pair["unpaired"], pair["difference"]) == (0, 5, None)
    assert (pair["interval"], pair["p_value"], pair["kinds"]) == (None, None, {})


def test_a_pool_says_what_is_missing() -> None:
    """What no session ran is expected all the same."""
    made, _ = pool([session({("maya", "p1"): ["correct"]}), session({("maya", "p1"): [None]}, "s2")])
    row = made["scores"]["sim"]["notes"]
    assert (row["score"], row["n"], row["not_run"], made["complete"]) == (100.0, 1, 1, False)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"suite": "people"}, "of the suites people, tiny; pool sessions of one suite"),
        ({"judge": "gpt-oss"}, "judged by gpt-oss, sim; only verdicts of one judge go together"),
    ],
)
def test_what_does_not_belong_together_is_not_pooled(settings: dict[str, str], message: str) -> None:
    """Other suites and other judges are refused."""
    with pytest.raises(StoreError, match=message):
        pool([session(FOUR), session(FOUR, "s2", **settings)])


def test_a_session_given_twice_is_no_second_repeat() -> None:
    """The same verdicts counted twice would look like more evidence."""
    with pytest.raises(StoreError, match="s1 and s1 hold the same session; give each session once"):
        pool([session(FOUR), session(FOUR)])


def test_memories_of_all_sessions_are_counted(write_session: Write) -> None:
    """Two sessions built maya's memory twice: the mean of their sizes, read from their folders."""
    roots = [write_session(name, {("maya", "p1"): ["correct"]}) for name in "ab"]
    made, _ = pool([read(root) for root in roots])
    assert made["scores"]["sim"]["notes"]["memory_tokens"] == 40
    assert made["scores"]["sim"]["notes"]["tokens"]["answer"]["input"] == 20


def test_between_needs_two_designs() -> None:
    """One design has nothing to be compared with."""
    assert between(session(FOUR).rows) == []


def test_scores_by_two_protocols_are_never_compared() -> None:
    """One look, correct or wrong, is another scale than two looks with a half for partial; so is a choice."""
    paper = {"judging": "paper", "answers": "free", "temperature": 0.7, "max_tokens": 32768}
    for other, said in (
        (paper, "paper, free; two-looks, free"),
        ({"answers": "choice"}, "two-looks, choice; two-looks"),
    ):
        with pytest.raises(
            StoreError, match=rf"different protocols \({said}.*--membench-judging and --membench-answers"
        ):
            compare(session(FOUR), session(FOUR, "s2", protocol=other))
        with pytest.raises(StoreError, match="different protocols"):
            pool([session(FOUR), session(FOUR, "s2", protocol=other)])
    assert compare(session(FOUR, protocol=paper), session(FOUR, "s2", protocol=paper))[0]["pairs"] == 4


def cost_alone(name: str, judge: str = "sim") -> Session:
    """A session that asked nothing."""
    found = session({("15x50", "s1"): [None]}, name, kinds={"s1": "cost"}, judge=judge)
    return Session(found.root, {**found.manifest, "suite": None}, [], [])


def test_a_session_of_cost_alone_is_not_compared_by_question() -> None:
    """The message says what does show its costs."""
    for pair in ((cost_alone("s2"), session(FOUR)), (session(FOUR), cost_alone("s2"))):
        with pytest.raises(StoreError, match=r"measured cost alone.*`membench report`"):
            compare(*pair)


def test_sessions_of_cost_alone_are_pooled_beside_others() -> None:
    """They have no suite and no judge that could differ; what they expected is expected still."""
    made, _ = pool([cost_alone("s2", judge="other"), session(FOUR)])
    assert (made["suite"], made["judge"], made["conversations"]["not_run"]) == ("tiny", "sim", 1)
    assert made["scores"] == pool([session(FOUR)])[0]["scores"]
    assert pool([cost_alone("s2"), cost_alone("s3")])[0]["suite"] is None
