"""The predictions of a cross-validation, in the place of the scores of one model."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from sklearn_ap._errors import InputError, InputTypeError
from sklearn_ap._inputs.arrays import (
    as_column,
    check_numbers,
    check_same_length,
    check_same_order,
    n_rows_of,
    refuse_missing,
    take_rows,
)
from sklearn_ap._inputs.codes import encode_names, list_names
from sklearn_ap._inputs.estimators import RAW_SCORES, ResponseMethod, predict
from sklearn_ap._inputs.labels_and_scores import FEW_LABELS
from sklearn_ap._types import Argument, Array, Estimator, Index, Label, Name, RowData

FOR_FUNCTIONS = {
    "y",
    "y_true",
    "pos_label",
    "labels",
    "average",
    "prevalence",
    "sample_weight",
    "queries",
    "clusters",
}
HOW_TO_MAKE = (
    "cv_results must be what cross_validate(model, X, y, return_estimator=True, "
    "return_indices=True) returns, or {'y_score': scores, 'folds': folds} for out-of-fold scores"
)


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
    response_method : str or tuple of str, default=("decision_function", "predict_proba")
        The method that gives the scores. Of several, the first that a model has, in the order of
        scikit-learn's scorers; "auto" takes probabilities first, as its displays do. Three classes
        or more mostly need "predict_proba", as decision values often compare the classes of one
        row, not the rows of one class.

    See Also
    --------
    average_precision_interval : How certain the score of the pool is.
    compare_average_precision : Whether one model is better, if all have the same folds.

    Notes
    -----
    The test rows of all folds are pooled into one sample, without those that no fold tests. The
    mean over the folds of ``cross_val_score`` is too high if folds have few positives.

    The interval of a score is that of one test set. Rows that one fold tests train the models of
    the others, so the variance of a difference of two models, not of segments, is 1.25 times that
    on independent rows.

    Each row must be tested in at most one fold, so pass one repetition of a repeated
    cross-validation. Each query must be tested in one fold.

    Functions raise an ``UncertaintyWarning`` if the pool ranks worse than the models do, if the
    scores of a fold seem reversed or are all equal (not with queries), if models have seen clusters
    that they are tested on, or if several classes are scored by two methods.

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
    _: KW_ONLY
    response_method: ResponseMethod = RAW_SCORES

    def __new__(cls, *_: object, **options: object) -> Self:
        """Refuse what goes to the functions that take folds."""
        misplaced = sorted(options.keys() & FOR_FUNCTIONS)
        if misplaced and cls.__init__ is FoldPredictions.__init__:
            raise InputTypeError(
                f"FoldPredictions takes no {misplaced[0]}: pass it to the function that takes the "
                f"folds, as in average_precision_interval(y, FoldPredictions(cv_results, X), "
                f"pos_label='fraud')."
            )
        return super().__new__(cls)

    def __post_init__(self) -> None:
        """Refuse features that lack tested rows, and those beside scores."""
        if self._splits.scores is None:
            _check_features(self.X, self._splits)
        elif self.X is not None or [*self.response_method] != [*RAW_SCORES]:
            raise InputError("y_score takes no X and no response_method, which are for models.")

    @cached_property
    def _splits(self) -> Splits:
        return _check_splits(self.cv_results)


# That of its fields, which __new__ would hide.
FoldPredictions.__signature__ = inspect.signature(  # type: ignore[attr-defined]
    FoldPredictions.__init__
).replace(parameters=[*inspect.signature(FoldPredictions.__init__).parameters.values()][1:])


class Splits(NamedTuple):
    """The models and the rows of the folds of a cross-validation."""

    train: list[Index]
    test: list[Index]
    estimators: Sequence[Estimator] = ()  # one for each fold
    scores: Array | None = None  # of all rows, in the place of models
    names: Sequence[Name] = ()  # of folds; empty where they have numbers, from 0 on


class Fold(NamedTuple):
    """The test rows of one fold, with the predictions of its model."""

    rows: Index
    y_true: ArrayLike
    y_score: ArrayLike
    pos_label: Label
    labels: ArrayLike | None = None  # the class of each column


def refuse_several_folds(y_score: Sequence[Argument]) -> None:
    """Refuse a list of the folds of several runs of a training, such as those of its seeds."""
    if y_score and isinstance(y_score[0], FoldPredictions):
        n_runs = len(y_score)
        raise InputTypeError(
            f"y_score must be one FoldPredictions of each model, got a list of {n_runs}. Validate "
            f"all seeds in the same folds. Pass FoldPredictions({{'y_score': scores, 'folds': "
            f"folds}}) of out-of-fold scores with a column for each seed, and "
            f"np.column_stack([y] * {n_runs}) as y_true: the score is then the mean over seeds."
        )


def _check_features(X: RowData, splits: Splits) -> None:
    """Refuse features that are not those of a cross-validation."""
    if X is None:
        raise InputTypeError(
            "X must be what was cross-validated, as the models of folds score it, got None."
        )
    n_rows, n_split = n_rows_of("X", X), np.concatenate(splits.test).max() + 1
    is_partition = splits.train[0].size + splits.test[0].size == n_split
    if n_split > n_rows or (is_partition and n_split < n_rows):
        raise InputError(
            f"X has {n_rows} rows, but {n_split} were cross-validated. Pass the X and the y that "
            f"cross_validate had."
        )


def _check_splits(cv_results: Argument) -> Splits:
    """Read what ``cross_validate`` returns, or out-of-fold scores."""
    results = getattr(cv_results, "cv_results_", cv_results)
    if isinstance(results, Mapping) and "params" in results:
        raise InputTypeError(
            "cv_results is of a search, which keeps no models of folds: pass "
            "candidate_predictions(search, X, y), which makes FoldPredictions of its candidates."
        )
    if not isinstance(cv_results, Mapping):
        raise InputTypeError(f"{HOW_TO_MAKE}, got {type(cv_results).__name__}.")
    if {*cv_results} == {"y_score", "folds"}:
        return _splits_of_scores(**cv_results)
    estimators, rows = cv_results.get("estimator"), cv_results.get("indices")
    if estimators is None or not isinstance(rows, Mapping):
        raise InputError(f"{HOW_TO_MAKE}, got {', '.join(map(str, cv_results))}.")
    train, test = ([*map(places_of_rows, rows.get(name, ()))] for name in ("train", "test"))
    if not len(estimators) == len(train) == len(test) > 0:
        raise InputError(
            f"cv_results has {len(estimators)} fitted models, {len(train)} train sets and "
            f"{len(test)} test sets. It must have one of each for each fold."
        )
    return Splits(train, test, estimators)


def places_of_rows(rows: ArrayLike) -> Index:
    """Return the places of rows, which a splitter may give as flags."""
    array = np.asarray(rows)
    return np.flatnonzero(array) if array.dtype.kind == "b" else array


def _splits_of_scores(y_score: RowData, folds: RowData) -> Splits:
    """Make splits of out-of-fold scores, and the fold of each row."""
    scores = check_numbers("y_score", y_score)
    names = as_column("folds", folds, len(np.atleast_1d(scores)))
    fold, distinct = encode_names("folds", names)
    if distinct.size == 1:
        only = list_names(distinct)[0]
        raise InputError(f"folds must name two folds or more, got {only!r} in all rows.")
    numbers = range(distinct.size)
    train = [np.flatnonzero(fold != number) for number in numbers]
    test = [np.flatnonzero(fold == number) for number in numbers]
    scores = scores.ravel() if scores.shape[1:] == (1,) else scores
    return Splits(train, test, scores=scores, names=list_names(distinct))


def check_rows_of_folds(
    predictions: FoldPredictions, name: str, y: ArrayLike, **columns: object
) -> ArrayLike:
    """Check labels, which have this name, and columns beside them; return labels of one dimension.

    Those of several columns stay a table.
    """
    columns = {key: column for key, column in columns.items() if column is not None}
    for key, column in columns.items():
        as_column(key, column)
    predicted = predictions.cv_results if predictions.X is None else {"X": predictions.X}
    arrays = {name: y, **predicted, **columns}
    check_same_order(**arrays)
    check_same_length(**{key: range(n_rows_of(key, array)) for key, array in arrays.items()})
    if np.shape(y)[1:] == (1,):
        y = as_column(name, y)
    if np.ndim(y) == 1:
        refuse_missing(name, y, remedy=FEW_LABELS)
    return y


def predict_folds(predictions: FoldPredictions, y: ArrayLike, pos_label: Label) -> list[Fold]:
    """Let the model of each fold score its test rows."""
    splits = predictions._splits
    if (scores := splits.scores) is not None:
        return [Fold(rows, take_rows(y, rows), scores[rows], pos_label) for rows in splits.test]
    folds = []
    for estimator, rows in zip(splits.estimators, splits.test, strict=True):
        features, labels = take_rows(predictions.X, rows, "X"), take_rows(y, rows)
        method = predictions.response_method
        folds.append(Fold(rows, **predict(estimator, features, labels, pos_label, method)))
    return folds
