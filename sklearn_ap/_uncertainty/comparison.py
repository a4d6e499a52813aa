"""Is a model better? The variance of each score, and of its difference from a reference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sklearn_ap._inputs import Request
from sklearn_ap._uncertainty.influence import InfluenceValues
from sklearn_ap._uncertainty.interval import influences_of_models
from sklearn_ap._uncertainty.options import Options
from sklearn_ap._uncertainty.variance import (
    Uncertainty,
    estimate_variance,
    estimate_variance_of_difference,
)
from sklearn_ap._uncertainty.warnings import (
    FEW_DIFFERENCES,
    Shift,
    UncertaintyWarning,
    shifted_differences,
    unknown_difference,
    warn_of,
    warnings_of_models,
)
from sklearn_ap.definitions import Definition


class ComparedModels(NamedTuple):
    """The influence values of models, and the variances of their scores and of differences."""

    models: list[InfluenceValues]
    uncertainties: list[Uncertainty]
    of_differences: list[Uncertainty | None]  # from the reference, which has none


def compare(
    definition: Definition,
    requests: list[Request],
    reference: int,
    options: Options,
    warnings: Sequence[UncertaintyWarning] = (),
    shifts: Sequence[Shift] = (),
) -> ComparedModels:
    """How sure each score is, and its difference from that of a reference.

    ``warnings`` and ``shifts`` are of pools of folds.
    """
    models = influences_of_models(definition, requests, options)
    uncertainties = [estimate_variance(each) for each in models]
    of_differences = [
        None
        if i == reference
        else estimate_variance_of_difference(
            each, models[reference], uncertainty.bias - uncertainties[reference].bias
        )
        for i, (each, uncertainty) in enumerate(zip(models, uncertainties, strict=True))
    ]
    found = [*warnings, *warnings_of_models(models, uncertainties)]
    if any(each is not None and each.has_few_degrees for each in of_differences):
        found.append(FEW_DIFFERENCES)
    if models[reference].is_mean:
        errors = [np.max(each.standard_error) for each in of_differences if each is not None]
        found += unknown_difference([np.max(each.bias) for each in uncertainties], errors)
    others = {i: each for i, each in enumerate(of_differences) if each is not None}
    of_others = {i: np.sqrt(each.variance) for i, each in others.items()}
    found += shifted_differences(shifts, uncertainties, reference, of_others)
    warn_of(found)
    return ComparedModels(models, uncertainties, of_differences)
