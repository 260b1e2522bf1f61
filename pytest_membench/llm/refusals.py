"""Read an endpoint's refusal: is the prompt too long, by how much, and how long to wait before the next attempt."""

import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple

LONGEST_WAIT_S = 60.0
"""The longest wait between two attempts, whatever a server asks for."""

# The bodies of OpenAI, Azure and vLLM (code or wording), llama.cpp (type, n_prompt_tokens, n_ctx), Anthropic,
# OpenRouter ("This endpoint's maximum context length is"), Gemini, Bedrock, Groq and llama-cpp-python, as users
# have reported them in public issues.
_CODES = {"context_length_exceeded", "exceed_context_size_error", "context_exceeded", "context_window_exceeded"}
_WORDING = re.compile(
    r"maximum context length|prompt is too long|input is too long|input length and `?max_tokens`? exceed"
    r"|exceeds? (?:the )?(?:available |model'?s? )?context (?:size|window|length|limit)"
    r"|input tokens? (?:count )?(?:\(\d+\) )?exceeds? the|context[_ ]length[_ ]exceeded",
    re.IGNORECASE,
)
_N = r"(\d[\d,]*)"
_LIMIT = re.compile(
    rf"maximum context length is {_N}|> {_N}|allowed \({_N}\)|configured limit of {_N}|context window of {_N}"
    rf"|context size \({_N}|of only {_N}",
    re.IGNORECASE,
)
# What names the prompt alone goes before what counts the reply that was asked for too.
_PROMPT = (
    re.compile(rf"\({_N} (?:in the messages|in your prompt|of text input|of the input)", re.IGNORECASE),
    re.compile(
        rf"resulted in {_N}|too long: {_N}|token count \({_N}\)|limit: {_N} \+|requested tokens \({_N}|request \({_N}"
        rf"|requested (?:about )?{_N}|prompt contains (?:at least )?{_N}",
        re.IGNORECASE,
    ),
)


class Overflow(NamedTuple):
    """A prompt that is longer than the context: its tokens and the limit, where the endpoint says them."""

    prompt: int | None
    limit: int | None

    def __str__(self) -> str:
        prompt = f"the prompt of {self.prompt:,} tokens" if self.prompt is not None else "the prompt"
        limit = f" of {self.limit:,} tokens" if self.limit is not None else ""
        if self.prompt is not None and self.limit is not None and self.prompt <= self.limit:
            return f"{prompt} and the reply asked for are longer than the context{limit}; lower --membench-max-tokens"
        return f"{prompt} is longer than the context{limit}"


def overflow(status: int, body: object) -> Overflow | None:
    """Return what a refusal says of a prompt that is too long, or None for any other refusal.

    `body` is the error object of the response, or the whole response. A rate limit that names
    tokens (429) is none, and neither is an outage.
    """
    if status not in (400, 413, 422, 500):
        return None
    found = _error(body)
    text = str(found.get("message") or "")
    named = {str(found.get(name)) for name in ("code", "type")}
    if not (named & _CODES or _WORDING.search(text)):
        return None
    return Overflow(
        _whole(found.get("n_prompt_tokens")) or _number(_PROMPT[0], text) or _number(_PROMPT[1], text),
        _whole(found.get("n_ctx")) or _number(_LIMIT, text),
    )


def _error(body: object) -> Mapping[str, Any]:
    if not isinstance(body, dict):
        return {"message": body if isinstance(body, str) else ""}
    inner = body.get("error")
    if isinstance(inner, str):
        return {**body, "message": inner}
    return inner if isinstance(inner, dict) else body


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _number(pattern: re.Pattern[str], text: str) -> int | None:
    match = pattern.search(text)
    found = next((group for group in match.groups() if group), None) if match else None
    return int(found.replace(",", "")) if found else None


def wait_s(headers: Mapping[str, str], attempt: int, now_s: float) -> float:
    """Return the seconds to wait after attempt number `attempt`: what the server asks for, else 1, 2, 4, ... seconds.

    Retry-After is seconds or a date (RFC 9110, 10.2.3); a date counts from the response's own Date,
    or from `now_s` (seconds since 1970) where it has none.
    """
    for name, scale in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            return _bounded(float(headers[name]) / scale)
        except (KeyError, ValueError):
            continue
    then = _moment(headers.get("retry-after"))
    if then is not None:
        sent = _moment(headers.get("date"))
        return _bounded(then - (now_s if sent is None else sent))
    return min(2.0 ** (attempt - 1), LONGEST_WAIT_S)


def _moment(text: str | None) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp() if text else None
    except ValueError:
        return None


def _bounded(seconds: float) -> float:
    return min(max(0.0, seconds), LONGEST_WAIT_S)  # max() first: a NaN becomes 0
