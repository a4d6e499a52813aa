"""Means over queries: each query is one case, however many rows it has."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._averaging import average_rankings
from sklearn_ap._certainty.estimates import FEW, Difference, Estimate, Options, few, judge
from sklearn_ap._certainty.formulas import limits, share_variance

__all__ = ["Queries"]

Float = NDArray[np.float64]


@dataclass(eq=False)
class Queries:
    """The values of queries, of which a mean is taken.

    ``weights`` are those of the mean, None for equal ones; ``codes`` says which queries are drawn
    together, None where each is drawn by itself.
    """

    raw: Float
    weights: Float | None
    positives: Float
    codes: NDArray[np.intp] | None
    method = "queries"

    def fill(self, values: Float) -> None:
        """Take the mean of the values, without positives too, as the scores do."""
        self.values = values
        self.overall = average_rankings(values, self.weights)

    def estimate(self, options: Options) -> Estimate:
        """The mean with its limits."""
        if not self.positives.any():
            return Estimate(self.overall, np.nan, np.nan, np.nan)
        variance, degrees, number = self._variance(self.values)
        if np.isnan(variance):
            return Estimate(self.overall, np.nan, 0.0, 1.0)
        share = share_variance(self.overall)
        # Queries that all score the same are as many cases of a share.
        enlarged = variance if variance > 0 else share / number
        low, high = limits(self.overall, enlarged, degrees, options.confidence_level, share)
        return Estimate(self.overall, np.sqrt(variance), low, high)

    def difference(self, other: Queries, options: Options) -> Difference:
        """The difference of two means over the same queries."""
        difference = self.overall - other.overall
        if not self.positives.any():
            return Difference(difference, *4 * [np.nan])
        variance, degrees, number = self._variance(self.values - other.values)
        if np.isnan(variance):
            return judge(difference, np.nan, np.inf, 1.0, options)
        enlarged = variance if variance > 0 else 1 / number**2
        return judge(difference, np.sqrt(variance), enlarged, degrees, options)

    def remarks(self) -> list[str]:
        """What the mean rests on, where that is little."""
        number = self._variance(np.where(self.positives > 0, self.values, np.nan))[2]
        return (
            [few(number, "query with a positive", "queries with a positive")]
            if 0 < number < FEW
            else []
        )

    def _variance(self, values: Float) -> tuple[float, float, float]:
        """Variance of the mean of such values, its degrees of freedom, and how many queries.

        The variance is nan for a single query.
        """
        weights = np.ones(values.size) if self.weights is None else self.weights
        kept = ~np.isnan(values) & (weights > 0)
        if not kept.any():
            return np.nan, 1.0, 0.0
        shares = np.where(kept, weights, 0.0) / weights[kept].max()
        shares = shares / shares.sum()
        values = np.where(kept, values, 0.0)
        parts, relevant = shares * (values - shares @ values), shares * (self.positives > 0)
        if self.codes is not None:
            parts, shares, relevant = (
                np.bincount(self.codes, each) for each in (parts, shares, relevant)
            )
        number, squares = 1 / (shares @ shares), relevant @ relevant
        degrees = relevant.sum() ** 2 / squares - 1 if squares > 0 else 1.0
        if number < 1 + 1e-9:
            return np.nan, 1.0, 1.0
        return float(parts @ parts * number / (number - 1)), float(degrees), float(number)
