"""Scores of folds whose training rows differ in their prevalence, which probabilities follow.

A fold that tests many positives was trained on few, so its probabilities are too low.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import logit
from scipy.stats import rankdata

from sklearn_ap._base.common.types import Bool, Float, Index
from sklearn_ap._base.inputs.arrays import TINY
from sklearn_ap._base.inputs.checks import check_weights
from sklearn_ap._base.inputs.name_codes import check_names, encode_names
from sklearn_ap._base.inputs.request import Request
from sklearn_ap._base.inputs.targets import known_labels
from sklearn_ap._folds._cv_results import Fold, OutOfFold, predict_rows
from sklearn_ap._folds.models import PROBABILITIES

# The part of a shift that odds leave at most: shrunken logistic regression (C = .001 and .003) on
# nearly sorted rows lost .4 to .5 of it, and other models less.
LEFT_BY_ODDS = 0.5
LEAST_DEVIATION = 0.5  # of ranks: below, all rows of a class score the same


@dataclass(frozen=True, eq=False)
class TrainedFolds:
    """The models of folds, the prevalence that they were trained on, and the rows they test."""

    estimators: Sequence[Any]
    shares: Float  # the prevalence of the training rows, by weight: (folds, columns)
    fold: Index  # of each test row
    labels: Float  # 1 for positives, nan if unknown: (rows, columns)
    weight: Float  # of each of these cells, 0 if unknown
    sampling_unit: Index  # the cluster of each test row, or else its number

    @property
    def are_stratified(self) -> bool:
        """Whether the folds have as equal numbers of positives as they can."""
        n_positives = np.zeros(self.shares.shape)
        np.add.at(n_positives, self.fold, np.nan_to_num(self.labels))
        return bool(np.all(np.ptp(n_positives, axis=0) <= 1))

    def relative_odds(self, log_odds: Float) -> Float:
        """Log odds minus those of the training rows, whose mean over folds stays."""
        of_training = logit(self.shares)
        offset = of_training - of_training.mean(axis=0)  # columns keep what they differ by
        return np.asarray(log_odds - offset[self.fold].reshape(log_odds.shape))

    def shifts(self, y_score: Any) -> Float:
        """How much less the mean ranks of both classes are apart in the pool than within folds.

        In standard errors, of each column; minus that is about how much too low the pool scores.
        """
        scores = np.asarray(y_score, np.float64).reshape(self.labels.shape)
        return np.array([self._shift(i, score) for i, score in enumerate(scores.T)])

    def _shift(self, column: int, score: Float) -> float:
        known, hit, error = self._classes(column)
        rank, fold = rankdata(score[known]), self.fold[known]
        if not error or rank[hit].min() > rank[~hit].max():  # a perfect pool has lost nothing
            return 0.0
        in_pool, in_folds = (_difference(rank, hit, each) for each in (np.zeros_like(fold), fold))
        deviation = np.std(rank - in_pool * hit)  # within the classes
        return float((in_pool - in_folds) / (max(deviation, LEAST_DEVIATION) * error))

    def shifts_of_odds(self) -> Float:
        """What odds leave of it: the slopes of shrunken models follow the prevalence, too."""
        shifts = np.zeros(self.shares.shape[1])
        for i, of_training in enumerate(logit(self.shares).T):
            known, hit, error = self._classes(i)
            offset = of_training[self.fold[known]]
            if error:
                shifts[i] = LEFT_BY_ODDS * (offset[hit].mean() - offset[~hit].mean()) / error
        return shifts

    def _classes(self, column: int) -> tuple[Bool, Bool, float]:
        """Which labels are known, which of these are positives, and how far chance moves both.

        The last is the standard error of the distance of the means of both classes, in standard
        deviations within them, where a cluster counts once; 0 if a class has no rows.
        """
        known = ~np.isnan(self.labels[:, column])
        hit, units = self.labels[known, column] == 1, self.sampling_unit[known]
        n_cases = [np.unique(units[each]).size for each in (hit, ~hit)]
        return known, hit, float(np.sqrt(1 / n_cases[0] + 1 / n_cases[1])) if all(n_cases) else 0.0

    def of_mean(self, shifts: Float) -> Float:
        """The shift of the mean over columns, in its own standard errors.

        Columns vary each by itself, or together as far as they have the same positives.
        """
        n_known = np.count_nonzero(~np.isnan(self.labels), axis=0)
        means = np.nansum(self.labels, axis=0) / np.maximum(n_known, 1)
        centred = np.nan_to_num(self.labels - means)
        uncertainty = np.sqrt(np.mean(centred * centred, axis=0))
        together = np.sum(centred / np.maximum(uncertainty, TINY), axis=1)
        variance = max(np.mean(together * together), np.count_nonzero(uncertainty), 1)
        return shifts.sum(keepdims=True) / np.sqrt(variance)

    def why_no_odds(self) -> str:
        """What keeps odds from being pooled, such as training rows of one class; "" if nothing."""
        name = type(self.estimators[0]).__name__
        has_one_class = (self.shares == 0) | (self.shares == 1)
        if not all(hasattr(each, "predict_proba") for each in self.estimators):
            why = f"{name} has no predict_proba. Calibrate it with CalibratedClassifierCV."
            if isinstance(self.estimators[0], OutOfFold):
                why = "y_score is not within 0 and 1: pass those of predict_proba, if there are."
            return (
                f"pooling='odds' needs probabilities, but {why} Or split with StratifiedKFold or "
                f"StratifiedGroupKFold, and pass pooling='ranks'."
            )
        if _are_balanced(self.estimators[0]):
            return (
                f"pooling='odds' is not for class_weight='balanced': the probabilities of {name} "
                f"do not follow the prevalence in its training rows. Pass "
                f"pooling='scores'."
            )
        if not has_one_class.any():
            return ""
        number = np.argmax(has_one_class.any(axis=1))
        return (
            f"pooling='odds' needs training rows of both classes, but those of fold {number} hold "
            f"no {'positive' if np.any(self.shares[number] == 0) else 'negative'}. Split with "
            f"StratifiedKFold or StratifiedGroupKFold."
        )


def trained_folds(cv_results: dict[str, Any], request: Request, folds: list[Fold]) -> TrainedFolds:
    """What the models of the folds were trained on."""
    trains, labels = cv_results["indices"]["train"], _labels(request)
    weight = check_weights(request.sample_weight, len(labels))
    weight = np.ones(len(labels)) if weight is None else weight
    known, positive = np.where(np.isnan(labels), 0.0, weight[:, None]), np.nan_to_num(labels)
    totals = [np.maximum(known[rows].sum(axis=0), TINY) for rows in trains]
    pairs = zip(trains, totals, strict=True)
    shares = [weight[rows] @ positive[rows] / total for rows, total in pairs]
    rows, units = np.concatenate([fold.rows for fold in folds]), np.arange(len(labels))
    if request.clusters is not None:
        units = encode_names(check_names("clusters", request.clusters, units.size), "clusters")[0]
    return TrainedFolds(
        estimators=cv_results["estimator"],
        shares=np.array(shares),
        fold=np.repeat(np.arange(len(folds)), [fold.rows.size for fold in folds]),
        labels=labels[rows],
        weight=known[rows],
        sampling_unit=units[rows],
    )


def log_odds_of(trained: TrainedFolds, X: Any, request: Request, folds: list[Fold]) -> Float:
    """The log odds of the test rows, by the probabilities of their models."""
    if why := trained.why_no_odds():
        raise ValueError(why)
    odds = folds
    if any(hasattr(each, "decision_function") for each in trained.estimators):  # scores are others
        # Several classes have no positive one, and older versions of scikit-learn refuse 1.
        pos_label = request.pos_label if request.labels is None else None
        models, rows = list(trained.estimators), [fold.rows for fold in folds]
        odds = predict_rows(models, rows, X, request.y_true, pos_label, PROBABILITIES)
    scores = [np.asarray(fold.predictions["y_score"], np.float64) for fold in odds]
    return np.asarray(logit(np.clip(np.concatenate(scores), 0.0, 1.0)))


def _labels(request: Request) -> Float:
    """1 where a row is a positive of a column, 0 where it is a negative, nan where unknown."""
    y_true, is_known = known_labels(request.y_true)
    y = np.asarray(y_true)
    if y.ndim == 1:
        pos_label = request.pos_label if request.labels is None else request.labels
        return (y[:, None] == pos_label).astype(np.float64)
    return np.where(True if is_known is None else is_known, y == 1, np.nan)


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


def _difference(rank: Float, hit: Bool, group: Index) -> float:
    """How far the mean ranks of both classes are apart within groups, by least squares.

    Groups of one class each show nothing. Their positives may stand above all negatives.
    """
    # A group may have no rows with a known label.
    centred = hit - (np.bincount(group, hit) / np.maximum(np.bincount(group), 1))[group]
    square = centred @ centred
    return float(centred @ rank / square) if square > TINY else rank.size / 2
