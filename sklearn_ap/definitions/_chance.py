"""The score of a random order: the mean over all orders of the labels.

Equations are those of docs/methods.md.
"""

import numpy as np
from scipy.special import digamma

from sklearn_ap._types import Index

BlockEnds = Index | None  # the number of rows in and above each block; None without ties


def precisions_by_chance(
    ends: BlockEnds, n_rows: int, n_positives: int, k: int | None = None, *, tied: bool = True
) -> float:
    """Compute the mean sum of precisions at the positives of the first k ranks, or of all ranks.

    Tied rows count together, as far as rank k cuts their block, or come in any order. Equation 15:
    without k, this is N times the mean A0 of step average precision.
    """
    prevalence = n_positives / n_rows
    # The probability that another row is positive, given that one is: (N - 1) / (n - 1).
    others_prevalence = (n_positives - 1) / max(n_rows - 1, 1)
    if ends is None or not tied:  # Bestgen (2015), here also at k
        n_ranks = n_rows if ends is None else ends.max(initial=0)
        n_ranks = n_ranks if k is None else min(k, n_ranks)
        harmonic = digamma(n_ranks + 1) + np.euler_gamma  # 1 + 1/2 + ... + 1 / n_ranks
        return float(prevalence * (harmonic + others_prevalence * (n_ranks - harmonic)))
    size = np.diff(ends, prepend=0)  # m_b, where ends are e_b
    before = ends - size
    n_within = size if k is None else np.clip(k - before, 0, size)
    # The expected hits at a positive, down to the end of its block or to rank k: the positives
    # above the block, and a share of the positives in the block, itself included.
    hits = before * others_prevalence + n_within / size * (1 + (size - 1) * others_prevalence)
    return float(prevalence * (n_within @ (hits / np.maximum(before + n_within, 1))))
