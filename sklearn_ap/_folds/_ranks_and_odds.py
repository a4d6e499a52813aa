"""The order of the rows of all folds in one pool: by ranks within the folds, or by odds.

Scores of several folds may not mean the same, so none is compared with those of another fold.
"""

from collections.abc import Callable

import numpy as np

from sklearn_ap._base.common.types import Array, Float, Index
from sklearn_ap._base.inputs.arrays import TINY

DIGITS = 30  # binary ones of a share, which rounding leaves as they are


def order_by_ranks(score: Array, fold: Index, weight: Float, of_cells: bool) -> Float:
    """Numbers in the order of ranks within the folds, as shares of weight; equal shares are tied.

    ``weight`` is that of each cell. Each column has numbers of its own, unless all cells are
    ordered together.
    """
    return _numbers(score, fold, weight, of_cells, _by_ranks)


def order_by_odds(score: Array, fold: Index, odds: Float, of_cells: bool) -> Float:
    """Numbers in the order of the odds; equal odds of a fold are in the order of its scores.

    Each column has numbers of its own, unless all cells are ordered together.
    """
    return _numbers(score, fold, odds, of_cells, _by_odds)


def _by_ranks(score: Array, fold: Index, weight: Float) -> Index:
    of_fold = np.bincount(fold, weight)
    in_fold = weight / np.maximum(of_fold, TINY)[fold]  # folds may weigh 1e300 times as much
    return _by_odds(score, fold, _places(score, fold, in_fold))


def _by_odds(score: Array, fold: Index, odds: Float) -> Index:
    return _codes(_places(score, _codes(odds, fold)), odds)


def _numbers(
    score: Array,
    fold: Index,
    other: Float,
    of_cells: bool,
    order: Callable[[Array, Index, Float], Index],
) -> Float:
    """The numbers of each column, from its scores, folds and others."""
    n_columns = 1 if of_cells else score[0].size
    folds = np.repeat(fold, score[0].size // n_columns)
    pairs = zip(*(each.reshape(-1, n_columns).T for each in (score, other)), strict=True)
    columns = np.column_stack([order(scores, folds, others) for scores, others in pairs])
    return np.where(score == -np.inf, -np.inf, columns.reshape(score.shape))  # not retrieved


def _places(score: Array, group: Index, weight: Float | None = None) -> Float:
    """The share of each group that scores less, and half of what scores the same.

    It is rounded, as sums of weights that should be equal differ by rounding.
    """
    level = _codes(score, group)
    of_level, of_group = (np.bincount(codes, weight) for codes in (level, group))
    below = np.cumsum(of_level) - of_level / 2  # in the order of the groups
    before = np.cumsum(of_group) - of_group
    share = (below[level] - before[group]) / np.maximum(of_group, TINY)[group]
    return np.asarray(np.rint(share * 2.0**DIGITS))


def _codes(*keys: Array) -> Index:
    """Numbers of the distinct rows of keys, in the order of the last key, then of those before."""
    order = np.lexsort(keys)
    is_new = np.any([key[order][1:] != key[order][:-1] for key in keys], axis=0)
    codes = np.zeros(order.size, np.intp)
    codes[order[1:]] = np.cumsum(is_new)
    return codes
