"""A process that has the slow imports behind it and forks a pytest session for each line it reads.

A line is `{"folder", "args", "env", "log"}`. It answers with the session's process id, and with its
exit code when it ends: two lines.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

import openai  # noqa: F401 - loaded once here, so that a forked session starts at once
import pytest
import statsmodels.api  # noqa: F401
import vcr.cassette  # noqa: F401

import pytest_membench.report.summary  # noqa: F401


def session(order: dict[str, Any]) -> None:
    """Run pytest in this process, with its output in a file; never return."""
    os.chdir(order["folder"])
    os.environ.update(order["env"])
    log = os.open(order["log"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for stream in (1, 2):
        os.dup2(log, stream)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    code = int(pytest.main(order["args"]))
    sys.stdout.flush()
    os._exit(code)


def main() -> None:
    """Serve lines until there are no more."""
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            session(json.loads(line))
        print(pid, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)


if __name__ == "__main__":
    sys.path.insert(0, str(Path.cwd()))
    main()
