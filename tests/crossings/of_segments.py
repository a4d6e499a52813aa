"""Segments: the queries of a case are segments, which compare_segments compares."""

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
    _, level, alternative = comparison_arguments(case)
    wanted = reference_of(case)
    wanted = wanted if wanted in ("others", "previous") else [*parts].index(wanted)
    models = [
        reference.part_of(part.sampled(), part.options.get("clusters", []))
        for part in parts.values()
    ]
    factor = 1.0 if folds_of(case) is None else OF_POOL
    every_name = sorted({*map(number_of, case.options["queries"].tolist())})
    places = np.array([every_name.index(number_of(name)) for name in parts], float)
    found |= reference.trend(models, places, level, factor)
    return found | reference.segments(models, wanted, level, alternative, factor)
