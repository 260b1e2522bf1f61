"""The client of any OpenAI-compatible endpoint: one request in, one metered reply out."""

import json
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any, TypeVar

import httpx2
import openai

from pytest_membench import prices
from pytest_membench.data import Reply, Setting, Stage, Usage
from pytest_membench.errors import CallFailed, ContextOverflow, NotRecorded, OverBudget, StoreError
from pytest_membench.llm import faults, refusals, secrets
from pytest_membench.llm.budget import GOING_LIVE, Budget, Hold, most_input, most_output
from pytest_membench.llm.deadline import limit_total
from pytest_membench.llm.meter import Call, Meter, billed, read_usage
from pytest_membench.prices import Price

ATTEMPTS = 5
"""How often one call is tried before it has failed."""
_Result = TypeVar("_Result")


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
        clock: Callable[[], float] = time.time,
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        timeout = httpx2.Timeout(timeout_s, connect=faults.CONNECT_SHARE * timeout_s)
        none = CookieJar(DefaultCookiePolicy(allowed_domains=()))  # a call must not depend on those before it
        http = httpx2.Client(trust_env=trust_env, timeout=timeout, transport=transport, cookies=none)
        limit_total(http, timeout_s)
        # Every setting is given here, so that no variable of the environment redirects the client.
        self._client = openai.OpenAI(
            base_url=base_url, api_key=api_key, organization="", project="", max_retries=0, http_client=http
        )
        logging.getLogger("httpcore2").setLevel(logging.INFO)  # below, it logs the headers that a server sets
        self._api_key = secrets.Secret(api_key)
        secrets.add(key=api_key, address=base_url)
        self.timeout_s = timeout_s
        self.sleep = sleep
        self.clock = clock

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
    """A setting at an endpoint, with the sampling that every call uses.

    `price` is the setting's contract price. A provider in `table` that served a request otherwise
    than by contract is billed at its own. `budget` is what all live calls of a session may cost.
    """

    endpoint: Endpoint
    setting: Setting
    temperature: float = 0.0
    max_tokens: int | None = None
    price: Price | None = None
    embedding_model: str | None = None
    embedding_price: Price | None = None
    table: tuple[Price, ...] = ()
    budget: Budget | None = None

    def at(self, stage: Stage, meter: Meter, replays: Callable[[], int] | None = None) -> "MeteredLLM":
        """Return the model as one stage sees it; `replays` counts the replays of the open cassette, if there is one."""
        return MeteredLLM(self, stage, meter, replays)

    def price_of(self, kind: str, provider: str | None) -> tuple[Price | None, bool]:
        """Return the price of a request that `provider` served, and whether it is that provider's own."""
        contract = self.price if kind == "chat" else self.embedding_price
        if not self.table:
            return contract, True
        setting = self.setting if kind == "chat" else Setting(self.embedding_model or self.setting.model)
        own, is_own = prices.served(self.table, setting, provider)
        return (own, is_own) if own is not None else (contract, True)

    def worst_usd(self, kind: str, body: Mapping[str, Any], longest: int) -> float:
        """Return the most that a request can cost at any provider of the model. Raises OverBudget without a price."""
        contract = self.price if kind == "chat" else self.embedding_price
        output = most_output(self.max_tokens, longest) if kind == "chat" else 0
        rows = [*prices.of_model(self.table, body["model"]), *([contract] if contract else [])]
        costs = [row.worst_usd(most_input(body), output) for row in rows]
        known = [usd for usd in costs if usd is not None]
        if not known:
            raise OverBudget(
                f"{body['model']} has no price for {'chats' if kind == 'chat' else 'embeddings'}, so no budget can be kept; "
                "add one with --membench-prices FILE"
            )
        return max(known)


@dataclass(frozen=True)
class MeteredLLM:
    """What a design, an answer or a judge talks to; every attempt goes to the meter."""

    model: Model
    stage: Stage
    meter: Meter
    replays: Callable[[], int] | None

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
            tried = _Attempt(kind, attempt, time.perf_counter(), self._replayed(), self._hold(kind, body))
            try:
                tried.data = self._post(path, body, tried.hold)
                tried.usage = read_usage(tried.data.get("usage"))
                result = read(tried.data, tried.usage)
            except (NotRecorded, OverBudget, StoreError) as broken:  # nothing was asked, or it cannot be kept
                self.meter.failures.append(broken)
                with suppress(StoreError):  # the first is the one to tell
                    self._settle(tried, None, None)  # where it was sent it may have been billed: its claim stands
                raise
            except (openai.OpenAIError, httpx2.HTTPError, CallFailed, ValueError) as error:
                last = attempt == ATTEMPTS or not faults.worth_another(error, attempt)
                waits = None if last or self._is_replay(tried) else self._wait_s(error, attempt)
                self._note(tried, error, waits or 0.0)
                if last:
                    failed = self._failed(error, attempt)
                    self.meter.failures.append(failed)
                    raise failed from None
                if waits is not None:
                    self.model.endpoint.sleep(waits)
                continue
            self._note(tried)
            return result
        raise AssertionError("unreachable: the last attempt returns or raises")

    def _hold(self, kind: str, body: Mapping[str, Any]) -> Hold | None:
        """Return the claim on the budget that the call takes when it goes live, where there is a budget."""
        if self.model.budget is None:
            return None
        # What a server may take to be late, twice over: see `limit_total`.
        ends_s = 2 * self.model.endpoint.timeout_s + refusals.LONGEST_WAIT_S
        return Hold(self.model.budget, self.stage, lambda n: self.model.worst_usd(kind, body, n), ends_s)

    def _post(self, path: str, body: Mapping[str, Any], hold: Hold | None) -> dict[str, Any]:
        if hold is None:
            return self.model.endpoint.post(path, body)
        if self.replays is None:  # no cassette can answer
            hold.take()
        token = GOING_LIVE.set(hold.take)
        try:
            return self.model.endpoint.post(path, body)
        finally:
            GOING_LIVE.reset(token)

    def _replayed(self) -> int:
        return self.replays() if self.replays is not None else 0

    def _is_replay(self, tried: "_Attempt") -> bool:
        return self._replayed() > tried.replays

    def _wait_s(self, error: Exception, attempt: int) -> float:
        headers = error.response.headers if isinstance(error, openai.APIStatusError) else {}
        return refusals.wait_s(headers, attempt, self.model.endpoint.clock())

    def _note(self, tried: "_Attempt", error: Exception | None = None, waits: float = 0.0) -> None:
        """Write an attempt to the ledger, and tell the budget what it cost.

        A failed attempt that reports usage is billed as any other; one whose bill is unknown keeps
        its claim on the budget.
        """
        status, body = faults.refusal(error)
        data = tried.data if tried.data is not None else body
        usage = tried.usage or read_usage(data.get("usage"))
        reported = data.get("usage")
        observed = reported.get("cost") if isinstance(reported, dict) else None
        observed = float(observed) if isinstance(observed, int | float) and not isinstance(observed, bool) else None
        provider = _text(data.get("provider"))
        price, own = self.model.price_of(tried.kind, provider)
        call = Call(
            stage=self.stage,
            setting=self.model.setting,
            kind=tried.kind,
            usage=usage,
            attempt=tried.number,
            seconds=time.perf_counter() - tried.started,
            replayed=self._is_replay(tried),
            provider=provider,
            usd=price.usd(usage) if price is not None else None,
            observed_usd=observed,
            error=self._describe(error) if error is not None else None,
            status=status,
            waited_s=waits,
            at_contract=not own,
        )
        free = 0.0 if status in faults.NOT_PROCESSED or faults.never_sent(error) else None
        known = billed(call.usd, call.observed_usd)
        try:
            self.meter.record(call)
        finally:  # a ledger that cannot be written leaves no claim of a call that is over
            self._settle(tried, free if known is None else known, usage.output)

    def _settle(self, tried: "_Attempt", usd: float | None, output: int | None) -> None:
        """Tell the budget what a call cost (None: unknown). Raises StoreError; the claim then stands."""
        if tried.hold is None:
            return
        try:
            tried.hold.settle(usd, output)
        except StoreError as error:
            self.meter.failures.append(error)
            raise

    def _describe(self, error: Exception) -> str:
        """Return what an error says, short; secrets are hidden first, so that no cut leaves a half."""
        return self.model.endpoint.hide(faults.said(error, self.model.endpoint.timeout_s))[:400]

    def _failed(self, error: Exception, attempts: int) -> CallFailed:
        what = self._describe(error)
        status, _ = faults.refusal(error)
        message = f"{self.stage} call to {self.model.setting.key} failed after {attempts} attempt(s): {what}"
        too_long = faults.overflow_of(error)
        return ContextOverflow(message, status) if too_long is not None else CallFailed(message, status)


@dataclass
class _Attempt:
    """One attempt at a call, and what came back of it so far."""

    kind: str
    number: int
    started: float
    replays: int
    hold: Hold | None
    data: dict[str, Any] | None = None
    usage: Usage | None = None


def _reply(data: Mapping[str, Any], usage: Usage) -> Reply:
    choices = data.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        raise faults.Upstream(f"the endpoint gave no reply{_complaint(data)}", data)
    finish = _text(choice.get("finish_reason"))
    text = _text(message.get("content")) or _text(message.get("refusal")) or ""
    if not text.strip():
        raise _no_text(finish, usage)
    return Reply(text=text, usage=usage, provider=_text(data.get("provider")), finish_reason=finish)


def _no_text(finish: str | None, usage: Usage) -> CallFailed:
    """Return the error for a reply without text: it is no answer, and nothing that a memory could be made of."""
    if finish != "length":
        return faults.Empty(f"the reply is empty (finish reason {finish!r})")
    thought = f", {usage.reasoning:,} of them reasoning" if usage.reasoning else ""
    spent = f"{usage.output:,} output tokens{thought}" if usage.output is not None else "output tokens"
    return CallFailed(
        f"the reply is empty: the model spent its {spent} before it wrote anything; "
        "raise --membench-max-tokens, or lower --membench-effort"
    )


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
