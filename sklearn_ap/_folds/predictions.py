"""Predictions of the models of a cross-validation, in the place of the scores of one model.

``pool_of`` and ``pools_of_models`` pool the rows of all folds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np

from sklearn_ap._folds._cv_results import (
    CheckedResults,
    Fold,
    OutOfFold,
    check_cv_results,
    check_rows,
    predict_folds,
)
from sklearn_ap._folds.models import RAW_SCORES
from sklearn_ap._folds.pooling import PooledFolds, Pooling, pool_folds
from sklearn_ap._folds.warnings import Shift
from sklearn_ap._inputs.arrays import are_known, check_same_length, check_same_order, to_numpy
from sklearn_ap._inputs.options import check_choice
from sklearn_ap._inputs.request import Request
from sklearn_ap._types import Argument, Array, Bool, Label, Name, RowData
from sklearn_ap._uncertainty.warnings import UncertaintyWarning, add_name
from sklearn_ap.definitions import Definition

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
    y : array-like of shape (n_samples,) or (n_samples, n_columns), default=None
        The labels of all rows, in the order of ``X``. A function then takes None for ``y_true``.
        What is passed for ``y_true`` must be the same labels.
    pooling : {"scores", "ranks"}, default="scores"
        What is pooled: the scores as they are; or their ranks within each fold, as shares of its
        rows (of their weight, with weights), if the scores of the folds do not mean the same, and
        folds have the same prevalence.

    See Also
    --------
    average_precision_interval : How certain the score of the pool is.
    compare_average_precision : Whether one model is better, if all have the same folds.

    Notes
    -----
    The test rows of all folds are pooled into one sample. The mean over the folds of
    ``cross_val_score`` is too high if folds have few positives. Nothing is computed before a
    function asks, and the weights, queries, clusters and positive label are those of its call.

    The interval of a score is that of one test set. Rows that one fold tests train the models of
    the others, so the variance of a difference is 1.25 times that on independent rows.

    Each row must be tested in at most one fold, so pass one repetition of a repeated
    cross-validation. Each query must be tested in one fold. The mean over queries needs no pooling.

    Functions raise an ``UncertaintyWarning`` if folds differ in their prevalence, or if models have
    seen clusters that they are tested on.

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
    y: RowData = None
    _: KW_ONLY
    pooling: Pooling = "scores"
    taken_by: ClassVar[str] = (
        "average_precision_interval, compare_average_precision and "
        "compare_segments. Curves of folds are drawn by from_cv_results of a display"
    )

    def __post_init__(self) -> None:
        check_choice("pooling", self.pooling, Pooling)
        check_rows(self._checked, self.X, self.y)

    @cached_property
    def _checked(self) -> CheckedResults:
        return check_cv_results(self.cv_results)

    def __repr__(self) -> str:
        estimators = self._checked.estimators
        model = estimators[0]
        model_name = "scores" if isinstance(model, OutOfFold) else type(model).__name__
        return f"FoldPredictions({len(estimators)} folds of {model_name}, pooling={self.pooling!r})"


def are_fold_predictions(models: Mapping[Name, RowData]) -> bool:
    """Check whether all models, or none, have predictions of folds; refuse a mixture.

    All must be pooled in the same way.
    """
    predictions = {
        name: scores for name, scores in models.items() if isinstance(scores, FoldPredictions)
    }
    for name in models.keys() - predictions.keys() if predictions else ():
        raise TypeError(
            f"y_scores must hold FoldPredictions of all models or of none, but those of {name!r} "
            f"are plain scores. If these are out of fold, too, pass FoldPredictions({{'y_score': "
            f"scores, 'folds': folds}}) for {name!r}."
        )
    poolings = {name: model.pooling for name, model in predictions.items()}
    if len({*poolings.values()}) > 1:
        raise ValueError(
            f"FoldPredictions of models that are compared must have the same pooling, got "
            f"{poolings}."
        )
    return bool(predictions)


def refuse_beside_folds(**options: Argument) -> None:
    """Refuse options that folds do not allow, with the reason."""
    for name, option in options.items():
        if option is not None:
            raise ValueError(f"{name} does not go with FoldPredictions: {NOT_FOR_FOLDS[name]}.")


def folds_of(
    predictions: FoldPredictions, pos_label: Label, methods: tuple[str, ...] = RAW_SCORES
) -> list[Fold]:
    """Let the model of each fold score its test rows, whose labels the predictions carry."""
    y = _choose_labels(predictions, None)
    return predict_folds(predictions._checked, predictions.X, y, pos_label, methods=methods)


def pool_of(request: Request, definition: Definition, name: str | None = None) -> PooledFolds:
    """Pool the rows of all folds; ``y_score`` of the request are ``FoldPredictions``.

    ``name`` is the name of the labels in errors; None takes that of this request.
    """
    predictions = request.y_score
    y_true = _choose_labels(predictions, request.y_true)
    return pool_folds(
        predictions._checked,
        predictions.X,
        replace(request, y_true=y_true, y_score=None),
        predictions.pooling,
        definition,
        name or _labels_name(request),
    )


def _labels_name(request: Request) -> str:
    """Return the argument that holds the labels: ``y_true``, or else ``y`` of predictions."""
    return "y" if request.y_true is None else "y_true"


class ModelPools(NamedTuple):
    """The pools of the folds of several models, and warnings of doubtful ones."""

    pools: list[PooledFolds]
    warnings: list[UncertaintyWarning]  # with the names of models
    shifts: list[Shift]  # one per model


def pools_of_models(requests: Mapping[str, Request], definition: Definition) -> ModelPools:
    """Pool the folds of each model, and name the models whose pools are doubtful."""
    models = {name: request.y_score for name, request in requests.items()}
    _check_same_folds(models)
    first_request = next(iter(requests.values()))
    labels_name = _labels_name(first_request)
    y_true = _shared_labels(models, first_request.y_true)
    pools = [
        pool_of(replace(request, y_true=y_true), definition, labels_name)
        for request in requests.values()
    ]
    names = [repr(name) for name in models]
    warnings = [
        add_name(name, warning)
        for name, pool in zip(names, pools, strict=True)
        for warning in pool.warnings()
    ]
    shifts = [pool.shift.name_model(name) for name, pool in zip(names, pools, strict=True)]
    return ModelPools(pools, warnings, shifts)


def _check_same_folds(models: Mapping[str, FoldPredictions]) -> None:
    """Refuse models whose cross-validations do not test the same rows in the same order."""
    first_name, first_predictions = next(iter(models.items()))
    first_rows = first_predictions._checked.test_rows
    for name, predictions in models.items():
        test_rows = predictions._checked.test_rows
        has_same_number = len(test_rows) == len(first_rows)
        if not has_same_number or not all(map(np.array_equal, test_rows, first_rows)):
            raise ValueError(
                f"The folds of {name!r} are not those of {first_name!r}. Pass cross_validate the "
                f"same splitter for each model, as cv=StratifiedKFold(5, shuffle=True, "
                f"random_state=0)."
            )


def _shared_labels(models: Mapping[str, FoldPredictions], y_true: RowData) -> RowData:
    """Find the labels of all rows; all models that carry labels must carry the same."""
    source = "y_true"
    for name, predictions in models.items():
        if y_true is None and predictions.y is not None:
            y_true = predictions.y
            source = f"y of {name!r}"
    for name, predictions in models.items():
        _choose_labels(predictions, y_true, (source, f"y of {name!r}"))
    return y_true


def _choose_labels(
    predictions: FoldPredictions, y_true: RowData, names: tuple[str, str] = ("y_true", "y")
) -> RowData:
    """Choose the labels of all rows: those that were passed, or those of the predictions.

    ``names`` are the names of both in errors.
    """
    own_labels = predictions.y
    if y_true is None and own_labels is None:
        raise TypeError(
            "y_true must hold the labels of all rows, or FoldPredictions(..., y=y) carry them, got "
            "None for both."
        )
    if own_labels is None:
        check_rows(predictions._checked, predictions.X, y_true, "y_true")
    elif y_true is not None and y_true is not own_labels:
        _check_same_labels(y_true, own_labels, names)
    return own_labels if y_true is None else y_true


def _check_same_labels(passed: RowData, carried: RowData, names: tuple[str, str]) -> None:
    passed_name, carried_name = names
    check_same_order(**{passed_name: passed, carried_name: carried})
    passed = np.asarray(to_numpy(passed_name, passed), dtype=object)
    carried = np.asarray(to_numpy(carried_name, carried), dtype=object)
    check_same_length(**{passed_name: passed, carried_name: carried})
    passed = passed.reshape(len(passed), -1)
    carried = carried.reshape(len(carried), -1)
    if passed.shape != carried.shape:
        raise ValueError(
            f"{passed_name} and {carried_name} of FoldPredictions must have equal columns."
        )
    unlike_rows = np.flatnonzero(_are_unlike(passed, carried).any(axis=1))
    if unlike_rows.size:
        row = unlike_rows[0]
        raise ValueError(
            f"{passed_name} and {carried_name} of FoldPredictions must be the same labels, in the "
            f"order of X, but row {row} is {_labels_as_text(passed[row])} in the first and "
            f"{_labels_as_text(carried[row])} in the second."
        )


def _are_unlike(passed: Array, carried: Array) -> Bool:
    """Find the labels that differ; unknown labels are equal."""
    passed_is_known = are_known(passed)
    carried_is_known = are_known(carried)
    are_unlike = np.asarray(passed_is_known != carried_is_known)
    are_both_known = passed_is_known & carried_is_known
    are_unlike[are_both_known] = passed[are_both_known] != carried[are_both_known]
    return are_unlike


def _labels_as_text(labels: Array) -> str:
    values = labels.tolist()
    return repr(values[0] if len(values) == 1 else values)
