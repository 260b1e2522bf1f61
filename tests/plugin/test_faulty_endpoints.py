"""Endpoints that misbehave: what broke is named, counted apart, and never scored as wrong."""

import json

import pytest
from bench_folder import Folder

EMPTY = '{"choices": [{"message": {"content": ""}, "finish_reason": "length"}], "usage": {"completion_tokens": 9}}'
FULL = '{"error": {"message": "x", "type": "exceed_context_size_error", "n_prompt_tokens": 1407, "n_ctx": 256}}'
COST_TEST = "def test_cost(membench_cost):\n    membench_cost.run()\n"


def script(folder: Folder, when: str, status: int, body: str) -> None:
    """Make the endpoint give this response where the Python expression `when` holds."""
    conftest = folder.root / "conftest.py"
    answer = f"    if {when}:\n        return httpx2.Response({status}, text={body!r})\n"
    text = conftest.read_text()
    start = '    if "You grade" not in system:\n'
    conftest.write_text(text.replace(start, answer + start))


@pytest.mark.parametrize(
    ("status", "body", "cause", "said"),
    [
        (200, EMPTY, "call_failed", "the reply is empty: the model spent its 9 output tokens"),
        (200, '{"choices": [', "call_failed", "the reply is no JSON, it is cut off"),
        (400, FULL, "context_overflow", "the prompt of 1,407 tokens is longer than the context of 256 tokens"),
    ],
    ids=["spent", "cut off", "full"],
)
def test_an_answer_that_broke_is_not_run(folder: Folder, status: int, body: str, cause: str, said: str) -> None:
    """The item has a cause and the endpoint's words, and no score."""
    script(folder, '"thing 1" in last', status, body)
    result = folder.run()
    row = folder.read("sim/rows/window/ada/recall-01.json")
    assert (result.ret, row["outcome"], row["score"], row["cause"]) == (6, "not_run", None, cause)
    assert said in row["message"]
    assert folder.score()["n"] == 3


def test_a_full_context_is_counted_apart(folder: Folder) -> None:
    """In the summary by cause and by design, and in words at the end."""
    script(folder, '"thing 1" in last or "thing 2" in last', 400, FULL)
    result = folder.run()
    assert folder.summary()["causes"] == {"context_overflow": 2}
    assert folder.score()["context_overflow"] == 2
    assert "2 not run (2 for a full context)" in result.stdout.str()
    assert "longer than the context (cause context_overflow): 2." in (folder.root / "out/report.md").read_text()


def test_a_judge_whose_context_is_full_gives_no_verdict(folder: Folder) -> None:
    """There is an answer: the item is not judged, for that cause."""
    script(folder, '"You grade" in system', 400, FULL)
    folder.run("-k", "recall-01")
    row = folder.read("sim/rows/window/ada/recall-01.json")
    assert (row["outcome"], row["cause"]) == ("not_judged", "context_overflow")


def test_an_empty_reply_of_the_judge_is_no_verdict(folder: Folder) -> None:
    """A judge that thought for all of its tokens has said neither right nor wrong."""
    script(folder, '"You grade" in system', 200, EMPTY)
    assert folder.run().ret == 6
    assert (folder.score()["not_judged"], folder.score()["wrong"]) == (4, 0)


def test_an_empty_reply_in_ingest_fails_the_build(folder: Folder) -> None:
    """A memory that a broken call wrote is not asked about."""
    design = folder.root / "designs/window.py"
    call = '        llm.chat([{"role": "user", "content": "note it"}])\n        return [*state'
    design.write_text(design.read_text().replace("        return [*state", call))
    script(folder, 'last == "note it"', 200, EMPTY)
    assert folder.run().ret == 6
    assert folder.score()["not_run"] == 4


def test_a_conversation_whose_context_fills_up_says_so(folder: Folder) -> None:
    """It is cut short for that cause and counts as far as it was measured; the session is complete."""
    folder.write("benchmarks/test_cost.py", COST_TEST)
    conftest = folder.root / "conftest.py"
    conftest.write_text(
        conftest.read_text().replace("def reply(request):\n", "SEEN = []\n\ndef reply(request):\n    SEEN.append(1)\n")
    )
    script(folder, "len(SEEN) > 5", 400, FULL)
    grid = ("-k", "test_cost", "--membench-grid=15x50", "--membench-seeds=1", "--membench-no-reference")
    result = folder.run(*grid)
    assert result.ret == 0
    assert folder.summary()["conversations"] == {"measured": 0, "cut_short": 1, "not_run": 0}
    assert folder.summary()["causes"] == {"context_overflow": 1}
    assert "longer than the context (cause context_overflow): 1." in result.stdout.str()


def serve_by(folder: Folder, name: str) -> None:
    """Make every reply name its provider by this Python expression."""
    conftest = folder.root / "conftest.py"
    conftest.write_text(conftest.read_text().replace('"usage": usage}', f'"usage": usage, "provider": {name}}}'))


PRICES = json.dumps(
    [
        {"model": "sim", "provider": "groq", "input": 1.0, "output": 1.0},
        {"model": "sim", "provider": "other", "input": 3.0, "output": 3.0},
    ]
)


def test_another_provider_is_warned_of_and_billed_at_its_own_price(folder: Folder) -> None:
    """Four answers of 110 tokens at 3 USD a million, in terminal, report and summary."""
    serve_by(folder, '"Other"')
    folder.write("prices.json", PRICES)
    result = folder.run("--membench-provider=groq", "--membench-prices=prices.json")
    summary = folder.summary()
    assert summary["providers"] == {"sim@groq": {"window": {"Other": 4}}}
    assert summary["scores"]["sim@groq"]["window"]["usd"] == pytest.approx(4 * 110 * 3e-6)
    warning = "warning: window: 4 of 4 calls were served by Other 4 and not by the pinned groq"
    assert warning in result.stdout.str()
    assert warning in (folder.root / "out/report.md").read_text()


def test_an_unknown_provider_is_billed_at_the_contract_price_and_said(folder: Folder) -> None:
    """Four answers of 110 tokens at groq's 1 USD a million, though Nobody served them."""
    serve_by(folder, '"Nobody"')
    folder.write("prices.json", PRICES)
    result = folder.run("--membench-provider=groq", "--membench-prices=prices.json")
    assert folder.summary()["scores"]["sim@groq"]["window"]["usd"] == pytest.approx(4 * 110 * 1e-6)
    assert folder.summary()["at_contract"] == {"sim@groq": ["Nobody"]}
    assert "no price for sim at Nobody: billed at the contract price of sim@groq" in result.stdout.str()


def test_several_providers_of_an_unpinned_model_are_billed_each_at_its_own(folder: Folder) -> None:
    """Without a pin there is no contract price; each reply has its provider's, and the mix is warned of."""
    serve_by(folder, '"Groq" if "thing 1" in text else "Other"')
    folder.write("prices.json", PRICES)
    result = folder.run("--membench-prices=prices.json")
    assert folder.score()["usd"] == pytest.approx((1 * 110 * 1 + 3 * 110 * 3) / 1e6)
    assert "its 4 calls were served by several providers (Other 3, Groq 1)" in result.stdout.str()


def test_the_pinned_provider_by_its_own_spelling_is_fine(folder: Folder) -> None:
    """No warning, and the summary counts it."""
    serve_by(folder, '"GROQ"')
    result = folder.run("--membench-provider=groq")
    assert "warning:" not in result.stdout.str()
    assert folder.summary()["providers"] == {"sim@groq": {"window": {"GROQ": 4}}}
