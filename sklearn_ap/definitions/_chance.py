"""The score of a random order: the mean over all orders of the labels."""

import numpy as np
from scipy.special import digamma

from sklearn_ap._base.common.types import Index

Ends = Index | None  # how many rows stand in each block, or above it; None without ties


def precisions_by_chance(
    ends: Ends, n_rows: int, n_positives: int, k: int | None = None, *, tied: bool = True
) -> float:
    """The mean sum of precisions at the positives of the first k ranks, all for None.

    Tied rows count together, as far as rank k cuts their block, or come in any order.
    """
    # A row is positive with a probability of p, and pairs of rows with p times that of another one.
    p, another = n_positives / n_rows, (n_positives - 1) / max(n_rows - 1, 1)
    if ends is None or not tied:  # Bestgen (2015), here also at k
        n_ranks = n_rows if ends is None else ends.max(initial=0)
        n_ranks = n_ranks if k is None else min(k, n_ranks)
        harmonic = digamma(n_ranks + 1) + np.euler_gamma
        return float(p * (harmonic + another * (n_ranks - harmonic)))
    size = np.diff(ends, prepend=0)
    before = ends - size
    seen = size if k is None else np.clip(k - before, 0, size)
    # A positive of a block has those above it and its share of the block, itself included.
    hits = before * another + seen / size * (1 + (size - 1) * another)
    return float(p * (seen @ (hits / np.maximum(before + seen, 1))))
