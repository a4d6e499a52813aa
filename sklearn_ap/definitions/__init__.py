"""The definitions of average precision: ThresholdCounts in, one value per ranking out.

Each is nan, silently, for a ranking without positives, except precision at k, which is 0. Like
all inner rooms they trust their arguments: the scores are what checks them.
"""

from collections.abc import Callable
from typing import Any

from sklearn_ap.definitions.at_k import at_k, at_k_curve, precision_at_k, recall_at_k
from sklearn_ap.definitions.expected import expected, expected_curve
from sklearn_ap.definitions.hyperbolic import hyperbolic, hyperbolic_curve
from sklearn_ap.definitions.interpolated import interpolated, interpolated_curve
from sklearn_ap.definitions.linear import linear, linear_curve
from sklearn_ap.definitions.step import step, step_curve

__all__ = [
    "at_k",
    "expected",
    "hyperbolic",
    "interpolated",
    "linear",
    "precision_at_k",
    "recall_at_k",
    "step",
]

# The line over the area that each is, for pictures.
CURVES: dict[Callable[..., Any], Callable[..., Any]] = {
    step: step_curve,
    interpolated: interpolated_curve,
    expected: expected_curve,
    at_k: at_k_curve,
    linear: linear_curve,
    hyperbolic: hyperbolic_curve,
}
