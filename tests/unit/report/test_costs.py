"""Costs from conversations made by hand: fits, ratios, break-even, accuracy beside cost; unknown stays unknown."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_membench.report.costs import input_tokens, joint, summarise_costs, usd
from pytest_membench.report.folder import Served
from pytest_membench.stats.costmodel import Run, fit

STAGES = ("ingest", "retrieval", "answer")
ZERO = {"input": 0, "cached": 0, "cache_write": 0, "output": 0, "reasoning": 0}
Curve = Callable[[int, int], int]


def turn(price: float | None = None, **stages: tuple[int | None, int | None, int | None]) -> dict[str, Any]:
    """One turn: input, output and reasoning tokens by stage, priced at USD per million of all of them."""
    tokens: dict[str, Any] = {stage: dict(ZERO) for stage in STAGES}
    dollars: dict[str, float | None] = dict.fromkeys(STAGES, 0)
    for stage, (given_in, out, reasoning) in stages.items():
        tokens[stage] |= {"input": given_in, "output": out, "reasoning": reasoning}
        unknown = price is None or given_in is None or out is None
        dollars[stage] = None if unknown else ((given_in or 0) + (out or 0)) * (price or 0) / 1e6
    return {"tokens": tokens, "usd": dollars, "embedded": dict.fromkeys(STAGES, 5)}


def served(
    design: str, n: int, length: int, seed: int, turns: Sequence[Mapping[str, Any]], outcome: str = "measured"
) -> Served:
    """A conversation with its row."""
    names = {"setting": "m", "design": design, "person": f"{n}x{length}", "probe": f"s{seed}", "repeat": 1}
    return Served({**names, "turns": n, "length": length, "seed": seed, "outcome": outcome}, turns)


def runs(
    design: str, curve: Curve, price: float | None = 1.0, cells: tuple[tuple[int, int], ...] = ((8, 50), (6, 100))
) -> list[Served]:
    """Two conversations of each cell; `curve(length, t)` is what an answer's input costs."""
    return [
        served(design, n, length, seed, [turn(price, answer=(curve(length, t) + seed, 4, 1)) for t in range(n)])
        for n, length in cells
        for seed in (1, 2)
    ]


def transcript(length: int, t: int) -> int:
    """The whole transcript so far."""
    return 60 + length * (t + 1)


def constant(length: int, t: int) -> int:
    """A memory that never grows, dearer than two turns."""
    return 60 + 5 * length // 2


FULL = runs("full_context", transcript)
FLAT = runs("flat", constant)


def flat(found: Any = None) -> Any:
    """The costs of the memory that never grows, beside the whole transcript."""
    return (found or summarise_costs([*FULL, *FLAT]))["m"]["flat"]


# --- tokens and money of a turn ------------------------------------------------------------------


def test_a_turn_costs_writing_reading_and_answering() -> None:
    """C is the input of the three stages together, without embeddings; USD is their sum."""
    one = turn(2.0, ingest=(10, 1, 0), retrieval=(20, 2, 0), answer=(30, 3, 0))
    assert input_tokens(one) == 60
    assert usd(one) == pytest.approx(66 * 2e-6)


@pytest.mark.parametrize("stage", STAGES)
def test_one_unknown_stage_makes_the_turn_unknown(stage: str) -> None:
    """A stage without usage is not 0: neither tokens nor money are known then."""
    one = turn(1.0, **{name: (None if name == stage else 10, 1, 0) for name in STAGES})
    assert input_tokens(one) is None
    assert usd(one) is None


def test_a_turn_that_costs_nothing_is_known() -> None:
    """0 is not unknown."""
    assert input_tokens(turn()) == 0
    assert usd(turn()) == 0


# --- fits and ratios -----------------------------------------------------------------------------


def test_the_fit_is_that_of_the_cost_model() -> None:
    """p, q and R2 are those of the runs' input tokens, rounded to four digits."""
    model = fit(
        [
            Run(n, length, seed, tuple(float(transcript(length, t) + seed) for t in range(n)))
            for n, length in ((8, 50), (6, 100))
            for seed in (1, 2)
        ]
    )
    found = summarise_costs(FULL)["m"]["full_context"]
    assert model.r2 is not None
    assert (found["p"], found["q"], found["r2"]) == (round(model.p, 4), round(model.q, 4), round(model.r2, 4))
    assert found["p_interval"][0] <= found["p"] <= found["p_interval"][1]
    assert (found["runs"], found["cut_short"]) == (4, 0)


def test_what_the_cells_cannot_determine_is_null() -> None:
    """Two cells give p and q but no held-out error; one cell gives none of them."""
    two, one = flat(), summarise_costs(FLAT[:2])["m"]["flat"]
    assert two["p"] is not None
    assert (two["loocv_mape"], two["max_ape"], two["worst_cell"], two["folds"]) == (None, None, None, 0)
    assert "not measured" in two["verdict"]
    assert [one[name] for name in ("p", "q", "r2", "p_interval", "q_interval")] == [None] * 5
    assert one["cells"]["8x50"]["input_tokens_per_turn"] == constant(50, 0) + 1.5


def test_three_cells_give_a_held_out_error() -> None:
    """Each cell is predicted from the others, and the worst one is named."""
    own = runs("flat", transcript, cells=((8, 50), (6, 100), (9, 200)))
    found = flat(summarise_costs(own))
    assert found["folds"] == 3
    assert found["worst_cell"] in {"8x50", "6x100", "9x200"}
    assert 0 < found["loocv_mape"] <= found["max_ape"]


def test_ratios_are_of_all_conversations_together() -> None:
    """Gamma is output / input of all stages; zeta is reasoning / visible output of one."""
    turns = [turn(1.0, ingest=(100, 30, 10), answer=(100, 10, 2)), turn(1.0, answer=(200, 10, 2))]
    found = summarise_costs([served("a", 2, 50, 1, turns)])["m"]["a"]
    assert found["gamma"] == 50 / 400
    assert found["zeta_ingest"] == 10 / 20
    assert found["zeta_answer"] == 4 / 16


@given(st.lists(st.tuples(st.integers(1, 500), st.integers(1, 50), st.integers(0, 50)), min_size=1, max_size=8))
def test_without_writes_the_ratios_are_the_answer_s_alone(answers: list[tuple[int, int, int]]) -> None:
    """A design with zero ingest has the answer stage's gamma and zeta, and no zeta of writing."""
    answers = [(given_in, out, min(reasoning, out - 1)) for given_in, out, reasoning in answers]
    turns = [turn(1.0, answer=answer) for answer in answers]
    found = summarise_costs([served("a", len(turns), 50, 1, turns)])["m"]["a"]
    given_in, out, reasoning = (sum(answer[n] for answer in answers) for n in range(3))
    assert found["gamma"] == pytest.approx(out / given_in, abs=1e-4)
    assert found["zeta_answer"] == pytest.approx(reasoning / (out - reasoning), abs=1e-4)
    assert found["zeta_ingest"] is None


@pytest.mark.parametrize("tokens", [(10, 5, None), (10, None, 2), (10, 5, 8)])
def test_a_ratio_of_unknown_tokens_is_null(tokens: tuple[int, int | None, int | None]) -> None:
    """Also where an endpoint reports more reasoning than output: what was visible is not known, and nothing fails."""
    found = summarise_costs([served("a", 1, 50, 1, [turn(1.0, answer=tokens)])])["m"]["a"]
    assert found["zeta_answer"] is None
    assert (found["gamma"] is None) == (tokens[1] is None)


def test_the_mechanism_s_error_is_taken_over_or_unknown() -> None:
    """Dry runs are another part's work; what they did not compute is null."""
    given_errors = {"m": {"flat": 0.08765, "full_context": None}}
    found = summarise_costs([*FULL, *FLAT], given_errors)
    assert flat(found)["mechanism_mape"] == 0.0877
    assert found["m"]["full_context"]["mechanism_mape"] is None
    assert flat()["mechanism_mape"] is None


def test_a_run_with_unknown_tokens_is_in_no_fit() -> None:
    """It is left out of the fit, and makes its cell unknown rather than smaller."""
    blind = served("flat", 8, 50, 3, [turn(1.0, answer=(None, None, None))] * 8)
    found = flat(summarise_costs([*FULL, *FLAT, blind]))
    assert (found["runs"], found["p"]) == (4, flat()["p"])
    assert found["gamma"] is None
    assert found["cells"]["8x50"]["input_tokens_per_turn"] is None
    assert found["cells"]["6x100"] == flat()["cells"]["6x100"]


# --- cells ---------------------------------------------------------------------------------------


def test_a_cell_has_the_mean_turn_and_the_mean_conversation() -> None:
    """Tokens are of a turn, USD of a whole conversation."""
    cell = flat()["cells"]["6x100"]
    per_turn = constant(100, 0) + 1.5
    assert cell["input_tokens_per_turn"] == per_turn
    assert cell["usd_per_conversation"] == pytest.approx(6 * (per_turn + 4) / 1e6, rel=5e-6)
    assert (cell["runs"], cell["measured_turns"]) == (2, 6)


def test_money_is_of_whole_conversations_alone() -> None:
    """Half a conversation is cheap: one that was cut short counts for tokens, not for the USD of a conversation."""
    half = served("flat", 8, 50, 3, FLAT[0].turns[:4], "cut_short")
    found = flat(summarise_costs([*FULL, *FLAT, half]))
    assert found["cut_short"] == 1
    assert found["runs"] == 5
    assert found["cells"]["8x50"]["usd_per_conversation"] == flat()["cells"]["8x50"]["usd_per_conversation"]
    alone = flat(summarise_costs([half]))
    assert alone["cells"]["8x50"]["usd_per_conversation"] is None
    assert alone["cells"]["8x50"]["input_tokens_per_turn"] == constant(50, 0) + 1


@given(st.floats(1e-3, 1e4))
def test_scaling_all_prices_scales_money_alone(factor: float) -> None:
    """Dearer by a factor: USD grow by it; tokens, fits and both break-even points stay."""
    before = flat(summarise_costs([*runs("full_context", transcript, 100.0), *runs("flat", constant, 100.0)]))
    both = [*runs("full_context", transcript, 100 * factor), *runs("flat", constant, 100 * factor)]
    after = flat(summarise_costs(both))
    for cell, row in before["cells"].items():
        scaled = after["cells"][cell].pop("usd_per_conversation")
        assert scaled == pytest.approx(factor * row["usd_per_conversation"], rel=1.1e-5)
        assert after["cells"][cell] == {name: value for name, value in row.items() if name != "usd_per_conversation"}
    assert after | {"cells": 0} == before | {"cells": 0}


@given(st.permutations([*FULL, *FLAT]))
def test_the_order_of_rows_changes_nothing(rows: list[Served]) -> None:
    """Workers report in any order: not one digit depends on it."""
    found, expected = summarise_costs(rows), summarise_costs([*FULL, *FLAT])
    assert json.dumps(found, sort_keys=True) == json.dumps(expected, sort_keys=True)


# --- break-even ----------------------------------------------------------------------------------


def cheaper_from(n: int, length: int) -> int:
    """The first turn at which the flat curve's sum is below the transcript's, turn by turn."""
    ours = theirs = 0
    turns = []
    for t in range(n):
        ours, theirs = ours + constant(length, t), theirs + transcript(length, t)
        turns.append(ours < theirs)
    return turns.index(True)


def test_break_even_is_measured_against_the_whole_transcript_at_the_same_cell() -> None:
    """In tokens, the flat curve is below from the turn at which its sum is the smaller one."""
    point = flat()["break_even"]["8x50"]["tokens"]
    assert point["turn"] == cheaper_from(8, 50)
    assert 0 < point["turn"] < 8
    assert point["range"] == [point["turn"]] * 2
    assert (point["pairs"], point["sustained"], point["incomplete"], point["measured_turns"]) == (2, True, False, 8)
    assert 0 < point["ratio_at_end"] < 1


def test_the_whole_transcript_never_undercuts_itself() -> None:
    """Equal is not cheaper."""
    point = summarise_costs(FULL)["m"]["full_context"]["break_even"]["8x50"]["tokens"]
    assert (point["turn"], point["ratio_at_end"]) == ("never", 1.0)


def test_without_the_reference_break_even_is_not_measured() -> None:
    """Neither in tokens nor in USD; the same for a cell or seeds that the reference lacks."""
    nothing = {"usd": None, "tokens": None}
    assert flat(summarise_costs(FLAT))["break_even"] == {"8x50": nothing, "6x100": nothing}
    part = flat(summarise_costs([*FULL[:2], *FLAT]))["break_even"]
    assert part["8x50"] == flat()["break_even"]["8x50"]
    assert part["6x100"] == nothing
    assert flat(summarise_costs([FULL[0], FLAT[1]]))["break_even"]["8x50"] == nothing


def test_without_a_price_it_is_measured_in_tokens_alone() -> None:
    """A model with no price has no break-even in USD."""
    found = flat(summarise_costs([*runs("full_context", transcript, None), *runs("flat", constant, None)]))
    assert found["break_even"]["8x50"]["usd"] is None
    assert found["break_even"]["8x50"]["tokens"] == flat()["break_even"]["8x50"]["tokens"]
    assert found["cells"]["8x50"]["usd_per_conversation"] is None


def test_money_may_break_even_elsewhere_than_tokens() -> None:
    """Output costs too: a design that writes at length is cheaper in input, and dearer in USD."""
    wordy = [
        served("flat", 8, 50, seed, [turn(1.0, answer=(constant(50, t) + seed, 1000, 0)) for t in range(8)])
        for seed in (1, 2)
    ]
    point = flat(summarise_costs([*FULL, *wordy]))["break_even"]["8x50"]
    assert point["usd"]["turn"] == "never"
    assert point["tokens"]["turn"] == cheaper_from(8, 50)


def test_a_reference_that_ends_early_is_used_as_far_as_it_goes() -> None:
    """Its context was full at turn 5 of 8: the point says that the runs are incomplete."""
    full = [served("full_context", 8, 50, one.row["seed"], list(one.turns[:5]), "cut_short") for one in FULL[:2]]
    point = flat(summarise_costs([*full, *FLAT]))["break_even"]["8x50"]["tokens"]
    assert (point["turn"], point["measured_turns"], point["incomplete"]) == (cheaper_from(5, 50), 5, True)


def test_a_reference_with_unknown_tokens_is_not_measured() -> None:
    """One unknown turn makes its run no reference."""
    full = [
        served("full_context", 8, 50, one.row["seed"], [*one.turns[:7], turn(1.0, answer=(None, 1, 0))])
        for one in FULL[:2]
    ]
    assert flat(summarise_costs([*full, *FLAT]))["break_even"]["8x50"] == {"usd": None, "tokens": None}


def test_settings_never_mix() -> None:
    """The reference of another setting is none."""
    other = [Served({**one.row, "setting": "other"}, one.turns) for one in FULL]
    found = summarise_costs([*other, *FLAT])
    assert found["m"]["flat"]["break_even"]["8x50"]["tokens"] is None
    assert found.keys() == {"m", "other"}


# --- accuracy beside cost ------------------------------------------------------------------------


def cost(tokens: float | None, money: float | None = None) -> dict[str, Any]:
    """A design with one cell."""
    means = {"input_tokens_per_turn": tokens, "whole_input_tokens_per_turn": tokens}
    return {"cells": {"100x100": {**means, "usd_per_conversation": money, "runs": 2, "cut_short": 0}}}


def score(points: float | None) -> dict[str, Any]:
    """A design's score."""
    return {"score": points, "interval": None if points is None else [points - 10, points + 10]}


def matrix(**designs: tuple[float | None, float | None]) -> Any:
    """The joint matrix of designs with a score and tokens."""
    scores = {name: score(points) for name, (points, _) in designs.items()}
    found = joint({"m": scores}, {"m": {name: cost(tokens) for name, (_, tokens) in designs.items()}})
    return found["m"]["100x100"]


def test_a_right_answer_costs_a_conversation_over_the_accuracy() -> None:
    """At 50 points a right answer costs twice the conversation, in USD and in tokens."""
    row = joint({"m": {"a": score(50.0)}}, {"m": {"a": cost(900.0, 0.25)}})["m"]["100x100"]["a"]
    assert (row["usd"], row["usd_per_correct"], row["tokens_per_correct"]) == (0.25, 0.5, 1800.0)
    assert (row["score"], row["interval"], row["frontier"]) == (50.0, [40.0, 60.0], True)


def test_nothing_right_has_no_price() -> None:
    """At 0 points there is no cost of a right answer, and no division by zero."""
    row = joint({"m": {"a": score(0.0)}}, {"m": {"a": cost(900.0, 0.25)}})["m"]["100x100"]["a"]
    assert (row["usd_per_correct"], row["tokens_per_correct"]) == (None, None)


def test_a_conversation_that_was_cut_short_is_counted_and_stands_beside_no_whole_one() -> None:
    """Its turns are in the cell's mean, which says so; beside the score stand the whole conversations alone."""
    growing = runs("growing", transcript)
    half = served("growing", 8, 50, 3, growing[0].turns[:2], "cut_short")
    costs = summarise_costs([*growing, half])
    cell, whole = costs["m"]["growing"]["cells"]["8x50"], summarise_costs(growing)["m"]["growing"]["cells"]["8x50"]
    assert (cell["cut_short"], cell["runs"], whole["cut_short"]) == (1, 3, 0)
    assert cell["input_tokens_per_turn"] < whole["input_tokens_per_turn"]
    row = joint({"m": {"growing": score(50.0)}}, costs)["m"]["8x50"]["growing"]
    assert row["input_tokens_per_turn"] == whole["input_tokens_per_turn"]
    assert row["tokens_per_correct"] == pytest.approx(2 * whole["input_tokens_per_turn"])
    assert (row["frontier"], row["cut_short"], row["runs"]) == (True, 1, 3)


def test_who_was_never_served_whole_is_on_no_frontier_and_beats_nobody() -> None:
    """The first turns of a full transcript are cheap: they are shown, and compared with nothing."""
    dear = runs("dear", lambda length, t: 10 * constant(length, t), cells=((8, 50),))
    cut = [served("cut", 8, 50, one.row["seed"], one.turns[:2], "cut_short") for one in FULL[:2]]
    found = joint({"m": {"cut": score(90.0), "dear": score(50.0)}}, summarise_costs([*dear, *cut]))["m"]["8x50"]
    assert (found["cut"]["frontier"], found["dear"]["frontier"]) == (None, True)
    assert found["cut"]["input_tokens_per_turn"] > 0
    assert (found["cut"]["tokens_per_correct"], found["cut"]["usd"], found["cut"]["usd_per_correct"]) == (None,) * 3


@given(st.floats(1e-9, 1e3))
def test_money_keeps_six_significant_digits(price: float) -> None:
    """A model that costs a millionth of another has as many digits."""
    cell = flat(summarise_costs(runs("flat", constant, price)))["cells"]["6x100"]
    exact = 6 * (constant(100, 0) + 1.5 + 4) * price / 1e6
    assert cell["usd_per_conversation"] == pytest.approx(exact, rel=5.1e-6)
    row = joint({"m": {"flat": score(30.0)}}, {"m": {"flat": {"cells": {"6x100": cell}}}})["m"]["6x100"]["flat"]
    assert row["usd_per_correct"] == pytest.approx(exact / 0.3, rel=1.1e-5)


def test_the_frontier_is_what_nothing_beats() -> None:
    """Beaten is who is worse in one and no better in the other; equals stand side by side."""
    found = matrix(best=(90, 1000), cheap=(40, 100), worse=(80, 1000), dear=(40, 150), twin=(90, 1000))
    assert {name for name, row in found.items() if row["frontier"]} == {"best", "cheap", "twin"}


def test_unknown_cost_is_on_no_frontier_and_beats_nobody() -> None:
    """Its place is unknown, however right its answers are."""
    found = matrix(blind=(99, None), known=(50, 100))
    assert (found["blind"]["frontier"], found["known"]["frontier"]) == (None, True)
    assert found["blind"]["tokens_per_correct"] is None


def test_only_what_was_asked_and_served_is_in_the_matrix() -> None:
    """A design without a score, without a cell, or in one of both alone is not; nothing at all is an empty matrix."""
    assert matrix(a=(50, 100), silent=(None, 100)).keys() == {"a"}
    assert joint({"m": {"a": score(50.0)}}, {"m": {"b": cost(1.0)}}) == {}
    assert joint({"m": {"a": score(50.0)}}, {}) == {}
    assert joint({}, {"m": {"a": cost(1.0)}}) == {}
    two = {"cells": {"15x50": cost(5.0)["cells"]["100x100"]}}
    found = joint({"m": {"a": score(50.0), "b": score(60.0)}}, {"m": {"a": cost(1.0), "b": two}})
    assert {cell: set(rows) for cell, rows in found["m"].items()} == {"100x100": {"a"}, "15x50": {"b"}}


@given(st.dictionaries(st.text("abcdef", min_size=1, max_size=3), st.tuples(st.integers(0, 100), st.integers(1, 9))))
def test_somebody_is_always_on_the_frontier(designs: dict[str, tuple[int, int]]) -> None:
    """Whoever is not is beaten by somebody who is."""
    if not designs:
        return
    found = matrix(**designs)
    front = {name for name, row in found.items() if row["frontier"]}
    for name in designs.keys() - front:
        points, tokens = designs[name]
        beaten = [
            d for d in front if designs[d][0] >= points and designs[d][1] <= tokens and designs[d] != designs[name]
        ]
        assert beaten
    assert front
    assert math.inf not in [row["tokens_per_correct"] for row in found.values()]
