"""What displays draw of several lines of a definition."""

from collections.abc import Sequence

import numpy as np

from sklearn_ap._types import Float
from sklearn_ap.definitions._base import Line


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
