"""Each page of the reference names the page of the guide that has its story."""

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
    "average_precision": (
        *("average_precision_score", "step_average_precision_score"),
        "expected_average_precision_score",
    ),
    "certainty": ("average_precision_interval", "AveragePrecisionInterval"),
    "warnings": ("UncertaintyWarning",),
    "report": ("report", "Report"),
    "chance": ("chance_test", "ChanceTest"),
    "segments": ("compare_segments", "SegmentComparison"),
    "comparison": (
        *("compare_average_precision", "AveragePrecisionComparison"),
        *("compare_independent", "IndependentComparison"),
    ),
    "best_of_many": ("best_average_precision", "BestAveragePrecision"),
    "looks": ("look_levels", "LookLevels"),
    "definitions": (
        *("interpolated_average_precision_score", "eleven_point_average_precision_score"),
        *("average_precision_at_k_score", "precision_at_k_score", "recall_at_k_score"),
        *("precision_at_recall_score", "recall_at_precision_score"),
        *("threshold_counts", "ThresholdCounts"),
    ),
    "sample_size": ("positives_for",),
    "few_labels": ("rows_to_label", "LabelPlan"),
    "drawing": ("AveragePrecisionDisplay", "HitCurveDisplay", "hit_curve", "precision_recall_band"),
    "scorers": ("get_scorer", "get_scorer_names", "make_ranking_scorer"),
    "threshold": ("operating_point", "OperatingPoint"),
}


@cache
def pages():
    """The page of the guide for the full name of each public name."""
    found = {f"sklearn_ap.{name}": page for page, names in PAGES.items() for name in names}
    for room, page in ROOMS.items():
        of_room = getattr(sklearn_ap, room).__all__
        found |= {f"sklearn_ap.{room}.{name}": page for name in of_room}
    return found


def tell(*event):
    """Put the link behind the first paragraph."""
    name, lines = event[2], event[-1]
    page = pages().get(name)
    begin = next((i for i, line in enumerate(lines) if line), len(lines))  # behind empty lines
    if page and "" in lines[begin:]:
        place = lines.index("", begin)
        lines[place:place] = ["", f"Read more in :doc:`/{page}`."]


def setup(app):
    """Behind numpydoc, which rewrites the docstring."""
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("autodoc-process-docstring", tell, priority=900)
    return {"parallel_read_safe": True}
