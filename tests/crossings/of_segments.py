"""Segments: the queries of a case are segments, which compare_segments compares.

Or its queries lie in segments, which are then means over queries.
"""

import numpy as np
from answers import definition_of

import sklearn_ap

ROWS = ("sample_weight", "clusters", "pos_label", "confidence_level", "alternative")


def names_of(case):
    """The segments that have weight, in their order."""
    names = {*case.options["queries"][case.weight > 0].tolist()}
    return sorted(names, key=number_of if has_previous(case) else None)


def number_of(name):
    return float(str(name).removeprefix("q"))


def has_previous(case):
    return case.options.get("reference") == "b"


def segments_of(case):
    """The segment of each row: of "q9" its number, where its order must be known."""
    names = case.options["queries"]
    return np.array([number_of(name) for name in names.tolist()]) if has_previous(case) else names


def reference_of(case):
    """A third of the cases each: the others, the segment before, and the last one."""
    last = names_of(case)[-1]
    return {"b": "previous", "c": last}.get(case.options.get("reference"), "others")


def prevalence_of(case):
    """As it is said: a number, that of all rows, or, with some definitions always, their own."""
    name, options = case.definition
    if name in ("Expected", "ReciprocalRank") or "k" in options or case.seed % 4 == 0:
        return case.options.get("prevalence", "own")
    return case.options.get("prevalence", "overall")


def folds_of(case):
    """The fold of each row: of a third of the cases, and of those with enough rows."""
    n = len(case.y_true)
    return np.arange(n) % 2 if case.seed % 3 == 0 and n >= 4 else None


def predictions_of_folds(case):
    return sklearn_ap.FoldPredictions({"y_score": case.y_score, "folds": folds_of(case)})


def numbers_of(found):
    """Scores and differences of the segments that have a score; verdicts agree with p-values."""
    difference, pvalue = found.difference, found.pvalue
    is_shown = np.isin(found.verdict, ["better", "worse"])
    assert np.array_equal(is_shown, pvalue < 1 - found.confidence_level)
    has_score = np.isfinite(found.estimate)
    scores, target = found.scores, found.sample.target_prevalence
    return {
        "estimate": found.estimate[has_score],
        "difference": difference[has_score],
        "n_positives": scores.n_positives[has_score],
        "share": scores.prevalence[has_score],
        "prevalence": np.nan if target is None else target,
    }


def comparison(case):
    scores, options = case.y_score, case.said(*ROWS)
    options |= {"definition": definition_of(case), "prevalence": prevalence_of(case)}
    if folds_of(case) is not None:
        scores = predictions_of_folds(case)
    rows = case.y_true, scores, segments_of(case)
    return numbers_of(sklearn_ap.compare_segments(*rows, reference=reference_of(case), **options))


def expected_comparison(case):
    """Scores and differences; tests/inference compares limits with their own reference."""
    rows, names = case.only(case.weight > 0), names_of(case)
    segment, prevalence = rows.options["queries"], prevalence_of(case)
    prevalence = {"overall": rows.share_positive, "own": None}.get(prevalence, prevalence)
    rows = rows.without("queries").having(prevalence=prevalence, zero_division=np.nan)
    parts = {name: rows.only(segment == name) for name in names}
    parts = {name: part for name, part in parts.items() if not np.isnan(part.exact())}
    weights = [number_of_positives(part, prevalence) for part in parts.values()]
    return compared(parts, weights, weights, reference_of(case)) | {
        "prevalence": np.nan if prevalence is None else prevalence,
    }


def number_of_positives(part, prevalence):
    """The effective number, which few heavy negatives lower."""
    positives, negatives = part.weight[part.is_positive], part.weight[~part.is_positive]
    if not negatives.size:
        return kish(positives)
    with np.errstate(over="ignore"):
        odds = positives.sum() / negatives.sum()
    odds = odds if prevalence is None else prevalence / (1 - prevalence)
    return min(kish(positives), kish(negatives) * odds)


def kish(weight):
    weight = weight / weight.max()
    return weight.sum() ** 2 / np.sum(weight**2)


def compared(parts, weights, sizes, wanted):
    """Scores minus those of their references, in the order of the numbers of their names."""
    scores = np.array([part.exact() for part in parts.values()])
    n, names = len(scores), [*parts]
    is_among = (np.array(sizes) >= 10 * (1 - 1e-9)) | (n == 2)
    found = np.full(n, np.nan)
    for i in range(n):
        others = (np.arange(n) != i) & is_among
        if wanted == "previous":
            others = np.arange(n) == i - 1
        elif wanted != "others":
            others = (np.arange(n) == names.index(wanted)) & (names[i] != wanted)
        if others.any():
            at = np.ones(n) if wanted != "others" else np.array(weights)
            found[i] = scores[i] - np.average(scores[others], weights=at[others])
    return {
        "estimate": scores,
        "difference": found,
        "n_positives": [part.is_positive.sum() for part in parts.values()],
        "share": [part.share_positive for part in parts.values()],
    }


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
    options |= {"prevalence": case.options.get("prevalence", "own")}
    rows = case.y_true, scores, segment_of(case)
    found = sklearn_ap.compare_segments(*rows, reference=reference_of_queries(case), **options)
    return numbers_of(found)


def is_refused(case):
    return "clusters" in case.options or folds_of(case) is not None


def expected_refusal(case):
    raise AssertionError("compare_segments takes neither clusters nor folds beside queries")


def has_a_score(case):
    """Whether some query has a positive, beside which a prevalence needs a negative."""
    return case.is_positive.any() and not np.isnan(case.exact(zero_division=np.nan))


def expected_comparison_of_queries(case):
    rows = case.only(case.weight > 0).having(zero_division=0.0)
    segment = segment_of(rows)
    parts = {name: rows.only(segment == name) for name in np.unique(segment).tolist()}
    parts = {name: part for name, part in parts.items() if has_a_score(part)}
    numbers = [len({*part.options["queries"].tolist()}) for part in parts.values()]
    known = [number_with_a_score(part) for part in parts.values()]
    found = compared(parts, numbers, known, reference_of_queries(case))
    return found | {"prevalence": case.options.get("prevalence", np.nan)}


def number_with_a_score(part):
    """How many queries have a positive, and at a prevalence a negative beside it."""
    queries = part.options["queries"]
    each = [part.is_positive[queries == query] for query in np.unique(queries)]
    needs_both = "prevalence" in part.options
    return sum(bool(y.any() and not (needs_both and y.all())) for y in each)
