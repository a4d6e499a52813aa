"""Whether scores are reversed, by the areas under the ROC curves of queries, or of all rows."""

from typing import NamedTuple

import numpy as np

from sklearn_ap._base.common.types import Bool, Float, Index
from sklearn_ap._base.inputs.rankings import Rankings
from sklearn_ap._counts.blocks import begins_block
from sklearn_ap._counts.thresholds import ThresholdCounts

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
    n_pairs = float(n_positives @ n_negatives)
    if not n_pairs:
        return RocArea(np.nan, np.nan)
    below = _weight_below(query, y_score, negative_weight)
    return RocArea(
        value=float(positive_weight @ below / n_pairs),
        standard_error=_error_of_orders(positive_weight, negative_weight, query, cluster) / n_pairs,
    )


def roc_area_of_counts(counts: ThresholdCounts) -> float:
    """Compare each positive that was retrieved with all negatives of its ranking.

    It is the value of ``roc_area`` from counts alone; nan without pairs.
    """
    # np.einsum makes no copies, and does not warn if products of huge weights are infinite.
    n_pairs = float(np.einsum("r,r->", counts.sum(counts.gained), counts.n_negatives))
    n_below = np.einsum("t,t->", counts.gained, counts.fps)
    n_not_above = np.einsum("t,t->", counts.gained, counts.fps_above)
    has_pairs = 0 < n_pairs < np.inf
    return 1 - (float(n_below) + float(n_not_above)) / 2 / n_pairs if has_pairs else np.nan


def area_of_rankings(value: float, rankings: Rankings) -> RocArea:
    """Add its error to the value of ``roc_area_of_counts`` of these rankings.

    Where queries are sampled, rows of a query may depend on each other, so each is a cluster.
    """
    weight = rankings.weight_of_items
    weight = weight / weight.max()
    query = rankings.ranking_of_items
    cluster = np.arange(query.size) if rankings.clusters is None else rankings.clusters
    if rankings.are_queries:
        cluster = query if rankings.query_clusters is None else rankings.query_clusters[query]
    positive_weight = weight * (rankings.positive & rankings.is_retrieved)
    negative_weight = weight * ~rankings.positive
    n_pairs = float(np.bincount(query, positive_weight) @ np.bincount(query, negative_weight))
    error = _error_of_orders(positive_weight, negative_weight, query, cluster)
    return RocArea(value, error / n_pairs if n_pairs else np.inf)  # no positive was retrieved


def _error_of_orders(
    positive_weight: Float, negative_weight: Float, query: Index, cluster: Index
) -> float:
    """Return the standard error of the weight of pairs in order, if orders are random.

    It is that of Mann and Whitney (1947), with weights.
    """
    n_positives, n_negatives = (
        np.bincount(query, each) for each in (positive_weight, negative_weight)
    )
    row_pairs = [positive_weight * n_negatives[query], negative_weight * n_positives[query]]
    positive_squares, negative_squares = (
        (np.bincount(cluster, each) ** 2).sum() for each in row_pairs
    )
    single_pairs = np.bincount(query, positive_weight**2) @ np.bincount(query, negative_weight**2)
    return float(np.sqrt((positive_squares + negative_squares + single_pairs) / 12))


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
