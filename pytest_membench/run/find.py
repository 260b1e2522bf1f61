"""Find designs by name: a path, a file under designs/, a dotted name, an entry point, or one that ships."""

import ast
import dataclasses
import hashlib
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from pytest_membench.design import Design
from pytest_membench.errors import DesignError

ATTRIBUTES = ("label", "schedule", "recent", "show_pending")
METHODS = ("start", "ingest", "recall", "tools")
ENTRY_POINTS = "membench.designs"
_PACKAGE = Path(__file__).parent.parent


@dataclass(frozen=True)
class Found:
    """A design, the id that items and reports show, and where it came from.

    `digest` covers the source file and the parameters: another digest is another design.
    """

    id: str
    design: Design[Any]
    source: Path | None
    digest: str


def split_names(text: str) -> list[str]:
    """Split "a,b(n=1, m=2),c" at the commas outside parentheses; empty parts are dropped."""
    parts, depth = [""], 0
    for character in text:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


def find_all(text: str, rootdir: Path) -> list[Found]:
    """Return the designs that `--design=text` names, in its order and none twice.

    "all" is every design under the rootdir's designs/ and every entry point. Raises DesignError.
    """
    names = _everything(rootdir) if text.strip() == "all" else split_names(text)
    if not names:
        raise DesignError(f"--design={text!r} names no design; {_what_exists(rootdir)}")
    found: dict[str, Found] = {}
    for one in (one for name in names for one in find(name, rootdir)):
        if found.setdefault(one.id, one).digest != one.digest:
            raise DesignError(f"--design={text}: two designs are called {one.id!r}; rename one or run them apart")
    return list(found.values())


def known(rootdir: Path) -> list[str]:
    """Return the names of all designs that can be found by name alone."""
    files = {path.stem for folder in _folders(rootdir) for path in folder.glob("[!_]*.py")}
    return sorted(files | {point.name for point in entry_points(group=ENTRY_POINTS)})


def find(name: str, rootdir: Path) -> list[Found]:
    """Return the design(s) of one name: one, or the instances that a file lists in `designs`."""
    base, parameters = _split_parameters(name)
    module, attribute, source = _locate(base, rootdir)
    path, _, given = base.partition(":")
    shown = given or (Path(path).stem if path.endswith(".py") else path)
    instances = _instances(module, attribute, shown.split(".")[-1], source)
    if parameters is None:
        return [_found(one_id, design, source) for one_id, design in instances]
    if len(instances) != 1:
        raise DesignError(f"--design={name}: {base} lists several designs, which take no parameters from here")
    design = _with_parameters(name, instances[0][1], parameters)
    return [_found(_id_of(instances[0][0].split("(")[0], design), design, source)]


def _everything(rootdir: Path) -> list[str]:
    folder = rootdir / "designs"
    files = sorted(path.stem for path in folder.glob("[!_]*.py")) if folder.is_dir() else []
    return files + sorted(p.name for p in entry_points(group=ENTRY_POINTS) if p.name not in files)


def _folders(rootdir: Path) -> list[Path]:
    return [rootdir / "designs", _PACKAGE / "shipped" / "designs", _PACKAGE.parent / "designs"]


def _what_exists(rootdir: Path) -> str:
    return f"there are {', '.join(known(rootdir)) or 'none'} (and 'all', a path file.py[:attr], or pkg.mod:attr)"


def _split_parameters(name: str) -> tuple[str, dict[str, Any] | None]:
    if "(" not in name:
        return name, None
    base, _, rest = name.partition("(")
    try:
        call = ast.parse(f"f({rest}", mode="eval").body
        parameters = {str(k.arg): ast.literal_eval(k.value) for k in getattr(call, "keywords", [])}
    except (SyntaxError, ValueError) as error:
        raise DesignError(f"--design={name}: cannot read the parameters ({error}); write {base}(name=value)") from error
    if getattr(call, "args", [call]):
        raise DesignError(f"--design={name}: parameters are given by name; write {base}(name=value)")
    return base, parameters


def _locate(base: str, rootdir: Path) -> tuple[ModuleType, str | None, Path | None]:
    """Return module, attribute and source file, looking in the order that the guide gives."""
    path, _, attribute = base.partition(":")
    if path.endswith(".py"):
        file = next((p for p in (Path(path), rootdir / path) if p.is_file()), None)
        if file is None:
            raise DesignError(f"--design={base}: there is no file {path}; paths are relative to {rootdir}")
        return _load(file), attribute or None, file
    in_rootdir = rootdir / "designs" / f"{base}.py"
    if in_rootdir.is_file():
        return _load(in_rootdir), None, in_rootdir
    if attribute:
        return _import(base, path), attribute, None
    for point in entry_points(group=ENTRY_POINTS):
        if point.name == base:
            return _import(base, point.module), point.attr or None, None
    for folder in _folders(rootdir)[1:]:
        if (folder / f"{base}.py").is_file():
            return _load(folder / f"{base}.py"), None, folder / f"{base}.py"
    near = get_close_matches(base, known(rootdir), 1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise DesignError(f"--design={base}: no such design; {_what_exists(rootdir)}.{hint}")


def _load(file: Path) -> ModuleType:
    """Load a file under a name of its own, so that designs/json.py shadows nothing."""
    name = f"membench_design_{file.stem}_{hashlib.sha256(str(file.resolve()).encode()).hexdigest()[:8]}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise DesignError(f"{file}: cannot be loaded as Python; its name must end in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up while the class is made
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise DesignError(f"{file}: fails on import with {type(error).__name__}: {error}") from error
    return module


def _import(base: str, module: str) -> ModuleType:
    try:
        return importlib.import_module(module)
    except Exception as error:
        raise DesignError(f"--design={base}: cannot import {module} ({type(error).__name__}: {error})") from error


def _instances(
    module: ModuleType, attribute: str | None, shown: str, source: Path | None
) -> list[tuple[str, Design[Any]]]:
    where = str(source or module.__name__)
    if attribute is not None:
        if not hasattr(module, attribute):
            raise DesignError(f"{where} has no {attribute!r}; it has {', '.join(_classes(module)) or 'no Design'}")
        return [(shown, _instance(where, getattr(module, attribute)))]
    if hasattr(module, "designs"):
        return _listed(where, shown, module.designs)
    classes = _classes(module)
    if len(classes) != 1:
        names = ", ".join(classes) or "none"
        raise DesignError(f"{where}: defines {names} as Design; one is wanted, or a list `designs` of instances")
    return [(shown, _instance(where, getattr(module, classes[0])))]


def _listed(where: str, shown: str, designs: object) -> list[tuple[str, Design[Any]]]:
    """Return the instances of a file's `designs`, each under an id of its own."""
    if not isinstance(designs, list | tuple) or not designs:
        raise DesignError(f"{where}: `designs` is {designs!r}; a list of Design instances is wanted")
    found = [_instance(where, design) for design in designs]
    several = len({type(design) for design in found}) > 1
    ids = [_id_of(f"{shown}.{type(d).__name__}" if several else shown, d) for d in found]
    if len(set(ids)) < len(ids):
        raise DesignError(f"{where}: `designs` holds two that are equal: {', '.join(ids)}")
    return list(zip(ids, found, strict=True))


def _classes(module: ModuleType) -> list[str]:
    """Return the names of the Design classes that the module itself defines, underscored ones aside."""
    return [
        name
        for name, value in vars(module).items()
        if inspect.isclass(value)
        and issubclass(value, Design)
        and value.__module__ == module.__name__
        and not name.startswith("_")
    ]


def _instance(where: str, value: object) -> Design[Any]:
    cls = value if inspect.isclass(value) else type(value)
    if not issubclass(cls, Design):
        raise DesignError(f"{where}: {value!r} is no Design; subclass pytest_membench.Design")
    for fault in _faults(cls):
        raise DesignError(f"{where}: {cls.__name__} {fault}")
    try:
        design = value() if inspect.isclass(value) else value
    except TypeError as error:
        raise DesignError(f"{where}: {cls.__name__}() fails ({error}); give each parameter a default") from error
    assert isinstance(design, Design)
    if inspect.isclass(design.schedule) or not callable(getattr(design.schedule, "due", None)):
        raise DesignError(
            f"{where}: {cls.__name__}.schedule is {design.schedule!r}; a schedule like EveryTurn() is wanted"
        )
    if not isinstance(design.recent, int) or design.recent < 0:
        raise DesignError(f"{where}: {cls.__name__}.recent is {design.recent!r}; a number of turns from 0 up is wanted")
    return design


def _faults(cls: type) -> Iterator[str]:
    """Yield what makes a class unfit as a design."""
    if not dataclasses.is_dataclass(cls) or "__dataclass_fields__" not in vars(cls):
        yield "is not a dataclass; write @dataclass(frozen=True) above it"
        return
    if not vars(cls)["__dataclass_params__"].frozen:
        yield "is not frozen; write @dataclass(frozen=True), so that no state hides in the design"
    fields = {f.name for f in dataclasses.fields(cls)}
    for name in ATTRIBUTES:
        if name in fields:
            yield f"annotates {name!r}, which makes it a parameter; write `{name} = ...` without a type"
    for name in METHODS:
        method = getattr(cls, name)
        if inspect.iscoroutinefunction(method) or inspect.isasyncgenfunction(method):
            yield f"has an async {name}(); all methods are synchronous: workers give concurrency"


def _with_parameters(name: str, design: Design[Any], parameters: dict[str, Any]) -> Design[Any]:
    allowed = [f.name for f in dataclasses.fields(design)]  # type: ignore[arg-type]  # checked in _faults
    unknown = sorted(set(parameters) - set(allowed))
    if unknown:
        raise DesignError(f"--design={name}: no parameter {unknown[0]!r}; it has {', '.join(allowed) or 'none'}")
    try:
        changed: Design[Any] = dataclasses.replace(design, **parameters)  # type: ignore[type-var]
    except (TypeError, ValueError) as error:
        raise DesignError(f"--design={name}: {error}") from error
    return changed


def _id_of(name: str, design: Design[Any]) -> str:
    """Return the name with the parameters that differ from their defaults."""
    changed = [
        f"{f.name}={getattr(design, f.name)!r}"
        for f in dataclasses.fields(design)  # type: ignore[arg-type]
        if getattr(design, f.name) != _default(f)
    ]
    return f"{name}({', '.join(changed)})" if changed else name


def _default(field: dataclasses.Field[Any]) -> Any:
    made = field.default_factory
    return field.default if made is dataclasses.MISSING else made()


def _found(design_id: str, design: Design[Any], source: Path | None) -> Found:
    code = source.read_bytes() if source else inspect.getsource(type(design)).encode()
    digest = hashlib.sha256(code + repr(design).encode()).hexdigest()
    return Found(design_id, design, source, digest)
