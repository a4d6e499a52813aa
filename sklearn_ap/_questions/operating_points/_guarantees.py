"""Thresholds that have a precision, or a recall, with confidence: exact binomial tests."""

from typing import Any

import numpy as np
from scipy.special import bdtr, bdtrc, betainc, btdtria

from sklearn_ap._base.common.types import Array, Bool
from sklearn_ap._base.inputs.arrays import TINY

# Choices between power and time, which change no guarantee: benchmarks/threshold_coverage.py.
RANK_RATIO = 1.05  # the ratio of two ranks that the search tests one after the other
START_RATIO = 1.5  # the ratio of the negatives above two starts
# Of a precision that is not said to be beyond reach: a choice. So many rows at the top without a
# negative are enough for any precision.
BY_LUCK, ENOUGH_AT_TOP = 0.5, 10


def lowest_precise(tps: Array, size: Array, precision: float, alpha: float) -> int | None:
    """The lowest of the thresholds that are shown to have a precision; None if none is.

    ``tps`` positives stand among the ``size`` rows at or above each threshold. The test is that of
    the notes of ``operating_point``. It goes on down, too, if a start below passes with its own
    share. Let c be the first threshold that lacks the precision, and let all below lack it. To go
    beyond c, c or a start below must pass, and their shares add up to ``alpha``.
    """
    limit = min(size[-1], tps[-1] / precision)  # beyond, even all positives are too few
    n_thresholds = size.searchsorted(limit, "right")
    starts = size.searchsorted(_start_ranks(precision, alpha, limit))
    starts = np.unique(starts[starts < n_thresholds])  # of tied rows, all are selected
    if not starts.size:
        return None
    steps = _steps(size[:n_thresholds], starts)
    pvalue = bdtrc(tps[steps] - 1, size[steps], precision)  # how often so many are positive
    shares, at = _shares(alpha, starts.size), steps.searchsorted(starts)
    passes = pvalue <= np.cumsum(shares)[starts.searchsorted(steps, "right") - 1]
    strong = at[pvalue[at] <= shares]
    passes[: strong.max(initial=0)] = True
    n_passed = np.argmin(np.append(passes, False))
    return int(steps[n_passed - 1]) if n_passed else None


def which_recall(tps: Array, n_positives: Any, recall: float, alpha: float) -> Bool:
    """Which thresholds are shown to have a recall: all from one on, as recall never falls.

    A threshold that lacks the recall is among them with a probability of at most ``alpha``
    (Wilks 1941).
    """
    unlikely = bdtr(np.arange(n_positives + 1), n_positives, 1 - recall) <= alpha  # so few below
    return np.asarray(n_positives - tps < np.count_nonzero(unlikely))


def shown_by(share: float, alpha: float) -> int:
    """How many rows show a precision, or positives a recall, where that is halfway to 1 in truth.

    Of n rows, n (1 - share) / 2 are then errors, on average.
    """
    n_errors = np.arange(1, 200)  # the last are unlikely beyond all floats
    n = np.ceil(2 * n_errors / (1 - share)).astype(np.int64)
    return int(n[np.argmax(bdtr(n_errors, n, 1 - share) <= alpha)])


def is_hardly_shown(tps: Array, size: Array, precision: float, rows_of_one: float) -> bool:
    """Whether each threshold would have so many positives by luck in more than half of the samples.

    ``rows_of_one`` is how many independent rows a weight of 1 stands for. The sum of a binomial
    distribution is an incomplete beta function, which takes their numbers as they are.
    """
    precision = min(precision, BY_LUCK ** (1 / ENOUGH_AT_TOP))
    rows = size * rows_of_one
    # The median of that distribution is within 1 of its mean, so far from it no sum is needed.
    beyond = tps * rows_of_one - rows * precision
    if np.any((beyond > 1) & (tps * rows_of_one > 2)):
        return False
    near = beyond > -1
    positives = np.maximum(tps[near] * rows_of_one, TINY)
    by_luck = betainc(positives, rows[near] - positives + 1, precision)
    return bool(by_luck.min(initial=1.0) > BY_LUCK)


def _shares(alpha: float, n: int) -> Array:
    """In proportion to 1, 1/2, 1/3 ..., as the search rarely needs the lower starts."""
    parts = 1 / np.arange(1, n + 1)
    return alpha * parts / parts.sum()


def _start_ranks(precision: float, alpha: float, limit: float) -> Array:
    """The ranks that just show a precision if 0, 1, 2, 4, 8, 13 ... of the rows are negative."""
    n_starts = 2 + np.log(max(limit, 1)) // np.log(START_RATIO)
    n_negative = np.floor(2 * START_RATIO ** np.arange(n_starts)) - 2

    def ranks(level: Any) -> Array:
        # The binomial distribution is a beta distribution, of which this is the inverse.
        rank = np.ceil(btdtria(level, n_negative + 1, precision) + n_negative)
        return rank[rank <= limit]

    n_negative = n_negative[: ranks(alpha).size]
    return ranks(_shares(alpha, n_negative.size))


def _steps(size: Array, starts: Array) -> Array:
    """All thresholds from the first start on; of many, some, with each start and the last."""
    first, last = starts[0], size.size - 1
    n_ranks = 1 + np.log(size[last] / size[first]) // np.log(RANK_RATIO)
    ranks = size[first] * RANK_RATIO ** np.arange(n_ranks)
    if last - first < ranks.size:
        return np.arange(first, last + 1)
    return np.unique(np.concatenate((size.searchsorted(ranks), starts, [last])))
