"""Which items are collected, under which ids, and what a user is told when none can be."""

import pytest
from bench_folder import DESIGN, Folder


def test_ids_are_readable_and_sorted(folder: Folder) -> None:
    """An item is called design-person-probe, in the order of designs, people and probes."""
    folder.people(bo=["correct"], ada=["correct", "wrong"])
    result = folder.run("--collect-only", "-q")
    ids = [line for line in result.stdout.lines if "::" in line]
    assert ids == [
        "benchmarks/test_probes.py::test_probe[window-ada-recall-01]",
        "benchmarks/test_probes.py::test_probe[window-ada-recall-02]",
        "benchmarks/test_probes.py::test_probe[window-bo-recall-01]",
    ]


def test_k_selects_a_person(folder: Folder) -> None:
    """`-k bo` runs that person's probes alone, and the session is complete."""
    folder.people(bo=["correct"], ada=["correct", "wrong"])
    assert folder.run("-k", "bo").ret == 0
    assert folder.score()["people"].keys() == {"bo"}
    assert folder.summary()["complete"]


def test_m_selects_by_marker_arguments(folder: Folder) -> None:
    """The marker carries design, person and kind, and `-m` reads them."""
    folder.people(bo=["correct"], ada=["correct", "wrong"])
    result = folder.run("-m", "membench(kind='recall', person='ada')", "--collect-only", "-q")
    assert sum("::" in line for line in result.stdout.lines) == 2
    assert "window-bo" not in result.stdout.str()


def test_repeats_are_items_of_their_own_pooled_per_probe(folder: Folder) -> None:
    """Two repeats give two items a probe with an id each; the score pools them."""
    assert folder.run("--membench-repeats=2").ret == 0
    row = folder.score()
    assert (row["n"], row["score"]) == (8, 62.5)
    assert (folder.root / "out/sim/ans/window/ada/recall-01~r2.json").exists()
    assert (folder.root / "cassettes/sim/tiny/window/ada/recall-01~r2.json").exists()


def test_parameters_show_in_the_id(folder: Folder) -> None:
    """`window(n=3)` is a design of its own, and its id says so."""
    result = folder.run("--design=window,window(n=3)", "--collect-only", "-q")
    assert "test_probe[window(n=3)-ada-recall-01]" in result.stdout.str()
    assert sum("::" in line for line in result.stdout.lines) == 8


def test_unknown_design_lists_what_exists(folder: Folder) -> None:
    """A misspelt design fails at collection with the known names and the nearest."""
    result = folder.run("--design=windwo")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert "no such design" in result.stdout.str()
    assert "Did you mean 'window'?" in result.stdout.str()


def test_no_design_lists_what_exists(folder: Folder) -> None:
    """Without --design and without a default the message names the designs there are."""
    folder.write("pytest.ini", "[pytest]\nmembench_suite = tiny\n")
    result = folder.run()
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert "which design? give --design=NAME" in result.stdout.str()
    assert "window" in result.stdout.str()


def test_unknown_suite_lists_what_exists(folder: Folder) -> None:
    """A misspelt suite fails at collection with the known names and the nearest."""
    result = folder.run("--membench-suite=tinny")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert "did you mean 'tiny'?" in result.stdout.str()


def test_a_suite_whose_probes_are_all_excluded_says_so(folder: Folder) -> None:
    """Nothing to ask is an error, not an empty success."""
    folder.people(ada=["correct"])
    folder.write(
        "benchmarks/suites/tiny/audit/ada.json", '{"exclude": [{"id": "recall-01", "reason": "two right answers"}]}'
    )
    result = folder.run()
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert "has no probe" in result.stdout.str()


@pytest.mark.parametrize(
    ("option", "wanted"),
    [
        ("--membench-record=sometimes", "none, new or all"),
        ("--membench-repeats=0", "a whole number from 1 up"),
        ("--membench-temperature=warm", "a number"),
    ],
)
def test_a_bad_option_names_its_value_and_what_is_allowed(folder: Folder, option: str, wanted: str) -> None:
    """The message repeats the option with its value and says what it takes."""
    result = folder.run(option)
    text = result.stdout.str() + result.stderr.str()
    assert result.ret != 0
    assert f"{option}: {wanted} is wanted" in text


def test_an_ini_key_sets_an_option(folder: Folder) -> None:
    """Each option can stand in the ini file."""
    folder.write(
        "pytest.ini",
        "[pytest]\nmembench_suite = tiny\nmembench_design = window\nmembench_no_html = true\nmembench_repeats = 2\n",
    )
    result = folder.run("--collect-only", "-q")
    assert sum("::" in line for line in result.stdout.lines) == 8


def test_a_vcr_marker_on_a_benchmark_is_refused(folder: Folder) -> None:
    """Two recorders for one item would each miss what the other plays."""
    folder.write("pytest.ini", "[pytest]\nmembench_suite = tiny\nmembench_design = window\nmarkers = vcr\n")
    folder.write(
        "benchmarks/test_probes.py",
        "import pytest\n\n@pytest.mark.vcr\ndef test_probe(membench_probe):\n    membench_probe.run()\n",
    )
    result = folder.run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "remove the vcr marker" in result.stderr.str() + result.stdout.str()


def test_designs_with_the_name_of_a_module_shadow_nothing(folder: Folder) -> None:
    """designs/json.py is found as a design while `import json` still gives the standard library."""
    folder.write("designs/json.py", DESIGN)
    result = folder.run("--design=json")
    assert result.ret == 0
    assert folder.summary()["scores"]["sim"].keys() == {"json"}
