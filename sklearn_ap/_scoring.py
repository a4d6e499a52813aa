"""From rows and counts to scores: the definition, undefined values, averages, warnings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Real
from typing import Literal, NamedTuple

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_ap._arithmetic import RELATIVE_TOLERANCE
from sklearn_ap._counts.counting import count, count_on_device
from sklearn_ap._counts.thresholds import ThresholdCounts, ratio
from sklearn_ap._inputs.labels_and_scores import predicted_class_remark
from sklearn_ap._inputs.options import Average, ZeroDivision, check_choice
from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap._inputs.request import Request, check_rankings
from sklearn_ap._results.text import names_as_text, rounded_as_text
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
    columns = None
    if rankings is not None:
        if definition.depth is not None:
            warn_when_k_exceeds_weight(definition.depth, rankings)
        # Floats of 0 and 1 may be the probabilities of a tree.
        if rankings.score.dtype.kind != "f" and (remark := predicted_class_remark(rankings.score)):
            warn(f"{remark} If they are scores after all, give them as floats.", UserWarning)
        count_effective = rankings.effective_positives
        if rankings.n_rankings > 1:  # most scores go through one function less
            columns = judged_columns(rankings, rankings.effective_positives_of_each)
    elif counts.are_weighted:  # they do not tell how many rows there are
        return
    else:
        count_effective = counts.n_positives.sum
    warn_if_reversed(definition, counts, values[None], count_effective, columns=columns)


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
IS_TURNED = "If high scores mean negative, pass -y_score"
REMEDIES = {
    None: f"Is the other label the positive one? {IS_TURNED}, or the other column of "
    f"predict_proba.",
    "class": f"Are the columns in the order of the sorted labels? {IS_TURNED}. Decision values of "
    f"several classes may not compare rows, as probabilities do.",
    "column": f"{IS_TURNED}.",
}


class JudgedColumns(NamedTuple):
    """Columns, each of which is judged by itself, too."""

    kind: Literal["class", "column"]
    names: Sequence[Name]
    count_effective: Callable[[], Float]  # the effective number of positives of each


def judged_columns(
    rankings: Rankings, count_effective: Callable[[], Float]
) -> JudgedColumns | None:
    """Return what is known of columns that are a ranking each; None for one, and for queries."""
    kind, n = rankings.sampling.columns, rankings.n_rankings
    if kind is None or n == 1:
        return None
    return JudgedColumns(kind, rankings.names or range(n), count_effective)


def warn_if_reversed(
    definition: Definition,
    counts: ThresholdCounts,
    values: Float,
    count_effective: Callable[[], FloatOrArray],
    names: Sequence[Name] = (),
    columns: JudgedColumns | None = None,
) -> None:
    """Warn of each model that is far below a random order, or of those of its columns that are.

    ``values`` have shape (n_models, n_rankings), or (n_models, 1) for means. Their plain mean is
    judged first. Models share their labels, and several have ``names``. ``count_effective`` gives
    effective numbers of positives, as unequal weights leave less to judge by. Where positives were
    not scored, or not retrieved, a low score comes from these. At k, all ranks of one model are
    judged.
    """
    is_at_k = definition.depth is not None and not names  # counts are of the first model
    if not (is_at_k or type(definition) is Step) or counts.n_unscored is not None:
        return
    shares = ratio(counts.n_positives, counts.n_positives + counts.n_negatives)
    share = shares.sum() / shares.size  # its method mean would take as long as all else here
    means = values[:, 0] if values.shape[1] == 1 else np.nan_to_num(values).mean(axis=1)
    if not (means < share).any() and (columns is None or not (values < shares).any()):
        return
    if is_at_k:  # the first ranks of random scores hold few positives, too
        values = Step().values(counts)[None]
        means = np.nan_to_num(values).mean(axis=1)
    limits = _lowest_plausible(shares)
    n_found, n_needed = counts.sum(counts.gained), counts.n_positives * (1 - RELATIVE_TOLERANCE)
    least_judged = (LEAST_JUDGED_AT_K if is_at_k else LEAST_JUDGED) * (1 - RELATIVE_TOLERANCE)
    is_told = (means < limits.mean()) & (n_found.sum() >= n_needed.sum())
    if is_told.any():
        is_told &= count_effective() * _rarer_by_positive(share) >= least_judged
    owners = [f" of {name}" for name in names] or [""]
    remedy = REMEDIES[columns and columns.kind]
    for model in np.flatnonzero(is_told).tolist():
        mean = "mean " if counts.gives_array else ""
        numbers = rounded_as_text(means[model]), rounded_as_text(share)
        _warn_of_low(f"{mean}average precision{owners[model]}", *numbers, remedy)
    if columns is None:
        return
    are_low = (values < limits) & (n_found >= n_needed) & ~is_told[:, None]
    if are_low.any():
        are_low &= columns.count_effective() * _rarer_by_positive(shares) >= least_judged
    for model in np.flatnonzero(are_low.any(axis=1)).tolist():
        first, *others = np.flatnonzero(are_low[model]).tolist()
        what = f"average precision{owners[model]} for {columns.kind} {columns.names[first]!r}"
        numbers = rounded_as_text(values[model, first]), rounded_as_text(shares[first])
        also = f"So is that for {names_as_text([repr(columns.names[i]) for i in others])}. "
        _warn_of_low(what, *numbers, f"{also if others else ''}{remedy}")


def _lowest_plausible(shares: Float) -> Float:
    """Return the value, for each share of positives, below which scores seem reversed."""
    with np.errstate(divide="ignore", invalid="ignore"):
        odds = shares / (1 - shares)
        least = 1 - np.log1p(odds) / odds  # of many rows whose negatives all rank above positives
    least = np.where((shares > 0) & (shares < 1), least, shares)
    return shares - SHARE_OF_DISTANCE * (shares - least)


def _rarer_by_positive(share: FloatOrArray) -> FloatOrArray:
    """Return how many rows of the rarer class there are for each positive."""
    return np.minimum(1.0, (1 - share) / np.where(share > 0, share, 1.0))


def _warn_of_low(what: str, value: str, share: str, remedy: str) -> None:
    text = f"The {what}, {value}, is far below that of random scores, about {share}. {remedy}"
    warn(text, UserWarning)
