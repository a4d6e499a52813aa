"""The order of the rows of all folds in one pool by ranks within the folds.

Scores of different folds may not be comparable, so only scores of the same fold are compared.
"""

import numpy as np

from sklearn_ap._inputs.arrays import TINY
from sklearn_ap._types import Array, Float, Index

SHARE_BITS = 30  # binary digits to which shares are rounded


def order_by_ranks(score: Array, fold: Index, weight: Float, is_micro: bool) -> Float:
    """Assign numbers to rows in the order of ranks within the folds, as shares of weight.

    Equal shares are tied. Each cell has a ``weight``. Each column has its own numbers, unless the
    average is micro, which orders all cells together.
    """
    row_size = score[0].size
    n_columns = 1 if is_micro else row_size
    cell_fold = np.repeat(fold, row_size // n_columns)
    score_columns = score.reshape(-1, n_columns).T
    weight_columns = weight.reshape(-1, n_columns).T
    numbers = np.column_stack(
        [
            _order_column(column, cell_fold, column_weight)
            for column, column_weight in zip(score_columns, weight_columns, strict=True)
        ]
    )
    is_not_retrieved = score == -np.inf
    return np.where(is_not_retrieved, -np.inf, numbers.reshape(score.shape))


def _order_column(score: Array, fold: Index, weight: Float) -> Index:
    fold_weight = np.bincount(fold, weight)
    # Relative, because a fold may weigh 1e300 times as much as another
    relative_weight = weight / np.maximum(fold_weight, TINY)[fold]
    share = _mid_ranks(score, fold, relative_weight)
    # Scores break ties of shares only within a fold: the groups are pairs of share and fold.
    return _dense_codes(_mid_ranks(score, _dense_codes(share, fold)), share)


def _mid_ranks(score: Array, group: Index, weight: Float | None = None) -> Float:
    """Compute the share of each group with lower scores, plus half the share with the same score.

    It is rounded, so that sums of weights that should be equal are equal.
    """
    level = _dense_codes(score, group)  # codes of pairs of group and score, group after group
    level_weight = np.bincount(level, weight)
    group_weight = np.bincount(group, weight)
    weight_below = np.cumsum(level_weight) - level_weight / 2
    weight_before = np.cumsum(group_weight) - group_weight  # total weight of preceding groups
    weight_in_group = weight_below[level] - weight_before[group]
    share = weight_in_group / np.maximum(group_weight, TINY)[group]
    return np.asarray(np.rint(share * 2.0**SHARE_BITS))


def _dense_codes(*keys: Array) -> Index:
    """Assign codes to the distinct rows of keys in lexicographic order, the last key first.

    keys (3, 1, 3), (0, 0, 0) -> (1, 0, 1)
    """
    order = np.lexsort(keys)
    is_new = np.any([key[order][1:] != key[order][:-1] for key in keys], axis=0)
    codes = np.zeros(order.size, np.intp)
    codes[order[1:]] = np.cumsum(is_new)
    return codes
