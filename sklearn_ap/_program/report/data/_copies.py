"""Rows that repeat another one, apart from those that are equal because scores are rounded."""

from collections.abc import Sequence

import numpy as np

from sklearn_ap._base.common.types import Array, Float
from sklearn_ap._base.inputs.name_codes import encode_names
from sklearn_ap._program.report.data.predictions import Predictions

FEWEST_COPIES = 0.005  # a share of the rows; fewer that are alike may be chance
MOST_COPIES = 0.75  # more are alike because there are few values
FEW_DIGITS = 4  # after the point; with so few, equal scores say nothing
MOST_DIGITS = 9  # with more, no scores are equal by chance
CLEAR = 3  # standard errors


def count_copies(data: Predictions) -> int:
    """Count rows that repeat another one, unless rounding or few distinct values explain it.

    Rows that a model did not retrieve, or ranks above all others, have no score that can repeat.
    """
    all_scores = [*data.y_scores.values()]
    kept = np.all([np.isfinite(score) for score in all_scores], axis=0)
    scores = [np.asarray(score)[kept] for score in all_scores]
    digits = _decimal_digits(scores)
    if digits <= FEW_DIGITS:
        return 0
    others: list[Array] = [data.y_true[kept]]
    if "queries" in data.options:
        others.append(encode_names(data.options["queries"], "queries")[0][kept])
    if "sample_weight" in data.options:
        others.append(data.options["sample_weight"][kept])
    n = int(kept.sum()) - int(np.count_nonzero(_group_starts([*scores, *others])))
    if not max(1, FEWEST_COPIES * data.n_rows) < n < MOST_COPIES * data.n_rows:
        return 0
    return 0 if digits <= MOST_DIGITS and _are_rounded(scores, others, digits) else n


def _decimal_digits(scores: Sequence[Float]) -> int:
    """Count the digits after the point that all scores have, or one more than ``MOST_DIGITS``."""
    with np.errstate(over="ignore"):  # scores near the largest float overflow
        for digits in range(FEW_DIGITS, MOST_DIGITS + 1):
            if all(np.array_equal(np.round(score, digits), score) for score in scores):
                return digits
    return MOST_DIGITS + 1


def _group_starts(columns: Sequence[Array], order: Array | None = None) -> Array:
    """Mark the first row of each group that is equal in all columns, in their order."""
    order = np.lexsort(columns) if order is None else order
    differs = np.logical_or.reduce([column[order][1:] != column[order][:-1] for column in columns])
    return np.append(True, differs)


def _are_rounded(scores: Sequence[Float], others: Sequence[Array], digits: int) -> bool:
    """Check whether the digits of scores explain the rows that are equal.

    Where scores have one digit less, ten values or more become one. So ten times as many pairs of
    rows are equal as by chance, but no more copies. Only values that fewer than ten rows share then
    are counted: of more rows, some must be equal.
    """
    coarse = [*(np.round(score, digits - 1) for score in scores), *others]
    order = np.lexsort([*scores, *coarse])
    coarse_starts = _group_starts(coarse, order)
    starts = _group_starts([*scores, *coarse], order)
    coarse_sizes = np.diff(np.append(np.flatnonzero(coarse_starts), order.size))
    sizes = np.diff(np.append(np.flatnonzero(starts), order.size))
    is_small = coarse_sizes < 10
    n_coarse_pairs = _count_pairs(coarse_sizes[is_small])
    n_pairs = _count_pairs(sizes[is_small[np.cumsum(coarse_starts)[starts] - 1]])
    n_expected = (n_coarse_pairs - n_pairs) / 9
    return n_pairs - n_expected <= max(CLEAR * np.sqrt(n_expected), FEWEST_COPIES * order.size)


def _count_pairs(sizes: Array) -> float:
    """Count the pairs of rows within groups."""
    return float(np.sum(sizes * (sizes - 1))) / 2
