"""Whether scores are reversed, by the areas under the ROC curves of queries, or of all rows."""

from typing import NamedTuple

import numpy as np

from sklearn_ap._base.common.types import Bool, Float, Index
from sklearn_ap._counts.blocks import begins_block

REVERSED_AREA = 0.4  # under the ROC curve; less is reversed, if chance does not explain it
CLEAR_ERRORS = 4  # standard errors below the area of random orders


class RocArea(NamedTuple):
    """The mean area under ROC curves, weighted by their pairs of a positive and a negative."""

    value: float
    standard_error: float  # of random orders, at most

    @property
    def is_reversed(self) -> bool:
        """Whether positives clearly stand lower than negatives.

        Where most rows are positive, average precision hardly tells. It is False without pairs.
        """
        clear = 0.5 - CLEAR_ERRORS * self.standard_error
        return bool(self.value < min(REVERSED_AREA, clear))


def roc_area(
    y_true: Bool,
    y_score: Float,
    weight: Float,
    queries: Index | None = None,
    clusters: Index | None = None,
) -> RocArea:
    """Compare each positive with the negatives of its query, or with all without queries.

    The error is as if the scores of a class were equal in each cluster: if they depend on each
    other less, it is too large.
    """
    weight = weight / weight.max()  # so that squares neither vanish nor overflow
    query = np.zeros(y_true.size, int) if queries is None else queries
    cluster = np.arange(y_true.size) if clusters is None else clusters
    positive_weight = weight * y_true
    negative_weight = weight * ~y_true
    n_positives, n_negatives = (
        np.bincount(query, each) for each in (positive_weight, negative_weight)
    )
    n_pairs = n_positives @ n_negatives
    if not n_pairs:
        return RocArea(np.nan, np.nan)
    below = _weight_below(query, y_score, negative_weight)
    row_pairs = [positive_weight * n_negatives[query], negative_weight * n_positives[query]]
    positive_squares, negative_squares = (
        (np.bincount(cluster, each) ** 2).sum() for each in row_pairs
    )
    # The variance of the number of pairs in order, of Mann and Whitney (1947), with weights.
    single_pairs = np.bincount(query, positive_weight**2) @ np.bincount(query, negative_weight**2)
    variance = (positive_squares + negative_squares + single_pairs) / 12
    return RocArea(
        value=float(positive_weight @ below / n_pairs),
        standard_error=np.sqrt(variance) / n_pairs,
    )


def _weight_below(query: Index, y_score: Float, weight: Float) -> Float:
    """Sum for each row the weights of its query that have lower scores, and half of equal ones."""
    order = np.lexsort((y_score, query))
    query = query[order]
    y_score = y_score[order]
    is_new_query = begins_block(query)
    is_new_score = is_new_query | begins_block(y_score)
    before = np.cumsum(weight[order]) - weight[order]
    starts = before[is_new_score]
    ends = np.append(starts[1:], weight.sum())
    sums = ((starts + ends) / 2)[np.cumsum(is_new_score) - 1]
    sums -= before[is_new_query][np.cumsum(is_new_query) - 1]
    below = np.empty_like(sums)
    below[order] = sums
    return below
