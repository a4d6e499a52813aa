"""From rows and counts to scores: the definition, undefined values, averages, warnings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Real
from typing import Literal

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_ap._arithmetic import RELATIVE_TOLERANCE
from sklearn_ap._counts.counting import count, count_on_device
from sklearn_ap._counts.thresholds import ThresholdCounts, ratio, select_rankings
from sklearn_ap._inputs.labels_and_scores import predicted_class_remark
from sklearn_ap._inputs.options import Average, ZeroDivision, check_choice
from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap._inputs.request import Request, check_rankings
from sklearn_ap._results.text import rounded_as_text
from sklearn_ap._results.warning import warn
from sklearn_ap._types import Argument, Array, Bool, Float, FloatOrArray, Name
from sklearn_ap.definitions import Definition, Step


def score_of_request(definition: Argument, request: Request) -> FloatOrArray:
    """Check, count, apply the definition, average: a float, or an array for average=None."""
    if not isinstance(definition, Definition):
        # It knows the names of all definitions, which most scores do without. A first score imports
        # 30 modules at most.
        from sklearn_ap.definitions._spellings import check_definition

        definition = check_definition(definition)
    if request.prevalence is not None:
        from sklearn_ap.definitions._prevalence import at_prevalence

        definition = at_prevalence(definition, request.prevalence)
    rankings, counts = None, count_on_device(request)
    if counts is None:
        rankings = check_rankings(request)
        counts = count(rankings)
    return score_of_counts(definition, counts, request.average, request.zero_division, rankings)


def score_of_counts(
    definition: Definition,
    counts: ThresholdCounts,
    average: Average,
    zero_division: ZeroDivision,
    rankings: Rankings | None = None,
) -> FloatOrArray:
    """Apply the definition and average: a float, or an array for average=None.

    There are no rankings beside counts that a user or a device made. Others have the average, so
    that ``average`` only says whether it is None.
    """
    values = definition.values(counts)
    warn_of_scores(definition, counts, values, rankings)
    values = fill_undefined(values, zero_division, definition.prevalence)
    gives_array = counts.gives_array if rankings is None else rankings.gives_array
    if not gives_array:
        return float(values[0])
    if average is None:
        return values
    if rankings is not None:
        return average_rankings(values, rankings.weight_in_average(counts.n_positives))
    return average_rankings(values, counts.n_positives if average == "weighted" else None)


# ---- scores of rankings: what stands for those that are not defined, and their average


def fill_undefined(values: Float, zero_division: Argument, prevalence: float | None) -> Float:
    """Replace undefined values, which are nan, by the score that ``zero_division`` says.

    In a table, each row has the values of a model. All models lack the same labels, so the warning
    is about the first one.
    """
    is_of_type = isinstance(zero_division, Real | str)
    is_choice = is_of_type and zero_division in ("warn", 0, 1)
    if not (is_choice or leaves_out_undefined(zero_division)):
        error = ValueError if is_of_type else TypeError
        raise error(f'zero_division must be "warn", 0.0, 1.0 or nan, got {zero_division!r}.')
    is_undefined = np.isnan(values)
    if not is_undefined.any():
        return values
    if zero_division == "warn":
        remedy = "To choose a score without this warning, pass zero_division=0.0, 1.0 or nan."
        first_undefined = np.atleast_2d(is_undefined)[0]
        warn_of_undefined(first_undefined, prevalence, f"Their score is set to 0.0. {remedy}")
        zero_division = 0.0
    return np.where(is_undefined, float(zero_division), values)


def leaves_out_undefined(zero_division: Argument) -> bool:
    """Whether it is nan, so that rankings without a score have no share in a mean."""
    return isinstance(zero_division, Real) and bool(zero_division != zero_division)


def warn_of_undefined(
    is_undefined: Bool, prevalence: float | None, consequence: str, units: str = "rankings"
) -> None:
    """Warn of scores that are not defined, if any is not, and of what follows."""
    n_undefined = np.count_nonzero(is_undefined)
    if n_undefined:
        lacking = "No positive" if prevalence is None else "No positive or no negative"
        warn(
            f"{lacking} class found in y_true, for {n_undefined} of {is_undefined.size} {units}. "
            f"{consequence}",
            UndefinedMetricWarning,
        )


def shares_of(values: Float, weights: Array | None) -> Float:
    """Return the weight of each ranking in the mean, 0 for one without a value; they sum to 1."""
    shares = np.where(np.isnan(values), 0.0, 1.0 if weights is None else weights)
    shares /= shares.max() or 1.0  # the sum of huge weights would be infinite
    return np.asarray(shares / (shares.sum() or 1.0))


def average_rankings(values: Float, weights: Array | None) -> float:
    """Average the values that are not nan and carry weight."""
    shares = shares_of(values, weights)
    is_averaged = shares > 0
    if not is_averaged.any():
        # Nothing to average: all values are nan, or equal the score for rankings without positives.
        return float(values[0])
    averaged = values[is_averaged]
    return float(np.average(averaged, weights=None if weights is None else shares[is_averaged]))


def check_average_of_counts(average: Argument) -> None:
    """Refuse an average that would need the rows."""
    if average is not None:  # each ranking is counted by itself
        check_choice("average", average, Literal["macro", "weighted", None])


# ---- what is said of odd scores


def warn_of_scores(
    definition: Definition, counts: ThresholdCounts, values: Float, rankings: Rankings | None = None
) -> None:
    """Warn of odd scores and weights; of counts alone, of scores that rank negatives first."""
    if rankings is not None:
        if definition.depth is not None:  # most scores go through one function less
            warn_when_k_exceeds_weight(definition.depth, rankings)
        # Floats of 0 and 1 may be the probabilities of a tree.
        if rankings.score.dtype.kind != "f" and (remark := predicted_class_remark(rankings.score)):
            warn(f"{remark} If they are scores after all, give them as floats.", UserWarning)
        count_effective = rankings.effective_positives
    elif counts.are_weighted:  # they do not tell how many rows there are
        return
    else:
        count_effective = counts.n_positives.sum
    # In a mean, a ranking without positives counts 0.
    mean = np.nan_to_num(values).mean(keepdims=True) if values.size > 1 else values
    is_told = warn_if_reversed(definition, counts, mean, count_effective)
    if rankings is not None and rankings.sampling.are_columns and not is_told:
        count_each = rankings.effective_positives_of_each
        warn_of_reversed_columns(definition, counts, values[None], count_each, rankings.names)


def warn_when_k_exceeds_weight(k: int | float | None, rankings: Rankings) -> None:
    """Warn that k counts weight, which surprises users whose weights sum to 1."""
    if not isinstance(k, int) or rankings.weight is None:
        return
    total = np.bincount(rankings.ranking_of_items, rankings.weight, rankings.n_rankings)
    if np.any((k > total * (1 + RELATIVE_TOLERANCE)) & (k <= rankings.sizes)):
        warn(
            f"k={k} exceeds the total of sample_weight but not the number of rows. k counts "
            f"weight: scale the weights so that they sum to the number of rows.",
            UserWarning,
        )


# Scores seem reversed if step average precision is below that of random orders by this share of the
# distance to the least possible one, and there are so many effective rows of the rarer class. With
# 10 positives in random order, at most one ranking in 270 scores less (73 of 20,000 orders of 20
# rows, and 13 of 20,000 orders of 100 rows), and with more fewer do. With gamma weights of shapes
# 0.3 to 2 and 15 effective positives, none of 23,476 orders did.
SHARE_OF_DISTANCE = 0.7
LEAST_JUDGED = 10
LEAST_JUDGED_AT_K = 25  # of 25 positives and 25 negatives, 43 of 200,000 orders are warned of
TURNED_SCORES = (
    "Is the other label the positive one? If high scores mean negative, pass -y_score, or the "
    "other column of predict_proba."
)
TURNED_COLUMN = (
    "Are the columns in the order of the labels? If high scores mean negative, pass -y_score. "
    "Decision values of several classes may not compare rows, as probabilities do."
)


def warn_if_reversed(
    definition: Definition,
    counts: ThresholdCounts,
    values: Float,
    count_effective: Callable[[], FloatOrArray],
    names: Sequence[Name] = (),
    column: str = "",
) -> bool:
    """Warn of each value that is far below that of a random order, and return whether there is one.

    A value is of one ranking, such as a column, or the plain mean of several. There may be one for
    each of several models, which have ``names`` and share their labels. ``count_effective`` gives
    their effective numbers of positives, as unequal weights leave less to judge by. Where positives
    were not scored, or not retrieved, a low score comes from these. At k, all ranks of one model
    are judged.
    """
    is_at_k = definition.depth is not None and not names  # counts are of the first model
    if not (is_at_k or type(definition) is Step) or counts.n_unscored is not None:
        return False
    shares = ratio(counts.n_positives, counts.n_positives + counts.n_negatives)
    share = shares.sum() / shares.size  # its method mean would take as long as all else here
    if not (values < share).any():
        return False
    if is_at_k:  # the first ranks of random scores hold few positives, too
        values = np.nan_to_num(Step().values(counts)).mean(keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        odds = shares / (1 - shares)
        least = 1 - np.log1p(odds) / odds  # of many rows whose negatives all rank above positives
    least = np.where((shares > 0) & (shares < 1), least, shares)
    are_low = values < share - SHARE_OF_DISTANCE * (share - least.mean())
    has_missed = counts.gained.sum() < counts.n_positives.sum() * (1 - RELATIVE_TOLERANCE)
    if has_missed or not are_low.any():
        return False
    n_rarer = np.asarray(count_effective()) * min(1.0, (1 - share) / share)
    least_judged = LEAST_JUDGED_AT_K if is_at_k else LEAST_JUDGED
    are_low &= n_rarer >= least_judged * (1 - RELATIVE_TOLERANCE)
    mean = "mean " if counts.gives_array else ""
    remedy = TURNED_COLUMN if column else TURNED_SCORES
    for model in np.flatnonzero(are_low).tolist():
        owner = f" of {names[model]}" if names else ""
        warn(
            f"The {mean}average precision{owner}{column}, {rounded_as_text(values[model])}, is far "
            f"below that of random scores, about {rounded_as_text(share)}. {remedy}",
            UserWarning,
        )
    return bool(are_low.any())


def warn_of_reversed_columns(
    definition: Definition,
    counts: ThresholdCounts,
    values: Float,
    count_each: Callable[[], Float],
    columns: Sequence[Name] | None,
    names: Sequence[Name] = (),
) -> None:
    """Warn of each column whose value is far below that of a random order.

    ``values`` has shape (n_models, n_columns), and ``count_each`` gives the effective number of
    positives of each column.
    """
    shares = ratio(counts.n_positives, counts.n_positives + counts.n_negatives)
    low = np.flatnonzero((values < shares).any(axis=0)).tolist()
    n_effective = count_each() if low else np.zeros(0)
    for i in low:
        name = f" in column {i if columns is None else repr(columns[i])}"
        one, number = select_rankings(counts, i, i + 1), n_effective[i].item
        warn_if_reversed(definition, one, values[:, i], number, names, name)
