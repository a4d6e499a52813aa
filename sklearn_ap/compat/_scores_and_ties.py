"""Choices 1 and 2: the scores that a tool sees, and how it orders tied items.

An option of SCORES takes rankings, one for each query, and returns them as the tool sees them:
some scores may become tied, but they keep their order. An option of TIES takes rankings and returns
scores, which are distinct if the tool orders tied items. Choices that depend on all scores of a
query are made for each query alone.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy.special import expit

from sklearn_ap._inputs.arrays import TINY
from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap._types import Array, Bool, Index
from sklearn_ap.compat._option import Option
from sklearn_ap.definitions import Expected


def has_score_outside_0_1(rankings: Rankings) -> Bool:
    """Find the queries that have a score outside [0, 1]."""
    is_outside = (rankings.score < 0) | (rankings.score > 1)
    queries = rankings.ranking_of_items[is_outside]
    return np.bincount(queries, minlength=rankings.n_rankings) > 0


def _cast(values: Array, dtype: DTypeLike) -> Array:
    with np.errstate(over="ignore"):  # scores beyond float32 are infinite in the tool as well
        return values.astype(dtype)


def _round_scores(rankings: Rankings) -> Rankings:
    return replace(rankings, score=_cast(rankings.score, np.float32))


def _round_weights(rankings: Rankings) -> Rankings:
    if rankings.weight is None:
        return rankings
    return replace(rankings, weight=_cast(rankings.weight, np.float32).astype(np.float64))


def _reweight_to_prevalence(rankings: Rankings, *, pi0: float) -> Rankings:
    """Weight the negatives so that a share ``pi0`` of the weight is positive."""
    prevalence = (rankings.n_hits / np.maximum(rankings.sizes, 1))[rankings.ranking_of_items]
    ratio = prevalence * (1 - pi0) / np.maximum(pi0 * (1 - prevalence), TINY)
    return replace(rankings, weight=np.where(rankings.positive, 1.0, ratio))


def _tie_close_scores(rankings: Rankings) -> Rankings:
    """Tie neighbouring scores that differ by less than 1e-8; ties chain."""
    if rankings.several:
        order = np.lexsort((rankings.score, rankings.ranking_of_items))
    else:
        order = np.argsort(rankings.score)
    with np.errstate(over="ignore"):  # an infinite gap is a gap as well
        gaps = np.diff(rankings.score[order].astype(np.float64))
    # gaps = [.6e-8, .6e-8, .5] -> block = [0, 0, 0, 1]
    # A block may span two queries, as scores of different queries are not compared.
    return replace(_round_weights(rankings), score=_number_blocks(order, gaps >= 1e-8))


def _compare_in_dtype(rankings: Rankings, *, dtype: str) -> Rankings:
    """Tie scores whose difference in the dtype of the tensor is 0."""
    score = _cast(rankings.score, dtype)
    if np.isinf(score).any():
        # Infinity minus infinity is nan, not 0: infinite scores stay in the order of the input.
        order = np.lexsort((-np.arange(score.size), score))
        with np.errstate(invalid="ignore"):
            score = _number_blocks(order, np.diff(score[order]) != 0)
    return replace(rankings, score=score)


def _number_blocks(order: Index, is_new: Bool) -> Index:
    """Return the number of the block of each item.

    In ``order``, ``is_new`` marks which of the items after the first begin a block.
    """
    block = np.empty(order.size, np.intp)
    block[order] = np.cumsum(np.concatenate(([False], is_new)))
    return block


def _apply_sigmoid(rankings: Rankings, *, dtype: str) -> Rankings:
    """Apply the sigmoid to all scores of the queries that have a score outside [0, 1]."""
    score = _cast(rankings.score, dtype)
    is_outside = has_score_outside_0_1(replace(rankings, score=score))[rankings.ranking_of_items]
    return replace(rankings, score=np.where(is_outside, expit(score), score))


def pytorch_levels(n_levels: int) -> NDArray[np.float32]:
    """Make equidistant levels from 0 to 1, rounded as in PyTorch, which counts from both ends."""
    i = np.arange(n_levels)
    step = float(np.float32(1 / (n_levels - 1)))
    levels = np.where(i < n_levels // 2, step * i, 1 - step * (n_levels - 1 - i))
    return levels.astype(np.float32)


def _count_levels(score: Array, n_levels: int) -> Array:
    """Count the levels from 0 to 1 at or below each score."""
    return np.searchsorted(pytorch_levels(n_levels), score, "right")


def _round_sigmoid_down(rankings: Rankings, *, dtype: str, thresholds: int) -> Rankings:
    """Round scores, after a sigmoid if it is needed, down to a grid of thresholds."""
    score = _apply_sigmoid(rankings, dtype=dtype).score
    return replace(rankings, score=_count_levels(score, thresholds))


def _retrieve_above_0(rankings: Rankings, score: Array) -> Rankings:
    """Replace the scores. Items with score 0 are never retrieved, but count as positives."""
    n_positives = rankings.weight_of_positives
    return replace(_unlabel_up_to_0(replace(rankings, score=score)), n_positives=n_positives)


def _round_down_to_levels(rankings: Rankings, *, dtype: str, threshold: int) -> Rankings:
    """Round scores down to a grid of levels; items below 0 are never retrieved."""
    return _retrieve_above_0(rankings, _count_levels(_cast(rankings.score, dtype), threshold))


def _find_bins(probability: Array, num_thresholds: int) -> Array:
    """Find the bin of each probability; bin 0 holds probability 0 alone."""
    return np.ceil(np.clip(probability, 0, 1) * np.float32(num_thresholds - 1))


def _clip_into_bins(rankings: Rankings, *, num_thresholds: int, from_logits: bool) -> Rankings:
    """Clip scores to [0, 1] and put them into bins; probability 0 joins the first bin."""
    score = _cast(rankings.score, np.float32)
    bins = _find_bins(expit(score) if from_logits else score, num_thresholds)
    return replace(rankings, score=np.maximum(bins, 1))


def _retrieve_bins_above_0(rankings: Rankings, *, num_thresholds: int) -> Rankings:
    """Clip scores to [0, 1] and put them into bins; items in bin 0 are never retrieved."""
    bins = _find_bins(_cast(rankings.score, np.float32), num_thresholds)
    return _retrieve_above_0(rankings, bins)


def _count_exceeded_thresholds(rankings: Rankings, *, num_thresholds: int) -> Rankings:
    """Count the thresholds below each score; items that exceed none are not retrieved."""
    levels = np.arange(num_thresholds, dtype=np.float32) / np.float32(num_thresholds - 1)
    levels[0] = -1e-5
    levels[-1] = 1 + 1e-5
    return _retrieve_above_0(rankings, np.searchsorted(levels, _cast(rankings.score, np.float32)))


def _unlabel_up_to_0(rankings: Rankings) -> Rankings:
    """Count items with a score of 0 or less as negative."""
    return replace(rankings, positive=rankings.positive & (rankings.score > 0))


def _are_distinct(score: Array) -> bool:
    """Check, in a part of the time and memory of ranks, whether scores are finite and distinct."""
    ordered = np.sort(score)
    is_finite = bool(np.isfinite(ordered[[0, -1]]).all()) if score.size else True
    return is_finite and bool((ordered[1:] != ordered[:-1]).all())


def _break_ties(order: int, positives: int = 0) -> Callable[[Rankings], Array]:
    """Make a function that gives items distinct scores, and keeps the order of their scores.

    Among tied items, positives come first if ``positives`` is 1, and last if it is -1. Then the
    last item of the input comes first if ``order`` is 1, and the first item if it is -1.
    """

    def rank_items(rankings: Rankings) -> Array:
        if _are_distinct(rankings.score):
            return rankings.score
        _, rank = np.unique(rankings.score, return_inverse=True)
        n = rank.size
        # The score decides first, then the class, then the order in the input.
        return (2 * rank + positives * rankings.positive) * n + order * np.arange(n)

    return rank_items


SCORES = {
    "as given": Option("Scores are compared as they are.", lambda rankings: rankings),
    "float32": Option("Scores are rounded to float32, so some may tie.", _round_scores),
    "as given, float32 weights": Option("Weights are rounded to float32.", _round_weights),
    "as given, at a prevalence": Option(
        "Negatives are weighted as if this share of the rows were positive.",
        _reweight_to_prevalence,
    ),
    "tied below 1e-8": Option(
        "Neighbouring scores that differ by less than 1e-8 are tied, and ties chain. Weights "
        "are rounded to float32.",
        _tie_close_scores,
    ),
    "dtype": Option(
        "Scores are compared in the dtype of their tensor. Those that are infinite there are not "
        "tied, but ranked in the order of the input.",
        _compare_in_dtype,
    ),
    "sigmoid": Option(
        "If any score lies outside [0, 1], all go through a sigmoid, which ties large ones.",
        _apply_sigmoid,
    ),
    "sigmoid, floored": Option(
        "Scores, after a sigmoid if any lies outside [0, 1], are rounded down to a grid of "
        "thresholds, which ties all that share a cell.",
        _round_sigmoid_down,
    ),
    "floored": Option(
        "Scores are rounded down to a grid of thresholds from 0 to 1; positives below 0 are "
        "never retrieved, but count.",
        _round_down_to_levels,
    ),
    "clipped bins": Option(
        "Scores are clipped to [0, 1] and put into bins, which ties all that share one.",
        _clip_into_bins,
    ),
    "clipped bins above 0": Option(
        "Scores are clipped to [0, 1] and put into bins; those of 0 are never retrieved, but count "
        "as positives.",
        _retrieve_bins_above_0,
    ),
    "thresholds exceeded": Option(
        "Scores are counted by how many thresholds from 0 to 1 they exceed, which ties some; those "
        "below 0 are never retrieved, but count as positives.",
        _count_exceeded_thresholds,
    ),
    "relevant above 0": Option(
        "Items with a score of 0 or less count as not relevant.",
        lambda rankings: _unlabel_up_to_0(_round_scores(rankings)),
    ),
}
TIES = {
    "grouped": Option("Tied items are one threshold.", lambda rankings: rankings.score),
    "input order": Option("Tied items are ranked in the order of the input.", _break_ties(-1)),
    "unspecified": Option(
        "The tool promises no order of tied items. Here, they keep the order of the input.",
        _break_ties(-1),
    ),
    "reverse order": Option(
        "Tied items are ranked in reverse order of the input, or by descending name, which counts "
        "as the same here.",
        _break_ties(1),
    ),
    "worst": Option("Of tied items, the negatives come first.", _break_ties(1, -1)),
    "best": Option("Of tied items, the positives come first.", _break_ties(1, 1)),
    "every order": Option(
        "The number is the mean over all orders of the tied items.",
        lambda rankings: rankings.score,
        definition_at_k=Expected,
    ),
}
