"""Recorded replies made longer and shorter: the form stays, the number of words changes."""

import json

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_membench.run.stretch import stretch

TEXTS = st.text("ab cé", max_size=60)


@given(TEXTS)
def test_a_factor_of_one_changes_no_text(text: str) -> None:
    """Also text that holds JSON means the same as before."""
    assert stretch(text, 1.0) == text
    facts = {"facts": [text, {"id": "7", "text": text}]}
    assert orjson.loads(stretch(json.dumps(facts), 1.0)) == facts


@given(st.lists(st.text("abc", min_size=1, max_size=4), min_size=2, max_size=40), st.floats(0.1, 5))
def test_a_line_gets_about_the_factor_s_words_and_keeps_its_ends(words: list[str], factor: float) -> None:
    """The date at its beginning and the priority at its end are what designs read."""
    found = stretch(" ".join(words), factor).split(" ")
    assert len(found) == max(2, round(len(words) * factor))
    assert (found[0], found[-1]) == (words[0], words[-1])
    assert set(found) <= set(words)


@given(st.lists(TEXTS, max_size=5), st.floats(0.1, 5))
def test_json_keeps_its_form(texts: list[str], factor: float) -> None:
    """As many items, under the same keys; ids, numbers and single words stay as they are."""
    reply = {"operations": [{"op": "add", "id": "12", "n": 3, "text": text} for text in texts]}
    found = orjson.loads(stretch(json.dumps(reply), factor))
    assert [{**one, "text": ""} for one in found["operations"]] == [{**one, "text": ""} for one in reply["operations"]]


@pytest.mark.parametrize("fence", ["{}", "```json\n{}\n```", "Here it is: {}"])
def test_what_stands_around_json_stays(fence: str) -> None:
    """Models put code fences around what they were asked for."""
    found = stretch(fence.replace("{}", '{"facts": ["one two three four"]}'), 2.0)
    inner = found[found.index("{") : found.rindex("}") + 1]
    assert fence.replace("{}", inner) == found
    (fact,) = orjson.loads(inner)["facts"]
    assert (len(fact.split()), fact[:4], fact[-4:]) == (8, "one ", "four")


def test_lines_stay_lines() -> None:
    """A summary of two lines is still one of two; braces that are no JSON are text."""
    assert stretch("- a b c d\n- e {f g} h i", 0.5).split("\n") == ["- d", "- e i"]
