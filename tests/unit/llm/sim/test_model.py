"""The pure model: usage, ids, limits, embeddings, refusals; the same reply for the same request."""

import base64
import math
import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_membench import tokens
from pytest_membench.llm.sim.model import DIMENSIONS, BadRequest, complete, cut_off, embed, vector

BODY: dict[str, Any] = {
    "model": "sim",
    "messages": [
        {"role": "system", "content": "Sum up."},
        {"role": "user", "content": "[2026-08-03 09:00] Bo: It costs 5."},
    ],
}


def test_usage_is_counted() -> None:
    """Input is o200k_base and 3 a message, output the reply's tokens; nothing is cached or reasoned."""
    reply = complete(BODY)
    text = reply["choices"][0]["message"]["content"]
    prompt = tokens.count("Sum up.") + tokens.count(BODY["messages"][1]["content"]) + 6
    assert reply["usage"] == {
        "prompt_tokens": prompt,
        "completion_tokens": tokens.count(text),
        "total_tokens": prompt + tokens.count(text),
        "prompt_tokens_details": {"cached_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0},
    }


def test_the_same_request_has_the_same_reply_and_another_id_for_another() -> None:
    """Replies and ids follow from the request alone."""
    assert complete(BODY) == complete(BODY)
    assert complete(BODY)["id"] != complete({**BODY, "seed": 1})["id"]
    assert (complete(BODY)["created"], complete(BODY)["model"]) == (0, "sim")


@pytest.mark.parametrize("key", ["max_tokens", "max_completion_tokens"])
def test_a_token_limit_cuts(key: str) -> None:
    """A reply over the limit is cut and says so; one within it is whole."""
    short = complete({**BODY, key: 3})["choices"][0]
    assert short["finish_reason"] == "length"
    assert tokens.count(short["message"]["content"]) <= 3
    assert complete({**BODY, key: 300})["choices"][0]["finish_reason"] == "stop"


@given(st.text(max_size=60), st.integers(0, 20))
def test_a_cut_text_fits_and_begins_the_whole(text: str, limit: int) -> None:
    """What is cut off is a prefix within the limit."""
    cut = cut_off(text, limit)
    assert text.startswith(cut)
    assert cut == text or tokens.count(cut) <= limit


@pytest.mark.parametrize(
    "change",
    [{"messages": []}, {"messages": None}, {"messages": ["a"]}, {"stream": True}, {"n": 2}],
)
def test_bad_requests_are_refused(change: dict[str, Any]) -> None:
    """What cannot be served is refused with a reason that names the field."""
    with pytest.raises(BadRequest, match=next(iter(change))):
        complete({**BODY, **change})


@pytest.mark.parametrize("content", [None, 7, [], [{"type": "text", "text": "It costs 5."}, "x"]])
def test_odd_contents_are_read_as_far_as_they_are_text(content: object) -> None:
    """Content in parts is joined, and content that is no text is empty: never an error."""
    reply = complete({"messages": [{"role": "user", "content": content}]})
    assert reply["choices"][0]["message"]["content"]


@given(st.lists(st.text("# ab\n[]{}\"'2026-08 Message from:\\", max_size=80), min_size=1, max_size=3))
def test_any_prompt_gets_a_reply(texts: list[str]) -> None:
    """Whatever the prompt holds, there is a reply that is not empty."""
    messages = [{"role": "user", "content": text} for text in texts]
    assert complete({"messages": messages})["choices"][0]["message"]["content"].strip()


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_question_gets_a_reply(memory: str, question: str) -> None:
    """Whatever is asked over whatever memory, there is a reply that is not empty."""
    content = f"# Memory\n{memory}\n\n# Message from Bo\n{question}"
    assert complete({"messages": [{"role": "user", "content": content}]})["choices"][0]["message"]["content"].strip()


def test_embeddings_are_unit_vectors() -> None:
    """Every text has a vector of length 1, near texts near ones, usage counted."""
    reply = embed({"model": "e", "input": ["barn roof", "roof of the barn", "", "tuba"]})
    vectors = [item["embedding"] for item in reply["data"]]
    assert all(len(v) == DIMENSIONS and math.isclose(sum(x * x for x in v), 1.0) for v in vectors)
    assert vectors[0] == vectors[1] != vectors[3]
    assert reply["usage"]["prompt_tokens"] == sum(map(tokens.count, ["barn roof", "roof of the barn", "", "tuba"]))


def test_embeddings_as_base64_are_the_same_floats() -> None:
    """The packed form holds the same numbers in single precision."""
    packed = embed({"input": "barn roof", "encoding_format": "base64"})["data"][0]["embedding"]
    assert struct.unpack(f"<{DIMENSIONS}f", base64.b64decode(packed)) == pytest.approx(vector("barn roof"))


@pytest.mark.parametrize("body", [{}, {"input": []}, {"input": [1]}, {"input": "a", "dimensions": 8}])
def test_bad_inputs_are_refused(body: dict[str, Any]) -> None:
    """An input that is no text, and another number of dimensions, are refused."""
    with pytest.raises(BadRequest):
        embed(body)
