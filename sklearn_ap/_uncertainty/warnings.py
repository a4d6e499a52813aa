"""Warnings about intervals and comparisons that may mislead.

Intervals of samples with such a warning are wrong more often than others, in simulations of each
kind on both sides of its limit. Wide intervals need no warning.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, cast

import numpy as np
from scipy.stats import ks_2samp

from sklearn_ap._extras import warn
from sklearn_ap._inputs.arrays import RELATIVE_TOLERANCE
from sklearn_ap._inputs.labels import predicted_class_remarks
from sklearn_ap._results.text import names_as_text, rounded_count, rounded_down_as_text
from sklearn_ap._types import Array, Bool, Float, Name, RowData
from sklearn_ap._uncertainty.estimate import Estimate
from sklearn_ap._uncertainty.few_labels import Labelled

# With fewer effective clusters, the degrees of freedom of equation 9 are themselves uncertain.
LEAST_CLUSTERS = 16
# Negatives in so small a share of the clusters that have positives may be all those of a few. The
# warning is there for 99 of 100 samples of which 85 % are covered, and for 2 of 100 others.
FEW_OF_NEGATIVES = 0.5
# One negative that stands for more than one positive decides about the score by itself.
LEAST_NEGATIVES = 1.0
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
FEWEST_ROWS = 10  # that the asymptotic test of scores can tell apart

# The warnings that ``docs/warnings.md`` explains
WarningName = Literal[
    "predicted classes",
    "few negatives",
    "few clusters",
    "unattainable precision",
    "clusters in training",
    "unequal prevalence",
    "unlike folds",
    "hidden positives",
    "unlike labels",
    "wrong probabilities",
]


class UncertaintyWarning(UserWarning):
    """Warning that an interval or a comparison may be unreliable, with what to do.

    The name of the warning stands at the start of its text, where a filter finds it.

    Parameters
    ----------
    text : str
        What was found in the data, and what to do.
    name : str
        The kind of warning: "predicted classes", "few negatives", "few clusters",
        "unattainable precision", "clusters in training", "unequal prevalence", "unlike folds",
        "hidden positives", "unlike labels" or "wrong probabilities".

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> from sklearn_ap import UncertaintyWarning, average_precision_interval
    >>> y_true = np.repeat([1, 0], [10, 90])
    >>> with warnings.catch_warnings(record=True) as found:
    ...     warnings.simplefilter("always", UncertaintyWarning)
    ...     _ = average_precision_interval(y_true, np.arange(100), clusters=np.arange(100) // 5)
    >>> [warning.message.name for warning in found]
    ['few clusters']
    """

    def __init__(self, text: str, name: WarningName) -> None:
        super().__init__(text, name)  # both are pickled

    @property
    def name(self) -> WarningName:
        """The kind of the warning, such as "few clusters"."""
        return cast(WarningName, self.args[1])

    def __str__(self) -> str:
        return f"{self.name}: {self.args[0]}"


def add_name(name: str, warning: UncertaintyWarning) -> UncertaintyWarning:
    """Put the name of a model, or of a segment, before the text of a warning."""
    return UncertaintyWarning(f"{name}: {warning.args[0]}", warning.name)


def warnings_of_scores(y_score: RowData) -> list[UncertaintyWarning]:
    """Warn of scores that look like predicted classes."""
    return [
        UncertaintyWarning(text, "predicted classes") for text in predicted_class_remarks(y_score)
    ]


def warnings_of_all_scores(y_scores: Mapping[Name, RowData]) -> list[UncertaintyWarning]:
    """Warn of scores that look like predicted classes, for each of several models."""
    return [
        add_name(repr(name), warning)
        for name, scores in y_scores.items()
        for warning in warnings_of_scores(scores)
    ]


def warnings_of_sample(
    estimate: Estimate, segments: Sequence[Name] = ()
) -> list[UncertaintyWarning]:
    """Return the warnings of scores over rows or clusters, with the names of segments.

    A mean over queries has none: it knows no number of negatives.
    """
    found: list[UncertaintyWarning] = []
    if estimate.has_clusters.any():
        found += _few_clusters(estimate, segments)
    if estimate.prevalence is not None:
        found += _few_negatives(estimate, estimate.prevalence, segments)
    return found


def _few_clusters(estimate: Estimate, segments: Sequence[Name]) -> list[UncertaintyWarning]:
    """Warn of few clusters with several rows; one of them already has the limits 0 and 1."""
    # 8 clusters of as many positives -> a warning, as 8 is below 16
    is_known = estimate.has_clusters & estimate.has_several_units
    is_known &= estimate.is_defined & ~np.isnan(estimate.n_negatives)
    n, n_negatives = estimate.n_effective, estimate.n_negatives
    are_few = is_known & (n < LEAST_CLUSTERS * (1 - RELATIVE_TOLERANCE))
    if np.any(are_few):
        text = (
            f"The interval rests on few clusters: the effective number of those with positives is "
            f"{_lowest(n, are_few)}. Below {LEAST_CLUSTERS}, it may be too narrow. Collect more "
            f"clusters."
        )
        return [_warning(text, "few clusters", segments, are_few)]
    share = np.where(is_known, n_negatives / np.maximum(n, 1.0), np.inf)
    are_few = share < FEW_OF_NEGATIVES * (1 - RELATIVE_TOLERANCE)
    if np.any(are_few):
        worst = np.argmin(share)
        text = (
            f"Few clusters hold most negatives: the effective number of clusters is "
            f"{rounded_down(n[worst])} by positives, and {rounded_down(n_negatives[worst])} by "
            f"negatives. Other clusters may hold as many, so the interval may be too narrow. "
            f"Collect more clusters."
        )
        return [_warning(text, "few clusters", segments, are_few)]
    return []


def _few_negatives(
    estimate: Estimate, prevalence: float, segments: Sequence[Name]
) -> list[UncertaintyWarning]:
    # At a prevalence of .01, 99 negatives stand for one positive.
    n_positives = estimate.n_negatives * prevalence / (1 - prevalence)
    needed = LEAST_NEGATIVES * (1 - RELATIVE_TOLERANCE)
    are_few = estimate.is_defined & (n_positives < needed)  # nan is not
    if not np.any(are_few):
        return []
    text = (
        f"At this prevalence, the negatives stand for {_lowest(n_positives, are_few)} "
        f"positives. Below 1, a single negative decides about the score, and the limits cannot "
        f"tell how many rank high. Collect more negatives."
    )
    return [_warning(text, "few negatives", segments, are_few)]


def _lowest(numbers: Float, is_meant: Bool) -> str:
    """Format the lowest number of the segments that are meant."""
    lowest = rounded_down(numbers[is_meant].min())
    return lowest if np.count_nonzero(is_meant) == 1 else f"as few as {lowest}"


def warnings_of_labels(labelled: Labelled, scores: Sequence[Array]) -> list[UncertaintyWarning]:
    """Warn of what labels of some rows cannot tell, and of labels that are not as they are said.

    ``scores`` are those of each model.
    """
    texts: dict[WarningName, str] = {
        "wrong probabilities": _wrong_probabilities(labelled),
        "unlike labels": _unlike_labels(labelled, scores),
        "hidden positives": _hidden_positives(labelled) + _unseen_judgements(labelled),
    }
    return [UncertaintyWarning(text.strip(), name) for name, text in texts.items() if text]


def _wrong_probabilities(labelled: Labelled) -> str:
    """Say whether labelled units stand for many more units than exist, or many fewer; else "".

    The sum of 1 / q has the variance of Horvitz and Thompson (1952). Units that it lacks count as
    units of the lowest probability, which the sample may have missed. Where only labelled units
    were passed, nothing tells how many others exist.
    """
    # 100 labels at 0.1 stand for 1,000 rows, with an error of 95: 620 rows are too few
    if labelled.is_labelled.all():
        return ""
    q, n_units = labelled.probability_of_units, labelled.n_units
    lowest = np.nanmin(labelled.probability)
    n_represented = float(np.sum(1 / q))
    excess = n_represented - n_units
    variance = np.sum((1 - q) / q / q) + max(-excess, 0.0) * (1 - lowest) / lowest
    if abs(excess) <= max(MOST_ERRORS * np.sqrt(variance), LEAST_EXCESS * n_units):
        return ""
    return (
        f"The labels stand for {rounded_count(n_represented)}, the sum of "
        f"1 / inclusion_probability over each labelled {labelled.unit}, and there are {n_units:,}. "
        f"Pass the probability with which each was chosen for labelling. Leave out those that "
        f"could not be: the score is not for them."
    )


def _unlike_labels(labelled: Labelled, scores: Sequence[Array]) -> str:
    """Say whether rows that should be a random sample score otherwise than the others; else ""."""
    # 20 labels on the highest of 200 scores are no random sample
    seen = labelled.is_labelled
    if labelled.unit != "row" or not labelled.has_equal_probabilities or seen.all():
        return ""
    if seen.size < FEWEST_ROWS or not any(
        ks_2samp(score[seen], score[~seen], method="asymp").pvalue < UNLIKE_PVALUE
        for score in scores
    ):
        return ""
    return (
        "The scores of labelled rows are distributed unlike those of the others, so they are no "
        "simple random sample. If they were chosen, pass the probability of each row as "
        "inclusion_probability. If all alarms were labelled, and none of the rest, the score of "
        "all rows cannot be known."
    )


def _hidden_positives(labelled: Labelled) -> str:
    """Say how many positives a stratum may hide: by the rule of three, 3 / n of it; else ""."""
    # 30 rows labelled at 0.1, none of them positive, may hide 3 * 10 positives
    weight = labelled.weights_without_positives
    if not weight.size:
        return ""
    n_hidden = min(3 * weight.mean(), weight.sum())
    n_found = labelled.weight_of_labelled[labelled.positive[labelled.is_labelled]].sum()
    return (
        f"No positive was found where rows had a low selection probability. As many as "
        f"{rounded_down(n_hidden)} may be there, beside {rounded_down(n_found)} that the labels "
        f"stand for, so the score may be too high. Its lower limit allows for them, but those of "
        f"differences of models do not. Label more of these rows, or leave out all that can hardly "
        f"be positive, such as those below the highest 20,000; the score is then of the others. "
    )


def _unseen_judgements(labelled: Labelled) -> str:
    """Say whether a judge sees positives where hardly any row has a label; else ""."""
    # A judge that sees 40 positives there, of which 1 has a label, and 60 elsewhere -> a warning
    judged, is_low = labelled.judged, labelled.has_low_probability
    if judged is None or labelled.has_equal_probabilities:
        return ""
    n_unseen = float(judged[is_low & ~labelled.is_labelled].sum())
    n_checked = float(judged[is_low & labelled.is_labelled].sum())
    if n_checked >= FEWEST_JUDGED or n_unseen <= FEW_JUDGED * judged.sum():
        return ""
    return (
        f"The judge sees {rounded_down(n_unseen)} positives where rows had a low selection "
        f"probability, of which {rounded_down(n_checked)} have labels. If it is wrong there, the "
        f"score is too low, and no limit allows for it. Choose rows by rows_to_label(..., "
        f"guess=judge)."
    )


def _warning(
    text: str, name: WarningName, segments: Sequence[Name], is_meant: Bool
) -> UncertaintyWarning:
    """Make a warning that names the segments that it is about, if there are any."""
    warning = UncertaintyWarning(text, name)
    if not segments:
        return warning
    names = [repr(str(segments[place])) for place in np.flatnonzero(is_meant).tolist()]
    return add_name(names_as_text(names), warning)


def issue_warnings(warnings: Iterable[UncertaintyWarning]) -> None:
    """Issue each warning once, for the line of the user."""
    for warning in {str(warning): warning for warning in warnings}.values():
        warn(warning, UncertaintyWarning)


def rounded_down(number: float) -> str:
    """Write a sum of weights rounded down, but for its rounding errors: 4.9999999999 is 5."""
    return rounded_down_as_text(float(number) * (1 + RELATIVE_TOLERANCE))
