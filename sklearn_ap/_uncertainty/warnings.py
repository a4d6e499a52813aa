"""Warnings about intervals and comparisons that rest on little."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import ROUND_DOWN, Context
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._inputs import EQUAL, FEW, predicted_classes, warn
from sklearn_ap._uncertainty.influence import InfluenceValues, QueryInfluences, RowInfluences
from sklearn_ap._uncertainty.jackknife import LARGE_BIAS
from sklearn_ap._uncertainty.variance import Uncertainty

FEW_QUERIES, FEW_CLUSTERS, FEW_ROWS = 12, 20, 30  # below which an interval may miss
MANY_COLUMNS = 20
LARGE_SHIFT = 0.5  # of a pool, in standard errors of the score or of the difference

LOWERED = " (unequal weights, clusters and heavy negatives lower their number)"
THREE_DIGITS = Context(prec=3, rounding=ROUND_DOWN)

# All that ``docs/warnings.md`` explains.
Name = Literal[
    "predicted classes",
    "few positives",
    "few negatives",
    "few queries",
    "few clusters",
    "few rows",
    "few differences",
    "small rankings",
    "unknown bias",
    "perfect score",
    "clusters in training",
    "unequal prevalence",
    "unequal scales",
    "shrunken models",
    "broken ties",
]


class UncertaintyWarning(UserWarning):
    """An interval or a comparison is less certain than it says, or of something else.

    The name of the warning stands at the start of its text, where a filter finds it.

    Parameters
    ----------
    text : str
        What was found in the data, and what to do.
    name : str
        What kind of warning it is, such as "few clusters".
    """

    def __init__(self, text: str, name: Name) -> None:
        super().__init__(text, name)  # both are pickled

    @property
    def name(self) -> Name:
        """What kind of warning it is, such as "few clusters"."""
        name: Name = self.args[1]
        return name

    def __str__(self) -> str:
        return f"{self.name}: {self.args[0]}"


PERFECT = UncertaintyWarning(
    "A score of 1 shows no variance: the limits come from the number of positives alone.",
    "perfect score",
)
FEW_DIFFERENCES = UncertaintyWarning(
    "Few rows determine a difference, as the models rank most rows alike. Its p-value and its "
    "interval are rough.",
    "few differences",
)
TIES_BROKEN_BY_POOLING = UncertaintyWarning(
    "Each fold's model gives few distinct scores, and those of other folds lie between them. The "
    "pool has fewer ties than the ranking of each model, so its score is usually too high. Pass "
    "definition=Expected(), which breaks ties at random and takes no weights and no prevalence.",
    "broken ties",
)
TIES_BROKEN_BY_ODDS = UncertaintyWarning(
    "The models give few distinct probabilities, and odds differ from fold to fold. The pool has "
    "fewer ties than the ranking of each model, so its score is usually too high. Split with "
    "StratifiedKFold or StratifiedGroupKFold, and pass pooling='scores'.",
    "broken ties",
)
OTHER_SLOPES = UncertaintyWarning(
    "The models are strongly shrunken, as by a small C, and folds differ much in their proportion "
    "of positives: odds correct most of that, but the pool still ranks a little worse than each "
    "model does. Split with StratifiedKFold or StratifiedGroupKFold.",
    "shrunken models",
)


class Shift(NamedTuple):
    """How much too low a pool of folds scores, and what says so."""

    size: NDArray[np.float64]  # negative, in standard errors of each score
    say: Callable[[], UncertaintyWarning]

    def of(self, model: str) -> Shift:
        """The same with the name of the model before what is said."""
        return self._replace(say=lambda: of_model(model, self.say()))


def of_model(name: str, warning: UncertaintyWarning) -> UncertaintyWarning:
    """The same with the name of a model before what was found."""
    return UncertaintyWarning(f"{name}: {warning.args[0]}", warning.name)


def warnings_of_scores(y_score: Any) -> list[UncertaintyWarning]:
    """A warning if scores look like predicted classes."""
    return [UncertaintyWarning(text, "predicted classes") for text in predicted_classes(y_score)]


def warnings_of_scores_of_models(y_scores: Mapping[Any, Any]) -> list[UncertaintyWarning]:
    """The same for each of several models."""
    return [
        of_model(repr(name), warning)
        for name, scores in y_scores.items()
        for warning in warnings_of_scores(scores)
    ]


def few_positives(number: float, where: str, kind: str) -> list[UncertaintyWarning]:
    """A warning if few positives were sampled, but some."""
    if not 0 < number < FEW * (1 - 1e-9):  # 10 weights of 0.025 are 9.999999999999998
        return []
    shown = _rounded_down(number)
    several, why = "" if shown == "1" else "s", LOWERED if kind else ""
    text = f"The interval rests on {shown} {kind}positive{several}{where}{why}."
    return [UncertaintyWarning(f"{text} Below {FEW}, it is wide.", "few positives")]


def few_effective(name: Name, number: float, least: int, what: str) -> list[UncertaintyWarning]:
    """A warning if an effective number is small; ``what`` says which one."""
    if not 0 < number < least * (1 - 1e-9):
        return []
    text = f"{what} is {_rounded_down(number)}. Below {least}, the interval may miss more often "
    return [UncertaintyWarning(f"{text}than it says.", name)]


def few_of_influence(
    name: Literal["few queries", "few rows"], number: float, least: int
) -> list[UncertaintyWarning]:
    """A warning if the squares of the influence of most units are small beside those of a few."""
    what = f"{name.capitalize()} determine the estimate: by the squares of their influence, their"
    return few_effective(name, number, least, f"{what} effective number")


def few_in_queries(number: float) -> list[UncertaintyWarning]:
    """A warning if the negatives of most queries are too few for another prevalence."""
    if not number < FEW * (1 - 1e-9):  # it may not be known
        return []
    text = (
        f"At this prevalence, half of the queries have negatives for at most "
        f"{_rounded_down(number)} positives. Below {FEW}, the score of a query is too high on "
        f"average, and so is the mean."
    )
    return [UncertaintyWarning(text, "few negatives")]


def many_small_columns(n_positives: NDArray[np.float64], kind: str) -> list[UncertaintyWarning]:
    """A warning if a mean is over many columns with few positives: their bias does not cancel."""
    n_small = np.count_nonzero(n_positives <= FEW)
    if n_small < MANY_COLUMNS:
        return []
    text = (
        f"The mean is over {n_positives.size} rankings, and {n_small} of them have at most {FEW} "
        f"{kind}positives. Their scores are too high on average, and the bias is known in part "
        f"only: the interval may miss more often than it says."
    )
    return [UncertaintyWarning(text, "small rankings")]


def unknown_bias(bias: float, standard_error: float) -> list[UncertaintyWarning]:
    """A warning if the scores of a mean are too high together, and no formula says by how much."""
    if not bias > 2 * LARGE_BIAS * standard_error:  # as much was not found
        return []
    text = (
        f"The score of each ranking is too high on average, and so is the mean: by {bias:.4f} or "
        f"more, where the standard error is {standard_error:.4f}. The interval may miss more often "
        f"than it says. The bias of step, linear and hyperbolic AP is better known."
    )
    return [UncertaintyWarning(text, "unknown bias")]


def unknown_difference(
    biases: Sequence[float], standard_errors: Sequence[float]
) -> list[UncertaintyWarning]:
    """A warning if means are too high by more than the error of their difference."""
    if not max(biases) > min(standard_errors):
        return []
    text = (
        f"The mean of the rankings of a model is too high by up to {max(biases):.4f}, where the "
        f"standard error of a difference is {min(standard_errors):.4f}. A third of such a bias may "
        f"not be known: the interval of a difference may miss more often than it says."
    )
    return [UncertaintyWarning(text, "unknown bias")]


def seen_clusters(number: int) -> UncertaintyWarning:
    """Models score clusters that they have seen."""
    several = "clusters are" if number > 1 else "cluster is"
    text = (
        f"{number} {several} in the training rows and in the test rows of a fold. A model that has "
        f"seen a patient scores this patient better than others. Split with GroupKFold or "
        f"StratifiedGroupKFold, and pass cross_validate the clusters as groups, or as "
        f"params={{'groups': clusters}}."
    )
    return UncertaintyWarning(text, "clusters in training")


def unequal_prevalence(
    by_ranks: bool, has_odds: bool, has_clusters: bool, is_table: bool, is_stratified: bool
) -> UncertaintyWarning:
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
    text = (
        f"The folds differ in their proportion of positives, and {why}. The pool then ranks worse "
        f"than each model does. {way}."
    )
    return UncertaintyWarning(text, "unequal prevalence")


def shifted_differences(
    shifts: Sequence[Shift],
    uncertainties: Sequence[Uncertainty],
    reference: int,
    of_others: Mapping[int, Any],
) -> list[UncertaintyWarning]:
    """Warnings that name models whose shift is much beside the error of a difference.

    ``of_others`` has the errors of the differences from the reference.
    """
    if not shifts:  # no folds are pooled
        return []
    pairs = zip(shifts, uncertainties, strict=True)
    moved = [shift.size * uncertainty.standard_error for shift, uncertainty in pairs]
    found = []
    for place, error in of_others.items():
        is_large = np.abs(moved[place] - moved[reference]) > LARGE_SHIFT * error
        if np.any(is_large):
            most = np.abs(moved[place][is_large]).max() > np.abs(moved[reference][is_large]).max()
            found.append(shifts[place if most else reference].say())
    return found


def other_scales(n_top: NDArray[np.intp], n_rows: NDArray[np.intp]) -> UncertaintyWarning:
    """The folds share the highest rows unequally."""
    most, least = np.argmax(n_top / n_rows), np.argmin(n_top / n_rows)
    text = (
        f"The scores of the folds do not mean the same: of the {n_top.sum()} highest rows, "
        f"{n_top[most]} are from fold {most} and {n_top[least]} from fold {least}. A pool of such "
        f"scores ranks worse than each model does. Pass pooling='ranks' if the folds have about "
        f"the same proportion of positives, or calibrate the models. If rows belong to patients, "
        f"pass clusters."
    )
    return UncertaintyWarning(text, "unequal scales")


def few_rows(
    influences: RowInfluences, uncertainty: Uncertainty, defined: NDArray[np.bool_]
) -> list[UncertaintyWarning]:
    """A warning if few rows determine a score, where more positives than that are there."""
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
    return few_of_influence("few rows", float(number), FEW_ROWS)


def warnings_of_queries(
    influences: QueryInfluences, uncertainty: Uncertainty
) -> list[UncertaintyWarning]:
    """What a mean over queries rests on: those with a positive, or the few that vary."""
    number = float(influences.n_effective_positives[0])
    of_influence = float(np.min(uncertainty.effective_degrees))
    if of_influence < number:
        found = few_of_influence("few queries", of_influence, FEW_QUERIES)
    else:
        what = "The interval rests on few queries with a positive: their effective number"
        found = few_effective("few queries", number, FEW_QUERIES, what)
    return found + few_in_queries(influences.half_of_queries)


def warnings_of(influences: InfluenceValues, uncertainty: Uncertainty) -> list[UncertaintyWarning]:
    """What a score rests on, where that is little."""
    if isinstance(influences, QueryInfluences):
        return warnings_of_queries(influences, uncertainty)
    defined = influences.is_defined & (influences.positives.n_effective > 0)
    positives = influences.positives.n_effective[defined]
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
        what = "The interval rests on few clusters: their effective number"
        found += few_effective("few clusters", number, FEW_CLUSTERS, what)
    is_one = positives.size and np.any(influences.values[influences.is_defined] > 1 - EQUAL)
    if is_one and np.any(uncertainty.standard_error == 0):
        found.append(PERFECT)
    return found


def warnings_of_models(
    models: Sequence[InfluenceValues], uncertainties: Sequence[Uncertainty]
) -> list[UncertaintyWarning]:
    """The same for each of several models."""
    pairs = zip(models, uncertainties, strict=True)
    return [warning for pair in pairs for warning in warnings_of(*pair)]


def warn_of(found: Sequence[UncertaintyWarning]) -> None:
    """Give each warning once, for the line of the user."""
    for warning in {str(each): each for each in found}.values():
        warn(warning, UncertaintyWarning)


def _rounded_down(number: float) -> str:
    """Three digits: 19.97 is not 20, which a text may say that it is below."""
    # Sums of weights are rounded: 4.9999999999 is 5.
    return f"{float(THREE_DIGITS.create_decimal_from_float(float(number) * (1 + 1e-9))):.3g}"
