"""Thresholds that have a precision, or a recall, with confidence: exact binomial tests."""

import numpy as np
from scipy.special import bdtr, betainc, btdtria

from sklearn_ap._inputs.arrays import TINY
from sklearn_ap._types import Array, Bool, Float, FloatOrArray, Index
from sklearn_ap._uncertainty.former.tuned_constants import (
    ENOUGH_AT_TOP,
    LUCK_PROBABILITY,
    THRESHOLD_RANK_RATIO,
    THRESHOLD_START_RATIO,
)


def lowest_guaranteed_precision(
    tps: Array, n_selected: Array, precision: float, alpha: float
) -> int | None:
    """Find the lowest threshold that is shown to have a precision; None if there is none.

    This is a fixed-sequence test with several starts, as in the notes of ``operating_point``. Each
    start gets a share of ``alpha``. A start that passes with its own share also passes all
    thresholds above it. The error is at most ``alpha``: let c be the first threshold without the
    precision, and let none below c have it. The test errs only if c, or a start below it, passes,
    and their shares add up to ``alpha`` at most.
    """
    limit = min(n_selected[-1], tps[-1] / precision)  # beyond it, even all positives are too few
    n_thresholds = n_selected.searchsorted(limit, "right")
    if not n_thresholds:
        return None
    starts = n_selected.searchsorted(_start_ranks(precision, alpha, limit))
    starts = np.unique(starts[starts < n_thresholds])  # ranks of tied rows have one threshold
    if not starts.size:
        return None
    tested = _tested_thresholds(n_selected[:n_thresholds], starts)
    pvalue = _chance_of_hits(tps[tested], n_selected[tested], precision)
    start_alphas = _share_alpha(alpha, starts.size)
    # A threshold is tested with the shares of all starts down to it: (n_tested,)
    last_start = starts.searchsorted(tested, "right") - 1
    passes = pvalue <= np.cumsum(start_alphas)[last_start]
    # A start that passes with its own share also passes all thresholds above it.
    starts_in_tested = tested.searchsorted(starts)
    passing_starts = starts_in_tested[pvalue[starts_in_tested] <= start_alphas]
    passes[: passing_starts.max(initial=0)] = True
    n_passed = np.argmin(np.append(passes, False))
    return int(tested[n_passed - 1]) if n_passed else None


def has_guaranteed_recall(tps: Array, n_positives: float, recall: float, alpha: float) -> Bool:
    """Find the thresholds that are shown to have a recall: one and all below, as recall only rises.

    A threshold without the recall is among them with a probability of at most ``alpha``
    (Wilks 1941).
    """
    n_missed = np.arange(n_positives + 1)
    # Whether missing this number of positives or fewer is unlikely, if recall is just reached
    is_unlikely = bdtr(n_missed, n_positives, 1 - recall) <= alpha
    return np.asarray(n_positives - tps < np.count_nonzero(is_unlikely))


def fewest_rows(share: float, alpha: float) -> int:
    """Count the rows that are needed to show a precision, or the positives to show a recall.

    The true share is assumed to be halfway between ``share`` and 1, so of n rows n (1 - share) / 2
    are errors, on average.
    """
    n_errors = np.arange(1, 200)  # with 199 errors, the test passes for every alpha
    n_rows = np.ceil(2 * n_errors / (1 - share)).astype(np.int64)
    is_shown = bdtr(n_errors, n_rows, 1 - share) <= alpha
    return int(n_rows[np.argmax(is_shown)])


def is_hardly_shown(
    tps: Array, n_selected: Array, precision: float, rows_per_weight: float
) -> bool:
    """Check whether luck alone explains the precision of every threshold.

    It does if a threshold that just has the precision would select as many positives in more than
    half of the samples. A weight of 1 stands for ``rows_per_weight`` independent rows. Binomial
    probabilities are computed as incomplete beta functions, which take fractional numbers of rows.
    """
    precision = min(precision, LUCK_PROBABILITY ** (1 / ENOUGH_AT_TOP))
    # Among thresholds with the same positives, the highest is the most precise.
    is_first = np.append(True, tps[1:] != tps[:-1])
    n_rows = n_selected[is_first] * rows_per_weight
    n_positives = tps[is_first] * rows_per_weight
    # The median of a binomial distribution is within 1 of its mean, so the probability need be
    # computed only near the mean.
    excess = n_positives - n_rows * precision
    if np.any((excess > 1) & (n_positives > 2)):
        return False
    is_near = excess > -1
    positives = np.maximum(n_positives[is_near], TINY)
    luck = betainc(positives, n_rows[is_near] - positives + 1, precision)
    return bool(luck.min(initial=1.0) > LUCK_PROBABILITY)


def _chance_of_hits(n_hits: Float, n_rows: Float, share: float) -> Float:
    """Compute the probability of as many hits, or more, if their true share is ``share``."""
    return np.asarray(betainc(np.maximum(n_hits, TINY), n_rows - n_hits + 1, share))


def _share_alpha(alpha: float, n_starts: int) -> Float:
    """Share alpha in proportion to 1, 1/2, 1/3 ..., as the search rarely needs the lower starts."""
    proportions = 1 / np.arange(1, n_starts + 1)
    return alpha * proportions / proportions.sum()


def _start_ranks(precision: float, alpha: float, limit: float) -> Float:
    """Find the ranks at which 0, 1, 2, 4, 8, 13 ... negatives just show a precision."""
    n_starts = 2 + np.log(max(limit, 1)) // np.log(THRESHOLD_START_RATIO)
    n_negatives = np.floor(2 * THRESHOLD_START_RATIO ** np.arange(n_starts)) - 2

    def ranks_at(level: FloatOrArray) -> Float:
        # The inverse of a binomial probability, by the beta distribution
        rank = np.ceil(btdtria(level, n_negatives + 1, precision) + n_negatives)
        return np.asarray(rank[rank <= limit])

    # First count the starts within the limit if each had all of alpha: with shares, they are fewer.
    n_negatives = n_negatives[: ranks_at(alpha).size]
    return ranks_at(_share_alpha(alpha, n_negatives.size))


def _tested_thresholds(n_selected: Array, starts: Index) -> Index:
    """List the thresholds from the first start on; if many, a geometric subset.

    The subset includes all starts and the last threshold.
    """
    first = starts[0]
    last = n_selected.size - 1
    n_ranks = 1 + np.log(n_selected[last] / n_selected[first]) // np.log(THRESHOLD_RANK_RATIO)
    ranks = n_selected[first] * THRESHOLD_RANK_RATIO ** np.arange(n_ranks)
    if last - first < ranks.size:
        return np.arange(first, last + 1)
    return np.unique(np.concatenate((n_selected.searchsorted(ranks), starts, [last])))
