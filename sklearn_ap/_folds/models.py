"""Labels and scores of fitted estimators."""

import inspect
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from sklearn.base import is_classifier, is_outlier_detector, is_regressor
from sklearn.exceptions import NotFittedError

from sklearn_ap._extras import warn
from sklearn_ap._folds._scorer_base import MethodCaller, ScorerBase
from sklearn_ap._inputs.arrays import check_same_order, is_missing, to_numpy
from sklearn_ap._inputs.labels import SHOWN, positive_label
from sklearn_ap._types import (
    Argument,
    Array,
    Estimator,
    Keywords,
    Label,
    Numeric,
    RowData,
)

RAW_SCORES: tuple[str, ...] = ("decision_function", "predict_proba")
# Attributes with an inner model, whose scores the outer model may return
INNER_MODELS = ("best_estimator_", "final_estimator_", "estimator_")


class ScoresOfColumns(np.ndarray[Any, Any]):
    """The scores of average=None, an array that raises an error where one number is needed."""

    def item(self, *index: Argument) -> Numeric:
        """Return one number, which scikit-learn asks a scorer for."""
        if index or self.size == 1:
            return super().item(*index)
        raise TypeError(
            f"A scorer must give one number here, got {np.asarray(self)}, as average=None scores "
            f"each column. Pass average='macro'."
        )

    def __array_wrap__(
        self, array: Array, context: object = None, return_scalar: bool = False
    ) -> Numeric:
        """Return results of computations as base arrays, or as numbers."""
        return array[()] if return_scalar else np.asarray(array)

    def __repr__(self) -> str:
        return repr(np.asarray(self))


class RankingScorer(ScorerBase):
    """A scorer of scikit-learn that compares ``y`` with the classes of the model.

    It has access to the model, alone and among several scorers, which share predictions. The score
    function also gets the ``classes`` of the model.
    """

    def score_model(
        self,
        method_caller: MethodCaller,
        estimator: Estimator,
        X: RowData,
        y_true: RowData,
        **metadata: RowData,
    ) -> float | Array:
        """Check the model and its labels, and score its predictions."""
        classes = check_model(estimator, X, y_true, **metadata)
        method = _first_method(estimator, self.methods)
        if is_regressor(estimator):
            _check_is_highest(y_true, self.options.get("pos_label"))
        if method == "decision_function" and classes is not None and len(classes) > 2:
            _check_not_pairs(estimator)
        self._warn_of_two_values(metadata)
        scores = _column_scores(estimator, X, method) if _is_table(y_true) else None
        if scores is not None:
            scores = scores * 1.0  # scores of one label alone are integers
        else:
            pos_label = self._pos_label(estimator, classes, y_true, metadata)
            if is_classifier(estimator) or classes is None:
                scores = _call_method(method_caller, estimator, method, X, pos_label)
            else:  # it has classes, but is no classifier to scikit-learn
                scores = _as_array(estimator, method, getattr(estimator, method)(X))
            if not _is_table(y_true):
                scores = _positive_scores(scores, estimator, classes, pos_label)
        options = self.options | {"classes": classes} | metadata
        output = self.function(y_true, scores, **options)
        return output.view(ScoresOfColumns) if isinstance(output, np.ndarray) else output

    def _pos_label(
        self, estimator: Estimator, classes: Array | None, y_true: RowData, metadata: Keywords
    ) -> Label:
        """Find the positive label: the routed one, or else that of the scorer."""
        pos_label = None if is_regressor(estimator) else self._own_pos_label()
        if getattr(self.function, "takes_pos_label", True):
            return _positive_class(classes, y_true, metadata.get("pos_label", pos_label))
        return pos_label

    def _own_pos_label(self) -> Label:
        """Look up the option of the scorer, or else the default of its function."""
        if "pos_label" in self.options:
            return self.options["pos_label"]
        parameter = inspect.signature(self.function).parameters.get("pos_label")
        return None if parameter is None else parameter.default

    def _warn_of_two_values(self, metadata: Keywords) -> None:
        """Warn of an option that was also routed."""
        options_routed_too = sorted(self.options.keys() & metadata.keys())
        if options_routed_too:
            name = options_routed_too[0]
            warn(
                f"{name} is an option of this scorer, {self.options[name]!r:.80}, and was "
                f"routed to it, too. What was routed is used. Give only one of the two.",
                UserWarning,
            )


def _call_method(
    method_caller: MethodCaller, estimator: Estimator, method: str, X: RowData, pos_label: Label
) -> Array:
    """Return predictions as an array, also if scikit-learn cannot read the model's output."""
    try:
        output = method_caller(estimator, method, X, pos_label=pos_label)
    except Exception:
        output = getattr(estimator, method)(X)
        if isinstance(output, np.ndarray) and (output.ndim != 1 or method != "predict_proba"):
            raise
        output = _as_array(estimator, method, output)
        if output.ndim == 1 and method == "predict_proba":
            raise TypeError(
                f"predict_proba of {type(estimator).__name__} must give an array with a column for "
                f"each class, got shape {output.shape}."
            ) from None
    return _as_array(estimator, method, output)


def _as_array(estimator: Estimator, method: str, output: RowData) -> Array:
    """Read an array or a frame as an array, and refuse other outputs."""
    name = f"{method} of {type(estimator).__name__}"
    if output is None or (isinstance(output, list | tuple) and method != "predict"):
        got = "None" if output is None else f"a {type(output).__name__}"
        raise TypeError(f"{name} must give an array with a row for each row of X, got {got}.")
    return np.asarray(to_numpy(name, output))


def predict(
    estimator: Estimator,
    X: RowData,
    y: RowData,
    pos_label: Label,
    methods: tuple[str, ...] = RAW_SCORES,
    labels: RowData = None,
) -> Keywords:
    """Return labels and scores as a scorer gets them: y_true, y_score and pos_label.

    For scores of classes, also return labels, the class of each column.
    """
    predictions: Keywords = {}

    # A score function that only stores its arguments
    def store(
        y_true: RowData, y_score: RowData, classes: Array | None, pos_label: Label = None
    ) -> float:
        check_not_classes(y_true, y_score, are_classes=not has_method and is_classifier(estimator))
        predictions.update(order_columns(labels, classes, y_true, y_score))
        predictions["pos_label"] = _positive_class(classes, y_true, pos_label)
        return 0.0

    has_method = any(hasattr(estimator, name) for name in methods)
    scorer = RankingScorer(store, methods if has_method else "predict", {"pos_label": pos_label})
    scorer(estimator, X, y)
    return predictions


def check_model(estimator: Estimator, X: RowData, y: RowData, **metadata: RowData) -> Array | None:
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
    check_same_order(y=y, X=X, **metadata)
    if classes is None and is_outlier_detector(estimator):
        _check_outliers(y, name)
        return np.array([-1, 1])
    # Models of several columns have a list of arrays.
    if classes is None or any(np.ndim(label) for label in classes):
        _check_column_labels(classes or [], name)
        return None
    if not _is_table(y):
        if len(classes) < 2:
            raise ValueError(
                f"{name} was fitted on one class, {np.asarray(classes).tolist()}, because its "
                f"training rows lack all others. Use StratifiedKFold, or more rows. "
                f"RidgeClassifierCV without cv hides the labels from a scorer: pass it cv=5."
            )
        check_labels(y, np.asarray(classes), name)
    return np.asarray(classes)


def _check_outliers(y: RowData, name: str) -> None:
    """Refuse labels other than -1 for outliers and 1 for inliers."""
    labels = {*np.unique(to_numpy("y", y)).tolist()}
    if not labels <= {-1, 1}:
        raise ValueError(
            f"y has the labels {sorted(labels, key=str)[:SHOWN]}, but {name} scores inliers, 1, "
            f"above outliers, -1. To rank outliers first, pass pos_label=-1 and y with -1 for "
            f"outliers and 1 for inliers."
        )


def _check_column_labels(classes: Sequence[Array], name: str) -> None:
    """Refuse columns whose positive label is not 1."""
    for labels in map(np.ravel, classes):
        if not {*labels.tolist()} <= {-1, 0, 1}:
            raise ValueError(
                f"{name} was fitted on columns with the labels {labels.tolist()[:SHOWN]}, and "
                f"which one is positive is not known. Fit it on 1 for positive and 0 for negative."
            )


def _first_method(estimator: Estimator, methods: str | Iterable[str]) -> str:
    """Find the first of these methods that the model has."""
    methods = (methods,) if isinstance(methods, str) else tuple(methods)
    for method in methods:
        if getattr(estimator, method, None) is not None:
            return str(method)
    remedy = "Pass response_method='predict' to the scorer: it ranks by what the model predicts."
    if is_classifier(estimator):
        remedy = "Its predictions are classes. CalibratedClassifierCV gives it probabilities."
    raise TypeError(f"{type(estimator).__name__} has no {' or '.join(methods)}. {remedy}")


def _check_is_highest(y: RowData, pos_label: Label) -> None:
    """Refuse a positive label of a regressor that is not the highest label."""
    labels = np.asarray(to_numpy("y", y))
    if pos_label is not None and labels.dtype.kind in "biuf" and (labels > pos_label).any():
        raise ValueError(
            f"pos_label={pos_label!r} is not the highest label, {labels.max()}, but a regressor "
            f"predicts higher values for higher labels. Pass y == {pos_label!r} and the negative "
            f"predictions to average_precision_score."
        )


def check_labels(y: RowData, classes: Array, name: str) -> None:
    """Refuse labels that a model was not fitted on; ``y`` need not have all of its classes."""
    other_labels = np.ravel(to_numpy("y", y))
    for label in classes:
        other_labels = other_labels[other_labels != label]
    # A dict keeps the order of the rows, which a set would not.
    unknown = [*dict.fromkeys(label for label in other_labels.tolist() if not is_missing(label))]
    if unknown:
        raise ValueError(
            f"y has the labels {unknown[:SHOWN]}, which {name} was not fitted on: its classes_ are "
            f"{classes.tolist()}. Pass y with the labels of fit."
        )


def order_columns(
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


def _positive_class(classes: Array | None, y: RowData, pos_label: Label) -> Label:
    """Find the positive one of two classes; return ``pos_label`` unless there are two."""
    if classes is None or len(classes) != 2 or _is_table(y):
        return pos_label
    return positive_label(classes, pos_label)


def _positive_scores(
    output: Array, estimator: Estimator, classes: Array | None, pos_label: Label
) -> Array:
    """Return the scores of the positive one of two classes, from one column or from two.

    Scores of models without exactly two classes stay as they are.
    """
    if classes is None or len(classes) != 2:
        return output
    is_last = pos_label is None or pos_label == classes[-1]
    if np.ndim(output) == 2 and np.shape(output)[1] == 2:
        return np.asarray(output)[:, int(is_last)]
    if is_classifier(estimator) and np.ndim(output) < 2:  # scikit-learn has set their sign
        return output
    output = np.ravel(output)
    return output if is_last else -output


def _column_scores(estimator: Estimator, X: RowData, method: str) -> Array | None:
    """Return the scores of columns if a scorer would return other ones; None if it would not."""
    classes: RowData = getattr(estimator, "classes_", None)
    if isinstance(classes, list) and any(np.size(labels) == 1 for labels in classes):
        probabilities = estimator.predict_proba(X)
        if isinstance(probabilities, list):
            # A scorer would return the last class that a column has, which may be 0. There is a
            # table for each column of labels, with a column for each of its classes.
            return np.column_stack(
                [
                    table[:, labels == 1].sum(axis=1)
                    for table, labels in zip(probabilities, classes, strict=True)
                ]
            )
        return probabilities if method == "predict_proba" else None
    # A scorer would take two columns of labels for two classes, and return only the second.
    has_two_labels = np.shape(classes) == (2,) and method != "predict"
    return getattr(estimator, method)(X) if has_two_labels else None


def _check_not_pairs(estimator: Estimator) -> None:
    """Refuse a model, or an inner model, that scores pairs of classes ("one versus one")."""
    models = [getattr(estimator, name) for name in INNER_MODELS if hasattr(estimator, name)]
    models += [estimator.steps[-1][1]] if hasattr(estimator, "steps") else []
    # AdaBoost has weights, and uses only the predicted classes of its inner models.
    if models and not hasattr(estimator, "estimator_weights_"):
        _check_not_pairs(models[0])
    elif getattr(estimator, "decision_function_shape", None) == "ovo":
        raise ValueError(
            f"{type(estimator).__name__} has decision_function_shape='ovo', so it scores pairs of "
            f"classes. Pass decision_function_shape='ovr', which scores each class."
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
