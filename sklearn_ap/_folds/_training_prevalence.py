"""The effect of unequal prevalences of training rows on the scores of folds.

A model that is tested on many positives was trained on few, so its probabilities are too low.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata

from sklearn_ap._folds._cv_results import Fold
from sklearn_ap._inputs.arrays import TINY
from sklearn_ap._inputs.labels import known_labels
from sklearn_ap._inputs.names import check_names, encode_names
from sklearn_ap._inputs.request import Request
from sklearn_ap._inputs.weights import check_weights
from sklearn_ap._types import Bool, Float, Index, Label

SMALLEST_DEVIATION = 0.5  # in ranks: it is only smaller if all rows of a class have one score


class ColumnClasses(NamedTuple):
    """The rows of both classes in a column."""

    is_known: Bool  # (n_rows,)
    is_positive: Bool  # (n_known,)
    # The standard error of the distance between the class means, in units of the standard deviation
    # within classes. A cluster counts once. It is 0 if a class has no rows.
    standard_error: float


@dataclass(frozen=True, eq=False)
class ComparedFolds:
    """The rows that folds test, where rows of different folds are compared."""

    fold: Index  # fold of each test row: (n_rows,)
    labels: Float  # 1 for positives, nan if unknown: (n_rows, n_columns)
    weight: Float  # weight of each label, 0 if unknown: (n_rows, n_columns)
    sampling_unit: Index  # cluster of each test row, or else its row number: (n_rows,)

    @property
    def are_stratified(self) -> bool:
        """Whether the folds' numbers of positives differ by at most 1."""
        n_positives = np.zeros((self.fold.max() + 1, self.labels.shape[1]))
        np.add.at(n_positives, self.fold, np.nan_to_num(self.labels))
        return bool(np.all(np.ptp(n_positives, axis=0) <= 1))

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


def compared_folds(request: Request, folds: list[Fold]) -> ComparedFolds:
    """Gather the rows that the folds test."""
    labels = _label_table(request)
    n_rows = len(labels)
    row_weight = check_weights(request.sample_weight, n_rows)
    row_weight = np.ones(n_rows) if row_weight is None else row_weight
    cell_weight = np.where(np.isnan(labels), 0.0, row_weight[:, None])  # (n_rows, n_columns)
    sampling_unit = np.arange(n_rows)
    if request.clusters is not None:
        names = check_names("clusters", request.clusters, n_rows)
        sampling_unit, _ = encode_names(names, "clusters")
    test_rows = np.concatenate([fold.rows for fold in folds])
    return ComparedFolds(
        fold=np.repeat(np.arange(len(folds)), [fold.rows.size for fold in folds]),
        labels=labels[test_rows],
        weight=cell_weight[test_rows],
        sampling_unit=sampling_unit[test_rows],
    )


def _label_table(request: Request) -> Float:
    """Make a table of 1 for positives, 0 for negatives, and nan for unknown labels."""
    y_true, is_known = known_labels(request.y_true)
    y = np.asarray(y_true)
    if y.ndim == 1:  # a column for the positive label, or for each class
        positives: Label = request.pos_label if request.labels is None else request.labels
        return (y[:, None] == positives).astype(np.float64)
    return np.where(True if is_known is None else is_known, y == 1, np.nan)


def _class_distance(rank: Float, is_positive: Bool, group: Index) -> float:
    """Compute the distance between the mean ranks of both classes within groups, by least squares.

    If each group has one class, fully separated groups count as half of all ranks.
    """
    # At least 1, as a group may have no rows with a known label
    group_share = np.bincount(group, is_positive) / np.maximum(np.bincount(group), 1)
    centred = is_positive - group_share[group]
    square = centred @ centred
    return float(centred @ rank / square) if square > TINY else rank.size / 2
