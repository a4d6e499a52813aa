"""The estimates of all ways to make a result: scores, how much they vary, and what they rest on."""

from collections.abc import Sequence
from typing import NamedTuple

from sklearn_ap._base.common.types import Float, Name
from sklearn_ap._base.text import Cases
from sklearn_ap._questions.few_labels.labels import Labels
from sklearn_ap._questions.few_labels.variances import LabelPilot
from sklearn_ap._questions.sample_size.pilot import Pilot, make_pilot
from sklearn_ap._uncertainty.confidence_limits import Estimates
from sklearn_ap._uncertainty.influence import InfluenceValues
from sklearn_ap._uncertainty.options import Options
from sklearn_ap._uncertainty.run_variance import Runs, SampleOfRows, SampleOfRuns
from sklearn_ap._uncertainty.variance import sample_of_difference, sample_of_scores


class ScoredSample(NamedTuple):
    """The scores of one or several models on a sample, how much they vary, and what it holds."""

    estimates: Estimates
    pilot: Pilot | LabelPilot | None
    cases: Cases
    rankings: tuple[Name, ...] | None = None
    n_rankings: int = 1
    labels: Labels | None = None
    n_runs: tuple[int, ...] | None = None  # of each method, None for models
    run_scores: tuple[Float, ...] | None = None  # of each method: (n_runs, n_rankings)


def estimate_uncertainty(
    models: list[InfluenceValues],
    options: Options,
    reference_place: int = 0,
    runs: Runs | None = None,
) -> tuple[Estimates, Pilot]:
    """Estimate how much scores vary, and their differences from that of the reference.

    The pilot, from which a larger sample is planned, is that of these rows.
    """
    score_samples: list[SampleOfRows | SampleOfRuns] = []
    for place, model in enumerate(models):
        rows: SampleOfRows = sample_of_scores(model)
        score_samples.append(rows if runs is None else runs.score_sample(place, rows, options))
    uncertainties = [sample.uncertainty() for sample in score_samples]
    reference = models[reference_place]
    reference_bias = uncertainties[reference_place].bias
    difference_samples: dict[int, SampleOfRows | SampleOfRuns] = {}
    for place, (model, uncertainty) in enumerate(zip(models, uncertainties, strict=True)):
        if place != reference_place:
            rows = sample_of_difference(model, reference, uncertainty.bias - reference_bias)
            difference_samples[place] = (
                rows
                if runs is None
                else runs.difference_sample(place, reference_place, rows, options)
            )
    difference_uncertainties = {
        place: sample.uncertainty() for place, sample in difference_samples.items()
    }
    # A single score is planned by itself, and a comparison by its differences.
    planned: Sequence[SampleOfRows | SampleOfRuns] = [*difference_samples.values()] or score_samples
    pilot = make_pilot(reference, (*planned,), options)
    return Estimates(models, uncertainties, difference_uncertainties), pilot
