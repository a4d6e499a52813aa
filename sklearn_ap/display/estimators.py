"""Labels and scores of fitted estimators and of cross-validations."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import is_classifier
from sklearn.metrics import make_scorer
from sklearn.utils import indexable

from sklearn_ap.scorers import RAW_SCORES, check_not_classes

__all__ = ["FromEstimatorMixin", "predict", "predict_folds"]


class FromEstimatorMixin(ABC):
    """Gives ``from_estimator`` to a display that has ``from_predictions``."""

    takes_columns: ClassVar[bool] = False  # scores of several classes

    @classmethod
    @abstractmethod
    def from_predictions(cls, y_true: ArrayLike, y_score: ArrayLike, **options: Any) -> Self:
        """Draw labels and scores."""

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        pos_label: Any = None,
        name: str | None = None,
        **options: Any,
    ) -> Self:
        """Draw the curve of a fitted estimator.

        Parameters
        ----------
        estimator : estimator
            Its ``decision_function`` or ``predict_proba`` gives the scores; its ``predict`` where
            it has neither, as regressors and rankers.
        X : array-like of shape (n_samples, n_features)
            What it ranks.
        y : array-like of shape (n_samples,) or (n_samples, n_columns)
            Labels.
        pos_label : int, float, bool or str, default=None
            The positive label; None for a classifier's second class, and for 1 without classes.
        name : str, default=None
            What the legend calls it; None for the name of the estimator's class, if it gives one
            ranking.
        **options : dict
            As ``from_predictions`` takes them, such as ``sample_weight``, ``ax`` and what is for
            the line.

        Returns
        -------
        display
            With the picture drawn.
        """
        given = predict(estimator, X, y, pos_label)
        if not cls.takes_columns:
            _check_one_column(given["y_score"])
        if name is None and np.ndim(given["y_score"]) == 1:
            name = type(estimator).__name__
        return cls.from_predictions(**given | options, name=name)


def predict(estimator: Any, X: Any, y: Any, pos_label: Any) -> dict[str, Any]:
    """Labels and scores as a scorer gets them, as arguments of ``from_predictions``."""
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


def predict_folds(
    cv_results: dict[str, Any], X: Any, y: Any, pos_label: Any, sample_weight: Any
) -> Iterator[dict[str, Any]]:
    """The test rows of each fold, as the arguments of ``threshold_counts`` and ``hit_curve``."""
    if not {"estimator", "indices"} <= set(cv_results):
        raise ValueError(
            "cv_results must come from cross_validate with return_estimator=True and "
            f"return_indices=True, it has {', '.join(cv_results)}."
        )
    X, y, sample_weight = indexable(X, y, sample_weight)  # as cross_validate does
    for estimator, test in zip(cv_results["estimator"], cv_results["indices"]["test"], strict=True):
        if test.max() >= len(y):
            raise ValueError(f"X and y have {len(y)} rows, but cv_results has row {test.max()}.")
        fold = predict(estimator, _rows(X, test), np.asarray(y)[test], pos_label)
        _check_one_column(fold["y_score"])
        weight = None if sample_weight is None else np.asarray(sample_weight)[test]
        yield {**fold, "sample_weight": weight}


def _rows(X: Any, rows: Any) -> Any:
    if isinstance(X, list | tuple):
        return [X[row] for row in rows]
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def _check_one_column(y_score: Any) -> None:
    shape = np.shape(y_score)
    if len(shape) > 1:
        raise ValueError(
            f"The estimator gives scores of shape {shape}, and a display draws one ranking. Draw "
            f"class c by from_predictions(y == c, scores[:, column of c])."
        )
