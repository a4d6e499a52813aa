"""Reciprocal rank: how far down the first relevant row stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sklearn_ap._counts.thresholds import ThresholdCounts, n_ranks
from sklearn_ap._results.text import k_as_text
from sklearn_ap._types import Array, Float
from sklearn_ap.definitions._expected import _MeanOverOrders

RANKS_AT_ONCE = 2**16  # how many ranks of a tied block are in memory together
NEGLIGIBLE = 1e-20  # a probability that changes no digit


@dataclass(frozen=True, repr=False)
class ReciprocalRank(_MeanOverOrders):
    r"""One divided by the rank of the first positive; over queries, the mean reciprocal rank (MRR).

    If the first positives stand in a block of m tied items, p of them positive, below e items, the
    value is the mean over all orders of these items:

    .. math:: \sum_{j=1}^{m - p + 1} \binom{m - j}{p - 1} \Big/ \binom{m}{p} \, \frac{1}{e + j}

    which is 1 / (e + 1) without ties. With k the sum ends at e + j = k. The value lies within
    [0, 1]; it is nan for a ranking without positives, and 0 for one without hits.

    Parameters
    ----------
    k : int or float, default=None
        How many of the first ranks count, or which proportion of a ranking, as for ``AtK``. None
        counts all ranks.

    See Also
    --------
    Step : With one positive in each ranking, and without ties, the numbers agree.

    Notes
    -----
    Counts must be unweighted, because an order of the items cannot contain half an item.

    References
    ----------
    .. [1] McSherry and Najork (2008), "Computing information retrieval performance measures
       efficiently in the presence of tied scores", ECIR,
       https://doi.org/10.1007/978-3-540-78646-7_38.

    Examples
    --------
    >>> from sklearn_ap import threshold_counts
    >>> from sklearn_ap.definitions import ReciprocalRank
    >>> ReciprocalRank()(threshold_counts([0, 1, 1], [0.9, 0.8, 0.7]))
    array([0.5])
    """

    hangs_on_one_row: ClassVar[bool] = True

    k: float | None = None

    @property
    def title(self) -> str:
        return "reciprocal rank" if self.k is None else f"reciprocal rank@{k_as_text(self.k)}"

    def __call__(self, counts: ThresholdCounts) -> Float:
        self._refuse_weights(counts)
        values = np.where(counts.n_positives > 0, 0.0, np.nan)
        has_found = counts.ends > counts.starts
        first = counts.starts[has_found]
        before = counts.fps_above[first]
        gained = counts.gained[first]
        size = gained + counts.fps[first] - before
        n_within = size - gained + 1  # the ranks of the block that its first positive can have
        if self.k is not None:
            limit = n_ranks(self.k, counts)[has_found]
            n_within = np.minimum(n_within, limit - before)
        # Many queries have the same first block.
        blocks = np.stack((before, size, gained, n_within), axis=1)
        distinct, index = np.unique(blocks, axis=0, return_inverse=True)
        block_values = np.array([mean_reciprocal_rank(*block) for block in distinct.tolist()])
        values[has_found] = block_values[index.ravel()]
        return values

    def divisor(self, counts: ThresholdCounts) -> Array:
        return np.ones(counts.n_positives.shape)


def mean_reciprocal_rank(before: int, size: int, gained: int, n_within: int) -> float:
    """Compute the mean reciprocal rank of the first of ``gained`` positives in a tied block.

    ``before`` rows stand above the block, and its first ``n_within`` ranks count.
    """
    value = 0.0
    missed = 1.0  # the probability that no rank so far has a positive
    for start in range(0, n_within, RANKS_AT_ONCE):
        j = np.arange(start, min(start + RANKS_AT_ONCE, n_within))
        n_left = size - j
        missed_here = missed * np.cumprod((n_left - gained) / n_left)
        missed_above = np.append(missed, missed_here[:-1])
        value += float(np.sum(missed_above * (gained / n_left) / (before + 1 + j)))
        missed = float(missed_here[-1])
        if missed < NEGLIGIBLE:
            break
    return value
