"""Scores of folds whose training rows differ in their prevalence, which probabilities follow.

A fold that tests many positives was trained on few, so its probabilities are too low.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit

from sklearn_ap._inputs.checks import FEW
from sklearn_ap._inputs.estimators import PROBABILITIES, Fold, predict_rows
from sklearn_ap._inputs.name_codes import check_names, codes_of
from sklearn_ap._inputs.request import Request
from sklearn_ap._inputs.targets import known_labels
from sklearn_ap._inputs.tolerances import TINY
from sklearn_ap._inputs.weights import check_weights

Bool = NDArray[np.bool_]
Float = NDArray[np.float64]

# Choices that keep divisors from 0.
LEAST_DEVIATION = 0.01  # of log odds: below, all rows of a fold score the same
LEAST_DISTANCE = 0.1  # of the means of both classes, in standard deviations: a useless model


@dataclass(frozen=True, eq=False)
class TrainedFolds:
    """What the scores of folds mean: their models, their training rows, and the odds they give."""

    estimators: Sequence[Any]
    shares: Float  # the prevalence of the training rows, by weight: (folds, columns)
    n_rows: NDArray[np.intp]  # of training whose label is known: (folds, columns)
    compute_log_odds: Callable[[], Float | None]  # of the test rows; it takes time
    fold: NDArray[np.intp]  # of each test row
    scores: Float  # of the test rows
    labels: Float  # 1 for positives, nan if unknown: (rows, columns)
    sampling_unit: NDArray[np.intp]  # the cluster of each test row, or else its number

    @cached_property
    def log_odds(self) -> Float | None:
        """The log odds of the test rows; None without probabilities."""
        return self.compute_log_odds()

    @property
    def are_stratified(self) -> bool:
        """Whether the folds have as equal numbers of positives as they can."""
        n_positives = self._sums(np.nan_to_num(self.labels))
        return bool(np.all(np.ptp(n_positives, axis=0) <= 1))

    def relative_odds(self) -> Float:
        """Log odds minus those of the training rows, whose mean over folds stays."""
        if why := self.why_no_odds():
            raise ValueError(why)
        of_training, log_odds = logit(self.shares), np.asarray(self.log_odds)
        offset = of_training - of_training.mean(axis=0)  # columns keep what they differ by
        return np.asarray(log_odds - offset[self.fold].reshape(log_odds.shape))

    def shifts(self) -> Float:
        """How far positives are above negatives only because their models saw another prevalence.

        In standard errors, of each column; minus that is about how much too low the pool scores.
        Scores that are no log odds are taken for those of a calibrated model, whose log odds vary
        within a class as much as the means of the classes are apart, in standard deviations.
        """
        if _are_balanced(self.estimators[0]) or not np.ptp(self.shares, axis=0).any():
            return np.zeros(self.shares.shape[1])

        def shift(score: Float, hit: Bool, offset: Float) -> float:
            if self.log_odds is None:
                return _difference(offset, hit) / _distance(score, hit)
            _, deviation = _difference_and_deviation(score - offset, hit)
            return _difference(offset, hit) / max(deviation, LEAST_DEVIATION)

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

        def shift(score: Float, hit: Bool, known: Float) -> float:
            distance, (_, deviation) = _distance(score, hit), _difference_and_deviation(score, hit)
            shrunken = max(1 - max(deviation, LEAST_DEVIATION) / distance, 0.0)
            return shrunken**3 * _difference(known, hit) * distance

        information = np.log(self.n_rows * self.shares * (1 - self.shares))
        return self._of_columns(self.relative_odds(), information, shift)

    def shifts_of_ranks(self) -> Float:
        """The same of ranks: the more positives are in a fold, the lower it ranks each of them."""
        shares = self._sums(np.nan_to_num(self.labels))
        shares /= np.maximum(self._sums(~np.isnan(self.labels)), 1)
        return self._of_columns(self.scores, shares, lambda _, hit, share: -_difference(share, hit))

    def of_mean(self, shifts: Float) -> Float:
        """The shift of the mean over columns, in its own standard errors.

        Columns vary each by itself, or together as far as they have the same positives.
        """
        means = np.nansum(self.labels, axis=0) / np.maximum(_n_known(self.labels), 1)
        centred = np.nan_to_num(self.labels - means)
        uncertainty = np.sqrt(np.mean(centred * centred, axis=0))
        together = np.sum(centred / np.maximum(uncertainty, TINY), axis=1)
        variance = max(np.mean(together * together), np.count_nonzero(uncertainty), 1)
        return shifts.sum(keepdims=True) / np.sqrt(variance)

    def _of_columns(
        self, scores: Float, of_folds: Float, shift: Callable[[Float, Bool, Float], float]
    ) -> Float:
        """The shift of each column, in standard errors; folds differ in ``of_folds``.

        It is 0 without positives or without negatives, and where no score may move.
        """
        found = np.zeros(of_folds.shape[1])
        for i, label in enumerate(self.labels.T):
            known = ~np.isnan(label)
            score, hit = scores.reshape(self.labels.shape)[known, i], label[known] == 1
            if hit.any() and not hit.all() and np.isfinite(score).any():
                units = self.sampling_unit[known]
                n_cases = np.array([np.unique(units[of]).size for of in (hit, ~hit)])
                error = np.sqrt(np.sum(1 / n_cases))  # of the distance of both classes
                found[i] = shift(score, hit, of_folds[self.fold[known], i]) / error
        return found

    def _sums(self, numbers: NDArray[Any]) -> Float:
        """The sums over the test rows of each fold."""
        sums = np.zeros(self.shares.shape)
        np.add.at(sums, self.fold, numbers)
        return sums

    def why_no_odds(self) -> str:
        """What keeps odds from being pooled, such as training rows of one class; "" if nothing."""
        name = type(self.estimators[0]).__name__
        has_one_class = (self.shares == 0) | (self.shares == 1)
        if self.log_odds is None:
            return (
                f"pooling='odds' needs probabilities, but {name} has no predict_proba. Calibrate "
                f"it with CalibratedClassifierCV. Or split with StratifiedKFold or "
                f"StratifiedGroupKFold, and pass pooling='ranks'."
            )
        if _are_balanced(self.estimators[0]):
            return (
                f"pooling='odds' is not for class_weight='balanced': the probabilities of {name} "
                f"do not follow the prevalence in its training rows. Pass pooling='scores'."
            )
        if not has_one_class.any():
            return ""
        number = np.argmax(has_one_class.any(axis=1))
        return (
            f"pooling='odds' needs training rows of both classes, but those of fold {number} hold "
            f"no {'positive' if np.any(self.shares[number] == 0) else 'negative'}. Split with "
            f"StratifiedKFold or StratifiedGroupKFold."
        )


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
    rows, scores = np.concatenate([fold.rows for fold in folds]), _scores_of(folds)
    units = np.arange(len(labels))
    if request.clusters is not None:
        units = codes_of(check_names("clusters", request.clusters, units.size), "clusters")[0]
    return TrainedFolds(
        estimators=estimators,
        shares=np.array(shares),
        n_rows=np.array([_n_known(labels[rows]) for rows in trains]),
        compute_log_odds=partial(_log_odds, estimators, X, request, folds, scores, to_pool),
        fold=np.repeat(np.arange(len(folds)), [fold.rows.size for fold in folds]),
        scores=scores,
        labels=labels[rows],
        sampling_unit=units[rows],
    )


def _scores_of(folds: list[Fold], most: int | None = None) -> Float:
    """The scores of the test rows, or of the first of each fold."""
    scores = [np.asarray(fold.predictions["y_score"], np.float64)[:most] for fold in folds]
    return np.concatenate(scores)


def _labels(request: Request) -> Float:
    """1 where a row is a positive of a column, 0 where it is a negative, nan where unknown."""
    y_true, is_known = known_labels(request.y_true)
    y = np.asarray(y_true)
    if y.ndim == 1:
        pos_label = request.pos_label if request.labels is None else request.labels
        return (y[:, None] == pos_label).astype(np.float64)
    return np.where(True if is_known is None else is_known, y == 1, np.nan)


def _n_known(labels: Float) -> NDArray[np.intp]:
    return np.count_nonzero(~np.isnan(labels), axis=0)


def _log_odds(
    estimators: Sequence[Any],
    X: Any,
    request: Request,
    folds: list[Fold],
    scores: Float,
    to_pool: bool,
) -> Float | None:
    """The log odds of the test rows; None without probabilities.

    For a warning, a few rows say whether decisions are log odds, and no model fails.
    """
    # Several classes have no positive one, and older versions of scikit-learn refuse 1.
    pos_label = request.pos_label if request.labels is None else None

    def log_odds(most: int | None) -> Float:
        rows = [fold.rows[:most] for fold in folds]
        found = predict_rows(estimators, rows, X, request.y_true, pos_label, PROBABILITIES)
        return _logit(_scores_of(found))

    if not all(hasattr(estimator, "predict_proba") for estimator in estimators):
        return None
    if not any(hasattr(estimator, "decision_function") for estimator in estimators):
        return _logit(scores)
    try:
        if not to_pool and np.allclose(log_odds(FEW), _scores_of(folds, FEW)):
            return scores
        return log_odds(None)
    except Exception:  # each model raises its own
        if to_pool:
            raise
        return None


def _logit(probabilities: Float) -> Float:
    return np.asarray(logit(np.clip(probabilities, 0.0, 1.0)))


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


def _difference(number: Float, hit: Bool) -> float:
    """The mean over positives minus that over negatives."""
    return float(number[hit].mean() - number[~hit].mean())


def _distance(score: Float, hit: Bool) -> float:
    """How far the means of the classes are apart, in standard deviations within them."""
    difference, deviation = _difference_and_deviation(score, hit)
    return max(difference / max(deviation, TINY), LEAST_DISTANCE)


def _difference_and_deviation(score: Float, hit: Bool) -> tuple[float, float]:
    """The difference of the means of the classes, and the standard deviation within them."""
    # Probabilities of 0 and 1, and rows that were not retrieved, get the score next to them.
    known = score[np.isfinite(score)]
    score = np.clip(score, known.min(), known.max())
    centred = score - np.where(hit, score[hit].mean(), score[~hit].mean())
    return _difference(score, hit), float(np.sqrt(np.mean(centred * centred)))
