"""Labels and scores of fitted estimators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal, NotRequired, Protocol, TypedDict, cast

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, is_classifier, is_outlier_detector, is_regressor
from sklearn.utils import get_tags

from sklearn_ap._errors import InputError, InputTypeError
from sklearn_ap._inputs.arrays import as_array, check_same_order, is_missing, n_rows_of
from sklearn_ap._inputs.labels_and_scores import SHOWN, check_scores, positive_label
from sklearn_ap._inputs.options import check_choice
from sklearn_ap._types import Array, Estimator, Label, RowData

# The methods that give scores, in the order of scikit-learn's scorers; "auto" is the order of its
# displays.
RAW_SCORES = "decision_function", "predict_proba"
AUTO = "predict_proba", "decision_function"
ScoreMethod = Literal["decision_function", "predict_proba"]
ResponseMethod = str | tuple[str, ...] | list[str]


class ModelScores(TypedDict):
    """Labels and scores of a model, by the names of arguments."""

    y_true: ArrayLike
    y_score: Array
    pos_label: Label
    labels: NotRequired[ArrayLike | None]  # of scores of classes, the class of each column


def predict(
    estimator: Estimator,
    X: RowData,
    y: ArrayLike,
    pos_label: Label,
    response_method: ResponseMethod = RAW_SCORES,
    labels: ArrayLike | None = None,
) -> ModelScores:
    """Return labels and scores of a model: y_true, y_score and pos_label.

    For scores of classes, also return labels, the class of each column.
    """
    method = score_method(estimator, response_method)
    check_same_order(y=y, X=X)
    output = getattr(estimator, method)(X)
    name = f"{method} of {_name_of(estimator)}"
    if np.ndim(y) == 2 and np.shape(y)[1] > 1:
        table = _scores_of_table(estimator, output, name)
        return ModelScores(y_true=y, y_score=table, pos_label=pos_label)
    scores = as_array(name, output)
    if scores.ndim > 2:  # such as a list of tables
        check_scores(scores, name)
    if method == "predict":
        check_not_classes(y, scores, are_classes=is_classifier(estimator))
    classes = _classes(estimator)
    if classes is not None:
        _check_labels(y, classes, _name_of(estimator))
        if method == "decision_function" and classes.size > 2:
            _check_not_pairs(estimator)
        return _predictions_of_classes(y, scores, classes, pos_label, labels)
    if is_regressor(estimator):
        _check_is_highest(y, pos_label)
    return ModelScores(y_true=y, y_score=scores, pos_label=pos_label)


def score_method(estimator: Estimator, response_method: ResponseMethod) -> str:
    """Return the method that gives the scores: of several, the first that the estimator has."""
    methods: list[str] = [*AUTO]
    if not isinstance(response_method, str) or response_method != "auto":
        is_several = isinstance(response_method, tuple | list)
        methods = [*response_method] if is_several else [response_method]  # type: ignore[list-item]
    for each in methods or [""]:
        check_choice("response_method", each, ScoreMethod)
    if len(methods) > 1:  # regressors and rankers have none of them
        methods.append("predict")
    method = next((name for name in methods if hasattr(estimator, name)), None)
    if isinstance(estimator, type) or method is None:
        raise InputTypeError(
            f"estimator must be one fitted model, with {' or '.join(methods)}, got "
            f"{estimator!r:.100}."
        )
    return method


@dataclass(frozen=True, eq=False)
class KeptOutput:
    """What a fitted model gives for some rows, in the place of the model."""

    model: Estimator  # not fitted, for its name, its kind and its parameters
    method: str
    output: RowData
    classes_: Sequence[ArrayLike] | None  # None if it has none

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 one of several methods
        if name == vars(self).get("method"):
            return self._output_of
        raise AttributeError(f"{type(self).__name__!r} has no {name!r}.")

    def _output_of(self, X: RowData) -> RowData:
        table = self.output[0] if isinstance(self.output, list) else self.output
        n_kept, n_rows = n_rows_of("output", table), n_rows_of("X", X)
        if n_kept != n_rows:
            raise InputError(f"X has {n_rows:,} rows, and the output of {n_kept:,} was kept.")
        return self.output

    def __sklearn_tags__(self) -> Any:  # noqa: ANN401 scikit-learn's Tags
        return get_tags(self.model)

    def get_params(self, deep: bool = True) -> dict[str, object]:
        """Return the parameters of the model."""
        return cast(BaseEstimator, self.model).get_params(deep)


@dataclass
class OutputKeeper:
    """A scorer that keeps the output of the last model, after it was checked."""

    response_method: ResponseMethod
    kept: KeptOutput | None = None

    def __call__(self, estimator: Estimator, X: RowData, y: ArrayLike) -> float:
        method = score_method(estimator, self.response_method)
        classes = getattr(estimator, "classes_", None)
        output = getattr(estimator, method)(X)
        self.kept = KeptOutput(estimator, method, output, classes)
        # Any class will do, as the positive one is known only to those who score.
        pos_label = None if classes is None else np.ravel(classes[-1])[-1]
        predict(self.kept, X, y, pos_label, self.response_method)
        return 0.0


def _name_of(estimator: Estimator) -> str:
    """Return the name of the class of a model, also of one whose output alone is kept."""
    return type(estimator.model if isinstance(estimator, KeptOutput) else estimator).__name__


def _classes(estimator: Estimator) -> Array | None:
    """Return the classes of a classifier, or the outliers and inliers of a detector."""
    classes = getattr(estimator, "classes_", None)
    if classes is None and is_outlier_detector(estimator):
        return np.array([-1, 1])
    return None if classes is None else np.ravel(classes)


def _predictions_of_classes(
    y: ArrayLike, scores: Array, classes: Array, pos_label: Label, labels: ArrayLike | None
) -> ModelScores:
    """Return the scores of the positive one of two classes, or a column for each class."""
    if classes.size == 2:
        pos_label = positive_label(classes.tolist(), pos_label)
        score = _positive_scores(scores, classes, pos_label)
        return ModelScores(y_true=y, y_score=score, pos_label=pos_label)
    if labels is None:  # the same order in each fold, and of each model
        labels = np.sort(classes)
    ordered = scores[:, _order_of(labels, classes)]
    return ModelScores(y_true=y, y_score=ordered, pos_label=pos_label, labels=labels)


class _FittedOnColumns(Protocol):
    """A model that was fitted on a table of labels."""

    classes_: Sequence[ArrayLike]  # of each column


def _scores_of_table(estimator: Estimator, output: RowData, name: str) -> Array:
    """Return the scores of label 1 in each column.

    Forests and neighbors give a list: a table for each column of labels, with a column for each of
    its classes, of which there may be only one.
    """
    if not isinstance(output, list):
        return as_array(name, output)
    labels = [np.asarray(classes) for classes in cast(_FittedOnColumns, estimator).classes_]
    for classes in labels:
        if not {*classes.tolist()} <= {-1, 0, 1}:
            raise InputError(
                f"{_name_of(estimator)} was fitted on columns with the labels "
                f"{classes.tolist()[:SHOWN]}, and which one is positive is not known. Fit it on 1 "
                f"for positive and 0 for negative."
            )
    tables = zip(output, labels, strict=True)
    return np.column_stack([table[:, classes == 1].sum(axis=1) for table, classes in tables])


def _check_labels(y: RowData, classes: Array, name: str) -> None:
    """Refuse labels that a model was not fitted on; ``y`` need not have all of its classes."""
    if classes.size < 2:
        raise InputError(
            f"{name} was fitted on one class, {classes.tolist()}, because its training rows lack "
            f"all others. Use StratifiedKFold, or more rows."
        )
    others = {*np.ravel(as_array("y", y)).tolist()} - {*classes.tolist()}
    unknown = sorted((label for label in others if not is_missing(label)), key=str)
    if unknown:
        raise InputError(
            f"y has the labels {unknown[:SHOWN]}, which {name} was not fitted on: its classes are "
            f"{classes.tolist()}. Pass y with the labels of the model, and average=None for each "
            f"class. For one of several, pass y == label and its column of scores, of folds a dict "
            f"(docs/cross_validation.md). If training rows lack a label, use StratifiedKFold."
        )


def _check_is_highest(y: RowData, pos_label: Label) -> None:
    """Refuse a positive label of a regressor that is not the highest label."""
    labels = as_array("y", y)
    are_numbers = labels.dtype.kind in "biuf" and isinstance(pos_label, Real)
    if are_numbers and (labels > pos_label).any():
        raise InputError(
            f"pos_label={pos_label!r} is not the highest label, {labels.max()}, but a regressor "
            f"predicts higher values for higher labels. Pass y == {pos_label!r} and the negative "
            f"predictions to average_precision_score."
        )


def _positive_scores(scores: Array, classes: Array, pos_label: Label) -> Array:
    """Return the scores of the positive one of two classes, from one column or from two."""
    is_last = pos_label == classes[-1]
    if scores.shape[1:] == (2,):
        return scores[:, int(is_last)]
    return scores.ravel() if is_last else -scores.ravel()


def _check_not_pairs(estimator: Estimator) -> None:
    """Refuse a model, or a step of one, that scores pairs of classes ("one versus one")."""
    options = estimator.get_params() if hasattr(estimator, "get_params") else {}
    name = next((name for name in options if name.endswith("decision_function_shape")), None)
    if name is not None and options[name] == "ovo":
        raise InputError(
            f"{_name_of(estimator)} has {name}='ovo', so it scores pairs of classes. Pass "
            f"'ovr', which scores each class."
        )


def _order_of(labels: RowData, classes: Array) -> list[int]:
    """Return the places of the labels of the user among the classes of a model."""
    fitted, listed = classes.tolist(), as_array("labels", labels).tolist()
    if len(listed) != len(fitted) or {*listed} != {*fitted}:
        raise InputError(
            f"The columns have the classes {listed}, by labels or by the first model, but this "
            f"model was fitted on {fitted}. labels must list the same classes, in any order."
        )
    return [fitted.index(label) for label in listed]


def check_not_classes(y_true: RowData, y_score: RowData, *, are_classes: bool = False) -> None:
    """Refuse predicted classes in place of scores; ``are_classes`` if the caller knows them."""
    labels, scores = as_array("y_true", y_true), as_array("y_score", y_score)
    if are_classes or (scores.dtype.kind != "f" and set(scores.flat) <= set(labels.flat)):
        raise InputError(
            "Predicted classes arrived where scores were expected. response_method='predict' is "
            "for regressors and rankers, not for classifiers. TunedThresholdClassifierCV turns "
            "scores into classes before it scores them, so it cannot tune by a ranking. If these "
            "are scores after all, give them as floats."
        )
