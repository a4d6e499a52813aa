"""What the reference says of a case, as each public function gives it; and results as dicts."""

from dataclasses import fields

import few_labels_reference
import numpy as np
import uncertainty_reference
from cases import OF_SAMPLES, plain

from sklearn_ap import definitions


def definition_of(case):
    name, options = case.definition
    return getattr(definitions, name)(**options)


def fields_of(result):
    """The numbers of a result, by name; those of its sample are asked of by ``positives_for``."""
    found = {field.name: getattr(result, field.name) for field in fields(result)}
    return {name: value for name, value in found.items() if name != "pilot"}


def level_of(case):
    return case.options.get("confidence_level", 0.95)


def interval_of(case, model="a", of_scores=1.0):
    """All numbers, or the estimate alone where the reference knows no more."""
    found = {}
    if case.is_smooth:
        found = uncertainty_reference.interval(case.sampled(model), level_of(case), of_scores)
    return found | {"estimate": case.exact(model)}


def comparison_of(case, models="abc", factor=1.0, of_scores=1.0):
    """Also the differences from the reference."""
    place = models.index(case.options.get("reference", models[0]))
    estimates = np.array([case.exact(model) for model in models])
    found = {"estimates": estimates, "differences": estimates - estimates[place]}
    if not case.is_smooth:
        return found
    sampled = [case.sampled(model) for model in models]
    asked = place, level_of(case), case.options.get("alternative", "two-sided"), factor, of_scores
    return uncertainty_reference.comparison(sampled, *asked) | found


def best_of(case, models="abc", factor=1.0, of_scores=1.0):
    """In the order of the models; ``may_be_best`` says whether each may."""
    estimates = [case.exact(model) for model in models]
    if not case.is_smooth or case.average is None:
        return {"estimates": estimates}
    sampled = [case.sampled(model) for model in models]
    found = uncertainty_reference.best(sampled, level_of(case), factor, of_scores)
    return found | {"estimates": estimates}


def in_order_of_models(found, models="abc"):
    """What the best of models says, in the order of the reference."""
    order = [found.names.index(model) for model in models]
    columns = {name: getattr(found, name)[order] for name in ("estimates", "lows", "highs")}
    return columns | {"may_be_best": [model in found.may_be_best for model in models]}


def of_few_labels(case, models="a"):
    """Of one model all numbers of its interval, of several those of the comparison."""
    options = {k: plain(v) for k, v in case.options.items()}
    chance, judge = (options.pop(name, None) for name in ("inclusion_probability", "judge"))
    names = OF_SAMPLES | {"confidence_level", "alternative"}
    place = models.index(options.get("reference", models[0])) if len(models) > 1 else 0
    options = {k: v for k, v in options.items() if k in names} | {"place": place}
    rows = plain(case.y_true), [plain(case.scores[model]) for model in models]
    seen = case.is_labelled.tolist()
    if case.kind == "rows" and case.definition[0] not in uncertainty_reference.DEFINITIONS:
        return {}  # influences of envelopes are not known
    return few_labels_reference.answer(*rows, case.definition, seen, chance, judge, options)
