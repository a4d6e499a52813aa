"""Scores of folds whose training rows have other shares of positives.

The probability of a model follows the share of positives that it was trained on. A fold that tests
many positives was trained on few, so its probabilities are too low beside those of other folds.
Odds relative to those of the training rows are free of that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit

from sklearn_ap._inputs import (
    PROBABILITIES,
    Fold,
    Request,
    check_weights,
    known_labels,
    predict_rows,
)
from sklearn_ap._inputs.name_codes import check_names, codes_of

Array = NDArray[Any]
Float = NDArray[np.float64]

SHRUNKEN = 1.0  # a shift in standard deviations: models whose scores hardly differ within a class
LARGE_MOVE = 0.15  # of the log odds of training, from which on slopes of such models differ, too
LEAST_SPREAD = 0.01  # of log odds: below, all rows of a fold score the same
LEAST_DISTANCE = 0.1  # of the means of both classes, in standard deviations: a useless model
TINY = 1e-300  # so that 0 / 0 is 0


class _Column(NamedTuple):
    """The rows of one column, or class, whose label is known."""

    score: Float
    of_fold: Float  # something that the fold of each row has
    hit: NDArray[np.bool_]
    error: float  # of the distance of both classes, in standard deviations


class _Shift(NamedTuple):
    """How far positives are above negatives only because their models saw another share."""

    log_odds: float
    deviations: float  # in standard deviations of the scores within a class
    errors: float  # in standard errors of the distance of both classes


@dataclass(frozen=True, eq=False)
class TrainedFolds:
    """What the scores of folds mean: their models, their training rows, and the odds they give."""

    estimators: Sequence[Any]
    shares: Float  # of positives in the training rows, by weight: (folds, columns)
    n_rows: NDArray[np.intp]  # of training whose label is known: (folds, columns)
    scores: list[Float]  # of the test rows of each fold
    log_odds: list[Float] | None  # of the same rows; None without probabilities
    labels: list[Float]  # 1 for positives, nan if unknown, of the same rows: (rows, columns)
    cases: NDArray[np.intp]  # the cluster of each of these rows, or else its number

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
        moved = of_training - of_training.mean(axis=0)  # columns keep what they differ by
        pairs = zip(log_odds, moved, strict=True)
        return [each - (by if each.ndim == 2 else by[0]) for each, by in pairs]

    def shifts(self) -> Float:
        """How far positives are above negatives only because their models saw another share.

        In standard errors, of each column; minus that is about how much too low the pool scores.
        """
        return np.array([each.errors for each in self._shifts()])

    def shifts_of_ranks(self) -> Float:
        """The same of ranks: the more positives are in a fold, the lower it ranks each of them."""
        totals = np.array([np.nansum(each, axis=0) for each in self.labels])
        shares = totals / [np.maximum(_n_known(each), 1) for each in self.labels]
        return np.array(
            [
                0.0 if each is None else -_difference(each.of_fold, each.hit) / each.error
                for each in self._columns(shares)
            ]
        )

    def has_other_slopes(self) -> bool:
        """Whether odds keep a part of the shift.

        The log odds of strongly shrunken models grow with the information of their training rows,
        which follows the share of positives.
        """
        return any(
            abs(each.deviations) > SHRUNKEN and abs(each.log_odds) > LARGE_MOVE
            for each in self._shifts()
        )

    def _shifts(self) -> Iterator[_Shift]:
        """The shift of each column, 0 where its rows are of one class.

        Scores that are no log odds are taken for those of a calibrated model, whose log odds vary
        within a class as much as the means of the classes are apart, in standard deviations.
        """
        half_a_row = 0.5 / np.maximum(self.n_rows, 1)  # for training rows of one class
        of_training = logit(np.clip(self.shares, half_a_row, 1 - half_a_row))
        is_log_odds = self.log_odds is not None
        are_balanced = _are_balanced(self.estimators[0])
        for column in self._columns(of_training):
            if column is None or are_balanced:
                yield _Shift(0.0, 0.0, 0.0)
                continue
            score, moved, hit, error = column
            spread = _spread(score - moved, hit) if is_log_odds else _distance(score, hit)
            difference = _difference(moved, hit)
            yield _Shift(difference, difference / spread, difference / spread / error)

    def _columns(self, of_folds: Float) -> Iterator[_Column | None]:
        """The rows of each column whose label is known; ``of_folds`` says something of each.

        None where they are of one class.
        """
        scores = np.concatenate(self.scores if self.log_odds is None else self.log_odds)
        fold = np.repeat(np.arange(len(self.labels)), [len(each) for each in self.labels])
        pairs = zip(scores.reshape(fold.size, -1).T, of_folds.T, strict=True)
        for (score, of_fold), label in zip(pairs, np.concatenate(self.labels).T, strict=True):
            known = ~np.isnan(label)
            hit = label[known] == 1
            if hit.all() or not hit.any():
                yield None
                continue
            cases = self.cases[known]
            n_cases = np.array([np.count_nonzero(np.bincount(cases[of])) for of in (hit, ~hit)])
            error = float(np.sqrt(np.sum(1 / n_cases)))
            yield _Column(score[known], of_fold[fold][known], hit, error)

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
    cv_results: dict[str, Any], X: Any, request: Request, folds: list[Fold]
) -> TrainedFolds:
    """What the models of the folds were trained on, and what they say of their test rows."""
    estimators, trains = cv_results["estimator"], cv_results["indices"]["train"]
    labels = _labels(request)
    weight = check_weights(request.sample_weight, len(labels))
    weight = np.ones(len(labels)) if weight is None else weight
    known, positive = np.where(np.isnan(labels), 0.0, weight[:, None]), np.nan_to_num(labels)
    totals = [np.maximum(known[rows].sum(axis=0), TINY) for rows in trains]
    pairs = zip(trains, totals, strict=True)
    shares = [weight[rows] @ positive[rows] / total for rows, total in pairs]
    return TrainedFolds(
        estimators,
        np.array(shares),
        np.array([_n_known(labels[rows]) for rows in trains]),
        [np.asarray(fold.predictions["y_score"], dtype=np.float64) for fold in folds],
        _log_odds(estimators, X, request, folds),
        [labels[fold.rows] for fold in folds],
        _cases(request, len(labels))[np.concatenate([fold.rows for fold in folds])],
    )


def _cases(request: Request, n_rows: int) -> NDArray[np.intp]:
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
    estimators: Sequence[Any], X: Any, request: Request, folds: list[Fold]
) -> list[Float] | None:
    """The log odds of the test rows of each fold; None without probabilities."""
    if not all(hasattr(estimator, "predict_proba") for estimator in estimators):
        return None
    found, rows = folds, [fold.rows for fold in folds]
    if any(hasattr(estimator, "decision_function") for estimator in estimators):
        # Several classes have no positive one, and older versions of scikit-learn refuse 1.
        pos_label = request.pos_label if request.labels is None else None
        found = predict_rows(estimators, rows, X, request.y_true, pos_label, PROBABILITIES)
    probabilities = [np.asarray(fold.predictions["y_score"], dtype=np.float64) for fold in found]
    return [np.asarray(logit(np.clip(each, 0.0, 1.0))) for each in probabilities]


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


def _spread(log_odds: Float, hit: NDArray[np.bool_]) -> float:
    """The standard deviation within classes."""
    return max(_within(_finite(log_odds), hit), LEAST_SPREAD)


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
