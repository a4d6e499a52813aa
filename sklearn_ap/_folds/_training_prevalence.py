"""The effect of unequal prevalences of training rows on the scores of folds.

A model that is tested on many positives was trained on few, so its probabilities are too low.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import logit
from scipy.stats import rankdata

from sklearn_ap._base.common.tuned_constants import UNCORRECTED_SHIFT
from sklearn_ap._base.common.types import Bool, Estimator, Float, Index, Label, RowData
from sklearn_ap._base.inputs.arrays import TINY
from sklearn_ap._base.inputs.checks import check_weights
from sklearn_ap._base.inputs.name_codes import check_names, encode_names
from sklearn_ap._base.inputs.request import Request
from sklearn_ap._base.inputs.targets import known_labels
from sklearn_ap._folds._cv_results import CheckedResults, Fold, OutOfFold, predict_rows
from sklearn_ap._folds.models import PROBABILITIES

SMALLEST_DEVIATION = 0.5  # in ranks: it is only smaller if all rows of a class have one score


class ColumnClasses(NamedTuple):
    """The rows of both classes in a column."""

    is_known: Bool  # (n_rows,)
    is_positive: Bool  # (n_known,)
    # The standard error of the distance between the class means, in units of the standard deviation
    # within classes. A cluster counts once. It is 0 if a class has no rows.
    standard_error: float


@dataclass(frozen=True, eq=False)
class TrainedFolds:
    """The models of folds, the prevalence that they were trained on, and the rows they test."""

    estimators: Sequence[Estimator]
    prevalence: Float  # weighted prevalence of the training rows: (n_folds, n_columns)
    fold: Index  # fold of each test row: (n_rows,)
    labels: Float  # 1 for positives, nan if unknown: (n_rows, n_columns)
    weight: Float  # weight of each label, 0 if unknown: (n_rows, n_columns)
    sampling_unit: Index  # cluster of each test row, or else its row number: (n_rows,)

    @property
    def are_stratified(self) -> bool:
        """Whether the folds' numbers of positives differ by at most 1."""
        n_positives = np.zeros(self.prevalence.shape)
        np.add.at(n_positives, self.fold, np.nan_to_num(self.labels))
        return bool(np.all(np.ptp(n_positives, axis=0) <= 1))

    def relative_odds(self, log_odds: Float) -> Float:
        """Subtract the log odds of the training rows, as deviations from their mean over folds."""
        training_odds = logit(self.prevalence)
        # Only deviations within columns, so differences between columns stay
        offset = training_odds - training_odds.mean(axis=0)
        return np.asarray(log_odds - offset[self.fold].reshape(log_odds.shape))

    def shifts(self, y_score: Float) -> Float:
        """Compute how much closer the mean ranks of both classes are in the pool than in folds.

        Each column has a shift, in standard errors. It is negative, and about the error of the
        pool's score.
        """
        scores = np.asarray(y_score, np.float64).reshape(self.labels.shape)
        return np.array([self._shift(column, score) for column, score in enumerate(scores.T)])

    def _shift(self, column: int, score: Float) -> float:
        classes = self._classes(column)
        is_positive = classes.is_positive
        rank = rankdata(score[classes.is_known])
        fold = self.fold[classes.is_known]
        if not classes.standard_error:
            return 0.0
        is_perfect = rank[is_positive].min() > rank[~is_positive].max()
        if is_perfect:  # then pooling has lost nothing
            return 0.0
        pool_distance = _class_distance(rank, is_positive, np.zeros_like(fold))
        fold_distance = _class_distance(rank, is_positive, fold)
        deviation = np.std(rank - pool_distance * is_positive)  # within the classes
        error = max(deviation, SMALLEST_DEVIATION) * classes.standard_error
        return float((pool_distance - fold_distance) / error)

    def odds_shifts(self) -> Float:
        """Compute the shifts that remain with odds, in standard errors: one for each column.

        Odds do not correct the slopes of shrunken models, which depend on the prevalence.
        """
        shifts = np.zeros(self.prevalence.shape[1])
        for column, training_odds in enumerate(logit(self.prevalence).T):
            classes = self._classes(column)
            is_positive = classes.is_positive
            offset = training_odds[self.fold[classes.is_known]]
            if classes.standard_error:
                distance = offset[is_positive].mean() - offset[~is_positive].mean()
                shifts[column] = UNCORRECTED_SHIFT * distance / classes.standard_error
        return shifts

    def _classes(self, column: int) -> ColumnClasses:
        is_known = ~np.isnan(self.labels[:, column])
        is_positive = self.labels[is_known, column] == 1
        units = self.sampling_unit[is_known]
        n_positive_units = np.unique(units[is_positive]).size
        n_negative_units = np.unique(units[~is_positive]).size
        error = 0.0
        if n_positive_units and n_negative_units:
            error = float(np.sqrt(1 / n_positive_units + 1 / n_negative_units))
        return ColumnClasses(is_known, is_positive, error)

    def mean_shift(self, shifts: Float) -> Float:
        """Compute the shift of the mean over columns, in standard errors of this mean.

        Columns vary independently, or together to the degree to which they share positives.
        """
        n_known = np.count_nonzero(~np.isnan(self.labels), axis=0)
        column_prevalence = np.nansum(self.labels, axis=0) / np.maximum(n_known, 1)
        centred = np.nan_to_num(self.labels - column_prevalence)  # (n_rows, n_columns)
        deviation = np.sqrt(np.mean(centred * centred, axis=0))
        # If columns are independent, the variance of this sum is their number.
        standardized_sum = np.sum(centred / np.maximum(deviation, TINY), axis=1)
        n_varying = np.count_nonzero(deviation)
        variance = max(np.mean(standardized_sum * standardized_sum), n_varying, 1)
        return shifts.sum(keepdims=True) / np.sqrt(variance)

    def why_no_odds(self) -> str:
        """Explain why odds cannot be pooled; "" if they can be."""
        name = type(self.estimators[0]).__name__
        has_one_class = (self.prevalence == 0) | (self.prevalence == 1)
        if not all(map(_has_probabilities, self.estimators)):
            reason = f"{name} has no predict_proba. Calibrate it with CalibratedClassifierCV."
            if isinstance(self.estimators[0], OutOfFold):
                reason = "y_score is not within 0 and 1: pass those of predict_proba, if there are."
            return (
                f"pooling='odds' needs probabilities, but {reason} Or split with StratifiedKFold "
                f"or StratifiedGroupKFold, and pass pooling='ranks'."
            )
        if _are_balanced(self.estimators[0]):
            return (
                f"pooling='odds' is not for class_weight='balanced': the probabilities of {name} "
                f"do not follow the prevalence in its training rows. Pass pooling='scores'."
            )
        if not has_one_class.any():
            return ""
        fold = np.argmax(has_one_class.any(axis=1))
        absent_class = "positive" if np.any(self.prevalence[fold] == 0) else "negative"
        return (
            f"pooling='odds' needs training rows of both classes, but those of fold {fold} hold "
            f"no {absent_class}. Split with StratifiedKFold or StratifiedGroupKFold."
        )


def trained_folds(cv_results: CheckedResults, request: Request, folds: list[Fold]) -> TrainedFolds:
    """Gather the models of the folds, their training prevalence, and the rows they test."""
    labels = _label_table(request)
    n_rows = len(labels)
    row_weight = check_weights(request.sample_weight, n_rows)
    row_weight = np.ones(n_rows) if row_weight is None else row_weight
    cell_weight = np.where(np.isnan(labels), 0.0, row_weight[:, None])  # (n_rows, n_columns)
    is_positive = np.nan_to_num(labels)
    prevalence = []
    for train_rows in cv_results.train_rows:
        total_weight = np.maximum(cell_weight[train_rows].sum(axis=0), TINY)
        prevalence.append(row_weight[train_rows] @ is_positive[train_rows] / total_weight)
    sampling_unit = np.arange(n_rows)
    if request.clusters is not None:
        names = check_names("clusters", request.clusters, n_rows)
        sampling_unit, _ = encode_names(names, "clusters")
    test_rows = np.concatenate([fold.rows for fold in folds])
    return TrainedFolds(
        estimators=cv_results.estimators,
        prevalence=np.array(prevalence),
        fold=np.repeat(np.arange(len(folds)), [fold.rows.size for fold in folds]),
        labels=labels[test_rows],
        weight=cell_weight[test_rows],
        sampling_unit=sampling_unit[test_rows],
    )


def predicted_log_odds(
    trained: TrainedFolds, X: RowData, request: Request, folds: list[Fold]
) -> Float:
    """Compute the log odds of the test rows, by the probabilities of their models."""
    if reason := trained.why_no_odds():
        raise ValueError(reason)
    if any(hasattr(estimator, "decision_function") for estimator in trained.estimators):
        # The scores of the folds are then decision values, so probabilities are predicted anew.
        # With several classes none is the positive one, and older scikit-learn refuses 1.
        pos_label = request.pos_label if request.labels is None else None
        estimators = list(trained.estimators)
        rows = [fold.rows for fold in folds]
        folds = predict_rows(estimators, rows, X, request.y_true, pos_label, PROBABILITIES)
    probabilities = [np.asarray(fold.predictions["y_score"], np.float64) for fold in folds]
    return np.asarray(logit(np.clip(np.concatenate(probabilities), 0.0, 1.0)))


def _label_table(request: Request) -> Float:
    """Make a table of 1 for positives, 0 for negatives, and nan for unknown labels."""
    y_true, is_known = known_labels(request.y_true)
    y = np.asarray(y_true)
    if y.ndim == 1:  # a column for the positive label, or for each class
        positives: Label = request.pos_label if request.labels is None else request.labels
        return (y[:, None] == positives).astype(np.float64)
    return np.where(True if is_known is None else is_known, y == 1, np.nan)


def _has_probabilities(estimator: Estimator) -> bool:
    """Check whether the scores of a fold are, or may be, probabilities."""
    if isinstance(estimator, OutOfFold):
        return estimator.has_probabilities
    return hasattr(estimator, "predict_proba")


def _are_balanced(estimator: Estimator) -> bool:
    """Check whether the model weights its classes equally, whatever their prevalence."""
    if hasattr(estimator, "best_estimator_"):
        return _are_balanced(estimator.best_estimator_)
    if hasattr(estimator, "steps"):
        return _are_balanced(estimator.steps[-1][1])
    if hasattr(estimator, "calibrated_classifiers_"):  # calibration takes no class weights
        return False
    parameters = estimator.get_params() if hasattr(estimator, "get_params") else {}
    return any(
        name.endswith("class_weight") and str(value).startswith("balanced")
        for name, value in parameters.items()
    )


def _class_distance(rank: Float, is_positive: Bool, group: Index) -> float:
    """Compute the distance between the mean ranks of both classes within groups, by least squares.

    If each group has one class, fully separated groups count as half of all ranks.
    """
    # At least 1, as a group may have no rows with a known label
    group_share = np.bincount(group, is_positive) / np.maximum(np.bincount(group), 1)
    centred = is_positive - group_share[group]
    square = centred @ centred
    return float(centred @ rank / square) if square > TINY else rank.size / 2
