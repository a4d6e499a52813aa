"""What each way to make a result finds: scores, how much they vary, and what they rest on."""

from typing import Any, NamedTuple

from sklearn_ap._base.text import Cases
from sklearn_ap._questions.few_labels.labels import Labels
from sklearn_ap._questions.few_labels.variances import LabelPilot
from sklearn_ap._questions.sample_size.pilot import Pilot, pilot_of
from sklearn_ap._uncertainty.confidence_limits import Estimates
from sklearn_ap._uncertainty.influence import InfluenceValues
from sklearn_ap._uncertainty.options import Options
from sklearn_ap._uncertainty.variance import sample_of_difference, sample_of_scores


class Estimated(NamedTuple):
    """The scores of one or several models, what the sample shows, and what it is."""

    estimates: Estimates
    pilot: Pilot | LabelPilot | None
    cases: Cases
    rankings: tuple[Any, ...] | None = None
    n_rankings: int = 1
    labels: Labels | None = None


def estimates_of_sample(
    models: list[InfluenceValues], options: Options, place: int = 0
) -> tuple[Estimates, Pilot]:
    """How much scores vary, and their differences from the one at ``place``; and the pilot."""
    of_scores = [sample_of_scores(model) for model in models]
    uncertainties = [sample.uncertainty() for sample in of_scores]
    reference, bias = models[place], uncertainties[place].bias
    of_differences = {
        i: sample_of_difference(model, reference, uncertainty.bias - bias)
        for i, (model, uncertainty) in enumerate(zip(models, uncertainties, strict=True))
        if i != place
    }
    of_others = {i: sample.uncertainty() for i, sample in of_differences.items()}
    pilot = pilot_of(reference, (*(of_differences.values() or of_scores),), options)
    return Estimates(models, uncertainties, of_others), pilot
