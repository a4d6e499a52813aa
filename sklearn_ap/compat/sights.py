"""Choices 1 and 2: the scores that a tool sees, and where it puts tied items.

Scores: predictions in, and out as the tool sees them. Ties: predictions in, scores out, distinct
where the tool puts tied items in an order. What depends on all scores of a query is decided for
each query alone. Scores may become tied, but keep their order: items are sorted once, as given.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from sklearn_ap.compat.predictions import Predictions
from sklearn_ap.counts import ThresholdCounts

__all__ = [
    "as_given",
    "binned_above",
    "chained",
    "floored",
    "grouped",
    "input_order",
    "of_dtype",
    "relevant_above_zero",
    "reverse_order",
    "single",
    "single_weights",
    "squashed",
    "squashed_and_floored",
    "with_missed",
    "worst",
]

Array = NDArray[Any]

CATBOOST_TIE = 1e-8


def _cast(values: Array, dtype: Any) -> Array:
    with np.errstate(over="ignore"):  # what is beyond float32 is infinite to the tool too
        return values.astype(dtype)


def as_given(predictions: Predictions) -> Predictions:
    """All as it is."""
    return predictions


def single(predictions: Predictions) -> Predictions:
    """Scores in float32."""
    return predictions.seen(score=_cast(predictions.score, np.float32))


def single_weights(predictions: Predictions) -> Predictions:
    """Weights in float32."""
    weight = predictions.rankings.weight
    if weight is None:
        return predictions
    return predictions.seen(weight=_cast(weight, np.float32).astype(np.float64))


def chained(predictions: Predictions) -> Predictions:
    """Blocks of scores with small gaps between neighbours in a query, as numbers upwards."""
    order = predictions.upwards()
    score = predictions.score[order].astype(np.float64)
    # score = [0, .6e-8, 1.2e-8, 1] -> block = [0, 0, 0, 1]
    block = np.empty(score.size, np.intp)
    with np.errstate(over="ignore"):  # an infinite gap is a gap
        gap = np.diff(score) >= CATBOOST_TIE
    block[order] = _blocks(gap)
    return single_weights(predictions).seen(score=block)


def of_dtype(predictions: Predictions) -> Predictions:
    """Scores in a dtype that the user tells."""
    return predictions.seen(score=_cast(predictions.score, predictions.options["dtype"]))


def squashed(predictions: Predictions) -> Predictions:
    """Scores after a sigmoid, in queries with one outside [0, 1]."""
    score = of_dtype(predictions).score
    outside = predictions.count((score < 0) | (score > 1)) > 0
    if not outside.any():
        return predictions.seen(score=score)
    return predictions.seen(score=np.where(predictions.of_items(outside), expit(score), score))


def _cells(score: Array, n: int) -> Array:
    """How many of n levels from 0 to 1 are at or below each score; levels as PyTorch lays them."""
    i, step = np.arange(n), float(np.float32(1 / (n - 1)))
    levels = np.where(i < n // 2, step * i, 1 - step * (n - 1 - i)).astype(np.float32)
    return np.searchsorted(levels, score, "right")


def squashed_and_floored(predictions: Predictions) -> Predictions:
    """Cells of a grid, after the sigmoid."""
    cells = _cells(squashed(predictions).score, predictions.options["thresholds"])
    return predictions.seen(score=cells)


def floored(predictions: Predictions) -> Predictions:
    """Cells of a grid; positives below it are dropped, but counted."""
    cells = _cells(of_dtype(predictions).score, predictions.options["threshold"])
    dropped = predictions.positive & (cells == 0)
    seen = predictions.seen(positive=predictions.positive & ~dropped, score=cells)
    return replace(seen, missed=predictions.count(dropped))


def binned_above(predictions: Predictions) -> Predictions:
    """Bins of the scores clipped to [0, 1]."""
    score = _cast(predictions.score, np.float32)
    if predictions.options["from_logits"]:
        score = expit(score)
    last = np.float32(predictions.options["num_thresholds"] - 1)
    bins = np.maximum(np.ceil(np.clip(score, 0, 1) * last) - 1, 0)
    return predictions.seen(score=bins)


def relevant_above_zero(predictions: Predictions) -> Predictions:
    """Scores in float32; positives that score 0 or less are none."""
    seen = single(predictions)
    return seen.seen(positive=seen.positive & (seen.score > 0))


def with_missed(counts: ThresholdCounts, missed: Array) -> ThresholdCounts:
    """Counts with the positives that a tool dropped, and counts."""
    return replace(counts, n_positives=counts.n_positives + missed) if missed.any() else counts


def grouped(predictions: Predictions) -> Array:
    """Tied items stay tied."""
    return predictions.score


def input_order(predictions: Predictions) -> Array:
    """Of tied items, the first of the input is ranked first."""
    n = predictions.score.size
    return _ranked(predictions, n - 1 - np.arange(n))


def reverse_order(predictions: Predictions) -> Array:
    """Of tied items, the last of the input is ranked first."""
    return _ranked(predictions, np.arange(predictions.score.size))


def worst(predictions: Predictions) -> Array:
    """Of tied items, the negatives are ranked first."""
    n, positive = predictions.score.size, predictions.positive
    place = np.empty(n, np.intp)
    place[positive] = np.arange(np.count_nonzero(positive))
    place[~positive] = np.arange(np.count_nonzero(positive), n)
    return _ranked(predictions, place)


def _ranked(predictions: Predictions, place: Array) -> Array:
    """Distinct scores that rise by query, then by score, then by the place among the tied."""
    items, n = predictions.upwards(), predictions.score.size
    score = predictions.score[items]
    block = _blocks(score[1:] != score[:-1])
    keys = np.sort(block * n + place[items])  # whole numbers sort faster than pairs
    at_place = np.empty(n, np.intp)
    at_place[keys % n] = np.arange(n)
    return at_place[place]


def _blocks(new: NDArray[np.bool_]) -> Array:
    """Number the blocks of items in order; one may go on into the next query, which is no harm."""
    return np.concatenate(([0], np.cumsum(new)))
