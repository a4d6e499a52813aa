"""Expected average precision: the mean over all orders of the tied items."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._validation import check_unweighted
from sklearn_ap.counts import ThresholdCounts, ratio, segment_sums

__all__ = ["expected", "expected_curve"]


def expected(counts: ThresholdCounts, k: int | None = None) -> NDArray[np.float64]:
    r"""Average precision, or that at k, if ties were broken at random.

    A block of n tied items, r of them positive, below t items with :math:`R_0` positives adds

    .. math::

        \frac{1}{Z} \sum_{j=1}^{n} \frac{r}{n}
        \frac{R_0 + 1 + (j - 1) \frac{r - 1}{n - 1}}{t + j}

    where Z is the number of positives, and with k the sum ends at t + j = k and Z is
    min(k, positives). Exact, not sampled [1]_.

    Parameters
    ----------
    counts : ThresholdCounts
        One or many rankings, unweighted: there is no order of half an item.
    k : int or None, default=None
        How many ranks; None for all.

    Returns
    -------
    ndarray of shape (n_rankings,)
        Within [0, 1]; nan for a ranking without positives.

    Notes
    -----
    Without ties it is the step average precision, or that at k.

    References
    ----------
    .. [1] McSherry and Najork (2008), "Computing information retrieval performance measures
       efficiently in the presence of tied scores", ECIR.

    Examples
    --------
    >>> from sklearn_ap import definitions, threshold_counts
    >>> definitions.expected(threshold_counts([1, 0], [0.5, 0.5]))  # mean of 1 and 1/2
    array([0.75])
    """
    sums, _ = _tied_ranks(counts, k)
    total = counts.sum(counts.gained * sums / counts.size)
    return ratio(total, counts.n_positives if k is None else np.minimum(k, counts.n_positives))


def expected_curve(
    counts: ThresholdCounts, k: int | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Recall and precision of a line at the mean precision of each tied block, for one ranking.

    The area under it is ``expected``; at k it is so times positives over min(k, positives).
    """
    sums, ranks = _tied_ranks(counts, k)
    return counts.line_of(counts.gained * ranks / counts.size, sums / np.maximum(ranks, 1))


def _tied_ranks(counts: ThresholdCounts, k: int | None) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Sum of the expected precisions at the ranks of each tied block, and how many these are."""
    size, gained = check_unweighted(counts.size), counts.gained
    ranks = size if k is None else np.clip(k - counts.before, 0, size)
    starts = np.cumsum(ranks) - ranks
    # Every rank is summed: differences of harmonic numbers lose digits at large ranks.
    j = np.arange(ranks.sum()) - np.repeat(starts, ranks)
    above = np.repeat(counts.tps_above, ranks)
    others = np.repeat((gained - 1) / np.maximum(size - 1, 1), ranks)
    precision = (above + 1 + j * others) / (np.repeat(counts.before, ranks) + 1 + j)
    return segment_sums(precision, starts), ranks
