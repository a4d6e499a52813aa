"""Scores of several models from their rows."""

from collections.abc import Sequence

from sklearn_ap._inputs.request import Request
from sklearn_ap._questions.intervals._estimated import ScoredSample, estimate_uncertainty
from sklearn_ap._questions.intervals.cases import cases_of_request
from sklearn_ap._uncertainty.former.model_influences import influences_of_models
from sklearn_ap._uncertainty.former.small_samples import warnings_of_models
from sklearn_ap._uncertainty.options import Options
from sklearn_ap._uncertainty.warnings import UncertaintyWarning, issue_warnings
from sklearn_ap.definitions import Definition


def scores_from_rows(
    definition: Definition,
    requests: list[Request],
    options: Options,
    warnings: Sequence[UncertaintyWarning],
    names: Sequence[str],
    reference_index: int,
) -> ScoredSample:
    """Score models on the same rows, and warn of samples that are too small."""
    models = influences_of_models(definition, requests, options)
    estimates, pilot = estimate_uncertainty(models, options, reference_index)
    issue_warnings([*warnings, *warnings_of_models(names, models)])
    request = requests[0]
    reference = models[reference_index]
    return ScoredSample(
        estimates=estimates,
        pilot=pilot,
        cases=cases_of_request(request, reference),
        rankings=request.ranking_names,
    )
