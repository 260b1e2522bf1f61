"""Names beside points: off other names, off points, inside the frame, as near as can be."""

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from pytest_membench.report.figures.labels import Box, place, stairs

FRAME = Box(0, 0, 500, 300)


def test_a_lone_name_stands_to_the_right_of_its_point() -> None:
    """The nearest place is taken where nothing is in the way."""
    [box] = place([(100, 100)], [(60, 12)], FRAME)
    assert (box.left, (box.bottom + box.top) / 2) == (108, 100)


def test_a_name_at_the_right_edge_stands_to_the_left() -> None:
    """It would be cut off on the right."""
    [box] = place([(490, 100)], [(60, 12)], FRAME)
    assert box.right < 490


def test_a_name_keeps_off_a_line() -> None:
    """The frontier goes to the right from the point: the name stands elsewhere."""
    steps = stairs([(100, 100), (300, 100), (400, 200)])
    [box] = place([(100, 100)], [(60, 12)], FRAME, steps)
    assert sum(map(box.overlap, steps)) == 0


def test_a_line_goes_across_first_and_then_up() -> None:
    """Two boxes a step: one along, one up."""
    along, up = stairs([(0, 0), (10, 5)])
    assert (along.left, along.right, along.top - along.bottom) == (0, 10, 3)
    assert (up.bottom, up.top, up.right - up.left) == (0, 5, 3)


@given(st.lists(st.tuples(st.integers(60, 440), st.integers(40, 260)), min_size=1, max_size=4, unique=True))
def test_few_names_never_cover_each_other_nor_leave_the_frame(points: list[tuple[int, int]]) -> None:
    """Up to four points, however close: all names can be read."""
    boxes = place(points, [(40, 10)] * len(points), FRAME)
    assert all(a.overlap(b) == 0 for a, b in combinations(boxes, 2))
    assert all(box.outside(FRAME) == 0 for box in boxes)
