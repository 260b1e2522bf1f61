"""The JSON schema of summary.json, and the reference of its keys in Markdown.

`python -m pytest_membench.report.schema` prints the reference, docs/reference/summary.md.
"""

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pytest_membench.store import read_json

PATH = Path(__file__).parent / "summary.schema.json"


def load() -> dict[str, Any]:
    """Return the schema, JSON Schema draft 2020-12."""
    found: dict[str, Any] = read_json(PATH)
    return found


def reference() -> str:
    """Return a Markdown table of every key: its path, its type, and what it means."""
    schema = load()
    head = [
        "# summary.json",
        "",
        schema["description"],
        "The schema is `pytest_membench/report/summary.schema.json` (JSON Schema draft 2020-12); this page is made from",
        "it by `python -m pytest_membench.report.schema`. `*` stands for any name: a setting, a design, a cell, a kind.",
        "",
        "| key | type | meaning |",
        "|---|---|---|",
    ]
    rows = [f"| `{path}` | {_types(node)} | {node['description']} |" for path, node in keys(schema)]
    return "\n".join([*head, *rows]) + "\n"


def keys(schema: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the path and the schema of every key, in the schema's order; references are followed."""
    yield from _below(schema, schema, "")


def _below(schema: Mapping[str, Any], node: Mapping[str, Any], path: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    children = dict(node.get("properties", {}))
    if "additionalProperties" in node:
        children["*"] = node["additionalProperties"]
    for name, given in children.items():
        child = schema["$defs"][given["$ref"].split("/")[-1]] if "$ref" in given else given
        own = f"{path}.{name}" if path else name
        if name != "*":
            yield own, child
        yield from _below(schema, child, own)


def _types(node: Mapping[str, Any]) -> str:
    kinds = node.get("type", [])
    names = [kinds] if isinstance(kinds, str) else list(kinds)
    names += [str(option.get("type", option.get("const"))) for option in node.get("oneOf", [])]
    names += [str(node["const"])] if "const" in node else []
    return " or ".join(names)


if __name__ == "__main__":
    sys.stdout.write(reference())
