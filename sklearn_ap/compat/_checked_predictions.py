"""Predictions as tools get them: checked once, one query or many."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from sklearn_ap._inputs.arrays import to_numpy
from sklearn_ap._inputs.labels import check_targets
from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap._inputs.request import Request, check_rankings
from sklearn_ap._types import Array, Bool, Label


@dataclass(frozen=True, slots=True, eq=False)
class CheckedPredictions:
    """Clean predictions of one or many queries, and which queries may get special answers."""

    rankings: Rankings  # without rows that were not retrieved
    all_rankings: Rankings  # with these rows, as definitions of ours know the number of all rows
    lacks_positives: Bool
    lacks_negatives: Bool
    weightless_top: Bool  # queries whose highest score has no weight

    @property
    def has_queries(self) -> bool:
        return self.rankings.n_rankings > 1

    def pool(self) -> "CheckedPredictions":
        """Make one ranking of all queries."""
        queries = self.all_rankings
        pooled = replace(
            queries,
            ranking=None,
            n_rankings=1,
            n_positives=_total(queries.n_positives),
            n_unscored=_total(queries.n_unscored),
            n_negatives=_total(queries.n_negatives),
        )
        return CheckedPredictions(
            rankings=replace(pooled, n_negatives=None),
            all_rankings=pooled,
            lacks_positives=np.array([self.lacks_positives.all()]),
            lacks_negatives=np.array([self.lacks_negatives.all()]),
            # Rows without weight were dropped, so nobody knows whether one was above all others.
            weightless_top=np.array([self.weightless_top.any()]),
        )


def _total(numbers: Array | None) -> Array | None:
    """Add up the numbers of all rankings."""
    return None if numbers is None else np.sum(numbers, keepdims=True)


def check_predictions(
    y_true: ArrayLike,
    y_score: ArrayLike,
    sample_weight: ArrayLike | None,
    queries: ArrayLike | None,
    pos_label: Label,
    n_positives: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
) -> CheckedPredictions:
    """Check what the user passed; rows of weight 0 are dropped, as scikit-learn does."""
    request = Request(
        y_true=y_true,
        y_score=y_score,
        average=None,
        pos_label=pos_label,
        sample_weight=sample_weight,
        queries=queries,
        clusters=clusters,
        n_positives=n_positives,
    )
    request.check_order()
    if queries is not None or np.ndim(to_numpy("y_true", y_true)) != 2:
        targets = check_targets(y_true, y_score, pos_label, is_binary=True)
        request = replace(request, y_true=targets.labels, y_score=targets.score, pos_label=None)
    # A tool never sees rows that were not retrieved; it knows how many positives are among them.
    all_rankings = check_rankings(request)
    rankings = all_rankings
    if rankings.n_negatives is not None:
        rankings = replace(rankings, n_negatives=None)
    weightless_top = np.zeros(rankings.n_rankings, dtype=bool)
    if sample_weight is not None:
        weightless_top = _has_weightless_top(request)
    return CheckedPredictions(
        rankings=rankings,
        all_rankings=all_rankings,
        lacks_positives=rankings.weight_of_positives == 0,
        lacks_negatives=rankings.n_hits == rankings.sizes,
        weightless_top=weightless_top,
    )


def _has_weightless_top(request: Request) -> Bool:
    """Find the queries with weight, or the columns, whose highest score has no weight."""
    has_weight = np.ravel(to_numpy("sample_weight", request.sample_weight)).astype(np.float64) > 0
    # All rows, also those without weight and those with a score of minus infinity.
    score = np.nan_to_num(to_numpy("y_score", request.y_score))
    weight = 1.0 + has_weight
    ranked = check_rankings(replace(request, y_score=score, sample_weight=weight, n_positives=None))
    query = ranked.ranking_of_items
    has_weight = np.asarray(ranked.weight) == 2
    top = np.full(ranked.n_rankings, -np.inf)
    np.maximum.at(top, query, ranked.score)
    is_weighted_top = has_weight & (ranked.score == top[query])
    n_weighted_top = np.bincount(query[is_weighted_top], minlength=top.size)
    if request.queries is not None:  # queries without weight do not count
        n_weighted_top = n_weighted_top[np.bincount(query[has_weight], minlength=top.size) > 0]
    return n_weighted_top == 0
