"""The sizes and biases of definitions.

Equations are those of docs/methods.md.
"""

from collections.abc import Callable
from functools import singledispatch
from typing import NamedTuple, Self

import numpy as np
from scipy.special import digamma

from sklearn_ap._counts.counting import n_ranks
from sklearn_ap._counts.thresholds import ThresholdCounts, ratio
from sklearn_ap._inputs.arrays import RELATIVE_TOLERANCE, TINY
from sklearn_ap._types import Array, Float, FloatOrArray, Index
from sklearn_ap.definitions import (
    Definition,
    Expected,
    Hyperbolic,
    Interpolated,
    Linear,
    PrecisionAtK,
    RecallAtK,
    ReciprocalRank,
    Step,
)
from sklearn_ap.definitions._expected import series_remainder
from sklearn_ap.definitions._hyperbolic import mean_hyperbola
from sklearn_ap.definitions._prevalence import _AtPrevalence

# See equation B2. With this number of equally spaced levels or more, interpolated average precision
# has the bias of the mean over all recalls. With 11, the level at recall 0 has a larger weight: for
# weak detectors, the mean over 11 levels was 0.013 too low, and the mean over all recalls 0.014 too
# high.
FINE_RECALL_LEVELS = 101
LARGEST_CLASS = 1e9  # beyond this many rows, leaving out one changes less than rounding
LARGEST_SAMPLE = 1e8  # the same for rows of both classes
CACHED_THRESHOLDS = 2**13  # the arrays of one chunk stay in the cache
SERIES_START = 100  # with fewer ranks above a block, the series of a harmonic number lacks digits

# The height of each threshold, from the positives and negatives at it, and those above it.
HeightFunction = Callable[[Array, Array, Array, Array], Float]


@singledispatch
def effective_size(
    definition: Definition, counts: ThresholdCounts, ranks: Array | None = None
) -> Array:
    """Return the number of positives on which each value is based, or of ranks if these are fewer.

    If clusters of rows are sampled, ``ranks`` is the number of units that the counted ranks are
    worth, of shape (n_rankings,).
    """
    if definition.depth is None:
        return counts.n_positives
    if ranks is None:
        ranks = n_ranks(definition.depth, counts)
    return np.minimum(ranks, counts.n_positives)


@effective_size.register
def _(definition: PrecisionAtK, counts: ThresholdCounts, ranks: Array | None = None) -> Array:
    return definition.divisor(counts) if ranks is None else ranks  # the value is a share of k ranks


@effective_size.register
def _(definition: RecallAtK, counts: ThresholdCounts, ranks: Array | None = None) -> Array:
    return counts.n_positives  # the value is a share of the positives


@effective_size.register
def _(definition: ReciprocalRank, counts: ThresholdCounts, ranks: Array | None = None) -> Array:
    return np.minimum(counts.n_positives, 1.0)  # the value rests on the first positive


@effective_size.register
def _(definition: _AtPrevalence, counts: ThresholdCounts, ranks: Array | None = None) -> Array:
    return effective_size(definition.definition, counts, ranks)


@singledispatch
def over_all_recalls(definition: Definition) -> Definition | None:
    """Return the definition over all recalls, if it has the same bias; otherwise None."""
    return definition


@over_all_recalls.register
def _(definition: Interpolated) -> Definition | None:
    if definition.recall_levels is None:
        return definition
    n = definition.n_levels
    is_fine = n >= FINE_RECALL_LEVELS and np.allclose(definition.levels, np.linspace(0, 1, n))
    return Interpolated() if is_fine else None


@over_all_recalls.register
def _(definition: _AtPrevalence) -> Definition | None:
    whole = over_all_recalls(definition.definition)
    return None if whole is None else _AtPrevalence(whole, definition.target)


@singledispatch
def jackknife_bias(
    definition: Definition, counts: ThresholdCounts, weight_of_negative: FloatOrArray = 1.0
) -> Float:
    """Compute how much higher samples of this size score than the population, on average.

    Positives weigh 1, and negatives what ``weight_of_negative`` says, one number or one for each
    ranking. There is one bias per ranking, nan if it is not known.
    """
    return np.full(counts.n_positives.shape, np.nan)


@jackknife_bias.register
def _(definition: Step, counts: ThresholdCounts, weight_of_negative: FloatOrArray = 1.0) -> Float:
    return _step_bias(counts, weight_of_negative)


@jackknife_bias.register
def _(definition: Linear, counts: ThresholdCounts, weight_of_negative: FloatOrArray = 1.0) -> Float:
    return _row_by_row(_mean_of_ends, counts, weight_of_negative)


@jackknife_bias.register
def _(
    definition: Hyperbolic, counts: ThresholdCounts, weight_of_negative: FloatOrArray = 1.0
) -> Float:
    return _row_by_row(mean_hyperbola, counts, weight_of_negative)


@jackknife_bias.register
def _(
    definition: Expected, counts: ThresholdCounts, weight_of_negative: FloatOrArray = 1.0
) -> Float:
    if definition.k is not None:
        return np.full(counts.n_positives.shape, np.nan)
    return _step_bias(counts, weight_of_negative) + _tie_bias(counts)


@jackknife_bias.register
def _(
    definition: _AtPrevalence, counts: ThresholdCounts, weight_of_negative: FloatOrArray = 1.0
) -> Float:
    reweighted = counts.at_prevalence(definition.target)
    has_both = reweighted.n_negatives > 0
    n_negatives = np.where(has_both, counts.n_negatives, 1.0)
    factor = np.where(has_both, reweighted.n_negatives, 1.0) / n_negatives
    return jackknife_bias(definition.definition, reweighted, weight_of_negative * factor)


def _mean_of_ends(gained: Array, tied: Array, tps_above: Array, fps_above: Array) -> Float:
    """Compute the height of linear average precision, as ``Linear.heights``."""
    before = tps_above + fps_above
    start = np.divide(tps_above, before, out=np.ones(before.shape), where=before > 0)
    return (start + (tps_above + gained) / (before + gained + tied)) / 2


class _RowClass(NamedTuple):
    """The positives or the negatives, of which each row is left out."""

    total: Array  # the weight of all its rows, of shape (n_rankings,)
    row_weight: FloatOrArray
    tied: str  # the argument of heights that counts the rows at the threshold
    above: str  # the argument of heights that counts the rows above the threshold


def _row_by_row(
    height: HeightFunction, counts: ThresholdCounts, weight_of_negative: FloatOrArray
) -> Float:
    """Compute how much higher samples score on average than the population.

    Equation B2, the jackknife (Quenouille 1956): each row is left out once, and the rest of its
    class weighs more, so that the prevalence stays. The bias is nan where a class has a single row.
    It grows with the weight of a row, so in huge classes many rows are merged into a heavier one,
    and the bias of these is scaled down.
    """
    arguments = {
        "gained": counts.gained.astype(np.float64),
        "tied": (counts.fps - counts.fps_above).astype(np.float64),
        "tps_above": counts.tps_above.astype(np.float64),
        "fps_above": counts.fps_above.astype(np.float64),
    }
    terms = arguments["gained"] * height(*arguments.values())
    bias = np.zeros(counts.n_positives.shape)
    for rows in (
        _RowClass(counts.n_positives, 1.0, "gained", "tps_above"),
        _RowClass(counts.n_negatives, weight_of_negative, "tied", "fps_above"),
    ):
        merged_weight = np.broadcast_to(
            np.maximum(rows.row_weight, rows.total / LARGEST_CLASS), bias.shape
        )
        reduced = _reduced_terms(height, arguments, counts, rows, merged_weight)
        # The sum of differences, as the difference of sums would lose the digits of a small one.
        change = ratio(counts.sum(reduced - terms), counts.n_positives)
        n_others = rows.total / merged_weight - 1  # n_c - 1
        class_bias = n_others * change * (rows.row_weight / merged_weight)
        bias += np.where(n_others > RELATIVE_TOLERANCE, class_bias, np.nan)
    return bias


def _reduced_terms(
    height: HeightFunction,
    arguments: dict[str, Float],
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
    n_tied = arguments[rows.tied]
    n_above = arguments[rows.above]
    # Three cases: the row to leave out stands at the threshold, above it, or below it.
    cases = {rows.tied: n_tied, rows.above: n_above, "below": total - (n_tied + n_above)}
    mean: FloatOrArray = 0.0
    for case, case_weight in cases.items():
        rest = np.where(case_weight - row > RELATIVE_TOLERANCE * row, case_weight - row, 0.0)
        reduced = {
            name: factor * (rest if name == case else values)
            if name in (rows.tied, rows.above)
            else values
            for name, values in arguments.items()
        }
        # A threshold with less than one row then gains a negative weight: with 0 in its place, the
        # sum over all thresholds would be too large.
        gained = arguments["gained"] - (row if case == "gained" else 0.0)
        gained = gained * factor if rows.tied == "gained" else gained
        # A height without a positive at its threshold may be undefined, so it stays as it is.
        has_positives = reduced["gained"] > 0
        defined = (np.where(has_positives, reduced[name], arguments[name]) for name in arguments)
        share = case_weight / np.maximum(total, TINY)
        mean = mean + share * gained * height(*defined)
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


def _step_bias(counts: ThresholdCounts, weight_of_negative: FloatOrArray) -> Array:
    """Compute the jackknife bias of step average precision in closed form.

    Equation B2. A row that is left out stands at or above a threshold, or below it. The rest of its
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


class _TiedBlocks(NamedTuple):
    """Blocks of several tied items that hold a positive, for influences and biases.

    Their heights have fewer digits than a value needs.
    """

    gained: Float
    size: Float
    tps_above: Float
    before: Float
    reciprocals: Float  # the sum of 1 / rank over the ranks of each block

    @classmethod
    def from_counts(cls, counts: ThresholdCounts, thresholds: Index) -> Self:
        size = counts.size[thresholds].astype(np.float64)
        before = counts.before[thresholds].astype(np.float64)
        return cls(
            gained=counts.gained[thresholds].astype(np.float64),
            size=size,
            tps_above=counts.tps_above[thresholds].astype(np.float64),
            before=before,
            reciprocals=_sum_of_reciprocals(before, size),
        )

    @property
    def heights(self) -> Float:
        """The mean of the expected precisions at the ranks of each block."""
        others_prevalence = (self.gained - 1) / np.maximum(self.size - 1, 1)
        rank_shares = self.size - (self.before + 1) * self.reciprocals
        sums = (self.tps_above + 1) * self.reciprocals + others_prevalence * rank_shares
        return sums / self.size

    @property
    def excess(self) -> Float:
        """The sum of precisions by which each block exceeds step average precision."""
        steps = (self.tps_above + self.gained) / (self.before + self.size)
        return self.gained * (self.heights - steps)

    def excess_changes(self) -> tuple[Float, Float]:
        """Sum the changes of the excess when each positive, or each negative, is left out."""
        gained = self.gained
        tps_above = self.tps_above
        fps_above = self.before - tps_above
        excess = self.excess
        # Without an item of the block, its last rank goes. Without one above it, the block stands a
        # rank higher, so it also has a new first rank.
        shortened = self.reciprocals - 1 / (self.before + self.size)
        raised = shortened + 1 / np.maximum(self.before, 1)
        inside = self._replace(size=self.size - 1, reciprocals=shortened)
        above = self._replace(before=self.before - 1, reciprocals=raised)
        positive_inside = inside._replace(gained=gained - 1).excess
        positive_above = above._replace(tps_above=tps_above - 1).excess
        positive_changes = gained * (positive_inside - excess)
        positive_changes += tps_above * (positive_above - excess)
        negative_changes = (self.size - gained) * (inside.excess - excess)
        negative_changes += fps_above * (above.excess - excess)
        return positive_changes, negative_changes


def _tie_bias(counts: ThresholdCounts) -> Float:
    """Compute the jackknife bias of the excess of tied blocks over step average precision.

    The text below equation B2: (n - 1) (mean of D without a row - D). A row that is left out of a
    block, or above it, changes the excess of the block, and a positive also changes the divisor.
    """
    n_positives = counts.n_positives.astype(np.float64)
    n_rows = n_positives + counts.n_negatives
    tied_thresholds = np.flatnonzero(counts.size > 1)
    if not tied_thresholds.size:
        return np.zeros(n_positives.shape)
    blocks = _TiedBlocks.from_counts(counts, tied_thresholds)
    positive_changes, negative_changes = blocks.excess_changes()
    # D is E / N, with the excess E. Without positive i, it is E_i / (N - 1), so over all positives
    # the differences from D add up to (sum of (E_i - E) + E) / (N - 1).
    positive_terms = np.zeros(counts.thresholds.size)
    negative_terms = np.zeros(counts.thresholds.size)
    positive_terms[tied_thresholds] = positive_changes + blocks.excess
    negative_terms[tied_thresholds] = negative_changes
    change = counts.sum(positive_terms) / np.maximum(n_positives - 1, 1)
    change = change + counts.sum(negative_terms) / np.maximum(n_positives, 1)
    return np.where(n_rows < LARGEST_SAMPLE, change * (1 - 1 / np.maximum(n_rows, 1)), 0.0)


def _sum_of_reciprocals(t: Float, m: Float) -> Float:
    """Compute the sum of 1 / (t + j) for j from 1 to m, to about ten digits."""
    c = t + 0.5
    sums = np.log1p(m / c) + series_remainder(c, m)
    is_near = t < SERIES_START
    t_near = t[is_near]
    sums[is_near] = digamma(t_near + m[is_near] + 1) - digamma(t_near + 1)
    return sums
