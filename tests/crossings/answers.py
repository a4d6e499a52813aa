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
OF_INTERVALS = ("estimate", "low", "high", "standard_error", "n_positives", "n_effective")


def definition_of(case):
    name, options = case.definition
    return getattr(definitions, name)(**options)


def fields_of(result):
    """The numbers of a result, by name; those of its sample are asked of by ``positives_for``."""
    if isinstance(result, sklearn_ap.AveragePrecisionComparison):
        check_decisions(result)
    found = {field.name: getattr(result, field.name) for field in fields(result)}
    if isinstance(result, sklearn_ap.Interval):
        of_labels = {name: result.notes.get(kind, np.nan) for name, kind in OF_LABELS.items()}
        return {name: found[name] for name in OF_INTERVALS} | of_labels
    return {name: value for name, value in found.items() if name != "pilot"}


def check_decisions(comparison):
    """A model is better or worse if its adjusted p-value is low, and its interval excludes 0."""
    is_other = np.array(comparison.names) != comparison.reference
    pvalues = comparison.adjusted_pvalues[is_other].ravel()
    lows = comparison.difference_lows[is_other].ravel()
    highs = comparison.difference_highs[is_other].ravel()
    is_low = pvalues < 1 - comparison.confidence_level
    expected = np.where(is_low & (lows > 0), "better", "undecided")
    expected = np.where(is_low & (highs < 0), "worse", expected)
    assert [verdict.decision for verdict in comparison.verdicts] == expected.tolist()


def level_of(case):
    return case.options.get("confidence_level", 0.95)


def comparison_arguments(case):
    """The place of the model that others are compared with, the level and the alternative."""
    place = MODELS.index(case.options.get("reference", "a"))
    return place, level_of(case), case.options.get("alternative", "two-sided")


def interval_of(case):
    """The estimate: its limits are compared with their own reference in tests/_uncertainty."""
    return {"estimate": case.exact()}


def comparison_of(case, *factors):
    estimates, asked = np.array([case.exact(model) for model in MODELS]), comparison_arguments(case)
    found = {"estimates": estimates, "differences": estimates - estimates[asked[0]]}
    if not case.is_smooth:
        return found
    sampled = [case.sampled(model) for model in MODELS]
    return uncertainty_reference.comparison(sampled, *asked, *factors) | found


def best_of(case, *factors):
    found = {}
    if case.is_smooth and case.average is not None:
        sampled = [case.sampled(model) for model in MODELS]
        found = uncertainty_reference.best(sampled, level_of(case), *factors)
    return found | {"estimates": [case.exact(model) for model in MODELS]}


def columns_by_model(found):
    order = [found.names.index(model) for model in MODELS]
    columns = {name: getattr(found, name)[order] for name in ("estimates", "lows", "highs")}
    return columns | {"may_be_best": [model in found.may_be_best for model in MODELS]}


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
        return found
    names = (*OF_INTERVALS, *OF_LABELS)
    probability = case.options.get("inclusion_probability", "equal")
    is_sure = isinstance(probability, str) or np.all(np.equal(probability, 1))
    if is_sure and case.is_labelled[case.weight > 0].all():  # limits as without few labels
        names = ("estimate", "n_positives", *OF_LABELS)
    return {name: number for name, number in found.items() if name in names}
