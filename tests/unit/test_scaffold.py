"""`membench init`: what it writes into an empty folder, and where it writes nothing."""

import ast
import tomllib
from configparser import ConfigParser
from pathlib import Path

import pytest

from pytest_membench import scaffold
from pytest_membench.errors import InputError
from pytest_membench.run.find import find_all
from pytest_membench.suites.audit import audit
from pytest_membench.suites.files import load

EXPECTED = {
    ".gitignore",
    ".github/workflows/membench.yml",
    "pytest.ini",
    "benchmarks/test_probes.py",
    "benchmarks/suites/mine/audit/alex.json",
    "benchmarks/suites/mine/chat/alex.json",
    "benchmarks/suites/mine/spec/alex.json",
    "designs/mine.py",
}


def files(folder: Path) -> set[str]:
    """Return all files under a folder."""
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_everything_is_written_and_named(tmp_path: Path) -> None:
    """Benchmarks, a design, a suite of one person and a CI workflow, under a folder that need not exist."""
    written = scaffold.write(tmp_path / "new")
    assert files(tmp_path / "new") >= EXPECTED
    assert [path.relative_to(tmp_path / "new").as_posix() for path in written] == sorted(files(tmp_path / "new"))


def test_what_it_writes_is_sound(tmp_path: Path) -> None:
    """The suite loads with each kind of probe, the design is found, the files parse, the options exist."""
    scaffold.write(tmp_path)
    suite = load(tmp_path / "benchmarks/suites/mine")
    assert [person.id for person in suite.people] == ["alex"]
    assert len({probe.kind for probe in suite.people[0].probes}) >= 7
    assert [found.id for found in find_all("mine", tmp_path)] == ["mine"]
    ast.parse((tmp_path / "benchmarks/test_probes.py").read_text())
    ini = ConfigParser()
    ini.read(tmp_path / "pytest.ini")
    assert ini["pytest"]["membench_suite"] == "mine"
    root = Path(scaffold.__file__).parent.parent
    name = tomllib.loads((root / "pyproject.toml").read_text())["project"]["name"]
    assert f"pip install {name}" in (tmp_path / ".github/workflows/membench.yml").read_text()


def test_the_suite_it_writes_has_sound_probes(tmp_path: Path) -> None:
    """Of a suite this short no age can be asked, but every probe's evidence and gold hold."""
    scaffold.write(tmp_path)
    faults = audit(tmp_path / "benchmarks/suites/mine")
    assert {fault.place for fault in faults} <= {"chat", "evidence", "golds"}


@pytest.mark.parametrize("name", ["designs/mine.py", ".gitignore", "benchmarks/suites/mine/chat/alex.json"])
def test_an_existing_file_is_never_overwritten(tmp_path: Path, name: str) -> None:
    """The message names the file, it keeps its content, and nothing else is written."""
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text("mine")
    with pytest.raises(InputError, match=rf"{name} exists already; run `membench init` in an empty folder"):
        scaffold.write(tmp_path)
    assert files(tmp_path) == {name}
    assert (tmp_path / name).read_text() == "mine"


@pytest.mark.parametrize("name", ["designs", "benchmarks/suites"])
def test_a_file_where_a_folder_has_to_be_is_named(tmp_path: Path, name: str) -> None:
    """A file called `designs` leaves nothing half written."""
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text("a file")
    with pytest.raises(InputError, match=f"{name} exists already"):
        scaffold.write(tmp_path)
    assert files(tmp_path) == {name}


def test_files_of_the_users_own_stay_beside_it(tmp_path: Path) -> None:
    """Folders that exist and files of other names are no obstacle."""
    (tmp_path / "designs").mkdir()
    (tmp_path / "designs/other.py").write_text("other")
    scaffold.write(tmp_path)
    assert (tmp_path / "designs/other.py").read_text() == "other"
    assert files(tmp_path) >= EXPECTED


def test_a_dot_stands_for_dot_at_the_start_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`dot-env` becomes `.env`, `polka-dot-x` stays, `.txt` goes, and compiled files are left behind."""
    templates = tmp_path / "templates"
    for name in ("dot-env", "polka-dot-x", "sub/dot-a.py.txt", "__pycache__/x.pyc"):
        (templates / name).parent.mkdir(parents=True, exist_ok=True)
        (templates / name).write_text(name)
    monkeypatch.setattr(scaffold, "TEMPLATES", templates)
    scaffold.write(tmp_path / "new")
    assert files(tmp_path / "new") == {".env", "polka-dot-x", "sub/.a.py"}
    assert (tmp_path / "new/sub/.a.py").read_text() == "sub/dot-a.py.txt"
