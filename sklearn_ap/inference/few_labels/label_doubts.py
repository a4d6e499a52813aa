"""Doubts about labels of some of the rows, which may be chosen, copied, or too few.

In simulations of each kind, results with such a doubt were wrong more often than others.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.stats import ks_2samp

from sklearn_ap._results.doubt import Doubt
from sklearn_ap._types import Array
from sklearn_ap._uncertainty.few_labels import Labelled
from sklearn_ap._writing.text import count_as_text, plural, rounded_down_as_text

# Probabilities contradict the number of rows if the sum of 1 / q is off by more than 4 standard
# errors, as for right ones in 1 of 15,000 normal samples, and by more than 5 % of the number, as
# less hardly changes a score.
MOST_ERRORS = 4.0
LEAST_EXCESS = 0.05
UNLIKE_PVALUE = 0.001  # random samples are warned of in 1 of 1,000 cases
# A judge is not checked where fewer of its positives have labels (the rule of three), which matters
# if it sees more than this share of them there.
FEWEST_JUDGED = 3
FEW_JUDGED = 0.05
# A judge that finds 90 % of positives agrees with 20 of them in 12 of 100 samples.
FEWEST_AGREED = 20
FEWEST_TESTED = 10  # that the asymptotic test of scores can tell apart
FEWEST_QUERIES = 20  # that tell how a judge errs
LABELS_NOT_RANDOM = Doubt(
    name="unlike labels",
    text="The scores of labelled rows are distributed unlike the scores of other rows, so the "
    "labelled rows are no simple random sample. If they were chosen with known probabilities, pass "
    "the probability of each row as inclusion_probability. If all alarms were labelled, and no "
    "other rows, the score of all rows cannot be known.",
    reason="labelled rows are no random sample of all",
    remedy="pass the probability with which each was chosen",
)


def doubts_of_labels(labelled: Labelled, scores: Sequence[Array]) -> list[Doubt]:
    """Doubt what labels of some rows cannot tell, and labels that are not as they are said.

    ``scores`` are those of each model.
    """
    return [
        *_wrong_probabilities(labelled),
        *([LABELS_NOT_RANDOM] if are_unlike(labelled, scores) else []),
        *_copied_labels(labelled),
        *_few_queries(labelled),
        *_hidden_positives(labelled),
    ]


def _wrong_probabilities(labelled: Labelled) -> list[Doubt]:
    """Doubt units that stand for many more units than exist, or for many fewer.

    The sum of 1 / q has the variance of Horvitz and Thompson (1952). Units that it lacks count as
    units of the lowest probability, which the sample may have missed. Where only labelled units
    were passed, nothing tells how many others exist.
    """
    # 100 labels at 0.1 stand for 1,000 rows, with an error of 95: 620 rows are too few
    if labelled.is_labelled.all():
        return []
    q, n_units = labelled.probability_of_units, labelled.n_units
    lowest = np.nanmin(labelled.probability)
    n_represented = float(np.sum(1 / q))
    excess = n_represented - n_units
    variance = np.sum((1 - q) / q / q) + max(-excess, 0.0) * (1 - lowest) / lowest
    if abs(excess) <= max(MOST_ERRORS * np.sqrt(variance), LEAST_EXCESS * n_units):
        return []
    rows, units = plural(labelled.unit), count_as_text(round(n_represented), labelled.unit)
    return [
        Doubt(
            name="wrong probabilities",
            text=(
                f"The labels stand for {units}, the sum of 1 / inclusion_probability over the "
                f"labelled ones, but there are {n_units:,}. Pass the probability with which each "
                f"{labelled.unit} was chosen for labelling. Leave out {rows} that could not be "
                f"chosen, because the score is not about them. Also leave out chosen {rows} "
                "without labels, if their labels are missing for reasons that have nothing to do "
                "with the truth."
            ),
            reason="labels stand for another number of rows than there are",
            remedy="pass the probability with which each was chosen",
        )
    ]


def are_unlike(labelled: Labelled, scores: Sequence[Array]) -> bool:
    """Check whether rows that should be a random sample score otherwise than the others."""
    # 20 labels on the highest of 200 scores are no random sample
    seen = labelled.is_labelled
    if labelled.unit != "row" or not labelled.has_equal_probabilities or seen.all():
        return False
    return seen.size >= FEWEST_TESTED and any(
        ks_2samp(score[seen], score[~seen], method="asymp").pvalue < UNLIKE_PVALUE
        for score in scores
    )


def _copied_labels(labelled: Labelled) -> list[Doubt]:
    """Doubt a judge that agrees with every label, as it does if it holds them."""
    # 500 labels, 62 of them positive, and a judge that is 1 in these 62 rows and 0 in the others
    seen, judged = labelled.is_labelled, labelled.judged
    if judged is None or seen.all() or np.any(judged[seen] != labelled.positive[seen]):
        return []
    n_positives = int(np.count_nonzero(labelled.positive[seen]))
    n_labels = int(np.count_nonzero(seen))
    if min(n_positives, n_labels - n_positives) < FEWEST_AGREED:
        return []
    return [
        Doubt(
            name="copied labels",
            text=(
                f"The judge agrees with all {n_labels:,} labels, {n_positives:,} positives "
                "included. If the labels were written into the judge, or it has seen them, the "
                "score is wrong, because nothing tells how often the judge errs in other rows. "
                "Pass what the judge said without the labels."
            ),
            reason="the judge agrees with every label, perhaps because they were written into it",
            remedy="pass what the judge said without the labels",
        )
    ]


def _few_queries(labelled: Labelled) -> list[Doubt]:
    """Doubt few queries that people labelled to correct a judge."""
    n = labelled.probability_of_units.size
    if labelled.judged is None or labelled.unit != "query" or n >= FEWEST_QUERIES:
        return []
    return [
        Doubt(
            name="few labelled queries",
            text=(
                f"People labelled {count_as_text(n, 'query')} to correct the judge. Fewer than "
                f"{FEWEST_QUERIES} hardly tell how often the judge errs. Label the documents of "
                "more queries."
            ),
        )
    ]


def _hidden_positives(labelled: Labelled) -> list[Doubt]:
    """Doubt positives that a stratum may hide, and a judge that nobody checked there."""
    texts = [*filter(None, (_undiscovered(labelled), _unseen_judgements(labelled)))]
    return [Doubt(name="hidden positives", text=" ".join(texts))] if texts else []


def _undiscovered(labelled: Labelled) -> str:
    """Say how many positives a stratum may hide: by the rule of three, 3 / n of it; else ""."""
    # 30 rows labelled at 0.1, none of them positive, may hide 3 * 10 positives
    weight = labelled.weights_without_positives
    if not weight.size:
        return ""
    n_hidden = min(3 * weight.mean(), weight.sum())
    n_found = labelled.weight_of_labelled[labelled.positive[labelled.is_labelled]].sum()
    return (
        f"No positive was found where rows had a low selection probability. As many as "
        f"{rounded_down_as_text(n_hidden)} positives may be hidden there, beside the "
        f"{rounded_down_as_text(n_found)} that the labels stand for, so the score may be too high. "
        f"Its lower limit allows for hidden positives, but limits of differences between models do "
        f"not. Label more of these rows, or leave out all rows that can hardly be positive, such "
        f"as those with the lowest scores; the score is then about the other rows."
    )


def _unseen_judgements(labelled: Labelled) -> str:
    """Say whether a judge sees positives where hardly any row has a label; else ""."""
    # A judge that sees 40 positives there, of which 1 has a label, and 60 elsewhere -> a warning
    judged, is_low = labelled.judged, labelled.is_unlikely
    if judged is None or labelled.has_equal_probabilities:
        return ""
    n_unseen = float(judged[is_low & ~labelled.is_labelled].sum())
    n_checked = float(judged[is_low & labelled.is_labelled].sum())
    if n_checked >= FEWEST_JUDGED or n_unseen <= FEW_JUDGED * judged.sum():
        return ""
    return (
        f"The judge sees {rounded_down_as_text(n_unseen)} positives where rows had a low selection "
        f"probability, and hardly any of them has a label. If the judge is wrong there, the score "
        f"is too low, and no limit allows for that. Label more of them, in a second round of "
        f"rows_to_label(..., guess=judge, exclude=...). If the judge answers in words, pass 1 and "
        f"0 for them."
    )
