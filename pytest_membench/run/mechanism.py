"""Predict what a conversation costs by serving it dry: the design's own code on replies that other cells recorded.

Where a regression knows N, L and t alone, the dry run knows when the design writes and what it shows;
only the model's replies are borrowed (run/dry.py says which). Its error is measured as the regression's is: each cell is
predicted from the replies of all others.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pytest_membench.data import Cell, Turn
from pytest_membench.design import Design
from pytest_membench.errors import StoreError
from pytest_membench.report.costs import input_tokens
from pytest_membench.report.folder import Session
from pytest_membench.report.forecast import Fold, Forecast, HeldOut
from pytest_membench.run import replies as kept_replies
from pytest_membench.run.cost import serve
from pytest_membench.run.dry import DryRun
from pytest_membench.run.find import Found
from pytest_membench.run.replies import Kept, Replies
from pytest_membench.run.talks import Talks
from pytest_membench.stats import costmodel
from pytest_membench.store import Results, read_json, write_json

CHEAP_TURNS = 1000
"""Up to so many measured turns of a design (the quick grid has 460) a session predicts at its end."""
_BUILT_IN = Talks()
_NOT_BILLED = "no other conversation has known billed tokens of each stage that the design calls"


class Measured(NamedTuple):
    """One served conversation: the input tokens of its turns (None: unknown) and the replies in it.

    `digest` is that of the design that was measured.
    """

    cell: Cell
    seed: int
    tokens: tuple[int | None, ...]
    replies: tuple[Kept, ...]
    digest: str = ""


def predict(design: Design[Any], turns: Sequence[Turn], replies: Replies) -> tuple[float | None, ...]:
    """Return the LLM input tokens of each of these turns of a dialogue.

    Tokens are scaled by what the endpoint billed per token counted here. A turn is None where a
    stage that it calls has no billed call to scale by. Raises CallFailed where a stage that
    the design calls has no reply, and whatever the design raises.
    """
    dry = DryRun(replies)
    costs: list[float | None] = []

    def after_turn(_: int) -> None:
        costs.append(_scaled(dry.tally, replies.ratios))
        dry.tally.clear()

    serve(design, turns, dry.at, after_turn)
    return tuple(costs)


def leave_one_cell_out(design: Design[Any], runs: Sequence[Measured], talks: Talks = _BUILT_IN) -> HeldOut:
    """Return the error of predicting each cell's mean input tokens a turn from the other cells' replies.

    A run that ended early is predicted as far as it was measured. Nothing that the design raises on
    borrowed replies gets out of here: its fold is unknown then.
    """
    cells = sorted({run.cell for run in runs})
    folds = tuple(_fold(design, cell, runs, talks) for cell in cells) if len(cells) > 1 else ()
    errors = [fold.ape for fold in folds if fold.ape is not None]
    known = bool(folds) and len(errors) == len(folds)
    return HeldOut(math.fsum(errors) / len(errors) if known else None, folds)


def forecast(design: Design[Any], cell: Cell, runs: Sequence[Measured], talks: Talks = _BUILT_IN) -> Forecast:
    """Return the mean input tokens a turn at a cell, over the seeds that were measured, from all replies.

    Beside it stands the regression's. What cannot be predicted is None, with the reason.
    """
    replies = Replies(kept for run in runs for kept in run.replies)
    regression = _regression(cell, runs)
    try:
        costs = [
            tokens
            for seed in sorted({run.seed for run in runs})
            for tokens in predict(design, talks.turns(cell, seed), replies)
        ]
    except Exception as error:  # noqa: BLE001 - whatever a user's design raises on replies that it did not ask for
        return Forecast(cell, None, regression, str(error) or repr(error))
    mean = _mean(costs)
    return Forecast(cell, mean, regression, "" if mean is not None else _NOT_BILLED)


def regression_error(runs: Sequence[Measured]) -> costmodel.HeldOut | None:
    """Return the held-out error of the regression on the same runs; None where they do not determine it."""
    try:
        return costmodel.leave_one_cell_out(_known(runs))
    except ValueError:
        return None


def of_design(session: Session, design: str) -> dict[str, list[Measured]]:
    """Return a design's conversations by setting. Raises StoreError where the session has none."""
    groups = measured(session)
    names = sorted({name for _, name in groups})
    if design not in names:
        there = ", ".join(names) or "none; run benchmarks/test_cost.py first"
        raise StoreError(f"{session.root}: holds no conversation of {design!r}; it has those of {there}")
    return {setting: runs for (setting, name), runs in groups.items() if name == design}


def measured(session: Session) -> dict[tuple[str, str], list[Measured]]:
    """Return the conversations of a session with their replies, by setting and design."""
    results = Results(session.root)
    groups: dict[tuple[str, str], list[Measured]] = defaultdict(list)
    for row, turns in session.served:
        path = results.replies(row["setting"], row["design"], row["person"], row["probe"])
        run = Measured(
            Cell(row["turns"], row["length"]),
            row["seed"],
            tuple(input_tokens(turn) for turn in turns),
            tuple(kept_replies.read(path)),
            read_json(results.cost(row["setting"], row["design"], row["person"], row["probe"]))["design"],
        )
        groups[row["setting"], row["design"]].append(run)
    return groups


def write_errors(
    session: Session, designs: Sequence[Found], talks: Talks = _BUILT_IN, cheap_turns: int = CHEAP_TURNS
) -> None:
    """Write the held-out errors of a session's designs to its mechanism.json, where summaries find them.

    A design with more than `cheap_turns` measured turns is left out; `membench predict` computes it.
    """
    found = {one.id: one.design for one in designs}
    errors: dict[str, dict[str, float | None]] = defaultdict(dict)
    for (setting, name), runs in measured(session).items():
        if name in found and sum(len(run.tokens) for run in runs) <= cheap_turns:
            errors[setting][name] = leave_one_cell_out(found[name], runs, talks).mape
    write_json(Results(session.root).mechanism, {"session": session.manifest["session"], "mape": errors})


def _fold(design: Design[Any], cell: Cell, runs: Sequence[Measured], talks: Talks) -> Fold:
    own = [run for run in runs if run.cell == cell]
    actual = _mean([tokens for run in own for tokens in run.tokens])
    if not actual:
        return Fold(cell, actual, None, None, "its measured tokens are unknown or none")
    try:
        costs = [tokens for run in own for tokens in _held_out(design, run, runs, talks)]
    except Exception as error:  # noqa: BLE001 - whatever a user's design raises on replies that it did not ask for
        return Fold(cell, actual, None, None, str(error) or repr(error))
    expected = _mean(costs)
    if expected is None:
        return Fold(cell, actual, None, None, _NOT_BILLED)
    return Fold(cell, actual, expected, abs(expected - actual) / actual)


def _held_out(design: Design[Any], own: Measured, runs: Sequence[Measured], talks: Talks) -> tuple[float | None, ...]:
    """Return the predicted tokens of the turns of one run, from replies to other conversations of other cells.

    The shorter of two conversations of the same L and seed is the beginning of the longer one, whose
    replies would be its own: these are left out too.
    """
    others = [r for r in runs if r.cell != own.cell and (r.cell.length, r.seed) != (own.cell.length, own.seed)]
    replies = Replies(kept for run in others for kept in run.replies)
    return predict(design, talks.turns(own.cell, own.seed)[: len(own.tokens)], replies)


def _known(runs: Sequence[Measured]) -> list[costmodel.Run]:
    """Return the runs for the regression: those whose tokens are all known."""
    known = [(run, [float(t) for t in run.tokens if t is not None]) for run in runs]
    return [
        costmodel.Run(run.cell.turns, run.cell.length, run.seed, tuple(tokens))
        for run, tokens in known
        if tokens and len(tokens) == len(run.tokens)
    ]


def _regression(cell: Cell, runs: Sequence[Measured]) -> float | None:
    try:
        model = costmodel.fit(_known(runs))
    except ValueError:
        return None
    return float(costmodel.predict(model, costmodel.Run(cell.turns, cell.length, 1, (0.0,) * cell.turns)).mean())


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known and len(known) == len(values) else None


def _scaled(tally: Mapping[str, int], ratios: Mapping[str, float]) -> float | None:
    if any(stage not in ratios for stage in tally):
        return None
    return math.fsum(count * ratios[stage] for stage, count in tally.items())
