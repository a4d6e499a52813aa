"""How much worse a pool of folds ranks than their models do."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import ndtri
from scipy.stats import rankdata

from sklearn_ap._inputs.arrays import ABSOLUTE_TOLERANCE
from sklearn_ap._types import Bool, Float, Index

# Folds are warned of if pooling loses more than this number of standard errors. A limit that did
# not fall with the error would be too high: below it, a simulated pool of 200 positives lost one.
LARGE_LOSS = 0.5
# Folds of few positives lose that by chance. So the loss must also be as rare as this by chance:
# logistic regressions in stratified folds were then warned of in at most 4 of 100 samples.
BY_CHANCE = 0.015


class PoolingLoss(NamedTuple):
    """How far classes are apart within folds less how far in the pool, in units of the ROC area.

    Scores of another level or of another scale in each fold bring classes together in the pool.
    """

    loss: Float  # (n_columns,)
    influence: Float  # of each row on the distance in the pool: (n_rows, n_columns)
    loss_influence: Float  # of each row on the loss: (n_rows, n_columns)

    @property
    def is_large(self) -> bool:
        """Whether the loss of any column is large beside its error, and more than chance."""
        error = np.linalg.norm(self.influence, axis=0)
        # What chance adds is of pairs of rows, and counts for both rows of a pair.
        error_by_chance = np.linalg.norm(self.loss_influence, axis=0) / np.sqrt(2)
        by_chance = -ndtri(BY_CHANCE / self.loss.size) * error_by_chance
        least = np.maximum(LARGE_LOSS * error, by_chance)
        return bool(np.any(self.loss > least + ABSOLUTE_TOLERANCE))

    def minus(self, other: PoolingLoss) -> PoolingLoss:
        """Return what this model loses more than another one, which gains nothing by pooling."""
        loss = self.loss - np.maximum(other.loss, 0.0)
        loss_influence = self.loss_influence - other.loss_influence
        return PoolingLoss(loss, self.influence - other.influence, loss_influence)

    def total(self) -> PoolingLoss:
        """Return the loss of all columns together, for their average."""
        return PoolingLoss(*(each.sum(axis=-1, keepdims=True) for each in self))


def pooling_loss(
    positive: Bool, score: Float, is_counted: Bool, segments: Index, fold: Index, units: Index
) -> PoolingLoss:
    """Measure the loss of each column; ``is_counted`` flags cells with a label and a weight."""
    segment_folds = segments * (fold.max() + 1) + fold
    loss = np.zeros(score.shape[1])
    influence, loss_influence = np.zeros(score.shape), np.zeros(score.shape)
    for column in range(loss.size):
        rows = np.flatnonzero(is_counted[:, column])
        is_positive = positive[rows, column]
        if is_positive.all() or not is_positive.any():
            continue
        ranked = score[rows, column], is_positive
        distance, influence_in_pool = _distance(*ranked, segments[rows])
        distance_within, influence_within = _distance(*ranked, segment_folds[rows])
        # The rows of a cluster tell as much as one.
        class_units = [units[rows[flags]] for flags in (~is_positive, is_positive)]
        root = np.sqrt([each.size / np.unique(each).size for each in class_units])
        root = root[is_positive.astype(int)]
        loss[column] = distance_within - distance
        influence[rows, column] = root * influence_in_pool
        loss_influence[rows, column] = root * (influence_within - influence_in_pool)
    return PoolingLoss(loss, influence, loss_influence)


def _distance(score: Float, is_positive: Bool, fold: Index) -> tuple[float, Float]:
    """Compute the distance between the mean ranks in folds of both classes, and its influence.

    It is that of least squares. If each fold has one class, its rows say nothing, and classes may
    be as far apart as can be.
    """
    rank = _shares_below(score, fold)
    # At least 1, as a fold may have no rows that count
    share = np.bincount(fold, is_positive) / np.maximum(np.bincount(fold), 1)
    centred = is_positive - share[fold]
    square = centred @ centred
    if square <= ABSOLUTE_TOLERANCE:
        return 0.5, np.zeros(rank.size)
    distance = centred @ rank / square
    return float(distance), centred * (rank - 0.5 - distance * centred) / square


def _shares_below(score: Float, fold: Index) -> Float:
    """Return the share of the rows of a fold with lower scores, plus half of the same score."""
    # 1, 2, 2 and 3 of one fold -> 0.125, 0.5, 0.5 and 0.875
    _, level = np.unique(score, return_inverse=True)
    n_rows = np.bincount(fold)
    n_in_folds_before = np.cumsum(n_rows) - n_rows
    rank = rankdata(fold * (level.max() + 1) + level) - n_in_folds_before[fold]
    return np.asarray((rank - 0.5) / n_rows[fold])
