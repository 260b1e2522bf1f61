"""Finding designs: where they are looked for, in which order, and how each mistake is met."""

import sys
from collections.abc import Callable
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_membench.errors import DesignError
from pytest_membench.run import find as finding
from pytest_membench.run.find import find, find_all, known, split_names

HEAD = "from dataclasses import dataclass, field\nfrom pytest_membench import Design\n"
BODY = """
    def start(self): return []
    def ingest(self, state, batch, llm): return state
    def recall(self, state, question, llm): return []
"""
WINDOW = (
    f"{HEAD}\n@dataclass(frozen=True)\nclass Window(Design[list]):\n    n: int = 10\n    unit: str = 'turns'\n{BODY}"
)

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a design file below the rootdir (`designs/window.py` by default) and return the rootdir."""

    def put(code: str = WINDOW, name: str = "designs/window.py") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(code, encoding="utf-8")
        return tmp_path

    return put


@pytest.fixture
def package(write: Write, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Make a module of this code importable as `ownpkg.memo`, for this test alone."""

    def put(code: str = WINDOW) -> None:
        write("", "site/ownpkg/__init__.py")
        root = write(code, "site/ownpkg/memo.py")
        monkeypatch.syspath_prepend(root / "site")
        for name in ("ownpkg", "ownpkg.memo"):
            monkeypatch.delitem(sys.modules, name, raising=False)

    return put


@pytest.fixture
def entries(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Install entry points of the group `membench.designs`."""

    def put(**points: str) -> None:
        made = [EntryPoint(name, value, "membench.designs") for name, value in points.items()]
        monkeypatch.setattr(finding, "entry_points", lambda group: made if group == "membench.designs" else [])

    return put


def ids(text: str, rootdir: Path) -> list[str]:
    """Return the ids of what is found."""
    return [one.id for one in find_all(text, rootdir)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a", ["a"]),
        (" a , b ", ["a", "b"]),
        ("a,b(n=1, m=(2, 3)),c", ["a", "b(n=1, m=(2, 3))", "c"]),
        ("a,,b,", ["a", "b"]),
        ("", []),
        ("x/y.py:Z,pkg.mod:attr", ["x/y.py:Z", "pkg.mod:attr"]),
    ],
)
def test_names_are_split_at_commas_outside_parentheses(text: str, names: list[str]) -> None:
    """Parameters keep their commas; empty parts are dropped."""
    assert split_names(text) == names


@given(st.lists(st.from_regex(r"[a-z_]{1,6}(\([a-z]=[0-9],[a-z]=\([0-9],\)\))?", fullmatch=True), max_size=5))
def test_names_that_were_joined_are_split_again(names: list[str]) -> None:
    """Splitting undoes joining."""
    assert split_names(",".join(names)) == names


@pytest.mark.parametrize("name", ["window", "designs/window.py", "designs/window.py:Window"])
def test_a_design_of_the_rootdir_is_found_by_name_and_by_path(write: Write, name: str) -> None:
    """A file under designs/ by its name; any file by its path from the rootdir; a class of it by attribute."""
    root = write()
    (one,) = find(name, root)
    assert type(one.design).__name__ == "Window"
    assert one.source == root / "designs" / "window.py"
    assert one.id == ("Window" if ":" in name else "window")


def test_a_path_is_taken_as_it_is(write: Write, tmp_path: Path) -> None:
    """An absolute path needs no rootdir."""
    root = write()
    assert ids(str(root / "designs" / "window.py"), tmp_path / "elsewhere") == ["window"]


def test_parameters_are_set_and_shown(write: Write) -> None:
    """The id shows what differs from the defaults, in the order of the fields, and the design has it."""
    root = write()
    (one,) = find("window(unit='days', n=20)", root)
    assert one.id == "window(n=20, unit='days')"
    assert (one.design.n, one.design.unit) == (20, "days")  # type: ignore[attr-defined]
    assert ids("window()", root) == ids("window(n=10)", root) == ["window"]


def test_a_default_that_is_made_by_a_factory_is_not_shown(write: Write) -> None:
    """A list left as it comes does not change the id; another one does."""
    root = write(WINDOW.replace("n: int = 10", "tags: list = field(default_factory=list)"))
    assert ids("window", root) == ["window"]
    assert ids("window(tags=['x'])", root) == ["window(tags=['x'])"]
    assert ids("window(unit='days')", root) == ["window(unit='days')"]


def test_several_designs_come_in_their_order_and_none_twice(write: Write) -> None:
    """A design that is named again is one design."""
    root = write()
    assert ids("window(n=2),no_memory,window,window(n=2)", root) == ["window(n=2)", "no_memory", "window"]


def test_two_files_of_one_name_are_not_silently_one_design(write: Write) -> None:
    """Two designs with one id are refused; otherwise one would be left out, or their memories mixed."""
    write(name="one/window.py")
    root = write(WINDOW.replace("10", "11"), "two/window.py")
    with pytest.raises(DesignError, match="window"):
        find_all("one/window.py,two/window.py", root)


def test_all_is_every_design_of_the_rootdir_and_every_entry_point(
    write: Write, package: Callable[[], None], entries: Callable[..., None]
) -> None:
    """Files in the order of their names, underscored ones aside, then entry points that no file hides."""
    package()
    entries(memo="ownpkg.memo:Window", window="ownpkg.memo:Window")
    write(name="designs/_draft.py")
    write(name="designs/abc.py")
    assert ids("all", write()) == ["abc", "window", "memo"]


def test_all_of_nothing_lists_what_exists(tmp_path: Path) -> None:
    """Without a design of one's own, `all` says what there is."""
    with pytest.raises(DesignError, match=r"names no design; there are .*full_context.*no_memory.*rolling_summary"):
        find_all("all", tmp_path)


@pytest.mark.parametrize("text", ["", " ", ","])
def test_an_empty_name_is_refused(tmp_path: Path, text: str) -> None:
    """`--design=` is an error, not a run of nothing."""
    with pytest.raises(DesignError, match="names no design"):
        find_all(text, tmp_path)


def test_the_rootdir_comes_before_an_entry_point_and_that_before_what_ships(
    write: Write, package: Callable[[], None], entries: Callable[..., None], tmp_path: Path
) -> None:
    """A name is looked up in the order of the guide."""
    package()
    assert type(find("no_memory", tmp_path)[0].design).__name__ == "NoMemory"
    entries(no_memory="ownpkg.memo:Window")
    assert type(find("no_memory", tmp_path)[0].design).__name__ == "Window"
    root = write(WINDOW.replace("Window", "Mine"), "designs/no_memory.py")
    assert type(find("no_memory", root)[0].design).__name__ == "Mine"


def test_a_dotted_name_is_imported(package: Callable[[], None], tmp_path: Path) -> None:
    """`pkg.mod:attr` is a class or an instance of an importable module; its id is the attribute."""
    package()
    (one,) = find("ownpkg.memo:Window(n=3)", tmp_path)
    assert (one.id, one.design.n, one.source) == ("Window(n=3)", 3, None)  # type: ignore[attr-defined]


def test_an_entry_point_may_name_a_module_alone(
    package: Callable[[], None], entries: Callable[..., None], tmp_path: Path
) -> None:
    """The one Design of the module is meant, and the id is the entry point's name."""
    package()
    entries(another="ownpkg.memo:Window", memo="ownpkg.memo")
    assert ids("memo", tmp_path) == ["memo"]
    assert "memo" in known(tmp_path)


def test_what_ships_is_found_without_files_of_ones_own(tmp_path: Path) -> None:
    """The three designs of the package are known everywhere."""
    assert {"full_context", "no_memory", "rolling_summary"} <= set(known(tmp_path))
    assert ids("no_memory,full_context,rolling_summary", tmp_path) == ["no_memory", "full_context", "rolling_summary"]


def test_a_file_may_list_instances(write: Write) -> None:
    """`designs` names what the file offers; each takes the file's name and its own parameters."""
    root = write(f"{WINDOW}\ndesigns = [Window(5), Window(), Window(unit='days')]\n")
    assert ids("window", root) == ["window(n=5)", "window", "window(unit='days')"]
    with pytest.raises(DesignError, match="lists several designs, which take no parameters"):
        find("window(n=1)", root)


def test_two_classes_that_a_file_lists_are_not_silently_one(write: Write) -> None:
    """Instances of different classes are both found under ids of their own, or refused; none is lost."""
    other = WINDOW.replace("class Window", "class Other").removeprefix(HEAD)
    root = write(f"{WINDOW}\n{other}\ndesigns = [Window(), Other()]\n")
    try:
        kept = {type(one.design).__name__ for one in find_all("window", root)}
    except DesignError:
        kept = {"Window", "Other"}
    assert kept == {"Window", "Other"}


@pytest.mark.parametrize(
    "value", ["[]", "Window()", "None", "['Window']", "[Window(), Window()]", "[Window(1), Window(1)]"]
)
def test_a_list_of_designs_that_is_none_is_refused(write: Write, value: str) -> None:
    """An empty list, a bare instance, names, or one design twice are errors of the file, named."""
    root = write(f"{WINDOW}\ndesigns = {value}\n")
    with pytest.raises(DesignError, match=r"window\.py"):
        find_all("window", root)


def test_a_file_with_two_designs_needs_to_say_which(write: Write) -> None:
    """Two classes and no list: the error names both; an attribute decides; private ones do not count."""
    other = WINDOW.replace("class Window", "class Other").removeprefix(HEAD)
    root = write(f"{WINDOW}\n{other}")
    with pytest.raises(DesignError, match="defines Window, Other as Design; one is wanted"):
        find("window", root)
    assert ids("designs/window.py:Other", root) == ["Other"]
    assert ids("hidden", write(f"{WINDOW}\n{other}".replace("Other", "_Other"), "designs/hidden.py")) == ["hidden"]


def test_a_design_that_is_only_imported_is_not_the_files_own(write: Write, package: Callable[[], None]) -> None:
    """A base class from another module does not make a second design."""
    package()
    code = "from ownpkg.memo import Window\n" + WINDOW.replace("Window", "Mine")
    assert type(find("mine", write(code, "designs/mine.py"))[0].design).__name__ == "Mine"


def test_a_file_shadows_nothing_and_twins_stay_apart(write: Write) -> None:
    """A design called json leaves the json module alone; files of one name are loaded under two."""
    import json

    root = write(name="designs/json.py")
    write(name="more/json.py")
    (one,), (two,) = find("json", root), find("more/json.py", root)
    assert sys.modules["json"] is json
    assert type(one.design).__module__ != type(two.design).__module__


def test_the_digest_covers_code_and_parameters(write: Write, tmp_path: Path) -> None:
    """The same file and parameters have the same digest; other code or other parameters another one."""
    root = write()
    first, again, other = find("window", root)[0], find("window", root)[0], find("window(n=2)", root)[0]
    assert first.digest == again.digest != other.digest
    write(WINDOW + "\n# changed\n")
    assert find("window", tmp_path)[0].digest != first.digest


def test_the_digest_of_an_imported_design_is_of_its_source(package: Callable[[], None], tmp_path: Path) -> None:
    """Without a file the class's source counts, and parameters as well."""
    package()
    plain, other = find("ownpkg.memo:Window", tmp_path)[0], find("ownpkg.memo:Window(n=2)", tmp_path)[0]
    assert plain.digest == find("ownpkg.memo:Window", tmp_path)[0].digest != other.digest


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("windwo", r"--design=windwo: no such design; there are .*window.* Did you mean 'window'\?"),
        ("qqqqqqq", r"no such design; there are .*no_memory.*'all', a path file\.py\[:attr\], or pkg\.mod:attr\)\.$"),
        ("designs/none.py", r"there is no file designs/none\.py; paths are relative to"),
        ("no.such.module:Thing", r"cannot import no\.such\.module"),
        ("designs/window.py:Wndow", r"window\.py has no 'Wndow'; it has Window"),
        ("designs/window.py:BODY", r"window\.py has no 'BODY'"),
        ("designs/window.py:dataclass", r"is no Design; subclass pytest_membench\.Design"),
        ("designs/window.py:Design", r"Design is not a dataclass"),
        ("window(20)", r"parameters are given by name\)?; write window\(name=value\)"),
        ("window(n=)", r"cannot read the parameters"),
        ("window(n=open('x'))", r"cannot read the parameters"),
        ("window(n=1", r"cannot read the parameters"),
        ("window(m=1)", r"no parameter 'm'; it has n, unit"),
        ("window(**{'n': 1})", r"--design=window\(\*\*"),
    ],
)
def test_a_name_that_leads_nowhere_says_what_would(write: Write, name: str, message: str) -> None:
    """Each mistake in a name is a DesignError that shows the name, what exists and what to write."""
    with pytest.raises(DesignError, match=message):
        find(name, write())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("@dataclass(frozen=True)", ""), "Window is not a dataclass; write @dataclass"),
        (("(frozen=True)", ""), "Window is not frozen; write @dataclass"),
        (("n: int", "recent: int"), "annotates 'recent', which makes it a parameter; write `recent = ...`"),
        (("n: int = 10", "label: str = 'x'"), "annotates 'label'"),
        (("n: int = 10", "schedule: object = None"), "annotates 'schedule'"),
        (("n: int = 10", "show_pending: bool = True"), "annotates 'show_pending'"),
        (("def ingest", "async def ingest"), r"has an async ingest\(\); all methods are synchronous"),
        (("def recall", "async def recall"), r"has an async recall\(\)"),
        (("def start", "async def start"), r"has an async start\(\)"),
        (("n: int = 10", "n: int"), r"non-default|Window\(\) fails .*; give each parameter a default"),
        (
            ("n: int = 10\n    unit: str = 'turns'", "n: int"),
            r"Window\(\) fails .*'n'\); give each parameter a default",
        ),
        (("n: int", "1n: int"), r"window\.py: fails on import with SyntaxError"),
        (("from dataclasses", "from datclasses"), r"fails on import with ModuleNotFoundError: .*datclasses"),
        (("class Window(Design[list])", "class Window"), r"window\.py: defines none as Design; one is wanted"),
    ],
)
def test_a_class_that_is_unfit_is_refused_with_the_reason(write: Write, change: tuple[str, str], message: str) -> None:
    """A design that could not work as one fails on loading, and the message says what to write."""
    with pytest.raises(DesignError, match=message):
        find("window", write(WINDOW.replace(*change)))


def test_a_subclass_has_to_be_a_dataclass_itself(write: Write) -> None:
    """A design that only inherits being a dataclass would share its parent's parameters unseen."""
    root = write(f"{WINDOW}\nclass Child(Window):\n    pass\n")
    with pytest.raises(DesignError, match="Child is not a dataclass"):
        find("designs/window.py:Child", root)


def test_an_async_generator_is_refused_too(write: Write) -> None:
    """`async def` with yield is as little synchronous."""
    code = WINDOW.replace("def recall(self, state, question, llm): return []", "async def tools(self, state): yield 1")
    with pytest.raises(DesignError, match=r"has an async tools\(\)"):
        find("window", write(code))


def test_a_parameter_that_the_design_refuses_is_the_users_error(write: Write) -> None:
    """What __post_init__ raises comes back with the name that was asked for."""
    check = "\n    def __post_init__(self):\n        if self.n < 1: raise ValueError(f'n is {self.n}')\n"
    with pytest.raises(DesignError, match=r"--design=window\(n=0\): n is 0"):
        find("window(n=0)", write(WINDOW + check))


def test_the_one_instance_of_a_list_takes_parameters(write: Write) -> None:
    """A file that lists one design may be asked for another of its kind."""
    assert ids("window(n=4)", write(f"{WINDOW}\ndesigns = [Window(unit='days')]\n")) == ["window(n=4, unit='days')"]


def test_a_failed_import_leaves_no_module_behind(write: Write) -> None:
    """After a mistake is mended the file loads; nothing half-made stays in sys.modules."""
    root = write("raise RuntimeError('no key')")
    before = set(sys.modules)
    with pytest.raises(DesignError, match="fails on import with RuntimeError: no key"):
        find("window", root)
    assert not {name for name in set(sys.modules) - before if "membench_design" in name}
    assert ids("window", write()) == ["window"]


def test_a_module_that_breaks_on_import_is_the_designs_error(package: Callable[[str], None], tmp_path: Path) -> None:
    """Whatever an imported module raises is told as a design that cannot be loaded."""
    package("raise RuntimeError('no key')")
    with pytest.raises(DesignError, match=r"ownpkg\.memo.*no key"):
        find("ownpkg.memo:Window", tmp_path)


def test_a_file_that_is_no_python_file_is_refused(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where Python has no loader for a file the error says so."""
    root = write()
    monkeypatch.setattr("importlib.util.spec_from_file_location", lambda *_: None)
    with pytest.raises(DesignError, match="cannot be loaded as Python"):
        find("window", root)
