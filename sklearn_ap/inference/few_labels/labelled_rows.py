"""Labels of some of the rows, with their probabilities and a judge, checked."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from sklearn_ap._errors import InputError
from sklearn_ap._inputs.arrays import (
    are_known,
    as_array,
    as_column,
    check_numbers,
    check_same_order,
    drop_weightless_rows,
    refuse_missing,
)
from sklearn_ap._inputs.codes import encode_names
from sklearn_ap._inputs.labels_and_scores import (
    SHOWN,
    check_labelled_scores,
    check_scores,
    check_weights,
    describe_labels,
)
from sklearn_ap._inputs.options import LEAST_SHARE
from sklearn_ap._inputs.request import Request
from sklearn_ap._results.sample import Unit
from sklearn_ap._scoring import leaves_out_undefined
from sklearn_ap._types import Argument, Array, Bool, Float, Index
from sklearn_ap._uncertainty.few_labels import Labelled
from sklearn_ap._writing.text import count_as_text, plural
from sklearn_ap.inference.few_labels.label_doubts import LABELS_NOT_RANDOM, are_unlike

# A comparison alone would make unknown labels negatives.
OF_A_CLASS = "np.where(pd.isna(y_true), np.nan, y_true == label) and its column of y_score"


def labelled_rows(
    requests: Sequence[Request], inclusion_probability: Argument, judge: Argument
) -> tuple[Labelled, list[Array]]:
    """Check labels, probabilities and the judge; also return the scores of each model.

    Models differ in their scores alone. Rows of weight 0 are left out.
    """
    request = requests[0]
    _refuse_other_options(request)
    _check_orders(requests, inclusion_probability, judge)
    labels, is_labelled = _known_labels(request)
    n_rows = is_labelled.size
    scores = [check_scores(as_column("y_score", each.y_score, n_rows)) for each in requests]
    checked = check_labelled_scores(
        labels, scores[0][is_labelled], request.pos_label, is_binary=True
    )
    positive = np.zeros(n_rows, bool)
    positive[is_labelled] = checked.positive
    judged = _check_judge(judge, labels, request.pos_label, is_labelled)
    weight = check_weights(request.sample_weight, n_rows)
    probability = _check_probability(inclusion_probability, n_rows)
    unit, names = _named_units(request, n_rows, weight)
    kept = drop_weightless_rows(
        weight, is_labelled, positive, judged, probability, names, weight, *scores
    )
    is_labelled, positive, judged, probability, names, weight, *scores = kept
    if not is_labelled.any():
        raise InputError(
            "sample_weight is zero in every labelled row, so there is nothing to score."
        )
    unit_of_rows = np.arange(is_labelled.size)
    if names is not None:
        unit_of_rows, _ = encode_names(plural(unit), names)
    labelled = Labelled(
        unit=unit,
        unit_of_rows=unit_of_rows,
        is_labelled=is_labelled,
        positive=positive,
        probability=_probability_of_rows(probability, is_labelled, unit, unit_of_rows),
        weight=weight,
        judged=judged,
    )
    if inclusion_probability is None:
        _refuse_unlike_labels(labelled, scores)
    return labelled, scores


def _refuse_unlike_labels(labelled: Labelled, scores: Sequence[Array]) -> None:
    """Refuse labelled rows that are no random sample, if nobody said that they are one."""
    if are_unlike(labelled, scores):
        raise InputError(
            f"{LABELS_NOT_RANDOM.text} If they were drawn at random, pass "
            f'inclusion_probability="equal".'
        )


def _check_orders(
    requests: Sequence[Request], inclusion_probability: Argument, judge: Argument
) -> None:
    """Refuse columns whose rows are in unlike orders, and a judge of clusters of several models."""
    request = requests[0]
    if judge is not None and request.clusters is not None and len(requests) > 1:
        raise InputError(
            "judge does not go with clusters where models are compared, as this was not measured. "
            "Leave out judge, or look at the interval of each model by itself."
        )
    for each in requests:
        each.check_order()
    check_same_order(
        y_true=request.y_true,
        y_score=request.y_score,
        inclusion_probability=inclusion_probability,
        judge=judge,
    )


def _named_units(request: Request, n_rows: int, weight: Array | None) -> tuple[Unit, Array | None]:
    """Return what is labelled as a whole, and the names of the clusters or queries of rows."""
    column = "clusters" if request.queries is None else "queries"
    if (names := getattr(request, column)) is None:
        return "row", None
    names = as_column(column, names, n_rows)
    if weight is not None:
        refuse_missing(column, names, weight > 0)
    return "cluster" if column == "clusters" else "query", names


def _refuse_other_options(request: Request) -> None:
    """Refuse options that assume labels of all rows, or several rankings."""
    if request.n_positives is not None:
        raise _option_error("n_positives", "judge says how many positives there are")
    if request.labels is not None:
        raise _option_error("labels", f"pass {OF_A_CLASS}")
    if request.queries is None:
        return
    if request.clusters is not None:
        raise _option_error("clusters", "with queries, whole queries are labelled")
    if request.average != "macro":
        raise _option_error(f"average={request.average!r}", "of queries the mean is taken")
    # By labels, other queries would be left out than by a judge.
    if leaves_out_undefined(request.zero_division):
        raise _option_error("zero_division=nan", "pass 0.0 or 1.0, so that all queries count")


def _option_error(name: str, remedy: str) -> InputError:
    """Make the error of an option that few labels do not allow."""
    return InputError(f"{name} does not go with inclusion_probability and judge here: {remedy}.")


def _known_labels(request: Request) -> tuple[Array, Bool]:
    """Return the known labels, and a flag of each row that has one."""
    values = as_array("y_true", request.y_true)
    if values.ndim != 1 or request.n_columns > 1:
        raise InputError(
            f"inclusion_probability and judge go with y_true and y_score of one column. Of a "
            f"table, pass column by column, and of classes {OF_A_CLASS}."
        )
    is_labelled = are_known(values)
    if not is_labelled.any():
        raise InputError("y_true has no known label, so there is nothing to score.")
    labels = _retyped(values[is_labelled])
    if (distinct := np.unique(labels)).size > 2:
        raise InputError(
            f"{describe_labels(distinct.tolist())} Write nan or None where the "
            f"label is unknown. Of grades, pass np.where(pd.isna(grade), np.nan, grade >= 2) if 2 "
            f"is the least one that is relevant."
        )
    return labels, is_labelled


def _retyped(values: Array) -> Array:
    """Give objects the type that they have without those that are missing."""
    if values.dtype.kind == "O":
        with suppress(ValueError):  # rows of several lengths, which a later check refuses
            return np.array(values.tolist())
    return values


def _check_judge(
    judge: Argument, labels: Array, pos_label: Argument, is_labelled: Bool
) -> Float | None:
    """Return the probability of a positive of each row, from labels or from probabilities."""
    if judge is None:
        return None
    judgement = as_column("judge", judge, is_labelled.size)
    if is_labelled.all():
        raise InputError(
            "judge changes nothing, because all rows have labels. Leave judge out. If there are "
            "rows without labels, pass these, too, with the label nan."
        )
    is_known = are_known(judgement)
    if not is_known.all():
        rows = count_as_text(int(np.count_nonzero(~is_known)), "row")
        raise InputError(
            f"judge has no answer in {rows}, first in row {int(np.argmin(is_known))}. It must "
            f"judge all rows, or it cannot stand in for labels."
        )
    judgement = _retyped(judgement)
    if judgement.dtype.kind not in "biufUT":
        raise InputError(f"judge must hold numbers or text, got {judgement[0]!r:.70}.")
    # Labels 0 and 1 stay such if one of them is in no labelled row.
    label_names = {*labels.tolist()} | ({pos_label} - {None})
    are_labels = np.isin(judgement, [0, 1] if label_names <= {0, 1} else labels).all()
    are_numbers = judgement.dtype.kind in "biuf"
    if not are_labels and are_numbers and judgement.min() >= 0 and judgement.max() <= 1:
        return judgement.astype(np.float64)
    if not are_labels and np.unique(np.concatenate((labels, judgement))).size > 2:
        raise InputError(
            f"judge must hold labels like those of y_true, or probabilities from 0 to 1, got "
            f"{np.unique(judgement)[-SHOWN:].tolist()}. Divide percentages by 100. For words "
            f"or grades, pass judge == the positive word, or judge >= the least relevant grade."
        )
    return (judgement == (1 if pos_label is None else pos_label)).astype(np.float64)


def _check_probability(probability: Argument, n_rows: int) -> Float | None:
    """Return the probability of each row; None for those of a simple random sample."""
    if probability is None or (isinstance(probability, str) and probability == "equal"):
        return None
    numbers = check_numbers("inclusion_probability", probability).astype(np.float64)
    if numbers.ndim == 0:
        return np.full(n_rows, numbers)
    return as_column("inclusion_probability", numbers, n_rows)


def _probability_of_rows(
    probability: Float | None, is_labelled: Bool, unit: Unit, unit_of_rows: Index
) -> Float:
    """Return the probability of each row. A unit has one, and is labelled as a whole."""
    n_labelled = np.bincount(unit_of_rows, is_labelled)
    if np.any((n_labelled > 0) & (n_labelled < np.bincount(unit_of_rows))):
        raise InputError(
            f"y_true has a {unit} of rows with a label and rows without. A {unit} is labelled as a "
            f"whole: label its other rows, or pass nan for all of them."
        )
    if probability is None:
        return np.full(is_labelled.size, np.mean(n_labelled > 0))
    if np.isnan(probability[is_labelled]).any():
        raise InputError("inclusion_probability is missing in a row that has a label.")
    out_of_range = probability[(probability < LEAST_SHARE) | (probability > 1)]
    if out_of_range.size:
        raise InputError(
            f"inclusion_probability must be above 0, at least {LEAST_SHARE:g}, and at most 1, got "
            f"{out_of_range[0]:g}. If you have weights, which are its inverse, pass 1 / weight. "
            f"Leave out rows that could not be labelled, because nothing is known about them."
        )
    n_lost = int(np.count_nonzero((probability == 1) & ~is_labelled))
    if n_lost:
        raise InputError(
            f"inclusion_probability is 1, but there is no label, in "
            f"{count_as_text(n_lost, 'row')}. If some labels are missing, pass the share of rows "
            f"that have one. If rows_to_label chose the rows, leave out those without a label."
        )
    first_row = np.unique(unit_of_rows, return_index=True)[1]
    if np.any((probability != probability[first_row][unit_of_rows])[is_labelled]):
        raise InputError(
            f"inclusion_probability differs within a {unit}, which is labelled as a whole, with "
            f"one probability."
        )
    return probability
