"""Expected average precision: the mean over all orders of the tied items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from scipy.special import digamma, hyp2f1

from sklearn_ap._base.common.types import Array, Float, Index
from sklearn_ap._base.inputs.option_checks import check_ranks, k_as_text
from sklearn_ap._counts.blocks import ranges, segment_sums
from sklearn_ap._counts.ranks import ranks_at_thresholds, ranks_of_rows
from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap.definitions._base import (
    Heights,
    Line,
    Shade,
    level_line,
)
from sklearn_ap.definitions._chance import Ends, precisions_by_chance
from sklearn_ap.definitions._hyperbolic import heights_and_derivatives
from sklearn_ap.definitions._influence import (
    Influence,
    derivatives_of_precision,
    influence_of_heights,
)
from sklearn_ap.definitions._step import Step

LONG = 128  # ranks, which are summed one by one; the formula loses digits at fewer
MANY = 1e8  # rows, of which leaving out one changes less than rounding, and ties add no bias
NEAR = 100  # ranks above a block, below which a series of the harmonic number lacks digits


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
    Counts must be unweighted, because an order of the items cannot contain half an item. Of a
    positive that is tied with no other item, the derivatives are those of ``Step``, so that without
    ties both have the same interval. Of tied blocks, they are those of ``Hyperbolic``, which is the
    limit for many tied items.

    References
    ----------
    .. [1] McSherry and Najork (2008), "Computing information retrieval performance measures
       efficiently in the presence of tied scores", ECIR.

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
        return self._sums_and_ranks(counts)[0] / counts.size

    def divisor(self, counts: ThresholdCounts) -> Array:
        return self.effective_size(counts)

    def line(self, counts: ThresholdCounts) -> Line:
        # Level at the mean precision of each block, as far as rank k.
        sums, ranks = self._sums_and_ranks(counts)
        return level_line(counts, counts.gained * ranks / counts.size, sums / np.maximum(ranks, 1))

    def shade(self, counts: ThresholdCounts) -> Shade | None:
        recall, line = self.line(counts)
        return None if self.k is None else Shade(recall, 0.0, line, f"top {k_as_text(self.k)}")

    def sum_by_chance(self, ends: Ends, n_rows: int, n_positives: int) -> float:
        k = None if self.k is None else ranks_of_rows(self.k, n_rows)
        return precisions_by_chance(ends, n_rows, n_positives, k, tied=False)

    def influence(self, counts: ThresholdCounts) -> Influence | None:
        if self.k is not None:
            return None
        are_tied = counts.size > 1
        if not are_tied.any():
            return Step().influence(counts)
        heights = counts.precision.copy()
        heights[are_tied] = _TiedBlocks.of(counts, np.flatnonzero(are_tied)).heights
        _, of_ties = heights_and_derivatives(counts)
        by_positive, by_negative = derivatives_of_precision(counts)
        of_steps = {"gained": by_positive, "tps_above": by_positive}
        of_steps |= {"tied": by_negative, "fps_above": by_negative}
        of_steps |= {"n_positives": np.zeros(heights.shape)}
        by = {name: np.where(are_tied, each, of_steps[name]) for name, each in of_ties.items()}
        return influence_of_heights(counts, heights, by, counts.n_positives)

    def bias(self, counts: ThresholdCounts, weight_of_negative: Array | float = 1.0) -> Float:
        if self.k is not None:
            return super().bias(counts)
        return Step().bias(counts, weight_of_negative) + _bias_of_ties(counts)

    def _sums_and_ranks(self, counts: ThresholdCounts) -> tuple[Float, Array]:
        """Sum of the expected precisions at the ranks of each block, and how many these are."""
        size, before = counts.size, counts.before
        if size.dtype.kind == "f":
            raise ValueError(
                "Expected average precision takes unweighted counts, and no prevalence: there is "
                "no order of half an item."
            )
        ranks = size
        if self.k is not None:
            ranks = np.clip(ranks_at_thresholds(self.k, counts) - before, 0, size)
        # Given a positive at a rank, each other item of its block is one with this probability.
        others = (counts.gained - 1) / np.maximum(size - 1, 1)
        first, is_long = counts.tps_above + 1, ranks > LONG
        summed = np.where(is_long, 0, ranks)
        j = ranges(summed)
        precision = np.repeat(first, summed) + j * np.repeat(others, summed)
        precision /= np.repeat(before, summed) + 1 + j
        sums = segment_sums(precision, np.cumsum(summed) - summed)
        if is_long.any():
            reciprocals, shares = _harmonic_sums(before[is_long], ranks[is_long])
            sums[is_long] = (first - others)[is_long] * reciprocals + others[is_long] * shares
        return sums, ranks


class _TiedBlocks(NamedTuple):
    """Blocks of several tied items that hold a positive, for influences and biases.

    Their heights lose some of the digits that a value needs.
    """

    gained: Float
    size: Float
    tps_above: Float
    before: Float
    reciprocals: Float  # the sum of 1 over each rank of the block

    @classmethod
    def of(cls, counts: ThresholdCounts, places: Index) -> Self:
        """Take those at some thresholds."""
        columns = counts.gained, counts.size, counts.tps_above, counts.before
        gained, size, tps_above, before = (each[places].astype(np.float64) for each in columns)
        return cls(gained, size, tps_above, before, _sum_of_reciprocals(before, size))

    @property
    def heights(self) -> Float:
        """The mean of the expected precisions at the ranks of each block."""
        others = (self.gained - 1) / np.maximum(self.size - 1, 1)
        shares = self.size - (self.before + 1) * self.reciprocals
        return ((self.tps_above + 1) * self.reciprocals + others * shares) / self.size

    @property
    def added(self) -> Float:
        """What the order of each block adds to the sum of precisions, beyond the steps."""
        steps = (self.tps_above + self.gained) / (self.before + self.size)
        return self.gained * (self.heights - steps)

    def changes(self) -> tuple[Float, Float]:
        """What leaving out each positive, or each negative, changes of what is added, in all."""
        gained, size, tps_above, before, reciprocals = self
        fps_above, added = before - tps_above, self.added
        without_last = reciprocals - 1 / (before + size)
        inside = self._replace(size=size - 1, reciprocals=without_last)
        reciprocals = without_last + 1 / np.maximum(before, 1)
        above = self._replace(before=before - 1, reciprocals=reciprocals)
        of_positives = gained * (inside._replace(gained=gained - 1).added - added)
        of_positives += tps_above * (above._replace(tps_above=tps_above - 1).added - added)
        of_negatives = (size - gained) * (inside.added - added) + fps_above * (above.added - added)
        return of_positives, of_negatives


def _bias_of_ties(counts: ThresholdCounts) -> Float:
    """The bias of what the orders of tied items add to the steps, by the jackknife.

    Each row is left out in turn. One of a block or above it changes what the block adds, and a
    positive also what all is divided by.
    """
    n_positives = counts.n_positives.astype(np.float64)
    n_rows, places = n_positives + counts.n_negatives, np.flatnonzero(counts.size > 1)
    if not places.size:
        return np.zeros(n_positives.shape)
    blocks, of_thresholds = _TiedBlocks.of(counts, places), np.zeros((2, counts.thresholds.size))
    of_positives, of_negatives = blocks.changes()
    of_thresholds[:, places] = of_positives + blocks.added, of_negatives
    changes = [counts.sum(each) for each in of_thresholds]
    change = changes[0] / np.maximum(n_positives - 1, 1) + changes[1] / np.maximum(n_positives, 1)
    return np.where(n_rows < MANY, change * (1 - 1 / np.maximum(n_rows, 1)), 0.0)


def _sum_of_reciprocals(t: Float, m: Float) -> Float:
    """The sum of 1 / (t + j) for j from 1 to m, to about ten digits."""
    c = t + 0.5
    sums, is_near = np.log1p(m / c) + _beyond_logarithm(c, m), t < NEAR
    near = t[is_near]
    sums[is_near] = digamma(near + m[is_near] + 1) - digamma(near + 1)
    return sums


def _harmonic_sums(t: Array, m: Array) -> tuple[Float, Float]:
    """The sums of 1 / (t + j) and of j / (t + j) for j from 1 to m, to some ulps where m > LONG.

    Differences lose digits where m is small beside t, so these sums have none there: the harmonic
    number of n is log(c) + 1 / (24 c^2) - 7 / (960 c^4) + ... and a constant, with c = n + 1/2.
    """
    c = t + 0.5
    x = m / c
    rest = _beyond_logarithm(c, m)
    far = np.log1p(x) + rest
    # m - t log(1 + x), where hyp2f1 is 2 (x - log(1 + x)) / x^2
    far_shares = (m * x * hyp2f1(1, 2, 3, -x) + np.log1p(x)) / 2 - t * rest
    near = digamma(t + m + 1) - digamma(t + 1)
    return np.where(m > t, near, far), np.where(m > t, m - t * near, far_shares)


def _beyond_logarithm(c: Array, m: Array) -> Float:
    """What the series of the harmonic number adds to log((c + m) / c)."""
    last, first = 1 / (c + m) ** 2, 1 / c**2
    return (last - first) / 24 - (last**2 - first**2) * (7 / 960)
