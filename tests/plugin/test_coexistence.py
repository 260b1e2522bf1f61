"""Beside other plugins that many have installed: the results are the same, byte for byte."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from bench_folder import Folder

MODULES = {
    "recording": "pytest_recording.plugin",
    "socket": "pytest_socket",
    "benchmark": "pytest_benchmark.plugin",
    "cov": "pytest_cov.plugin",
    "randomly": "pytest_randomly",
    "timeout": "pytest_timeout",
    "rerunfailures": "pytest_rerunfailures",
    "metadata": "pytest_metadata.plugin",
    "html": "pytest_html.plugin",
}
DEMO = Path(__file__).parents[2]
SLEEPY = "import time; time.sleep(30)"


def test_the_demo_is_the_same_with_all_plugins_and_with_none(tmp_path: Path) -> None:
    """One session of a demo's design with all of them at work under xdist, one with none: the same summary.json."""
    env = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""}
    command = [sys.executable, "-m", "pytest", "benchmarks/test_probes.py", "--design=no_memory", "-q"]
    command += ["-p", "xdist", "-p", "pytest_membench.plugin.main", "--membench-record=none", "-p", "no:cacheprovider"]
    loaded = [part for module in MODULES.values() for part in ("-p", module)]
    working = ["-n2", "--reruns=1", "--timeout=300", f"--html={tmp_path}/report.html", "--self-contained-html"]
    working += ["--block-network", "--record-mode=none", "--disable-socket", "--allow-unix-socket"]
    working += ["--cov=designs", "--cov-report=", "--cov-fail-under=0", "-W", "ignore"]
    env["COVERAGE_FILE"] = str(tmp_path / "coverage")
    for name, more in (("none", []), ("all", [*loaded, *working])):
        out = f"--membench-out={tmp_path / name}"
        done = subprocess.run(
            [*command, out, *more], cwd=DEMO, env=env, check=False, capture_output=True, text=True, timeout=300
        )
        assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "all/summary.json").read_bytes() == (tmp_path / "none/summary.json").read_bytes()
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "no_memory-maya-recall-01" in page


def test_an_item_that_ran_again_counts_once_and_last(folder: Folder) -> None:
    """pytest-rerunfailures repeats what was not judged; a judge that then works gives the verdict."""
    conftest = folder.root / "conftest.py"
    flaky = conftest.read_text().replace(
        'if gold.startswith("unpaid")', 'if gold.startswith("flaky") and not ASKED.append(1) and len(ASKED) == 1'
    )
    conftest.write_text(flaky.replace("def reply(", "ASKED = []\n\n\ndef reply(") + LABEL, encoding="utf-8")
    folder.people(ada=["correct", "flaky", "wrong"])
    result = folder.run("--reruns=2", beside="rerunfailures")
    assert result.ret == 0, result.stdout.str()
    row = folder.score()
    assert (row["n"], row["correct"], row["wrong"], row["not_judged"]) == (3, 2, 1, 0)


LABEL = """

_chat = chat


def chat(text):
    return _chat(text.replace('"flaky"', '"correct"'))
"""


@pytest.mark.parametrize("seed", [1, 2])
def test_another_order_and_other_seeds_change_nothing(folder: Folder, seed: int) -> None:
    """pytest-randomly shuffles items and seeds random numbers before each."""
    folder.people(ada=("correct", "partial", "wrong"), bo=("wrong", "correct"))
    folder.run()
    plain = (folder.root / "out/summary.json").read_bytes()
    again = folder.run(f"--randomly-seed={seed}", beside="randomly")
    assert again.ret == 0
    assert (folder.root / "out/summary.json").read_bytes() == plain


def test_an_item_that_takes_too_long_was_not_run(folder: Folder) -> None:
    """pytest-timeout breaks an item off: it is not run and no miss, and the others stand."""
    conftest = folder.root / "conftest.py"
    conftest.write_text(
        conftest.read_text().replace(
            "def reply(request):", f"def reply(request):\n    if b'thing 2' in request.content: {SLEEPY}"
        ),
        encoding="utf-8",
    )
    result = folder.run("--timeout=1", "--timeout-method=signal", beside="timeout")
    assert result.ret == 6
    row = folder.score()
    assert (row["not_run"], row["n"], row["wrong"]) == (1, 3, 1)


def test_a_vcr_marker_beside_ours_is_refused(folder: Folder) -> None:
    """Two cassettes cannot record one item; the message says which marker to remove."""
    folder.write(
        "benchmarks/test_probes.py",
        "import pytest\n\n\n@pytest.mark.vcr\ndef test_probe(membench_probe):\n    membench_probe.run()\n",
    )
    result = folder.run(beside="recording")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "remove the vcr marker" in result.stdout.str() + result.stderr.str()


@pytest.mark.parametrize("options", [("--block-network",), ("--record-mode=rewrite",)])
def test_what_pytest_recording_is_told_is_not_for_our_items(folder: Folder, options: tuple[str, ...]) -> None:
    """Its record mode is for its own cassettes."""
    folder.run()
    plain = (folder.root / "out/summary.json").read_bytes()
    assert folder.run(*options, "--membench-record=none", beside="recording").ret == 0
    assert (folder.root / "out/summary.json").read_bytes() == plain
