"""Which conversations a cost run has: grids as a user writes them, the paper's own, ids."""

from collections import Counter

import pytest

from pytest_membench import Design
from pytest_membench.data import Cell
from pytest_membench.errors import InputError
from pytest_membench.run.cells import QUICK, CostCase, cost_cases, parse_grid
from pytest_membench.run.find import Found


def found(name: str) -> Found:
    """A design of this name; its class does not matter here."""
    return Found(name, Design(), None, "digest")


def counted(design: str, grid: str, seeds: int | None = None) -> dict[str, int]:
    """How many conversations each cell has for a design."""
    return dict(Counter(str(case.cell) for case in cost_cases([found(design)], grid, seeds)))


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ("15x50", [(15, 50)]),
        ("100x100,15x50", [(100, 100), (15, 50)]),
        (" 15x50 , 1x25,", [(15, 50), (1, 25)]),
        ("15x400,15x400", [(15, 400)]),
    ],
)
def test_a_grid_is_read_in_the_order_it_is_written(text: str, cells: list[tuple[int, int]]) -> None:
    """Spaces, empty parts and doublets change nothing; the bounds of L belong to it."""
    assert parse_grid(text) == tuple(Cell(*cell) for cell in cells)


@pytest.mark.parametrize("part", ["15", "x50", "15x", "0x50", "15x24", "15x401", "15X50", "-1x50", "quick", "1.5x50"])
def test_a_part_that_is_no_cell_is_named(part: str) -> None:
    """The message repeats the grid, names the part and says what is wanted."""
    with pytest.raises(InputError) as caught:
        parse_grid(f"15x50,{part}")
    assert f"--membench-grid=15x50,{part}" in str(caught.value)
    assert f"{part!r} is no cell" in str(caught.value)
    assert "25 to 400" in str(caught.value)


@pytest.mark.parametrize("text", ["", ",", " , "])
def test_a_grid_without_a_cell_is_an_error(text: str) -> None:
    """Nothing to measure is told, not run."""
    with pytest.raises(InputError, match="names no cell"):
        parse_grid(text)


def test_the_error_names_the_option_it_came_from() -> None:
    """The same grids are read by a command, whose option has another name."""
    with pytest.raises(InputError, match="--grid=9"):
        parse_grid("9", "--grid")


def test_the_quick_grid_is_the_issue_s() -> None:
    """Four cells, the reference cell among them, with two conversations each."""
    assert parse_grid("quick") == QUICK
    assert counted("mine", "quick") == {"15x50": 2, "15x200": 2, "100x50": 2, "100x100": 2}


def test_the_paper_s_grid_depends_on_the_design() -> None:
    """5 cells x 8 for a memory system, 2 more x 3 for observational memory, 8 cells x 2 without a memory."""
    assert parse_grid("paper") is None
    system = {"15x50": 8, "15x200": 8, "100x100": 8, "400x50": 8, "400x200": 8}
    assert counted("mine", "paper") == system
    assert counted("observational_memory", "paper") == {**system, "800x200": 3, "800x400": 3}
    plain = dict.fromkeys([*system, "40x250", "200x50", "400x25"], 2)
    assert counted("full_context", "paper") == plain
    assert counted("rolling_window", "paper") == plain


def test_parameters_do_not_change_the_kind_of_a_design() -> None:
    """A window of another size is a window; a name that only begins alike is not."""
    assert counted("rolling_window(n=4)", "paper") == counted("rolling_window", "paper")
    assert counted("rolling_window_x", "paper") == counted("mine", "paper")


@pytest.mark.parametrize("grid", ["15x50,40x100", "quick", "paper"])
def test_seeds_given_go_before_the_grid_s_own(grid: str) -> None:
    """`--membench-seeds=3` gives three conversations of every cell, numbered from 1."""
    cases = list(cost_cases([found("full_context")], grid, 3))
    seeds = {cell: [case.seed for case in cases if case.cell == cell] for cell in {case.cell for case in cases}}
    assert seeds
    assert all(own == [1, 2, 3] for own in seeds.values())


def test_ids_are_readable_and_every_item_has_its_own() -> None:
    """An id names design, N, L and seed; designs keep the order in which they were given."""
    ids = [case.id for case in cost_cases([found("b"), found("a(n=2)")], "15x50,400x25", 2)]
    assert ids[0] == "b-N15-L50-s1"
    assert ids[-1] == "a(n=2)-N400-L25-s2"
    assert len(set(ids)) == len(ids) == 8


def test_a_bad_grid_is_told_before_any_item_is_made() -> None:
    """No case is yielded before the grid has been read whole."""
    with pytest.raises(InputError, match="'no' is no cell"):
        next(cost_cases([found("a")], "15x50,no", None))


def test_a_row_identifies_the_item() -> None:
    """Two conversations of one session never share setting, design, cell and seed."""
    row = CostCase(found("a"), Cell(15, 50), 2).row("m/low")
    assert row == {"setting": "m/low", "design": "a", "person": "15x50", "probe": "s2", "kind": "cost", "repeat": 1}
