"""Warnings about labels of few rows, and about the probabilities of these rows."""

from __future__ import annotations

import numpy as np

from sklearn_ap._questions.few_labels._labelled import Labelled
from sklearn_ap._uncertainty.former.influence import InfluenceValues
from sklearn_ap._uncertainty.former.small_samples import few_clusters
from sklearn_ap._uncertainty.former.tuned_constants import (
    WRONG_PROBABILITIES_ERRORS,
    WRONG_PROBABILITIES_SHARE,
)
from sklearn_ap._uncertainty.warnings import UncertaintyWarning, WarningName, rounded_down


def warnings_of_labels(
    influences: InfluenceValues,
    labelled: Labelled,
    are_unlike: bool,
    n_found: float,
    n_hidden: float,
) -> list[UncertaintyWarning]:
    """Warn of reasons to doubt an estimate from few labels.

    ``n_found`` positives were found, and ``n_hidden`` may be among rows of low probability.
    """
    warnings = few_clusters(influences, "Collect" if labelled.is_labelled.all() else "Label")
    texts = dict[WarningName, str]()
    if text := _wrong_probabilities(labelled):
        texts["wrong probabilities"] = text
    elif labelled.is_labelled.all() and labelled.are_probabilities_equal:
        texts["all labelled"] = (
            "All rows have labels, so inclusion_probability and judge change nothing. If there are "
            "rows without labels, pass them, too, with the label nan."
        )
    if are_unlike:
        texts["unlike labels"] = (
            "The scores of labelled rows are distributed unlike those of the others, so they "
            "are no simple random sample. If they were chosen, pass the probability of each row "
            "as inclusion_probability. If all alarms were labelled, and none of the rest, the "
            "score of all rows cannot be known."
        )
    if n_hidden:
        texts["hidden positives"] = (
            f"No positive was found where rows had a low selection probability. As many as "
            f"{rounded_down(n_hidden)} may be there, beside {rounded_down(n_found)} that the "
            f"labels stand for, and the lower limit allows for them. Label more of these rows."
        )
    return warnings + [UncertaintyWarning(text, name) for name, text in texts.items()]


def _wrong_probabilities(labelled: Labelled) -> str:
    """Say if labelled units represent many more units than exist, or many fewer; else "".

    The sum of 1 / q has the variance of Horvitz and Thompson (1952). Units that it lacks count as
    units of the lowest probability, which the sample may have missed.
    """
    probability = labelled.probability_of_units
    lowest = np.nanmin(labelled.probability_of_rows)
    n_represented = float(np.sum(1 / probability))
    n_units = labelled.n_units
    excess = n_represented - n_units
    variance = np.sum((1 - probability) / probability / probability)
    variance += max(-excess, 0.0) * (1 - lowest) / lowest
    limit = WRONG_PROBABILITIES_ERRORS * np.sqrt(variance)
    if abs(excess) <= max(limit, WRONG_PROBABILITIES_SHARE * n_units):
        return ""
    remedy = (
        "Pass all rows, also those without a label."
        if labelled.is_labelled.all()
        else "Pass the probability with which each was chosen for labelling. Leave out those that "
        "could not be: the score is not for them."
    )
    return (
        f"The labels stand for {n_represented:,.0f}, the sum of 1 / inclusion_probability over "
        f"each labelled {labelled.unit}, and there are {n_units:,}. {remedy}"
    )
