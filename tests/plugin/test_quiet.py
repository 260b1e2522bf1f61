"""The plugin is loaded by every pytest run of its environment, so it stays out of the way of others."""

import subprocess
import sys

import pytest
from bench_folder import Folder

HEAVY = ("openai", "vcr", "pandas", "scipy", "statsmodels", "matplotlib", "jinja2", "numpy", "pydantic")


def test_a_run_without_benchmarks_prints_and_writes_nothing(pytester: pytest.Pytester) -> None:
    """An ordinary test run shows no word of membench and leaves no folder."""
    pytester.makepyfile("def test_one():\n    assert 1 + 1 == 2\n")
    result = pytester.runpytest_inprocess("-p", "no:randomly")
    result.assert_outcomes(passed=1)
    shown = [line for line in result.stdout.lines if "membench" in line.lower()]
    assert [line for line in shown if not line.startswith(("plugins:", "rootdir:"))] == []
    assert not (pytester.path / ".membench").exists()


def test_a_run_without_benchmarks_imports_nothing_heavy(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """openai, vcr, pandas, scipy, statsmodels, matplotlib, jinja2, numpy and pydantic stay out of other people's runs."""
    pytester.makepyfile(f"import sys\n\ndef test_one():\n    assert [m for m in {HEAVY!r} if m in sys.modules] == []\n")
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.runpytest_subprocess("-p", "pytest_membench.plugin.main").assert_outcomes(passed=1)


def test_collecting_benchmarks_imports_no_client_and_no_statistics(folder: Folder) -> None:
    """Collection needs the suite and the designs, but neither openai nor vcr, statistics or figures."""
    unwanted = ("openai", "vcr", "pandas", "scipy", "statsmodels", "matplotlib", "jinja2")
    folder.write(
        "conftest.py",
        "import sys\n\ndef pytest_collection_finish(session):\n"
        f"    print('LOADED', [m for m in {unwanted!r} if m in sys.modules])\n",
    )
    result = folder.run("--collect-only", "-q", "-s", subprocess=True)
    result.stdout.fnmatch_lines(["*LOADED []*"])


def test_importing_the_package_is_light() -> None:
    """`import pytest_membench` loads none of the heavy packages."""
    code = f"import sys, pytest_membench; print([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_collect_only_writes_no_summary(folder: Folder) -> None:
    """Listing items is not a session with results."""
    result = folder.run("--collect-only", "-q")
    assert result.ret == 0
    assert not (folder.root / "out/summary.json").exists()


def test_help_explains_every_option(folder: Folder) -> None:
    """`pytest --help` has a membench group in which each option has a sentence."""
    from pytest_membench.plugin.options import OPTIONS

    text = folder.pytester.runpytest_inprocess("--help").stdout.str()
    assert "membench: judge designs of agent memory" in text
    assert "--design=NAMES" in text
    for option in OPTIONS:
        assert f"--membench-{option.name}" in text
        assert option.help.split()[0] in text


def test_markers_lists_the_marker(folder: Folder) -> None:
    """`pytest --markers` explains the membench marker."""
    text = folder.pytester.runpytest_inprocess("--markers").stdout.str()
    assert "@pytest.mark.membench(design, person, kind)" in text
