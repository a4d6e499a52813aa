"""Arithmetic that all rooms share: tolerances, effective numbers, and sums within rankings."""

from collections.abc import Callable

import numpy as np
from scipy import sparse

from sklearn_ap._types import Array, Bool, Float, FloatOrArray, Index

# Numbers that differ by less are equal: the relative error of sums of millions of weights, and of
# results for few rows or clusters.
RELATIVE_TOLERANCE = 1e-9
# The absolute difference that rounding leaves between equal values within [0, 1].
ABSOLUTE_TOLERANCE = 1e-12
TINY = 1e-300  # the least divisor of what is 0 then, or may be any large number
LARGEST_EXACT = 2**53  # doubles hold all whole numbers up to it, and above it no fractions
MOST_STEPS = 100  # to a root
ROUNDING_OF_ROOTS = 1e-13
FLOAT_SPACING = float(np.finfo(float).eps)  # the relative spacing of doubles
RATIO_ROUNDING = 8 * FLOAT_SPACING  # the relative error of a ratio, and of the level beside it
LONG = 2**18  # items, which threads share; fewer are sorted before a thread begins
SHORT_SEGMENT = 64  # segments of up to so many values are added up side by side


def effective_number(weights: Array, repeats: FloatOrArray = 1.0) -> float:
    """Return the number of equal weights with the same sum and sum of squares (Kish 1965).

    For weights of positives it is n of equation 4. It is 0 without any weight. Each weight stands
    for as many as ``repeats`` says.
    """
    if not weights.any():
        return 0.0
    scaled = weights / np.abs(weights).max()  # so that equal weights give a whole number
    # Not scaled @ scaled, whose threads take longer to wake up than the sum takes.
    return float(np.sum(scaled * repeats) ** 2 / np.sum(scaled**2 * repeats))


# ---- sums within each ranking


def ranges(sizes: Index) -> Index:
    """Make consecutive ranges of these sizes, each from 0 on."""
    # [1, 3] -> [0, 0, 1, 2]
    return np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)


def segment_sums(values: Array, starts: Index) -> Float:
    """Add up consecutive segments, some of them empty, with pairwise summation."""
    if starts.size and starts[-1] < values.size and (starts[1:] > starts[:-1]).all():
        return np.add.reduceat(values, starts, dtype=np.float64)
    # np.add.reduceat would give an empty segment its neighbour's value.
    has_values = np.flatnonzero(np.diff(starts, append=values.size))
    sums = np.zeros(starts.size)
    sums[has_values] = np.add.reduceat(values, starts[has_values])
    return sums


def running_sums(values: Array, starts: Index) -> Array:
    """Add up values from the beginning of their segment on.

    Sums of floats begin anew in each segment: a small one would lose its digits beside the sum of
    all that came before.
    """
    # [1, 2, 3] and starts [0, 2] -> [1, 3, 3]
    if starts.size == 1:
        return np.cumsum(values)
    sizes = np.diff(starts, append=values.size)
    starts, sizes = starts[sizes > 0], sizes[sizes > 0]
    if values.dtype.kind != "f":
        sums = np.cumsum(values)
        return sums - np.repeat(sums[starts] - values[starts], sizes)
    sums = values.copy()
    is_long = sizes > SHORT_SEGMENT
    for start, size in zip(starts[is_long], sizes[is_long], strict=True):
        np.cumsum(values[start : start + size], out=sums[start : start + size])
    starts, sizes = starts[~is_long], sizes[~is_long]
    for i in range(1, sizes.max(initial=0)):  # the value i of all short segments together
        places = starts[sizes > i] + i
        sums[places] += sums[places - 1]
    return sums


def order_by_ranking(ranking: Index, n_rankings: int) -> Index:
    """Order items by ranking; within a ranking they keep their order."""
    # SciPy brings the columns of a sparse matrix together by counting, many times as fast as a
    # stable sort. There is one entry for each item, and its column is the ranking.
    index = np.int32 if ranking.size < 2**31 else np.int64
    rows = np.arange(ranking.size + 1, dtype=index)
    entries = np.empty(ranking.size, np.bool_), ranking.astype(index), rows
    table = sparse.csr_array(entries, shape=(ranking.size, n_rankings))
    return table.tocsc().indices.astype(np.intp, copy=False)


# ---- what rounding leaves


def are_whole_numbers(sums: Array) -> Bool:
    """Flag sums of weights that are whole up to rounding."""
    return np.asarray(np.abs(sums - np.rint(sums)) <= ABSOLUTE_TOLERANCE * sums)


def rounding_of_sums(n_added: Index | int) -> Float:
    """Compute the relative error of a ratio of two running sums of ``n_added`` weights.

    Each addition is off by half of the spacing of doubles at most, in each of both sums. Sums of
    millions are in fact more exact than this bound, and are taken as exact to 1e-9.
    """
    return np.asarray(np.minimum(RATIO_ROUNDING + n_added * FLOAT_SPACING, RELATIVE_TOLERANCE))


def is_shown(pvalue: FloatOrArray, error: float) -> Bool:
    """Check which p-values are below an error, up to rounding, as a limit then excludes 0.

    A p-value of 0.05 shows nothing at a level of 0.95, whose error is 0.05000000000000004.
    """
    return np.asarray(pvalue < error * (1 - RELATIVE_TOLERANCE))


def zero_rounding(values: Float) -> Float:
    """Make differences 0 that are only off by rounding."""
    return np.where(np.abs(values) <= ABSOLUTE_TOLERANCE, 0.0, values)


def falling_root(function: Callable[[Float], Float], low: Float, high: Float) -> Float:
    """Return where each falling function is 0: the end that is nearer to it if it is not within.

    By the Illinois method (Dowell and Jarratt 1971).
    """
    # 1 - x within 0 and 3 -> 1; within 2 and 3 -> 2
    at_low, at_high = function(low), function(high)
    root = np.where(at_low <= 0, low, high)
    is_open = (at_low > 0) & (at_high < 0)
    last_side = np.zeros(low.size)
    for _ in range(MOST_STEPS):
        if not is_open.any():
            break
        width = high - low
        middle = low + width * at_low / np.where(is_open, at_low - at_high, 1.0)
        value = function(np.where(is_open, middle, root))
        side = np.sign(value)
        is_again = side == last_side
        at_high = np.where(side > 0, np.where(is_again, at_high / 2, at_high), value)
        at_low = np.where(side > 0, value, np.where(is_again, at_low / 2, at_low))
        low, high = np.where(side > 0, middle, low), np.where(side > 0, high, middle)
        root = np.where(is_open, middle, root)
        is_open = is_open & (np.abs(value) > ROUNDING_OF_ROOTS) & (high - low > ROUNDING_OF_ROOTS)
        last_side = side
    return root


def reach(shares: Float, least: float, rounding: FloatOrArray) -> Bool:
    """Check which thresholds have this recall, or this precision, up to rounding."""
    return np.asarray(shares >= least * (1 - rounding))


def reach_precision(precision: Float, fps: Array, least: float, rounding: FloatOrArray) -> Bool:
    """Check which thresholds have this precision; a precision of 1 is exact, as fps is 0."""
    return np.asarray(fps == 0) if least == 1 else reach(precision, least, rounding)
