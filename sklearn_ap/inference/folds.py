"""The predictions of a cross-validation, in the place of the scores of one model.

The test rows of all folds are pooled into one sample, which functions then treat like any other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import permutations
from typing import NamedTuple

import numpy as np

from sklearn_ap._inputs.arrays import (
    as_column,
    check_numbers,
    check_same_length,
    check_same_order,
    refuse_missing,
    to_numpy,
)
from sklearn_ap._inputs.estimators import RAW_SCORES, predict
from sklearn_ap._inputs.names import encode_names, list_names
from sklearn_ap._inputs.request import Request
from sklearn_ap._inputs.targets import FEW_LABELS, check_targets, warnings_of_scores
from sklearn_ap._inputs.weights import check_weights
from sklearn_ap._results.text import count_as_text
from sklearn_ap._results.uncertainty_warnings import UncertaintyWarning, name_models
from sklearn_ap._types import Argument, Estimator, Index, Label, RowData
from sklearn_ap.inference._pooling_loss import PoolingLoss, pooling_loss

HOW_TO_MAKE = (
    "cv_results must be what cross_validate(model, X, y, return_estimator=True, "
    "return_indices=True) returns, or {'y_score': scores, 'folds': folds} for out-of-fold scores"
)
NO_FEW_LABELS = (
    "all rows of folds have labels. Cross-validate the labelled rows alone, and pass "
    "sample_weight=1 / inclusion_probability"
)
NOT_FOR_FOLDS = {
    "labels": "the models know their classes. Leave it out",
    "n_positives": "positives that were never scored are in no fold. Leave it out",
    "inclusion_probability": NO_FEW_LABELS,
    "judge": NO_FEW_LABELS,
}

# Of the variance of differences: the rows that one fold tests train the models of the others, so
# that errors of folds go together.
FOLD_FACTOR = 1.25
FEWEST_TEST_ROWS = 2  # mean number of test rows per fold: fewer are leave-one-out


@dataclass(frozen=True, eq=False, repr=False)
class FoldPredictions:
    """Predictions of the models of a cross-validation, each for the rows that it has not seen.

    Pass it where ``average_precision_interval``, ``compare_average_precision`` and
    ``compare_segments`` take the scores of a model. They are then for a score that you can report:
    the mean score of the models that the folds trained, each weighted by the rows that it tests, on
    new cases.

    Parameters
    ----------
    cv_results : dict
        What ``cross_validate`` returns, with ``return_estimator=True`` and ``return_indices=True``.
        For out-of-fold scores, ``{"y_score": scores, "folds": folds}``, where ``folds`` names the
        fold of each row, and the model of a fold was trained on all other folds.
    X : array-like of shape (n_samples, n_features), default=None
        What was cross-validated. None for out-of-fold scores.

    See Also
    --------
    average_precision_interval : How certain the score of the pool is.
    compare_average_precision : Whether one model is better, if all have the same folds.

    Notes
    -----
    The test rows of all folds are pooled into one sample, without those that no fold tests. The
    mean over the folds of ``cross_val_score`` is too high if folds have few positives. Models
    score their rows as scikit-learn's scorers let them, by ``decision_function`` before
    ``predict_proba``. Nothing is computed before a function asks, and the weights, queries,
    clusters and positive label are those of its call.

    The interval of a score is that of one test set. Rows that one fold tests train the models of
    the others, so the variance of a difference of two models, not of segments, is 1.25 times that
    on independent rows.

    Each row must be tested in at most one fold, so pass one repetition of a repeated
    cross-validation. Each query must be tested in one fold. The mean over queries needs no pooling.

    Functions raise an ``UncertaintyWarning`` if the pool ranks worse than the models do, or if
    models have seen clusters that they are tested on.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_validate
    >>> from sklearn_ap import FoldPredictions, average_precision_interval
    >>> X, y = make_classification(500, weights=[0.9], flip_y=0.1, random_state=0)
    >>> model = LogisticRegression()
    >>> cv = cross_validate(model, X, y, cv=10, return_estimator=True, return_indices=True)
    >>> average_precision_interval(y, FoldPredictions(cv, X))
    step AP, 500 rows, 67 positives (13.4%), pool of 10 folds, 95% intervals over
    rows
    The step AP is 0.56 (95% interval 0.41 to 0.68).
    """

    cv_results: Mapping[str, Argument]
    X: RowData = None

    def __post_init__(self) -> None:
        """Refuse features beside out-of-fold scores, and features that lack tested rows."""
        if self._splits.estimators is not None:
            _check_features(self.X, self._splits)
        elif self.X is not None:
            raise ValueError(
                "X must be None beside out-of-fold scores, which are all that is ranked, got "
                f"{type(self.X).__name__}. To let the models of folds score X, pass what "
                "cross_validate returns."
            )

    def __repr__(self) -> str:
        estimators = self._splits.estimators
        name = "scores" if estimators is None else type(estimators[0]).__name__
        return f"FoldPredictions({len(self._splits.test)} folds of {name})"

    @cached_property
    def _splits(self) -> Splits:
        return _check_splits(self.cv_results)


class Splits(NamedTuple):
    """The models and the rows of the folds of a cross-validation."""

    estimators: Sequence[Estimator] | None  # one for each fold; None for out-of-fold scores
    train: list[Index]
    test: list[Index]


class Fold(NamedTuple):
    """The test rows of one fold, with the predictions of its model."""

    rows: Index
    y_true: RowData
    y_score: RowData
    pos_label: Label
    labels: RowData = None  # the class of each column


class Pool(NamedTuple):
    """One sample: the rows of plain scores, or the test rows of all folds in their order."""

    request: Request  # with the scores of these rows
    warnings: list[UncertaintyWarning]
    rows: Index | slice = slice(None)  # their numbers
    n_folds: int | None = None  # of plain scores
    loss: PoolingLoss | None = None  # None where no rows of different folds are compared


def _check_features(X: RowData, splits: Splits) -> None:
    """Refuse features that are not those of a cross-validation."""
    if X is None:
        raise TypeError(
            "X must be what was cross-validated, as the models of folds score it, got None."
        )
    if not all(rows.size for rows in splits.test):
        raise ValueError("cv_results has a fold without test rows: its model scores nothing.")
    n_rows, n_split = _n_rows(X), max(rows.max() for rows in splits.test) + 1
    is_partition = splits.train[0].size + splits.test[0].size == n_split
    if n_split > n_rows or (is_partition and n_split < n_rows):
        raise ValueError(
            f"X has {n_rows} rows, but {n_split} were cross-validated. Pass the X and the y that "
            f"cross_validate had."
        )


def refuse_beside_folds(**options: Argument) -> None:
    """Refuse options that folds do not allow, with the reason."""
    for name, option in options.items():
        if option is not None:
            raise ValueError(f"{name} does not go with FoldPredictions: {NOT_FOR_FOLDS[name]}.")


def pool_models(
    requests: Sequence[Request], names: Sequence[str]
) -> tuple[list[Pool], list[UncertaintyWarning]]:
    """Pool the folds of each model, and warn of doubtful pools by the names of models, if any.

    A loss that is small beside the error of a score may be large beside that of a difference.
    """
    if names:
        scores = (request.y_score for request in requests)
        _check_same_folds(dict(zip(names, scores, strict=True)))
    pools = [pool_of(request) for request in requests]
    warnings = [pool.warnings for pool in pools]
    losses = {
        model: pool.loss
        for model, pool in enumerate(pools)
        if pool.loss is not None and not pool.warnings
    }
    for model, other in permutations(losses, 2):
        if losses[model].minus(losses[other]).is_large:
            warnings[model] = [_unlike_folds(requests[model].y_true)]
    return pools, name_models(warnings, names)


def _check_same_folds(models: Mapping[str, RowData]) -> None:
    """Refuse plain scores, and models that are tested on different folds."""
    first_name, first = next(iter(models.items()))
    for name, model in models.items():
        if not isinstance(model, FoldPredictions):
            raise TypeError(
                f"y_scores must hold FoldPredictions of all models or of none, but those of "
                f"{name!r} are plain scores. If these are out of fold, too, pass "
                f"FoldPredictions({{'y_score': scores, 'folds': folds}}) for {name!r}."
            )
        tested, first_tested = model._splits.test, first._splits.test
        has_same_number = len(tested) == len(first_tested)
        if not has_same_number or not all(map(np.array_equal, tested, first_tested)):
            raise ValueError(
                f"The folds of {name!r} are not those of {first_name!r}. Pass cross_validate the "
                f"same splitter for each model, as cv=StratifiedKFold(5, shuffle=True, "
                f"random_state=0)."
            )


def pool_of(request: Request, segments: Index | None = None) -> Pool:
    """Pool the test rows of all folds, or take plain scores as they are.

    ``segments`` has the segment of each row, if each is ranked by itself.
    """
    predictions = request.y_score
    if not isinstance(predictions, FoldPredictions):
        return Pool(request, warnings_of_scores(predictions))
    columns = {name: getattr(request, name) for name in ("sample_weight", "queries", "clusters")}
    y_true = check_rows_of_folds(predictions, "y_true", request.y_true, **columns)
    tested = predictions._splits.test
    _check_tested_once(tested, request.queries)
    folds = predict_folds(predictions, y_true, request.pos_label)
    rows = np.concatenate(tested)
    order = np.argsort(rows)
    rows = rows[order]
    pooled = replace(
        request,
        y_true=_take(y_true, rows),
        y_score=np.concatenate([np.asarray(each.y_score) for each in folds])[order],
        labels=folds[0].labels,
        **{name: _take(each, rows) for name, each in columns.items() if each is not None},
    )
    warnings = [*warnings_of_scores(pooled.y_score), *_seen_clusters(request.clusters, predictions)]
    loss = None
    if request.queries is None and request.average != "samples":
        fold = np.repeat(np.arange(len(folds)), [each.size for each in tested])[order]
        segments = np.zeros_like(rows) if segments is None else segments[rows]
        loss = _loss_by_pooling(pooled, segments, fold)
        if loss.is_large and not warnings:
            warnings.append(_unlike_folds(y_true))
    return Pool(pooled, warnings, rows, len(folds), loss)


def _loss_by_pooling(pool: Request, segments: Index, fold: Index) -> PoolingLoss:
    """Measure how much worse rows of different folds are ranked than those of one."""
    targets = check_targets(pool.y_true, pool.y_score, pool.pos_label, pool.labels)
    n_rows = fold.size
    scores = targets.score.reshape(n_rows, -1)
    units = np.arange(n_rows)
    if pool.clusters is not None:
        units, _ = encode_names(as_column("clusters", pool.clusters, n_rows), "clusters")
    positive = targets.positive.reshape(scores.shape)
    is_counted = np.ones(scores.shape, bool)  # the cells with a known label and a weight
    if targets.is_known is not None:
        is_counted = targets.is_known.reshape(scores.shape)
    weight = check_weights(pool.sample_weight, n_rows)
    if weight is not None:
        is_counted = is_counted & (weight > 0)[:, None]
    loss = pooling_loss(positive, scores, is_counted, segments, fold, units)
    return loss if pool.average is None else loss.total()


def _check_splits(cv_results: Argument) -> Splits:
    """Read what ``cross_validate`` returns, or out-of-fold scores."""
    if not isinstance(cv_results, Mapping):
        raise TypeError(f"{HOW_TO_MAKE}, got {type(cv_results).__name__}.")
    if {*cv_results} == {"y_score", "folds"}:
        return _splits_of_scores(**cv_results)
    if not {"estimator", "indices"} <= {*cv_results}:
        search = " To score a search, pass it to cross_validate." if "params" in cv_results else ""
        raise ValueError(f"{HOW_TO_MAKE}, got {', '.join(map(str, cv_results))}.{search}")
    estimators = cv_results["estimator"]
    rows = cv_results["indices"]
    train, test = ([*map(_row_numbers, rows.get(name, ()))] for name in ("train", "test"))
    if not len(estimators) == len(train) == len(test) > 0:
        raise ValueError(
            f"cv_results has {len(estimators)} fitted models, {len(train)} train sets and "
            f"{len(test)} test sets. It must have one of each for each fold."
        )
    return Splits(estimators, train, test)


def _splits_of_scores(y_score: RowData, folds: RowData) -> Splits:
    """Make splits of out-of-fold scores, and the fold of each row."""
    scores = check_numbers("y_score", y_score)
    names = as_column("folds", folds, len(np.atleast_1d(scores)))
    fold, distinct = encode_names(names, "folds")
    if distinct.size == 1:
        raise ValueError(
            f"folds must name two folds at least, got {list_names(distinct)[0]!r} in every row: "
            f"the model of a fold has seen the rows of the others."
        )
    numbers = range(distinct.size)
    train = [np.flatnonzero(fold != number) for number in numbers]
    return Splits(None, train, [np.flatnonzero(fold == number) for number in numbers])


def _row_numbers(rows: Argument) -> Index:
    """Read the numbers of rows, which a splitter may return as a list or as a mask."""
    rows = np.asarray(rows)
    return np.flatnonzero(rows) if rows.dtype == bool else rows


def _check_tested_once(tested: list[Index], queries: RowData) -> None:
    """Refuse leave-one-out, and folds that test a row, or a query, again."""
    if np.mean([rows.size for rows in tested]) < FEWEST_TEST_ROWS:
        raise ValueError(
            "Most folds test a single row, as in leave-one-out. The model of a fold that tests a "
            "positive has seen one positive less than the others, which puts this row below those "
            "of the other folds. Use StratifiedKFold instead, or StratifiedGroupKFold for groups."
        )
    if np.bincount(np.concatenate(tested)).max() > 1:
        raise ValueError(
            "Several folds test a row, which then has several scores. Pass one repetition: split "
            "with StratifiedKFold in place of RepeatedStratifiedKFold, or with n_repeats=1."
        )
    if queries is None:
        return
    names = as_column("queries", queries, len(queries))
    codes, distinct = encode_names(names, "queries")
    n_folds = np.bincount(np.concatenate([np.unique(codes[rows]) for rows in tested]))
    if n_folds.max() > 1:
        raise ValueError(
            f"The query {list_names(distinct)[n_folds.argmax()]} is tested in several folds, so "
            f"several models rank its rows. Split with GroupKFold, once."
        )


def check_rows_of_folds(
    predictions: FoldPredictions, name: str, y: RowData, **columns: RowData
) -> RowData:
    """Check labels, which have this name, and columns beside them; return labels of one dimension.

    Those of several columns stay a table.
    """
    if y is None:
        raise TypeError(f"{name} must hold the labels of all rows, got None.")
    columns = {key: column for key, column in columns.items() if column is not None}
    for key, column in columns.items():
        as_column(key, column)
    predicted = predictions.cv_results if predictions.X is None else {"X": predictions.X}
    arrays = {name: y, **predicted, **columns}
    check_same_order(**arrays)
    check_same_length(**{key: range(_n_rows(array)) for key, array in arrays.items()})
    if np.shape(y)[1:] == (1,):
        y = as_column(name, y)
    if np.ndim(y) == 1:
        refuse_missing(name, y, remedy=FEW_LABELS)
    return y


def predict_folds(
    predictions: FoldPredictions,
    y: RowData,
    pos_label: Label,
    methods: tuple[str, ...] = RAW_SCORES,
) -> list[Fold]:
    """Let the model of each fold score its test rows, by the first of these methods it has."""
    splits = predictions._splits
    if splits.estimators is None:
        scores = np.asarray(to_numpy("y_score", predictions.cv_results["y_score"]))
        if np.ndim(y) == 1 and scores.shape[1:] == (1,):
            scores = scores.ravel()
        return [Fold(rows, _take(y, rows), scores[rows], pos_label) for rows in splits.test]
    if np.ndim(y) == 1:
        _check_same_classes(splits.estimators)
    folds = []
    for estimator, rows in zip(splits.estimators, splits.test, strict=True):
        features, labels = _take(predictions.X, rows), _take(y, rows)
        folds.append(Fold(rows, **predict(estimator, features, labels, pos_label, methods)))
    return folds


def _check_same_classes(estimators: Sequence[Estimator]) -> None:
    """Refuse models of which some have not seen all classes; others are refused when they score."""
    seen = [np.asarray(model.classes_) for model in estimators if hasattr(model, "classes_")]
    classes = np.unique(np.concatenate(seen)) if seen else np.array([])
    for model_classes in seen:
        missing = np.setdiff1d(classes, model_classes).tolist()
        if missing:
            raise ValueError(
                f"The model of a fold has not seen the classes {missing}, so its scores have no "
                f"column for them. Split with StratifiedKFold, or score these rows 0 with "
                f"cross_val_predict(..., method='predict_proba'), and pass its scores and the "
                f"folds, as {{'y_score': scores, 'folds': folds}}."
            )


def _n_rows(table: RowData) -> int:
    return int(table.shape[0]) if hasattr(table, "shape") else len(table)


def _take(table: RowData, rows: Index) -> RowData:
    """Take rows of whatever holds them, with the names of its columns."""
    if isinstance(table, list | tuple):
        return [table[row] for row in rows]
    if hasattr(type(table), "to_pylist"):  # of pyarrow
        return table.take(rows)
    if hasattr(type(table), "tocsr"):  # sparse, of which some kinds have no rows by number
        return table.tocsr()[rows]
    return table.iloc[rows] if hasattr(type(table), "iloc") else table[rows]


def _seen_clusters(clusters: RowData, predictions: FoldPredictions) -> list[UncertaintyWarning]:
    """Warn of clusters with training and test rows, in the fold that has most of them."""
    if clusters is None:
        return []
    codes, _ = encode_names(as_column("clusters", clusters, _n_rows(clusters)), "clusters")
    pairs = zip(predictions._splits.train, predictions._splits.test, strict=True)
    number = max(np.intersect1d(codes[train], codes[test]).size for train, test in pairs)
    if not number:
        return []
    text = (
        f"The training rows and the test rows of a fold share {count_as_text(number, 'cluster')}. "
        f"A model that has seen a patient scores this patient better than others. Split with "
        f"GroupKFold or StratifiedGroupKFold, and pass cross_validate the clusters as groups, or "
        f"as params={{'groups': clusters}}."
    )
    return [UncertaintyWarning(text, "clusters in training")]


def _unlike_folds(y_true: RowData) -> UncertaintyWarning:
    stratify = (
        "If folds differ in their proportion of positives, split with StratifiedKFold, or with "
        "StratifiedGroupKFold if rows belong to patients. Otherwise, compare "
    )
    if np.ndim(y_true) > 1:  # scikit-learn stratifies no table
        stratify = "Compare "
    text = (
        f"The pool ranks worse than the models of its folds do. {stratify}with the pool of ranks, "
        f"as scores may have another scale or level in each fold: pass "
        f"FoldPredictions({{'y_score': ranks, 'folds': folds}}), where ranks are those of the "
        f"scores of cross_val_predict within each fold, as shares of its rows. If it scores the "
        f"same, keep this pool."
    )
    return UncertaintyWarning(text, "unlike folds")
