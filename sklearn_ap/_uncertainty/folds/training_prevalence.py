"""Scores of folds whose training rows differ in their prevalence.

The probability of a model follows the prevalence of its training rows. A fold that tests
many positives was trained on few, so its probabilities are too low beside those of other folds.
Odds relative to those of the training rows are free of that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit

from sklearn_ap._inputs import (
    FEW,
    PROBABILITIES,
    TINY,
    Fold,
    Request,
    check_weights,
    known_labels,
    predict_rows,
)
from sklearn_ap._inputs.name_codes import check_names, codes_of

Array = NDArray[Any]
Float = NDArray[np.float64]

# Choices that keep divisors from 0.
LEAST_DEVIATION = 0.01  # of log odds: below, all rows of a fold score the same
LEAST_DISTANCE = 0.1  # of the means of both classes, in standard deviations: a useless model


class _Column(NamedTuple):
    """The rows of one column, or class, whose label is known."""

    score: Float
    fold: NDArray[np.intp]
    hit: NDArray[np.bool_]
    error: float  # of the distance of both classes, in standard deviations

    @property
    def can_shift(self) -> bool:
        """Whether there are positives and negatives, and scores that may move."""
        has_both = self.hit.any() and not self.hit.all()
        return bool(has_both and np.isfinite(self.score).any())


@dataclass(frozen=True, eq=False)
class TrainedFolds:
    """What the scores of folds mean: their models, their training rows, and the odds they give."""

    estimators: Sequence[Any]
    shares: Float  # the prevalence of the training rows, by weight: (folds, columns)
    n_rows: NDArray[np.intp]  # of training whose label is known: (folds, columns)
    scores: list[Float]  # of the test rows of each fold
    ask: Callable[[], list[Float] | None]  # the models for log odds, which takes time
    labels: list[Float]  # 1 for positives, nan if unknown, of the same rows: (rows, columns)
    sampling_unit: NDArray[np.intp]  # the cluster of each of these rows, or else its number

    @cached_property
    def log_odds(self) -> list[Float] | None:
        """The log odds of the test rows of each fold; None without probabilities."""
        return self.ask()

    @property
    def has_odds(self) -> bool:
        """Whether odds relative to the training rows can be pooled."""
        is_known = self.log_odds is not None and not _are_balanced(self.estimators[0])
        return is_known and not np.any(_is_one_class(self.shares))

    @property
    def are_stratified(self) -> bool:
        """Whether the folds have as equal numbers of positives as they can."""
        n_positives = [np.nansum(each, axis=0) for each in self.labels]
        return bool(np.all(np.ptp(n_positives, axis=0) <= 1))

    def relative_odds(self) -> list[Float]:
        """Log odds minus those of the training rows, whose mean over folds stays."""
        log_odds = self._check_odds()
        of_training = logit(self.shares)
        offset = of_training - of_training.mean(axis=0)  # columns keep what they differ by
        pairs = zip(log_odds, offset, strict=True)
        return [each - (by if each.ndim == 2 else by[0]) for each, by in pairs]

    def shifts(self) -> Float:
        """How far positives are above negatives only because their models saw another prevalence.

        In standard errors, of each column; minus that is about how much too low the pool scores.
        Scores that are no log odds are taken for those of a calibrated model, whose log odds vary
        within a class as much as the means of the classes are apart, in standard deviations.
        """
        if _are_balanced(self.estimators[0]) or not np.ptp(self.shares, axis=0).any():
            return np.zeros(self.shares.shape[1])

        def shift(column: _Column, offset: Float) -> float:
            score, hit = column.score, column.hit
            is_log_odds = self.log_odds is not None
            uncertainty = (
                _standard_deviation(score - offset, hit) if is_log_odds else _distance(score, hit)
            )
            return _difference(offset, hit) / uncertainty

        half_a_row = 0.5 / np.maximum(self.n_rows, 1)  # for training rows of one class
        of_training = logit(np.clip(self.shares, half_a_row, 1 - half_a_row))
        scores = self.scores if self.log_odds is None else self.log_odds
        return self._of_columns(scores, of_training, shift)

    def shifts_of_odds(self) -> Float:
        """What odds leave of it.

        The log odds of shrunken models grow with the information of their training rows, which
        follows the prevalence. They are shrunken as far as they vary less within a class
        than those of a calibrated model. The third power is a choice. In simulations of five C it
        was within a third of the bias of odds (docs/design.md); no script of them is kept.
        """

        def shift(column: _Column, known: Float) -> float:
            distance = _distance(column.score, column.hit)
            shrunken = max(1 - _standard_deviation(column.score, column.hit) / distance, 0.0)
            return shrunken**3 * _difference(known, column.hit) * distance

        information = np.log(self.n_rows * self.shares * (1 - self.shares))
        return self._of_columns(self.relative_odds(), information, shift)

    def shifts_of_ranks(self) -> Float:
        """The same of ranks: the more positives are in a fold, the lower it ranks each of them."""

        def shift(column: _Column, share: Float) -> float:
            return -_difference(share, column.hit)

        totals = np.array([np.nansum(each, axis=0) for each in self.labels])
        shares = totals / [np.maximum(_n_known(each), 1) for each in self.labels]
        return self._of_columns(self.scores, shares, shift)

    def of_mean(self, shifts: Float) -> Float:
        """The shift of the mean over columns, in its own standard errors.

        Columns vary each by itself, or together as far as they have the same positives.
        """
        labels = np.concatenate(self.labels)
        means = np.nansum(labels, axis=0) / np.maximum(_n_known(labels), 1)
        centred = np.nan_to_num(labels - means)
        uncertainty = np.sqrt(np.mean(centred * centred, axis=0))
        together = np.sum(centred / np.maximum(uncertainty, TINY), axis=1)
        variance = max(np.mean(together * together), np.count_nonzero(uncertainty), 1)
        return shifts.sum(keepdims=True) / np.sqrt(variance)

    def _of_columns(
        self, scores: list[Float], of_folds: Float, shift: Callable[[_Column, Float], float]
    ) -> Float:
        """The shift of each column, in standard errors; folds differ in ``of_folds``."""
        pairs = zip(self._columns(scores), of_folds.T, strict=True)
        return np.array(
            [
                shift(column, of_fold[column.fold]) / column.error if column.can_shift else 0.0
                for column, of_fold in pairs
            ]
        )

    def _columns(self, scores: list[Float]) -> Iterator[_Column]:
        """The rows of each column whose label is known."""
        fold = np.repeat(np.arange(len(self.labels)), [len(each) for each in self.labels])
        of_columns = np.concatenate(scores).reshape(fold.size, -1).T
        for score, label in zip(of_columns, np.concatenate(self.labels).T, strict=True):
            known = ~np.isnan(label)
            hit, sampling_unit = label[known] == 1, self.sampling_unit[known]
            n_cases = [np.count_nonzero(np.bincount(sampling_unit[of])) for of in (hit, ~hit)]
            error = float(np.sqrt(np.sum(1 / np.maximum(n_cases, 1))))
            yield _Column(score[known], fold[known], hit, error)

    def _check_odds(self) -> list[Float]:
        """Refuse models without probabilities, balanced classes, and training rows of one class."""
        name = type(self.estimators[0]).__name__
        if self.log_odds is None:
            raise ValueError(
                f"pooling='odds' needs probabilities, but {name} has no predict_proba. Calibrate "
                f"it with CalibratedClassifierCV. Or split with StratifiedKFold or "
                f"StratifiedGroupKFold, and pass pooling='ranks'."
            )
        if _are_balanced(self.estimators[0]):
            raise ValueError(
                f"pooling='odds' is not for class_weight='balanced': the probabilities of {name} "
                f"do not follow the share of positives in its training rows. Pass "
                f"pooling='scores'."
            )
        for number, share in enumerate(self.shares):
            if np.any(_is_one_class(share)):
                raise ValueError(
                    f"pooling='odds' needs training rows of both classes, but those of fold "
                    f"{number} hold no {'positive' if np.any(share == 0) else 'negative'}. Split "
                    f"with StratifiedKFold or StratifiedGroupKFold."
                )
        return self.log_odds


def trained_folds(
    cv_results: dict[str, Any], X: Any, request: Request, folds: list[Fold], to_pool: bool
) -> TrainedFolds:
    """What the models of the folds were trained on; ``to_pool`` says that odds are pooled."""
    estimators, trains = cv_results["estimator"], cv_results["indices"]["train"]
    labels = _labels(request)
    weight = check_weights(request.sample_weight, len(labels))
    weight = np.ones(len(labels)) if weight is None else weight
    known, positive = np.where(np.isnan(labels), 0.0, weight[:, None]), np.nan_to_num(labels)
    totals = [np.maximum(known[rows].sum(axis=0), TINY) for rows in trains]
    pairs = zip(trains, totals, strict=True)
    shares = [weight[rows] @ positive[rows] / total for rows, total in pairs]
    scores = [np.asarray(fold.predictions["y_score"], dtype=np.float64) for fold in folds]
    return TrainedFolds(
        estimators,
        np.array(shares),
        np.array([_n_known(labels[rows]) for rows in trains]),
        scores,
        partial(_log_odds, estimators, X, request, folds, scores, to_pool),
        [labels[fold.rows] for fold in folds],
        _sampling_units(request, len(labels))[np.concatenate([fold.rows for fold in folds])],
    )


def _sampling_units(request: Request, n_rows: int) -> NDArray[np.intp]:
    """The cluster of each row, or else its number."""
    if request.clusters is None:
        return np.arange(n_rows)
    return codes_of(check_names("clusters", request.clusters, n_rows), "clusters")[0]


def _labels(request: Request) -> Float:
    """1 where a row is a positive of a column, 0 where it is a negative, nan where unknown."""
    y_true, is_known = known_labels(request.y_true)
    y = np.asarray(y_true)
    if y.ndim == 1:
        pos_label = request.pos_label if request.labels is None else request.labels
        return (y[:, None] == pos_label).astype(np.float64)
    return np.where(True if is_known is None else is_known, y == 1, np.nan)


def _n_known(labels: Float) -> NDArray[np.intp]:
    """How many labels of each column are known."""
    return np.count_nonzero(~np.isnan(labels), axis=0)


def _log_odds(
    estimators: Sequence[Any],
    X: Any,
    request: Request,
    folds: list[Fold],
    scores: list[Float],
    to_pool: bool,
) -> list[Float] | None:
    """The log odds of the test rows of each fold; None without probabilities.

    For a warning, a few rows say whether decisions are log odds, and no model fails.
    """
    # Several classes have no positive one, and older versions of scikit-learn refuse 1.
    pos_label = request.pos_label if request.labels is None else None

    def ask(rows: list[NDArray[np.intp]]) -> list[Float]:
        found = predict_rows(estimators, rows, X, request.y_true, pos_label, PROBABILITIES)
        return [_logit(fold.predictions["y_score"]) for fold in found]

    if not all(hasattr(estimator, "predict_proba") for estimator in estimators):
        return None
    if not any(hasattr(estimator, "decision_function") for estimator in estimators):
        return [_logit(each) for each in scores]
    try:
        some = [] if to_pool else ask([fold.rows[:FEW] for fold in folds])
        if some and np.allclose(np.concatenate(some), np.concatenate([s[:FEW] for s in scores])):
            return scores
        return ask([fold.rows for fold in folds])
    except Exception:  # each model raises its own
        if to_pool:
            raise
        return None


def _logit(probabilities: Any) -> Float:
    return np.asarray(logit(np.clip(np.asarray(probabilities, dtype=np.float64), 0.0, 1.0)))


def _is_one_class(share: Float) -> NDArray[np.bool_]:
    return (share == 0) | (share == 1)


def _are_balanced(estimator: Any) -> bool:
    """Whether weights make the classes equal, whatever their shares are."""
    if hasattr(estimator, "best_estimator_"):
        return _are_balanced(estimator.best_estimator_)
    if hasattr(estimator, "steps"):
        return _are_balanced(estimator.steps[-1][1])
    if hasattr(estimator, "calibrated_classifiers_"):  # without weights of classes
        return False
    parameters = estimator.get_params() if hasattr(estimator, "get_params") else {}
    return any(
        name.endswith("class_weight") and str(value).startswith("balanced")
        for name, value in parameters.items()
    )


def _difference(number: Float, hit: NDArray[np.bool_]) -> float:
    """The mean over positives minus that over negatives."""
    return float(number[hit].mean() - number[~hit].mean())


def _standard_deviation(log_odds: Float, hit: NDArray[np.bool_]) -> float:
    """The standard deviation within classes."""
    return max(_within(_finite(log_odds), hit), LEAST_DEVIATION)


def _distance(score: Float, hit: NDArray[np.bool_]) -> float:
    """How far the means of the classes are apart, in standard deviations within them."""
    score = _finite(score)
    return max(_difference(score, hit) / max(_within(score, hit), TINY), LEAST_DISTANCE)


def _finite(score: Float) -> Float:
    """Probabilities of 0 and 1, and rows that were not retrieved, get the score next to them."""
    known = score[np.isfinite(score)]
    return np.clip(score, known.min(), known.max()) if known.size else np.zeros_like(score)


def _within(score: Float, hit: NDArray[np.bool_]) -> float:
    centred = score - np.where(hit, score[hit].mean(), score[~hit].mean())
    return float(np.sqrt(np.mean(centred * centred)))
