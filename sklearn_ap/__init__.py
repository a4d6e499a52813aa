"""Average precision, every definition under its own name, in scikit-learn's conventions."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sklearn_ap import definitions
from sklearn_ap.counts import ThresholdCounts, threshold_counts
from sklearn_ap.curves import hit_curve, interpolated_precision_recall_curve
from sklearn_ap.intervals import (
    AveragePrecisionComparison,
    AveragePrecisionInterval,
    UncertaintyWarning,
    average_precision_interval,
    compare_average_precision,
)
from sklearn_ap.metrics import (
    average_precision_at_k_score,
    average_precision_score,
    eleven_point_average_precision_score,
    expected_average_precision_score,
    interpolated_average_precision_score,
    precision_at_k_score,
    recall_at_k_score,
    step_average_precision_score,
)
from sklearn_ap.scorers import get_scorer, get_scorer_names, make_ranking_scorer

if TYPE_CHECKING:
    from sklearn_ap import compat
    from sklearn_ap.display import AveragePrecisionDisplay, ComparisonDisplay, HitCurveDisplay

__version__ = "0.2.0"

__all__ = [
    "AveragePrecisionComparison",
    "AveragePrecisionDisplay",
    "AveragePrecisionInterval",
    "ComparisonDisplay",
    "HitCurveDisplay",
    "ThresholdCounts",
    "UncertaintyWarning",
    "average_precision_at_k_score",
    "average_precision_interval",
    "average_precision_score",
    "compare_average_precision",
    "compat",
    "definitions",
    "eleven_point_average_precision_score",
    "expected_average_precision_score",
    "get_scorer",
    "get_scorer_names",
    "hit_curve",
    "interpolated_average_precision_score",
    "interpolated_precision_recall_curve",
    "make_ranking_scorer",
    "precision_at_k_score",
    "recall_at_k_score",
    "step_average_precision_score",
    "threshold_counts",
]


def __getattr__(name: str) -> Any:
    # Pictures and other tools take half of the time of the import, and wait until they are wanted.
    if name == "compat":
        return import_module("sklearn_ap.compat")
    if name in __all__:
        return getattr(import_module("sklearn_ap.display"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
