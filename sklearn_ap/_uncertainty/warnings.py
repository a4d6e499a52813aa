"""Warnings about intervals and comparisons that rest on little."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._inputs import FEW, predicted_classes, warn
from sklearn_ap._uncertainty.influence import InfluenceValues, QueryInfluences, RowInfluences
from sklearn_ap._uncertainty.jackknife import LARGE_BIAS
from sklearn_ap._uncertainty.variance import Uncertainty

EQUAL = 1e-12  # what rounding may leave between equal scores
FEW_QUERIES, FEW_CLUSTERS, FEW_ROWS = 12, 20, 30  # below which an interval may miss
MANY_COLUMNS = 20
LARGE_SHIFT = 0.5  # of a pool, in standard errors of the score or of the difference

LOWERED = " (unequal weights, clusters and heavy negatives lower their number)"
PERFECT = "A perfect ranking shows no variance: the limits come from the number of positives alone."
FEW_DIFFERENCES = (
    "A difference rests on a few cases: where the models differ, few rows decide. Its p-value and "
    "its interval are rough."
)
TIES_BROKEN_BY_POOLING = (
    "Each fold's model gives few distinct scores, and those of other folds lie between them. The "
    "pool has fewer ties than the ranking of each model, so its score is usually too high. Pass "
    "definition=Expected(), which breaks ties at random and takes no weights and no prevalence."
)
TIES_BROKEN_BY_ODDS = (
    "The models give few distinct probabilities, and odds differ from fold to fold. The pool has "
    "fewer ties than the ranking of each model, so its score is usually too high. Split with "
    "StratifiedKFold or StratifiedGroupKFold, and pass pooling='scores'."
)
OTHER_SLOPES = (
    "The models are strongly shrunken, as by a small C, and folds differ much in their share of "
    "positives: odds mend most of that, but the pool still ranks a little worse than each model "
    "does. Split with StratifiedKFold or StratifiedGroupKFold."
)


class UncertaintyWarning(UserWarning):
    """An interval or a comparison rests on little."""


class Shift(NamedTuple):
    """How much too low a pool of folds scores, and what says so."""

    size: NDArray[np.float64]  # negative, in standard errors of each score
    say: Callable[[], str]


def predicted_classes_of_models(y_scores: Mapping[Any, Any]) -> list[str]:
    """The same for each of several models."""
    found = (predicted_classes(scores, f"{name!r}: ") for name, scores in y_scores.items())
    return [text for texts in found for text in texts]


def few_positives(number: float, where: str, kind: str) -> list[str]:
    """A text if few positives were drawn, but some."""
    if not 0 < number < FEW * (1 - 1e-9):  # 10 weights of 0.025 are 9.999999999999998
        return []
    shown = f"{number:.3g}"
    several, why = "" if shown == "1" else "s", LOWERED if kind else ""
    text = f"The interval rests on {shown} {kind}positive{several}{where}{why}."
    return [f"{text} Below {FEW}, it is wide."]


def few_effective(number: float, least: int, what: str) -> list[str]:
    """A text if few units decide, by the squares of what they move a score by."""
    if not 0 < number < least * (1 - 1e-9):
        return []
    return [
        f"The interval rests on few {what}: the effective number is {number:.3g}. Below {least}, "
        f"it may miss more often than it says."
    ]


def few_in_queries(number: float) -> list[str]:
    """A text if the negatives of most queries are too few for another prevalence."""
    if not number < FEW * (1 - 1e-9):  # it may not be known
        return []
    return [
        f"At this prevalence, half of the queries have negatives for at most {number:.3g} "
        f"positives. Below {FEW}, the score of a query is too high on average, and so is the mean."
    ]


def many_small_columns(n_positives: NDArray[np.float64], kind: str) -> list[str]:
    """A text if a mean is over many columns with few positives, whose bias does not cancel out."""
    n_small = np.count_nonzero(n_positives <= FEW)
    if n_small < MANY_COLUMNS:
        return []
    return [
        f"The mean is over {n_positives.size} rankings, and {n_small} of them have at most {FEW} "
        f"{kind}positives. Their scores are too high on average, and the bias is known in part "
        f"only: the interval may miss more often than it says."
    ]


def unknown_bias(bias: float, standard_error: float) -> list[str]:
    """A text if the scores of a mean are too high together, and no formula says by how much."""
    if not bias > 2 * LARGE_BIAS * standard_error:  # as much was not found
        return []
    return [
        f"The score of each ranking is too high on average, and so is the mean: by {bias:.4f} or "
        f"more, where the standard error is {standard_error:.4f}. The interval may miss more often "
        f"than it says. The bias of step, linear and hyperbolic AP is better known."
    ]


def unknown_difference(biases: Sequence[float], standard_errors: Sequence[float]) -> list[str]:
    """A text if means are too high by more than the error of their difference."""
    if not max(biases) > min(standard_errors):
        return []
    return [
        f"The mean of the rankings of a model is too high by up to {max(biases):.4f}, where the "
        f"standard error of a difference is {min(standard_errors):.4f}. A third of such a bias may "
        f"not be known: the interval of a difference may miss more often than it says."
    ]


def seen_clusters(number: int) -> str:
    """Models score clusters that they have seen."""
    several = "clusters are" if number > 1 else "cluster is"
    return (
        f"{number} {several} in the training rows and in the test rows of a fold. A model that has "
        f"seen a patient scores this patient better than others. Split with GroupKFold or "
        f"StratifiedGroupKFold, and pass cross_validate the clusters as groups, or as "
        f"params={{'groups': clusters}}."
    )


def unequal_prevalence(
    by_ranks: bool, has_odds: bool, has_clusters: bool, is_table: bool, is_stratified: bool
) -> str:
    """The folds differ in their positives, and scores or ranks follow that."""
    why = (
        "pooling='ranks' assumes that they do not"
        if by_ranks
        else "a model that is tested on many positives was trained on few, so its scores are lower"
    )
    split = (
        "split with StratifiedKFold. If rows belong to patients, split with StratifiedGroupKFold "
        "and pass clusters"
    )
    if is_stratified:
        split = "choose a number of folds that divides that of the positives"
    elif is_table:
        split = "choose folds that have nearly equal shares of the positives of each column"
    elif has_clusters:
        split = "split with StratifiedGroupKFold"
    way = f"Pass pooling='odds', or {split}" if has_odds else split[0].upper() + split[1:]
    return (
        f"The folds differ in their share of positives, and {why}. The pool then ranks worse than "
        f"each model does. {way}."
    )


def shifted_differences(
    shifts: Sequence[Shift],
    uncertainties: Sequence[Uncertainty],
    reference: int,
    of_others: Mapping[int, Any],
) -> list[str]:
    """Texts that name models whose shift is much beside the error of a difference.

    ``of_others`` has the errors of the differences from the reference.
    """
    if not shifts:  # no folds are pooled
        return []
    pairs = zip(shifts, uncertainties, strict=True)
    moved = [shift.size * uncertainty.standard_error for shift, uncertainty in pairs]
    texts = []
    for place, error in of_others.items():
        is_large = np.abs(moved[place] - moved[reference]) > LARGE_SHIFT * error
        if np.any(is_large):
            most = np.abs(moved[place][is_large]).max() > np.abs(moved[reference][is_large]).max()
            texts.append(shifts[place if most else reference].say())
    return texts


def other_scales(n_top: NDArray[np.intp], n_rows: NDArray[np.intp]) -> str:
    """The folds share the highest rows unequally."""
    most, least = np.argmax(n_top / n_rows), np.argmin(n_top / n_rows)
    return (
        f"The scores of the folds do not mean the same: of the {n_top.sum()} highest rows, "
        f"{n_top[most]} are from fold {most} and {n_top[least]} from fold {least}. A pool of such "
        f"scores ranks worse than each model does. Pass pooling='ranks' if the folds have about "
        f"the same share of positives, or calibrate the models. If rows belong to patients, pass "
        f"clusters."
    )


def few_rows(
    influences: RowInfluences, uncertainty: Uncertainty, defined: NDArray[np.bool_]
) -> list[str]:
    """A text if few rows decide a score, where more positives than that are there."""
    numbers = uncertainty.effective_degrees
    are_rows = (
        True
        if influences.effective_sizes is None
        else np.isnan(influences.effective_sizes.n_independent)
    )
    if not np.any(numbers < FEW_ROWS):
        return []
    are_fewer = defined & are_rows & (numbers < np.maximum(influences.n_effective - 1, 0) / 2)
    number = np.where(are_fewer, numbers, np.inf).min(initial=np.inf)
    return few_effective(float(number), FEW_ROWS, "rows")


def warnings_of(influences: InfluenceValues, uncertainty: Uncertainty) -> list[str]:
    """What a score rests on, where that is little."""
    if isinstance(influences, QueryInfluences):
        number = min(
            float(influences.n_effective_positives[0]),
            float(np.min(uncertainty.effective_degrees)),
        )
        found = few_effective(number, FEW_QUERIES, "queries with a positive")
        return found + few_in_queries(influences.half_of_queries)
    defined = influences.is_defined & (influences.n_positives > 0)
    positives = influences.n_positives[defined]
    kind = "effective " if influences.positives.are_effective else ""
    if influences.is_mean:
        n_positives, where = positives.max(initial=0.0), ", in one ranking at most"
        found = many_small_columns(positives, kind)
        if influences.bias_is_rough:
            error = float(np.max(uncertainty.standard_error))
            found += unknown_bias(float(np.max(uncertainty.bias)), error)
    else:
        n_positives = positives.min(initial=np.inf)
        where = ", in one ranking at least" if influences.values.size > 1 else ""
        found = few_rows(influences, uncertainty, defined)
    found += few_positives(n_positives, where, kind)
    if influences.effective_sizes is not None and defined.any():
        n_independent = influences.effective_sizes.n_independent[defined]
        number = float(
            np.median(n_independent)
            if influences.is_mean
            else np.nan_to_num(n_independent, nan=np.inf).min()
        )
        found += few_effective(number, FEW_CLUSTERS, "independent cases (a cluster is one)")
    is_perfect = positives.size and np.any(influences.values[influences.is_defined] > 1 - EQUAL)
    if is_perfect and np.any(uncertainty.standard_error == 0):
        found.append(PERFECT)
    return found


def warnings_of_models(
    models: Sequence[InfluenceValues], uncertainties: Sequence[Uncertainty]
) -> list[str]:
    """The same for each of several models."""
    pairs = zip(models, uncertainties, strict=True)
    return [text for pair in pairs for text in warnings_of(*pair)]


def warn_of(texts: list[str]) -> None:
    """Give each warning once, for the line of the user."""
    for text in dict.fromkeys(texts):
        warn(text, UncertaintyWarning)
