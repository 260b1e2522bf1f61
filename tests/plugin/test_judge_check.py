"""`membench judge-check`: what it prints, keeps and exits with, and the line that sessions show of it."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from bench_folder import Folder
from click.testing import CliRunner, Result

from pytest_membench.cli import main
from pytest_membench.data import Setting
from pytest_membench.llm import endpoint
from pytest_membench.llm.client import Endpoint
from pytest_membench.suites.calibration import Triple, load

ROOT = Path(__file__).parents[2]
TRIPLES = load()
_BY_ANSWER = {(t.probe.q, t.answer): t for t in TRIPLES}

Judge = Callable[[str, Triple], str | int]
"""What a judge of this name replies to a triple; a number is an HTTP status."""


def label(text: str) -> str:
    """Return a judge's reply."""
    return json.dumps({"label": text, "reason": "told to"})


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[Judge], None]:
    """Put a scripted judge behind every endpoint, in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def use(judge: Judge) -> None:
        def reply(request: httpx2.Request) -> httpx2.Response:
            body = json.loads(request.content)
            asked = json.loads(body["messages"][-1]["content"])
            said = judge(body["model"], _BY_ANSWER[asked["question"], asked["answer"]])
            if isinstance(said, int):
                return httpx2.Response(said, json={"error": {"message": "no credit left"}})
            message = {"role": "assistant", "content": said}
            usage = {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}
            return httpx2.Response(
                200, json={"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage}
            )

        @contextmanager
        def opened(setting: Setting, record: str, **_: Any) -> Iterator[Endpoint]:
            client = Endpoint("http://m.invalid/v1", "k", transport=httpx2.MockTransport(reply), sleep=lambda _: None)
            yield client
            client.close()

        monkeypatch.setattr(endpoint, "opened", opened)

    return use


def judge_check(*args: str, code: int = 0) -> Result:
    """Run the command; it may not raise."""
    result = CliRunner().invoke(main, ["judge-check", *args])
    assert result.exception is None or isinstance(result.exception, SystemExit), repr(result.exception)
    assert result.exit_code == code, result.output
    return result


def kept(judge: str) -> Any:
    """Return the file that sessions find."""
    return json.loads(Path(f"benchmarks/judges/{judge}.json").read_text(encoding="utf-8"))


def test_a_judge_that_is_always_right_has_kappa_1(script: Callable[[Judge], None]) -> None:
    """No miss is listed, and the file says so; an interval without width is none."""
    script(lambda _, triple: label(triple.label))
    text = judge_check("--model", "m", "--record", "new").output
    n = len(TRIPLES)
    assert f"judge m: right on {n} of {n} labelled answers (100.0%, " in text
    assert "kappa 1.00 (no interval)" in text
    assert "expected because" not in text
    found = kept("m")
    assert (found["accuracy"], found["kappa"], found["kappa_interval"], found["not_judged"]) == (100.0, 1.0, None, 0)


def test_a_judge_that_always_says_correct_has_kappa_0(script: Callable[[Judge], None]) -> None:
    """Its accuracy is the share of correct answers, which is a result: the exit code is 0."""
    script(lambda *_: label("correct"))
    text = judge_check("--model", "m", "--record", "new").output
    right = sum(triple.label == "correct" for triple in TRIPLES)
    assert f"right on {right} of {len(TRIPLES)} labelled answers" in text
    assert kept("m")["kappa"] == 0.0
    assert text.count("expected because") == len(TRIPLES) - right


def test_a_judge_that_obeys_the_answer_is_found_out(script: Callable[[Judge], None]) -> None:
    """Right on all but the answers that order it about: the type says so."""

    def obeys(_: str, triple: Triple) -> str:
        return label("correct" if triple.type == "addresses the judge" else triple.label)

    script(obeys)
    judge_check("--model", "m", "--record", "new")
    types = kept("m")["by_type"]
    own = [t for t in TRIPLES if t.type == "addresses the judge"]
    assert types.pop("addresses the judge")["right"] == sum(t.label == "correct" for t in own) < len(own)
    assert all(part["accuracy"] == 100.0 for part in types.values())


def test_broken_replies_are_not_judged_and_never_wrong(script: Callable[[Judge], None]) -> None:
    """Prose for one type: exit code 6, the others' accuracy stays, the answers are listed and counted apart."""
    script(lambda _, triple: "INCORRECT" if triple.type == "exact" else label(triple.label))
    text = judge_check("--model", "m", "--record", "new", code=6).output
    found = kept("m")
    exact = sum(triple.type == "exact" for triple in TRIPLES)
    assert (found["not_judged"], found["accuracy"], found["n"]) == (exact, 100.0, len(TRIPLES) - exact)
    assert found["by_type"]["exact"] == {"n": 0, "right": 0, "accuracy": None, "not_judged": exact}
    assert text.count("given not judged") == exact
    assert f", {exact} not judged" in text


def test_an_outage_leaves_the_file_of_before(script: Callable[[Judge], None]) -> None:
    """A refused call says nothing about the judge: exit code 6, and what was kept stands."""
    script(lambda _, triple: label(triple.label))
    judge_check("--model", "m", "--record", "new", "--cassettes", "one")
    before = kept("m")
    script(lambda *_: 402)
    text = judge_check("--model", "m", "--record", "new", "--cassettes", "two", code=6).output
    assert "none of the labelled answers was judged" in text
    assert f"not kept: {len(TRIPLES)} calls failed or are not recorded; the first: " in text
    assert "no credit left" in text
    assert kept("m") == before


def test_strict_replay_is_the_default_and_repeats_what_was_recorded(script: Callable[[Judge], None]) -> None:
    """The same file byte for byte, and no call is made."""
    script(lambda _, triple: label(triple.label))
    judge_check("--model", "m", "--record", "new")
    before = Path("benchmarks/judges/m.json").read_bytes()
    script(lambda *_: 402)
    text = judge_check("--model", "m").output
    assert "calls: 0 made, " in text
    assert Path("benchmarks/judges/m.json").read_bytes() == before


def test_what_is_not_recorded_names_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With all options that the call depends on."""
    monkeypatch.chdir(tmp_path)
    text = judge_check("--model", "m", "--effort", "low", "--provider", "p", code=6).output
    assert "record it with: membench judge-check --model m --effort low --provider p --record new" in text
    assert not Path("benchmarks").exists()


def test_two_judges_are_compared(script: Callable[[Judge], None]) -> None:
    """Each has its file, and the kappa between them is printed."""
    script(lambda judge, triple: label(triple.label if judge == "a" or triple.type != "vague" else "correct"))
    text = judge_check("--model", "a, b", "--record", "new").output
    vague = sum(triple.type == "vague" for triple in TRIPLES)
    assert f"a and b give the same label to {len(TRIPLES) - vague} of {len(TRIPLES)}" in text
    assert kept("a")["accuracy"] == 100.0
    assert kept("b")["by_type"]["vague"]["accuracy"] == 0.0
    data = json.loads(judge_check("--model", "a,b", "--json").stdout)
    (pair,) = data["between"]
    assert pair["judges"] == ["a", "b"]
    assert 0 < pair["kappa_interval"][0] < pair["kappa"] < 1
    assert len(data["judges"][0]["rulings"]) == len(TRIPLES)


def test_a_judge_without_a_key_loses_nothing_of_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the first judge did is kept, though the second cannot be called."""
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "MEMBENCH_JUDGE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    args = ("--model", "sim,paid", "--record", "new", "--set", str(ROOT / "pytest_membench/grading/calibration.json"))
    assert "set OPENAI_API_KEY" in judge_check(*args, code=4).output
    assert kept("sim")["n"] == len(TRIPLES)


def test_all_lists_every_answer(script: Callable[[Judge], None]) -> None:
    """Right ones too."""
    script(lambda _, triple: label(triple.label))
    assert judge_check("--model", "m", "--record", "new", "--all").output.count("expected because") == len(TRIPLES)


def test_a_set_of_ones_own(script: Callable[[Judge], None]) -> None:
    """It is asked in the place of the one that ships, and --out chooses where the file lies."""
    script(lambda *_: label("wrong"))
    rows = json.loads((ROOT / "pytest_membench/grading/calibration.json").read_text(encoding="utf-8"))[:3]
    Path("mine.json").write_text(json.dumps(rows), encoding="utf-8")
    text = judge_check("--model", "m", "--record", "new", "--set", "mine.json", "--out", "elsewhere").output
    assert "judge m: right on 0 of 3 labelled answers" in text
    found = json.loads(Path("elsewhere/m.json").read_text(encoding="utf-8"))
    assert (found["set"], found["n"]) == ("mine.json", 3)
    assert Path("cassettes/m/judge-check/mine.json").exists()


def test_a_wrong_set_is_a_usage_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """File, row and field are named; the exit code is that of usage errors."""
    monkeypatch.chdir(tmp_path)
    Path("mine.json").write_text('[{"id": "a"}]', encoding="utf-8")
    assert "mine.json: row 'a': field type" in judge_check("--model", "sim", "--set", "mine.json", code=4).output
    assert "names no model" in judge_check("--model", ",", code=2).output


def test_the_judge_of_this_repository_replays_offline_to_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The committed cassette and the committed file of sim belong together."""
    monkeypatch.chdir(tmp_path)
    judge_check("--model", "sim", "--record", "none", "--cassettes", str(ROOT / "cassettes"))
    assert Path("benchmarks/judges/sim.json").read_bytes() == (ROOT / "benchmarks/judges/sim.json").read_bytes()


# --- what a session shows ------------------------------------------------------------------------


def keep_sim(folder: Folder, **changes: Any) -> dict[str, Any]:
    """Put this repository's file of sim into the folder, changed."""
    found: dict[str, Any] = json.loads((ROOT / "benchmarks/judges/sim.json").read_text(encoding="utf-8")) | changes
    folder.write("benchmarks/judges/sim.json", json.dumps(found))
    return found


def test_a_judge_that_was_never_checked_is_called_so(folder: Folder) -> None:
    """In the terminal and in report.md, with the command; a paid judge has to be recorded."""
    result = folder.run()
    line = "judge sim was never checked: membench judge-check --model sim"
    result.stdout.fnmatch_lines([line])
    assert line in (folder.root / "out/report.md").read_text()
    assert folder.summary()["judge_check"] is None
    result = folder.run("--membench-judge=paid", "--membench-record=new")
    result.stdout.fnmatch_lines(["judge paid was never checked: membench judge-check --model paid --record new"])


def test_a_session_shows_its_judges_check(folder: Folder) -> None:
    """Beside the scores, in report.md, in summary.json, and in `membench report`."""
    found = keep_sim(folder)
    result = folder.run()
    low, high = found["interval"]
    line = (
        f"judge sim: right on {found['right']} of {found['n']} labelled answers ({found['accuracy']}%, {low} to {high})"
    )
    assert line in result.stdout.str()
    assert line in (folder.root / "out/report.md").read_text()
    shown = folder.summary()["judge_check"]
    assert shown == {name: found[name] for name in shown if name != "stale"} | {"stale": False}
    assert line in CliRunner().invoke(main, ["report", "out"]).output


def test_a_check_of_another_set_is_out_of_date(folder: Folder) -> None:
    """Its figures are shown still, with what to do."""
    keep_sim(folder, digest="0" * 64)
    result = folder.run()
    result.stdout.fnmatch_lines(["judge sim: right on *; out of date, *: membench judge-check --model sim"])
    assert folder.summary()["judge_check"]["stale"] is True


@pytest.mark.parametrize("way", [(), ("-n2",)], ids=["plain", "-n2"])
def test_a_broken_file_stops_the_session(folder: Folder, way: tuple[str, ...]) -> None:
    """Before anything is paid for, with the file's name, as other faults of what the user gave."""
    folder.write("benchmarks/judges/sim.json", "{}")
    result = folder.run(*way)
    assert result.ret == 2 - len(way)
    result.stdout.fnmatch_lines(["*sim.json: is no check of judge 'sim'*"])
    assert not (folder.root / "out/spend.jsonl").exists()


def test_the_command_of_a_miss_shows_no_password(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An address may hold one; neither the terminal nor the rulings repeat it."""
    monkeypatch.chdir(tmp_path)
    address = "https://me:hunter2hunter2@m.invalid/v1"
    result = CliRunner().invoke(main, ["judge-check", "--model=m", "--base-url", address, "--json"])
    assert result.exit_code == 6
    assert "--base-url" in result.output
    assert "hunter2" not in result.output
