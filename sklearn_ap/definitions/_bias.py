"""The bias of a value in a small sample: how far the expected value is above the population's.

Equations are those of docs/methods.md.
"""

from typing import NamedTuple

import numpy as np

from sklearn_ap._counts.thresholds import ThresholdCounts, ratio
from sklearn_ap._inputs.arrays import RELATIVE_TOLERANCE, TINY
from sklearn_ap._types import Array, Float, FloatOrArray
from sklearn_ap.definitions._influence import (
    Arguments,
    HeightFunction,
    evaluate_heights,
    separate_heights,
)

LARGEST_CLASS = 1e9  # beyond this many rows, leaving out one changes less than rounding
BELOW = "below"  # the key of rows below a threshold, on which its height does not depend
CACHED_THRESHOLDS = 2**13  # the arrays of one chunk stay in the cache


class _RowClass(NamedTuple):
    """The positives or the negatives, of which each row is left out."""

    total: Array  # the weight of all its rows, of shape (n_rankings,)
    row_weight: FloatOrArray
    tied_name: str  # the argument of heights that counts the rows at the threshold
    above_name: str  # the argument of heights that counts the rows above the threshold


def jackknife_bias(
    heights: HeightFunction,
    divisor: Array,
    counts: ThresholdCounts,
    weight_of_negative: FloatOrArray = 1.0,
) -> Float:
    """Compute how much higher samples score on average than the population.

    Equation 4, the jackknife (Quenouille 1956): each row is left out once, and the rest of its
    class weighs more, so that the prevalence stays. The bias is nan where a height depends on more
    than its own threshold and ``n_positives``, or where a class has a single row. It grows with the
    weight of a row, so in huge classes many rows are merged into a heavier one, and the bias of
    these is scaled down.
    """
    evaluated = evaluate_heights(heights, counts)
    bias = np.zeros(divisor.shape)
    if not evaluated.are_separate:
        return np.full_like(bias, np.nan)
    terms = evaluated.arguments["gained"] * evaluated.heights
    for rows in (
        _RowClass(counts.n_positives, 1.0, "gained", "tps_above"),
        _RowClass(counts.n_negatives, weight_of_negative, "tied", "fps_above"),
    ):
        merged_weight = np.broadcast_to(
            np.maximum(rows.row_weight, rows.total / LARGEST_CLASS), divisor.shape
        )
        reduced = _reduced_terms(heights, evaluated.arguments, counts, rows, merged_weight)
        # The sum of differences, as the difference of sums would lose the digits of a small one.
        change = ratio(counts.sum(reduced - terms), divisor)
        n_others = rows.total / merged_weight - 1  # n_c - 1
        class_bias = n_others * change * (rows.row_weight / merged_weight)
        bias += np.where(n_others > RELATIVE_TOLERANCE, class_bias, np.nan)
    return bias


def _reduced_terms(
    heights: HeightFunction,
    arguments: Arguments,
    counts: ThresholdCounts,
    rows: _RowClass,
    row_weight: Array,
) -> FloatOrArray:
    """Compute ``gained * height`` of each threshold, on average over the rows to leave out.

    A row stands at the threshold, above it or below it. Each weighs ``row_weight``, of shape
    (n_rankings,).
    """
    total = counts.each(rows.total)
    row = counts.each(row_weight)
    factor = total / np.maximum(total - row, TINY)  # n_c / (n_c - 1)
    class_names = (rows.tied_name, rows.above_name)
    n_tied = arguments[rows.tied_name]
    n_above = arguments[rows.above_name]
    # Three cases: the row to leave out stands at the threshold, above it, or below it.
    cases = {rows.tied_name: n_tied, rows.above_name: n_above, BELOW: total - (n_tied + n_above)}
    mean: FloatOrArray = 0.0
    for case, case_weight in cases.items():
        rest = case_weight - row
        reduced = arguments | {case: np.where(rest > RELATIVE_TOLERANCE * row, rest, 0.0)}
        reduced |= {name: factor * reduced[name] for name in class_names}
        # A threshold with less than one row then gains a negative weight: with 0 in its place, the
        # sum over all thresholds would be too large.
        loss = row if case == "gained" else 0.0
        gained = arguments["gained"] - loss
        gained = gained * factor if "gained" in class_names else gained
        # A height without a positive at its threshold may be undefined, so it stays as it is.
        has_positives = reduced["gained"] > 0
        defined_arguments = {
            name: np.where(has_positives, reduced[name], arguments[name]) for name in arguments
        }
        share = case_weight / np.maximum(total, TINY)
        mean = mean + share * gained * separate_heights(heights, defined_arguments)
    return mean


class _ClassWeights(NamedTuple):
    """The weights of both classes, as the closed form needs them.

    Each array has shape (n_thresholds,), or (1,) if there is a single ranking.
    """

    n_positives: Array
    positive_factor: Array  # (p - 1) / p: the relative weight of negatives as positives grow
    n_negatives: Array
    row_weight: Array  # the weight of one negative
    n_other_negatives: Array  # n - 1, where n counts negatives
    negative_factor: Array  # n / (n - 1): the factor of the weight of the other negatives


def step_bias(counts: ThresholdCounts, weight_of_negative: FloatOrArray) -> Array:
    """Compute the jackknife bias of step average precision in closed form.

    Equation 4. A row that is left out stands at or above a threshold, or below it. The rest of its
    class weighs more: n_c - 1 rows weigh as much as n_c. The change of a precision is written as
    products, because a difference of two sums over many rows would lose the digits of a
    small bias.
    """
    p = counts.n_positives.astype(np.float64)
    n = counts.n_negatives.astype(np.float64)
    row_weight = np.zeros(p.shape) + weight_of_negative
    n_others = n / row_weight - 1
    has_both = (p > 1 + RELATIVE_TOLERANCE) & (n_others > RELATIVE_TOLERANCE)
    negative_factor = np.where(has_both, n / np.maximum(n - row_weight, TINY), 1.0)
    weights = _ClassWeights(
        n_positives=counts.each(p),
        positive_factor=counts.each((p - 1) / np.maximum(p, 1)),
        n_negatives=counts.each(n),
        row_weight=counts.each(row_weight),
        n_other_negatives=counts.each(n_others),
        negative_factor=counts.each(negative_factor),
    )
    changes = np.empty(counts.tps.size)
    for begin in range(0, changes.size, CACHED_THRESHOLDS):
        chunk = slice(begin, begin + CACHED_THRESHOLDS)
        tp = counts.tps[chunk].astype(np.float64)
        fp = counts.fps[chunk].astype(np.float64)
        part = _chunk_weights(weights, chunk)
        changes[chunk] = _positive_changes(tp, fp, part) + _negative_changes(tp, fp, part)
    return np.where(has_both, ratio(counts.sum(counts.gained * changes), p), np.nan)


def _chunk_weights(weights: _ClassWeights, chunk: slice) -> _ClassWeights:
    return _ClassWeights._make(array if array.size == 1 else array[chunk] for array in weights)


def _positive_changes(tp: Float, fp: Float, weights: _ClassWeights) -> Float:
    """Add up the changes of the precision h = tp / (tp + fp) when each positive is left out.

    With o = fp (p - 1) / p, as other positives weigh more beside the negatives, this is
    (tp - 1) ((tp - 1) / (tp - 1 + o) - h) + (p - tp) (tp / (tp + o) - h), written as products.
    """
    p = weights.n_positives
    size = tp + fp
    o = fp * weights.positive_factor
    above = o / np.maximum(tp - 1 + o, TINY)
    is_light = tp < 1  # less than one positive: all of its weight is left out
    if is_light.any():
        above = np.where(is_light, tp, above)
    changes = fp / size * ((p - tp) / p) * above / (tp + o)
    if is_light.any():
        changes = changes + np.maximum(1 - tp, 0.0) * (tp / size)
    return changes


def _negative_changes(tp: Float, fp: Float, weights: _ClassWeights) -> Float:
    """Add up the changes of the precision h = tp / (tp + fp) when each negative is left out.

    With w = n / (n - 1), as other negatives weigh more, this is
    (fp (tp / (tp + w (fp - 1)) - h) + (n - fp) (tp / (tp + w fp) - h)) / w, written as products.
    """
    n = np.maximum(weights.n_negatives, TINY)  # without negatives, the bias is unknown
    row_weight = weights.row_weight
    w = weights.negative_factor
    size = tp + fp * w
    share_below = (n - fp) / n
    size_without = tp + w * np.maximum(fp - row_weight, 0.0)  # without one negative
    changes = tp / (tp + fp) * (fp / size_without) * share_below * (w * row_weight / size)
    is_light = (fp < row_weight) & (fp > 0)  # less than one negative
    if is_light.any():
        # All of the weight of these negatives is left out.
        lightest = (
            fp / (tp + fp) * (weights.n_other_negatives * (fp / n) - share_below * (tp / size))
        )
        changes = np.where(is_light, lightest, changes)
    return changes
