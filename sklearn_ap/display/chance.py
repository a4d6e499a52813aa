"""What a random order of the rows gives: the dotted line of the pictures."""

from __future__ import annotations

import numpy as np
from scipy.special import digamma

from sklearn_ap.counts import ThresholdCounts

__all__ = ["chance_level", "reachable_recall"]


def chance_level(counts: ThresholdCounts) -> float:
    r"""Mean step average precision of all orders of the rows of one ranking.

    .. math:: \frac{1}{n} \left[H_n + (n - H_n) \frac{R - 1}{n - 1}\right]

    for n rows, R of them positive, with the harmonic number :math:`H_n` [1]_. It approaches R/n as
    n grows. Positives that were never scored are left out. Weighted rows have no such mean, and
    get R/n.

    References
    ----------
    .. [1] Bestgen (2015), "Exact expected average precision of the random baseline for system
       evaluation", The Prague Bulletin of Mathematical Linguistics.
    """
    found, size = _found(counts), _found(counts) + float(counts.n_negatives[0])
    if found == 0 or size == 0:
        return 0.0
    if found == size or counts.tps.dtype.kind == "f":
        return found / size
    harmonic = digamma(size + 1) + np.euler_gamma
    return float((harmonic + (size - harmonic) * (found - 1) / (size - 1)) / size)


def reachable_recall(counts: ThresholdCounts) -> float:
    """The recall of all rows: below 1 where positives were never scored."""
    return _found(counts) / float(counts.n_positives[0]) if counts.n_positives[0] else 0.0


def _found(counts: ThresholdCounts) -> float:
    """Weight of the positives that were scored."""
    return float(counts.tps[-1]) if counts.tps.size else 0.0
