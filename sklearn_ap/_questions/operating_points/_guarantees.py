"""Thresholds that have a precision, or a recall, with confidence: exact binomial tests."""

import numpy as np
from scipy.special import bdtr, bdtrc, betainc, btdtria

from sklearn_ap._base.common.tuned_constants import (
    ENOUGH_AT_TOP,
    LUCK_PROBABILITY,
    THRESHOLD_RANK_RATIO,
    THRESHOLD_START_RATIO,
)
from sklearn_ap._base.common.types import Array, Bool, Float, FloatOrArray, Index
from sklearn_ap._base.inputs.arrays import TINY


def lowest_guaranteed_precision(
    tps: Array, size: Array, precision: float, alpha: float
) -> int | None:
    """Find the lowest of the thresholds that are shown to have a precision; None if none is.

    ``tps`` positives stand among the ``size`` rows at or above each threshold. The test is that of
    the notes of ``operating_point``. It goes on down, too, if a start below passes with its own
    share. Let c be the first threshold that lacks the precision, and let all below lack it. To go
    beyond c, c or a start below must pass, and their shares add up to ``alpha``.
    """
    limit = min(size[-1], tps[-1] / precision)  # beyond, even all positives are too few
    n_thresholds = size.searchsorted(limit, "right")
    start_places = size.searchsorted(_start_ranks(precision, alpha, limit))
    start_places = np.unique(start_places[start_places < n_thresholds])  # tied rows come together
    if not start_places.size:
        return None
    tested = _tested_places(size[:n_thresholds], start_places)
    pvalue = bdtrc(tps[tested] - 1, size[tested], precision)  # how often so many are positive
    start_alphas = _share_alpha(alpha, start_places.size)
    # A threshold is tested with the shares of all starts down to it: (n_tested,)
    last_start = start_places.searchsorted(tested, "right") - 1
    passes = pvalue <= np.cumsum(start_alphas)[last_start]
    # A start that passes with its own share lets all thresholds above it pass.
    starts_in_tested = tested.searchsorted(start_places)
    passing_starts = starts_in_tested[pvalue[starts_in_tested] <= start_alphas]
    passes[: passing_starts.max(initial=0)] = True
    n_passed = np.argmin(np.append(passes, False))
    return int(tested[n_passed - 1]) if n_passed else None


def has_guaranteed_recall(tps: Array, n_positives: float, recall: float, alpha: float) -> Bool:
    """Find the thresholds that are shown to have a recall: all from one on, as it never falls.

    A threshold that lacks the recall is among them with a probability of at most ``alpha``
    (Wilks 1941).
    """
    n_missed = np.arange(n_positives + 1)
    is_unlikely = bdtr(n_missed, n_positives, 1 - recall) <= alpha  # that so few are missed
    return np.asarray(n_positives - tps < np.count_nonzero(is_unlikely))


def fewest_rows(share: float, alpha: float) -> int:
    """Count the rows that show a precision, or the positives that show a recall.

    The share is then halfway to 1 in truth: of n rows, n (1 - share) / 2 are errors, on average.
    """
    n_errors = np.arange(1, 200)  # the last are unlikely beyond all floats
    n_rows = np.ceil(2 * n_errors / (1 - share)).astype(np.int64)
    is_shown = bdtr(n_errors, n_rows, 1 - share) <= alpha
    return int(n_rows[np.argmax(is_shown)])


def is_hardly_shown(tps: Array, size: Array, precision: float, rows_per_weight: float) -> bool:
    """Check whether each threshold has so many positives by luck in more than half of the samples.

    ``rows_per_weight`` is how many independent rows a weight of 1 stands for. The sum of a binomial
    distribution is an incomplete beta function, which takes their numbers as they are.
    """
    precision = min(precision, LUCK_PROBABILITY ** (1 / ENOUGH_AT_TOP))
    # Of thresholds with the same positives, the first shows most. They are few beside all rows.
    is_first = np.append(True, tps[1:] != tps[:-1])
    n_rows = size[is_first] * rows_per_weight
    n_positives = tps[is_first] * rows_per_weight
    # The median of that distribution is within 1 of its mean, so far from it no sum is needed.
    excess = n_positives - n_rows * precision
    if np.any((excess > 1) & (n_positives > 2)):
        return False
    is_near = excess > -1
    positives = np.maximum(n_positives[is_near], TINY)
    luck = betainc(positives, n_rows[is_near] - positives + 1, precision)
    return bool(luck.min(initial=1.0) > LUCK_PROBABILITY)


def _share_alpha(alpha: float, n_starts: int) -> Float:
    """Share alpha in proportion to 1, 1/2, 1/3 ..., as the search rarely needs the lower starts."""
    parts = 1 / np.arange(1, n_starts + 1)
    return alpha * parts / parts.sum()


def _start_ranks(precision: float, alpha: float, limit: float) -> Float:
    """Find the ranks that just show a precision if 0, 1, 2, 4, 8, 13 ... rows are negative."""
    n_starts = 2 + np.log(max(limit, 1)) // np.log(THRESHOLD_START_RATIO)
    n_negatives = np.floor(2 * THRESHOLD_START_RATIO ** np.arange(n_starts)) - 2

    def ranks_at(level: FloatOrArray) -> Float:
        # The binomial distribution is a beta distribution, of which this is the inverse.
        rank = np.ceil(btdtria(level, n_negatives + 1, precision) + n_negatives)
        return np.asarray(rank[rank <= limit])

    # With all of alpha, more starts are within the limit than with their shares of it.
    n_negatives = n_negatives[: ranks_at(alpha).size]
    return ranks_at(_share_alpha(alpha, n_negatives.size))


def _tested_places(size: Array, start_places: Index) -> Index:
    """List all thresholds from the first start on; of many, some, with each start and the last."""
    first = start_places[0]
    last = size.size - 1
    n_ranks = 1 + np.log(size[last] / size[first]) // np.log(THRESHOLD_RANK_RATIO)
    ranks = size[first] * THRESHOLD_RANK_RATIO ** np.arange(n_ranks)
    if last - first < ranks.size:
        return np.arange(first, last + 1)
    return np.unique(np.concatenate((size.searchsorted(ranks), start_places, [last])))
