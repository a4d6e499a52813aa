"""Exact binomial tests of thresholds: which are shown to have a precision, or a recall.

``refuse_guarantee`` says where they do not hold. Equations are those of ``docs/methods.md``: 36
and 37.
"""

import numpy as np
from scipy.special import betainc, btdtria

from sklearn_ap._arithmetic import RELATIVE_TOLERANCE, TINY
from sklearn_ap._errors import InputError
from sklearn_ap._types import Array, Bool, Float, FloatOrArray
from sklearn_ap.inference.thresholds._cuts import Cuts

# Of the negatives above two starts of the search. More starts find deeper thresholds, and each
# leaves less of the error to the others.
START_RATIO = 1.5
# A precision is hardly shown if luck explains it in more than half of samples. As many rows at the
# top, all positive, are enough for any precision.
LUCK = 0.5
ENOUGH_AT_TOP = 10


def refuse_guarantee(cuts: Cuts, *, is_of_precision: bool) -> None:
    """Refuse a guarantee where its tests do not hold, or lack thresholds."""
    if is_of_precision and cuts.sample.unit == "cluster":
        raise InputError(
            "A guarantee of a precision does not go with clusters, as its tests count rows. Choose "
            "without it on some clusters, and pass threshold= for the others, or pass one row of "
            "each cluster."
        )
    if cuts.sample.weight_share is not None:
        raise InputError("guarantee does not go with sample_weight: its tests count rows.")
    if is_of_precision and not cuts.holds_negatives:
        raise InputError(
            "A guarantee of a precision needs the scores of negatives, which counts do not hold. "
            "Pass the rows to operating_point, or a random sample of them."
        )


def have_precision(tps: Array, n_selected: Array, precision: float, alpha: float) -> Bool:
    """Find the thresholds that are shown to have a precision: equation 36.

    Thresholds are tested from the highest on, from several starts, until one fails. The starts
    share the error ``alpha``. A threshold is tested with the shares of all starts down to it, and a
    start that passes with its own share passes all thresholds above it. The error is at most
    ``alpha``: let c be the first threshold without the precision, and let none below c have it. The
    test errs only if c, or a start below it, passes, and their shares add up to ``alpha`` at most.
    """
    # 29 rows, all positive, show a precision of 0.9 with alpha = 0.05, and 28 do not
    # Beyond, even all positives are too few.
    most_rows = min(n_selected.max(initial=0), tps.max(initial=0) / precision)
    n_tested = int(n_selected.searchsorted(most_rows, "right"))
    starts = n_selected.searchsorted(_ranks_of_starts(precision, alpha, most_rows))
    starts = np.unique(starts[starts < n_tested])  # tied ranks have one threshold
    shares = _shares_of_error(alpha, starts.size)
    n_started = starts.searchsorted(np.arange(n_tested), "right")
    chance = chance_of_hits(tps[:n_tested], n_selected[:n_tested], precision)
    passes = np.zeros(tps.size, bool)
    passes[:n_tested] = chance <= np.append(0.0, np.cumsum(shares))[n_started]
    passes[: starts[chance[starts] <= shares].max(initial=0)] = True
    return np.asarray(np.logical_and.accumulate(passes))


def have_recall(
    tps: Array, n_positives: float, n_independent: FloatOrArray, recall: float, alpha: float
) -> Bool:
    """Find the thresholds that are shown to have a recall: equation 37.

    At a threshold, the positives tell as much as ``n_independent`` independent ones. Thresholds are
    tested from the lowest on until one fails, so that one without the recall is among those that
    pass in at most ``alpha`` of samples.
    """
    chance = chance_of_hits(tps * (n_independent / n_positives), n_independent, recall)
    passes = chance <= alpha * (1 + RELATIVE_TOLERANCE)
    return np.asarray(np.logical_and.accumulate(passes[::-1])[::-1])


def is_hardly_shown(
    tps: Array, n_selected: Array, precision: float, rows_per_weight: float
) -> bool:
    """Check whether luck alone explains the precision of every threshold.

    It does if a threshold that just has the precision would select as many positives in more than
    half of the samples. A weight of 1 stands for ``rows_per_weight`` independent rows.
    """
    precision = min(precision, LUCK ** (1 / ENOUGH_AT_TOP))
    n_hits, n_rows = tps * rows_per_weight, n_selected * rows_per_weight
    if np.any(n_hits >= n_rows * precision + 2):  # above the median
        return False
    return bool(chance_of_hits(n_hits, n_rows, precision).min() > LUCK)


def chance_of_hits(n_hits: Float, n_rows: FloatOrArray, share: float) -> Float:
    """Compute the probability of so many hits, or more, where this share are hits.

    It is an incomplete beta function, which also takes fractional numbers of rows.
    """
    return np.asarray(betainc(np.maximum(n_hits, TINY), n_rows - n_hits + 1, share))


def _ranks_of_starts(precision: float, alpha: float, most_rows: float) -> Float:
    """Find the ranks at which 0, 1, 2, 4, 8, 13 ... negatives just show a precision."""
    n_starts = 2 + np.log(max(most_rows, 1)) // np.log(START_RATIO)
    n_negatives = np.floor(2 * START_RATIO ** np.arange(n_starts)) - 2

    def ranks_at(level: FloatOrArray, n_negatives: Float) -> Float:
        """Return the ranks at which these negatives just pass at a level, as far as there are."""
        rank = np.ceil(btdtria(level, n_negatives + 1, precision) + n_negatives)
        return np.asarray(rank[rank <= most_rows])

    n_negatives = n_negatives[: ranks_at(alpha, n_negatives).size]  # that any share could show
    return ranks_at(_shares_of_error(alpha, n_negatives.size), n_negatives)


def _shares_of_error(alpha: float, n_starts: int) -> Float:
    """Share an error in proportion to 1, 1/2, 1/3 ..., as low starts are rarely needed."""
    parts = 1 / np.arange(1, n_starts + 1)
    return np.asarray(alpha * parts / parts.sum())
