"""The way of a prediction: from what the user passed to counts, and from counts to the score."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._averaging import (
    average_rankings,
    check_average,
    check_zero_division,
    fill_undefined,
)
from sklearn_ap._validation import (
    Rankings,
    Request,
    check_n_positives,
    check_rankings,
    warn_if_weights_end_before,
)
from sklearn_ap.counts import ThresholdCounts, count
from sklearn_ap.definitions import Definition

__all__ = ["counted", "score", "values_of", "with_known"]


def score(definition: Definition, request: Request) -> Any:
    """Check, count, apply the definition, average: a float, or an array for average=None."""
    zero_division = check_zero_division(request.zero_division)
    rankings, counts = counted(definition, request)
    values = fill_undefined(values_of(definition, counts), zero_division)
    if not rankings.several:
        return float(values[0])
    if request.average is None:
        return values
    weighted = request.average == "weighted"
    return average_rankings(values, counts.n_positives if weighted else rankings.average_weight)


def values_of(definition: Definition, counts: ThresholdCounts) -> NDArray[np.float64]:
    """The value of each ranking, nan without positives."""
    # A sum of weights can come out an ulp above 1.
    return np.minimum(definition(counts), 1.0)


def with_known(counts: ThresholdCounts, request: Request, rankings: Rankings) -> ThresholdCounts:
    """Counts with the number of positives that the user knows."""
    if request.n_positives is None:
        return counts
    several = rankings.several
    known = check_n_positives(request.n_positives, counts.n_positives, several=several)
    return replace(counts, n_positives=known)


def counted(definition: Definition, request: Request) -> tuple[Rankings, ThresholdCounts]:
    """The clean predictions, and their counts as far as the definition looks."""
    check_average(request.average)
    rankings = check_rankings(request)
    if definition.depth is not None:
        warn_if_weights_end_before(definition.depth, rankings)
    return rankings, with_known(count(rankings, definition.depth), request, rankings)
