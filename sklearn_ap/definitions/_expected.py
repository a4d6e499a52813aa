"""Expected average precision: the mean over all orders of the tied items.

Equations are those of docs/methods.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from scipy.special import digamma, hyp2f1

from sklearn_ap._counts.counting import ranks_at_thresholds, ranks_of_rows
from sklearn_ap._counts.sums import ranges, segment_sums
from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._inputs.options import check_ranks, k_as_text
from sklearn_ap._types import Array, Float, Index
from sklearn_ap.definitions._base import Heights, Line, Shade, level_line
from sklearn_ap.definitions._chance import BlockEnds, precisions_by_chance
from sklearn_ap.definitions._hyperbolic import heights_and_derivatives
from sklearn_ap.definitions._influence import Influence, height_influence, precision_derivatives
from sklearn_ap.definitions._step import Step

LONGEST_SUM = 128  # up to this many ranks are added one by one: the formula would lose digits
LARGEST_SAMPLE = 1e8  # beyond this many rows, leaving out one changes less than rounding
SERIES_START = 100  # with fewer ranks above a block, the series of a harmonic number lacks digits


@dataclass(frozen=True, repr=False)
class Expected(Heights):
    r"""Average precision, also at k, as the mean over all orders of the tied items.

    A block of n tied items, r of them positive, below t items with :math:`R_0` positives adds

    .. math::

        \frac{1}{Z} \sum_{j=1}^{n} \frac{r}{n}
        \frac{R_0 + 1 + (j - 1) \frac{r - 1}{n - 1}}{t + j}

    where Z is the number of positives; with k the sum ends at t + j = k and Z is
    min(k, positives). This mean over all orders of the tied items is exact, not sampled [1]_. It
    lies within [0, 1]; it is nan for a ranking without positives.

    Parameters
    ----------
    k : int or float, default=None
        How many of the first ranks count, such as 10; or, below 1, which proportion of a ranking,
        such as 0.01 for its top 1%, rounded up. None counts all ranks.

    See Also
    --------
    Step : Tied items count together; the same without ties.
    AtK : The same at k without ties.

    Notes
    -----
    Counts must be unweighted, because an order of the items cannot contain half an item. For
    an untied positive, the derivatives are the same as for ``Step``, so that without ties both have
    the same interval. For tied blocks, they are the same as for ``Hyperbolic``, which is the limit
    for many tied items.

    References
    ----------
    .. [1] McSherry and Najork (2008), "Computing information retrieval performance measures
       efficiently in the presence of tied scores", ECIR,
       https://doi.org/10.1007/978-3-540-78646-7_38.

    Examples
    --------
    >>> from sklearn_ap import threshold_counts
    >>> from sklearn_ap.definitions import Expected
    >>> Expected()(threshold_counts([1, 0], [0.5, 0.5]))  # the mean of 1 and 1/2
    array([0.75])
    """

    k: float | None = None

    def __post_init__(self) -> None:
        if self.k is not None:
            object.__setattr__(self, "k", check_ranks(self.k))

    @property
    def title(self) -> str:
        return "expected AP" if self.k is None else f"expected AP@{k_as_text(self.k)}"

    @property
    def depth(self) -> float | None:
        return self.k

    def heights(self, counts: ThresholdCounts) -> Float:
        sums, _ = self._sums_and_ranks(counts)
        return sums / counts.size

    def divisor(self, counts: ThresholdCounts) -> Array:
        return self.effective_size(counts)

    def line(self, counts: ThresholdCounts) -> Line:
        # The line is level at the mean precision of each block, and ends at rank k.
        sums, n_within = self._sums_and_ranks(counts)
        width = counts.gained * n_within / counts.size
        return level_line(counts, width, sums / np.maximum(n_within, 1))

    def shade(self, counts: ThresholdCounts) -> Shade | None:
        if self.k is None:
            return None
        recall, precision = self.line(counts)
        return Shade(recall, 0.0, precision, f"top {k_as_text(self.k)}")

    def sum_by_chance(self, ends: BlockEnds, n_rows: int, n_positives: int) -> float:
        k = None if self.k is None else ranks_of_rows(self.k, n_rows)
        return precisions_by_chance(ends, n_rows, n_positives, k, tied=False)

    def influence(self, counts: ThresholdCounts) -> Influence | None:
        if self.k is not None:
            return None
        is_tied = counts.size > 1
        if not is_tied.any():
            return Step().influence(counts)
        heights = counts.precision.copy()
        heights[is_tied] = _TiedBlocks.from_counts(counts, np.flatnonzero(is_tied)).heights
        # Equation 2, where blocks of ties have the derivatives of hyperbolic average precision.
        _, hyperbolic = heights_and_derivatives(counts)
        positive, negative = precision_derivatives(counts)
        step = {
            "gained": positive,
            "tied": negative,
            "tps_above": positive,
            "fps_above": negative,
            "n_positives": np.zeros(heights.shape),
        }
        derivatives = {name: np.where(is_tied, hyperbolic[name], step[name]) for name in step}
        return height_influence(counts, heights, derivatives, counts.n_positives)

    def bias(self, counts: ThresholdCounts, weight_of_negative: Array | float = 1.0) -> Float:
        if self.k is not None:
            return super().bias(counts)
        return Step().bias(counts, weight_of_negative) + _tie_bias(counts)

    def _sums_and_ranks(self, counts: ThresholdCounts) -> tuple[Float, Array]:
        """Add up the expected precisions at the ranks of each block, and count these ranks.

        In the formula of the class, t items with R0 positives stand before a block, which has the
        size n and gains r positives.
        """
        size = counts.size
        n_above = counts.before
        if size.dtype.kind == "f":
            raise ValueError(
                "Expected average precision takes unweighted counts, and no prevalence: there is "
                "no order of half an item."
            )
        n_within = size
        if self.k is not None:
            n_within = np.clip(ranks_at_thresholds(self.k, counts) - n_above, 0, size)
        # Beside a positive, another item of its block is positive with this probability.
        others_prevalence = (counts.gained - 1) / np.maximum(size - 1, 1)
        first_hits = counts.tps_above + 1  # the hits, if the first rank of the block is positive
        is_long = n_within > LONGEST_SUM
        # One block after another, from 0: n_summed = [2, 3] -> j = [0, 1, 0, 1, 2]
        n_summed = np.where(is_long, 0, n_within)
        j = ranges(n_summed)
        precision = np.repeat(first_hits, n_summed) + j * np.repeat(others_prevalence, n_summed)
        precision /= np.repeat(n_above, n_summed) + 1 + j
        sums = segment_sums(precision, np.cumsum(n_summed) - n_summed)
        if is_long.any():
            reciprocals, rank_shares = _harmonic_sums(n_above[is_long], n_within[is_long])
            constant = (first_hits - others_prevalence)[is_long]
            sums[is_long] = constant * reciprocals + others_prevalence[is_long] * rank_shares
        return sums, n_within


class _TiedBlocks(NamedTuple):
    """Blocks of several tied items that hold a positive, for influences and biases.

    Their heights have fewer digits than a value needs.
    """

    gained: Float
    size: Float
    tps_above: Float
    before: Float
    reciprocals: Float  # the sum of 1 / rank over the ranks of each block

    @classmethod
    def from_counts(cls, counts: ThresholdCounts, thresholds: Index) -> Self:
        size = counts.size[thresholds].astype(np.float64)
        before = counts.before[thresholds].astype(np.float64)
        return cls(
            gained=counts.gained[thresholds].astype(np.float64),
            size=size,
            tps_above=counts.tps_above[thresholds].astype(np.float64),
            before=before,
            reciprocals=_sum_of_reciprocals(before, size),
        )

    @property
    def heights(self) -> Float:
        """The mean of the expected precisions at the ranks of each block."""
        others_prevalence = (self.gained - 1) / np.maximum(self.size - 1, 1)
        rank_shares = self.size - (self.before + 1) * self.reciprocals
        sums = (self.tps_above + 1) * self.reciprocals + others_prevalence * rank_shares
        return sums / self.size

    @property
    def excess(self) -> Float:
        """The sum of precisions by which each block exceeds step average precision."""
        steps = (self.tps_above + self.gained) / (self.before + self.size)
        return self.gained * (self.heights - steps)

    def excess_changes(self) -> tuple[Float, Float]:
        """Sum the changes of the excess when each positive, or each negative, is left out."""
        gained = self.gained
        tps_above = self.tps_above
        fps_above = self.before - tps_above
        excess = self.excess
        # Without an item of the block, its last rank goes. Without one above it, the block stands a
        # rank higher, so it also has a new first rank.
        shortened = self.reciprocals - 1 / (self.before + self.size)
        raised = shortened + 1 / np.maximum(self.before, 1)
        inside = self._replace(size=self.size - 1, reciprocals=shortened)
        above = self._replace(before=self.before - 1, reciprocals=raised)
        positive_inside = inside._replace(gained=gained - 1).excess
        positive_above = above._replace(tps_above=tps_above - 1).excess
        positive_changes = gained * (positive_inside - excess)
        positive_changes += tps_above * (positive_above - excess)
        negative_changes = (self.size - gained) * (inside.excess - excess)
        negative_changes += fps_above * (above.excess - excess)
        return positive_changes, negative_changes


def _tie_bias(counts: ThresholdCounts) -> Float:
    """Compute the jackknife bias of the excess of tied blocks over step average precision.

    The text below equation 4: (n - 1) (mean of D without a row - D). A row that is left out of a
    block, or above it, changes the excess of the block, and a positive also changes the divisor.
    """
    n_positives = counts.n_positives.astype(np.float64)
    n_rows = n_positives + counts.n_negatives
    tied_thresholds = np.flatnonzero(counts.size > 1)
    if not tied_thresholds.size:
        return np.zeros(n_positives.shape)
    blocks = _TiedBlocks.from_counts(counts, tied_thresholds)
    positive_changes, negative_changes = blocks.excess_changes()
    # D is E / N, with the excess E. Without positive i, it is E_i / (N - 1), so over all positives
    # the differences from D add up to (sum of (E_i - E) + E) / (N - 1).
    positive_terms = np.zeros(counts.thresholds.size)
    negative_terms = np.zeros(counts.thresholds.size)
    positive_terms[tied_thresholds] = positive_changes + blocks.excess
    negative_terms[tied_thresholds] = negative_changes
    change = counts.sum(positive_terms) / np.maximum(n_positives - 1, 1)
    change = change + counts.sum(negative_terms) / np.maximum(n_positives, 1)
    return np.where(n_rows < LARGEST_SAMPLE, change * (1 - 1 / np.maximum(n_rows, 1)), 0.0)


def _sum_of_reciprocals(t: Float, m: Float) -> Float:
    """Compute the sum of 1 / (t + j) for j from 1 to m, to about ten digits."""
    c = t + 0.5
    sums = np.log1p(m / c) + _series_remainder(c, m)
    is_near = t < SERIES_START
    t_near = t[is_near]
    sums[is_near] = digamma(t_near + m[is_near] + 1) - digamma(t_near + 1)
    return sums


def _harmonic_sums(t: Array, m: Array) -> tuple[Float, Float]:
    """Compute the sums of 1 / (t + j) and of j / (t + j) for j from 1 to m.

    They are exact to some ulps where m > LONGEST_SUM. Differences of harmonic numbers lose digits
    where m is small beside t. There a series takes their place: the harmonic number of n is
    log(c) + 1 / (24 c^2) - 7 / (960 c^4) + ... and a constant, with c = n + 1/2.
    """
    c = t + 0.5
    x = m / c
    remainder = _series_remainder(c, m)
    far_reciprocals = np.log1p(x) + remainder
    # m - t log(1 + x), where hyp2f1 is 2 (x - log(1 + x)) / x^2
    far_shares = (m * x * hyp2f1(1, 2, 3, -x) + np.log1p(x)) / 2 - t * remainder
    near_reciprocals = digamma(t + m + 1) - digamma(t + 1)
    near_shares = m - t * near_reciprocals
    is_near = m > t
    reciprocals = np.where(is_near, near_reciprocals, far_reciprocals)
    return reciprocals, np.where(is_near, near_shares, far_shares)


def _series_remainder(c: Array, m: Array) -> Float:
    """Compute the terms beyond log((c + m) / c) of a difference of harmonic numbers."""
    last = 1 / (c + m) ** 2
    first = 1 / c**2
    return (last - first) / 24 - (last**2 - first**2) * (7 / 960)
