"""Predictions as tools are given them: checked once, one query or many."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sklearn_ap._base.common.types import Bool
from sklearn_ap._base.inputs.arrays import to_numpy
from sklearn_ap._base.inputs.rankings import Rankings
from sklearn_ap._base.inputs.request import Request, check_rankings
from sklearn_ap._base.inputs.targets import check_targets


@dataclass(frozen=True, slots=True, eq=False)
class CheckedPredictions:
    """Clean predictions of one or many queries, and which queries may get special answers."""

    rankings: Rankings  # without what was not retrieved
    whole: Rankings  # with it: definitions of ours know how many rows there are
    without_positives: Bool
    without_negatives: Bool
    weightless_top: Bool  # queries whose highest score has no weight

    @property
    def several(self) -> bool:
        return self.rankings.n_rankings > 1

    def pooled(self) -> "CheckedPredictions":
        """All queries as one ranking."""
        whole = self.whole
        counts = ("n_positives", "n_unscored", "n_negatives", "n_added")
        sums = {name: _sum_of(getattr(whole, name)) for name in counts}
        are_whole = whole.are_whole
        sums["are_whole"] = None if are_whole is None else np.all(are_whole, keepdims=True)
        pooled = replace(whole, ranking=None, n_rankings=1, **sums)
        one_class = (self.without_positives.all(), self.without_negatives.all())
        # Rows without weight are gone: whether one was above all others is not known, but may be.
        cases = (np.array([each]) for each in (*one_class, self.weightless_top.any()))
        return CheckedPredictions(replace(pooled, n_negatives=None), pooled, *cases)


def _sum_of(numbers: Any) -> Any:
    """The number of all rankings together."""
    return None if numbers is None else np.sum(numbers, keepdims=True)


def check_predictions(
    y_true: ArrayLike,
    y_score: ArrayLike,
    sample_weight: ArrayLike | None,
    queries: ArrayLike | None,
    pos_label: Any,
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
    # A tool never sees what was not retrieved; positives among it are known to be missing.
    rankings = whole = check_rankings(request)
    if rankings.n_negatives is not None:
        rankings = replace(rankings, n_negatives=None)
    without_positives = rankings.weight_of_positives == 0
    without_negatives = rankings.n_hits == rankings.sizes
    weightless_top = np.zeros(rankings.n_rankings, dtype=bool)
    if sample_weight is not None:
        weightless_top = _weightless_at_top(request)
    return CheckedPredictions(rankings, whole, without_positives, without_negatives, weightless_top)


def _weightless_at_top(request: Request) -> Bool:
    """Which queries, of those that have weight, or columns have none at their highest score."""
    has_weight = np.ravel(to_numpy("sample_weight", request.sample_weight)).astype(np.float64) > 0
    # All rows, also those without weight and those with a score of minus infinity.
    score = np.nan_to_num(to_numpy("y_score", request.y_score))
    weight = 1.0 + has_weight
    ranked = check_rankings(replace(request, y_score=score, sample_weight=weight, n_positives=None))
    query, has_weight = ranked.ranking_of_items, np.asarray(ranked.weight) == 2
    top = np.full(ranked.n_rankings, -np.inf)
    np.maximum.at(top, query, ranked.score)
    at_top = np.bincount(query[has_weight & (ranked.score == top[query])], minlength=top.size)
    if request.queries is not None:  # one without weight is no query
        at_top = at_top[np.bincount(query[has_weight], minlength=top.size) > 0]
    return at_top == 0
