"""What each way to make a result finds: scores, how much they vary, and what they rest on."""

from typing import Any, NamedTuple

from sklearn_ap._base.common.types import Float
from sklearn_ap._base.text import Cases
from sklearn_ap._questions.few_labels.labels import Labels
from sklearn_ap._questions.few_labels.variances import LabelPilot
from sklearn_ap._questions.sample_size.pilot import Pilot, pilot_of
from sklearn_ap._uncertainty.confidence_limits import Estimates
from sklearn_ap._uncertainty.influence import InfluenceValues
from sklearn_ap._uncertainty.options import Options
from sklearn_ap._uncertainty.run_variance import Runs
from sklearn_ap._uncertainty.variance import sample_of_difference, sample_of_scores


class Estimated(NamedTuple):
    """The scores of one or several models, what the sample shows, and what it is."""

    estimates: Estimates
    pilot: Pilot | LabelPilot | None
    cases: Cases
    rankings: tuple[Any, ...] | None = None
    n_rankings: int = 1
    labels: Labels | None = None
    n_runs: tuple[int, ...] | None = None  # of each method, None for models
    run_scores: tuple[Float, ...] | None = None  # of each method, (n_runs, n_rankings)


def estimates_of_sample(
    models: list[InfluenceValues], options: Options, place: int = 0, runs: Runs | None = None
) -> tuple[Estimates, Pilot]:
    """How much scores vary, and their differences from the one at ``place``; and the pilot."""
    of_scores: list[Any] = [sample_of_scores(model) for model in models]
    if runs is not None:
        of_scores = [runs.score_sample(i, each, options) for i, each in enumerate(of_scores)]
    uncertainties = [sample.uncertainty() for sample in of_scores]
    reference, bias = models[place], uncertainties[place].bias
    of_differences: dict[int, Any] = {
        i: sample_of_difference(model, reference, uncertainty.bias - bias)
        for i, (model, uncertainty) in enumerate(zip(models, uncertainties, strict=True))
        if i != place
    }
    if runs is not None:
        of_differences = {
            i: runs.difference_sample(i, place, each, options) for i, each in of_differences.items()
        }
    difference_uncertainties = {i: sample.uncertainty() for i, sample in of_differences.items()}
    pilot = pilot_of(reference, (*(of_differences.values() or of_scores),), options)
    return Estimates(models, uncertainties, difference_uncertainties), pilot
