"""Pictures of rankings, scores and comparisons, as scikit-learn's displays draw them."""

from sklearn_ap.display.average_precision import AveragePrecisionDisplay
from sklearn_ap.display.best_of_many import BestModelDisplay
from sklearn_ap.display.hit_curve import HitCurveDisplay
from sklearn_ap.display.model_comparison import ModelComparisonDisplay
from sklearn_ap.display.tool_comparison import ComparisonDisplay

__all__ = [
    "AveragePrecisionDisplay",
    "BestModelDisplay",
    "ComparisonDisplay",
    "HitCurveDisplay",
    "ModelComparisonDisplay",
]
