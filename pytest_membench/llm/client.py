"""The client of any OpenAI-compatible endpoint: one request in, one metered reply out."""

import json
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any, TypeVar

import httpx2
import openai

from pytest_membench.data import Reply, Setting, Stage, Usage
from pytest_membench.errors import CallFailed, NotRecorded, StoreError
from pytest_membench.llm import secrets
from pytest_membench.llm.meter import Call, Meter, cost, read_usage
from pytest_membench.prices import Price

ATTEMPTS = 5
"""How often one call is tried before it has failed."""
LONGEST_WAIT_S = 60.0
_AGAIN = {408, 409, 429}
_Result = TypeVar("_Result")


class Empty(CallFailed):
    """A reply without a word; the same call may have one the next time."""


class Endpoint:
    """One HTTP client for one base URL; made once per worker, because making one takes 20 ms."""

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        trust_env: bool = True,
        timeout_s: float = 300.0,
        sleep: Callable[[float], None] = time.sleep,
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        none = CookieJar(DefaultCookiePolicy(allowed_domains=()))  # a call must not depend on those before it
        http = httpx2.Client(trust_env=trust_env, timeout=timeout_s, transport=transport, cookies=none)
        # Every setting is given here, so that no variable of the environment redirects the client.
        self._client = openai.OpenAI(
            base_url=base_url, api_key=api_key, organization="", project="", max_retries=0, http_client=http
        )
        logging.getLogger("httpcore2").setLevel(logging.INFO)  # below, it logs the headers that a server sets
        self._api_key = secrets.Secret(api_key)
        secrets.add(key=api_key, address=base_url)
        self.sleep = sleep

    def post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Send one request and return the JSON object of the response. Raises openai's errors."""
        response = self._client.post(path, body=dict(body), cast_to=httpx2.Response)
        data = json.loads(secrets.hide_known(response.text))
        if not isinstance(data, dict):
            raise CallFailed(f"the endpoint answered {type(data).__name__} where a JSON object was wanted")
        return data

    def hide(self, text: str) -> str:
        """Return `text` without the API key and whatever else looks like one."""
        return secrets.hide(text.replace(self._api_key, secrets.HIDDEN) if len(self._api_key) > 3 else text)

    def close(self) -> None:
        """Close the client's connections."""
        self._client.close()


@dataclass(frozen=True)
class Model:
    """A setting at an endpoint, with the sampling that every call uses."""

    endpoint: Endpoint
    setting: Setting
    temperature: float = 0.0
    max_tokens: int | None = None
    price: Price | None = None
    embedding_model: str | None = None
    embedding_price: Price | None = None

    def at(self, stage: Stage, meter: Meter, replays: Callable[[], int] = lambda: 0) -> "MeteredLLM":
        """Return the model as one stage sees it; `replays` counts the replays of the open cassette."""
        return MeteredLLM(self, stage, meter, replays)


@dataclass(frozen=True)
class MeteredLLM:
    """What a design, an answer or a judge talks to; every attempt goes to the meter."""

    model: Model
    stage: Stage
    meter: Meter
    replays: Callable[[], int]

    def chat(self, messages: Sequence[Mapping[str, str]], *, response_format: Mapping[str, Any] | None = None) -> Reply:
        """Send a chat; return its reply. Raises CallFailed; NotRecorded in strict replay."""
        setting = self.model.setting
        body: dict[str, Any] = {
            "model": setting.model,
            "messages": [{"role": m["role"], "content": m["content"]} for m in messages],
            "temperature": self.model.temperature,
        }
        if self.model.max_tokens is not None:
            body["max_tokens"] = self.model.max_tokens
        if setting.effort:
            body["reasoning_effort"] = setting.effort
        if setting.provider:
            body["provider"] = {"order": [setting.provider], "allow_fallbacks": False}
        if response_format is not None:
            body["response_format"] = dict(response_format)
        return self._send("chat", "/chat/completions", body, _reply)

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector for each text. Raises CallFailed; NotRecorded in strict replay."""
        if not texts:
            return []
        model = self.model.embedding_model or self.model.setting.model
        body = {"model": model, "input": list(texts), "encoding_format": "float"}
        return self._send("embed", "/embeddings", body, lambda data, _: _vectors(data, len(texts)))

    def _send(
        self, kind: str, path: str, body: Mapping[str, Any], read: Callable[[Mapping[str, Any], Usage], _Result]
    ) -> _Result:
        for attempt in range(1, ATTEMPTS + 1):
            started, replayed = time.perf_counter(), self.replays()
            try:
                data = self.model.endpoint.post(path, body)
                usage = read_usage(data.get("usage"))
                result = read(data, usage)
            except (NotRecorded, StoreError) as broken:
                self.meter.failures.append(broken)
                raise
            except (openai.OpenAIError, httpx2.HTTPError, CallFailed, ValueError) as error:
                self._note(kind, attempt, started, replayed, error=self._describe(error))
                if attempt == ATTEMPTS or not _worth_another(error):
                    failed = self._failed(error, attempt)
                    self.meter.failures.append(failed)
                    raise failed from None
                self.model.endpoint.sleep(_wait_s(error, attempt))
                continue
            self._note(kind, attempt, started, replayed, data=data, usage=usage)
            return result
        raise AssertionError("unreachable: the last attempt returns or raises")

    def _note(
        self,
        kind: str,
        attempt: int,
        started: float,
        replays: int,
        data: Mapping[str, Any] | None = None,
        usage: Usage | None = None,
        error: str | None = None,
    ) -> None:
        reported = (data or {}).get("usage")
        observed = reported.get("cost") if isinstance(reported, dict) else None
        self.meter.record(
            Call(
                stage=self.stage,
                setting=self.model.setting,
                kind=kind,
                usage=usage or Usage(),
                attempt=attempt,
                seconds=time.perf_counter() - started,
                replayed=self.replays() > replays,
                provider=_text((data or {}).get("provider")),
                usd=cost(self.model.price if kind == "chat" else self.model.embedding_price, usage) if usage else None,
                observed_usd=float(observed) if isinstance(observed, int | float) else None,
                error=error,
            )
        )

    def _describe(self, error: Exception) -> str:
        """Return what an error says, short; secrets are hidden first, so that no cut leaves a half."""
        return self.model.endpoint.hide(_said(error))[:400]

    def _failed(self, error: Exception, attempts: int) -> CallFailed:
        what = self._describe(error)
        status = error.status_code if isinstance(error, openai.APIStatusError) else None
        message = f"{self.stage} call to {self.model.setting.key} failed after {attempts} attempt(s): {what}"
        return CallFailed(message, status)


def _reply(data: Mapping[str, Any], usage: Usage) -> Reply:
    choices = data.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        raise CallFailed(f"the endpoint gave no reply{_complaint(data)}")
    reply = Reply(
        text=_text(message.get("content")) or "",
        usage=usage,
        provider=_text(data.get("provider")),
        finish_reason=_text(choice.get("finish_reason")),
    )
    if not reply.text.strip() and reply.finish_reason != "length":
        raise Empty(f"the reply is empty (finish reason {reply.finish_reason!r})")
    return reply


def _vectors(data: Mapping[str, Any], wanted: int) -> list[list[float]]:
    rows = data.get("data")
    given = [row.get("embedding") for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    vectors = [vector for vector in given if isinstance(vector, list)]
    if len(vectors) != wanted:
        raise CallFailed(f"the endpoint gave {len(vectors)} vectors for {wanted} texts{_complaint(data)}")
    return vectors


def _complaint(data: Mapping[str, Any]) -> str:
    """Return what an endpoint that answers 200 says is wrong; some report upstream errors so."""
    return f": {data['error']}" if data.get("error") else ""


def _text(value: object) -> str | None:
    """Return a text without lone surrogates, the halves of characters that no file can hold; None for all else."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else None


def _said(error: Exception) -> str:
    if isinstance(error, openai.APIStatusError):
        return f"HTTP {error.status_code}: {error.message}"
    cause = f" ({error.__cause__})" if error.__cause__ else ""
    return f"{type(error).__name__}: {error}{cause}"


def _worth_another(error: Exception) -> bool:
    if isinstance(error, openai.APIStatusError):
        return error.status_code in _AGAIN or error.status_code >= 500
    return isinstance(error, Empty) or not isinstance(error, CallFailed)


def _wait_s(error: Exception, attempt: int) -> float:
    """Return the seconds to wait: what the server asks for, else 1, 2, 4, ... seconds."""
    headers = error.response.headers if isinstance(error, openai.APIStatusError) else {}
    for name, scale in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            return min(max(0.0, float(headers[name]) / scale), LONGEST_WAIT_S)
        except (KeyError, ValueError):
            continue
    return float(min(2.0 ** (attempt - 1), LONGEST_WAIT_S))
