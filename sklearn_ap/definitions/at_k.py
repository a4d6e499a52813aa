"""At k: what the first k ranks hold."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklearn_ap.counts import ThresholdCounts, ratio

__all__ = ["at_k", "at_k_curve", "precision_at_k", "recall_at_k"]


def at_k(counts: ThresholdCounts, k: int, normalizer: str = "attainable") -> NDArray[np.float64]:
    r"""Average precision over the first k ranks.

    .. math:: \frac{1}{Z} \sum_{i=1}^{k} h_i \frac{h_1 + \dots + h_i}{i}

    where :math:`h_i` is 1 for a positive at rank i and 0 otherwise. A block of m tied items with
    p positives that rank k cuts after j items contributes j p/m hits, all at the precision of
    the cut (or of the whole block, where it fits).

    Parameters
    ----------
    counts : ThresholdCounts
        One or many rankings.
    k : int
        How many ranks, in units of weight. Ranks beyond the last item hold nothing.
    normalizer : {"attainable", "positives", "hits", "k"}, default="attainable"
        Z: min(k, positives); all positives; the positives among the first k; or k.

    Returns
    -------
    ndarray of shape (n_rankings,)
        Within [0, 1]; nan for a ranking without positives, and 0 for one without hits.

    Notes
    -----
    It does not depend on the order of tied items. At k = n, divided by all positives, it is the
    step average precision.

    Examples
    --------
    >>> from sklearn_ap import definitions, threshold_counts
    >>> counts = threshold_counts([1, 1, 0, 0, 1, 1], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4])
    >>> definitions.at_k(counts, 3)
    array([0.66666667])
    """
    hits, rank = _hits(counts, k)
    total = counts.sum(hits * ((counts.tps_above + hits) / rank))
    return ratio(total, _divisor(counts, hits, k, normalizer))


def at_k_curve(counts: ThresholdCounts, k: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Recall and precision of the line as far as rank k, for one ranking.

    The area under it, times positives over the normalizer, is ``at_k``.
    """
    hits, rank = _hits(counts, k)
    return counts.line_of(hits, (counts.tps_above + hits) / rank)


def precision_at_k(counts: ThresholdCounts, k: int) -> NDArray[np.float64]:
    r"""Fraction of the first k ranks that hold a positive.

    .. math:: \frac{h_1 + \dots + h_k}{k}

    where :math:`h_i` is 1 for a positive at rank i and 0 otherwise.

    Parameters
    ----------
    counts : ThresholdCounts
        One or many rankings.
    k : int
        How many ranks, in units of weight. Divides also where there are fewer items.

    Returns
    -------
    ndarray of shape (n_rankings,)
        Within [0, 1]; 0 for a ranking without positives.

    Notes
    -----
    A block of m tied items with p positives that is cut after j items contributes j p/m.

    Examples
    --------
    >>> from sklearn_ap import definitions, threshold_counts
    >>> definitions.precision_at_k(threshold_counts([1, 0, 1], [0.9, 0.8, 0.7]), 4)
    array([0.5])
    """
    return counts.sum(_hits(counts, k)[0]) / k


def recall_at_k(counts: ThresholdCounts, k: int) -> NDArray[np.float64]:
    r"""Fraction of the positives that the first k ranks hold.

    .. math:: \frac{h_1 + \dots + h_k}{N}

    where :math:`h_i` is 1 for a positive at rank i and 0 otherwise, and N counts all positives.

    Parameters
    ----------
    counts : ThresholdCounts
        One or many rankings.
    k : int
        How many ranks, in units of weight.

    Returns
    -------
    ndarray of shape (n_rankings,)
        Within [0, 1]; nan for a ranking without positives.

    Notes
    -----
    A block of m tied items with p positives that is cut after j items contributes j p/m hits.

    Examples
    --------
    >>> from sklearn_ap import definitions, threshold_counts
    >>> definitions.recall_at_k(threshold_counts([1, 0, 1], [0.9, 0.8, 0.7]), 2)
    array([0.5])
    """
    return ratio(counts.sum(_hits(counts, k)[0]), counts.n_positives)


def _hits(counts: ThresholdCounts, k: int) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Share of each threshold's positives within the first k ranks, and the rank it ends at."""
    before, size = counts.before, counts.size
    room = np.minimum(np.maximum(k - before, 0), size)
    return counts.gained * (room / size), before + room


def _divisor(
    counts: ThresholdCounts, hits: NDArray[np.float64], k: int, normalizer: str
) -> NDArray[Any]:
    """What the sum over the first k ranks is divided by: 0 without positives."""
    match normalizer:
        case "attainable":
            return np.minimum(k, counts.n_positives)
        case "positives":
            return counts.n_positives
        case "hits":
            retrieved = counts.sum(hits)
            return np.where(retrieved > 0, retrieved, counts.n_positives > 0)
        case _:
            return k * (counts.n_positives > 0)
