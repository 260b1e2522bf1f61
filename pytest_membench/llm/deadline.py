"""A limit on how long one call may take in all: httpx2 itself limits only the wait for the next bytes."""

import time
from collections.abc import Iterable, Iterator
from typing import Any, Self

import httpx2


class TotalTimeout(httpx2.ReadTimeout):
    """The reply was still arriving when its time was up."""


def limit_total(client: httpx2.Client, timeout_s: float) -> None:
    """Make each response of `client` end within `timeout_s`, or raise TotalTimeout at the next bytes.

    With the read timeout of the same length a call ends after at most twice that time. This wraps
    the connection pools, which lie below what cassettes patch, so replies are cut off while they
    arrive and not after.
    """
    for transport in (client._transport, *client._mounts.values()):  # noqa: SLF001 - httpx2 has no public way
        pool = getattr(transport, "_pool", None)
        if pool is not None:
            transport._pool = _Pool(pool, timeout_s)  # type: ignore[union-attr]  # noqa: SLF001


class _Pool:
    """A connection pool whose responses have a deadline."""

    def __init__(self, pool: Any, timeout_s: float) -> None:
        self._inner, self._timeout_s = pool, timeout_s

    def handle_request(self, request: Any) -> Any:
        deadline = time.monotonic() + self._timeout_s
        response = self._inner.handle_request(request)
        response.stream = _Stream(response.stream, deadline)
        return response

    def __enter__(self) -> Self:
        self._inner.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._inner.__exit__(*error)

    def close(self) -> None:
        self._inner.close()


class _Stream:
    """A response's body that ends at its deadline."""

    def __init__(self, stream: Iterable[bytes], deadline: float) -> None:
        self._inner, self._deadline = stream, deadline

    def __iter__(self) -> Iterator[bytes]:
        for part in self._inner:
            if time.monotonic() > self._deadline:
                raise TotalTimeout("the reply took too long")
            yield part

    def close(self) -> None:
        if hasattr(self._inner, "close"):
            self._inner.close()
