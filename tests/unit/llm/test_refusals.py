"""Refusals: a prompt that is too long is told from every other one, with its numbers."""

from typing import Any

import pytest

from pytest_membench.llm.refusals import Overflow, overflow

# Shapes and figures are those of bodies that users reported in issues of these GitHub repositories: for OpenAI of
# crewAI-examples 121, chatbot-ui 102 and archi 497, for llama.cpp of textgen 7257 and llama.cpp 15780, for vLLM of
# ogx 4534, for OpenRouter of OpenHands 9937, for Anthropic of project-guide 2 and continue 6080, for Gemini of
# gemini-cli 6678, for llama-cpp-python of rllm 55, for ds4 of ds4 150.
BODIES: list[tuple[Any, Overflow]] = [
    (
        {
            "error": {
                "message": "This model's maximum context length is 8192 tokens. However, your messages resulted in 8227 tokens.",
                "code": "context_length_exceeded",
            }
        },
        Overflow(8227, 8192),
    ),
    (
        {
            "error": {
                "message": "This model's maximum context length is 4097 tokens. However, you requested 4120 tokens (3120 in the messages, 1000 in the completion).",
                "code": "context_length_exceeded",
            }
        },
        Overflow(3120, 4097),
    ),
    (
        {
            "error": {
                "message": "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 477469 tokens.",
                "code": "context_length_exceeded",
            }
        },
        Overflow(477469, 272000),
    ),
    (
        {
            "error": {
                "message": "any words",
                "type": "exceed_context_size_error",
                "n_prompt_tokens": 14429,
                "n_ctx": 8192,
            }
        },
        Overflow(14429, 8192),
    ),
    (
        {
            "object": "error",
            "message": "This model's maximum context length is 6048 tokens. However, you requested 6616 tokens (568 in the messages, 6048 in the completion).",
            "type": "BadRequestError",
            "code": 400,
        },
        Overflow(568, 6048),
    ),
    (
        {
            "error": {
                "message": "This endpoint's maximum context length is 131072 tokens. However, you requested about 138956 tokens (7884 of text input, 131072 in the output).",
                "code": 400,
            }
        },
        Overflow(7884, 131072),
    ),
    (
        {
            "type": "error",
            "error": {"type": "invalid_request_error", "message": "prompt is too long: 208656 tokens > 200000 maximum"},
        },
        Overflow(208656, 200000),
    ),
    (
        {
            "error": {
                "type": "invalid_request_error",
                "message": "input length and `max_tokens` exceed context limit: 199759 + 8192 > 200000, decrease them",
            }
        },
        Overflow(199759, 200000),
    ),
    (
        {
            "error": {
                "code": 400,
                "status": "INVALID_ARGUMENT",
                "message": "The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).",
            }
        },
        Overflow(1200293, 1048576),
    ),
    ({"error": {"message": "Requested tokens (516) exceed context window of 512"}}, Overflow(516, 512)),
    (
        {"error": {"message": "Prompt tokens (9) exceeds context size (8)", "type": "context_exceeded"}},
        Overflow(None, 8),
    ),
    ({"error": {"message": "Input is too long for requested model."}}, Overflow(None, None)),
    ({"error": "the request exceeds the available context size, try increasing it"}, Overflow(None, None)),
]


@pytest.mark.parametrize(("body", "found"), BODIES)
def test_a_prompt_that_is_too_long_is_recognised(body: Any, found: Overflow) -> None:
    """Prompt and limit are read where the body says them, and unknown where it does not."""
    assert overflow(400, body) == found


@pytest.mark.parametrize(
    "message",
    [
        "response_format is not supported",
        "max_tokens is too large: 100000. This model supports at most 16384 completion tokens",
        "Invalid 'messages[0].content': string too long",
        "the model does not exist",
        "",
    ],
)
def test_another_bad_request_is_no_overflow(message: str) -> None:
    """A limit on the output, or on a field, says nothing about the context."""
    assert overflow(400, {"error": {"message": message, "type": "invalid_request_error", "code": None}}) is None


@pytest.mark.parametrize("status", [401, 402, 429, 503])
def test_a_refusal_of_the_account_is_no_overflow(status: int) -> None:
    """A limit on tokens a minute may speak of the context and passes with time."""
    assert overflow(status, {"error": {"message": "maximum context length is 8 tokens"}}) is None


@pytest.mark.parametrize("body", [None, [], "busy", {"error": None}, {"error": ["x"]}, {"error": {"message": 7}}])
def test_a_body_of_another_shape_is_no_overflow(body: object) -> None:
    """What cannot be read says nothing."""
    assert overflow(400, body) is None


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (Overflow(1407, 256), "the prompt of 1,407 tokens is longer than the context of 256 tokens"),
        (
            Overflow(568, 6048),
            (
                "the prompt of 568 tokens and the reply asked for are longer than the context of 6,048 tokens; "
                "lower --membench-max-tokens"
            ),
        ),
        (Overflow(None, 256), "the prompt is longer than the context of 256 tokens"),
        (Overflow(None, None), "the prompt is longer than the context"),
    ],
)
def test_it_says_what_it_knows(found: Overflow, said: str) -> None:
    """A number that is not known is left out, and never 0."""
    assert str(found) == said
