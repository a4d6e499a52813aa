"""What the reference says of a case, as each public function gives it; and results as dicts."""

from dataclasses import fields

import numpy as np

import sklearn_ap
from sklearn_ap import definitions
from tests.crossings import few_labels_reference

MODELS = "abc"
OF_LABELS = ("judge_weight", "judge_score")  # notes
# Numbers that the reference of few labels knows; limits of all labels have their own reference.
OF_DIFFERENCES = ("difference", "difference_low", "difference_high", "pvalue")
OF_INTERVALS = ("estimate", "low", "high", "standard_error", "n_positives", "n_effective")


def definition_of(case):
    name, options = case.definition
    return getattr(definitions, name)(**options)


def fields_of(result):
    """The numbers of a result, by name."""
    if isinstance(result, sklearn_ap.Comparison):
        return numbers_of_comparison(result)
    found = {field.name: getattr(result, field.name) for field in fields(result)}
    if isinstance(result, sklearn_ap.Interval):
        of_labels = {name: result.notes.get(name, np.nan) for name in OF_LABELS}
        return {name: found[name] for name in OF_INTERVALS} | of_labels
    return found


def numbers_of_comparison(result):
    """All numbers, with nan for the reference; verdicts agree with the limits."""
    numbers = {name: getattr(result, name) for name in ("estimate", "low", "high")}
    numbers |= {name: getattr(result, name) for name in OF_DIFFERENCES}
    low, high = numbers["difference_low"], numbers["difference_high"]
    is_reference = ~result.is_compared
    names = ["reference", "better", "worse"]
    expected = np.select([is_reference, low > 0, high < 0], names, "unde")
    assert [word[:4] for word in result.verdict] == [word[:4] for word in expected]
    is_shown = (low > 0) | (high < 0)
    assert np.array_equal(is_shown, numbers["pvalue"] < 1 - result.confidence_level)
    return numbers


def lowest_selected(case, threshold):
    """The lowest score of the rows that a threshold selects, which has fewer digits."""
    selected = case.y_score[(case.weight > 0) & (case.y_score >= threshold)]
    return selected.min() if selected.size else np.nan


def level_of(case):
    return case.options.get("confidence_level", 0.95)


def place_of_reference(case):
    """The place of the model that others are compared with."""
    return MODELS.index(case.options.get("reference", "a"))


def interval_of(case):
    """The estimate: its limits are compared with their own reference in tests/_uncertainty."""
    return {"estimate": case.exact()}


def comparison_of(case):
    """Scores and differences; tests/_uncertainty compares limits with their own reference."""
    estimates = np.array([case.exact(model) for model in MODELS])
    if "prevalence" in case.options and not case.are_all_of_two_classes:
        return {"estimate": np.ravel(estimates)}  # which of them are filled depends on the mean
    place = place_of_reference(case)
    is_filled = np.isnan([case.exact(model, zero_division=np.nan) for model in MODELS])
    if "n_positives" not in case.options:  # of rows without a positive, the precision at k is 0
        lacks_positives = np.array([ranking.found == 0 for ranking in case.rankings[0]])
        is_filled |= lacks_positives if estimates.ndim > 1 else lacks_positives.all()
    differences = np.where(is_filled, np.nan, estimates - estimates[place])
    differences[place] = np.nan
    return {"estimate": np.ravel(estimates), "difference": np.ravel(differences)}


def best_of(case):
    return {"estimate": np.ravel([case.exact(model) for model in MODELS])}


def best_of_models(found):
    """The scores in the order of models, of a comparison in the order of scores."""
    names = [name if isinstance(name, str) else name[0] for name in found.names]
    assert found.reference == names[0]
    assert not found.estimate[0] < found.estimate.max() - 1e-12  # but for rounding; may be nan
    order = [names.index(model) for model in MODELS]
    return {name: number[order] for name, number in numbers_of_comparison(found).items()}


def few_labels_answer(case, models=MODELS):
    """Scores and differences; test_two_options compares limits of differences with equations."""
    if case.is_labelled.all() and not np.any(case.options.get("inclusion_probability", 1) != 1):
        return {}
    rows, kept = labelled_rows_of(case)
    hits = [rows["hit"][rows["seen"]], *([] if rows["judged"] is None else [rows["judged"]])]
    is_known = rows["are_queries"] or case.definition[0] == "Step"
    if not is_known or not hits[0].any():
        return {}
    if "prevalence" in case.options and any(np.all(each > 0) for each in hits):
        return {}  # there is no negative
    names = ("prevalence",) if not rows["are_queries"] else ("prevalence", "zero_division")
    asked = case.definition, case.said(*names), level_of(case)
    found = [
        few_labels_reference.answer(rows, case.scores[model][kept].astype(float), *asked)
        for model in models
    ]
    numbers = {name: np.array([each[name] for each in found]) for name in found[0]}
    if len(models) == 1:
        return {name: number[0] for name, number in numbers.items()}
    place = place_of_reference(case)
    differences = numbers["estimate"] - numbers["estimate"][place]
    differences[place] = np.nan
    known = ("estimate", "low", "high")
    return {name: numbers[name] for name in known} | {"difference": differences}


def labelled_rows_of(case):
    """Arrays of the rows with weight, whichever way their probabilities and judgements are said."""
    kept, options = case.weight > 0, case.options
    names = options.get("queries", options.get("clusters", np.arange(kept.size)))
    seen, unit = case.is_labelled[kept], np.unique(names[kept], return_inverse=True)[1]
    q = options.get("inclusion_probability", "equal")
    if isinstance(q, str):
        q = np.unique(unit[seen]).size / np.unique(unit).size
    judged = options.get("judge")
    if judged is not None:
        labels = {*case.y_true[case.is_labelled].tolist()}
        are_labels = judged.dtype.kind == "U" or {*judged.tolist()} <= labels
        are_labels |= judged.dtype.kind != "U" and bool(np.any((judged < 0) | (judged > 1)))
        judged = judged == options.get("pos_label", 1) if are_labels else judged
        judged = judged[kept].astype(float)
    found = {"hit": case.is_positive[kept] * 1.0, "seen": seen, "unit": unit, "judged": judged}
    found |= {"q": np.broadcast_to(q, kept.shape)[kept], "weight": case.weight[kept] * 1.0}
    return found | {"are_queries": "queries" in options}, kept
