"""Pictures, in scikit-learn's way: what is drawn yields the score in the legend. No formulas."""

from sklearn_ap.display.average_precision import AveragePrecisionDisplay
from sklearn_ap.display.comparison import ComparisonDisplay
from sklearn_ap.display.hits import HitCurveDisplay

__all__ = ["AveragePrecisionDisplay", "ComparisonDisplay", "HitCurveDisplay"]
