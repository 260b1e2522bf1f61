"""What all tests share: pytester, and the heavy packages imported before it takes its snapshots."""

import os

import hypothesis  # noqa: F401 - its pytest plugin would import it again in every in-process run: 2 s each
import jinja2  # noqa: F401
import matplotlib.backends.backend_svg
import matplotlib.figure  # noqa: F401
import numpy as np  # noqa: F401 - pytester restores sys.modules, and numpy does not survive a second import
import openai  # noqa: F401
import pandas as pd  # noqa: F401
import statsmodels.stats.proportion  # noqa: F401
import vcr.cassette  # noqa: F401

pytest_plugins = ["pytester"]

# A session that a test starts is one of its own, also where this one runs in a worker of pytest-xdist.
for _name in ("PYTEST_XDIST_WORKER", "PYTEST_XDIST_WORKER_COUNT", "PYTEST_XDIST_TESTRUNUID"):
    os.environ.pop(_name, None)
