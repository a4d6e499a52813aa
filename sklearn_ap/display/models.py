"""From fitted estimators, and from cross-validations, to what a display draws."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import is_classifier
from sklearn.metrics import make_scorer
from sklearn.utils import indexable

from sklearn_ap.scorers import RAW_SCORES, check_not_classes

__all__ = ["FromModels"]


class FromModels(ABC):
    """What makes a display that knows ``from_predictions`` one of models too."""

    @classmethod
    @abstractmethod
    def _ranking(
        cls, y_true: ArrayLike, y_score: ArrayLike, pos_label: Any, sample_weight: Any
    ) -> tuple[Any, ...]:
        """What the constructor takes of one ranking."""

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
        name: str | None = None,
        ax: Any = None,
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
        y : array-like of shape (n_samples,)
            Binary labels.
        pos_label : int, float, bool or str, default=None
            The positive label; None for a classifier's second class, and for 1 without classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight 2 counts a row twice, weight 0 not at all.
        name : str, default=None
            What the legend calls it; None for the name of the estimator's class.
        ax : matplotlib Axes or array of Axes, default=None
            Where to draw; None for a new figure.
        **options : dict
            ``definition``, for an ``AveragePrecisionDisplay``.

        Returns
        -------
        display
            With the picture drawn.
        """
        y_true, y_score, pos_label = _predictions(estimator, X, y, pos_label)
        ranking = cls._ranking(y_true, y_score, pos_label, sample_weight)
        name = type(estimator).__name__ if name is None else name
        return cls(*ranking, name=name, **options).plot(ax)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: dict[str, Any],
        X: Any,
        y: ArrayLike,
        *,
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw the curves of the folds of a cross-validation.

        Parameters
        ----------
        cv_results : dict
            What ``cross_validate`` returns, with ``return_estimator=True`` and
            ``return_indices=True``.
        X : array-like of shape (n_samples, n_features)
            What was cross-validated.
        y : array-like of shape (n_samples,)
            Binary labels.
        pos_label : int, float, bool or str, default=None
            The positive label; None for a classifier's second class, and for 1 without classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight 2 counts a row twice, weight 0 not at all.
        name : str, default=None
            What the legend calls them.
        ax : matplotlib Axes or array of Axes, default=None
            Where to draw; None for a new figure.
        **options : dict
            ``definition``, for an ``AveragePrecisionDisplay``.

        Returns
        -------
        display
            With the picture drawn.
        """
        folds = [
            cls._ranking(y_true, y_score, label, weight)
            for y_true, y_score, label, weight in _folds(cv_results, X, y, pos_label, sample_weight)
        ]
        return cls(*map(list, zip(*folds, strict=True)), name=name, **options).plot(ax)

    @abstractmethod
    def __init__(self, *ranking: Any, name: str | None = None, **options: Any) -> None:
        """Take one ranking, or lists of several."""

    @abstractmethod
    def plot(self, ax: Any = None) -> Self:
        """Draw."""


def _predictions(estimator: Any, X: Any, y: ArrayLike, pos_label: Any) -> tuple[Any, Any, Any]:
    """Labels and scores as a scorer sees them, and the positive label."""
    seen: list[Any] = []

    def keep(y_true: Any, y_score: Any, pos_label: Any = None) -> float:  # noqa: ARG001
        seen.extend((y_true, y_score))
        return 0.0

    classes: Any = getattr(estimator, "classes_", None)
    if pos_label is None and classes is not None and len(classes) == 2:
        pos_label = classes[1]
    raw = any(hasattr(estimator, method) for method in RAW_SCORES)
    options = {} if pos_label is None else {"pos_label": pos_label}
    make_scorer(keep, response_method=RAW_SCORES if raw else "predict", **options)(estimator, X, y)
    check_not_classes(*seen, surely=not raw and is_classifier(estimator))
    _check_one_column(seen[1])
    return seen[0], seen[1], pos_label


def _folds(
    cv_results: dict[str, Any], X: Any, y: Any, pos_label: Any, sample_weight: Any
) -> Iterator[tuple[Any, Any, Any, Any]]:
    """Labels, scores, positive label and weights of each fold."""
    if not {"estimator", "indices"} <= set(cv_results):
        raise ValueError(
            "cv_results must come from cross_validate with return_estimator=True and "
            f"return_indices=True, it has {', '.join(cv_results)}."
        )
    X, y, sample_weight = indexable(X, y, sample_weight)  # as cross_validate does
    for estimator, test in zip(cv_results["estimator"], cv_results["indices"]["test"], strict=True):
        if test.max() >= len(y):
            raise ValueError(f"X and y have {len(y)} rows, cv_results knows row {test.max()}.")
        weight = None if sample_weight is None else np.asarray(sample_weight)[test]
        yield *_predictions(estimator, _rows(X, test), np.asarray(y)[test], pos_label), weight


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
