"""Average precision for scikit-learn, each kind under its own name.

- Score predictions: ``average_precision_score``, ``average_precision_at_k_score``
- How certain is the score? ``average_precision_interval``, ``chance_test``
- Is a model better, is it the best? ``compare_average_precision``
- Is it worse in a segment? ``compare_segments``
- Did the score change between two samples? ``compare_independent``
- Select models in scikit-learn: ``get_scorer``
- Choose a threshold: ``operating_point``
- Choose rows to label: ``rows_to_label``
- Draw the curve: ``AveragePrecisionDisplay``
- Summarize all this on one page: ``report``
- Explain why tools differ: ``compat``
- Count data that does not fit in memory: ``large``
"""

from importlib import import_module
from threading import RLock

_FOLDERS = ("compat", "definitions", "detections", "large", "retrieval")
# The module of each public name, which is imported when the name is first asked for, so that no
# user waits for what another one needs. __init__.pyi tells type checkers the same names.
_MODULES = {
    "__version__": "_version",
    "AveragePrecisionDisplay": "displays.display",
    "ChanceTest": "inference.chance.chance_test",
    "Comparison": "inference.comparison_result",
    "FoldPredictions": "inference.folds.fold_predictions",
    "InputError": "_errors",
    "InputTypeError": "_errors",
    "Interval": "inference.interval",
    "LabelPlan": "inference.few_labels.rows_to_label",
    "OperatingPoint": "inference.thresholds.operating_point",
    "Report": "_report.page",
    "Sample": "_results.sample",
    "SampleSize": "inference.sample_size",
    "ThresholdCounts": "_counts.thresholds",
    "UncertaintyWarning": "_writing.warning",
    "average_precision_at_k_score": "metrics",
    "average_precision_interval": "inference.interval",
    "average_precision_score": "metrics",
    "candidate_predictions": "inference.folds.candidates",
    "chance_test": "inference.chance.chance_test",
    "compare_average_precision": "inference.comparison",
    "compare_independent": "inference.independent",
    "compare_segments": "inference.segments.compare_segments",
    "eleven_point_average_precision_score": "metrics",
    "get_scorer": "scorers",
    "get_scorer_names": "scorers",
    "hit_curve": "_counts.hit_curve",
    "interpolated_average_precision_score": "metrics",
    "make_ranking_scorer": "scorers",
    "operating_point": "inference.thresholds.operating_point",
    "pilot_comparison": "inference.sample_size",
    "pilot_interval": "inference.sample_size",
    "precision_at_k_score": "metrics",
    "recall_at_k_score": "metrics",
    "report": "_report.report",
    "rows_to_label": "inference.few_labels.rows_to_label",
    "sample_size_for_difference": "inference.sample_size",
    "sample_size_for_interval": "inference.sample_size",
    "score_from_counts": "metrics",
    "step_average_precision_score": "metrics",
    "threshold_counts": "_counts.counting",
}
# Threads that import scikit-learn for the first time, by several of our modules at once, break it.
_IMPORTING = RLock()
__all__ = sorted({*_FOLDERS, *_MODULES} - {"__version__"})


def __getattr__(name: str) -> object:
    if name not in {*_FOLDERS, *_MODULES}:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    with _IMPORTING:
        if name in _FOLDERS:
            return import_module(f"{__name__}.{name}")
        globals()[name] = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
        return globals()[name]


def __dir__() -> list[str]:
    return [*_FOLDERS, *_MODULES]
