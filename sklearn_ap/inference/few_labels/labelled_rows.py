"""Labels of some of the rows, with their probabilities and a judge: checks, and doubts.

In simulations of each kind, results with such a doubt were wrong more often than others.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import numpy as np
from scipy.stats import ks_2samp

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
from sklearn_ap._results.doubt import Doubt
from sklearn_ap._results.sample import Unit
from sklearn_ap._scoring import leaves_out_undefined
from sklearn_ap._types import Argument, Array, Bool, Float, Index
from sklearn_ap._uncertainty.few_labels import Labelled
from sklearn_ap._writing.text import count_as_text, plural, rounded_down_as_text
from sklearn_ap._writing.warning import WarningName

# A comparison alone would make unknown labels negatives.
OF_A_CLASS = "np.where(pd.isna(y_true), np.nan, y_true == label) and its column of y_score"
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
REASONS: dict[WarningName, tuple[str, str]] = {  # why verdicts do not hold, and what to do
    "wrong probabilities": (
        "labels stand for another number of rows than there are",
        "pass the probability with which each was chosen",
    ),
    "unlike labels": (
        "labelled rows are no random sample of all",
        "pass the probability with which each was chosen",
    ),
    "copied labels": (
        "the judge agrees with every label, as where labels were written into it",
        "pass what it said without them",
    ),
}


def labelled_rows(
    requests: Sequence[Request], inclusion_probability: Argument, judge: Argument
) -> tuple[Labelled, list[Array]]:
    """Check labels, probabilities and the judge; also return the scores of each model.

    Models differ in their scores alone. Rows of weight 0 are left out.
    """
    request = requests[0]
    _refuse_other_options(request)
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
    labels, is_labelled = _known_labels(request)
    n_rows = is_labelled.size
    scores = [check_scores(as_column("y_score", each.y_score, n_rows)) for each in requests]
    checked = check_labelled_scores(
        labels, scores[0][is_labelled], request.pos_label, is_binary=True
    )
    positive = np.zeros(n_rows, bool)
    positive[is_labelled] = checked.positive
    judged = None
    if judge is not None:
        judged = _check_judge(judge, labels, request.pos_label, is_labelled)
    weight = check_weights(request.sample_weight, n_rows)
    probability = _check_probability(inclusion_probability, n_rows)
    unit, names = _named_units(request, n_rows, weight)
    kept = drop_weightless_rows(
        weight, is_labelled, positive, judged, probability, names, weight, *scores
    )
    is_labelled, positive, judged, probability, names, weight, *scores = kept
    if not is_labelled.any():
        raise InputError("sample_weight is zero in every labelled row, so nothing is to score.")
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
    if inclusion_probability is None and (text := _unlike_labels(labelled, scores)):
        raise InputError(
            f'{text} If they were drawn at random, pass inclusion_probability="equal".'
        )
    return labelled, scores


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


def _check_judge(judge: Argument, labels: Array, pos_label: Argument, is_labelled: Bool) -> Float:
    """Return the probability of a positive of each row, from labels or from probabilities."""
    judgement = as_column("judge", judge, is_labelled.size)
    if is_labelled.all():
        raise InputError(
            "judge changes nothing, as all rows have labels. Leave it out; or, if there are rows "
            "without labels, pass them, too, with the label nan."
        )
    is_known = are_known(judgement)
    if not is_known.all():
        raise InputError(
            f"judge has no answer in {np.count_nonzero(~is_known)} rows, the first of which is "
            f"{int(np.argmin(is_known))}. It must judge all rows, or it cannot stand in for labels."
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
            f"{np.unique(judgement)[-SHOWN:].tolist()}. Divide percentages by 100. Of words "
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
            f"{out_of_range[0]:g}. Of weights, which are its inverse, pass 1 / weight. Leave out "
            f"rows that could not be labelled, of which nothing is known."
        )
    n_lost = np.count_nonzero((probability == 1) & ~is_labelled)
    if n_lost:
        raise InputError(
            f"inclusion_probability is 1 in {n_lost} rows that have no label. Where some labels "
            f"are missing, pass the share of rows that have one; of rows that rows_to_label chose, "
            f"leave out those without."
        )
    first_row = np.unique(unit_of_rows, return_index=True)[1]
    if np.any((probability != probability[first_row][unit_of_rows])[is_labelled]):
        raise InputError(
            f"inclusion_probability differs within a {unit}, which is labelled as a whole, with "
            f"one probability."
        )
    return probability


# ---- doubts


def doubts_of_labels(labelled: Labelled, scores: Sequence[Array]) -> list[Doubt]:
    """Doubt what labels of some rows cannot tell, and labels that are not as they are said.

    ``scores`` are those of each model.
    """
    texts: dict[WarningName, str] = {
        "wrong probabilities": _wrong_probabilities(labelled),
        "unlike labels": _unlike_labels(labelled, scores),
        "copied labels": _copied_labels(labelled),
        "few labelled queries": _few_queries(labelled),
        "hidden positives": " ".join(
            filter(None, (_hidden_positives(labelled), _unseen_judgements(labelled)))
        ),
    }
    found = {name: text for name, text in texts.items() if text}
    reasons = {name: REASONS.get(name, ("", "")) for name in found}
    return [
        Doubt(name=name, text=text, reason=reasons[name][0], remedy=reasons[name][1])
        for name, text in found.items()
    ]


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
        f"The labels stand for {count_as_text(round(n_represented))}, the sum of "
        f"1 / inclusion_probability over each labelled {labelled.unit}, and there are {n_units:,}. "
        f"Pass the probability with which each was chosen for labelling. Leave out those that "
        f"could not be, as the score is not for them, and those that were chosen but not labelled, "
        f"if labels are missing for reasons that have nothing to do with the truth."
    )


def _unlike_labels(labelled: Labelled, scores: Sequence[Array]) -> str:
    """Say whether rows that should be a random sample score otherwise than the others; else ""."""
    # 20 labels on the highest of 200 scores are no random sample
    seen = labelled.is_labelled
    if labelled.unit != "row" or not labelled.has_equal_probabilities or seen.all():
        return ""
    if seen.size < FEWEST_TESTED or not any(
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


def _few_queries(labelled: Labelled) -> str:
    """Say how few queries people labelled to correct a judge; else ""."""
    n = labelled.probability_of_units.size
    if labelled.judged is None or labelled.unit != "query" or n >= FEWEST_QUERIES:
        return ""
    return (
        f"People labelled {count_as_text(n, 'query')} to correct the judge. Fewer than "
        f"{FEWEST_QUERIES} hardly tell how often it errs. Label the documents of more queries."
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
        f"{rounded_down_as_text(n_hidden)} may be there, beside {rounded_down_as_text(n_found)} "
        f"that the labels stand for, so the score may be too high. Its lower limit allows for "
        f"them, but those of differences of models do not. Label more of these rows, or leave out "
        f"all that can hardly be positive, such as those with the lowest scores; the score is then "
        f"of the others."
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
        f"probability, and hardly any of them has a label. If it is wrong there, the score is too "
        f"low, and no limit allows for it. Label more of them, in a second round of "
        f"rows_to_label(..., guess=judge, exclude=...), where a judge of words is 1 or 0."
    )


def _copied_labels(labelled: Labelled) -> str:
    """Say whether a judge agrees with every label, as it does if it holds them; else ""."""
    # 500 labels, 62 of them positive, and a judge that is 1 in these 62 rows and 0 in the others
    seen, judged = labelled.is_labelled, labelled.judged
    if judged is None or seen.all() or np.any(judged[seen] != labelled.positive[seen]):
        return ""
    n_positives = int(np.count_nonzero(labelled.positive[seen]))
    n_labels = int(np.count_nonzero(seen))
    if min(n_positives, n_labels - n_positives) < FEWEST_AGREED:
        return ""
    return (
        f"The judge agrees with all {n_labels:,} labels, {n_positives:,} positives included. If "
        f"the labels were written into it, or it has seen them, the score is wrong, as nothing "
        f"tells how often the judge errs in other rows. Pass what it said without them."
    )
