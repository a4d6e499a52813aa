"""Displays of fitted estimators and of cross-validations."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_consistent_length

from sklearn_ap._base.common.types import Argument, Estimator, Keywords, Label, RowData
from sklearn_ap._base.inputs.checks import check_same_order, check_weights
from sklearn_ap._base.inputs.option_checks import check_choice
from sklearn_ap._folds.models import RAW_SCORES, predict
from sklearn_ap._folds.predictions import FoldPredictions, folds_of

ResponseMethod = Literal["auto", "decision_function", "predict_proba"]


class LabelledScores(NamedTuple):
    """The rows of one curve: of the user, or of a fold."""

    y_true: ArrayLike
    y_score: ArrayLike
    pos_label: Label = None
    sample_weight: ArrayLike | None = None


class FromEstimatorMixin(ABC):
    """The methods ``from_estimator`` and ``from_cv_results`` of a display."""

    @classmethod
    @abstractmethod
    def from_predictions(cls, y_true: ArrayLike, y_score: ArrayLike, **options: Argument) -> Self:
        """Draw labels and scores."""

    @classmethod
    @abstractmethod
    def _from_folds(cls, folds: list[LabelledScores], **options: Argument) -> Self:
        """Draw the rows of each fold."""

    @classmethod
    def from_estimator(
        cls,
        estimator: Estimator,
        X: RowData,
        y: ArrayLike,
        *,
        response_method: ResponseMethod = "auto",
        pos_label: Label = None,
        name: str | None = None,
        **options: Argument,
    ) -> Self:
        """Draw the curve of a fitted estimator.

        Parameters
        ----------
        estimator : estimator
            Its ``decision_function`` gives the scores, or else its ``predict_proba``, or its
            ``predict`` if it has neither, such as regressors and rankers.
        X : array-like of shape (n_samples, n_features)
            The rows to rank.
        y : array-like of shape (n_samples,) or (n_samples, n_columns)
            Labels.
        response_method : {"auto", "decision_function", "predict_proba"}, default="auto"
            The method that gives the scores; "auto" for the first of them that the estimator has.
        pos_label : int, float, bool or str, default=None
            The positive label. None means 1 for {0, 1} and {-1, 1}; other binary labels need it.
        name : str, default=None
            The name in the legend; None for the name of the estimator's class, if it gives one
            ranking.
        **options : dict
            Options of ``from_predictions``, such as ``sample_weight``, ``ax`` and those of the
            line.

        Returns
        -------
        display
            With the picture drawn.
        """
        check_same_order(X=X, **options)
        methods = _response_methods(response_method, [estimator])
        predictions = predict(estimator, X, y, pos_label, methods, options.get("labels"))
        if name is None and np.ndim(predictions["y_score"]) == 1:
            name = type(estimator).__name__
        return cls.from_predictions(**(options | predictions), name=name)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Keywords,
        X: RowData,
        y: ArrayLike,
        *,
        response_method: ResponseMethod = "auto",
        pos_label: Label = None,
        sample_weight: ArrayLike | None = None,
        name: str | list[str] | None = None,
        **options: Argument,
    ) -> Self:
        """Draw the curves of the folds of a cross-validation, and their mean.

        Parameters
        ----------
        cv_results : dict
            What ``cross_validate`` returns, with ``return_estimator=True`` and
            ``return_indices=True``.
        X : array-like of shape (n_samples, n_features)
            What was cross-validated.
        y : array-like of shape (n_samples,)
            Binary labels.
        response_method : {"auto", "decision_function", "predict_proba"}, default="auto"
            The method that gives the scores; "auto" for the first of them that the models have.
        pos_label : int, float, bool or str, default=None
            The positive label. None means 1 for {0, 1} and {-1, 1}; other binary labels need it.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight 2 counts a row twice, weight 0 not at all.
        name : str or list of str, default=None
            The name of the folds in the legend; a list names each precision-recall curve.
        **options : dict
            Options of ``from_predictions`` that are not about rows, such as ``ax``, ``definition``
            and ``prevalence``, and those of the line. ``chance_level_kwargs``, as scikit-learn
            calls it here, is the option ``chance_level_kw`` of ``plot``.

        Returns
        -------
        display
            With the picture drawn.
        """
        predictions = FoldPredictions(cv_results, X, y)
        check_consistent_length(y, sample_weight)
        check_same_order(y=y, X=X, sample_weight=sample_weight)
        check_weights(sample_weight, len(np.asarray(y)))
        methods = _response_methods(response_method, cv_results.get("estimator", []))
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
        return cls._from_folds(folds, name=name, **options)


def _response_methods(
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
