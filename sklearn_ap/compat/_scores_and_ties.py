"""Choices 1 and 2: the scores that a tool sees, and how it orders tied items.

An option of SCORES takes rankings, one for each query, and gives them as the tool sees them: some
scores may become tied, but they keep their order. An option of TIES takes rankings and gives
scores, which are distinct if the tool orders tied items. What depends on all scores of a query is
decided for each query alone.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy.special import expit

from sklearn_ap._base.common.types import Array, Bool, Index
from sklearn_ap._base.inputs.arrays import TINY
from sklearn_ap._base.inputs.rankings import Rankings
from sklearn_ap.compat._option import Option
from sklearn_ap.definitions import Expected


def outside_0_and_1(rankings: Rankings) -> Bool:
    """Tell which queries have a score outside [0, 1]."""
    is_outside = (rankings.score < 0) | (rankings.score > 1)
    queries = rankings.ranking_of_items[is_outside]
    return np.bincount(queries, minlength=rankings.n_rankings) > 0


def _cast(values: Array, dtype: DTypeLike) -> Array:
    with np.errstate(over="ignore"):  # what is beyond float32 is infinite to the tool too
        return values.astype(dtype)


def _float32(rankings: Rankings) -> Rankings:
    return replace(rankings, score=_cast(rankings.score, np.float32))


def _float32_weights(rankings: Rankings) -> Rankings:
    if rankings.weight is None:
        return rankings
    return replace(rankings, weight=_cast(rankings.weight, np.float32).astype(np.float64))


def _reweighted(rankings: Rankings, *, pi0: float) -> Rankings:
    prevalence = (rankings.n_hits / np.maximum(rankings.sizes, 1))[rankings.ranking_of_items]
    ratio = prevalence * (1 - pi0) / np.maximum(pi0 * (1 - prevalence), TINY)
    return replace(rankings, weight=np.where(rankings.positive, 1.0, ratio))


def _tied_in_chains(rankings: Rankings) -> Rankings:
    order = np.lexsort((rankings.score, rankings.ranking_of_items))
    with np.errstate(over="ignore"):  # an infinite gap is a gap
        gaps = np.diff(rankings.score[order].astype(np.float64))
    # gaps = [.6e-8, .6e-8, .5] -> block = [0, 0, 0, 1]
    # A block may span two queries: their scores are not compared.
    return replace(_float32_weights(rankings), score=_blocks(order, gaps >= 1e-8))


def _compared_by_difference(rankings: Rankings, *, dtype: str) -> Rankings:
    score = _cast(rankings.score, dtype)
    if np.isinf(score).any():
        # Infinity minus infinity is nan and no 0: what overflows stays in the order of the input.
        order = np.lexsort((-np.arange(score.size), score))
        with np.errstate(invalid="ignore"):
            score = _blocks(order, np.diff(score[order]) != 0)
    return replace(rankings, score=score)


def _blocks(order: Index, is_new: Bool) -> Index:
    """Return the block of each item; ``is_new`` tells where one begins, from the second on."""
    block = np.empty(order.size, np.intp)
    block[order] = np.cumsum(np.concatenate(([False], is_new)))
    return block


def _sigmoid(rankings: Rankings, *, dtype: str) -> Rankings:
    score = _cast(rankings.score, dtype)
    is_outside = outside_0_and_1(replace(rankings, score=score))[rankings.ranking_of_items]
    return replace(rankings, score=np.where(is_outside, expit(score), score))


def pytorch_levels(n_levels: int) -> NDArray[np.float32]:
    """Make levels from 0 to 1 as PyTorch rounds them, from both ends."""
    i = np.arange(n_levels)
    step = float(np.float32(1 / (n_levels - 1)))
    levels = np.where(i < n_levels // 2, step * i, 1 - step * (n_levels - 1 - i))
    return levels.astype(np.float32)


def _levels_reached(score: Array, n_levels: int) -> Array:
    """Count the levels from 0 to 1 at or below each score."""
    return np.searchsorted(pytorch_levels(n_levels), score, "right")


def _sigmoid_floored(rankings: Rankings, *, dtype: str, thresholds: int) -> Rankings:
    score = _sigmoid(rankings, dtype=dtype).score
    return replace(rankings, score=_levels_reached(score, thresholds))


def _only_above_0(rankings: Rankings, score: Array) -> Rankings:
    """Take scores of which 0 says that an item is never retrieved; positives still count."""
    n_positives = rankings.weight_of_positives
    return replace(_relevant_above_0(replace(rankings, score=score)), n_positives=n_positives)


def _floored(rankings: Rankings, *, dtype: str, threshold: int) -> Rankings:
    return _only_above_0(rankings, _levels_reached(_cast(rankings.score, dtype), threshold))


def _bins(probability: Array, num_thresholds: int) -> Array:
    return np.ceil(np.clip(probability, 0, 1) * np.float32(num_thresholds - 1))


def _clipped_bins(rankings: Rankings, *, num_thresholds: int, from_logits: bool) -> Rankings:
    score = _cast(rankings.score, np.float32)
    bins = _bins(expit(score) if from_logits else score, num_thresholds)
    return replace(rankings, score=np.maximum(bins, 1))


def _bins_above_0(rankings: Rankings, *, num_thresholds: int) -> Rankings:
    return _only_above_0(rankings, _bins(_cast(rankings.score, np.float32), num_thresholds))


def _thresholds_exceeded(rankings: Rankings, *, num_thresholds: int) -> Rankings:
    levels = np.arange(num_thresholds, dtype=np.float32) / np.float32(num_thresholds - 1)
    levels[0] = -1e-5
    levels[-1] = 1 + 1e-5
    return _only_above_0(rankings, np.searchsorted(levels, _cast(rankings.score, np.float32)))


def _relevant_above_0(rankings: Rankings) -> Rankings:
    return replace(rankings, positive=rankings.positive & (rankings.score > 0))


def _ranked(order: int, positives: int = 0) -> Callable[[Rankings], Array]:
    """Make a function that gives items distinct scores, and keeps the order of their scores.

    Of tied items, positives come first or last if ``positives`` is 1 or -1, and then the last item
    of the input if ``order`` is 1, or the first if it is -1.
    """

    def ties(rankings: Rankings) -> Array:
        _, rank = np.unique(rankings.score, return_inverse=True)
        n = rank.size
        # The score decides first, then the class, then the place in the input.
        return (2 * rank + positives * rankings.positive) * n + order * np.arange(n)

    return ties


SCORES = {
    "as given": Option("Scores are compared as they are.", lambda rankings: rankings),
    "float32": Option("Scores are rounded to float32, which ties some that differ.", _float32),
    "as given, float32 weights": Option("Weights are rounded to float32.", _float32_weights),
    "as given, at a prevalence": Option(
        "Negatives are weighted as if this share of the rows were positive.",
        _reweighted,
    ),
    "tied below 1e-8": Option(
        "Neighbouring scores that differ by less than 1e-8 are tied, and ties chain. Weights "
        "are rounded to float32.",
        _tied_in_chains,
    ),
    "dtype": Option(
        "Scores are compared in the dtype of their tensor. Those that are infinite there are not "
        "tied, but ranked in the order of the input.",
        _compared_by_difference,
    ),
    "sigmoid": Option(
        "If any score lies outside [0, 1], all go through a sigmoid, which ties large ones.",
        _sigmoid,
    ),
    "sigmoid, floored": Option(
        "Scores, after a sigmoid if any lies outside [0, 1], are rounded down to a grid of "
        "thresholds, which ties all that share a cell.",
        _sigmoid_floored,
    ),
    "floored": Option(
        "Scores are rounded down to a grid of thresholds from 0 to 1; positives below 0 are "
        "never retrieved, but count.",
        _floored,
    ),
    "clipped bins": Option(
        "Scores are clipped to [0, 1] and put into bins, which ties all that share one.",
        _clipped_bins,
    ),
    "clipped bins above 0": Option(
        "Scores are clipped to [0, 1] and put into bins; those of 0 are never retrieved, but count "
        "as positives.",
        _bins_above_0,
    ),
    "thresholds exceeded": Option(
        "Scores are counted by how many thresholds from 0 to 1 they exceed, which ties some; those "
        "below 0 are never retrieved, but count as positives.",
        _thresholds_exceeded,
    ),
    "relevant above 0": Option(
        "Items with a score of 0 or less count as not relevant.",
        lambda rankings: _relevant_above_0(_float32(rankings)),
    ),
}
TIES = {
    "grouped": Option("Tied items are one threshold.", lambda rankings: rankings.score),
    "input order": Option("Tied items are ranked in the order of the input.", _ranked(-1)),
    "unspecified": Option(
        "Tied items are ranked in an order that is not promised; taken here as the input's.",
        _ranked(-1),
    ),
    "reverse order": Option(
        "Tied items are ranked in the input's order reversed, or by descending name, taken here as "
        "the same.",
        _ranked(1),
    ),
    "worst": Option("Of tied items, the negatives come first.", _ranked(1, -1)),
    "best": Option("Of tied items, the positives come first.", _ranked(1, 1)),
    "every order": Option(
        "The number is the mean over all orders of the tied items.",
        lambda rankings: rankings.score,
        top=Expected,
    ),
}
