"""Places of labels that stand beside what they name, where they cover nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sklearn_ap._base.common.types import Bool, Float

GRID = 3.0  # points between places that are tried
DIGITS = 6  # of distances in points, which are equal without them
MOST_TRIES = 20  # parts of all places, the nearest first, as most labels find one there


class Boxes(NamedTuple):
    """Rectangles: an array for each of their sides."""

    left: Float
    bottom: Float
    right: Float
    top: Float

    def overlaps(self, others: Boxes) -> Bool:
        """Check whether boxes (in rows) share more than an edge with others (in columns)."""
        left, bottom, right, top = (side[:, None] for side in self)
        across = (left < others.right) & (others.left < right)
        return np.asarray(across & (bottom < others.top) & (others.bottom < top))

    def append(self, left: float, bottom: float, width: float, height: float) -> Boxes:
        """Append a box."""
        box = left, bottom, left + width, bottom + height
        return Boxes(*(np.append(side, new) for side, new in zip(self, box, strict=True)))

    @classmethod
    def around(cls, points: Float, margin: float) -> Boxes:
        """Make a box around each point (in rows)."""
        x, y = points.T
        return cls(x - margin, y - margin, x + margin, y + margin)

    @classmethod
    def join(cls, parts: Sequence[Boxes]) -> Boxes:
        """Put boxes together."""
        return cls(*(np.concatenate(sides) for sides in zip(*parts, strict=True)))


def spread(centers: Float, sizes: Float, weights: Float, low: float, high: float) -> Float:
    """Move the centres of labels along an axis as little as possible, so that none overlap.

    The weighted sum of the squares of the moves is the least of all places between ``low`` and
    ``high``. Without the sizes of the labels before each one, the places are a monotonic regression
    of the centres.
    """
    from sklearn.isotonic import isotonic_regression

    order = np.argsort(centers, kind="stable")
    halves = sizes[order] / 2
    steps = np.concatenate(([0.0], np.cumsum(halves[:-1] + halves[1:])))
    packed = isotonic_regression(centers[order] - steps, sample_weight=weights[order])
    ends = low + halves[0], high - halves[-1] - steps[-1]
    places = np.empty_like(centers)
    places[order] = np.clip(packed, *ends) + steps
    return places


def nearest_free_place(
    target: tuple[float, float, float, float],
    size: tuple[float, float],
    gap: float,
    room: tuple[float, float],
    obstacles: Boxes,
    farthest: float = np.inf,
) -> tuple[float, float] | None:
    """Find the lower left corner of a label that covers no obstacle, as near as it can be.

    The target, which is a point or a line, has a left, lower, right and upper end. The label keeps
    the gap to it, is not farther than ``farthest``, and stays inside axes of the size of the room.
    There may be no such place.
    """
    target_left, target_bottom, target_right, target_top = target
    width, height = size
    lefts = np.arange(1, room[0] - width, GRID)
    bottoms = np.arange(1, room[1] - height, GRID)
    # Places just beside the target, whatever the grid.
    lefts = np.append(lefts, [target_right + gap, target_left - gap - width])
    middle = (target_bottom + target_top - height) / 2
    bottoms = np.append(bottoms, [target_top + gap, target_bottom - gap - height, middle])
    left, bottom = (each.ravel() for each in np.meshgrid(lefts, bottoms))
    right = left + width
    top = bottom + height
    across = np.maximum(0, np.maximum(left - target_right, target_left - right))
    along = np.maximum(0, np.maximum(bottom - target_top, target_bottom - top))
    distances = np.hypot(across, along)
    is_inside = (left >= 0) & (right <= room[0]) & (bottom >= 0) & (top <= room[1])
    is_possible = is_inside & (distances >= gap * (1 - 1e-9)) & (distances <= farthest)
    places = np.flatnonzero(is_possible)
    distance_along = np.abs(bottom - middle)
    order = np.lexsort((distance_along[places], distances[places].round(DIGITS)))
    for some in np.array_split(places[order], MOST_TRIES):
        boxes = Boxes(left[some], bottom[some], right[some], top[some])
        free = np.flatnonzero(~boxes.overlaps(obstacles).any(axis=1))
        if free.size:
            return float(left[some[free[0]]]), float(bottom[some[free[0]]])
    return None
