"""Labels and scores of fitted estimators, and of the folds of a cross-validation."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.metrics import make_scorer
from sklearn.utils import indexable

from sklearn_ap._inputs.arrays import to_numpy

__all__ = [
    "RAW_SCORES",
    "Fold",
    "check_cv_results",
    "check_not_classes",
    "predict",
    "predict_folds",
]

RAW_SCORES = ("decision_function", "predict_proba")
HOW_TO_VALIDATE = "cross_validate(model, X, y, cv=5, return_estimator=True, return_indices=True)"


class Fold(NamedTuple):
    """The test rows of one fold, and what the model of this fold says of them."""

    rows: NDArray[np.intp]
    predictions: dict[str, Any]  # as ``predict`` gives them


def predict(estimator: Any, X: Any, y: Any, pos_label: Any) -> dict[str, Any]:
    """Labels and scores as a scorer gets them: y_true, y_score, pos_label; labels of classes."""
    seen: dict[str, Any] = {}

    def keep(y_true: Any, y_score: Any, pos_label: Any) -> float:
        seen.update(y_true=y_true, y_score=y_score, pos_label=pos_label)
        return 0.0

    classes: Any = getattr(estimator, "classes_", None)
    if pos_label is None and classes is not None and len(classes) == 2 and np.ndim(y) == 1:
        pos_label = classes[1]
    method = RAW_SCORES if any(hasattr(estimator, name) for name in RAW_SCORES) else "predict"
    make_scorer(keep, response_method=method, pos_label=pos_label)(estimator, X, y)
    surely = method == "predict" and is_classifier(estimator)
    check_not_classes(seen["y_true"], seen["y_score"], surely=surely)
    if np.ndim(seen["y_score"]) == 2 and np.ndim(seen["y_true"]) == 1:
        seen["labels"] = classes
    return seen


def check_cv_results(cv_results: dict[str, Any]) -> dict[str, Any]:
    """Refuse what lacks the fitted models or the test rows."""
    if not {"estimator", "indices"} <= set(cv_results):
        raise ValueError(
            f"cv_results has {', '.join(cv_results)}, but it must hold the fitted models and the "
            f"test rows, too. Call {HOW_TO_VALIDATE}."
        )
    return cv_results


def predict_folds(cv_results: dict[str, Any], X: Any, y: Any, pos_label: Any) -> list[Fold]:
    """Let the model of each fold score its test rows."""
    X, y = indexable(X, y)  # as cross_validate does
    tests = check_cv_results(cv_results)["indices"]["test"]
    for rows in tests:
        if rows.max() >= len(y):
            raise ValueError(f"X and y have {len(y)} rows, but cv_results has row {rows.max()}.")
    folds = []
    for number, (estimator, rows) in enumerate(zip(cv_results["estimator"], tests, strict=True)):
        try:
            given = predict(estimator, _take(X, rows), np.asarray(y)[rows], pos_label)
        except (NotFittedError, AttributeError) as error:
            raise ValueError(
                f"The model of fold {number} cannot score its rows: {error}. If its fit failed, "
                f"call cross_validate with error_score='raise' to see why."
            ) from error
        folds.append(Fold(rows, given))
    return folds


def check_not_classes(y_true: Any, y_score: Any, *, surely: bool = False) -> None:
    """Refuse predicted classes in place of scores; ``surely`` says that they are classes."""
    labels = np.asarray(to_numpy("y_true", y_true))
    scores = np.asarray(to_numpy("y_score", y_score))
    if surely or (scores.dtype.kind != "f" and set(scores.flat) <= set(labels.flat)):
        raise ValueError(
            "Predicted classes arrived where scores were expected. response_method='predict' is "
            "for regressors and rankers, not for classifiers. TunedThresholdClassifierCV turns "
            "scores into classes before it scores them, so it cannot tune by a ranking. If these "
            "are scores after all, give them as floats."
        )


def _take(X: Any, rows: Any) -> Any:
    if isinstance(X, list | tuple):
        return [X[row] for row in rows]
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]
