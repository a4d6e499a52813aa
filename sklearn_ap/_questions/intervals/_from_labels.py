"""Scores of several models from few labels, and from a judge's labels of all rows."""

from sklearn_ap._inputs.request import Request
from sklearn_ap._questions.few_labels.estimates import estimates_from_labels
from sklearn_ap._questions.few_labels.labelled import check_labelled
from sklearn_ap._questions.intervals._estimated import ScoredSample
from sklearn_ap._questions.intervals.cases import cases_of_labels
from sklearn_ap._types import Argument
from sklearn_ap._uncertainty.former.options import Options
from sklearn_ap.definitions import Definition


def scores_from_labels(
    definition: Definition,
    requests: list[Request],
    options: Options,
    inclusion_probability: Argument,
    judge: Argument,
    reference_index: int,
) -> ScoredSample:
    """Score models on the same rows, few of which have labels."""
    labelled = check_labelled(requests, inclusion_probability, judge)
    estimates, labels = estimates_from_labels(
        definition, labelled, requests[0], options, reference_index
    )
    influences = estimates.influences[reference_index]
    cases = cases_of_labels(influences, labels)
    return ScoredSample(estimates=estimates, pilot=None, cases=cases, labels=labels)
