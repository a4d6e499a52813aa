"""What displays draw of fitted estimators and of cross-validations."""

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

__all__ = ["FromModels", "folds", "predictions"]


class FromModels(ABC):
    """What makes a display that knows ``from_predictions`` one of fitted models too."""

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
        y_true, y_score, pos_label = predictions(estimator, X, y, pos_label)
        if not cls.takes_columns:
            _check_one_column(y_score)
        elif np.ndim(y_score) == 2 and np.ndim(y_true) == 1:
            options = {"labels": estimator.classes_, **options}
        if name is None and np.ndim(y_score) == 1:
            name = type(estimator).__name__
        return cls.from_predictions(y_true, y_score, pos_label=pos_label, name=name, **options)


def predictions(estimator: Any, X: Any, y: Any, pos_label: Any) -> tuple[Any, Any, Any]:
    """Labels and scores as a scorer sees them, and the positive label."""
    seen: list[Any] = []

    def keep(y_true: Any, y_score: Any, pos_label: Any = None) -> float:  # noqa: ARG001
        seen.extend((y_true, y_score))
        return 0.0

    classes: Any = getattr(estimator, "classes_", None)
    if pos_label is None and classes is not None and len(classes) == 2 and np.ndim(y) == 1:
        pos_label = classes[1]
    raw = any(hasattr(estimator, method) for method in RAW_SCORES)
    options = {} if pos_label is None else {"pos_label": pos_label}
    make_scorer(keep, response_method=RAW_SCORES if raw else "predict", **options)(estimator, X, y)
    check_not_classes(*seen, surely=not raw and is_classifier(estimator))
    return seen[0], seen[1], pos_label


def folds(
    cv_results: dict[str, Any], X: Any, y: Any, pos_label: Any, sample_weight: Any
) -> Iterator[tuple[Any, Any, Any, Any]]:
    """Labels, scores, positive label and weights of each fold of a cross-validation."""
    if not {"estimator", "indices"} <= set(cv_results):
        raise ValueError(
            "cv_results must come from cross_validate with return_estimator=True and "
            f"return_indices=True, it has {', '.join(cv_results)}."
        )
    X, y, sample_weight = indexable(X, y, sample_weight)  # as cross_validate does
    for estimator, test in zip(cv_results["estimator"], cv_results["indices"]["test"], strict=True):
        if test.max() >= len(y):
            raise ValueError(f"X and y have {len(y)} rows, but cv_results has row {test.max()}.")
        weight = None if sample_weight is None else np.asarray(sample_weight)[test]
        y_true, y_score, label = predictions(
            estimator, _rows(X, test), np.asarray(y)[test], pos_label
        )
        _check_one_column(y_score)
        yield y_true, y_score, label, weight


def _rows(X: Any, rows: Any) -> Any:
    if isinstance(X, list | tuple):
        return [X[row] for row in rows]
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def _check_one_column(y_score: Any) -> None:
    """Refuse the scores of several classes where one ranking is drawn."""
    shape = np.shape(y_score)
    if len(shape) > 1:
        raise ValueError(
            f"The estimator gives scores of shape {shape}, and a display draws one ranking. Draw "
            f"class c by from_predictions(y == c, scores[:, column of c])."
        )
