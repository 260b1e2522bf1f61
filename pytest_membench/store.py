"""The results folder: where each result lies, and how JSON is written so that nothing is torn."""

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson

from pytest_membench.data import slug
from pytest_membench.errors import StoreError

try:
    import fcntl
except ImportError:  # Windows: a line is one write there too, but a torn one is not cut off under a lock
    fcntl = None  # type: ignore[assignment]

_PRETTY = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE


def to_json(value: Any, *, sort: bool = True) -> bytes:
    """Return `value` as indented UTF-8 JSON that ends in a new line, its keys sorted unless told not to."""
    return orjson.dumps(value, option=_PRETTY | orjson.OPT_SORT_KEYS if sort else _PRETTY)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn what the system says against writing `path` into a StoreError that names it and says what to do."""
    try:
        yield
    except OSError as error:
        raise StoreError(
            f"{path}: cannot be written ({error.strerror or error}); "
            "make room or allow it, then run the same command again: what is finished is kept"
        ) from error


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file whole or not at all; the last of several writers wins. Raises StoreError naming the file."""
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            Path(temporary).chmod(0o644)  # mkstemp makes files that only their owner can read
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of `path`, a file beside it; whoever else wants it waits. Raises StoreError."""
    from filelock import FileLock

    lock = FileLock(f"{path}.lock")
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


def write_json(path: Path, value: Any, *, sort: bool = True) -> None:
    """Write `value` as JSON, whole or not at all."""
    try:
        content = to_json(value, sort=sort)
    except TypeError as error:
        if "Recursion" not in str(error):
            raise
        raise StoreError(f"{path}: cannot be written, what it is to hold is nested more than 250 deep") from error
    write_bytes(path, content)


def read_json(path: Path) -> Any:
    """Return the value in a JSON file. Raises StoreError naming the file."""
    try:
        return orjson.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise StoreError(f"{path}: cannot be read as JSON ({error}); delete it or restore it") from error


def append_line(path: Path, value: Any) -> None:
    """Append `value` as one line of JSON, whole or not at all, so that workers do not mix lines.

    What a killed writer left of its line is cut off first. Raises StoreError naming the file.
    """
    line = orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE)
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            if fcntl is not None:
                fcntl.flock(descriptor, fcntl.LOCK_EX)  # closing the file gives the lock back
            _append(descriptor, line)
        finally:
            os.close(descriptor)


def _append(descriptor: int, line: bytes) -> None:
    """Write a line at the end of a file that nobody else writes to now; leave no half of it behind."""
    size = _whole_lines(descriptor)
    rest = line
    try:
        while rest:  # a disk that fills takes the beginning and says so, and fails at the next write
            rest = rest[os.write(descriptor, rest) :]
    except OSError:
        os.ftruncate(descriptor, size)
        raise


def _whole_lines(descriptor: int) -> int:
    """Cut a torn last line off, and return the size that is left."""
    size = os.lseek(descriptor, 0, os.SEEK_END)
    end = size
    while end and os.pread(descriptor, 1, end - 1) != b"\n":
        end -= 1
    if end < size:
        os.ftruncate(descriptor, end)
    return end


def read_lines(path: Path) -> list[Any]:
    """Return the values of a file of JSON lines; a torn last line is dropped, no file is empty."""
    if not path.exists():
        return []
    lines = path.read_bytes().split(b"\n")
    complete, rest = lines[:-1], lines[-1]
    try:
        values = [orjson.loads(line) for line in complete if line]
    except orjson.JSONDecodeError as error:
        raise StoreError(f"{path}: a line within it is no JSON ({error}); delete the file or mend it") from error
    try:
        return [*values, orjson.loads(rest)] if rest else values
    except orjson.JSONDecodeError:
        return values


def repeat_name(name: str, repeat: int) -> str:
    """Return the file name of a repeat: the name itself for the first, `name~r2` for the second.

    Raises StoreError where name or repeat are none, as they may be in a file that others made.
    """
    if not isinstance(name, str) or type(repeat) is not int or repeat < 1:
        raise StoreError(f"item {name!r}, repeat {repeat!r}: a name and a whole number from 1 up are wanted")
    return slug(name) if repeat == 1 else f"{slug(name)}~r{repeat}"


def within(folder: Path, path: Path) -> Path:
    """Return `path`, which is to be written. Raises StoreError where it leads out of `folder`, by `..` or a link."""
    if not path.resolve().is_relative_to(folder.resolve()):
        raise StoreError(f"{path}: leads out of {folder}; nothing is written there")
    return path


def item_key(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return what identifies an item within a session, from its row of results."""
    return tuple(row[name] for name in ("setting", "design", "person", "probe", "repeat"))


class Results:
    """The paths of one results folder."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @property
    def manifest(self) -> Path:
        """What this session is to produce: settings, suite and every expected item."""
        return self.root / "manifest.json"

    @property
    def spend(self) -> Path:
        """The ledger: a line for each model call."""
        return self.root / "spend.jsonl"

    @property
    def budget(self) -> Path:
        """What the running session has spent of its budget, where it has one."""
        return self.root / "budget.json"

    def memory(self, setting: str, design: str, person: str, repeat: int) -> Path:
        """The snapshot of one built memory."""
        return self.root / slug(setting) / "mem" / slug(design) / f"{repeat_name(person, repeat)}.json"

    def row(self, setting: str, design: str, person: str, probe: str, repeat: int) -> Path:
        """What one item came to: outcome, tokens, calls."""
        return self.probe("rows", setting, design, person, probe, repeat)

    def cost(self, setting: str, design: str, cell: str, seed: str) -> Path:
        """What each turn of one conversation billed."""
        return self.root / slug(setting) / "cost" / slug(design) / f"{slug(cell)}-{slug(seed)}.json"

    def replies(self, setting: str, design: str, cell: str, seed: str) -> Path:
        """What the model replied to the design in one conversation, a line for each chat call."""
        return self.cost(setting, design, cell, seed).with_suffix(".replies.jsonl")

    @property
    def mechanism(self) -> Path:
        """How far dry runs miss each design's cost at cells whose replies they do not use."""
        return self.root / "mechanism.json"

    def probe(self, stage: str, setting: str, design: str, person: str, probe: str, repeat: int) -> Path:
        """What one stage ("ans", "judge" or "judge2") wrote for one probe."""
        folder = self.root / slug(setting) / stage / slug(design) / slug(person)
        return folder / f"{repeat_name(probe, repeat)}.json"
