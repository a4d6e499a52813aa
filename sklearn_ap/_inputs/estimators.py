"""Labels and scores of fitted estimators."""

from collections.abc import Sequence

import numpy as np
from sklearn.base import is_classifier, is_outlier_detector, is_regressor
from sklearn.exceptions import NotFittedError

from sklearn_ap._inputs.arrays import check_same_order, is_missing, to_numpy
from sklearn_ap._inputs.label_errors import SHOWN
from sklearn_ap._inputs.targets import positive_label
from sklearn_ap._types import Array, Estimator, Keywords, Label, RowData

RAW_SCORES: tuple[str, ...] = ("decision_function", "predict_proba")


def predict(
    estimator: Estimator,
    X: RowData,
    y: RowData,
    pos_label: Label,
    methods: tuple[str, ...] = RAW_SCORES,
    labels: RowData = None,
) -> Keywords:
    """Return labels and scores of a model: y_true, y_score and pos_label.

    For scores of classes, also return labels, the class of each column.
    """
    classes = _check_estimator(estimator, X, y)
    method = next((name for name in methods if hasattr(estimator, name)), "predict")
    output = getattr(estimator, method)(X)
    if _is_table(y):
        return {"y_true": y, "y_score": _column_scores(estimator, output), "pos_label": pos_label}
    scores = _as_array(estimator, method, output)
    if is_regressor(estimator):
        _check_is_highest(y, pos_label)
    elif method == "predict":
        check_not_classes(y, scores, are_classes=is_classifier(estimator))
    elif method == "decision_function" and scores.ndim == 2:
        _check_not_pairs(estimator)
    if classes is not None and len(classes) == 2:
        pos_label = positive_label(classes.tolist(), pos_label)
        scores = _positive_scores(scores, classes, pos_label)
    return _order_columns(labels, classes, y, scores) | {"pos_label": pos_label}


def _as_array(estimator: Estimator, method: str, output: RowData) -> Array:
    """Read an array or a frame as an array, and refuse other outputs."""
    name = f"{method} of {type(estimator).__name__}"
    if output is None or (isinstance(output, list | tuple) and method != "predict"):
        got = "None" if output is None else f"a {type(output).__name__}"
        raise TypeError(f"{name} must give an array with a row for each row of X, got {got}.")
    scores = np.asarray(to_numpy(name, output))
    if method == "predict_proba" and scores.ndim != 2:
        raise TypeError(
            f"{name} must give an array with a column for each class, got shape {scores.shape}."
        )
    return scores


def _check_estimator(estimator: Estimator, X: RowData, y: RowData) -> Array | None:
    """Refuse a model without scores, and unlike rows or labels; return the classes of the model."""
    can_score = any(hasattr(estimator, method) for method in (*RAW_SCORES, "predict"))
    if isinstance(estimator, type) or not can_score:
        raise TypeError(
            f"estimator must be one fitted model, with decision_function, predict_proba or "
            f"predict, got {estimator!r:.100}."
        )
    name = type(estimator).__name__
    classes = getattr(estimator, "classes_", None)
    if classes is None and is_classifier(estimator):
        raise NotFittedError(f"This {name} is not fitted: it has no classes_. Call fit first.")
    check_same_order(y=y, X=X)
    if classes is None and is_outlier_detector(estimator):
        classes = np.array([-1, 1])  # outliers and inliers
    # Models of several columns have a list of arrays.
    if classes is None or any(np.ndim(label) for label in classes):
        _check_column_labels(classes or [], name)
        return None
    if not _is_table(y):
        if len(classes) < 2:
            raise ValueError(
                f"{name} was fitted on one class, {np.asarray(classes).tolist()}, because its "
                f"training rows lack all others. Use StratifiedKFold, or more rows."
            )
        _check_labels(y, np.asarray(classes), name)
    return np.asarray(classes)


def _check_is_highest(y: RowData, pos_label: Label) -> None:
    """Refuse a positive label of a regressor that is not the highest label."""
    labels = np.asarray(to_numpy("y", y))
    if pos_label is not None and labels.dtype.kind in "biuf" and (labels > pos_label).any():
        raise ValueError(
            f"pos_label={pos_label!r} is not the highest label, {labels.max()}, but a regressor "
            f"predicts higher values for higher labels. Pass y == {pos_label!r} and the negative "
            f"predictions to average_precision_score."
        )


def _check_not_pairs(estimator: Estimator) -> None:
    """Refuse a model, or a step of one, that scores pairs of classes ("one versus one")."""
    options = estimator.get_params() if hasattr(estimator, "get_params") else {}
    name = next((name for name in options if name.endswith("decision_function_shape")), None)
    if name is not None and options[name] == "ovo":
        raise ValueError(
            f"{type(estimator).__name__} has {name}='ovo', so it scores pairs of classes. Pass "
            f"'ovr', which scores each class."
        )


def _check_column_labels(classes: Sequence[Array], name: str) -> None:
    """Refuse columns whose positive label is not 1."""
    for labels in map(np.ravel, classes):
        if not {*labels.tolist()} <= {-1, 0, 1}:
            raise ValueError(
                f"{name} was fitted on columns with the labels {labels.tolist()[:SHOWN]}, and "
                f"which one is positive is not known. Fit it on 1 for positive and 0 for negative."
            )


def _check_labels(y: RowData, classes: Array, name: str) -> None:
    """Refuse labels that a model was not fitted on; ``y`` need not have all of its classes."""
    other_labels = np.ravel(to_numpy("y", y))
    for label in classes:
        other_labels = other_labels[other_labels != label]
    # A dict keeps the order of the rows, which a set would not.
    unknown = [*dict.fromkeys(label for label in other_labels.tolist() if not is_missing(label))]
    if unknown:
        raise ValueError(
            f"y has the labels {unknown[:SHOWN]}, which {name} was not fitted on: its classes are "
            f"{classes.tolist()}. Pass y with the labels of the model."
        )


def _order_columns(
    labels: RowData, classes: Array | None, y_true: RowData, y_score: RowData
) -> Keywords:
    """Sort the columns of a model, which are in the order of ``classes_``, by ``labels``.

    Return the labels, the scores, and the class of each column if columns are classes.
    """
    predictions: Keywords = {"y_true": y_true, "y_score": y_score}
    if np.ndim(y_score) < 2 or _is_table(y_true) or classes is None:
        return predictions
    if labels is None:
        return predictions | {"labels": classes}
    fitted = classes.tolist()
    listed = np.asarray(to_numpy("labels", labels)).tolist()
    if len(listed) != len(fitted) or {*listed} != {*fitted}:
        raise ValueError(
            f"The columns have the classes {listed}, by labels or by the first model, but this "
            f"model was fitted on {fitted}. labels must list the same classes, in any order."
        )
    order = [fitted.index(label) for label in listed]
    return predictions | {"y_score": np.asarray(y_score)[:, order], "labels": labels}


def _is_table(y: RowData) -> bool:
    return np.ndim(y) == 2 and np.shape(y)[1] > 1


def _positive_scores(output: Array, classes: Array, pos_label: Label) -> Array:
    """Return the scores of the positive one of two classes, from one column or from two."""
    is_last = pos_label == classes[-1]
    if output.ndim == 2 and output.shape[1] == 2:
        return output[:, int(is_last)]
    return output.ravel() if is_last else -output.ravel()


def _column_scores(estimator: Estimator, output: RowData) -> Array:
    """Return the scores of label 1 in each column.

    Forests and neighbors give a list: a table for each column of labels, with a column for each of
    its classes, of which there may be only one.
    """
    if not isinstance(output, list):
        return np.asarray(to_numpy(f"Scores of {type(estimator).__name__}", output))
    return np.column_stack(
        [
            table[:, labels == 1].sum(axis=1)
            for table, labels in zip(output, estimator.classes_, strict=True)
        ]
    )


def check_not_classes(y_true: RowData, y_score: RowData, *, are_classes: bool = False) -> None:
    """Refuse predicted classes in place of scores; ``are_classes`` if the caller knows them."""
    labels = np.asarray(to_numpy("y_true", y_true))
    scores = np.asarray(to_numpy("y_score", y_score))
    if are_classes or (scores.dtype.kind != "f" and set(scores.flat) <= set(labels.flat)):
        raise ValueError(
            "Predicted classes arrived where scores were expected. response_method='predict' is "
            "for regressors and rankers, not for classifiers. TunedThresholdClassifierCV turns "
            "scores into classes before it scores them, so it cannot tune by a ranking. If these "
            "are scores after all, give them as floats."
        )
