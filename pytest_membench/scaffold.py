"""Write a ready benchmark into a folder: a design, a suite of one short person, a CI workflow."""

import re
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from pytest_membench.errors import InputError

TEMPLATES = files("pytest_membench") / "templates"


def write(folder: Path) -> list[Path]:
    """Write the templates under `folder` and return their paths.

    Raises InputError naming the first file that is there already, or that stands where a folder
    has to be; nothing is written then.
    """
    contents = dict(_contents(TEMPLATES, Path()))
    for name in contents:
        for path in (folder / name, *(folder / parent for parent in name.parents)):
            if path.exists() and (path == folder / name or not path.is_dir()):
                raise InputError(f"{path} exists already; run `membench init` in an empty folder")
    for name, content in contents.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return sorted(folder / name for name in contents)


def _contents(folder: Traversable, under: Path) -> list[tuple[Path, bytes]]:
    """Return (relative path, content) of each template; `dot-` at the start of a name stands for a dot."""
    found: list[tuple[Path, bytes]] = []
    for entry in sorted(folder.iterdir(), key=lambda e: e.name):
        name = under / re.sub("^dot-", ".", entry.name).removesuffix(".txt")
        if entry.is_dir() and entry.name != "__pycache__":
            found += _contents(entry, name)
        elif entry.is_file():
            found.append((name, entry.read_bytes()))
    return found
