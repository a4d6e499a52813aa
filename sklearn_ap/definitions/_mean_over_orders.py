"""Definitions that are means over all orders of tied items: ``Expected``, ``ReciprocalRank``."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import digamma, hyp2f1

from sklearn_ap._arithmetic import ranges, segment_sums
from sklearn_ap._counts.thresholds import ThresholdCounts, add_rows_above, ranks_of_counts, ratio
from sklearn_ap._errors import UnsuitedDefinitionError
from sklearn_ap._inputs.options import check_ranks
from sklearn_ap._types import Array, Float
from sklearn_ap._writing.text import k_as_text
from sklearn_ap.definitions._base import Definition, Influence
from sklearn_ap.definitions._curves import hyperbola_slopes
from sklearn_ap.definitions._step import Slopes, influence_of_heights, precision_slopes

LONGEST_SUM = 128  # up to this many ranks are added one by one: the formula would lose digits


class _MeanOverOrders(Definition, trusted=True):
    """The base of means over all orders of the tied items; k may be None, for all ranks."""

    k: float | None

    def __post_init__(self) -> None:
        if self.k is not None:
            object.__setattr__(self, "k", check_ranks(self.k))

    @property
    def depth(self) -> float | None:
        return self.k

    def _refuse_weights(self, counts: ThresholdCounts) -> None:
        if counts.are_weighted:
            raise UnsuitedDefinitionError(
                f"{self!r} takes unweighted counts, and no prevalence: there is no order of half "
                f"an item."
            )


@dataclass(frozen=True, repr=False)
class Expected(_MeanOverOrders, trusted=True):
    r"""Average precision, also at k, as the mean over all orders of the tied items.

    A block of n tied items, r of them positive, below t items with :math:`R_0` positives adds

    .. math::

        \frac{1}{Z} \sum_{j=1}^{n} \frac{r}{n}
        \frac{R_0 + 1 + (j - 1) \frac{r - 1}{n - 1}}{t + j}

    where Z is the number of positives, and the last fraction is 0 for n = 1; with k the sum ends at
    t + j = k and Z is min(k, positives). This mean over all orders of the tied items is exact, not
    sampled [1]_. It lies within [0, 1]; it is nan for a ranking without positives.

    Parameters
    ----------
    k : int or float, default=None
        How many of the first ranks count, or which proportion of a ranking, as for ``AtK``. None
        counts all ranks.

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

    draws_precision = True

    k: float | None = None

    @property
    def title(self) -> str:
        return "expected AP" if self.k is None else f"expected AP@{k_as_text(self.k)}"

    def heights(self, counts: ThresholdCounts) -> Float:
        return self._sums_over_ranks(counts) / counts.n_tied

    def divisor(self, counts: ThresholdCounts) -> Array:
        if self.k is None:
            return counts.n_positives
        return np.minimum(ranks_of_counts(self.k, counts), counts.n_positives)

    def influence(self, counts: ThresholdCounts) -> Influence | None:
        if self.k is not None or counts.are_weighted:  # weights have no value here
            return None
        is_tied = counts.n_tied > 1
        step = precision_slopes(counts)
        at, above = (
            Slopes(
                positive=np.where(is_tied, hyperbola.positive, step.positive),
                negative=np.where(is_tied, hyperbola.negative, step.negative),
            )
            for hyperbola in hyperbola_slopes(counts)
        )
        return influence_of_heights(counts, self.heights(counts), counts.gained, at, above)

    def values_with_rows_above(
        self, counts: ThresholdCounts, positives: Float, negatives: Float
    ) -> Float:
        # There is no order of half an item, but tied blocks keep their items where others stand
        # above them, and positives above all others have the height 1.
        more = add_rows_above(counts, positives, negatives)
        own = replace(counts, n_positives=more.n_positives, n_negatives=more.n_negatives)
        heights = self._sums_over_ranks(own, (positives, negatives)) / own.n_tied
        hits = positives if self.k is None else np.minimum(positives, ranks_of_counts(self.k, own))
        return ratio(own.sum(own.gained * heights) + hits, self.divisor(more))

    def _sums_over_ranks(
        self, counts: ThresholdCounts, above: tuple[Array, Array] | None = None
    ) -> Float:
        """Add up the expected precisions at the ranks of each block.

        In the formula of the class, t is ``n_above``, R0 + 1 is ``first_hits``, n is ``size``, and
        r is ``gained``. ``above`` are the positives and negatives of each ranking that stand above
        all others.
        """
        self._refuse_weights(counts)
        size = counts.n_tied
        n_above = counts.n_above
        first_hits = counts.tps_above + 1  # at the first rank, if it holds a positive
        if above is not None:
            n_positives, n_negatives = map(counts.per_threshold, above)
            first_hits = first_hits + n_positives
            n_above = n_above + n_positives + n_negatives
        n_within = size
        if self.k is not None:
            limit = counts.per_threshold(ranks_of_counts(self.k, counts))
            n_within = np.clip(limit - n_above, 0, size)
            if n_within.dtype.kind == "f":
                n_within = np.rint(n_within).astype(np.int64)
        # Beside a positive, another item of its block is positive with this probability.
        others_prevalence = (counts.gained - 1) / np.maximum(size - 1, 1)
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
        return sums


def _harmonic_sums(t: Array, m: Array) -> tuple[Float, Float]:
    """Compute the sums of 1 / (t + j) and of j / (t + j) for j from 1 to m.

    They are exact to some ulps where m > LONGEST_SUM. Differences of harmonic numbers lose digits
    where m is small beside t. There a series takes their place: the harmonic number of n is
    log(c) + 1 / (24 c^2) - 7 / (960 c^4) + ... and a constant, with c = n + 1/2.
    """
    c = t + 0.5
    x = m / c
    remainder = series_remainder(c, m)
    far_reciprocals = np.log1p(x) + remainder
    # m - t log(1 + x), where hyp2f1 is 2 (x - log(1 + x)) / x^2
    far_shares = (m * x * hyp2f1(1, 2, 3, -x) + np.log1p(x)) / 2 - t * remainder
    near_reciprocals = digamma(t + m + 1) - digamma(t + 1)
    near_shares = m - t * near_reciprocals
    is_near = m > t
    reciprocals = np.where(is_near, near_reciprocals, far_reciprocals)
    return reciprocals, np.where(is_near, near_shares, far_shares)


def series_remainder(c: Array, m: Array) -> Float:
    """Compute the terms beyond log((c + m) / c) of a difference of harmonic numbers."""
    last = 1 / (c + m) ** 2
    first = 1 / c**2
    return (last - first) / 24 - (last**2 - first**2) * (7 / 960)


@dataclass(frozen=True, repr=False)
class ReciprocalRank(_MeanOverOrders, trusted=True):
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

    hangs_on_one_row = True

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
            limit = ranks_of_counts(self.k, counts)[has_found]
            n_within = np.minimum(n_within, limit - before)
        # Many queries have the same first block.
        blocks = np.stack((before, size, gained, n_within), axis=1)
        distinct, index = np.unique(blocks, axis=0, return_inverse=True)
        block_values = np.array([mean_reciprocal_rank(*block) for block in distinct.tolist()])
        values[has_found] = block_values[index.ravel()]
        return values


def mean_reciprocal_rank(before: int, size: int, gained: int, n_within: int) -> float:
    """Compute the mean reciprocal rank of the first of ``gained`` positives in a tied block.

    ``before`` rows stand above the block, and its first ``n_within`` ranks count.
    """
    j = np.arange(n_within)
    n_left = size - j
    missed = np.cumprod(np.append(1.0, (n_left - gained) / n_left))  # no positive so far
    return float(np.sum(missed[:-1] * (gained / n_left) / (before + 1 + j)))
