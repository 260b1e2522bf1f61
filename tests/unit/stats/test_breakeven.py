"""Break-even: curves made by hand for every case, and what must hold for any curves."""

import math
from itertools import accumulate
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_membench.stats.breakeven import BreakEven, Rates, Turn, TurnTokens, break_even, by_cached_price, words

CURVE = st.lists(st.integers(0, 50), min_size=1, max_size=12)
CURVES = st.dictionaries(st.integers(0, 5), CURVE, min_size=1, max_size=4)
TEN = [10.0] * 6
"""A reference whose cumulative cost is 10, 20, 30, 40, 50, 60."""


def one(design: list[float], reference: list[float]) -> BreakEven:
    """Return the break-even of a single pair of runs."""
    return break_even({0: design}, {0: reference})


@pytest.mark.parametrize(
    ("case", "design", "turn", "first", "sustained"),
    [
        ("immediate", [5, 5, 5, 5, 5, 5], 0, 0, True),  # 5, 10, 15, ...
        ("a turn", [30, 5, 4, 0, 0, 0], 3, 3, True),  # 30, 35, 39, 39: 39 < 40
        ("never", [20, 20, 20, 20, 20, 20], "never", "never", False),
        ("crosses twice", [5, 20, 1, 30, 1, 1], 5, 0, False),  # 5, 25, 26, 56, 57, 58
        ("below, then above for good", [5, 5, 5, 30, 30, 0], "never", 0, False),  # 5, 10, 15, 45, 75, 75
        ("touches, then below", [5, 15, 5, 5, 5, 5], 2, 0, False),  # 5, 20 = 20, 25, 30, ...
        ("touches from above", [15, 5, 5, 5, 5, 5], 2, 2, True),  # 15, 20 = 20, 25, ...
        ("touches at the end", [5, 5, 5, 5, 5, 35], "never", 0, False),  # ..., 25, 60 = 60
        ("equal", TEN, "never", "never", False),
        ("below at the last turn alone", [10, 10, 10, 10, 10, 9], 5, 5, True),
        ("equal at first, as a window is", [10, 10, 10, 2, 2, 2], 3, 3, True),
        ("costs nothing", [0, 0, 0, 0, 0, 0], 0, 0, True),
    ],
)
def test_a_curve_by_hand(case: str, design: list[float], turn: Turn, first: Turn, sustained: bool) -> None:
    """The turn from which the sum stays strictly below, and the turn at which it is below at all."""
    made = one(design, TEN)
    assert (made.turn, made.first, made.sustained) == (turn, first, sustained), case
    assert (made.measured_turns, made.incomplete, made.pairs, made.unpaired) == (6, False, 1, 0)
    assert made.ratio_at_end == pytest.approx(sum(design) / 60)
    assert made.range is None


def test_equal_sums_that_round_differently_are_equal() -> None:
    """0.1 + 0.2 is a little above 0.3, which is no break-even."""
    assert 0.1 + 0.2 > 0.3
    assert one([0.3], [0.1 + 0.2]).turn == "never"


NOT_MEASURED = (None, None, None, None, None, 0, True, 0)


@pytest.mark.parametrize(
    ("design", "reference", "unpaired"),
    [
        ({0: [1.0]}, {}, 1),
        ({}, {0: [1.0]}, 1),
        ({0: [1.0]}, {1: [2.0]}, 2),
        ({0: [1.0]}, {0: []}, 1),
        ({}, {}, 0),
    ],
)
def test_without_a_pair_nothing_is_measured(
    design: dict[int, list[float]], reference: dict[int, list[float]], unpaired: int
) -> None:
    """No reference, no run, no seed in common or a run without a turn: unknown, which is neither 0 nor never."""
    assert break_even(design, reference) == BreakEven(*NOT_MEASURED, unpaired)


def test_a_run_that_one_side_lacks_is_left_out() -> None:
    """Seed 1 has no reference; with its cheap run the design would break even, but it is another dialogue."""
    made = break_even({0: [20, 20, 20], 1: [0, 0, 0]}, {0: [10, 10, 10]})
    assert (made.turn, made.pairs, made.unpaired, made.incomplete) == ("never", 1, 1, False)
    assert made.ratio_at_end == pytest.approx(2)


def test_a_run_that_ends_early_is_used_as_far_as_both_were_measured() -> None:
    """Means 14, 14 of both pairs and 8, 2 of the first against 10 each: 14, 28, 36, 38 and 10, 20, 30, 40."""
    made = break_even({0: [8, 8, 8, 2], 1: [20, 20, 99, 99]}, {0: [10, 10, 10, 10], 1: [10, 10]})
    assert (made.turn, made.measured_turns, made.incomplete, made.pairs) == (3, 4, True, 2)
    assert made.ratio_at_end == pytest.approx(38 / 40)


def test_a_reference_that_overflows_ends_the_comparison() -> None:
    """The whole transcript stops at turn 2; what the design costs later has nothing beside it."""
    made = break_even({0: [20, 5, 1, 0, 0]}, {0: [10, 10]})
    assert (made.turn, made.measured_turns, made.incomplete) == ("never", 2, True)
    assert made.ratio_at_end == pytest.approx(25 / 20)


def test_an_early_end_of_both_sides_is_known_from_the_plan() -> None:
    """Two runs of three turns look whole; a plan of four says that they are not."""
    assert not break_even({0: [1, 1, 1]}, {0: [2, 2, 2]}).incomplete
    assert break_even({0: [1, 1, 1]}, {0: [2, 2, 2]}, turns=4).incomplete
    assert not break_even({0: [1, 1, 1]}, {0: [2, 2, 2]}, turns=3).incomplete


def test_the_mean_curve_decides() -> None:
    """One pair breaks even at once and one never; the means 10, 2, 2 and 8, 8, 8 cross at turn 1."""
    made = break_even({0: [1, 1, 1], 1: [19, 3, 3]}, {0: [8, 8, 8], 1: [8, 8, 8]})
    assert made.turn == 1
    assert made.ratio_at_end == pytest.approx(14 / 24)


def test_the_range_of_two_pairs_by_hand() -> None:
    """One pair alone is drawn in a quarter of the resamples, and so is the other: the range goes from 0 to never."""
    made = break_even({0: [1, 1, 1], 1: [30, 3, 3]}, {0: [8, 8, 8], 1: [8, 8, 8]})
    assert made.range == (0, "never")
    assert made.turn == 2  # means 15.5, 2, 2: 15.5, 17.5, 19.5 against 8, 16, 24


def test_a_range_of_turns_by_hand() -> None:
    """Alone, the pairs break even at turns 1 and 3: nothing else can be further out."""
    made = break_even({0: [15, 0, 0, 0, 0], 1: [35, 0, 0, 0, 0]}, {seed: [10] * 5 for seed in (0, 1)})
    assert made.range == (1, 3)
    assert made.turn == 2


def test_never_sorts_after_every_turn() -> None:
    """Where no pair ever breaks even, both ends of the range are never."""
    made = break_even({seed: [20, 20] for seed in range(4)}, {seed: [10, 10] for seed in range(4)})
    assert made.range == ("never", "never")


def test_a_resample_of_short_pairs_stops_where_they_stop() -> None:
    """Seed 1 ends after one turn, above: alone it has never broken even, whatever the other does later."""
    made = break_even({0: [1, 1, 1], 1: [20]}, {0: [8, 8, 8], 1: [8]})
    assert made.range == (0, "never")


def test_a_free_reference_has_no_ratio() -> None:
    """Nothing is below a cost of zero, and a ratio to zero is unknown."""
    made = one([0, 0], [0, 0])
    assert (made.turn, made.ratio_at_end) == ("never", None)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -1.0])
def test_a_cost_that_is_no_cost_is_refused(bad: float) -> None:
    """Unknown and negative costs raise and name the seed."""
    with pytest.raises(ValueError, match="seed 7: costs have to be 0 or more and known"):
        break_even({7: [1.0, bad]}, {7: [1.0, 1.0]})
    with pytest.raises(ValueError, match="seed 7"):
        break_even({7: [1.0, 1.0]}, {7: [1.0, bad]})


def test_a_range_of_no_resample_is_refused() -> None:
    """Zero resamples have no percentiles."""
    with pytest.raises(ValueError, match="give 1 or more"):
        break_even({0: [1.0]}, {0: [1.0]}, resamples=0)


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), min_size=1, max_size=20))
def test_the_turn_is_what_the_definition_says(costs: list[tuple[int, int]]) -> None:
    """Against the definition in plain integers: the least t with all later sums below."""
    ours, theirs = list(accumulate(c for c, _ in costs)), list(accumulate(c for _, c in costs))
    stays = [t for t in range(len(costs)) if all(a < b for a, b in zip(ours[t:], theirs[t:], strict=True))]
    made = one([float(c) for c, _ in costs], [float(c) for _, c in costs])
    assert made.turn == (min(stays) if stays else "never")


@settings(max_examples=40)
@given(CURVES, CURVES, st.floats(1e-6, 1e6))
def test_the_unit_of_the_costs_does_not_matter(
    design: dict[int, list[float]], reference: dict[int, list[float]], k: float
) -> None:
    """All costs times k: the same turn, range, ratio and counts."""
    made = break_even(design, reference, resamples=50)
    ours, theirs = ({seed: [k * cost for cost in run] for seed, run in side.items()} for side in (design, reference))
    again = break_even(ours, theirs, resamples=50)
    assert again._replace(ratio_at_end=None) == made._replace(ratio_at_end=None)
    assert again.ratio_at_end == (None if made.ratio_at_end is None else pytest.approx(made.ratio_at_end))


@settings(max_examples=40)
@given(CURVES, CURVES, st.randoms())
def test_the_order_of_runs_does_not_matter(
    design: dict[int, list[float]], reference: dict[int, list[float]], random: Random
) -> None:
    """Runs that arrive in another order give the same result to the last digit."""
    items = list(design.items())
    random.shuffle(items)
    shuffled = break_even(dict(items), dict(reversed(reference.items())), resamples=50)
    assert shuffled == break_even(design, reference, resamples=50)


@given(CURVES, CURVES)
def test_at_most_one_side_breaks_even(design: dict[int, list[float]], reference: dict[int, list[float]]) -> None:
    """What ends below the other cannot have the other end below it."""
    there, back = break_even(design, reference, resamples=1).turn, break_even(reference, design, resamples=1).turn
    assert (there is None) == (back is None)
    assert there is None or "never" in {there, back}


def test_a_design_without_ingest_breaks_even_as_its_answers_do() -> None:
    """A constant prompt of 30 against a transcript that grows by 10 a turn: 30, 60, 90, ... and 10, 30, 60, 100, 150.

    The sums 30(t+1) and 5(t+1)(t+2) are equal at t = 4; from t = 5 on the design is below.
    """
    assert one([30.0] * 9, [10.0 * (t + 1) for t in range(9)]).turn == 5


TRANSCRIPT = {0: [TurnTokens(fresh=100, cached=100 * t, output=7) for t in range(10)]}
STEADY = {0: [TurnTokens(fresh=250, cached=0, output=7) for _ in range(10)]}


def test_the_price_of_cached_input_moves_the_turn_by_hand() -> None:
    """A transcript whose past is cached, against 250 fresh tokens a turn.

    At the full rate the transcript's sums are 100, 300, 600, 1000, 1500 against 250 (t+1): equal at
    3, above from 4. At half the rate they are 100, 250, 450, 700, 1000, 1350, 1750, 2200: equal at 6,
    above from 7. Where cached input is free, a turn costs 100 and the design never breaks even.
    """
    made = by_cached_price(STEADY, TRANSCRIPT, Rates(fresh=1.0, output=4.0), [1.0, 0.5, 0.0])
    assert made == [(1.0, 4), (0.5, 7), (0.0, "never")]


def test_other_costs_count_at_every_price() -> None:
    """Embeddings at the price of 1,000 fresh tokens a turn keep the design above."""
    dear = {0: [turn._replace(other_usd=0.001) for turn in STEADY[0]]}
    assert by_cached_price(dear, TRANSCRIPT, Rates(1.0, 4.0), [1.0]) == [(1.0, "never")]


@given(st.lists(st.floats(0, 2), min_size=2, max_size=5))
def test_cheaper_cached_input_never_brings_the_turn_forward(rates: list[float]) -> None:
    """Where only the reference reads from the cache, a lower price of it helps only the reference."""
    made = by_cached_price(STEADY, TRANSCRIPT, Rates(1.0, 4.0), sorted(rates))
    turns = [math.inf if turn == "never" or turn is None else turn for _, turn in made]
    assert turns == sorted(turns, reverse=True)


def test_a_sweep_without_reference_is_not_measured() -> None:
    """Each price has its row, and none has a turn."""
    assert by_cached_price(STEADY, {}, Rates(1.0, 4.0), [0.5, 1.0]) == [(0.5, None), (1.0, None)]


@pytest.mark.parametrize("rates", [[], [-0.1], [math.nan], [math.inf]])
def test_a_rate_that_is_no_price_is_refused(rates: list[float]) -> None:
    """No rate, and rates below zero or unknown, raise."""
    with pytest.raises(ValueError, match="give one or more, each 0 or more"):
        by_cached_price(STEADY, TRANSCRIPT, Rates(1.0, 4.0), rates)


@pytest.mark.parametrize(
    ("turn", "word"), [(0, "immediate"), (1, "turn 1"), (41, "turn 41"), ("never", "never"), (None, "not measured")]
)
def test_the_words_of_the_tables(turn: Turn, word: str) -> None:
    """Unknown is said as such; turn 0 is immediate."""
    assert words(turn) == word
