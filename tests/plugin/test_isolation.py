"""Files that others made cannot write outside their folder, run code, or end in a traceback."""

import ast
import json
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bench_folder import DESIGN, Folder
from click.testing import CliRunner

import pytest_membench
from pytest_membench.cli import main
from pytest_membench.data import slug
from pytest_membench.errors import SuiteError
from pytest_membench.llm.sim.server import SimServer
from pytest_membench.suites import files

PACKAGE = Path(pytest_membench.__file__).parent
DEEP = "[" * 100_000 + "]" * 100_000
EVIL = ["../../evil", "/tmp/evil", "a\0b", "x" * 5000, "CON", "nul.json", "..", "", 5, None, {"a": 1}]


def tree(folder: Folder) -> dict[str, bytes]:
    """Return all files beside the results folder and the cassettes, with their content, and what lies above by name."""
    inside = (folder.root / "out", folder.root / "cassettes")
    paths = [path for path in folder.root.rglob("*") if path.is_file()]
    own = {str(path): path.read_bytes() for path in paths if not any(path.is_relative_to(place) for place in inside)}
    return own | {str(path): b"" for above in (folder.root.parent, Path("/tmp")) for path in above.glob("evil*")}


def change(path: Path, edit: Callable[[Any], None]) -> None:
    """Change a JSON file."""
    data = json.loads(path.read_bytes())
    edit(data)
    path.write_text(json.dumps(data), encoding="utf-8")


def run(folder: Folder, *args: str) -> tuple[int, str]:
    """Run a membench command in the folder of the benchmark; return its exit code and what it printed."""
    result = CliRunner().invoke(main, [arg.replace("OUT", str(folder.root / "out")) for arg in args])
    assert result.exception is None or isinstance(result.exception, SystemExit), repr(result.exception)
    return result.exit_code, result.output


@pytest.mark.parametrize("evil", EVIL, ids=lambda evil: repr(evil)[:12])
@pytest.mark.parametrize("field", ["setting", "design", "person", "probe", "repeat"])
def test_names_in_a_manifest_lead_nowhere(folder: Folder, field: str, evil: Any, once: Path) -> None:
    """Every command that reads the folder refuses it or keeps to it."""
    copy(once, folder)

    def plant(data: Any) -> None:
        data["items"][0][field] = evil

    change(folder.root / "out/manifest.json", plant)
    before = tree(folder)
    for command in (("report", "OUT"), ("pool", "OUT", "OUT"), ("prune", "OUT", "--cassettes", str(folder.root))):
        run(folder, *command)
    assert tree(folder) == before


@pytest.mark.parametrize(
    ("field", "evil"),
    [("repeat", "/../../../../evil"), ("cassette", "../evil.json"), ("cassette", "ABSOLUTE"), ("unused", [0])],
)
def test_a_row_cannot_name_a_file_outside(folder: Folder, field: str, evil: Any, once: Path) -> None:
    """`prune` and `rescore` write by what rows say, and rows may be anybody's."""
    copy(once, folder)
    victim = folder.write("evil.json", (folder.root / "cassettes/sim/tiny/window/ada/recall-01.json").read_text())
    path = folder.root / "out/sim/rows/window/ada/recall-01.json"

    def plant(row: Any) -> None:
        row["unused"] = [0]
        row["cassette"] = "../evil.json"
        row[field] = str(victim) if evil == "ABSOLUTE" else evil

    change(path, plant)
    before = tree(folder)
    code, shown = run(folder, "prune", "OUT", "--cassettes", str(folder.root / "cassettes"))
    assert code == 4, shown
    assert tree(folder) == before


def test_a_linked_folder_is_not_written_through(folder: Folder, once: Path) -> None:
    """A results folder whose rows lie behind a link to somewhere else is refused by `rescore`."""
    copy(once, folder)
    elsewhere = folder.root / "elsewhere"
    (folder.root / "out/sim/rows").rename(elsewhere)
    (folder.root / "out/sim/rows").symlink_to(elsewhere)
    before = tree(folder)
    code, shown = run(folder, "rescore", "OUT", "--suite", str(folder.root / "benchmarks/suites/tiny"))
    assert code == 4, shown
    assert "leads out of" in shown
    assert tree(folder) == before


@pytest.mark.parametrize("name", ["manifest.json", "sim/rows/window/ada/recall-01.json", "sim/mem/window/ada.json"])
@pytest.mark.parametrize(
    "content", [DEEP, '{"session":' * 400 + "1" + "}" * 400, '{"session": 1}', "[]", "1", "\0", "!!python/name:os"]
)
def test_a_file_that_is_no_result_is_named(folder: Folder, name: str, content: str, once: Path) -> None:
    """Nested beyond all measure, of another shape, or no JSON at all: one message, exit code 4."""
    copy(once, folder)
    (folder.root / "out" / name).write_text(content, encoding="utf-8")
    code, shown = run(folder, "report", "OUT")
    assert code == 4, shown
    assert name in shown


@pytest.mark.parametrize("part", ["chat", "spec", "audit"])
@pytest.mark.parametrize("content", [DEEP, '{"messages":' * 500 + "1" + "}" * 500, "!!python/name:os.system", "[1]"])
def test_a_suite_that_is_no_suite_is_named(folder: Folder, part: str, content: str) -> None:
    """The loader says which file it is, and does not fall over its own stack."""
    content = content.replace("messages", {"audit": "exclude", "spec": "probes"}.get(part, "messages"))
    folder.write(f"benchmarks/suites/tiny/{part}/ada.json", content)
    with pytest.raises(SuiteError, match=f"{part}/ada.json"):
        files.load(folder.root / "benchmarks/suites/tiny")


@pytest.mark.parametrize("name", ["...", "-rf", "CON", "x" * 200, "a b;c", "ümlaut"])
def test_people_of_any_file_name_write_inside(folder: Folder, name: str) -> None:
    """A person is named by a file; whatever that is, results and cassettes stay where they belong."""
    folder.people(**{name: ["correct"]})
    before = tree(folder)
    assert folder.run("-p", "no:cacheprovider").ret == 0
    assert {path for path in tree(folder) if not path.endswith(".pyc")} == set(before)
    written = [path.relative_to(folder.root) for path in folder.root.rglob("*.json") if path.stem.startswith("recall")]
    assert {path.parts[0] for path in written} == {"out", "cassettes"}


@pytest.mark.parametrize("name", ["con", "NUL", "Lpt1", "aux.json", "ends."])
def test_names_that_windows_keeps_for_itself_are_not_used(name: str) -> None:
    """A device's name would swallow a result there."""
    assert slug(name) != name


def test_no_file_is_read_as_anything_but_data() -> None:
    """Nothing in the package unpickles, evaluates, or reads YAML."""
    forbidden = {"pickle", "cPickle", "marshal", "shelve", "dill", "yaml", "jsonpickle", "eval", "exec"}
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [node.func.id] if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else []
            assert not forbidden & {name.split(".")[0] for name in names}, path


def test_the_stand_in_listens_on_loopback_alone() -> None:
    """Nobody else on the network can ask it."""
    with SimServer() as server:
        assert server._server is not None
        assert server._server.server_address[0] == "127.0.0.1"
        assert server.base_url.startswith("http://127.0.0.1:")


CALLER = (
    DESIGN.replace("Window", "Caller")
    .replace('"window"', '"caller"')
    .replace(
        "        return [Snippet(line) for line in state]",
        """
        import socket
        try:
            CALL
        except Exception as error:
            if "swallow" in question: return []
            raise
        return []
    """,
    )
)


@pytest.mark.parametrize(
    ("call", "address"),
    [
        ("socket.create_connection(('192.0.2.7', 80))", "192.0.2.7"),
        ("socket.getaddrinfo('tracker.invalid', 443)", "tracker.invalid"),
        ("socket.gethostbyname('tracker.invalid')", "tracker.invalid"),
        (
            "with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock: sock.sendto(b'x', ('192.0.2.7', 53))",
            "192.0.2.7",
        ),
        ("__import__('urllib.request').request.urlopen('http://192.0.2.7/x')", "192.0.2.7"),
    ],
)
def test_a_design_that_calls_out_in_strict_replay_is_refused(folder: Folder, call: str, address: str) -> None:
    """The item is not run, and the message names the design and where it wanted to go."""
    folder.write("designs/caller.py", CALLER.replace("CALL", call))
    before = [getattr(socket.socket, name) for name in ("connect", "connect_ex", "sendto")]
    result = folder.run("--design=caller", "--membench-record=none")
    assert result.ret == 6
    item = folder.read("diag.json")["items"][0]
    assert (item["outcome"], item["design"]) == ("not_run", "caller")
    assert address in item["message"]
    assert "strict replay uses no network" in item["message"]
    assert "not run: caller, ada recall-01" in result.stdout.str()
    assert [getattr(socket.socket, name) for name in ("connect", "connect_ex", "sendto")] == before


def test_a_connection_that_a_design_swallows_is_no_result(folder: Folder) -> None:
    """What it would have got is missing from the answer, so there is none."""
    folder.write("designs/caller.py", CALLER.replace("CALL", "socket.create_connection(('192.0.2.7', 80))"))
    spec = folder.root / "benchmarks/suites/tiny/spec/ada.json"
    spec.write_text(spec.read_text().replace("what is thing 1?", "swallow it?"))
    folder.run("--design=caller", "--membench-record=none", "-k", "recall-01")
    assert "192.0.2.7" in folder.read("diag.json")["items"][0]["message"]


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the results of one run are kept, so that each test need not run a benchmark."""
    return tmp_path_factory.mktemp("once")


def copy(once: Path, folder: Folder) -> None:
    """Put results and cassettes of a run into the folder."""
    import shutil

    if not (once / "out").exists():
        assert folder.run("-p", "no:cacheprovider").ret == 0
        for name in ("out", "cassettes"):
            shutil.copytree(folder.root / name, once / name)
        return
    for name in ("out", "cassettes"):
        shutil.copytree(once / name, folder.root / name)
