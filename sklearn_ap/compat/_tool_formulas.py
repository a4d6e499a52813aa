"""What each option of the six choices computes; tool_options.tsv says why that changes a number.

An option of ``SCORES`` returns the rankings as the tool sees them: some scores may become tied, but
they keep their order. Scores of different queries are not compared. An option of ``TIES`` returns
scores, which are distinct if it orders tied items. One of ``START`` takes counts, and returns the
precision at the start. One of ``BETWEEN`` takes both, and returns a height for each threshold: the
mean precision while recall rises to it. An option of ``OVER`` takes a curve and returns the sum of
precision of each query, in units of positives, and one of ``DIVISOR`` what this sum is divided by.

Keyword arguments are what a formula reads besides: k, a definition, and those that a user may set,
with their defaults.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from sklearn_ap._counts.thresholds import ThresholdCounts, ranks_of_counts
from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap._types import Array, Bool, Float
from sklearn_ap.definitions import Definition, Hyperbolic, Interpolated, Step
from sklearn_ap.definitions._at_k import share_within
from sklearn_ap.definitions._interpolated import levels_gained

CLOSE = 1e-8  # CatBoost ties scores that are closer


def find_outside_0_1(rankings: Rankings) -> Bool:
    """Find the queries that have a score outside [0, 1]."""
    is_outside = (rankings.score < 0) | (rankings.score > 1)
    queries = rankings.ranking_of_items[is_outside]
    return np.bincount(queries, minlength=rankings.n_rankings) > 0


def pytorch_levels(n_levels: int) -> NDArray[np.float32]:
    """Make equidistant levels from 0 to 1, rounded as in PyTorch, which counts from both ends."""
    i = np.arange(n_levels)
    step = float(np.float32(1 / (n_levels - 1)))
    levels = np.where(i < n_levels // 2, step * i, 1 - step * (n_levels - 1 - i))
    return levels.astype(np.float32)


def _round_scores(rankings: Rankings, *, dtype: str = "float32") -> Rankings:
    return replace(rankings, score=rankings.score.astype(dtype))


def _round_weights(rankings: Rankings) -> Rankings:
    if rankings.weight is None:
        return rankings
    return replace(rankings, weight=rankings.weight.astype(np.float32).astype(np.float64))


def _tie_close_scores(rankings: Rankings) -> Rankings:
    """Tie neighbouring scores that are closer than ``CLOSE``; ties chain."""
    order = np.argsort(rankings.score)
    if rankings.n_rankings > 1:
        order = np.lexsort((rankings.score, rankings.ranking_of_items))
    is_apart = np.diff(rankings.score[order].astype(np.float64)) >= CLOSE
    # is_apart = [False, False, True] -> block = [0, 0, 0, 1]
    # A block may span two queries, as scores of different queries are not compared.
    block = np.empty(order.size, np.intp)
    block[order] = np.cumsum(np.concatenate(([False], is_apart)))
    return replace(_round_weights(rankings), score=block)


def _apply_sigmoid(rankings: Rankings, *, dtype: str = "float32") -> Rankings:
    """Apply the sigmoid to all scores of the queries that have a score outside [0, 1]."""
    rankings = _round_scores(rankings, dtype=dtype)
    is_outside = find_outside_0_1(rankings)[rankings.ranking_of_items]
    return replace(rankings, score=np.where(is_outside, expit(rankings.score), rankings.score))


def _round_sigmoid_down(
    rankings: Rankings, *, dtype: str = "float32", thresholds: int = 200
) -> Rankings:
    score = _apply_sigmoid(rankings, dtype=dtype).score
    return replace(rankings, score=np.searchsorted(pytorch_levels(thresholds), score, "right"))


def _round_down(rankings: Rankings, *, dtype: str = "float32", threshold: int = 100) -> Rankings:
    score = rankings.score.astype(dtype)
    return _retrieve_above_0(rankings, np.searchsorted(pytorch_levels(threshold), score, "right"))


def _clip_into_bins(
    rankings: Rankings, *, num_thresholds: int = 200, from_logits: bool = False
) -> Rankings:
    """Put scores into bins; probability 0 joins the first one."""
    score = rankings.score.astype(np.float32)
    bins = _find_bins(expit(score) if from_logits else score, num_thresholds)
    return replace(rankings, score=np.maximum(bins, 1))


def _retrieve_from_bin_1(rankings: Rankings, *, num_thresholds: int = 200) -> Rankings:
    bins = _find_bins(rankings.score.astype(np.float32), num_thresholds)
    return _retrieve_above_0(rankings, bins)


def _find_bins(probability: Array, num_thresholds: int) -> Array:
    """Find the bin of each probability; bin 0 holds probability 0 alone."""
    return np.ceil(np.clip(probability, 0, 1) * np.float32(num_thresholds - 1))


def _retrieve_above_0(rankings: Rankings, score: Array) -> Rankings:
    """Replace the scores. Items with score 0 are never retrieved, but count as positives."""
    n_positives = rankings.weight_of_positives
    return replace(_unlabel_up_to_0(replace(rankings, score=score)), n_positives=n_positives)


def _unlabel_up_to_0(rankings: Rankings) -> Rankings:
    """Count items with a score of 0 or less as negative."""
    return replace(rankings, positive=rankings.positive & (rankings.score > 0))


SCORES: dict[str, Callable[..., Rankings]] = {
    "as given": lambda rankings: rankings,
    "float32": lambda rankings: _round_scores(rankings),  # callers may not set dtype
    "float32 weights": _round_weights,
    "tied below 1e-8": _tie_close_scores,
    "dtype": _round_scores,
    "sigmoid": _apply_sigmoid,
    "sigmoid, floored": _round_sigmoid_down,
    "floored": _round_down,
    "clipped bins": _clip_into_bins,
    "clipped bins above 0": _retrieve_from_bin_1,
    "relevant above 0": lambda rankings: _unlabel_up_to_0(_round_scores(rankings)),
}


def _keep_ties(rankings: Rankings) -> Array:
    return rankings.score


def _order_ties(sign_of_class: int, sign_of_row: int, rankings: Rankings) -> Array:
    """Order tied items by the class, then by the row in the input; the highest comes first."""
    rank = np.unique(rankings.score, return_inverse=True)[1]
    n = rank.size
    return (2 * rank + sign_of_class * rankings.positive) * n + sign_of_row * np.arange(n)


TIES: dict[str, Callable[[Rankings], Array]] = {
    "grouped": _keep_ties,
    "input order": partial(_order_ties, 0, -1),
    "unspecified": partial(_order_ties, 0, -1),
    "reverse order": partial(_order_ties, 0, 1),
    "worst": partial(_order_ties, -1, 1),
    "best": partial(_order_ties, 1, 1),
    "every order": _keep_ties,  # for which a step has a height of its own
}


# The largest float32 below 1. Tools compare in float32, where 0.8 is slightly more than 4 / 5.
BELOW_1 = 1 - 6e-8
LINSPACE_LEVELS = np.linspace(0, 1, 101)
ELEVEN_LEVELS = np.arange(11) / 10
# MATLAB's 0:0.1:1 counts its second half from 1, so that 0.3 alone, 3 * 0.1, lies above 3 / 10:
# matlabcentral/answers/143255-how-does-the-colon-operator-work.
MATLAB_LEVELS = ELEVEN_LEVELS.copy()
MATLAB_LEVELS[3] = 3 * 0.1


@dataclass(frozen=True, eq=False)
class Curve:
    """The curve of each query, as a height for each threshold."""

    counts: ThresholdCounts
    heights: Array
    sizes: Array  # the number of items of each query
    step_at_k: Callable[[float], Definition] | None = None  # for steps: that of the first k ranks

    def ranks(self, k: float | None) -> Array:
        """Return the number of ranks of each query that count; all if k is None."""
        return self.sizes if k is None else ranks_of_counts(k, self.counts)

    def hits(self, k: float | None) -> Array:
        """Count the positives at each threshold that are among the top k."""
        gained = self.counts.gained
        return gained if k is None else gained * share_within(self.counts, k)

    def sum(self, k: float | None = None) -> Array:
        """Add up the heights of all positives, or of those among the top k.

        Of a tied block that rank k cuts, a step has the precision at the cut.
        """
        if k is None or self.step_at_k is None:
            return self.counts.sum(self.hits(k) * self.heights)
        heights = self.step_at_k(k).heights(self.counts)
        return self.counts.sum(self.counts.gained * heights)


def _straight(counts: ThresholdCounts, start: Array | float) -> Array:
    """Compute trapezoids; a lost start (nan) loses the area left of the first point."""
    before = np.where(counts.n_above > 0, counts.precision_above(0.0), start)
    return np.nan_to_num((before + counts.precision) / 2)


BETWEEN: dict[str, Callable[..., Array]] = {
    "step": lambda counts, _: Step().heights(counts),
    "envelope": lambda counts, _: Interpolated().heights(counts),
    "straight line": _straight,
    "hyperbola": lambda counts, _: Hyperbolic().heights(counts),
    "lower": lambda counts, _: np.minimum(counts.precision_above(0.0), counts.precision),
    "upper": lambda counts, _: np.maximum(counts.precision_above(0.0), counts.precision),
    "each hit": lambda counts, _: np.ones(counts.tps.shape),
}
START: dict[str, Callable[[ThresholdCounts], Array | float]] = {
    "irrelevant": lambda counts: counts.precision,
    "(0, first precision)": lambda counts: counts.precision,
    "(0, 1)": lambda _: 1.0,
    "lost": lambda _: np.nan,
}


def _sum_top_positives(curve: Curve) -> Array:
    """Add up the heights of thresholds within the first R ranks, where R counts the positives."""
    counts = curve.counts
    is_in_top = counts.tps + counts.fps <= counts.per_threshold(counts.n_positives)
    return counts.sum(counts.gained * curve.heights * is_in_top)


def _mean_over_levels(curve: Curve, gained: Array, n_levels: int) -> Array:
    """Average heights over levels, of which each threshold is the first to reach so many."""
    return curve.counts.n_positives * curve.counts.sum(gained * curve.heights) / n_levels


def _mean_over_floats(levels: Float, curve: Curve) -> Array:
    reached = np.searchsorted(levels, curve.counts.recall, "right")
    return _mean_over_levels(curve, reached - curve.counts.value_above(reached), levels.size)


def _mean_over_counted(levels: Sequence[float], shift: float, curve: Curve) -> Array:
    """Average over levels x, each reached at positive int(x R + shift) of R positives."""
    counts = curve.counts
    n_positives = counts.per_threshold(counts.n_positives)
    reached = np.sum([counts.tps >= np.floor(x * n_positives + shift) for x in levels], axis=0)
    return _mean_over_levels(curve, reached - counts.value_above(reached), len(levels))


def _interpolated_levels(curve: Curve) -> Array:
    """Average 101 levels under straight lines along the envelope, by trapezoids as ultralytics.

    The point before a threshold may have a lower precision; the line is level then.
    """
    counts = curve.counts
    left = np.maximum(counts.precision_above(1.0), curve.heights)
    heights = np.column_stack((left, curve.heights))
    n_positives = counts.per_threshold(counts.n_positives)[:, None]
    recall = np.column_stack((counts.tps_above, counts.tps)) / n_positives
    areas = []
    for start, end in zip(counts.starts, counts.ends, strict=True):
        x, y = (np.append(each[start:end].ravel(), 0.0) for each in (recall, heights))
        x[-1] = x.max()  # precision is 0 from the last recall on
        areas.append(np.trapezoid(np.interp(LINSPACE_LEVELS, x, y), LINSPACE_LEVELS))
    return counts.n_positives * np.array(areas)


def _best_precision(curve: Curve, *, min_recall: float = 0.8) -> Array:
    is_reached = curve.counts.recall >= min_recall * BELOW_1
    return curve.counts.n_positives * curve.counts.highest(np.where(is_reached, curve.heights, 0.0))


def _best_recall(curve: Curve, *, min_precision: float = 0.9) -> Array:
    is_reached = curve.heights >= min_precision * BELOW_1
    return curve.counts.highest(np.where(is_reached, curve.counts.tps, 0.0))


def _first_hit(curve: Curve, *, k: float | None) -> Array:
    """Take the height at the first true positive, or 0 if it is not among the top k."""
    is_first = curve.counts.tps_above == 0
    share = 1.0 if k is None else share_within(curve.counts, k)
    return curve.counts.n_positives * curve.counts.sum(is_first * share * curve.heights)


OVER: dict[str, Callable[..., Array]] = {
    "every recall": Curve.sum,
    "top k": lambda curve, *, k: curve.sum(k),
    "top R": _sum_top_positives,
    "11 levels": partial(_mean_over_floats, np.linspace(0, 1, 11)),
    "101 levels": partial(_mean_over_floats, LINSPACE_LEVELS),
    "101 levels, float32": partial(_mean_over_floats, pytorch_levels(101).astype(np.float64)),
    "11 levels, arange": partial(_mean_over_floats, np.arange(0, 1.1, 0.1)),
    "101 levels, arange": partial(_mean_over_floats, np.arange(0, 1.01, 0.01)),
    "11 levels, MATLAB": partial(_mean_over_floats, MATLAB_LEVELS),
    "11 levels, int(x R + 0.9)": partial(_mean_over_counted, ELEVEN_LEVELS.tolist(), 0.9),
    "11 levels, lround(x R)": partial(_mean_over_counted, ELEVEN_LEVELS.tolist(), 0.5),
    "one level": lambda curve, *, level=0.0: _mean_over_counted([level], 0.9, curve),
    "exact levels": lambda curve, *, definition: _mean_over_levels(
        curve, levels_gained(definition.levels, curve.counts), definition.levels.size
    ),
    "best at a recall": _best_precision,
    "best at a precision": _best_recall,
    "first hit": lambda curve: _first_hit(curve, k=None),
    "first hit of the top k": _first_hit,
    "101 levels, interpolated": _interpolated_levels,
    "its own value": lambda curve, *, definition: (
        curve.counts.n_positives * np.nan_to_num(definition.values(curve.counts))
    ),
}
DIVISOR: dict[str, Callable[..., Array]] = {
    "positives": lambda curve: curve.counts.n_positives,
    "min(k, positives)": lambda curve, *, k: np.minimum(curve.ranks(k), curve.counts.n_positives),
    "min(k, n, positives)": lambda curve, *, k: np.minimum(
        np.minimum(curve.ranks(k), curve.sizes), curve.counts.n_positives
    ),
    "hits": lambda curve, *, k: curve.counts.sum(curve.hits(k)),
    "k": lambda curve, *, k: curve.ranks(k),
    "min(k, n)": lambda curve, *, k: np.minimum(curve.ranks(k), curve.sizes),
}
# The six choices, in the order in which they are made: all that a number depends on.
FORMULAS: dict[str, Mapping[str, Callable[..., object]]] = {
    "scores": SCORES,  # how the tool changes scores before it compares them
    "ties": TIES,  # how it orders items of equal score
    "between": BETWEEN,  # which precision is used between two operating points
    "start": START,  # where the curve starts, if the precision between points depends on it
    "over": OVER,  # where precision is averaged
    "divisor": DIVISOR,  # what the sum is divided by
}
CHOICES = tuple(FORMULAS)
# The queries to which a tool may give another answer than its choices do.
CONDITIONS: dict[str, Callable[[Rankings], Bool]] = {
    "no positive": lambda rankings: rankings.weight_of_positives == 0,
    "only positives": lambda rankings: rankings.n_hits == rankings.sizes,
    "a score outside [0, 1]": find_outside_0_1,
}
