"""Segments: the queries of a case are segments, which compare_segments compares.

Or its queries lie in segments, which are then means over queries.
"""

from dataclasses import replace

import numpy as np
import uncertainty_reference as reference
from answers import comparison_arguments, definition_of, fields_of
from of_folds import ranked
from uncertainty_reference import OF_POOL

import sklearn_ap

ROWS = ("sample_weight", "clusters", "pos_label", "confidence_level", "alternative")


def names_of(case):
    """The segments that have weight, by their numbers: "q9" stands before "q12"."""
    names = {*case.options["queries"][case.weight > 0].tolist()}
    return sorted(names, key=number_of)


def number_of(name):
    return float(str(name).removeprefix("q"))


def reference_of(case):
    """A third of the cases each: the others, the segment before, and the last one."""
    last = names_of(case)[-1]
    return {"b": "previous", "c": last}.get(case.options.get("reference"), "others")


def prevalence_of(case):
    """As it is said: a number, that of all rows, or, with some definitions always, none."""
    name, options = case.definition
    if name in ("Expected", "ReciprocalRank") or "k" in options or case.seed % 4 == 0:
        return case.options.get("prevalence")
    return case.options.get("prevalence", "overall")


def folds_of(case):
    """The fold of each row: of a third of the cases, and of those with enough rows."""
    n = len(case.y_true)
    return np.arange(n) % 2 if case.seed % 3 == 0 and n >= 4 else None


def pools_ranks(case):
    """In half of the cases with folds, whose scores are then on other scales."""
    return folds_of(case) is not None and case.seed % 2 == 1


def predictions_of_folds(case):
    scores, way = case.y_score, {}
    if pools_ranks(case):
        scores, way = scores * 4.0 ** folds_of(case), {"pooling": "ranks"}
    return sklearn_ap.FoldPredictions({"y_score": scores, "folds": folds_of(case)}, **way)


def comparison(case):
    scores, options = case.y_score, case.said(*ROWS)
    options |= {"definition": definition_of(case), "prevalence": prevalence_of(case)}
    if folds_of(case) is not None:
        scores = predictions_of_folds(case)
    rows = case.y_true, scores, case.options["queries"]
    return fields_of(sklearn_ap.compare_segments(*rows, reference=reference_of(case), **options))


def expected_comparison(case):
    """All numbers, or those of single scores where the reference knows no more."""
    if pools_ranks(case):
        case = replace(case, scores={"a": ranked(case, case.y_score, folds_of(case))}, known={})
    rows, names = case.only(case.weight > 0), names_of(case)
    segment, prevalence = rows.options["queries"], prevalence_of(case)
    prevalence = rows.share_positive if prevalence == "overall" else prevalence
    rows = rows.without("queries").having(prevalence=prevalence, zero_division=np.nan)
    parts = {name: rows.only(segment == name) for name in names}
    parts = {name: part for name, part in parts.items() if not np.isnan(part.exact())}
    found = {
        "estimates": [part.exact() for part in parts.values()],
        "n_positives": [part.is_positive.sum() for part in parts.values()],
        "shares": [part.share_positive for part in parts.values()],
        "pooled": rows.exact(),
        "prevalence": np.nan if prevalence is None else prevalence,
    }
    if case.definition[0] not in reference.DEFINITIONS:
        return found
    models = {
        name: reference.part_of(part.sampled(), part.options.get("clusters", []))
        for name, part in parts.items()
    }
    factor = 1.0 if folds_of(case) is None else OF_POOL
    return found | compared(case, models, reference_of(case), factor)


def compared(case, models, wanted, factor=1.0):
    """The differences of segments, in the order of the numbers of their names."""
    _, level, alternative = comparison_arguments(case)
    wanted = wanted if wanted in ("others", "previous") else [*models].index(wanted)
    return reference.segments([*models.values()], wanted, level, alternative, factor)


# ---- segments of queries


def segment_of(case):
    """The segment of each row: every third query lies in the same one, of many every seventh."""
    numbers = np.array([round(number_of(name)) for name in case.options["queries"].tolist()])
    return numbers // 3 % (3 if np.unique(numbers).size < 100 else 7)


def last_segment(case):
    return int(segment_of(case)[case.weight > 0].max())


def reference_of_queries(case):
    wanted = {"b": "previous", "c": last_segment(case)}
    return wanted.get(case.options.get("reference"), "others")


def comparison_of_queries(case):
    """With the options that are refused beside queries, if the case has them."""
    scores = case.y_score if folds_of(case) is None else predictions_of_folds(case)
    options = case.said(*ROWS, "queries") | {"definition": definition_of(case)}
    options |= {"prevalence": case.options.get("prevalence")}
    rows = case.y_true, scores, segment_of(case)
    found = sklearn_ap.compare_segments(*rows, reference=reference_of_queries(case), **options)
    return fields_of(found)


def is_refused(case):
    return "clusters" in case.options or folds_of(case) is not None


def expected_refusal(case):
    raise AssertionError("compare_segments takes neither clusters nor folds beside queries")


def has_a_score(case):
    """Whether some query has a positive, beside which a prevalence needs a negative."""
    return case.is_positive.any() and not np.isnan(case.exact(zero_division=np.nan))


def expected_comparison_of_queries(case):
    """Scores are means over queries, so the reference knows all numbers of each definition."""
    rows = case.only(case.weight > 0).having(zero_division=0.0)
    segment = segment_of(rows)
    parts = {name: rows.only(segment == name) for name in np.unique(segment).tolist()}
    parts = {name: part for name, part in parts.items() if has_a_score(part)}
    models = {name: reference.part_of_queries(part.sampled()) for name, part in parts.items()}
    found = {
        "estimates": [part.exact() for part in parts.values()],
        "n_positives": [part.is_positive.sum() for part in parts.values()],
        "n_queries": [len({*part.options["queries"].tolist()}) for part in parts.values()],
        "n_effective": [model.n_limited for model in models.values()],
        "shares": [part.share_positive for part in parts.values()],
        "pooled": rows.exact(),
        "prevalence": case.options.get("prevalence", np.nan),
    }
    return found | compared(case, models, reference_of_queries(case))
