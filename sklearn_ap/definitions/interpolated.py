"""Interpolated average precision: the largest precision at this recall or a higher one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sklearn_ap._validation import RELATIVE_TOLERANCE
from sklearn_ap.counts import ThresholdCounts, ratio
from sklearn_ap.definitions.base import Heights, Line, Trials
from sklearn_ap.definitions.influence import Influence, accumulate
from sklearn_ap.definitions.options import check_recall_levels

__all__ = ["Interpolated"]


@dataclass(frozen=True, repr=False)
class Interpolated(Heights):
    r"""Average precision under the envelope of the curve.

    .. math::

        \sum_n (R_n - R_{n-1}) \max_{m \ge n} P_m
        \qquad\text{or}\qquad
        \frac{1}{|L|} \sum_{l \in L} \max_{n: R_n \ge l} P_n

    everywhere (PASCAL VOC since 2010; Manning, Raghavan and Schuetze 2008, section 8.4), or at
    recall levels L (11: VOC 2007, TREC; 101: COCO). The value lies within [0, 1] and, everywhere,
    is at least the step average precision; it is nan for a ranking without positives.

    Parameters
    ----------
    recall_levels : int, array-like of shape (n_levels,) or None, default=None
        Where the envelope is averaged: everywhere; at m >= 2 equally spaced levels from 0 to 1,
        compared exactly; or at the levels given, compared with a relative tolerance of 1e-9.

    See Also
    --------
    Step : Without interpolation.

    Notes
    -----
    Precision beyond the last recall reached is 0. scikit-learn's artificial point (recall 0,
    precision 1) is no part of the curve. The influence of a row is that on the value everywhere,
    also at levels: levels move like quantiles, and the derivative at a fixed level misleads.

    Examples
    --------
    >>> from sklearn_ap import threshold_counts
    >>> from sklearn_ap.definitions import Interpolated
    >>> counts = threshold_counts([0, 1, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> Interpolated()(counts), Interpolated(recall_levels=11)(counts)
    (array([0.66666667]), array([0.66666667]))
    """

    recall_levels: int | ArrayLike | None = None

    trials = Trials(
        good=({}, {"recall_levels": 11}, {"recall_levels": 101}, {"recall_levels": (0.1, 0.5)}),
        bad=(
            *({"recall_levels": levels} for levels in (1, 0, True, 2.5, "all", 2**63)),
            *({"recall_levels": levels} for levels in ((), (0.5, 1.1), (-0.1,), ((0.1,),))),
        ),
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "recall_levels", check_recall_levels(self.recall_levels))

    @property
    def title(self) -> str:
        """Its name in legends and tables."""
        if self.recall_levels is None:
            return "interpolated AP"
        levels = self._levels
        if levels.size == 11 and np.allclose(levels, np.linspace(0, 1, 11)):
            return "eleven-point AP"
        return f"AP at {levels.size} recall level{'s' if levels.size > 1 else ''}"

    def __call__(self, counts: ThresholdCounts) -> NDArray[np.float64]:
        """Give one value per ranking, nan for a ranking without positives.

        Parameters
        ----------
        counts : ThresholdCounts
            One or many rankings.

        Returns
        -------
        ndarray of shape (n_rankings,)
            Within [0, 1], or nan.
        """
        if self.recall_levels is None:
            return super().__call__(counts)
        total = counts.sum(self._new_levels(counts) * self.heights(counts))
        return ratio(total, self._n_levels * (counts.n_positives > 0))

    def heights(self, counts: ThresholdCounts) -> NDArray[np.float64]:
        """Give the largest precision at each threshold or a lower one.

        Parameters
        ----------
        counts : ThresholdCounts
            One or many rankings.

        Returns
        -------
        ndarray of shape (n_thresholds,)
            Within [0, 1].
        """
        return counts.envelope(counts.precision)

    def samples(self, counts: ThresholdCounts) -> Line | None:
        """Give recall levels and the envelope there, for one ranking.

        Parameters
        ----------
        counts : ThresholdCounts
            One ranking.

        Returns
        -------
        tuple of two ndarrays, or None
            None without levels. The mean of the heights is the value.
        """
        if self.recall_levels is None:
            return None
        reached = np.repeat(self.heights(counts), self._new_levels(counts).astype(np.intp))
        levels = self._levels
        return levels, np.concatenate((reached, np.zeros(levels.size - reached.size)))

    def influence(self, counts: ThresholdCounts) -> Influence:
        """Give the derivative by the weight of one row of the value everywhere, in closed form.

        Parameters
        ----------
        counts : ThresholdCounts
            One or many rankings.

        Returns
        -------
        Influence
            By where the row stands.
        """
        precision, heights = counts.precision, self.heights(counts)
        # A vertex is where curve and envelope meet; all that is gained up to it rests on it.
        # heights = [.8, .8, .5], precision = [.5, .8, .5], gained = [1, 2, 1] -> rests = [0, 3, 1]
        place = np.where(precision == heights, np.arange(heights.size), heights.size)
        vertex = np.minimum.accumulate(place[::-1])[::-1]
        rests = np.bincount(vertex, counts.gained, minlength=heights.size)
        size = counts.tps + counts.fps
        share = rests / size
        return accumulate(counts, heights, share * (counts.fps / size), -share * precision)

    @property
    def _n_levels(self) -> int:
        """How many levels there are."""
        levels = self.recall_levels
        return levels if isinstance(levels, int) else len(levels)  # type: ignore[arg-type]

    @property
    def _levels(self) -> NDArray[np.float64]:
        """Where the levels are, upwards."""
        if isinstance(self.recall_levels, int):
            return np.linspace(0, 1, self.recall_levels)
        return np.sort(np.asarray(self.recall_levels, dtype=np.float64))

    def _new_levels(self, counts: ThresholdCounts) -> NDArray[Any]:
        """How many levels are reached at each threshold and not above it."""
        reached = self._reached(counts.tps, counts.n_positives[counts.ranking()])
        return reached - counts.above(reached)

    def _reached(self, tps: NDArray[Any], n_positives: NDArray[Any]) -> NDArray[Any]:
        """How many levels that many of the positives reach."""
        if not isinstance(self.recall_levels, int):
            levels = self._levels * (1 - RELATIVE_TOLERANCE)
            return np.searchsorted(levels, tps / n_positives, side="right")
        last = self.recall_levels - 1
        if tps.dtype.kind == "f" or n_positives.dtype.kind == "f":
            recall = np.minimum(tps / n_positives / (1 - RELATIVE_TOLERANCE), 1.0)
            return np.floor(recall * last) + 1
        # In integers: in floats 3/10 misses the level 0.3. Python's own do not overflow.
        overflows = last * int(n_positives.max(initial=0)) >= 2**63
        whole = tps.astype(object if overflows else np.int64)
        return np.asarray(whole * last // n_positives + 1, dtype=np.float64)
