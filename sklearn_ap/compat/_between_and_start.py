"""Choices 3 and 4: which precision is used between operating points, and where the curve starts.

An option of BETWEEN takes counts and returns a height for each threshold: the mean precision while
recall rises to it. An option of START returns the precision at which each curve starts, which
some options of BETWEEN take as ``start``.
"""

import numpy as np

from sklearn_ap._counts.sums import ranges, segment_sums
from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._types import Array
from sklearn_ap.compat._option import Option
from sklearn_ap.definitions import AtK, Hyperbolic, Interpolated, PrecisionAtK, Step


def _straight(counts: ThresholdCounts, *, start: Array | float) -> Array:
    """Compute trapezoids; a lost start (nan) loses the area left of the first point."""
    before = np.where(counts.before > 0, counts.precision_before(0.0), start)
    return np.nan_to_num((before + counts.precision) / 2)


def _sampled_hyperbola(counts: ThresholdCounts) -> Array:
    n_steps = np.where(counts.before > 0, counts.gained, 1).astype(np.intp)
    return _trapezoids(counts, counts.fps_above, n_steps, counts.precision)


def _best_points(counts: ThresholdCounts, *, start: Array | float) -> Array:
    """Compute trapezoids between points in the order of ROCR's list, where recall may fall again.

    The points are the best ones at each recall and, for a gain of more than 2, one for each hit
    on the way from the last best point.
    """
    n_hits = np.where(counts.gained > 2, counts.gained, 0).astype(np.intp)
    thresholds = np.arange(n_hits.size)
    order = _insertion_order(n_hits, counts)
    # The threshold of each point, and its share of the way there from the last best point.
    threshold = np.append(thresholds, np.repeat(thresholds, n_hits))[order]
    hit_share = (ranges(n_hits) + 1) / np.repeat(n_hits, n_hits)
    share = np.append(np.ones(n_hits.size), hit_share)[order]
    fps_from = counts.above(counts.fps)
    tps = (counts.tps_above + 0.0)[threshold] + share * counts.gained[threshold]
    fps = fps_from[threshold] + share * (counts.fps - fps_from)[threshold]
    precision = tps / (tps + fps)
    is_first = np.diff(counts.ranking()[threshold], prepend=-1) > 0
    start_precision = np.broadcast_to(start, n_hits.shape)[threshold]
    tps_before = np.where(is_first, 0, np.roll(tps, 1))
    precision_before = np.where(is_first, start_precision, np.roll(precision, 1))
    # nan: the start is lost
    areas = np.nan_to_num((tps - tps_before) * (precision + precision_before) / 2)
    return np.bincount(threshold, areas, minlength=n_hits.size) / counts.gained


def _insertion_order(n_hits: Array, counts: ThresholdCounts) -> Array:
    """Return the order of the points in ROCR's list; thresholds are numbered first, then hits.

    ROCR inserts the hits of threshold i after index i of the list, which has grown by then.
    """
    if not n_hits.any():
        return np.arange(n_hits.size)
    hit_ends = (n_hits.size + np.cumsum(n_hits)).tolist()
    sizes: list[int] = n_hits.tolist()
    order: list[int] = []
    for begin, end in zip(counts.starts.tolist(), counts.ends.tolist(), strict=True):
        # The points after index i, in reverse: the points before it will not change.
        remaining = list(range(end - 1, begin - 1, -1))
        for threshold in range(begin, end):
            if threshold > begin:
                order.append(remaining.pop())
            last = hit_ends[threshold] - 1
            remaining += range(last, last - sizes[threshold], -1)
        order += remaining[::-1]
    return np.array(order)


def _lowest_first(counts: ThresholdCounts, *, start: Array | float) -> Array:
    """Compute trapezoids to the lowest precision at each recall, below all negatives there."""
    is_last = np.append(np.diff(counts.ranking()) > 0, True)[: counts.tps.size]
    below = np.append(counts.fps_above[1:], 0)[: counts.tps.size]
    fps = np.where(is_last, counts.each(counts.n_negatives), below)
    before = np.where(counts.tps_above > 0, counts.above(counts.precision), start)
    return (before + counts.tps / (counts.tps + fps)) / 2


def _trapezoids(
    counts: ThresholdCounts, fps_from: Array, n_steps: Array, start: Array | float
) -> Array:
    """Average precision on the way from (tps_above, fps_from) to each threshold, in equal steps.

    ``start`` is the precision where no row is selected yet.
    """
    # n_steps = [2, 1] -> threshold = [0, 0, 1], step = [0, 1, 0]
    threshold = np.repeat(np.arange(n_steps.size), n_steps)
    step = ranges(n_steps)
    n = n_steps[threshold]
    tps = counts.tps_above[threshold]
    gained = counts.gained[threshold]
    fps = fps_from[threshold]
    fps_gained = (counts.fps - fps_from)[threshold]
    start_precision = np.broadcast_to(start, n_steps.shape)[threshold].astype(np.float64)

    def precision(share: Array) -> Array:
        hits = tps + share * gained
        selected = hits + fps + share * fps_gained
        return np.divide(hits, selected, out=start_precision.copy(), where=selected > 0)

    trapezoids = (precision(step / n) + precision((step + 1) / n)) / 2 / n
    trapezoids = np.nan_to_num(trapezoids)  # nan: the start is lost
    return segment_sums(trapezoids, np.cumsum(n_steps) - n_steps)


BETWEEN = {
    "step": Option(
        "Precision between points is that of the one with more recall.",
        Step().heights,
        definition_at_k=AtK,
    ),
    "envelope": Option(
        "Precision is the largest at this recall or a higher one.", Interpolated().heights
    ),
    "straight line": Option(
        "Operating points are joined by straight lines, which no threshold attains.",
        _straight,
    ),
    "hyperbola": Option(
        "Between thresholds, true and false positives grow at a constant ratio.",
        Hyperbolic().heights,
    ),
    "hyperbola, sampled": Option(
        "The hyperbola is approximated by straight lines between whole numbers of true "
        "positives; the first tied block is a rectangle.",
        _sampled_hyperbola,
    ),
    "best points": Option(
        "Only the point with the fewest false positives is kept for each recall, and these "
        "are joined by straight lines, which is optimistic. Of tied positives, three or more are "
        "points of their own, some of which stand at wrong places.",
        _best_points,
    ),
    "sorted by recall": Option(
        "Straight lines enter each recall at its lowest precision and leave it at its highest.",
        _lowest_first,
    ),
    "lower": Option(
        "The smaller precision of both ends is taken.",
        lambda counts: np.minimum(counts.precision_before(0.0), counts.precision),
    ),
    "upper": Option(
        "The larger precision of both ends is taken.",
        lambda counts: np.maximum(counts.precision_before(0.0), counts.precision),
    ),
    "each hit": Option(
        "Each hit counts 1, whatever the precision.",
        lambda counts: np.ones(counts.tps.shape),
        definition_at_k=PrecisionAtK,
    ),
    "its own heights": Option(
        "The definition gives a precision of its own for each threshold.",
        lambda counts, *, definition: definition.heights(counts),
    ),
}
START = {
    "irrelevant": Option("No area lies before the first point.", lambda counts: counts.precision),
    "(0, first precision)": Option("The curve starts level.", lambda counts: counts.precision),
    "(0, 1)": Option(
        "The curve starts at precision 1, which no threshold need attain.", lambda _: 1.0
    ),
    "lost": Option("The area left of the first point is lost.", lambda _: np.nan),
}
