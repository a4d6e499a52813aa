"""Whether scores are reversed, by the areas under the ROC curves of queries, or of all rows."""

from typing import NamedTuple

import numpy as np

from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap._types import Float, Index

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


def roc_area_of_counts(counts: ThresholdCounts) -> float:
    """Compare each positive that was retrieved with all negatives of its ranking.

    It is nan without pairs.
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
