"""The bias of a mean over rankings, by which it exceeds that of a large sample.

It is equation 12 of ``docs/methods.md``.
"""

import numpy as np

from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._inputs.arrays import RELATIVE_TOLERANCE
from sklearn_ap._types import Float
from sklearn_ap._uncertainty._units import PlacedRows


def own_row_bias(counts: ThresholdCounts, rows: PlacedRows) -> Float:
    """Return by how much positives raise each step average precision by counting themselves.

    Equation 12, where each row is a unit: the precision of the *other* rows at or above a positive
    is unbiased.
    """
    # 1 0 (1 0) 0 -> 0.125, all of which the first positive adds
    is_hit = rows.is_positive & (rows.place < counts.gained.size)
    place, weight = rows.place[is_hit], rows.weight[is_hit]
    tps = counts.tps[place]
    size = (counts.tps + counts.fps)[place]
    others = size - weight
    is_alone = others < RELATIVE_TOLERANCE * size
    precision_of_others = (tps - weight) / np.where(is_alone, 1.0, others)
    # Without other rows, the truth is between 1 and the share of positives at the next score.
    without = np.where(is_alone, (1 + _next_shares(counts)[place]) / 2, precision_of_others)
    share_above = (counts.tps / counts.each(counts.n_positives))[place]
    terms = weight * (tps / size - without) * (1 - share_above)
    sums = counts.sum(np.bincount(place, terms, counts.gained.size))
    return sums / np.where(counts.n_positives > 0, counts.n_positives, 1.0)


def _next_shares(counts: ThresholdCounts) -> Float:
    """Return the share of positives at the next score below each threshold; 1 without any.

    If a negative stands between, the next score has no positive.
    """
    shares = counts.gained / counts.size
    following = np.append(shares[1:], 1.0)
    is_between = np.append(counts.fps_above[1:] > counts.fps[:-1], False)
    has_thresholds = counts.ends > counts.starts
    last = counts.ends[has_thresholds] - 1
    following[last] = 1.0
    is_between[last] = counts.n_negatives[has_thresholds] > counts.fps[last]
    return np.where(is_between, 0.0, following)
