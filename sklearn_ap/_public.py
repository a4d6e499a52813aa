"""What users import from ``sklearn_ap``."""

from sklearn_ap import compat, definitions, detections, large, retrieval
from sklearn_ap._counts.counting import threshold_counts
from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._folds.predictions import FoldPredictions
from sklearn_ap._questions.best_of_many.best import BestAveragePrecision, best_average_precision
from sklearn_ap._questions.chance.random_orders import ChanceTest, chance_test
from sklearn_ap._questions.few_labels.plan import LabelPlan, rows_to_label
from sklearn_ap._questions.intervals.comparison import (
    AveragePrecisionComparison,
    compare_average_precision,
)
from sklearn_ap._questions.intervals.independent import (
    IndependentComparison,
    compare_independent,
)
from sklearn_ap._questions.intervals.interval import (
    AveragePrecisionInterval,
    average_precision_interval,
)
from sklearn_ap._questions.operating_points.operating_point import OperatingPoint, operating_point
from sklearn_ap._questions.sample_size.plan import positives_for
from sklearn_ap._questions.segments.comparison import SegmentComparison, compare_segments
from sklearn_ap._report.report import Report, report
from sklearn_ap._scikit_learn.scorers import get_scorer, get_scorer_names, make_ranking_scorer
from sklearn_ap._uncertainty.warnings import UncertaintyWarning
from sklearn_ap.displays import AveragePrecisionDisplay
from sklearn_ap.metrics import (
    average_precision_at_k_score,
    average_precision_score,
    eleven_point_average_precision_score,
    hit_curve,
    interpolated_average_precision_score,
    precision_at_k_score,
    recall_at_k_score,
    step_average_precision_score,
)

__all__ = [
    "AveragePrecisionComparison",
    "AveragePrecisionDisplay",
    "AveragePrecisionInterval",
    "BestAveragePrecision",
    "ChanceTest",
    "FoldPredictions",
    "IndependentComparison",
    "LabelPlan",
    "OperatingPoint",
    "Report",
    "SegmentComparison",
    "ThresholdCounts",
    "UncertaintyWarning",
    "average_precision_at_k_score",
    "average_precision_interval",
    "average_precision_score",
    "best_average_precision",
    "chance_test",
    "compare_average_precision",
    "compare_independent",
    "compare_segments",
    "compat",
    "definitions",
    "detections",
    "eleven_point_average_precision_score",
    "get_scorer",
    "get_scorer_names",
    "hit_curve",
    "interpolated_average_precision_score",
    "large",
    "make_ranking_scorer",
    "operating_point",
    "positives_for",
    "precision_at_k_score",
    "recall_at_k_score",
    "report",
    "retrieval",
    "rows_to_label",
    "step_average_precision_score",
    "threshold_counts",
]
