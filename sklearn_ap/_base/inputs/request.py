"""From what the user passed to a score to clean rankings."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sklearn_ap._base.common.types import Array
from sklearn_ap._base.inputs._split_into_rankings import rankings_of_queries, rankings_of_table
from sklearn_ap._base.inputs.arrays import to_numpy
from sklearn_ap._base.inputs.checks import (
    SHOWN,
    check_same_columns,
    check_same_order,
    check_weights,
    drop_weightless_rows,
    names_of_columns,
    select_rows,
)
from sklearn_ap._base.inputs.kept_rankings import CheckedScores
from sklearn_ap._base.inputs.name_codes import are_known, check_names, codes_and_names, encode_names
from sklearn_ap._base.inputs.rankings import Average, Rankings, check_average, check_n_positives
from sklearn_ap._base.inputs.targets import Targets, check_targets


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Request:
    """What the user passed to a score, unchecked."""

    y_true: Any
    y_score: Any
    average: Average = "macro"
    pos_label: Any = None
    labels: Any = None
    sample_weight: Any = None
    queries: Any = None
    n_positives: Any = None
    prevalence: Any = None
    zero_division: Any = "warn"
    clusters: Any = None

    @property
    def n_columns(self) -> int:
        """The columns of ``y_score``: 1 where it has one dimension."""
        shape = np.shape(self.y_score)
        return int(shape[1]) if len(shape) == 2 else 1

    @property
    def n_rows(self) -> int:
        """The rows that count: with a weight above 0, and of a table with a known label."""
        counts = np.ones(len(self.y_score), bool)
        if np.ndim(self.y_true) == 2:
            given = to_numpy("y_true", self.y_true)
            values = np.asarray(given, dtype=object if isinstance(given, list | tuple) else None)
            counts &= are_known(values.ravel()).reshape(values.shape).any(axis=1)
        if self.sample_weight is not None:
            counts &= np.asarray(self.sample_weight) != 0
        return int(np.count_nonzero(counts))

    @property
    def has_classes(self) -> bool:
        """Whether columns are classes, which ``y_true`` names, and not labels of their own."""
        return np.ndim(self.y_true) == 1

    def check_order(self) -> None:
        """Refuse columns whose rows have the same names in another order."""
        of_rows = "y_true", "y_score", "sample_weight", "queries", "clusters"
        check_same_order(**{name: getattr(self, name) for name in of_rows})
        check_same_columns(self.y_true, self.y_score)

    @property
    def ranking_names(self) -> tuple[Any, ...] | None:
        """The names of several rankings: queries, classes or columns; None if they have none."""
        return None if self.average is not None else self.all_names

    @property
    def all_names(self) -> tuple[Any, ...] | None:
        if self.queries is not None:
            names = check_names("queries", self.queries, len(self.queries))
            weight = check_weights(self.sample_weight, names.size)
            (names,) = drop_weightless_rows(weight, names)
            return tuple(codes_and_names(names, "queries")[1])
        if self.n_columns > 1 and self.has_classes:
            classes = np.unique(self.y_true) if self.labels is None else np.asarray(self.labels)
            return tuple(classes.tolist())
        return tuple(names_of_columns(self.y_true)) or None

    def column_names(self) -> list[str]:
        """The class or the label of each column, as a picture calls it."""
        names = self.all_names or [f"label {i}" for i in range(self.n_columns)]
        return [f"class {name}" if self.has_classes else str(name) for name in names]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PooledRequest(Request):
    """The test rows of folds, which no user passed like this."""

    copies: Any = None  # which row each is, where several folds test some; None: each is one


def check_rankings(request: Request) -> Rankings:
    """Targets and scores of any kind that scikit-learn knows, as rankings of what was retrieved.

    They are for a score, which does not depend on clusters.
    """
    if request.clusters is not None:
        check_clusters(request)
        request = replace(request, clusters=None)
    return _all_items(request).select_retrieved()


def check_clusters(request: Request) -> None:
    """Refuse clusters that are not of the rows, also where no number depends on them."""
    if request.clusters is not None:
        request.check_order()
        check_names("clusters", request.clusters, len(request.y_score))


def check_models(requests: list[Request]) -> list[Rankings]:
    """The rankings of models that have the same rows, of all items, retrieved or not."""
    return [_all_items(request) for request in requests]


def check_binary(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Any,
    sample_weight: ArrayLike | None,
    clusters: ArrayLike | None = None,
    select_retrieved: bool = True,
) -> Rankings:
    """One ranking, with the conventions of scikit-learn's ``precision_recall_curve``."""
    request = Request(
        y_true=y_true,
        y_score=y_score,
        pos_label=pos_label,
        sample_weight=sample_weight,
        clusters=clusters,
    )
    rankings = _all_items(request, is_binary=True)
    return rankings.select_retrieved() if select_retrieved else rankings


def _all_items(request: Request, *, is_binary: bool = False) -> Rankings:
    check_average(request.average)
    request.check_order()
    scores, pos_label, labels = request.y_score, request.pos_label, request.labels
    targets = check_targets(request.y_true, scores, pos_label, labels, is_binary=is_binary)
    if not (isinstance(scores, CheckedScores) and scores.were_checked_beside(request.y_true)):
        return _items_of(request, targets)
    if targets.score is not scores:
        return _items_of(request, targets)
    targets = targets._replace(score=np.asarray(scores))
    beside = request.sample_weight, request.queries, request.clusters, request.n_positives
    average = None if request.queries is None else request.average  # which one ranking ignores
    given = *beside, average, _copies(request)
    return scores.rankings(given, lambda: _items_of(request, targets))


def _items_of(request: Request, targets: Targets) -> Rankings:
    """Check all else that is of these labels and scores."""
    n_rows = len(targets.score)
    weight = check_weights(request.sample_weight, n_rows)
    queries = _queries(request, targets.score)
    clusters = request.clusters
    if clusters is not None:
        clusters = check_names("clusters", clusters, n_rows)
    copies = _copies(request)
    positive, score, is_known, weight, queries, clusters, copies = drop_weightless_rows(
        weight, *targets, weight, queries, clusters, copies
    )
    if is_known is not None:
        if not is_known.any():
            raise ValueError("y_true has no known label, so nothing is left to score.")
        kept = is_known.any(axis=1)  # a row that has no known label is not there
        arrays = positive, score, weight, clusters, queries, is_known, copies
        positive, score, weight, clusters, queries, is_known, copies = select_rows(kept, *arrays)
    rankings = _with_units(Rankings(positive, score, weight), clusters, copies)
    if queries is not None:
        rankings = rankings_of_queries(request.average, rankings, queries)
    elif positive.ndim == 2:
        rankings = rankings_of_table(request.average, rankings, is_known)
    if request.n_positives is None:
        return rankings
    if request.average != "samples":  # whose rankings are rows, without names
        _check_names_of_positives(request)
    n_scored, several = rankings.weight_of_hits, rankings.several
    known = check_n_positives(request.n_positives, n_scored, several=several)
    return replace(rankings, n_positives=known, n_unscored=known - n_scored)


def _copies(request: Request) -> Any:
    """Which row each is, where several folds test some; None where each is one."""
    return request.copies if isinstance(request, PooledRequest) else None


def _with_units(rankings: Rankings, clusters: Array | None, copies: Array | None) -> Rankings:
    """With the user's clusters, or else with a row that several folds test as a unit."""
    if clusters is None and copies is None:
        return rankings
    if copies is not None:
        copies = np.unique(copies, return_inverse=True)[1]
    units = copies if clusters is None else encode_names(clusters, "clusters")[0]
    has_clusters = clusters is not None
    return replace(rankings, clusters=units, has_clusters=has_clusters, copies=copies)


def _check_names_of_positives(request: Request) -> None:
    given = request.n_positives
    if isinstance(given, Mapping):
        raise TypeError(
            "n_positives must be an array with one number per ranking: one per query in the order "
            "of np.unique(queries), or one per column. Got a mapping. Pass its numbers in that "
            "order, as [n_positives[name] for name in np.unique(queries)]."
        )
    index = getattr(given, "index", None)  # of a Series of pandas; lists have a method
    if index is None or callable(index) or request.all_names is None:
        return
    names, rankings = index.tolist(), [*request.all_names]
    if names != rankings and {*names} == {*rankings}:
        raise ValueError(
            f"n_positives has an index with the names of the rankings in another order, and its "
            f"numbers are taken by position. Pass n_positives.loc[names], with the names in the "
            f"order {rankings[:SHOWN]}."
        )


def _queries(request: Request, score: Array) -> Array | None:
    if request.queries is None:
        return None
    if score.ndim != 1:
        raise ValueError("queries is for 1-D binary y_true only, but y_true has several columns.")
    if request.average in ("micro", "samples"):
        raise ValueError(
            f"average={request.average!r} does not go with queries. "
            f"Use 'macro', 'weighted' or None."
        )
    return check_names("queries", request.queries, len(score))
