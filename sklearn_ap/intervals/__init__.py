"""How certain a score is, and whether one model is better than another."""

from sklearn_ap.intervals._interval import (
    AveragePrecisionComparison,
    AveragePrecisionInterval,
    UncertaintyWarning,
    average_precision_interval,
    compare_average_precision,
)

__all__ = [
    "AveragePrecisionComparison",
    "AveragePrecisionInterval",
    "UncertaintyWarning",
    "average_precision_interval",
    "compare_average_precision",
]
