"""Design effects of a precision or a recall at each threshold, for guarantees over clusters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sklearn_ap._base.common.tuned_constants import ASSUMED_ERROR_CLUSTERS
from sklearn_ap._base.common.types import Array, Bool, Float, Index
from sklearn_ap._base.inputs.arrays import TINY
from sklearn_ap._base.inputs.rankings import Rankings


@dataclass(frozen=True, eq=False)
class ErrorsOfClusters:
    """Sums over clusters at each threshold, where m rows of a cluster are judged, and f are errors.

    For a precision, the selected rows are judged, and errors are false positives. For a recall, the
    positives are judged, and errors are those that are missed.
    """

    n_rows: Array  # the sum of m
    n_errors: Array  # the sum of f
    n_error_clusters: Array  # F, the number of clusters with an error
    row_squares: Array  # the sum of m^2
    error_squares: Array  # the sum of f^2
    products: Array  # the sum of f m
    assumed_size: Float  # the size of the clusters that are assumed to have errors, too

    def effective_numbers(self) -> Float:
        """Divide the rows by the size of their clusters, on average over rows (Kish 1965).

        The number is made to rise from each threshold to the next.
        """
        return np.maximum.accumulate(self.n_rows**2 / self.row_squares)

    def design_effects(self) -> Float:
        """Compute the design effect d* at each threshold by Equation 37; it is at least 1."""
        n_clusters = np.where(self.n_errors < self.n_rows, self.n_error_clusters, 0)
        shown = np.maximum(self._ratio_effect(), self._pair_effect())
        effect = n_clusters * shown + ASSUMED_ERROR_CLUSTERS * self.assumed_size
        return np.maximum(effect / (n_clusters + ASSUMED_ERROR_CLUSTERS), 1.0)

    def _ratio_effect(self) -> Float:
        """Divide the variance of the share of errors over clusters by that over rows."""
        share = self.n_errors / self.n_rows
        variance = self.error_squares - share * (2 * self.products - share * self.row_squares)
        return np.asarray(variance / np.maximum(self.n_errors * (1 - share), TINY))

    def _pair_effect(self) -> Float:
        """Compute the effect of the correlation of errors in clusters whose sizes are typical.

        If the errors are in small clusters by luck, it is the larger effect.
        """
        share = self.n_errors / self.n_rows
        agreement = self.error_squares - self.n_errors  # pairs of errors in a cluster
        agreement = agreement / np.maximum(self.products - self.n_errors, 1)  # of pairs of an error
        correlation = (agreement - share) / np.maximum(1 - share, TINY)
        return np.asarray(1 + correlation * (self.row_squares / self.n_rows - 1))


def errors_of_precision(rankings: Rankings, tps: Array, n_selected: Array) -> ErrorsOfClusters:
    """Sum the selected rows of clusters, and the false positives, at each threshold."""
    order = np.argsort(rankings.score)[::-1]
    clusters = np.asarray(rankings.clusters)[order]
    is_error = ~rankings.positive[order]
    rows_before = _number_before(clusters, np.ones_like(is_error))
    errors_before = _number_before(clusters, is_error)
    last = n_selected - 1  # the last row that each threshold selects
    n_errors = n_selected - tps
    n_error_clusters = np.cumsum(is_error & (errors_before == 0))[last]
    row_squares = np.cumsum(2 * rows_before + 1)[last]
    products = np.cumsum(errors_before + is_error * (rows_before + 1))[last]
    return ErrorsOfClusters(
        n_rows=n_selected,
        n_errors=n_errors,
        n_error_clusters=n_error_clusters,
        row_squares=row_squares,
        error_squares=np.cumsum(is_error * (2 * errors_before + 1))[last],
        products=products,
        assumed_size=_assumed_size(n_selected, n_errors, n_error_clusters, row_squares, products),
    )


def errors_of_recall(rankings: Rankings, tps: Array) -> ErrorsOfClusters:
    """Sum the positives of clusters, and those that are missed, at each threshold."""
    positive = rankings.positive
    order = np.argsort(rankings.score[positive])
    clusters = np.asarray(rankings.clusters)[positive][order]
    size = np.bincount(clusters)
    missed_before = _number_before(clusters, np.ones(clusters.size, bool))
    n_rows = np.full(tps.size, clusters.size)
    n_missed = n_rows - tps
    row_squares = np.full(tps.size, np.sum(size**2))

    def sum_missed(values: Index | Bool) -> Index:
        return np.append(0, np.cumsum(values))[n_missed]

    n_error_clusters = sum_missed(missed_before == 0)
    products = sum_missed(size[clusters])
    sums = (n_rows, n_missed, n_error_clusters, row_squares, products)
    size_from_lowest = _assumed_size(*(values[::-1] for values in sums))
    return ErrorsOfClusters(
        n_rows=n_rows,
        n_errors=n_missed,
        n_error_clusters=n_error_clusters,
        row_squares=row_squares,
        error_squares=sum_missed(2 * missed_before + 1),
        products=products,
        assumed_size=size_from_lowest[::-1],
    )


def _assumed_size(
    n_rows: Array, n_errors: Array, n_error_clusters: Array, row_squares: Array, products: Array
) -> Float:
    """Return the size of clusters of errors to assume, from the threshold with fewest errors on.

    They may be larger than other clusters, as those are that the next threshold would add.
    """
    following = n_error_clusters.searchsorted(n_error_clusters + 1).clip(max=n_rows.size - 1)
    error_size = products / np.maximum(n_errors, 1)
    return np.asarray(np.maximum(row_squares / n_rows, error_size[following]))


def _number_before(clusters: Index, is_counted: Bool) -> Index:
    """Count, for each row, the counted rows of its cluster that stand before it.

    For clusters [0, 1, 0, 0] whose rows all count, it is [0, 0, 1, 2].
    """
    order = np.argsort(clusters, kind="stable")
    is_counted = is_counted[order]
    n_counted: Index = np.cumsum(is_counted) - is_counted
    size = np.bincount(clusters)
    first = np.cumsum(size) - size  # where each cluster begins, which may have no rows
    number = np.empty(clusters.size, np.intp)
    number[order] = n_counted - np.repeat(n_counted[first], size)
    return number
