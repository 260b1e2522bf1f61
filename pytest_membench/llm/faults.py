"""What went wrong with an attempt at a call: in words, whether another may help, and whether it was billed."""

from collections.abc import Mapping
from typing import Any

import httpx2
import openai

from pytest_membench.errors import CallFailed
from pytest_membench.llm import refusals
from pytest_membench.llm.deadline import TotalTimeout

CONNECT_SHARE = 0.1
"""How much of a call's time may pass before there is a connection."""
_AGAIN = {408, 409, 429}
NOT_PROCESSED = {*range(400, 500)} - {408, 409}
"""Refusals before a model saw the request: no tokens, no bill."""


class Upstream(CallFailed):
    """A response without a reply; `body` may say what went wrong behind the endpoint."""

    def __init__(self, message: str, body: Mapping[str, Any]) -> None:
        super().__init__(message)
        self.body = body


class Empty(CallFailed):
    """A reply without text: a second attempt may give one."""


def said(error: Exception, timeout_s: float) -> str:
    """Return what an error says; `timeout_s` is what a call was allowed. Secrets are still in it."""
    if isinstance(error, openai.APIStatusError):
        too_long = overflow_of(error)
        return f"HTTP {error.status_code}: " + (f"{too_long}: " if too_long else "") + error.message
    if isinstance(error, CallFailed):
        too_long = overflow_of(error)
        return (f"{too_long}: " if too_long else "") + str(error)
    cause = error.__cause__ or error
    if isinstance(cause, httpx2.TimeoutException):
        return _said_of_timeout(cause, timeout_s)
    if isinstance(error, ValueError):
        return f"the reply is no JSON, it is cut off or another page ({type(error).__name__}: {error})"
    return f"{type(error).__name__}: {error}" + (f" ({type(cause).__name__}: {cause})" if cause is not error else "")


def _said_of_timeout(error: httpx2.TimeoutException, timeout_s: float) -> str:
    allowed, what = timeout_s, "the endpoint sent nothing"
    if isinstance(error, httpx2.ConnectTimeout):
        allowed, what = CONNECT_SHARE * timeout_s, "there was no connection"
    elif isinstance(error, TotalTimeout):
        what = "the reply did not end"
    name = "connect" if isinstance(error, httpx2.ConnectTimeout) else "read"
    return f"{name} timeout: {what} within {allowed:g} s; allow more with --membench-timeout (now {timeout_s:g} s)"


def refusal(error: Exception | None) -> tuple[int | None, dict[str, Any]]:
    """Return status and body of a refusal; nothing for other errors."""
    if not isinstance(error, openai.APIStatusError):
        return None, {}
    try:
        body = error.response.json()
    except ValueError:
        body = error.response.text
    return error.status_code, body if isinstance(body, dict) else {"error": {"message": str(body)}}


def overflow_of(error: Exception) -> refusals.Overflow | None:
    """Return how the prompt is too long, where that is why the call failed; some routers say it with status 200."""
    if isinstance(error, Upstream):
        return refusals.overflow(400, error.body)
    status, body = refusal(error)
    return refusals.overflow(status, body) if status is not None else None


def never_sent(error: Exception | None) -> bool:
    """Whether no connection was made, so that nothing can have been billed."""
    cause = error.__cause__ if error is not None else None
    return isinstance(cause or error, httpx2.ConnectError | httpx2.ConnectTimeout)


def worth_another(error: Exception, attempt: int) -> bool:
    """Whether what failed at attempt number `attempt` may work at the next."""
    if overflow_of(error) is not None:
        return False
    if isinstance(error, openai.APIStatusError):
        return error.status_code in _AGAIN or error.status_code >= 500
    return attempt == 1 if isinstance(error, Empty) else not isinstance(error, CallFailed)
