"""Expected average precision: the mean over all orders of the tied items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma, hyp2f1

from sklearn_ap.counts import ThresholdCounts
from sklearn_ap.counts._blocks import ranges, segment_sums
from sklearn_ap.counts._ranks import ranks_at_thresholds, ranks_of_rows
from sklearn_ap.definitions._base import (
    Ends,
    Heights,
    Line,
    Shade,
    level_line,
    precisions_by_chance,
)
from sklearn_ap.definitions._hyperbolic import Hyperbolic
from sklearn_ap.definitions._influence import Influence
from sklearn_ap.definitions._option_checks import check_ranks, k_as_text

Float = NDArray[np.float64]

LONG = 128  # ranks, which are summed one by one; the formula loses digits at fewer


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
    Counts must be unweighted, because an order of the items cannot contain half an item. The
    influence of a row is taken from ``Hyperbolic``, which is the limit for many tied items.

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

    def heights(self, counts: ThresholdCounts) -> NDArray[np.float64]:
        return self._sums_and_ranks(counts)[0] / counts.size

    def divisor(self, counts: ThresholdCounts) -> NDArray[Any]:
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
        return Hyperbolic().influence(counts) if self.k is None else None

    def _sums_and_ranks(self, counts: ThresholdCounts) -> tuple[NDArray[np.float64], NDArray[Any]]:
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


def _harmonic_sums(t: NDArray[Any], m: NDArray[Any]) -> tuple[Float, Float]:
    """The sums of 1 / (t + j) and of j / (t + j) for j from 1 to m, to some ulps where m > LONG.

    Differences lose digits where m is small beside t, so these sums have none there: the harmonic
    number of n is log(c) + 1 / (24 c^2) - 7 / (960 c^4) + ... and a constant, with c = n + 1/2.
    """
    c = t + 0.5
    x = m / c
    last = 1 / (c + m) ** 2, 1 / c**2
    rest = (last[0] - last[1]) / 24 - (last[0] ** 2 - last[1] ** 2) * (7 / 960)
    far = np.log1p(x) + rest
    # m - t log(1 + x), where hyp2f1 is 2 (x - log(1 + x)) / x^2
    far_shares = (m * x * hyp2f1(1, 2, 3, -x) + np.log1p(x)) / 2 - t * rest
    near = digamma(t + m + 1) - digamma(t + 1)
    return np.where(m > t, near, far), np.where(m > t, m - t * near, far_shares)
