"""Warnings about labels of few rows, and about the probabilities of these rows."""

from __future__ import annotations

import numpy as np

from sklearn_ap._base.common.tuned_constants import (
    WRONG_PROBABILITIES_ERRORS,
    WRONG_PROBABILITIES_SHARE,
)
from sklearn_ap._questions.few_labels._unlike import PairCount
from sklearn_ap._questions.few_labels.labelled import Labelled
from sklearn_ap._uncertainty.influence import InfluenceValues
from sklearn_ap._uncertainty.warnings import (
    UncertaintyWarning,
    WarningName,
    few_clusters,
    rounded_down,
)


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


def warnings_of_single_rows(labelled: Labelled, unlike: str) -> list[UncertaintyWarning]:
    """Warn of labels of single rows of queries; ``unlike`` says why they are not random."""
    warnings = [UncertaintyWarning(unlike, "unlike labels")] if unlike else []
    if text := _wrong_probabilities(labelled):
        other_models = (
            " If they were chosen for other models, or another k, the score is wrong: choose rows "
            "with the scores of all models, rows_to_label({'a': ..., 'b': ...}, n, queries=, "
            "definition=)."
        )
        warnings.append(UncertaintyWarning(text + other_models, "wrong probabilities"))
    return warnings


def unlike_ranks_text(n_unlabelled: int) -> str:
    """Say that labels stand at other ranks, and how many rows within k have no label."""
    return (
        f"Labelled rows stand at other ranks than the rest of their queries, so they are no simple "
        f"random sample. They may have been pooled, as the first ranks of some models. "
        f"{n_unlabelled:,} rows within the first k ranks have no label. Label these, or some of "
        f"them, chosen by rows_to_label with queries and exclude: pass the probabilities of that "
        f"plan, and 1 for each row that has a label already."
    )


def unlike_pairs_text(pairs: PairCount) -> str:
    """Say that too many labels are of the same queries, or too few."""
    return (
        f"{pairs.number:,.0f} pairs of labelled rows within the first k ranks share a query. In a "
        f"simple random sample, about {pairs.expected:,.0f} would. AP at k multiplies the labels "
        f"of such pairs, so the score is wrong. Use PrecisionAtK, label whole queries, or choose "
        f"rows by rows_to_label."
    )


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
