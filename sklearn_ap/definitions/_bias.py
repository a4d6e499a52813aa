"""The bias of a value in a small sample: how much higher it is expected than the population's."""

from typing import Any

import numpy as np

from sklearn_ap._base.common.types import Array, Float
from sklearn_ap._base.inputs.arrays import RELATIVE_TOLERANCE, TINY
from sklearn_ap._counts.thresholds import ThresholdCounts, ratio
from sklearn_ap.definitions._influence import HeightFunction, arguments_of_heights, height_of_each

MANY = 1e9  # rows of a class, beyond which leaving out one changes less than rounding
BLOCK = 2**13  # thresholds, of which all that is computed stays in the cache


def jackknife_bias(
    heights: HeightFunction, divisor: Array, counts: ThresholdCounts, weight_of_negative: Any = 1.0
) -> Float:
    """How much higher the values of samples are than that of the population.

    This is the jackknife (Quenouille 1956): each row is left out once, and the rest of its class
    weighs more, so that the prevalence stays. nan where a height depends on more than its own
    threshold and ``n_positives``, or where a class has a single row. The bias grows with the weight
    of a row, so where rows are very many, heavier ones say it, too.
    """
    arguments, height, is_own = arguments_of_heights(heights, counts)
    bias = np.zeros(divisor.shape)
    if not is_own:
        return bias + np.nan
    whole = arguments["gained"] * height
    for total, one, names in (
        (counts.n_positives, 1.0, ("gained", "tps_above")),
        (counts.n_negatives, weight_of_negative, ("tied", "fps_above")),
    ):
        heavier = np.broadcast_to(np.maximum(one, total / MANY), divisor.shape)
        numbers = counts.each(total), counts.each(heavier)
        # The sum of differences, as the difference of sums would lose the digits of a small one.
        left = _without_one(heights, arguments, *numbers, names)
        others, change = total / heavier - 1, ratio(counts.sum(left - whole), divisor)
        bias += np.where(others > RELATIVE_TOLERANCE, others * change * (one / heavier), np.nan)
    return bias


def _without_one(
    heights: HeightFunction,
    arguments: dict[str, Float],
    total: Array,
    row: Array,
    names: tuple[str, str],
) -> Float:
    """``gained * height`` of each threshold, on average over the rows of a class to leave out.

    ``names`` are the rows of this class at a threshold and above it. Others stand below it. Each
    weighs ``row``.
    """
    factor = total / np.maximum(total - row, TINY)
    number = {name: arguments[name] for name in names}
    number["below"] = total - sum(number.values())
    mean: Any = 0.0
    for lost, of_total in number.items():
        rest = of_total - row
        left = arguments | {lost: np.where(rest > RELATIVE_TOLERANCE * row, rest, 0.0)}
        left |= {name: factor * left[name] for name in names}
        # All rows lose as much, whatever they weigh: so those below the typical weight gain less
        # than nothing, and the sum stays.
        gained = arguments["gained"] - (lost == "gained") * row
        gained = gained * factor if "gained" in names else gained
        # A height without a positive at its threshold may be undefined, so it stays as it is.
        has_positives = left["gained"] > 0
        seen = {name: np.where(has_positives, left[name], arguments[name]) for name in arguments}
        mean = mean + of_total / np.maximum(total, TINY) * gained * height_of_each(heights, seen)
    return mean


def bias_of_steps(counts: ThresholdCounts, weight_of_negative: Any) -> Array:
    """The jackknife in closed form.

    A row that is left out stands at or above a threshold, or below it. The rest of its class weighs
    more: others / all of it is 1. What this changes of a precision is written as products, because
    a difference of two sums over many rows would lose the digits of a small bias.
    """
    p, n = counts.n_positives.astype(np.float64), counts.n_negatives.astype(np.float64)
    one = np.zeros(p.shape) + weight_of_negative
    others = n / one - 1
    has_both = (p > 1 + RELATIVE_TOLERANCE) & (others > RELATIVE_TOLERANCE)
    heavier = np.where(has_both, n / np.maximum(n - one, TINY), 1.0)
    lighter = (p - 1) / np.maximum(p, 1)
    of_each = [counts.each(each) for each in (p, lighter, n, one, others, heavier)]
    changes = np.empty(counts.tps.size)
    for begin in range(0, changes.size, BLOCK):
        at = slice(begin, begin + BLOCK)
        tp, fp = counts.tps[at].astype(np.float64), counts.fps[at].astype(np.float64)
        numbers = [each if each.size == 1 else each[at] for each in of_each]
        changes[at] = _by_positives(tp, fp, *numbers[:2]) + _by_negatives(tp, fp, *numbers[2:])
    return np.where(has_both, ratio(counts.sum(counts.gained * changes), p), np.nan)


def _by_positives(tp: Array, fp: Array, p: Array, lighter: Array) -> Array:
    """What leaving out each positive changes of the precision h = tp / (tp + fp), added up.

    With o = fp (p - 1) / p, as other positives weigh more beside the negatives, this is
    (tp - 1) ((tp - 1) / (tp - 1 + o) - h) + (p - tp) (tp / (tp + o) - h), written as products.
    """
    size, others = tp + fp, fp * lighter
    above = others / np.maximum(tp - 1 + others, TINY)
    is_light = tp < 1  # of a threshold with less than a positive, all of it is left out
    if is_light.any():
        above = np.where(is_light, tp, above)
    changes = fp / size * ((p - tp) / p) * above / (tp + others)
    return changes + np.maximum(1 - tp, 0.0) * (tp / size) if is_light.any() else changes


def _by_negatives(
    tp: Array, fp: Array, n: Array, one: Array, others: Array, heavier: Array
) -> Array:
    """What leaving out each negative changes of the precision h = tp / (tp + fp), added up.

    With w = n / (n - 1), as other negatives weigh more, this is
    (fp (tp / (tp + w (fp - 1)) - h) + (n - fp) (tp / (tp + w fp) - h)) / w, written as products.
    """
    n = np.maximum(n, TINY)  # of a ranking without negatives, whose bias is not known
    size, below = tp + fp * heavier, (n - fp) / n
    left = tp + heavier * np.maximum(fp - one, 0.0)
    changes = tp / (tp + fp) * (fp / left) * below * (heavier * one / size)
    is_light = (fp < one) & (fp > 0)  # without negatives, none changes anything
    if is_light.any():
        lightest = fp / (tp + fp) * (others * (fp / n) - below * (tp / size))
        changes = np.where(is_light, lightest, changes)
    return changes
