"""The guard of strict replay: no connection is opened, and no name is looked up."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from pytest_membench.errors import NotRecorded


class Blocked(NotRecorded, OSError):
    """An attempt to open a network connection during strict replay."""


@contextmanager
def no_network() -> Iterator[None]:
    """Refuse network addresses to this process, and look-ups of names; local pipes stay open.

    Raises Blocked at the end where something was refused, also where that was swallowed or wrapped:
    what came after it stands on nothing.
    """
    with _refusing() as refused:
        try:
            yield
        except Exception as error:
            if refused:
                raise refused[0] from error
            raise
        if refused:
            raise refused[0]


@contextmanager
def _refusing() -> Iterator[list[Blocked]]:
    """Refuse, and give the list of what was refused so far."""
    refused: list[Blocked] = []

    def refuse(what: str, address: Any) -> None:
        refused.append(Blocked(f"a {what} {address!r} was refused: strict replay uses no network"))
        raise refused[-1]

    def connecting(real: Any) -> Any:
        def guarded(sock: socket.socket, *args: Any) -> Any:
            if sock.family in (socket.AF_INET, socket.AF_INET6):
                refuse("connection to", args[-1])  # the address comes last, also after data and flags
            return real(sock, *args)

        return guarded

    def looking_up(real: Any) -> Any:
        return lambda host, *_, **__: refuse("look-up of", host)

    with ExitStack() as stack:
        for place, names, guard in (
            (socket.socket, ("connect", "connect_ex", "sendto"), connecting),
            (socket, ("getaddrinfo", "gethostbyname", "gethostbyname_ex"), looking_up),
        ):
            for name in names:
                real = getattr(place, name)
                stack.callback(setattr, place, name, real)
                setattr(place, name, guard(real))
        yield refused
