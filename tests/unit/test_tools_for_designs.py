"""bm25, read_json and count_tokens: what designs are given beside search_chat."""

from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_membench import bm25, count_tokens, read_json
from pytest_membench.tools import words

SMALL = st.lists(st.sampled_from(["red", "blue", "cat", "dog", "the"]), max_size=4).map(" ".join)


@dataclass(frozen=True)
class Row:
    """A shape with a text, a number and something optional."""

    text: str
    level: int
    note: str | None = None


@given(st.lists(SMALL, max_size=20), SMALL, st.integers(-1, 25))
def test_bm25_gives_places_of_matching_texts_alone(texts: list[str], query: str, k: int) -> None:
    """At most k, none twice, each sharing a word with the query, and all of them where k allows."""
    found = bm25(query, texts, k)
    sharing = [i for i, text in enumerate(texts) if set(words(text)) & set(words(query))]
    assert set(found) <= set(sharing)
    assert len(found) == len(set(found)) == min(max(0, k), len(sharing))


def test_bm25_puts_the_best_first_and_equals_in_order() -> None:
    """Two words beat one, a rare word beats a common one."""
    texts = ["tent", "tent", "red tent", *(f"filler{n}" for n in range(9))]
    assert bm25("Red TENT!", texts, 5) == [2, 0, 1]
    assert bm25("red tent", texts, 1) == [2]
    assert bm25("", texts, 5) == bm25("red", [], 5) == []


@pytest.mark.parametrize(
    "text",
    [
        '{"rows": ["a", "b"]}',
        ' {"rows": ["a", "b"], "other": 1} ',
        '```json\n{"rows": ["a", "b"]}\n```',
        'Here it is: {"rows": ["a", "b"]} as asked.',
    ],
)
def test_a_reply_of_the_shape_is_read(text: str) -> None:
    """What stands around the object is passed over."""
    assert read_json(text, "rows", list[str]) == ["a", "b"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no JSON",
        "[]",
        '["a"]',
        "null",
        "{}",
        '{"rows": null}',
        '{"rows": "a"}',
        '{"rows": [1]}',
        '{"rows": ["a", null]}',
        '{"rows": ["a"',
        '{"rows": ["\\ud800"]}',
        '{"a": 1} {"rows": ["a"]}',
        "{" * 5_000 + "}",
    ],
)
def test_a_reply_of_another_shape_is_none(text: str) -> None:
    """Nothing is converted, guessed or completed, and nothing raises."""
    assert read_json(text, "rows", list[str]) is None


def test_dataclasses_are_shapes_too() -> None:
    """Fields are read by name, optional ones may be missing, types are strict."""
    given_rows = '{"rows": [{"text": "a", "level": 2}, {"text": "b", "level": 1, "note": "c", "more": []}]}'
    assert read_json(given_rows, "rows", list[Row]) == [Row("a", 2), Row("b", 1, "c")]
    assert read_json('{"rows": [{"text": "a", "level": "2"}]}', "rows", list[Row]) is None
    assert read_json('{"rows": [{"text": "a"}]}', "rows", list[Row]) is None


@given(st.text())
def test_no_reply_makes_it_raise(text: str) -> None:
    """Whatever a model says, the answer is a value or None."""
    shapes: list[type[Any]] = [list[str], dict[str, str], list[Row]]
    for shape in shapes:
        assert read_json(f'{{"rows": {text}}}', "rows", shape) is None or text.strip()


def test_tokens_are_those_of_o200k_base() -> None:
    """Nothing is nothing, and a word of everyday English is one token."""
    assert (count_tokens(""), count_tokens("hello"), count_tokens("hello world")) == (0, 1, 2)
