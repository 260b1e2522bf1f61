"""How an endpoint is opened: nowhere in strict replay, the stand-in for sim, else what the environment names."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from pytest_membench.data import Record, Setting
from pytest_membench.errors import InputError
from pytest_membench.llm import secrets
from pytest_membench.llm.client import Endpoint

UNUSED_URL = "http://replay.invalid/v1"
"""Where strict replay points its client: a name that cannot resolve."""
OPENAI_URL = "https://api.openai.com/v1"


@contextmanager
def opened(
    setting: Setting, record: Record, *, judge: bool = False, base_url: str | None = None, timeout_s: float = 300.0
) -> Iterator[Endpoint]:
    """Yield a client for the setting, closed at the end; in strict replay one that has nowhere to call.

    `judge` lets MEMBENCH_JUDGE_API_KEY go before OPENAI_API_KEY, and `base_url` goes before
    OPENAI_BASE_URL. Raises InputError where a live call would have no key.
    """
    with ExitStack() as stack:
        if record == "none":
            endpoint = Endpoint(UNUSED_URL, "replay", trust_env=False)
        elif setting.model == "sim" or record == "plan":
            from pytest_membench.llm.sim.server import SimServer

            endpoint = Endpoint(stack.enter_context(SimServer()).base_url, "sim", trust_env=False)
        else:
            endpoint = Endpoint(*_address(base_url, judge=judge), timeout_s=timeout_s)
        stack.callback(endpoint.close)
        yield endpoint


def _address(base_url: str | None, *, judge: bool) -> tuple[str, str]:
    """Return base URL and key from the environment."""
    url = base_url or os.environ.get("OPENAI_BASE_URL")
    key = (os.environ.get("MEMBENCH_JUDGE_API_KEY") if judge else None) or os.environ.get("OPENAI_API_KEY")
    if not key:
        raise InputError(
            "recording needs a key: set OPENAI_API_KEY (any text where the endpoint wants none), and "
            "OPENAI_BASE_URL unless it is OpenAI's own; or replay what is recorded (record mode none)"
        )
    return secrets.Secret(url or OPENAI_URL), secrets.Secret(key)
