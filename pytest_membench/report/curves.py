"""What figures of serving cost draw: each cell's cumulative mean cost by turn, as measured and as the fit goes on."""

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any

from pytest_membench.data import Cell
from pytest_membench.report.costs import by_cell, by_design, input_tokens, run_of, usd
from pytest_membench.report.folder import Row, Served, Session
from pytest_membench.stats import costmodel


def curves(session: Session) -> dict[str, dict[str, dict[str, dict[str, Any]]]]:
    """Return the curves of a session: {setting: {design: {cell: curve}}}.

    Of a curve, `turns` is N; `tokens` and `usd` are cumulative means (LLM input tokens, and USD),
    an entry for each turn from 0; `runs` is how many conversations each measured turn is a mean of.
    `extrapolated_from` is the first turn that nobody measured, None where all N were: from there on
    (dashed in a figure) the entries follow the fit of the cost model, its tokens priced at what an
    input token of the measured turns cost in all. Without a fit they end there. `tokens` or `usd`
    is None where a turn's is unknown.
    """
    return {
        setting: {design: _of_design(own) for design, own in designs.items()}
        for setting, designs in by_design(session.served).items()
    }


def _of_design(served: Sequence[Served]) -> dict[str, dict[str, Any]]:
    model = _fit([run for one in served if (run := run_of(one)) is not None])
    return {str(cell): _curve(cell, own, model) for cell, own in by_cell(served).items()}


def _fit(runs: Sequence[costmodel.Run]) -> costmodel.Fit | None:
    try:
        return costmodel.fit(runs)
    except ValueError:
        return None


def _curve(cell: Cell, served: Sequence[Served], model: costmodel.Fit | None) -> dict[str, Any]:
    measured = max(len(one.turns) for one in served)
    tokens, money = (_means(served, cost, measured) for cost in (input_tokens, usd))
    further = _further(cell, measured, model) if tokens else []
    price = sum(money) / sum(tokens) if money and tokens and sum(tokens) else 0.0
    return {
        "turns": cell.turns,
        "tokens": tokens and list(accumulate([*tokens, *further])),
        "usd": money and list(accumulate([*money, *(price * count for count in further)])),
        "runs": [sum(len(one.turns) > t for one in served) for t in range(measured)],
        "extrapolated_from": measured if measured < cell.turns else None,
    }


def _means(served: Sequence[Served], cost: Callable[[Row], float | None], turns: int) -> list[float] | None:
    """Return each turn's mean over the conversations that have it, or None where one is unknown."""
    columns = [[cost(one.turns[t]) for one in served if len(one.turns) > t] for t in range(turns)]
    means = []
    for column in columns:
        known = [value for value in column if value is not None]
        if len(known) < len(column):
            return None
        means.append(sum(known) / len(known))
    return means


def _further(cell: Cell, measured: int, model: costmodel.Fit | None) -> list[float]:
    """Return the tokens that the fit expects in the turns after the measured ones."""
    if model is None:
        return []
    whole = costmodel.Run(cell.turns, cell.length, 1, (0.0,) * cell.turns)
    return [float(tokens) for tokens in costmodel.predict(model, whole)[measured:]]
