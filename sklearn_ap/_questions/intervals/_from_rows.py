"""Scores of one or several models from their rows."""

from collections.abc import Sequence

import numpy as np

from sklearn_ap._base.inputs.request import Request
from sklearn_ap._folds.warnings import Shift, shifted_differences
from sklearn_ap._questions.intervals._estimated import Estimated, estimates_of_sample
from sklearn_ap._questions.intervals.cases import cases_of, runs_in_words
from sklearn_ap._uncertainty.influence import RowInfluences
from sklearn_ap._uncertainty.model_influences import influences_of_models
from sklearn_ap._uncertainty.options import Options
from sklearn_ap._uncertainty.run_variance import means_over_runs
from sklearn_ap._uncertainty.warnings import (
    UncertaintyWarning,
    issue_warnings,
    warnings_of_differences,
    warnings_of_models,
)
from sklearn_ap.definitions import Definition

ONE_MODEL = ("score",)  # no warning says the name of a single model


def scores_from_rows(
    definition: Definition,
    requests: list[Request],
    options: Options,
    warnings: Sequence[UncertaintyWarning],
    names: Sequence[str] = ONE_MODEL,
    place: int = 0,
    shifts: Sequence[Shift] = (),
    n_runs: tuple[int, ...] | None = None,
    paired_runs: bool = False,
) -> Estimated:
    """The scores of models on the same rows; a warning says where these tell little.

    The reference stands at ``place``. ``shifts`` are those of pools of folds. With ``n_runs`` of
    each method, there is a request for each run, and ``paired_runs`` says whether those of all
    methods belong together.
    """
    models = influences_of_models(definition, requests, options)
    models, runs, of_runs = means_over_runs(models, names, n_runs, paired_runs)
    estimates, pilot = estimates_of_sample(models, options, place, runs)
    errors = {
        i: np.sqrt(each.shrunken_variance) for i, each in estimates.difference_uncertainties.items()
    }
    doubts = shifted_differences(shifts, estimates.uncertainties, place, errors)
    if options.is_conventional:
        doubts += warnings_of_differences(names, models, estimates.difference_uncertainties)
    of_models = warnings_of_models(names, models, estimates.uncertainties, options.is_conventional)
    issue_warnings([*warnings, *of_models, *doubts, *of_runs])
    request, reference, n_rankings = requests[0], models[place], 1
    if request.queries is not None and isinstance(reference, RowInfluences) and reference.is_mean:
        n_rankings = reference.values.size
    return Estimated(
        estimates=estimates,
        pilot=pilot,
        cases=cases_of(request, reference)._replace(runs=runs_in_words(n_runs)),
        rankings=request.ranking_names,
        n_rankings=n_rankings,
        n_runs=n_runs,
        run_scores=None if runs is None else runs.scores(),
    )
