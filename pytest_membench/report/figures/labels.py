"""Where the names of points stand, so that no name covers another name or a point."""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple


class Box(NamedTuple):
    """A rectangle in points: left, bottom, right, top."""

    left: float
    bottom: float
    right: float
    top: float

    def overlap(self, other: "Box") -> float:
        """Return the area that two boxes share."""
        wide = min(self.right, other.right) - max(self.left, other.left)
        high = min(self.top, other.top) - max(self.bottom, other.bottom)
        return max(0.0, wide) * max(0.0, high)

    def outside(self, frame: "Box") -> float:
        """Return how much of this box's area lies outside `frame`."""
        return (self.right - self.left) * (self.top - self.bottom) - self.overlap(frame)


def stairs(points: Sequence[tuple[float, float]]) -> list[Box]:
    """Return the boxes that a line takes up which goes from point to point, across first and then up."""
    boxes = []
    for (x0, y0), (x1, y1) in pairwise(points):
        boxes.append(Box(min(x0, x1), y0 - 1.5, max(x0, x1), y0 + 1.5))
        boxes.append(Box(x1 - 1.5, min(y0, y1), x1 + 1.5, max(y0, y1)))
    return boxes


def place(
    points: Sequence[tuple[float, float]],
    sizes: Sequence[tuple[float, float]],
    frame: Box,
    obstacles: Sequence[Box] = (),
) -> list[Box]:
    """Return a box of each size near its point, inside `frame`, that meets as few others as can be.

    Points are placed in order: of the places around a point, nearest first, the first free one is
    taken, else the one that covers least. Deterministic.
    """
    dots = [Box(x - 5, y - 5, x + 5, y + 5) for x, y in points]
    placed: list[Box] = []
    for point, size in zip(points, sizes, strict=True):
        taken = [*obstacles, *dots, *placed]
        placed.append(min(_around(point, size), key=lambda box: _cost(box, taken, frame)))
    return placed


def _cost(box: Box, taken: Sequence[Box], frame: Box) -> float:
    """Return the area that is covered or cut off; of equal ones `min` takes the first, that is the nearest."""
    return round(sum(map(box.overlap, taken)) + 4 * box.outside(frame), 6)


def _around(point: tuple[float, float], size: tuple[float, float]) -> list[Box]:
    """Return places for a box: right, left, above, below and between, in growing rings."""
    (x, y), (wide, high) = point, size
    boxes = []
    for ring in (8, 16, 26, 38, 52, 68):
        for angle in (0, 180, 90, 270, 30, -30, 150, 210, 60, -60, 120, 240):
            dx, dy = math.cos(math.radians(angle)), math.sin(math.radians(angle))
            centre_x, centre_y = x + dx * (ring + wide / 2), y + dy * (ring + high / 2)
            boxes.append(Box(centre_x - wide / 2, centre_y - high / 2, centre_x + wide / 2, centre_y + high / 2))
    return boxes
