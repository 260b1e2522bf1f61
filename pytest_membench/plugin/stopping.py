"""Being told to stop: SIGTERM, as CI sends it, ends a session of benchmark items the way Ctrl-C does."""

import os
import signal
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from types import FrameType


def as_interrupt(wanted: Callable[[], bool]) -> AbstractContextManager[object]:
    """Let SIGTERM interrupt while `wanted()`, and end the process as ever while not; until the context ends.

    Where somebody else has a handler already, or this is no main thread, nothing changes.
    """
    stack = ExitStack()
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:
        return stack

    def stop(number: int, frame: FrameType | None) -> None:
        if wanted():
            raise KeyboardInterrupt("SIGTERM")
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTERM)

    signal.signal(signal.SIGTERM, stop)
    stack.callback(signal.signal, signal.SIGTERM, signal.SIG_DFL)
    return stack
