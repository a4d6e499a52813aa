"""The scores of fitted estimators and of cross-validations, for displays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_consistent_length

from sklearn_ap._folds.models import RAW_SCORES
from sklearn_ap._folds.predictions import FoldPredictions, folds_of
from sklearn_ap._inputs.arrays import check_same_order
from sklearn_ap._inputs.options import check_choice
from sklearn_ap._inputs.weights import check_weights
from sklearn_ap._types import Estimator, Keywords, Label, RowData

ResponseMethod = Literal["auto", "decision_function", "predict_proba"]


class LabelledScores(NamedTuple):
    """The rows of one curve: of the user, or of a fold."""

    y_true: ArrayLike
    y_score: ArrayLike
    pos_label: Label = None
    sample_weight: ArrayLike | None = None


def labelled_folds(
    cv_results: Keywords,
    X: RowData,
    y: ArrayLike,
    response_method: ResponseMethod,
    pos_label: Label,
    sample_weight: ArrayLike | None,
) -> list[LabelledScores]:
    """Score the rows that each fold tests, unless none of them has weight."""
    predictions = FoldPredictions(cv_results, X, y)
    check_consistent_length(y, sample_weight)
    check_same_order(y=y, X=X, sample_weight=sample_weight)
    check_weights(sample_weight, len(np.asarray(y)))
    methods = response_methods(response_method, cv_results.get("estimator", []))
    folds = []
    for fold in folds_of(predictions, pos_label, methods):
        labelled = fold.predictions
        _check_one_column(labelled["y_score"])
        weight = None if sample_weight is None else np.asarray(sample_weight)[fold.rows]
        if weight is not None and not weight.any():
            continue  # rows of weight 0 are treated as if they were not there
        rows = LabelledScores(
            y_true=labelled["y_true"],
            y_score=labelled["y_score"],
            pos_label=labelled["pos_label"],
            sample_weight=weight,
        )
        folds.append(rows)
    return folds


def response_methods(
    response_method: ResponseMethod, estimators: Sequence[Estimator]
) -> tuple[str, ...]:
    """Return the methods of estimators that may give the scores, and refuse one that they lack."""
    check_choice("response_method", response_method, ResponseMethod)
    if response_method == "auto":
        return RAW_SCORES
    for estimator in estimators:
        if not hasattr(estimator, response_method):
            raise AttributeError(
                f"{type(estimator).__name__} has no {response_method}. Leave out response_method."
            )
    return (response_method,)


def _check_one_column(y_score: ArrayLike) -> None:
    shape = np.shape(y_score)
    if len(shape) > 1:
        raise ValueError(
            f"The estimator gives scores of shape {shape}, and folds are drawn of one ranking. "
            f"Draw class c by from_predictions(y == c, scores[:, column of c]), and a table of "
            f"labels by from_predictions(y, scores)."
        )
