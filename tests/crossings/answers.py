"""What the reference says of a case, as each public function gives it; and results as dicts."""

from dataclasses import fields

import few_labels_reference
import numpy as np
import uncertainty_reference
from cases import OF_SAMPLES, plain

import sklearn_ap
from sklearn_ap import definitions

MODELS = "abc"
OF_LABELS = {  # and the kinds of notes that they are
    "n_equivalent": "worth_of_labels",
    "judge_regression_weight": "judge_weight",
    "judge_score": "judge_score",
}
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
        of_labels = {name: result.notes.get(kind, np.nan) for name, kind in OF_LABELS.items()}
        return {name: found[name] for name in OF_INTERVALS} | of_labels
    return found


def numbers_of_comparison(result):
    """All numbers, with nan for the reference; verdicts agree with the limits."""
    numbers = {name: getattr(result, name) for name in ("estimate", "low", "high")}
    models = [name[0] if isinstance(name, tuple) else name for name in result.names]
    is_other = np.array(models) != result.reference
    for name in OF_DIFFERENCES:
        numbers[name] = np.where(is_other, getattr(result, name), np.nan)
    low, high = numbers["difference_low"], numbers["difference_high"]
    expected = np.select([~is_other, low > 0, high < 0], ["reference", "better", "worse"], "unde")
    verdict = np.where(is_other, result.verdict, "reference")
    assert [word[:4] for word in verdict] == [word[:4] for word in expected]
    is_shown = (low > 0) | (high < 0)
    assert np.array_equal(is_shown, numbers["pvalue"] < 1 - result.confidence_level)
    unknown = np.full(len(models), np.nan)
    return numbers | {name: result.notes.get(kind, unknown) for name, kind in OF_LABELS.items()}


def lowest_selected(case, threshold):
    """The lowest score of the rows that a threshold selects, which has fewer digits."""
    selected = case.y_score[(case.weight > 0) & (case.y_score >= threshold)]
    return selected.min() if selected.size else np.nan


def level_of(case):
    return case.options.get("confidence_level", 0.95)


def comparison_arguments(case):
    """The place of the model that others are compared with, the level and the alternative."""
    place = MODELS.index(case.options.get("reference", "a"))
    return place, level_of(case), case.options.get("alternative", "two-sided")


def interval_of(case):
    """The estimate: its limits are compared with their own reference in tests/_uncertainty."""
    return {"estimate": case.exact()}


def comparison_of(case):
    """Scores and differences; tests/_uncertainty compares limits with their own reference."""
    estimates = np.array([case.exact(model) for model in MODELS])
    place, *_ = comparison_arguments(case)
    differences = estimates - estimates[place]
    differences[place] = np.nan
    return {"estimate": np.ravel(estimates), "difference": np.ravel(differences)}


def best_of(case):
    return {"estimate": [case.exact(model) for model in MODELS]}


def best_of_models(found):
    """The scores in the order of models, of a comparison in the order of scores."""
    assert found.reference == found.names[0] == found.names[np.argmax(found.estimate)]
    order = [found.names.index(model) for model in MODELS]
    return {name: number[order] for name, number in numbers_of_comparison(found).items()}


def few_labels_answer(case, models=MODELS):
    """Of one model all numbers of its interval, of several those of the comparison."""
    if case.kind == "rows" and case.definition[0] not in uncertainty_reference.DEFINITIONS:
        return {}  # influences of envelopes are not known
    names = ("inclusion_probability", "judge")
    said = [case.is_labelled, *(case.options.get(name) for name in names)]
    options = {k: plain(v) for k, v in case.said(*OF_SAMPLES).items()}
    rows = plain(case.y_true), [plain(case.scores[model]) for model in models]
    asked = case.definition, *map(plain, said), options, comparison_arguments(case)
    known = case.known.setdefault(repr(asked[:5]), {})
    found = few_labels_reference.answer(*rows, *asked, known)
    if len(models) > 1:
        return compared_labels(case, found, asked[-1][0])
    names = (*OF_INTERVALS, *OF_LABELS)
    if have_all_labels(case):  # limits as without few labels
        names = ("estimate", "n_positives", *OF_LABELS)
    return {name: number for name, number in found.items() if name in names}


def have_all_labels(case):
    probability = case.options.get("inclusion_probability", "equal")
    is_sure = isinstance(probability, str) or np.all(np.equal(probability, 1))
    return is_sure and case.is_labelled[case.weight > 0].all()


def compared_labels(case, found, place):
    """Scores of few labels, and differences, whose p-values are doubled for two of them."""
    if have_all_labels(case):
        return {"estimate": found["estimates"]}
    is_other = np.arange(len(MODELS)) != place
    pvalues = np.minimum(is_other.sum() * np.array(found["pvalues"]), 1.0)
    numbers = {"difference": found["differences"], "pvalue": pvalues}
    numbers = {name: np.where(is_other, number, np.nan) for name, number in numbers.items()}
    scores = {name: found[f"{name}s"] for name in ("estimate", "low", "high")}
    return scores | numbers | {name: found[name] for name in OF_LABELS}
