"""The way of a prediction: from what the user passed to counts, and from counts to the score."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

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

__all__ = ["counted", "score"]


def score(definition: Definition, request: Request) -> Any:
    """Check, count, apply the definition, average: a float, or an array for average=None."""
    zero_division = check_zero_division(request.zero_division)
    rankings, counts = counted(definition, request)
    # A sum of weights can come out an ulp above 1.
    values = fill_undefined(np.minimum(definition(counts), 1.0), zero_division)
    if not rankings.several:
        return float(values[0])
    if request.average is None:
        return values
    weighted = request.average == "weighted"
    return average_rankings(values, counts.n_positives if weighted else rankings.average_weight)


def counted(definition: Definition, request: Request) -> tuple[Rankings, ThresholdCounts]:
    """The clean predictions, and their counts as far as the definition looks."""
    check_average(request.average)
    rankings = check_rankings(request)
    if definition.depth is not None:
        warn_if_weights_end_before(definition.depth, rankings)
    counts = count(rankings, definition.depth)
    if request.n_positives is not None:
        known = check_n_positives(request.n_positives, counts.n_positives, several=rankings.several)
        counts = replace(counts, n_positives=known)
    return rankings, counts
