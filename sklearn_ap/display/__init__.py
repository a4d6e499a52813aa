"""Pictures of rankings, as scikit-learn's displays draw them, and of results."""

from sklearn_ap.display._average_precision import AveragePrecisionDisplay
from sklearn_ap.display._hit_curve import HitCurveDisplay

__all__ = ["AveragePrecisionDisplay", "HitCurveDisplay"]
