# The public names, for type checkers and editors: at run time they are imported at their first use.

from sklearn_ap import compat as compat
from sklearn_ap import definitions as definitions
from sklearn_ap import detections as detections
from sklearn_ap import large as large
from sklearn_ap import retrieval as retrieval
from sklearn_ap._counts.counting import threshold_counts as threshold_counts
from sklearn_ap._counts.hit_curve import hit_curve as hit_curve
from sklearn_ap._counts.thresholds import ThresholdCounts as ThresholdCounts
from sklearn_ap._errors import InputError as InputError
from sklearn_ap._errors import InputTypeError as InputTypeError
from sklearn_ap._report.page import Report as Report
from sklearn_ap._report.report import report as report
from sklearn_ap._results.sample import Sample as Sample
from sklearn_ap._version import __version__ as __version__
from sklearn_ap._writing.warning import UncertaintyWarning as UncertaintyWarning
from sklearn_ap.displays.display import AveragePrecisionDisplay as AveragePrecisionDisplay
from sklearn_ap.inference.chance.chance_test import ChanceTest as ChanceTest
from sklearn_ap.inference.chance.chance_test import chance_test as chance_test
from sklearn_ap.inference.comparison import (
    compare_average_precision as compare_average_precision,
)
from sklearn_ap.inference.comparison_result import Comparison as Comparison
from sklearn_ap.inference.few_labels.rows_to_label import LabelPlan as LabelPlan
from sklearn_ap.inference.few_labels.rows_to_label import rows_to_label as rows_to_label
from sklearn_ap.inference.folds.candidates import candidate_predictions as candidate_predictions
from sklearn_ap.inference.folds.fold_predictions import FoldPredictions as FoldPredictions
from sklearn_ap.inference.independent import compare_independent as compare_independent
from sklearn_ap.inference.interval import Interval as Interval
from sklearn_ap.inference.interval import (
    average_precision_interval as average_precision_interval,
)
from sklearn_ap.inference.sample_size import SampleSize as SampleSize
from sklearn_ap.inference.sample_size import pilot_comparison as pilot_comparison
from sklearn_ap.inference.sample_size import pilot_interval as pilot_interval
from sklearn_ap.inference.sample_size import (
    sample_size_for_difference as sample_size_for_difference,
)
from sklearn_ap.inference.sample_size import sample_size_for_interval as sample_size_for_interval
from sklearn_ap.inference.segments.compare_segments import compare_segments as compare_segments
from sklearn_ap.inference.thresholds.operating_point import OperatingPoint as OperatingPoint
from sklearn_ap.inference.thresholds.operating_point import (
    operating_point as operating_point,
)
from sklearn_ap.metrics import average_precision_at_k_score as average_precision_at_k_score
from sklearn_ap.metrics import average_precision_score as average_precision_score
from sklearn_ap.metrics import (
    eleven_point_average_precision_score as eleven_point_average_precision_score,
)
from sklearn_ap.metrics import (
    interpolated_average_precision_score as interpolated_average_precision_score,
)
from sklearn_ap.metrics import precision_at_k_score as precision_at_k_score
from sklearn_ap.metrics import recall_at_k_score as recall_at_k_score
from sklearn_ap.metrics import score_from_counts as score_from_counts
from sklearn_ap.metrics import step_average_precision_score as step_average_precision_score
from sklearn_ap.scorers import get_scorer as get_scorer
from sklearn_ap.scorers import get_scorer_names as get_scorer_names
from sklearn_ap.scorers import make_ranking_scorer as make_ranking_scorer
