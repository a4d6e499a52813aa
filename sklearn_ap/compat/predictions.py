"""Predictions as tools are given them: checked once, one query or many."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sklearn_ap._arrays import to_numpy
from sklearn_ap._validation import Rankings, Request, check_binary, check_groups, check_rankings

__all__ = ["Predictions", "check"]

Array = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Predictions:
    """Clean predictions of one or many queries, and what a tool is told besides."""

    rankings: Rankings
    weightless_top: NDArray[np.bool_]  # queries whose highest score has no weight
    missed: Array  # positives of each query that a tool drops, but counts
    upwards: Callable[[], NDArray[np.intp]]  # items by query, then by score as given
    k: int | None = None
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def positive(self) -> NDArray[np.bool_]:
        """Which items are positive."""
        return self.rankings.positive

    @property
    def score(self) -> Array:
        """The score of each item."""
        return self.rankings.score

    @property
    def several(self) -> bool:
        """Whether there are several queries."""
        return self.rankings.n_rankings > 1

    @property
    def sizes(self) -> Array:
        """How many items each query has."""
        if not self.rankings.several:
            return np.array([self.score.size])
        return np.bincount(self.rankings.ranking_of_items, minlength=self.rankings.n_rankings)

    @property
    def without_positives(self) -> NDArray[np.bool_]:
        """Which queries have no positive."""
        return self.count(self.positive) == 0

    @property
    def without_negatives(self) -> NDArray[np.bool_]:
        """Which queries have nothing but positives."""
        return self.count(self.positive) == self.sizes

    def count(self, chosen: NDArray[np.bool_]) -> Array:
        """Count the chosen items of each query."""
        if not self.rankings.several:
            return np.array([np.count_nonzero(chosen)])
        ranking = self.rankings.ranking_of_items
        return np.bincount(ranking[chosen], minlength=self.rankings.n_rankings)

    def of_items(self, per_query: Array) -> Array:
        """Give each item the value of its query."""
        return per_query[self.rankings.ranking_of_items] if self.rankings.several else per_query

    def seen(self, **changes: Any) -> Self:
        """Give the same predictions with other scores, labels or weights."""
        return replace(self, rankings=replace(self.rankings, **changes))

    def told(self, k: int | None, options: dict[str, Any]) -> Self:
        """Give the same predictions to a tool with these options."""
        return replace(self, k=k, options=options)


def check(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None,
    groups: ArrayLike | None,
    pos_label: Any,
) -> Predictions:
    """Check what the user passed; rows of weight 0 are dropped, as scikit-learn does."""
    whole = check_binary(y_true, y_score, pos_label=pos_label, sample_weight=None)
    rankings = check_rankings(
        Request(whole.positive, whole.score, sample_weight=sample_weight, groups=groups)
    )
    if sample_weight is None:
        weightless = np.zeros(rankings.n_rankings, dtype=bool)
    else:
        weight = np.ravel(to_numpy("sample_weight", sample_weight)).astype(np.float64)
        weightless = _weightless_top(whole.score, weight, groups)
    missed = np.zeros(rankings.n_rankings, dtype=np.int64)
    return Predictions(rankings, weightless, missed, cache(lambda: _upwards(rankings)))


def _upwards(rankings: Rankings) -> NDArray[np.intp]:
    """Items by query, then by score: the one sort that all orders of ties start from."""
    order = np.argsort(rankings.score)
    if rankings.several:
        order = order[np.argsort(rankings.ranking_of_items[order], kind="stable")]
    return order


def _weightless_top(score: Array, weight: Array, groups: ArrayLike | None) -> NDArray[np.bool_]:
    """Which queries, of those that have weight, have none at their highest score."""
    query = np.zeros(score.size, np.intp) if groups is None else check_groups(groups, score)
    top = np.full(query.max() + 1, -np.inf)
    np.maximum.at(top, query, score)
    at_top = np.bincount(query, weight * (score == top[query]))
    return at_top[np.bincount(query, weight) > 0] == 0
