"""What the reference says of a case, as each public function gives it; and results as dicts."""

from dataclasses import fields

import numpy as np
import uncertainty_reference

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
