"""Predictions as tools are given them: checked once, one query or many."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sklearn_ap._inputs import (
    Rankings,
    Request,
    Targets,
    check_binary_targets,
    check_rankings,
    check_targets,
    check_weights,
    same_columns,
    same_order,
    to_numpy,
)


@dataclass(frozen=True, slots=True, eq=False)
class CheckedPredictions:
    """Clean predictions of one or many queries, and which queries may get special answers."""

    rankings: Rankings
    without_positives: NDArray[np.bool_]
    without_negatives: NDArray[np.bool_]
    weightless_top: NDArray[np.bool_]  # queries whose highest score has no weight

    @property
    def several(self) -> bool:
        """Whether there are several queries."""
        return self.rankings.n_rankings > 1


def check_predictions(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None,
    queries: ArrayLike | None,
    pos_label: Any,
) -> CheckedPredictions:
    """Check what the user passed; rows of weight 0 are dropped, as scikit-learn does."""
    same_order(y_true=y_true, y_score=y_score, sample_weight=sample_weight, queries=queries)
    same_columns(y_true, y_score)
    if queries is None and len(np.shape(to_numpy("y_true", y_true))) == 2:
        targets = check_targets(y_true, y_score, pos_label, None)
        if targets.positive.ndim == 2:
            y_true, y_score, sample_weight, queries = _column_by_column(targets, sample_weight)
            pos_label = None
    positive, score = check_binary_targets(y_true, y_score, pos_label)
    request = Request(positive, score, queries=queries, sample_weight=sample_weight)
    # A tool never sees what was not retrieved; positives among it are known to be missing.
    rankings = replace(check_rankings(request), n_negatives=None)
    without_positives = rankings.weight_of_positives == 0
    without_negatives = rankings.n_hits == rankings.sizes
    weightless_top = np.zeros(rankings.n_rankings, dtype=bool)
    if sample_weight is not None:
        weight = np.ravel(to_numpy("sample_weight", sample_weight)).astype(np.float64)
        # With what has a score of minus infinity.
        ranked = Request(positive, np.nan_to_num(score), queries=queries)
        weightless_top = _weightless_at_top(check_rankings(ranked), weight)
    return CheckedPredictions(rankings, without_positives, without_negatives, weightless_top)


def _column_by_column(targets: Targets, sample_weight: ArrayLike | None) -> tuple[Any, ...]:
    """Labels, scores, weights and queries of a table, of which each column is a query."""
    positive, score, is_known = targets
    weight = check_weights(sample_weight, len(score))
    column, row = (np.ones_like(positive) if is_known is None else is_known).T.nonzero()
    weight = None if weight is None else weight[row]
    columns = positive[row, column], score[row, column], weight, column
    unknown = np.setdiff1d(np.arange(positive.shape[1]), column)
    if not unknown.size:
        return columns
    # A column without known labels is a query without positives: one of a row not retrieved.
    added = np.zeros(unknown.size, bool), np.full(unknown.size, -np.inf), np.ones(unknown.size)
    pairs = zip(columns, (*added, unknown), strict=True)
    return tuple(None if each is None else np.append(each, more) for each, more in pairs)


def _weightless_at_top(rankings: Rankings, weight: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which queries, of those that have weight, have none at their highest score."""
    query, score = rankings.ranking_of_items, rankings.score
    top = np.full(rankings.n_rankings, -np.inf)
    np.maximum.at(top, query, score)
    at_top = np.bincount(query, weight * (score == top[query]))
    return at_top[np.bincount(query, weight) > 0] == 0
