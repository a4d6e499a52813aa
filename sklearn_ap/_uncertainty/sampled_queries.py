"""Means over queries: a query is drawn at random as a whole, however many rows it has."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._inputs import Rankings
from sklearn_ap._scoring import average_rankings, values_of
from sklearn_ap._uncertainty.row_influences import as_positives
from sklearn_ap._uncertainty.uncertainty_warnings import few_cases, few_in_queries
from sklearn_ap._uncertainty.variances import (
    ONE_UNIT,
    ScoreVariance,
    share_variance,
    without_rounding,
)
from sklearn_ap.counts import ThresholdCounts, count
from sklearn_ap.definitions import Definition

Float = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SampledQueries:
    """The values of queries, of which a mean is taken.

    ``weights`` are those of the mean, None for equal ones; ``clusters`` says which queries are
    drawn together, None where each is drawn by itself.
    """

    values: Float
    n_positives: Float
    weights: Float | None
    clusters: NDArray[np.intp] | None
    effective_positives: Float | None  # of each query; None without another prevalence

    method = "queries"
    is_one_number = True

    @cached_property
    def score(self) -> Float:
        """The mean."""
        return np.array([average_rankings(self.values, self.weights)])

    @property
    def is_undefined(self) -> NDArray[np.bool_]:
        """Whether there is no positive at all."""
        return ~np.any(self.n_positives, keepdims=True)

    @property
    def bias(self) -> Float:
        """A mean of queries drawn at random is right on average; a ratio of sums is not."""
        is_known = self.weights is None and self.effective_positives is None
        return np.array([0.0 if is_known else np.nan])

    @cached_property
    def variance(self) -> ScoreVariance:
        """How much the mean varies."""
        return self._varies(self.values, share_variance(self.score), self.score)

    def variance_of_difference(self, reference: Any) -> ScoreVariance:
        """How much the difference of two means over the same queries varies."""
        magnitude = np.maximum(self.score, reference.score)
        one_case = 1 / max(self._n_queries(), 1.0)
        return self._varies(self.values - reference.values, one_case, magnitude)

    @property
    def deviations(self) -> Float:
        """What each query, or cluster of queries, moves the mean by.

        The sum of the squares is the variance.
        """
        return self._deviations(self.values)

    def cautions(self) -> list[str]:
        """What the mean rests on, where that is little."""
        n_relevant = self._n_queries(self.n_positives > 0)
        cautions = few_cases(n_relevant, "query with a positive", "queries with a positive")
        effective = self.effective_positives
        if effective is not None and np.any(self.n_positives > 0):
            cautions += few_in_queries(float(np.median(effective[self.n_positives > 0])))
        return cautions

    def _varies(self, values: Float, case_variance: Any, magnitude: Float) -> ScoreVariance:
        """How much the mean of such values varies.

        Values that are all the same are taken for so many cases. Student's t has a degree of
        freedom less than there are queries with a positive.
        """
        number = self._n_queries()
        if number < 1 + 1e-9:
            return ONE_UNIT
        deviations = self._deviations(values)
        variance = without_rounding(deviations @ deviations, number, magnitude)
        enlarged = np.where(variance > 0, variance, case_variance / number)
        degrees = self._n_queries(self.n_positives > 0) - 1
        return ScoreVariance(np.sqrt(variance), enlarged, degrees, case_variance)

    def _deviations(self, values: Float) -> Float:
        """What each query, or cluster of queries, moves the mean of such values by."""
        number, shares = self._n_queries(), self._shares
        values = np.where(shares > 0, values, 0.0)  # without a share they may be nan
        moved = self._by_unit(shares * (values - shares @ values))
        return moved * np.sqrt(number / max(number - 1, 1.0))

    @cached_property
    def _shares(self) -> Float:
        """The weight of each query in the mean; 0 if its value is nan."""
        weights = 1.0 if self.weights is None else self.weights
        weights = np.where(np.isnan(self.values), 0.0, weights)
        shares = weights / (weights.max() or 1.0)  # or sums of huge ones are infinite
        return shares / (shares.sum() or 1.0)

    def _n_queries(self, counted: Any = True) -> float:
        """The effective number of queries in the mean, or of clusters of queries (Kish 1965).

        Equal shares give their number, unequal ones less. Those that are not ``counted`` are left
        out.
        """
        shares = self._by_unit(self._shares * counted)
        return float(shares.sum() ** 2 / (shares @ shares)) if shares.any() else 0.0

    def _by_unit(self, of_queries: Any) -> Any:
        """Add up the numbers of the queries of each cluster."""
        return of_queries if self.clusters is None else np.bincount(self.clusters, of_queries)


def sample_queries(definition: Definition, rankings: Rankings) -> SampledQueries:
    """The values of queries, and their weights in the mean."""
    counts = count(rankings, definition.depth)
    weights = counts.n_positives if rankings.average == "weighted" else rankings.average_weight
    return queries_of_counts(definition, counts, weights, rankings.clusters)


def queries_of_counts(
    definition: Definition,
    counts: ThresholdCounts,
    weights: Float | None,
    clusters: NDArray[np.intp] | None = None,
) -> SampledQueries:
    """The values of queries that are counted already."""
    effective = None
    if definition.prevalence is not None:
        effective = as_positives(definition, counts, counts.n_positives, counts.n_negatives)
    values = values_of(definition, counts)
    return SampledQueries(values, counts.n_positives, weights, clusters, effective)
