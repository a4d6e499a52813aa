"""A score from threshold counts, which need no rows."""

from sklearn_ap._counts.averages import ZeroDivision
from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._inputs.rankings import Average
from sklearn_ap._questions.intervals._estimated import ScoredSample, estimate_uncertainty
from sklearn_ap._questions.intervals.cases import cases_of_counts
from sklearn_ap._uncertainty.model_influences import influences_from_counts
from sklearn_ap._uncertainty.options import Options
from sklearn_ap._uncertainty.warnings import issue_warnings, small_sample_warnings
from sklearn_ap.definitions import Definition


def score_from_counts(
    definition: Definition,
    counts: ThresholdCounts,
    average: Average,
    zero_division: ZeroDivision,
    prevalence: float | None,
    options: Options,
) -> ScoredSample:
    """Score counts, and warn of samples that are too small."""
    influences = influences_from_counts(
        definition, counts, average, zero_division, prevalence, options
    )
    estimates, pilot = estimate_uncertainty([influences], options)
    issue_warnings(small_sample_warnings(influences))
    return ScoredSample(
        estimates=estimates,
        pilot=pilot,
        cases=cases_of_counts(counts, influences),
        rankings=counts.names if average is None else None,
    )
