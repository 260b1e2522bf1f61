"""Power: how large a drop a number of probes can show, and how often noise alone looks like one.

The model of noise: each probe has its own chance of being right, from Beta(1, 1), and two sessions
draw from it independently; a true drop lowers each chance to chance (1 - d). Then a probe falls with
probability 1/2 - (1 - d)/3, rises with (1 - d)/6, and the score drops by d/2. Instead of the model,
`sd` says how much probes differ: the standard deviation of the paired differences second - first of
scores in [0, 1]. With scores 0 and 1 the share of probes that flip is sd^2 + drop^2; with partial
credit the same sd stands for flips that weigh as much.

All drops, chances and sd are shares of 1, not points. The test is `paired.drop` on scores 0 and 1
(one-sided exact McNemar; 1947, doi:10.1007/BF02295996), and finds a drop where p <= alpha. Its
unconditional power is the mean of the conditional power over the number of flips, which sums over
the trinomial of falls, rises and what stays (SAS/STAT, PROC POWER, PAIREDFREQ with DIST=EXACT_COND).
"""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

MODEL_SD = math.sqrt(1 / 3)
"""The sd of the paired differences of two sessions without a change, in the model: 2 E[c (1 - c)] = 1/3 flip."""
MODEL_SCORE = 0.5
"""The mean chance of being right in the model: more than this cannot be lost."""
MOST_PROBES = 100_000

_ROUNDING = 1e-9
_GRID = 100


class _Rates(NamedTuple):
    """The probability that a probe falls, and that it rises, from one session to the next."""

    worse: float
    better: float

    @property
    def flips(self) -> float:
        return self.worse + self.better


def power(probes: int, drop: float, alpha: float = 0.05, sd: float | None = None) -> float:
    """Return the chance that a true `drop` is found with so many probes, from one pair of sessions.

    Without `sd` the model of this module's docstring holds. Raises ValueError for what is no number
    of probes, no level or no drop, and where `sd` and `drop` exclude each other: more than all
    probes would flip, or fewer than the drop needs (see `nearest_sd`).
    """
    _require_probes(probes)
    _require_level("alpha", alpha)
    return _chance(probes, _rates(drop, sd), alpha)


def detectable_drop(probes: int, power: float = 0.8, alpha: float = 0.05, sd: float | None = None) -> float | None:
    """Return the smallest true drop that is found with the chance `power`, or None where none can be.

    An `sd` that a drop excludes is replaced by the `nearest_sd`. Raises ValueError as `power` does.
    """
    _require_probes(probes)
    _require_level("power", power)
    _require_level("alpha", alpha)
    most = MODEL_SCORE if sd is None else 1.0

    def found(drop: float) -> bool:
        return _chance(probes, _rates(drop, nearest_sd(drop, sd)), alpha) >= power

    high = next((most * step / _GRID for step in range(1, _GRID + 1) if found(most * step / _GRID)), None)
    if high is None:
        return None
    low = high - most / _GRID
    while high - low > _ROUNDING:
        middle = (low + high) / 2
        low, high = (low, middle) if found(middle) else (middle, high)
    return high


def noise_reaches(probes: int, drop: float, sd: float | None = None) -> float:
    """Return how often a session without any change shows an observed drop of at least `drop`.

    `sd` is that of the paired differences of two sessions without a change. Raises ValueError as `power` does.
    """
    _require_probes(probes)
    _require_drop(drop)
    rates = _rates(0.0, sd)
    flips = _likely(probes, rates.flips)
    surplus = math.ceil(drop * probes - _ROUNDING)
    reached = binom.sf((flips + surplus + 1) // 2 - 1, flips, 0.5)
    return _mean(probes, rates.flips, flips, reached)


def probes_needed(drop: float, power: float = 0.8, alpha: float = 0.05, sd: float | None = None) -> int:
    """Return the smallest number of probes from which on a true `drop` is always found with the chance `power`.

    The power of an exact test falls a little at some sizes while it rises (it is a sawtooth), so a
    smaller number may reach `power` too and a number between fall short again; from the one returned
    on, every larger one reaches it. An `sd` that the drop excludes is replaced by the `nearest_sd`.
    Raises ValueError as `power` does, for a drop of 0, and where over `MOST_PROBES` are needed.
    """
    _require_level("power", power)
    _require_level("alpha", alpha)
    rates = _rates(drop, nearest_sd(drop, sd))
    probes = _surely(rates, power, alpha) if drop > 0 else None
    if probes is None:
        raise ValueError(
            f"drop={drop:g}: no {MOST_PROBES:,} probes find it with chance {power:g} at alpha {alpha:g}; "
            "ask for a larger drop"
        )
    while probes > 1 and _chance(probes - 1, rates, alpha) >= power:
        probes -= 1
    return probes


def nearest_sd(drop: float, sd: float | None) -> float | None:
    """Return `sd`, or where a drop excludes it the nearest one that it allows; None (the model) stays None.

    A drop D of scores 0 and 1 spreads the differences by sqrt(D (1 - D)) where every flip is a fall,
    and by sqrt(1 - D^2) where every probe flips.
    """
    _require_drop(drop)
    if sd is None:
        return None
    _require_sd(sd)
    return min(max(sd, math.sqrt(drop * (1 - drop))), math.sqrt(1 - drop**2))


def _rates(drop: float, sd: float | None) -> _Rates:
    _require_drop(drop)
    if sd is None:
        if drop > MODEL_SCORE:
            raise ValueError(
                f"drop={drop:g}: where each probe's chance of being right is from Beta(1, 1) the score is "
                f"{MODEL_SCORE:g}, and no more can be lost; give a smaller drop, or the sd of your own sessions"
            )
        kept = 1 - drop / MODEL_SCORE
        return _Rates(1 / 2 - kept / 3, kept / 6)
    _require_sd(sd)
    flips = sd**2 + drop**2
    if not drop - _ROUNDING <= flips <= 1 + _ROUNDING:
        low, high = math.sqrt(drop * (1 - drop)), math.sqrt(1 - drop**2)
        raise ValueError(
            f"sd={sd:g} with drop={drop:g}: {flips:.4g} of the probes would flip, and between {drop:g} and 1 can; "
            f"give an sd from {low:.4g} to {high:.4g}"
        )
    better = max(0.0, (flips - drop) / 2)
    return _Rates(min(better + drop, 1 - better), better)


def _chance(probes: int, rates: _Rates, alpha: float) -> float:
    """Return the power: over the number of flips, the chance that enough of them are falls."""
    flips = _likely(probes, rates.flips)
    return _mean(probes, rates.flips, flips, _found(flips, rates, alpha))


def _surely(rates: _Rates, power: float, alpha: float) -> int | None:
    """Return a number of probes from which on the power is never below `power`, or None beyond `MOST_PROBES`.

    With more probes there are more flips, so the mean of what grows with the flips grows too: here
    the smallest chance at this number of flips or more, which is the sawtooth's lower edge.
    """

    def reaches(probes: int) -> bool:
        flips = _likely(probes, rates.flips)
        beyond = np.arange(flips[0], flips[-1] + 10 * math.isqrt(flips[-1]) + 100)  # many teeth
        edge = np.minimum.accumulate(_found(beyond, rates, alpha)[::-1])[::-1]
        return _mean(probes, rates.flips, flips, edge[: flips.size]) >= power

    high = 1
    while not reaches(high):
        if high >= MOST_PROBES:
            return None
        high = min(2 * high, MOST_PROBES)
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reaches(middle) else (middle, high)
    return high


def _found(flips: NDArray[np.int64], rates: _Rates, alpha: float) -> NDArray[np.float64]:
    """Return, for each number of flips, the chance that so many of them are falls that p <= alpha."""
    least = _critical(1 << int(flips[-1]).bit_length(), alpha)[flips]
    share = rates.worse / rates.flips if rates.flips else 0.0
    return np.asarray(binom.sf(least - 1, flips, share))


@lru_cache(maxsize=16)
def _critical(most: int, alpha: float) -> NDArray[np.int64]:
    """Return the smallest number of falls with p <= alpha for 0, 1, ... `most` flips; one more than all where none."""
    flips = np.arange(most + 1)
    least = binom.isf(alpha, flips, 0.5).astype(np.int64) + 1
    # The quantile is rounded: p itself decides, as it does in the test.
    least += binom.sf(least - 1, flips, 0.5) > alpha
    least -= binom.sf(least - 2, flips, 0.5) <= alpha
    least.setflags(write=False)
    return np.asarray(least)


def _likely(probes: int, share: float) -> NDArray[np.int64]:
    """Return the numbers of flips that happen at all: those beyond ten standard deviations do not."""
    mean, reach = probes * share, 10 * math.sqrt(probes * share * (1 - share)) + 10
    return np.arange(max(0, math.floor(mean - reach)), min(probes, math.ceil(mean + reach)) + 1)


def _mean(probes: int, share: float, flips: NDArray[np.int64], values: NDArray[np.float64]) -> float:
    """Return the mean of `values` over the binomial number of flips."""
    return min(1.0, float(binom.pmf(flips, probes, share) @ values))


def _require_probes(probes: int) -> None:
    if probes < 1:
        raise ValueError(f"probes={probes}: give how many probes a session has, 1 or more")


def _require_level(name: str, value: float) -> None:
    if not 0 < value < 1:
        raise ValueError(f"{name}={value}: give a share between 0 and 1, such as {0.05 if name == 'alpha' else 0.8}")


def _require_drop(drop: float) -> None:
    if not 0 <= drop <= 1:
        raise ValueError(f"drop={drop}: give it as a share from 0 to 1; 10 points are 0.1")


def _require_sd(sd: float) -> None:
    if not 0 <= sd <= 1:
        raise ValueError(f"sd={sd}: give it as a share from 0 to 1; differences of scores from 0 to 1 spread no wider")
