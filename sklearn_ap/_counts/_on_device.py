"""Count one ranking where its scores are: on a graphics card, with the standard array API."""

from operator import eq
from types import ModuleType

import numpy as np

from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._inputs.arrays import as_array
from sklearn_ap._types import Array, DeviceArray, Label


def count_plain_rows(
    xp: ModuleType, y_true: DeviceArray, y_score: DeviceArray, pos_label: Label
) -> ThresholdCounts | None:
    """Count rows on their device; None for those that must come to the host.

    These have labels other than 1 and 0 or -1, or scores other than finite floats, for which the
    host has errors and warnings.
    """
    positive = _plain_positives(xp, y_true, pos_label)
    if positive is None or tuple(y_true.shape) != tuple(y_score.shape):
        return None
    if not _are_plain_scores(xp, y_score):
        return None
    return _count_sorted(xp, positive, y_score)


def _plain_positives(xp: ModuleType, y_true: DeviceArray, pos_label: Label) -> DeviceArray | None:
    """Flag labels of 1 beside 0 or -1; None for others."""
    if y_true.ndim != 1 or not y_true.shape[0] or pos_label not in (None, 1):
        return None
    if xp.isdtype(y_true.dtype, "bool"):
        return y_true
    if not xp.isdtype(y_true.dtype, ("integral", "real floating")):
        return None
    positive, lowest = eq(y_true, 1), xp.min(y_true)
    is_plain = float(lowest) in (-1, 0, 1) and bool(xp.all(positive | eq(y_true, lowest)))
    return positive if is_plain else None


def _are_plain_scores(xp: ModuleType, y_score: DeviceArray) -> bool:
    return xp.isdtype(y_score.dtype, "real floating") and bool(xp.all(xp.isfinite(y_score)))


def _count_sorted(xp: ModuleType, positive: DeviceArray, score: DeviceArray) -> ThresholdCounts:
    """Sort and add up on the device; what positives have at their thresholds comes to the host."""
    # scores [3, 2, 2, 1] of 1 1 0 0 -> blocks that end at [0, 2], with 1 and 2 positives so far
    n_rows = score.shape[0]
    order = xp.argsort(score, descending=True, stable=True)
    ranked = xp.take(score, order)
    hits = xp.cumulative_sum(xp.astype(xp.take(positive, order), xp.int64))
    is_last = xp.concat([ranked[1:] != ranked[:-1], xp.ones_like(positive[:1])])
    last = xp.nonzero(is_last)[0]
    hits_so_far = xp.take(hits, last)
    hits_above = xp.concat([xp.zeros_like(hits_so_far[:1]), hits_so_far[:-1]])
    rows_above = xp.concat([xp.zeros_like(last[:1]), last[:-1] + 1])
    blocks = xp.nonzero(hits_so_far != hits_above)[0]

    def to_host(values: object) -> Array:
        array = as_array("y_score", xp.take(values, blocks))
        return array.astype(np.int64) if array.dtype.kind == "i" else array

    thresholds = to_host(xp.take(ranked, last))
    tps = to_host(hits_so_far)
    tps_above = to_host(hits_above)
    n_above = to_host(rows_above)
    n_at_and_above = to_host(last) + 1
    n_positives = tps[-1:] if tps.size else np.zeros(1, np.int64)
    return ThresholdCounts(
        # float16 is widened as check_scores does it in main memory.
        thresholds=thresholds.astype(np.float32) if thresholds.itemsize < 4 else thresholds,
        gained=tps - tps_above,
        tps=tps,
        fps=n_at_and_above - tps,
        fps_above=n_above - tps_above,
        starts=np.zeros(1, np.intp),
        n_positives=n_positives,
        n_negatives=n_rows - n_positives,
    )
