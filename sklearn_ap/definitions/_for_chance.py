"""For tests against chance and the chance line of displays, until these are rebuilt.

The score of a random order: the mean over all orders of the labels. Equations are those of
docs/methods.md.
"""

from functools import singledispatch

import numpy as np
from scipy.special import digamma

from sklearn_ap._counts.counting import ranks_of_rows
from sklearn_ap._types import Index
from sklearn_ap.definitions._at_k import AtK
from sklearn_ap.definitions._base import Definition
from sklearn_ap.definitions._expected import Expected
from sklearn_ap.definitions._reciprocal_rank import ReciprocalRank, mean_reciprocal_rank
from sklearn_ap.definitions._step import Step

BlockEnds = Index | None  # the number of rows in and above each block; None without ties


@singledispatch
def sum_by_chance(
    definition: Definition, ends: BlockEnds, n_rows: int, n_positives: int
) -> float | None:
    """Return the value times ``divisor``, as the mean of all orders of the labels of a ranking.

    ``ends`` says how many rows stand in each block of tied rows, or above it. ``n_rows`` are all
    rows, also those that were not retrieved. None if there is no formula, or ``divisor`` differs
    from order to order: callers then average random orders.
    """
    return None


@sum_by_chance.register
def _(definition: Step, ends: BlockEnds, n_rows: int, n_positives: int) -> float:
    return precisions_by_chance(ends, n_rows, n_positives)


@sum_by_chance.register
def _(definition: Expected, ends: BlockEnds, n_rows: int, n_positives: int) -> float:
    k = None if definition.k is None else ranks_of_rows(definition.k, n_rows)
    return precisions_by_chance(ends, n_rows, n_positives, k, tied=False)


@sum_by_chance.register
def _(definition: AtK, ends: BlockEnds, n_rows: int, n_positives: int) -> float | None:
    k = ranks_of_rows(definition.k, n_rows)
    n_retrieved = n_rows if ends is None else ends.max(initial=0)
    if definition.normalizer == "hits" and min(k, n_retrieved) < n_rows:
        return None  # the hits differ from order to order
    return precisions_by_chance(ends, n_rows, n_positives, k)


@sum_by_chance.register
def _(definition: ReciprocalRank, ends: BlockEnds, n_rows: int, n_positives: int) -> float:
    n_within = n_rows if ends is None else int(ends.max(initial=0))
    if definition.k is not None:
        n_within = min(n_within, ranks_of_rows(definition.k, n_rows))
    if n_positives == 0:
        return 0.0
    # All orders of all labels are those of a single tied block.
    return mean_reciprocal_rank(0, n_rows, n_positives, n_within)


def precisions_by_chance(
    ends: BlockEnds, n_rows: int, n_positives: int, k: int | None = None, *, tied: bool = True
) -> float:
    """Compute the mean sum of precisions at the positives of the first k ranks, or of all ranks.

    Tied rows count together, as far as rank k cuts their block, or come in any order. Equation B13:
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
