"""How certain a score is, and whether one model is better than another."""

from sklearn_ap._uncertainty.warnings import UncertaintyWarning
from sklearn_ap.intervals._comparison import AveragePrecisionComparison, compare_average_precision
from sklearn_ap.intervals._interval import AveragePrecisionInterval, average_precision_interval

__all__ = [
    "AveragePrecisionComparison",
    "AveragePrecisionInterval",
    "UncertaintyWarning",
    "average_precision_interval",
    "compare_average_precision",
]
