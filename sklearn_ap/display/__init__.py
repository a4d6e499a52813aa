"""Pictures of rankings, scores and comparisons, as scikit-learn's displays draw them."""

from sklearn_ap.display.average_precision import AveragePrecisionDisplay
from sklearn_ap.display.comparison import ComparisonDisplay
from sklearn_ap.display.hits import HitCurveDisplay
from sklearn_ap.display.model_comparison import ModelComparisonDisplay

__all__ = [
    "AveragePrecisionDisplay",
    "ComparisonDisplay",
    "HitCurveDisplay",
    "ModelComparisonDisplay",
]
