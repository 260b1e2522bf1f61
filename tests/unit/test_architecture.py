"""The house: imports run downward, nothing heavy is loaded early, and names stay public."""

import ast
from pathlib import Path

import pytest

import pytest_membench

PACKAGE = Path(pytest_membench.__file__).parent
FLOORS = (
    ("errors", "tokens"),
    ("stats", "data", "prices"),
    ("llm", "suites", "grading", "store", "schedule", "tools"),
    ("report", "design"),
    ("run",),
    ("plugin", "cli", "scaffold"),
)
ONLY = {"openai": "llm", "vcr": "llm", "httpx2": "llm", "pytest": "plugin"}
PURE = ("errors.py", "tokens.py", "data.py", "stats", "grading")
EFFECTS = {"os", "pathlib", "socket", "subprocess", "time", "random", "urllib", "tempfile", "io"}


def _modules() -> list[Path]:
    return [path for path in sorted(PACKAGE.rglob("*.py")) if "shipped" not in path.parts]


def _room(path: Path) -> str:
    """Return the name right under the package: what a floor is made of."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def _imports(path: Path) -> set[str]:
    """Return the dotted names that a file imports, wherever in it."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def _own(names: set[str]) -> set[str]:
    return {name.split(".")[1] for name in names if name.startswith("pytest_membench.")}


def _floor(room: str) -> int:
    return next(number for number, rooms in enumerate(FLOORS, 1) if room in rooms)


# The package's front door imports the public names from wherever they stand.
@pytest.mark.parametrize("path", _modules()[1:], ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_run_downward(path: Path) -> None:
    """No file imports from a floor above its own."""
    above = {room for room in _own(_imports(path)) - {"LLM"} if room.islower() and _floor(room) > _floor(_room(path))}
    assert above == set()


def test_rooms_form_no_cycle() -> None:
    """No two rooms import each other, directly or around corners."""
    edges: dict[str, set[str]] = {}
    for path in _modules():
        if path != PACKAGE / "__init__.py":
            edges.setdefault(_room(path), set()).update(_own(_imports(path)) - {_room(path)})
    done: list[str] = []
    while edges:
        free = sorted(room for room, needs in edges.items() if not needs & edges.keys())
        assert free, f"a cycle among {sorted(edges)}"
        done += free
        edges = {room: needs for room, needs in edges.items() if room not in free}
    assert set(done) >= {"data", "llm", "run", "plugin"}


@pytest.mark.parametrize("library", sorted(ONLY))
def test_a_library_is_imported_in_its_room_alone(library: str) -> None:
    """Only llm/ knows openai, vcr and httpx2; only plugin/ knows pytest."""
    users = {_room(path) for path in _modules() if library in {n.split(".")[0] for n in _imports(path)}}
    assert users == {ONLY[library]}


@pytest.mark.parametrize("name", PURE)
def test_pure_rooms_have_no_effects(name: str) -> None:
    """The ground floor, stats and grading touch no file, clock, network or global randomness."""
    paths = [path for path in _modules() if path.relative_to(PACKAGE).parts[0] == name]
    assert paths
    for path in paths:
        assert {n.split(".")[0] for n in _imports(path)} & EFFECTS == set()


def test_designs_and_benchmarks_use_public_names_alone() -> None:
    """Examples import from `pytest_membench`, never from inside it."""
    root = PACKAGE.parent
    inside = {
        (path.name, name)
        for folder in ("designs", "benchmarks")
        for path in sorted((root / folder).glob("*.py"))
        for name in _imports(path)
        if name.startswith("pytest_membench.") and name.split(".")[1] not in pytest_membench.__all__
    }
    assert inside == set()


def test_exported_names_are_these() -> None:
    """The public names change on purpose only."""
    assert sorted(pytest_membench.__all__) == [
        "Batch",
        "Batched",
        "Design",
        "EveryDay",
        "EveryTurn",
        "EveryTurns",
        "LLM",
        "Person",
        "Probe",
        "Reply",
        "Snippet",
        "Suite",
        "TokenThreshold",
        "Tool",
        "Turn",
        "Usage",
        "bm25",
        "count_tokens",
        "read_json",
        "search_chat",
    ]
    assert all(hasattr(pytest_membench, name) for name in pytest_membench.__all__)


@pytest.mark.parametrize("path", _modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_every_file_says_its_job(path: Path) -> None:
    """Each file opens with a sentence about what it is for."""
    doc = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    assert doc is not None
    assert doc.splitlines()[0].endswith((".", "?", ":"))
