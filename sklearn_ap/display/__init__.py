"""Pictures of rankings, scores and comparisons, as scikit-learn's displays draw them."""

from sklearn_ap.display._average_precision import AveragePrecisionDisplay
from sklearn_ap.display._best_model import BestModelDisplay
from sklearn_ap.display._chance_test import ChanceTestDisplay
from sklearn_ap.display._hit_curve import HitCurveDisplay
from sklearn_ap.display._model_comparison import ModelComparisonDisplay
from sklearn_ap.display._tool_comparison import ToolComparisonDisplay

__all__ = [
    "AveragePrecisionDisplay",
    "BestModelDisplay",
    "ChanceTestDisplay",
    "HitCurveDisplay",
    "ModelComparisonDisplay",
    "ToolComparisonDisplay",
]
