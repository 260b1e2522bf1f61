"""From rows to a summary: who is counted, who is not, and what stays unknown."""

import json
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_membench.report.scores import diagnose, pool, summarise, with_missing
from pytest_membench.store import to_json

NO_TOKENS = {"input": 0, "cached": 0, "cache_write": 0, "output": 0, "reasoning": 0}


def tokens(**fields: int | None) -> dict[str, int | None]:
    """Return the usage of one stage."""
    return {**NO_TOKENS, **fields}


def item(person: str, probe: str, repeat: int = 1, design: str = "notes", kind: str = "recall") -> dict[str, Any]:
    """Return what identifies an item."""
    return {"setting": "sim", "design": design, "person": person, "probe": probe, "kind": kind, "repeat": repeat}


def row(of: dict[str, Any], score: float | None, outcome: str = "", **fields: Any) -> dict[str, Any]:
    """Return the row of an item that was judged, or of one that broke where `outcome` says so."""
    label = {1.0: "correct", 0.5: "partial", 0.0: "wrong"}.get(score if score is not None else -1.0, outcome)
    return {
        **of,
        "outcome": outcome or label,
        "score": score,
        "cause": None if score is not None else "call_failed",
        "plain": False,
        "searches": 0,
        "evidence_recall": None,
        "tokens": {"retrieval": tokens(), "answer": tokens(input=100, output=10), "judge": tokens(input=50, output=5)},
        "usd": {"retrieval": 0.0, "answer": 0.002, "judge": 0.7},
        "calls": {"live": 1, "replayed": 2, "failed": 0},
        "providers": ["groq"],
        **fields,
    }


def memory(person: str = "maya", design: str = "notes", **fields: Any) -> dict[str, Any]:
    """Return the snapshot of a memory."""
    return {
        "setting": "sim",
        "design": design,
        "person": person,
        "repeat": 1,
        "status": "done",
        "state": "secret",
        "memory_tokens": 40,
        "tokens": {"ingest": tokens(input=1000, output=200)},
        "usd": {"ingest": 0.01},
        "calls": {"live": 3, "replayed": 0, "failed": 1},
        "providers": ["bedrock"],
        **fields,
    }


def manifest(items: list[dict[str, Any]], priced: bool = True) -> dict[str, Any]:
    """Return the manifest of a session."""
    setting = {"model": "sim", "effort": None, "provider": None, "priced": priced}
    head = {"suite": "mini", "judge": "sim", "session": "s1", "record": "none"}
    return {**head, "settings": {"sim": setting}, "items": items}


def only(summary: dict[str, Any], design: str = "notes") -> dict[str, Any]:
    """Return the scores of one design."""
    scores: dict[str, Any] = summary["scores"]["sim"][design]
    return scores


FOUR = [item("maya", "recall-01"), item("maya", "update-01", kind="update"), item("tom", "recall-01"), item("tom", "b")]


def test_a_score_is_the_mean_credit_with_its_interval_and_counts() -> None:
    """1, 1, 0.5 and 0 are 62.5 points of 4 answers; labels are counted by name."""
    rows = [row(of, score) for of, score in zip(FOUR, [1.0, 1.0, 0.5, 0.0], strict=True)]
    made = only(summarise(manifest(FOUR), rows, [memory()]))
    assert (made["score"], made["n"]) == (62.5, 4)
    assert (made["correct"], made["partial"], made["wrong"], made["not_judged"], made["not_run"]) == (2, 1, 1, 0, 0)
    assert made["interval"][0] < 62.5 < made["interval"][1]


def test_a_share_has_the_wilson_interval_in_points() -> None:
    """2 of 4 right: Wilson by SciPy's binomtest(2, 4).proportion_ci(method="wilson") is 0.1500 to 0.8500."""
    rows = [row(of, score) for of, score in zip(FOUR, [1.0, 1.0, 0.0, 0.0], strict=True)]
    assert only(summarise(manifest(FOUR), rows, []))["interval"] == [15.0, 85.0]


def test_kinds_and_people_are_scored_apart_in_the_order_of_kinds() -> None:
    """Each kind and each person has its own score; a kind that was not asked does not appear."""
    items = [*FOUR, item("tom", "abstain-01", kind="abstain")]
    rows = [row(of, score) for of, score in zip(items, [1.0, 0.0, 0.5, 0.5, 1.0], strict=True)]
    made = only(summarise(manifest(items), rows, []))
    assert list(made["kinds"]) == ["recall", "update", "abstain"]
    assert {kind: (part["score"], part["n"]) for kind, part in made["kinds"].items()} == {
        "recall": (66.7, 3),
        "update": (0.0, 1),
        "abstain": (100.0, 1),
    }
    assert {person: part["score"] for person, part in made["people"].items()} == {"maya": 50.0, "tom": 66.7}


def test_what_broke_is_neither_wrong_nor_unseen() -> None:
    """Not judged and not run leave the score to the judged answers, are counted, and make it incomplete."""
    rows = [row(FOUR[0], 1.0), row(FOUR[1], None, "not_judged"), row(FOUR[2], None, "not_run", cause="not_recorded")]
    summary = summarise(manifest(FOUR), rows, [memory()])
    made = only(summary)
    assert (made["score"], made["n"], made["wrong"]) == (100.0, 1, 0)
    assert (made["not_judged"], made["not_run"], made["not_recorded"]) == (1, 2, 1)
    assert summary["complete"] is False
    assert made["kinds"]["update"] == {"score": None, "interval": None, "n": 0}


def test_an_outage_of_everything_has_no_score() -> None:
    """Every call was refused: there is no score, no interval and no recall, and above all not 0."""
    rows = [row(of, None, "not_run") for of in FOUR]
    made = only(summarise(manifest(FOUR), rows, [memory()]))
    assert (made["score"], made["interval"], made["n"], made["evidence_recall"]) == (None, None, 0, None)
    assert made["not_run"] == 4


def test_a_session_is_complete_when_every_expected_item_was_judged() -> None:
    """All wrong is complete; one item without a row is not."""
    rows = [row(of, 0.0) for of in FOUR]
    assert summarise(manifest(FOUR), rows, [])["complete"] is True
    assert summarise(manifest(FOUR), rows[1:], [])["complete"] is False


def test_items_without_a_result_are_not_run_and_say_why() -> None:
    """A worker that died leaves rows that are missing, in the order of the manifest."""
    made = with_missing(manifest(FOUR), [row(FOUR[2], 1.0)])
    assert [one["outcome"] for one in made] == ["not_run", "not_run", "correct", "not_run"]
    assert made[0]["cause"] == "no_result"
    assert made[0]["score"] is None
    assert "worker died" in made[0]["message"]
    assert [(one["person"], one["probe"]) for one in made] == [(one["person"], one["probe"]) for one in FOUR]


def test_a_row_that_nobody_expected_does_not_count() -> None:
    """An excluded probe's old result is neither in the numerator nor in the denominator."""
    rows = [*(row(of, 1.0) for of in FOUR), row(item("tom", "excluded-01"), 0.0)]
    made = only(summarise(manifest(FOUR), rows, []))
    assert (made["score"], made["n"], made["wrong"]) == (100.0, 4, 0)


def test_repeats_are_pooled_per_probe_before_they_are_averaged() -> None:
    """A probe that was answered three times weighs as much as one that was judged once."""
    items = [item("maya", "a", n) for n in (1, 2, 3)] + [item("maya", "b", n) for n in (1, 2, 3)]
    rows = [*(row(of, 1.0) for of in items[:3]), row(items[3], 0.0), *(row(of, None, "not_run") for of in items[4:])]
    made = only(summarise(manifest(items), rows, []))
    assert made["score"] == 50.0
    assert made["n"] == 4
    assert pool(rows) == {("maya", "a"): 1.0, ("maya", "b"): 0.0}


def test_two_people_with_a_probe_of_one_name_are_two_probes() -> None:
    """Pooling goes by person and probe."""
    assert pool([row(FOUR[0], 1.0), row(FOUR[2], 0.0)]) == {("maya", "recall-01"): 1.0, ("tom", "recall-01"): 0.0}


def test_designs_are_scored_apart() -> None:
    """Rows and memories of one design do not enter another's numbers."""
    items = [item("maya", "a"), item("maya", "a", design="window")]
    memories = [memory(memory_tokens=10), memory(design="window", memory_tokens=90)]
    summary = summarise(manifest(items), [row(items[0], 1.0), row(items[1], 0.0)], memories)
    assert (only(summary)["score"], only(summary)["memory_tokens"]) == (100.0, 10)
    assert (only(summary, "window")["score"], only(summary, "window")["memory_tokens"]) == (0.0, 90)


def test_tokens_are_summed_by_stage_and_ingest_is_counted_once_per_memory() -> None:
    """Writing belongs to the cost of a design; it is paid per memory and not per question."""
    rows = [row(of, 1.0) for of in FOUR]
    made = only(summarise(manifest(FOUR), rows, [memory("maya"), memory("tom")]))
    assert made["tokens"]["ingest"] == {"input": 2000, "cached": 0, "output": 400, "reasoning": 0}
    assert made["tokens"]["answer"] == {"input": 400, "cached": 0, "output": 40, "reasoning": 0}
    assert made["tokens"]["judge"]["input"] == 200
    assert made["memory_tokens"] == 40


def test_tokens_that_one_call_did_not_report_are_unknown_in_the_sum() -> None:
    """One reply without usage makes the stage's total unknown, and only the field concerned."""
    unknown = {"retrieval": tokens(), "answer": tokens(input=None, output=3), "judge": tokens()}
    made = only(summarise(manifest(FOUR[:2]), [row(FOUR[0], 1.0), row(FOUR[1], 1.0, tokens=unknown)], []))
    assert made["tokens"]["answer"] == {"input": None, "cached": 0, "output": 13, "reasoning": 0}


def test_usd_is_writing_reading_and_answering_without_the_judge() -> None:
    """Two memories at $0.01 and four answers at $0.002 are $0.028; the judge's $0.7 are not the design's."""
    rows = [row(of, 1.0) for of in FOUR]
    assert only(summarise(manifest(FOUR), rows, [memory("maya"), memory("tom")]))["usd"] == pytest.approx(0.028)


def test_usd_is_unknown_where_a_part_of_it_is() -> None:
    """One call without a price, or a model without one, leaves no sum."""
    rows = [row(of, 1.0) for of in FOUR]
    unpriced = memory(usd={"ingest": None})
    assert only(summarise(manifest(FOUR), rows, [memory("tom"), unpriced]))["usd"] is None
    assert only(summarise(manifest(FOUR, priced=False), rows, [memory()]))["usd"] is None


def test_what_never_ran_did_not_cost_zero() -> None:
    """Where no item left a row there is no sum of money to show."""
    assert only(summarise(manifest(FOUR), [], []))["usd"] is None


def test_evidence_recall_is_the_mean_of_what_is_known() -> None:
    """Items of which it is unknown, or that did not run, are left out; it is neither 0 nor 1 for them."""
    rows = [row(FOUR[0], 1.0, evidence_recall=1.0), row(FOUR[1], 0.0, evidence_recall=0.5), row(FOUR[2], 1.0)]
    assert only(summarise(manifest(FOUR), rows, []))["evidence_recall"] == 0.75


def test_plain_replies_and_searches_are_counted() -> None:
    """Counts go over all rows; a row that broke before its answer adds nothing."""
    rows = [
        row(FOUR[0], 1.0, plain=True, searches=2),
        row(FOUR[1], 1.0, searches=1),
        row(FOUR[2], None, "not_run", plain=None, searches=None),
    ]
    made = only(summarise(manifest(FOUR), rows, []))
    assert (made["plain_replies"], made["search_calls"]) == (1, 3)


def test_recordings_that_nobody_asked_for_are_counted_over_items_and_memories() -> None:
    """Two of an item and one of a build are three; rows that do not say add nothing."""
    rows = [row(FOUR[0], 1.0, unused=["a", "b"]), row(FOUR[1], 1.0), row(FOUR[2], 1.0, unused=None)]
    made = only(summarise(manifest(FOUR[:3]), rows, [memory(unused=["c"])]))
    assert made["unused_recordings"] == 3


def test_a_memory_of_unknown_size_does_not_count_as_empty() -> None:
    """The mean size is that of the memories that have one; without any it is unknown."""
    rows = [row(of, 1.0) for of in FOUR]
    failed = {"setting": "sim", "design": "notes", "person": "tom", "repeat": 1, "status": "failed"}
    assert only(summarise(manifest(FOUR), rows, [memory(), failed]))["memory_tokens"] == 40
    assert only(summarise(manifest(FOUR), rows, [failed]))["memory_tokens"] is None


def test_the_summary_is_the_contract_for_scripts() -> None:
    """The keys of the contract are all there, and it is plain JSON without a time in it."""
    summary = summarise(manifest(FOUR), [row(of, 1.0) for of in FOUR], [memory()])
    assert (summary["schema"], summary["suite"]) == (1, "mini")
    assert summary["settings"]["sim"] == {"model": "sim", "effort": None, "provider": None, "priced": True}
    wanted = {"score", "interval", "n", "correct", "partial", "wrong", "not_judged", "not_run", "evidence_recall"}
    wanted |= {"plain_replies", "search_calls", "memory_tokens", "tokens", "usd", "kinds"}
    assert wanted <= set(only(summary))
    assert json.loads(to_json(summary)) == summary
    assert "seconds" not in to_json(summary).decode()


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0, None]), min_size=4, max_size=4), st.randoms())
def test_the_order_in_which_results_arrive_does_not_matter(scores: list[float | None], random: Random) -> None:
    """Workers finish in any order; the summary is the same, byte for byte."""
    rows = [row(of, score, "" if score is not None else "not_judged") for of, score in zip(FOUR, scores, strict=True)]
    memories = [memory("maya"), memory("tom", memory_tokens=70)]
    expected = to_json(summarise(manifest(FOUR), rows, memories))
    random.shuffle(rows)
    random.shuffle(memories)
    assert to_json(summarise(manifest(FOUR), rows, memories)) == expected


def test_the_diagnosis_adds_up_calls_and_keeps_states_out() -> None:
    """Calls of items and memories are summed, providers listed once, items sorted; a state is not copied."""
    rows = [row(FOUR[2], 1.0), row(FOUR[0], 0.0)]
    made = diagnose(manifest(FOUR), rows, [memory(), {**memory("tom"), "calls": None}], 12.3456)
    assert (made["session"], made["record"], made["seconds"]) == ("s1", "none", 12.35)
    assert made["calls"] == {"live": 5, "replayed": 4, "failed": 1}
    assert made["providers"] == ["bedrock", "groq"]
    assert [(one["person"], one["probe"]) for one in made["items"]] == [
        ("maya", "recall-01"),
        ("maya", "update-01"),
        ("tom", "b"),
        ("tom", "recall-01"),
    ]
    assert "secret" not in json.dumps(made)
    assert made["memories"][0]["memory_tokens"] == 40


def test_what_an_audit_doubts_is_counted_and_scored_apart() -> None:
    """Each question once, however often it is repeated; the score without covers all but doubted golds."""
    flagged = [{**item("maya", "p1", n), "flag": "gold"} for n in (1, 2)]
    cited = {**item("maya", "p2"), "flag": "citation"}
    items = [*flagged, cited, item("maya", "p3")]
    rows = [row(flagged[0], 0.0), row(flagged[1], 0.0), row(cited, 1.0), row(items[3], 0.0)]
    scored = only(summarise(manifest(items), rows, []))
    assert {name: scored["flagged"][name] for name in ("gold", "citation")} == {"gold": 1, "citation": 1}
    assert (scored["score"], scored["flagged"]["without"]["score"]) == (33.3, 50.0)
    assert scored["flagged"]["without"]["n"] == 2
    assert "flagged" not in only(summarise(manifest(items[3:]), rows[3:], []))


def test_the_protocol_and_the_notes_of_a_suite_are_told() -> None:
    """Sessions that kept none were of the usual protocol."""
    items = [item("maya", "p1")]
    told = summarise({**manifest(items), "suite_notes": ["all chats"], "protocol": {"judging": "paper"}}, [], [])
    assert (told["protocol"], told["suite_notes"]) == ("paper, free", ["all chats"])
    assert summarise(manifest(items), [], [])["protocol"] == "two-looks, free"
