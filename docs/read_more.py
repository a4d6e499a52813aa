"""Each page of the reference names the page of the guide that tells of it."""

from functools import cache

import sklearn_ap

ROOMS = {
    "compat": "compat",
    "definitions": "definitions",
    "large": "large",
    "retrieval": "queries",
    "detections": "detections",
}
PAGES = {
    "average_precision": ("average_precision_score",),
    "certainty": ("average_precision_interval", "Interval", "Sample", "chance_test", "ChanceTest"),
    "cross_validation": ("FoldPredictions", "candidate_predictions"),
    "warnings": ("UncertaintyWarning",),
    "report": ("report", "Report"),
    "segments": ("compare_segments",),
    "comparison": ("compare_average_precision", "compare_independent", "Comparison"),
    "definitions": (
        *("threshold_counts", "ThresholdCounts", "step_average_precision_score"),
        *("interpolated_average_precision_score", "eleven_point_average_precision_score"),
        *("average_precision_at_k_score", "precision_at_k_score", "recall_at_k_score"),
    ),
    "large": ("score_from_counts",),
    "extending": ("definitions.Definition",),
    "sample_size": (
        *("sample_size_for_interval", "sample_size_for_difference", "SampleSize"),
        *("pilot_interval", "pilot_comparison"),
    ),
    "few_labels": ("rows_to_label", "LabelPlan"),
    "drawing": ("AveragePrecisionDisplay", "hit_curve"),
    "scorers": ("make_ranking_scorer", "get_scorer", "get_scorer_names"),
    "threshold": ("operating_point", "OperatingPoint"),
    "differences": ("compat.differences", "InputError", "InputTypeError"),
}


@cache
def places():
    """Where the guide tells of each public name, by its full name."""
    found = {
        f"sklearn_ap.{name}": f":doc:`/{page}`" for page, names in PAGES.items() for name in names
    }
    for room, page in ROOMS.items():
        names = getattr(sklearn_ap, room).__all__
        found = {f"sklearn_ap.{room}.{name}": f":doc:`/{page}`" for name in names} | found
    return found


def tell(*event):
    """Put the link behind the first paragraph."""
    name, lines = event[2], event[-1]
    place = places().get(name)
    begin = next((i for i, line in enumerate(lines) if line), len(lines))  # behind empty lines
    if place and "" in lines[begin:]:
        end = lines.index("", begin)
        lines[end:end] = ["", f"Read more in {place}."]


def setup(app):
    """Behind numpydoc, which rewrites the docstring."""
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("autodoc-process-docstring", tell, priority=900)
    return {"parallel_read_safe": True}
