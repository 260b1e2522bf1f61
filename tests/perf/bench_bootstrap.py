"""Measure how much faster the bootstrap of the cost model is than as many refits by statsmodels.

Run as `python tests/perf/bench_bootstrap.py`; prints the figure with its limit and exits 1 where it
is missed. The runs are those of a memory system on the paper's grid: 5 cells, 8 seeds.
"""

# ruff: noqa: T201 - printing is what this script is for

import sys
import time
from collections.abc import Callable

import numpy as np
from statsmodels.regression.linear_model import OLS

from pytest_membench.stats.costmodel import Run, bootstrap

CELLS = ((15, 50), (15, 200), (100, 100), (400, 50), (400, 200))
SEEDS = 8
RESAMPLES = 1000
LEAST_TIMES_FASTER = 100.0


def make_runs() -> list[Run]:
    """Return runs whose cost grows with L and t, times noise; the same every time."""
    noise = np.random.default_rng(1)
    return [
        Run(n, length, seed, tuple(300 * length**0.6 * np.arange(1, n + 1) ** 0.2 * noise.uniform(0.5, 2, n)))
        for n, length in CELLS
        for seed in range(SEEDS)
    ]


def refit_each(runs: list[Run]) -> None:
    """Refit by statsmodels on the rows of each resample, as one does without sums per run."""
    columns = [
        np.column_stack([np.ones(r.turns), np.full(r.turns, np.log1p(r.length)), np.log1p(np.arange(r.turns))])
        for r in runs
    ]
    costs = [np.log1p(r.tokens) for r in runs]
    for draw in np.random.default_rng(2).integers(0, len(runs), (RESAMPLES, len(runs))):
        OLS(np.concatenate([costs[i] for i in draw]), np.concatenate([columns[i] for i in draw])).fit()


def timed(call: Callable[[], object]) -> float:
    """Return the wall seconds of one call."""
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def main() -> int:
    """Measure, print, and return the exit code."""
    runs = make_runs()
    bootstrap(runs, resamples=10)  # the first call is no part of the figure
    slow = min(timed(lambda: refit_each(runs)) for _ in range(3))
    fast = min(timed(lambda: bootstrap(runs, resamples=RESAMPLES)) for _ in range(3))
    ok = slow / fast >= LEAST_TIMES_FASTER
    turns = sum(run.turns for run in runs)
    print(f"{RESAMPLES} resamples of {len(runs)} runs, {turns} turns; best of 3")
    print(f"statsmodels refits: {slow:.2f} s; ours: {1000 * fast:.1f} ms")
    print(
        f"{'times faster than refits':45} {slow / fast:9.3f}   >= {LEAST_TIMES_FASTER:g}   {'ok' if ok else 'MISSED'}"
    )
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
