"""The estimates from which all results are made: scores, their uncertainty, and their cases."""

from typing import NamedTuple

from sklearn_ap._base.text import Cases
from sklearn_ap._questions.few_labels.labels import Labels
from sklearn_ap._questions.sample_size.pilot import Pilot, make_pilot
from sklearn_ap._types import Name
from sklearn_ap._uncertainty.former.confidence_limits import Estimates
from sklearn_ap._uncertainty.former.influence import InfluenceValues
from sklearn_ap._uncertainty.former.margins import combined_cost
from sklearn_ap._uncertainty.former.options import Options
from sklearn_ap._uncertainty.former.variance import sample_of_difference, sample_of_scores


class ScoredSample(NamedTuple):
    """The scores of several models on a sample, their uncertainty, and the cases."""

    estimates: Estimates
    pilot: Pilot | None  # None with few labels
    cases: Cases
    rankings: tuple[Name, ...] | None = None
    labels: Labels | None = None


def estimate_uncertainty(
    models: list[InfluenceValues], options: Options, reference_index: int = 0
) -> tuple[Estimates, Pilot]:
    """Estimate the uncertainty of scores, and of their differences from the reference.

    Also return a pilot, from which a larger sample is planned.
    """
    uncertainties = [sample_of_scores(model).uncertainty() for model in models]
    reference = models[reference_index]
    reference_bias = uncertainties[reference_index].bias
    difference_samples = {
        index: sample_of_difference(model, reference, uncertainty.bias - reference_bias)
        for index, (model, uncertainty) in enumerate(zip(models, uncertainties, strict=True))
        if index != reference_index
    }
    difference_uncertainties = {
        index: sample.uncertainty() for index, sample in difference_samples.items()
    }
    costs = tuple(combined_cost(models[index]) for index in difference_samples)
    pilot = make_pilot(reference, (*difference_samples.values(),), options, costs)
    return Estimates(models, uncertainties, difference_uncertainties), pilot
