"""What displays, and the pictures of the pages, draw of definitions beside their lines."""

from collections.abc import Sequence
from functools import singledispatch

import numpy as np

from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._types import Float
from sklearn_ap.definitions._at_a_point import PrecisionAtRecall, RecallAtPrecision
from sklearn_ap.definitions._base import Definition, Line
from sklearn_ap.definitions._interpolated import Interpolated
from sklearn_ap.definitions._prevalence import _AtPrevalence


@singledispatch
def marked_points(definition: Definition, counts: ThresholdCounts) -> Line | None:
    """Return recall and precision of the points that make the value of one ranking.

    They are the heights at recall levels, whose mean is the value, or the single point of which the
    value is a coordinate. None for other definitions, and for a point that no threshold reaches.
    """
    return None


@marked_points.register
def _(definition: Interpolated, counts: ThresholdCounts) -> Line | None:
    if definition.recall_levels is None:
        return None
    # A threshold gives its height to the levels that recall reaches there for the first time.
    reached = definition.levels_reached(counts)
    n_levels = (reached - counts.above(reached)).astype(np.intp)
    heights = np.repeat(definition.heights(counts), n_levels)
    levels = definition.levels
    unreached = np.zeros(levels.size - heights.size)
    return levels, np.concatenate((heights, unreached))


@marked_points.register
def _(definition: PrecisionAtRecall, counts: ThresholdCounts) -> Line | None:
    precision = definition(counts)
    return (np.array([definition.recall]), precision) if precision[0] > 0 else None


@marked_points.register
def _(definition: RecallAtPrecision, counts: ThresholdCounts) -> Line | None:
    recall = definition(counts)
    return (recall, np.array([definition.precision])) if recall[0] > 0 else None


@marked_points.register
def _(definition: _AtPrevalence, counts: ThresholdCounts) -> Line | None:
    return marked_points(definition.definition, counts.at_prevalence(definition.target))


def mean_line(lines: Sequence[Line], weights: Float) -> Line:
    """Average lines at each recall; the area under the mean is the mean of the areas.

    A line is 0 beyond its last recall. ``weights`` add up to 1.
    """
    grid = np.unique(np.concatenate([[0.0, 1.0], *(recall for recall, _ in lines)]))
    # Between two recalls of the grid each line is straight, also where it jumps at them. So it is
    # interpolated just inside the ends of each piece: arrays of shape (n_pieces, 2).
    ends = np.column_stack((grid[:-1], grid[1:]))
    inside = np.nextafter(ends, ends[:, ::-1])
    heights = np.zeros(ends.shape)
    for (recall, precision), weight in zip(lines, weights, strict=True):
        if recall.size:
            heights += weight * np.interp(inside, recall, precision, left=0.0, right=0.0)
    # Nothing is drawn beyond the last recall that any line reaches.
    n_drawn = np.flatnonzero(heights.any(axis=1)).max(initial=-1) + 1
    return ends[:n_drawn].ravel(), heights[:n_drawn].ravel()
