"""Each page of the reference names the page, or the section, of the guide that tells of it."""

import re
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
    "certainty": ("average_precision_interval", "Interval", "Sample"),
    "cross_validation": ("FoldPredictions",),
    "warnings": ("UncertaintyWarning",),
    "report": ("report", "Report"),
    "segments": ("compare_segments",),
    "comparison": ("compare_average_precision", "Comparison"),
    "definitions": ("threshold_counts", "ThresholdCounts"),
    "sample_size": ("sample_size_for_interval", "sample_size_for_difference"),
    "few_labels": ("rows_to_label", "LabelPlan"),
    "drawing": ("AveragePrecisionDisplay",),
    "scorers": ("make_ranking_scorer",),
    "threshold": ("operating_point", "OperatingPoint"),
    "differences": ("compat.differences", "compat.Difference", "compat.Differences"),
}
SECTIONS = {
    ("sample_size", "How many before I have any data?"): ("pilot_interval", "pilot_comparison"),
    ("certainty", "Is it better than chance?"): ("chance_test", "ChanceTest"),
    ("definitions", "Step"): ("step_average_precision_score", "definitions.Step"),
    ("definitions", "Interpolated"): (
        *("interpolated_average_precision_score", "definitions.Interpolated"),
    ),
    ("definitions", "Eleven-point, and other levels"): ("eleven_point_average_precision_score",),
    ("definitions", "At k"): (
        *("average_precision_at_k_score", "precision_at_k_score", "recall_at_k_score"),
        *("definitions.AtK", "definitions.PrecisionAtK", "definitions.RecallAtK"),
    ),
    ("definitions", "Expected"): ("definitions.Expected",),
    ("definitions", "Precision at a recall, recall at a precision"): (
        *("definitions.PrecisionAtRecall", "definitions.RecallAtPrecision"),
    ),
    ("definitions", "Reciprocal rank"): ("definitions.ReciprocalRank",),
    ("definitions", "Linear"): ("definitions.Linear",),
    ("definitions", "Hyperbolic"): ("definitions.Hyperbolic",),
    ("comparison", "Do the scores come from different rows?"): ("compare_independent",),
    ("extending", "Add a definition"): ("definitions.Definition",),
    ("drawing", "How many cases must I look at?"): ("hit_curve",),
    ("scorers", "Which names can I use?"): ("get_scorer", "get_scorer_names"),
    ("large", "Chunks of arrays"): ("large.from_chunks",),
    ("large", "Dask"): ("large.from_dask",),
    ("large", "Spark"): ("large.from_spark",),
    ("large", "In SQL"): ("large.from_groups",),
    ("queries", "Run files"): ("retrieval.from_trec",),
    ("queries", "Dicts, for RAG"): ("retrieval.from_dicts",),
    ("queries", "Sparse matrices, for recommenders"): ("retrieval.from_sparse",),
    ("detections", "From pycocotools"): ("detections.from_coco",),
    ("detections", "From your own matching"): ("detections.MatchedDetections",),
}


def link(page, heading):
    """A link to a section of a page."""
    anchor = re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
    return f"`{heading} <../{page}.html#{anchor}>`__ (:doc:`/{page}`)"


@cache
def places():
    """Where the guide tells of each public name, by its full name."""
    found = {
        f"sklearn_ap.{name}": f":doc:`/{page}`" for page, names in PAGES.items() for name in names
    }
    for place, names in SECTIONS.items():
        found |= {f"sklearn_ap.{name}": link(*place) for name in names}
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
