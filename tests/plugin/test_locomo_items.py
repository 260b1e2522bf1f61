"""LoCoMo and LongMemEval through the plugin: what is asked, what no prompt may hold, and how it is judged."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from bench_folder import Folder
from click.testing import CliRunner

from pytest_membench.cli import main

DATA = Path(__file__).parents[1] / "data"

CONFTEST = '''
"""The stand-in model behind an endpoint that writes down what it is sent."""
import json

import httpx2
import pytest

from pytest_membench.llm.client import Endpoint
from pytest_membench.llm.sim.model import complete


def reply(request):
    with open("requests.jsonl", "ab") as log:
        log.write(request.content + b"\\n")
    return httpx2.Response(200, json=complete(json.loads(request.content)))


@pytest.fixture(scope="session")
def membench_endpoint():
    endpoint = Endpoint("http://model.invalid/v1", "key", transport=httpx2.MockTransport(reply))
    yield endpoint
    endpoint.close()


@pytest.fixture(scope="session")
def membench_judge_endpoint(membench_endpoint):
    return membench_endpoint
'''
LOCOMO = ("--membench-suite=locomo", "--membench-locomo=locomo.json", "--membench-locomo-chats=all")
LONGMEMEVAL = ("--membench-suite=longmemeval", "--membench-longmemeval=longmemeval.json")


@pytest.fixture
def copies(folder: Folder) -> Folder:
    """The small benchmark with copies of the invented files and an endpoint that logs."""
    for path in DATA.glob("*.json"):
        shutil.copy(path, folder.root)
    folder.write("conftest.py", CONFTEST)
    return folder


def requests(folder: Folder) -> list[Any]:
    """Return the bodies of all requests."""
    lines = (folder.root / "requests.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def sent(folder: Folder) -> list[str]:
    """Return the text of each prompt."""
    return ["\n".join(message["content"] for message in body["messages"]) for body in requests(folder)]


def test_no_id_query_label_or_distractor_reaches_a_prompt(copies: Folder) -> None:
    """Neither the design that writes, nor the answering model, nor the judge, nor a state has one."""
    result = copies.run(*LOCOMO, "--membench-locomo-category5", "--design=rolling_summary,full_context")
    assert result.ret == 0
    states = [path.read_text(encoding="utf-8") for path in (copies.root / "out/sim/mem").rglob("*.json")]
    assert len(states) == 8
    for text in [*sent(copies), *states]:
        assert not re.search(r"\bD:?\d+:\d+|\bq\d{3}\b|dia_id|evidence_", text)
        assert not re.search("zeppelin|quokka|narwhal|marmoset|pictures.invalid", text)
    asked = [text for text in sent(copies) if "# Message from" in text]
    assert not any("It never came up." in text for text in asked)


def test_a_relative_date_stands_behind_its_session_s_date(copies: Folder) -> None:
    """What happened "yesterday" can be told from the line alone, and now is after the last session."""
    copies.run(*LOCOMO, "--design=full_context", "-k", "talk-1-q000")
    prompt = next(text for text in sent(copies) if "# Message from" in text)
    assert "[2024-03-05 13:56] Petra: Yesterday I planted a pear tree." in prompt
    assert "[2024-11-11 00:06] Petra: My aunt did. We launched it at the weir yesterday." in prompt
    assert "Now it is Tuesday 12 November 2024, 09:00." in prompt
    assert "(shares a photo: a photo of seven hens in a row)" in prompt


def test_a_john_remembers_his_own_pet_alone(copies: Folder) -> None:
    """Three chats with a John: no prompt about one holds a word of another."""
    copies.run(*LOCOMO, "--design=rolling_summary,full_context", "-k", "q000")
    pets = ("tortoise", "parrot", "iguana")
    for text in sent(copies):
        assert sum(pet in text for pet in pets) <= 1


def test_the_summary_says_what_was_asked_and_rescore_reads_it_again(
    copies: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kinds by their names, the note on the file, cassettes under the suite's name; nothing of paths."""
    audit = "--membench-locomo-audit=locomo_audit.json"
    result = copies.run(*LOCOMO, "--design=full_context", audit)
    assert result.ret == 0
    assert "warning: the file is not the published locomo10.json" in result.stdout.str()
    assert "gold doubted" in result.stdout.str()
    summary = copies.summary()
    assert summary["suite"] == "locomo"
    scored = summary["scores"]["sim"]["full_context"]
    assert list(scored["kinds"]) == ["multi_hop", "open_domain", "single_hop", "temporal"]
    assert (scored["n"], scored["flagged"]["gold"], scored["flagged"]["citation"]) == (20, 2, 1)
    assert (copies.root / "cassettes/sim/locomo/full_context/talk-1/q000.json").exists()
    monkeypatch.chdir(copies.root)
    again = CliRunner().invoke(main, ["rescore", "out"])
    assert again.exit_code == 0, again.output
    assert copies.summary() == summary


def test_dropping_is_a_choice_of_the_run(copies: Folder) -> None:
    """The questions with wrong golds are not collected."""
    more = ("--membench-locomo-audit=locomo_audit.json", "--membench-locomo-audit-mode=drop", "--collect-only", "-q")
    result = copies.run(*LOCOMO, "--design=full_context", *more)
    ids = [line for line in result.stdout.lines if "::" in line]
    assert len(ids) == 18
    assert not any("talk-1-q003" in line or "talk-2-q000" in line for line in ids)


def test_a_miss_names_the_command_with_the_suite_s_options(copies: Folder) -> None:
    """A question of category 5 is collected again only with its flag."""
    run = (*LOCOMO, "--membench-locomo-category5", "--design=full_context", "-k", "talk-1-q011")
    result = copies.run(*run, "--membench-record=none")
    assert result.ret == 6
    said = result.stdout.str()
    command = next(line for line in said.splitlines() if "record it with: " in line)
    for option in ("--membench-suite=locomo", "--membench-locomo=locomo.json", "--membench-locomo-category5 "):
        assert option in command


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--membench-suite=locomo",), "give --membench-locomo PATH"),
        (("--membench-suite=longmemeval",), "give --membench-longmemeval PATH"),
        (("--membench-suite=locomo", "--membench-locomo=locomo.json"), "chats=subset: * has no chat conv-26"),
        (("--membench-suite=locomo", "--membench-locomo=pytest.ini"), "is not JSON"),
        ((*LOCOMO, "--membench-locomo-audit-mode=mend"), "flag, drop or evidence-only is wanted"),
        (("--membench-judging=kind",), "two-looks or paper is wanted"),
    ],
)
def test_a_wrong_option_is_told_at_collection(copies: Folder, options: tuple[str, ...], said: str) -> None:
    """With what was allowed, before anything is asked."""
    result = copies.run(*options)
    assert result.ret != 0
    pattern = ".*".join(map(re.escape, said.split("*")))
    assert re.search(pattern, result.stdout.str() + result.stderr.str(), re.DOTALL)


def test_the_paper_s_protocol_looks_once_and_samples_answers_warmly(copies: Folder) -> None:
    """Answers at 0.7 with 32768 tokens; writing and judging as ever; no chat around the evidence."""
    result = copies.run(*LOCOMO, "--design=rolling_summary", "--membench-judging=paper")
    assert result.ret == 0
    assert "(paper, free)" in result.stdout.str()
    kinds: dict[str, set[tuple[float, int | None]]] = {"answer": set(), "judge": set(), "write": set()}
    for body in requests(copies):
        prompt = body["messages"][0]["content"] + body["messages"][1]["content"]
        stage = "judge" if "You grade" in prompt else "answer" if "# Message from" in prompt else "write"
        kinds[stage].add((body["temperature"], body.get("max_tokens")))
    assert kinds == {"answer": {(0.7, 32768)}, "judge": {(0.0, None)}, "write": {(0.0, None)}}
    assert not any('"excerpt"' in text for text in sent(copies))
    assert copies.score_of("rolling_summary")["partial"] == 0
    wanted = {"judging": "paper", "answers": "free", "temperature": 0.7, "max_tokens": 32768}
    assert copies.read("manifest.json")["protocol"] == wanted


def test_sampling_that_the_user_gives_goes_before_the_paper_s(copies: Folder) -> None:
    """The manifest says what was used."""
    run = (
        *LOCOMO,
        "--design=full_context",
        "--membench-judging=paper",
        "--membench-temperature=0",
        "-k",
        "talk-2-q000",
    )
    result = copies.run(*run, "--membench-record=none")
    assert copies.read("manifest.json")["protocol"]["temperature"] == 0.0
    assert "--membench-temperature=0.0 --membench-" in result.stdout.str()  # the command that records it says so too


def test_a_choice_is_asked_for_by_letters(copies: Folder) -> None:
    """The options stand in the prompt and in the stored answer, the gold among them; memory is asked by the question alone."""
    copies.run(*LOCOMO, "--design=full_context", "--membench-answers=choice", "-k", "talk-1-q003")
    stored = json.loads((copies.root / "out/sim/ans/full_context/talk-1/q003.json").read_text(encoding="utf-8"))
    assert "green" in stored["options"]
    assert len(stored["options"]) == 4
    assert stored["question"] == "What colour is the raft?"
    prompt = next(text for text in sent(copies) if "# Message from" in text)
    for letter, option in zip("ABCD", stored["options"], strict=True):
        assert f"{letter}) {option}" in prompt


def test_a_rubric_cannot_be_a_choice(copies: Folder) -> None:
    """It is told at collection, with the person and the probe."""
    result = copies.run(*LONGMEMEVAL, "--membench-answers=choice")
    assert result.ret != 0
    assert "nothing to choose from" in result.stdout.str()


def test_longmemeval_runs_and_keeps_its_labels(copies: Folder) -> None:
    """A person for each question, asked at its date; no prompt holds a label or an id of a session."""
    result = copies.run(*LONGMEMEVAL, "--design=full_context")
    assert result.ret == 0
    assert copies.score_of("full_context")["n"] == 4
    for text in sent(copies):
        assert not re.search(r"has_answer|\bs_[a-f]\b|haystack|too late", text)
    asked = [text for text in sent(copies) if "# Message from the user" in text]
    assert any("Now it is Sunday 30 June 2024, 18:20." in text for text in asked)


@pytest.mark.parametrize("command", ["check", "subset"])
def test_commands_look_into_a_copy(copies: Folder, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    """`check` counts what was found, `subset` lists the best chats and the next."""
    monkeypatch.chdir(copies.root)
    more = ["--audit", "locomo_audit.json"] if command == "check" else ["--k", "2"]
    result = CliRunner().invoke(main, ["locomo", command, "locomo.json", *more])
    assert result.exit_code == 0, result.output
    if command == "check":
        assert "NOT the published file" in result.output
        assert "5  malformed evidence strings\n" in result.output
        assert "audit: 3 rows match the file: 2 wrong golds, 1 wrong citations" in result.output
    else:
        assert len([line for line in result.output.splitlines() if line.startswith("talk-")]) == 2


def test_subset_as_json_is_for_scripts(copies: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ids, questions and divergences, with the runner-up; null where there is none."""
    monkeypatch.chdir(copies.root)
    found = json.loads(CliRunner().invoke(main, ["locomo", "subset", "locomo.json", "--k", "4", "--json"]).output)
    assert (found["ids"], found["questions"], found["k"]) == (["talk-1", "talk-2", "talk-3", "talk-4"], 20, 4)
    assert list(found["divergences"]) == ["category", "evidence", "span", "total"]
    assert found["runner_up"] is None
    found = json.loads(CliRunner().invoke(main, ["locomo", "subset", "locomo.json", "--k", "2", "--json"]).output)
    assert found["runner_up"]["divergences"]["total"] >= found["divergences"]["total"]


def test_html_reads_the_user_s_copy_again(copies: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page has the text of evidence turns, as the session's own has; and the gate finds the suite too."""
    copies.run(*LOCOMO, "--design=no_memory", "-k", "talk-1-q003", "--no-header", "-o", "membench_no_html=false")
    path = copies.root / "out/report.html"
    before = path.read_bytes()
    path.unlink()
    monkeypatch.chdir(copies.root)
    done = CliRunner().invoke(main, ["html", "out"])
    assert done.exit_code == 0, done.output
    assert "without the text" not in done.output
    assert path.read_bytes() == before
