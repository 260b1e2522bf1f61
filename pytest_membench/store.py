"""The results folder: where each result lies, and how JSON is written so that nothing is torn."""

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from pytest_membench.data import slug
from pytest_membench.errors import StoreError

_PRETTY = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE


def to_json(value: Any, *, sort: bool = True) -> bytes:
    """Return `value` as indented UTF-8 JSON that ends in a new line, its keys sorted unless told not to."""
    return orjson.dumps(value, option=_PRETTY | orjson.OPT_SORT_KEYS if sort else _PRETTY)


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file whole or not at all; the last of several writers wins."""
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


def write_json(path: Path, value: Any, *, sort: bool = True) -> None:
    """Write `value` as JSON, whole or not at all."""
    write_bytes(path, to_json(value, sort=sort))


def read_json(path: Path) -> Any:
    """Return the value in a JSON file. Raises StoreError naming the file."""
    try:
        return orjson.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise StoreError(f"{path}: cannot be read as JSON ({error}); delete it or restore it") from error


def append_line(path: Path, value: Any) -> None:
    """Append `value` as one line of JSON in a single write, so that workers do not mix lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    line = orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE)
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        os.write(descriptor, line)
    finally:
        os.close(descriptor)


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
    """Return the file name of a repeat: the name itself for the first, `name~r2` for the second."""
    return slug(name) if repeat == 1 else f"{slug(name)}~r{repeat}"


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
