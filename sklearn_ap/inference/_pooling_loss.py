"""How much worse a pool of folds ranks than their models do."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri
from scipy.stats import rankdata

from sklearn_ap._inputs.arrays import ABSOLUTE_TOLERANCE, as_column
from sklearn_ap._inputs.names import encode_names
from sklearn_ap._inputs.request import Request
from sklearn_ap._inputs.targets import check_targets
from sklearn_ap._inputs.weights import check_weights
from sklearn_ap._types import Bool, Float, Index

# Folds are warned of if pooling loses more than this number of standard errors. A limit that did
# not fall with the error would be too high: below it, a simulated pool of 200 positives lost one.
LARGE_LOSS = 0.5
# Folds of few positives lose that by chance. So the loss must also be as rare as this by chance:
# logistic regressions in stratified folds were then warned of in at most 4 of 100 samples.
BY_CHANCE = 0.015


def ranks_worse_than_folds(pool: Request, segments: Index, fold: Index) -> bool:
    """Check whether a pool ranks clearly worse than the models of its folds do.

    Scores of another level or of another scale in each fold bring classes together in the pool.
    Each segment is ranked by itself.
    """
    loss, influence, loss_influence = _measure_loss(pool, segments, fold)
    if pool.average is not None:  # the loss of all columns together
        loss, influence, loss_influence = (
            each.sum(axis=-1, keepdims=True) for each in (loss, influence, loss_influence)
        )
    error = np.linalg.norm(influence, axis=0)
    # What chance adds is of pairs of rows, and counts for both rows of a pair.
    error_by_chance = np.linalg.norm(loss_influence, axis=0) / np.sqrt(2)
    by_chance = -ndtri(BY_CHANCE / loss.size) * error_by_chance
    least = np.maximum(LARGE_LOSS * error, by_chance)
    return bool(np.any(loss > least + ABSOLUTE_TOLERANCE))


def _measure_loss(pool: Request, segments: Index, fold: Index) -> tuple[Float, Float, Float]:
    """Measure how far classes are apart within folds less how far in the pool, in ROC area.

    Return the loss of each column, and the influence of each row on the distance in the pool, and
    on the loss.
    """
    targets = check_targets(pool.y_true, pool.y_score, pool.pos_label, pool.labels)
    n_rows = fold.size
    scores = targets.score.reshape(n_rows, -1)
    units = np.arange(n_rows)
    if pool.clusters is not None:
        units, _ = encode_names(as_column("clusters", pool.clusters, n_rows), "clusters")
    positive = targets.positive.reshape(scores.shape)
    is_counted = np.ones(scores.shape, bool)  # the cells with a known label and a weight
    if targets.is_known is not None:
        is_counted = targets.is_known.reshape(scores.shape)
    weight = check_weights(pool.sample_weight, n_rows)
    if weight is not None:
        is_counted = is_counted & (weight > 0)[:, None]
    segment_folds = segments * (fold.max() + 1) + fold
    loss = np.zeros(scores.shape[1])
    influence, loss_influence = np.zeros(scores.shape), np.zeros(scores.shape)
    for column in range(loss.size):
        rows = np.flatnonzero(is_counted[:, column])
        is_positive = positive[rows, column]
        if is_positive.all() or not is_positive.any():
            continue
        ranked = scores[rows, column], is_positive
        distance, influence_in_pool = _distance(*ranked, segments[rows])
        distance_within, influence_within = _distance(*ranked, segment_folds[rows])
        # The rows of a cluster tell as much as one.
        class_units = [units[rows[flags]] for flags in (~is_positive, is_positive)]
        root = np.sqrt([each.size / np.unique(each).size for each in class_units])
        root = root[is_positive.astype(int)]
        loss[column] = distance_within - distance
        influence[rows, column] = root * influence_in_pool
        loss_influence[rows, column] = root * (influence_within - influence_in_pool)
    return loss, influence, loss_influence


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
