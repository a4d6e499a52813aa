"""Choices 1 and 2: the scores that a tool sees, and how it orders tied items.

An option of ``SCORES`` takes rankings and its arguments, and returns the rankings as the tool sees
them: some scores may become tied, but they keep their order. ``order_ties`` returns scores, which
are distinct if the tool orders tied items. Nothing here compares scores of different queries.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap._types import Array, Bool

CLOSE = 1e-8  # CatBoost ties scores that are closer


def find_outside_0_1(rankings: Rankings) -> Bool:
    """Find the queries that have a score outside [0, 1]."""
    is_outside = (rankings.score < 0) | (rankings.score > 1)
    queries = rankings.ranking_of_items[is_outside]
    return np.bincount(queries, minlength=rankings.n_rankings) > 0


def order_ties(option: str, rankings: Rankings) -> Array:
    """Return scores, which are distinct if the option orders tied items.

    The score decides first, then the class for "worst" and "best", then the place in the input.
    """
    if option in ("grouped", "every order") or _are_distinct(rankings.score):
        return rankings.score
    _, rank = np.unique(rankings.score, return_inverse=True)
    n = rank.size
    positives = {"worst": -1, "best": 1}.get(option, 0) * rankings.positive
    place = np.arange(n)
    if option in ("input order", "unspecified"):
        place = -place
    return (2 * rank + positives) * n + place


def pytorch_levels(n_levels: int) -> NDArray[np.float32]:
    """Make equidistant levels from 0 to 1, rounded as in PyTorch, which counts from both ends."""
    i = np.arange(n_levels)
    step = float(np.float32(1 / (n_levels - 1)))
    levels = np.where(i < n_levels // 2, step * i, 1 - step * (n_levels - 1 - i))
    return levels.astype(np.float32)


def _are_distinct(score: Array) -> bool:
    """Check, in a part of the time and memory of ranks, whether scores are finite and distinct."""
    ordered = np.sort(score)
    is_finite = bool(np.isfinite(ordered[[0, -1]]).all()) if score.size else True
    return is_finite and bool((ordered[1:] != ordered[:-1]).all())


def _round_scores(rankings: Rankings, *, dtype: str = "float32") -> Rankings:
    return replace(rankings, score=rankings.score.astype(dtype))


def _round_weights(rankings: Rankings) -> Rankings:
    if rankings.weight is None:
        return rankings
    return replace(rankings, weight=rankings.weight.astype(np.float32).astype(np.float64))


def _tie_close_scores(rankings: Rankings) -> Rankings:
    """Tie neighbouring scores that are closer than ``CLOSE``; ties chain."""
    order = np.argsort(rankings.score)
    if rankings.several:
        order = np.lexsort((rankings.score, rankings.ranking_of_items))
    is_apart = np.diff(rankings.score[order].astype(np.float64)) >= CLOSE
    # is_apart = [False, False, True] -> block = [0, 0, 0, 1]
    # A block may span two queries, as scores of different queries are not compared.
    block = np.empty(order.size, np.intp)
    block[order] = np.cumsum(np.concatenate(([False], is_apart)))
    return replace(_round_weights(rankings), score=block)


def _apply_sigmoid(rankings: Rankings, *, dtype: str) -> Rankings:
    """Apply the sigmoid to all scores of the queries that have a score outside [0, 1]."""
    rankings = _round_scores(rankings, dtype=dtype)
    is_outside = find_outside_0_1(rankings)[rankings.ranking_of_items]
    return replace(rankings, score=np.where(is_outside, expit(rankings.score), rankings.score))


def _round_sigmoid_down(rankings: Rankings, *, dtype: str, thresholds: int) -> Rankings:
    score = _apply_sigmoid(rankings, dtype=dtype).score
    return replace(rankings, score=np.searchsorted(pytorch_levels(thresholds), score, "right"))


def _round_down(rankings: Rankings, *, dtype: str, threshold: int) -> Rankings:
    score = rankings.score.astype(dtype)
    return _retrieve_above_0(rankings, np.searchsorted(pytorch_levels(threshold), score, "right"))


def _clip_into_bins(rankings: Rankings, *, num_thresholds: int, from_logits: bool) -> Rankings:
    """Put scores into bins; probability 0 joins the first one."""
    score = rankings.score.astype(np.float32)
    bins = _find_bins(expit(score) if from_logits else score, num_thresholds)
    return replace(rankings, score=np.maximum(bins, 1))


def _retrieve_from_bin_1(rankings: Rankings, *, num_thresholds: int) -> Rankings:
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
    "float32": _round_scores,
    "as given, float32 weights": _round_weights,
    "tied below 1e-8": _tie_close_scores,
    "dtype": _round_scores,
    "sigmoid": _apply_sigmoid,
    "sigmoid, floored": _round_sigmoid_down,
    "floored": _round_down,
    "clipped bins": _clip_into_bins,
    "clipped bins above 0": _retrieve_from_bin_1,
    "relevant above 0": lambda rankings: _unlabel_up_to_0(_round_scores(rankings)),
}
