"""Labels and scores of fitted estimators."""

import inspect
from typing import Any

import numpy as np
from sklearn.base import is_classifier, is_outlier_detector, is_regressor
from sklearn.exceptions import NotFittedError

from sklearn_ap._base.common.types import Array
from sklearn_ap._base.inputs.arrays import to_numpy
from sklearn_ap._base.inputs.checks import SHOWN, check_same_order, warn
from sklearn_ap._base.inputs.name_codes import is_missing
from sklearn_ap._base.inputs.targets import positive_label
from sklearn_ap._folds._scorer_base import ScorerBase

RAW_SCORES: tuple[str, ...] = ("decision_function", "predict_proba")
PROBABILITIES = ("predict_proba",)
INNER = ("best_estimator_", "final_estimator_", "estimator_")  # whose scores a model may give


class ScoresOfColumns(np.ndarray[Any, Any]):
    """What a scorer gives for average=None: an array, which says so where a number must be."""

    def item(self, *place: Any) -> Any:
        """One number, for which scikit-learn asks."""
        if place or self.size == 1:
            return super().item(*place)
        raise TypeError(
            f"A scorer must give one number here, got {np.asarray(self)}, as average=None scores "
            f"each column. Pass average='macro'."
        )

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        """What is computed from the scores is a plain array, or a number."""
        return array[()] if return_scalar else np.asarray(array)

    def __repr__(self) -> str:
        return repr(np.asarray(self))


class RankingScorer(ScorerBase):
    """A scorer of scikit-learn that compares ``y`` with what the model was fitted on.

    It sees the model, alone and among several scorers, which then share what the model predicts.
    The score function gets the ``classes`` of the model, too.
    """

    def score_model(
        self, method_caller: Any, estimator: Any, X: Any, y_true: Any, **given: Any
    ) -> Any:
        """Check the model and its labels, and score what it predicts."""
        classes = check_model(estimator, X, y_true, **given)
        method = _first_method(estimator, self.methods)
        if is_regressor(estimator):
            _check_is_highest(y_true, self.options.get("pos_label"))
        if method == "decision_function" and classes is not None and len(classes) > 2:
            _check_not_pairs(estimator)
        self._warn_of_two_values(given)
        scores = _of_columns(estimator, X, method) if _is_table(y_true) else None
        if scores is not None:
            scores = scores * 1.0  # scores of one label alone are integers
        else:
            pos_label = self._positive_one(estimator, classes, y_true, given)
            if is_classifier(estimator) or classes is None:
                scores = _called(method_caller, estimator, method, X, pos_label)
            else:  # scikit-learn does not know that it has classes
                scores = _as_array(estimator, method, getattr(estimator, method)(X))
            if not _is_table(y_true):
                scores = _of_one(scores, estimator, classes, pos_label)
        options = self.options | {"classes": classes} | given
        output = self.function(y_true, scores, **options)
        return output.view(ScoresOfColumns) if isinstance(output, np.ndarray) else output

    def _positive_one(
        self, estimator: Any, classes: Any, y_true: Any, given: dict[str, Any]
    ) -> Any:
        """The positive label by what was routed, or else by the scorer."""
        pos_label = None if is_regressor(estimator) else self._own_pos_label()
        if getattr(self.function, "takes_pos_label", True):
            return _positive_one(classes, y_true, given.get("pos_label", pos_label))
        return pos_label

    def _own_pos_label(self) -> Any:
        """The option of the scorer, or the default of its function."""
        if "pos_label" in self.options:
            return self.options["pos_label"]
        parameter = inspect.signature(self.function).parameters.get("pos_label")
        return None if parameter is None else parameter.default

    def _warn_of_two_values(self, given: dict[str, Any]) -> None:
        both = sorted(self.options.keys() & given.keys())
        if both:
            warn(
                f"{both[0]} is an option of this scorer, {self.options[both[0]]!r:.80}, and was "
                f"routed to it, too. What was routed is used. Give only one of the two.",
                UserWarning,
            )


def _called(method_caller: Any, estimator: Any, method: str, X: Any, pos_label: Any) -> Any:
    """What the method gives, as an array, also where scikit-learn cannot read it."""
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


def _as_array(estimator: Any, method: str, output: Any) -> Any:
    """An array or a frame as an array; what is neither is refused."""
    name = f"{method} of {type(estimator).__name__}"
    if output is None or (isinstance(output, list | tuple) and method != "predict"):
        got = "None" if output is None else f"a {type(output).__name__}"
        raise TypeError(f"{name} must give an array with a row for each row of X, got {got}.")
    return np.asarray(to_numpy(name, output))


def predict(
    estimator: Any,
    X: Any,
    y: Any,
    pos_label: Any,
    methods: tuple[str, ...] = RAW_SCORES,
    labels: Any = None,
) -> dict[str, Any]:
    """Labels and scores as a scorer gets them: y_true, y_score, pos_label; labels of classes."""
    seen: dict[str, Any] = {}

    def keep(y_true: Any, y_score: Any, classes: Any, pos_label: Any = None) -> float:
        check_not_classes(y_true, y_score, are_classes=not has_method and is_classifier(estimator))
        seen.update(in_order_of(labels, classes, y_true, y_score))
        seen["pos_label"] = _positive_one(classes, y_true, pos_label)
        return 0.0

    has_method = any(hasattr(estimator, name) for name in methods)
    scorer = RankingScorer(keep, methods if has_method else "predict", {"pos_label": pos_label})
    scorer(estimator, X, y)
    return seen


def check_model(estimator: Any, X: Any, y: Any, **metadata: Any) -> Any:
    """Refuse a model without scores, and rows or labels that are not its own; give its classes."""
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
    if classes is None or any(np.ndim(label) for label in classes):  # those of several columns
        _check_labels_of_columns(classes or [], name)
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


def _check_outliers(y: Any, name: str) -> None:
    labels = {*np.unique(to_numpy("y", y)).tolist()}
    if not labels <= {-1, 1}:
        raise ValueError(
            f"y has the labels {sorted(labels, key=str)[:SHOWN]}, but {name} scores inliers, 1, "
            f"above outliers, -1. To rank outliers first, pass pos_label=-1 and y with -1 for "
            f"outliers and 1 for inliers."
        )


def _check_labels_of_columns(classes: list[Any], name: str) -> None:
    for labels in map(np.ravel, classes):
        if not {*labels.tolist()} <= {-1, 0, 1}:
            raise ValueError(
                f"{name} was fitted on columns with the labels {labels.tolist()[:SHOWN]}, and "
                f"which one is positive is not known. Fit it on 1 for positive and 0 for negative."
            )


def _first_method(estimator: Any, methods: Any) -> str:
    """The first of these methods that the model has."""
    methods = (methods,) if isinstance(methods, str) else tuple(methods)
    for method in methods:
        if getattr(estimator, method, None) is not None:
            return str(method)
    remedy = "Pass response_method='predict' to the scorer: it ranks by what the model predicts."
    if is_classifier(estimator):
        remedy = "Its predictions are classes. CalibratedClassifierCV gives it probabilities."
    raise TypeError(f"{type(estimator).__name__} has no {' or '.join(methods)}. {remedy}")


def _check_is_highest(y: Any, pos_label: Any) -> None:
    labels = np.asarray(to_numpy("y", y))
    if pos_label is not None and labels.dtype.kind in "biuf" and (labels > pos_label).any():
        raise ValueError(
            f"pos_label={pos_label!r} is not the highest label, {labels.max()}, but a regressor "
            f"predicts higher values for higher labels. Pass y == {pos_label!r} and the negative "
            f"predictions to average_precision_score."
        )


def check_labels(y: Any, classes: Array, name: str) -> None:
    """Refuse labels that a model was not fitted on. It may know others, that ``y`` lacks."""
    others = np.ravel(to_numpy("y", y))
    for label in classes:
        others = others[others != label]
    unknown = [*dict.fromkeys(label for label in others.tolist() if not is_missing(label))]
    if unknown:
        raise ValueError(
            f"y has the labels {unknown[:SHOWN]}, which {name} was not fitted on: its classes_ are "
            f"{classes.tolist()}. Pass y with the labels of fit."
        )


def in_order_of(labels: Any, classes: Any, y_true: Any, y_score: Any) -> dict[str, Any]:
    """Labels and scores, and for scores of classes the class of each column, as ``labels`` lists.

    The columns of a model are in the order of its ``classes_``.
    """
    predictions = {"y_true": y_true, "y_score": y_score}
    if np.ndim(y_score) < 2 or _is_table(y_true) or classes is None:
        return predictions
    if labels is None:
        return predictions | {"labels": classes}
    known, wanted = classes.tolist(), np.asarray(to_numpy("labels", labels)).tolist()
    if len(wanted) != len(known) or {*wanted} != {*known}:
        raise ValueError(
            f"The columns have the classes {wanted}, by labels or by the first model, but this "
            f"model was fitted on {known}. labels must list the same classes, in any order."
        )
    order = [known.index(label) for label in wanted]
    return predictions | {"y_score": np.asarray(y_score)[:, order], "labels": labels}


def _is_table(y: Any) -> bool:
    return np.ndim(y) == 2 and np.shape(y)[1] > 1


def _positive_one(classes: Any, y: Any, pos_label: Any) -> Any:
    """The positive one of two classes; what was passed where a model has more, or none."""
    if classes is None or len(classes) != 2 or _is_table(y):
        return pos_label
    return positive_label(classes, pos_label)


def _of_one(output: Any, estimator: Any, classes: Any, pos_label: Any) -> Any:
    """The scores of one of two classes, however the model gives them; others as they are."""
    if classes is None or len(classes) != 2:
        return output
    is_last = pos_label is None or pos_label == classes[-1]
    if np.ndim(output) == 2 and np.shape(output)[1] == 2:
        return np.asarray(output)[:, int(is_last)]
    if is_classifier(estimator) and np.ndim(output) < 2:  # scikit-learn has turned them
        return output
    output = np.ravel(output)
    return output if is_last else -output


def _of_columns(estimator: Any, X: Any, method: str) -> Any:
    """The scores of columns, where a scorer would give others; None where it would not."""
    classes: Any = getattr(estimator, "classes_", None)
    if isinstance(classes, list) and any(np.size(labels) == 1 for labels in classes):
        probabilities = estimator.predict_proba(X)
        if isinstance(probabilities, list):  # a scorer would give the last class that a column has
            columns = zip(probabilities, classes, strict=True)
            return np.column_stack([each[:, labels == 1].sum(axis=1) for each, labels in columns])
        return probabilities if method == "predict_proba" else None
    # A scorer would take two labels for two classes, and give the second column alone.
    are_two = np.shape(classes) == (2,) and method != "predict"
    return getattr(estimator, method)(X) if are_two else None


def _check_not_pairs(estimator: Any) -> None:
    """Refuse scores of pairs of classes, of the model or one in it: three classes have 3 pairs."""
    inner = [getattr(estimator, name) for name in INNER if hasattr(estimator, name)]
    inner += [estimator.steps[-1][1]] if hasattr(estimator, "steps") else []
    if inner and not hasattr(estimator, "estimator_weights_"):  # AdaBoost counts predicted classes
        _check_not_pairs(inner[0])
    elif getattr(estimator, "decision_function_shape", None) == "ovo":
        raise ValueError(
            f"{type(estimator).__name__} has decision_function_shape='ovo', so it scores pairs of "
            f"classes. Pass decision_function_shape='ovr', which scores each class."
        )


def check_not_classes(y_true: Any, y_score: Any, *, are_classes: bool = False) -> None:
    """Refuse predicted classes in place of scores; ``are_classes`` says that they are."""
    labels = np.asarray(to_numpy("y_true", y_true))
    scores = np.asarray(to_numpy("y_score", y_score))
    if are_classes or (scores.dtype.kind != "f" and set(scores.flat) <= set(labels.flat)):
        raise ValueError(
            "Predicted classes arrived where scores were expected. response_method='predict' is "
            "for regressors and rankers, not for classifiers. TunedThresholdClassifierCV turns "
            "scores into classes before it scores them, so it cannot tune by a ranking. If these "
            "are scores after all, give them as floats."
        )
