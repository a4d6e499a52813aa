"""Numbers with their limits, as facts have them, from public results."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sklearn_ap._types import FloatOrArray
from sklearn_ap.inference.comparison_result import Comparison
from sklearn_ap.inference.interval import Interval
from sklearn_ap.inference.operating_point import OperatingPoint


class Measured(NamedTuple):
    """A score, a share or a difference, with its limits at a level.

    They allow for a choice of one of ``n_starts`` times.
    """

    value: float
    low: float
    high: float
    level: float
    n_starts: int = 1


def score_of(result: Interval | Comparison, row: int = 0) -> Measured:
    """Read a score."""
    return _of_row(row, result.estimate, result.low, result.high, result.confidence_level)


def difference_of(result: Comparison, row: int | None = None) -> Measured:
    """Read the difference of a score from its reference; of two models, it is that of the other."""
    if row is None:
        (row,) = np.flatnonzero(result.is_compared).tolist()
    limits = result.difference_low, result.difference_high
    return _of_row(row, result.difference, *limits, result.confidence_level)


def precision_and_recall(result: OperatingPoint) -> tuple[Measured, Measured]:
    """Read the precision and the recall at a threshold."""
    level = result.confidence_level
    precision = Measured(result.precision, *result.precision_interval, level)
    return precision, Measured(result.recall, *result.recall_interval, level)


def _of_row(
    row: int, value: FloatOrArray, low: FloatOrArray, high: FloatOrArray, level: float
) -> Measured:
    """Read numbers of Python, from those of one score or from a row of several."""
    value, low, high = (float(np.atleast_1d(each)[row]) for each in (value, low, high))
    return Measured(value, low, high, level)
