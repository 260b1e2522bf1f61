"""The JSON schema describes the summaries that sessions write, and notices what is renamed or missing."""

import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import report_session
from jsonschema import Draft202012Validator

from pytest_membench.report import schema
from pytest_membench.report.folder import read
from pytest_membench.report.summary import summary_of

ROOT = Path(__file__).parents[3]
VALIDATOR = Draft202012Validator(schema.load())


def plain(summary: Any) -> Any:
    """Return a summary as its file holds it."""
    return json.loads(json.dumps(summary))


@pytest.fixture(scope="module")
def summary(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The summary of a session with all parts, and what the gate and the judge's calibration add."""
    found = plain(summary_of(report_session.write(tmp_path_factory.mktemp("schema"))))
    gate = {"verdict": "ok", "reasons": [], "drop": 0.0, "p_value": 1.0, "detectable_drop": 9.4}
    found["gate"] = {"paid": {"window": {**gate, "newly_wrong": [], "newly_right": []}}}
    by_type = {"vague": {"n": 10, "right": 8}}
    found["judge_check"] = {
        "judge": "paid",
        "accuracy": 0.9,
        "interval": [0.8, 0.95],
        "kappa": 0.8,
        "n": 60,
        "by_type": by_type,
    }
    return found


def test_the_schema_is_a_schema() -> None:
    """It obeys draft 2020-12, and says so."""
    Draft202012Validator.check_schema(schema.load())
    assert schema.load()["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def test_a_whole_summary_is_valid(summary: Any) -> None:
    """With probes, conversations, prices, gate and calibration."""
    assert list(VALIDATOR.iter_errors(summary)) == []


@pytest.mark.parametrize("outcomes", [["correct"], ["wrong", "partial"], [None], ["not_judged"], ["correct", None]])
def test_summaries_of_small_sessions_are_valid(write_session: Callable[..., Path], outcomes: list[str | None]) -> None:
    """Complete or not, with or without a score."""
    found = summary_of(read(write_session("a", {("maya", "recall-01"): outcomes})))
    assert list(VALIDATOR.iter_errors(plain(found))) == []


def test_more_keys_are_welcome(summary: Any) -> None:
    """Keys may be added at any place."""
    more = copy.deepcopy(summary)
    more["new"] = more["scores"]["paid"]["window"]["new"] = 1
    assert list(VALIDATOR.iter_errors(more)) == []


def _required(node: Any, value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the path of every key that the schema requires in a value, one of each kind."""
    node = schema.load()["$defs"][node["$ref"].split("/")[-1]] if "$ref" in node else node
    if not isinstance(value, dict):
        return
    for name in node.get("required", []):
        yield (*path, name)
        yield from _required(node["properties"][name], value[name], (*path, name))
    if isinstance(node.get("additionalProperties"), dict) and value:
        first = max(value)
        yield from _required(node["additionalProperties"], value[first], (*path, first))


def test_a_renamed_or_missing_key_is_noticed_wherever_it_stands(summary: Any) -> None:
    """Each required key is taken away in turn: the summary is no longer valid."""
    paths = list(_required(schema.load(), summary))
    assert len(paths) > 80
    for path in paths:
        less = copy.deepcopy(summary)
        place = less
        for name in path[:-1]:
            place = place[name]
        place[path[-1] + "_renamed"] = place.pop(path[-1])
        assert not VALIDATOR.is_valid(less), path


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("complete",), "yes"),
        (("scores", "paid", "window", "score"), 101),
        (("scores", "paid", "window", "n"), -1),
        (("costs", "paid", "window", "break_even", "20x50", "tokens", "turn"), "sometimes"),
        (("costs", "paid", "window", "worst_cell"), "large"),
        (("gate", "paid", "window", "verdict"), "fine"),
    ],
)
def test_a_value_out_of_its_range_is_noticed(summary: Any, path: tuple[str, ...], value: Any) -> None:
    """Types, ranges and words are part of the contract."""
    wrong = copy.deepcopy(summary)
    place = wrong
    for name in path[:-1]:
        place = place[name]
    place[path[-1]] = value
    assert not VALIDATOR.is_valid(wrong)


def test_every_key_is_described() -> None:
    """The reference has a sentence for each."""
    assert [path for path, node in schema.keys(schema.load()) if not node.get("description", "").endswith(".")] == []


def test_the_schema_names_every_key_that_a_summary_has(summary: Any) -> None:
    """A key that is written and not described is forgotten."""
    known = {path for path, _ in schema.keys(schema.load())}

    def unknown(node: Any, value: Any, path: str) -> Iterator[str]:
        node = schema.load()["$defs"][node["$ref"].split("/")[-1]] if "$ref" in node else node
        for name, child in value.items() if isinstance(value, dict) else ():
            below = node.get("properties", {}).get(name, node.get("additionalProperties"))
            if below is None and path != "settings.*.price":
                yield f"{path}.{name}".lstrip(".")
            elif below is not None:
                star = "*" if name not in node.get("properties", {}) else name
                yield from unknown(below, child, f"{path}.{star}".lstrip("."))

    assert list(unknown(schema.load(), summary, "")) == []
    assert "costs.*.*.break_even.*.tokens.turn" in known


def test_the_reference_is_made_from_the_schema() -> None:
    """docs/reference/summary.md is what `python -m pytest_membench.report.schema` prints."""
    assert (ROOT / "docs/reference/summary.md").read_text(encoding="utf-8") == schema.reference()
