"""Rows of which some were labelled, with known probabilities, and the judgements of all rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from sklearn_ap._inputs.arrays import (
    are_known,
    as_column,
    begins_block,
    check_numbers,
    check_same_length,
    check_same_order,
    to_numpy,
)
from sklearn_ap._inputs.labels import SHOWN, check_targets
from sklearn_ap._inputs.names import check_names, encode_names
from sklearn_ap._inputs.rankings import Rankings, check_average
from sklearn_ap._inputs.request import Request
from sklearn_ap._inputs.weights import check_weights
from sklearn_ap._types import Argument, Array, Bool, Float, Index

NO_WEIGHT = "sample_weight is zero in every labelled row, so nothing is left to score."


class SortedRows(NamedTuple):
    """Rows with the highest score first, and the ranks of the rows tied with each, from 0."""

    order: Index
    score: Array
    first: Index  # the rank of the first tied row
    last: Index  # the rank of the last tied row


@dataclass(frozen=True, eq=False)
class Labelled:
    """Rows with the scores of one model, of which some were labelled with known probabilities.

    A unit is a row, a cluster or a query: all of its rows have labels, or none has.
    """

    score: Array
    positive: Bool  # the labels of labelled rows
    unit: str  # "row", "cluster" or "query"
    unit_of_rows: Index
    is_labelled: Bool
    probability_of_rows: Float  # q, the inclusion probability of each row; nan if unknown
    judged: Float | None  # z, the judge's probability that a row is positive
    weight: Float | None

    @cached_property
    def probability(self) -> Float:
        """The probability of each labelled row."""
        return self.probability_of_rows[self.is_labelled]

    @cached_property
    def are_probabilities_equal(self) -> bool:
        """True if the labelled units are said to be a simple random sample."""
        return bool(np.ptp(self.probability) == 0)

    @cached_property
    def is_random(self) -> bool:
        """True if rows are said to be a simple random sample."""
        return self.unit == "row" and self.are_probabilities_equal

    @cached_property
    def judge_is_unsure(self) -> bool:
        """True if the judge gives probabilities, also between 0 and 1."""
        return self.judged is not None and bool(np.any((self.judged > 0) & (self.judged < 1)))

    @cached_property
    def n_units(self) -> int:
        """The number of rows, clusters or queries."""
        return encode_names(self.unit_of_rows, "clusters")[1].size

    @cached_property
    def unit_of_labelled(self) -> Index:
        """The number of the unit of each labelled row among those that have labels."""
        return encode_names(self.unit_of_rows[self.is_labelled], "clusters")[0]

    @cached_property
    def probability_of_units(self) -> Float:
        """The probability of each labelled row, cluster or query."""
        return self.probability[np.unique(self.unit_of_labelled, return_index=True)[1]]

    @cached_property
    def are_in_clusters(self) -> bool:
        """True if clusters were labelled, and one of them has several rows."""
        return self.unit == "cluster" and self.probability_of_units.size < self.probability.size

    @cached_property
    def weight_of_labelled(self) -> Float | None:
        """The weight of each labelled row, over its probability unless queries are labelled."""
        weight = None if self.weight is None else self.weight[self.is_labelled]
        if self.unit == "query":
            return weight
        return np.asarray((1.0 if weight is None else weight) / self.probability)

    @cached_property
    def sorted_labelled(self) -> SortedRows:
        """The labelled rows, sorted."""
        score = self.score[self.is_labelled]
        order = score.argsort()[::-1]
        score = score[order]
        first = np.flatnonzero(begins_block(score))
        sizes = np.diff(first, append=score.size)
        last = first + sizes - 1
        return SortedRows(order, score, np.repeat(first, sizes), np.repeat(last, sizes))

    def rankings(self, label: Float) -> tuple[Rankings, Index]:
        """Return the labelled rows with these labels, and the labelled row of each item.

        A label between 0 and 1 is a probability: its row becomes two items, a positive of this
        weight, and a negative of the rest.
        """
        table_row = np.flatnonzero(self.is_labelled)
        row = np.arange(table_row.size)  # the number among labelled rows
        positive = label == 1
        weight = self.weight_of_labelled
        if np.any((label > 0) & (label < 1)):
            weight = np.ones(row.size) if weight is None else weight
            # All positives, then all negatives; items without weight are left out.
            weight = np.concatenate((label * weight, (1 - label) * weight))
            item = np.flatnonzero(weight > 0)
            weight = weight[item]
            n_labelled = row.size
            positive = item < n_labelled
            row = item % n_labelled
            table_row = table_row[row]
        rankings = Rankings(positive, self.score[table_row], weight)
        if self.unit != "query":
            return rankings, row
        queries, names = encode_names(self.unit_of_rows[table_row], "queries")
        rankings = replace(
            rankings,
            ranking=queries,
            n_rankings=names.size,
            are_queries=True,
            average_weight=None if self.are_probabilities_equal else 1 / self.probability_of_units,
        )
        return rankings, row


def check_labelled(
    requests: Sequence[Request], inclusion_probability: Argument, judge: Argument
) -> list[Labelled]:
    """Check labels, probabilities and judge, and return the labelled rows of each model.

    Models differ in their scores alone.
    """
    request = requests[0]
    _refuse_unsuitable(request)
    labels, is_labelled = _known_labels(request)
    for model_request in requests:
        model_request.check_order()
    check_same_order(
        y_true=request.y_true,
        y_score=request.y_score,
        inclusion_probability=inclusion_probability,
        judge=judge,
    )
    n_rows = is_labelled.size
    scores = [check_score(model_request.y_score, n_rows) for model_request in requests]
    pos_label = request.pos_label
    targets = check_targets(labels, scores[0][is_labelled], pos_label, is_binary=True)
    unit, unit_of_rows = _unit_of_rows(request, n_rows)
    weight = check_weights(request.sample_weight, n_rows)
    rows = Labelled(
        score=scores[0],
        positive=targets.positive,
        unit=unit,
        unit_of_rows=unit_of_rows,
        is_labelled=is_labelled,
        probability_of_rows=np.broadcast_to(np.nan, n_rows),  # until it is checked
        judged=None if judge is None else _check_judge(judge, labels, pos_label, n_rows),
        weight=weight,
    )
    is_kept = np.ones(n_rows, bool) if weight is None else weight > 0
    if not np.any(is_kept & is_labelled):
        raise ValueError(NO_WEIGHT)
    return _kept_models(rows, scores, inclusion_probability, is_kept)


def _kept_models(
    rows: Labelled, scores: Sequence[Array], inclusion_probability: Argument, is_kept: Bool
) -> list[Labelled]:
    """Return the kept rows with their probabilities, and with the scores of each model."""
    probability = _check_probability(
        inclusion_probability, rows.unit, rows.unit_of_rows, rows.is_labelled, is_kept
    )
    first = replace(
        rows,
        score=scores[0][is_kept],
        positive=rows.positive[is_kept[rows.is_labelled]],
        unit_of_rows=rows.unit_of_rows[is_kept],
        is_labelled=rows.is_labelled[is_kept],
        probability_of_rows=probability[is_kept],
        judged=None if rows.judged is None else rows.judged[is_kept],
        weight=None if rows.weight is None else rows.weight[is_kept],
    )
    return [first, *(replace(first, score=score[is_kept]) for score in scores[1:])]


def _are_partly_labelled(unit_of_rows: Index, is_labelled: Bool) -> bool:
    """Check whether some unit has rows with a label and rows without."""
    n_labelled = np.bincount(unit_of_rows, is_labelled)
    n_rows = np.bincount(unit_of_rows)
    return bool(np.any((n_labelled > 0) & (n_labelled < n_rows)))


def _unit_of_rows(request: Request, n_rows: int) -> tuple[str, Index]:
    """Return the name of the sampling unit of labels, and the number of the unit of each row."""
    for unit, argument in (("query", "queries"), ("cluster", "clusters")):
        names = check_names(argument, getattr(request, argument), n_rows)
        if names is not None:
            return unit, encode_names(names, argument)[0]
    return "row", np.arange(n_rows)


def _known_labels(request: Request) -> tuple[Array, Bool]:
    """Return the known labels, and a flag of each row that has one."""
    values = to_numpy("y_true", request.y_true)
    values = np.asarray(values, dtype=object if isinstance(values, list | tuple) else None)
    if values.ndim != 1 or request.n_columns > 1:
        raise ValueError(
            "inclusion_probability and judge go with y_true and y_score of one column. Of a table, "
            "pass column by column, and of classes y_true == label and its column of y_score."
        )
    is_known = are_known(values)
    if not is_known.any():
        raise ValueError("y_true has no known label, so there is nothing to score.")
    labels = values[is_known]
    if labels.dtype.kind == "O":
        labels = np.array(labels.tolist())
    distinct = np.unique(labels)
    if distinct.size > 2:
        raise ValueError(
            f"y_true has more than two labels, {distinct[:SHOWN].tolist()}. Write nan or None "
            f"where the label is unknown. Of grades, pass np.where(pd.isna(grade), np.nan, "
            f"grade >= 2) if 2 is the least one that is relevant."
        )
    return labels, is_known


def _refuse_unsuitable(request: Request) -> None:
    """Refuse arguments that assume labels of all rows, or several rankings."""
    has_both = request.queries is not None and request.clusters is not None
    for name, is_passed, remedy in (
        ("n_positives", request.n_positives is not None, "judge says how many positives there are"),
        ("labels", request.labels is not None, "pass y_true == label and its column of y_score"),
        ("clusters", has_both, "with queries, whole queries are labelled"),
    ):
        if is_passed:
            raise ValueError(
                f"{name} does not go with inclusion_probability and judge here: {remedy}."
            )
    check_average(request.average)
    if request.queries is not None and request.average != "macro":
        raise ValueError(
            f"average={request.average!r} does not go with inclusion_probability and judge. Leave "
            f"it out: of queries the mean is taken."
        )


def check_score(y_score: Argument, n_rows: int) -> Array:
    """Check the scores of all rows, whether their labels are known or not."""
    return np.asarray(check_targets(np.zeros(n_rows, bool), y_score, None, is_binary=True).score)


def _check_judge(judge: Argument, labels: Array, pos_label: Argument, n_rows: int) -> Float:
    """Return the probability of a positive of each row, from labels or probabilities."""
    judgement = as_column("judge", judge)
    check_same_length(y_true=range(n_rows), y_score=range(n_rows), judge=judgement)
    is_known = are_known(judgement)
    if not is_known.all():
        raise ValueError(
            f"judge has no answer in {np.count_nonzero(~is_known)} rows, the first of which is "
            f"{int(np.argmin(is_known))}. It must judge all rows, or it cannot stand in for labels."
        )
    are_numbers = judgement.dtype.kind in "biuf"
    if not are_numbers:
        judgement = np.array(judgement.tolist())
        are_numbers = judgement.dtype.kind in "biuf"
    # Labels 0 and 1 stay such if one of them is in no labelled row.
    are_zero_and_one = {*labels.tolist()} | ({pos_label} - {None}) <= {0, 1}
    are_labels = np.isin(judgement, [0, 1] if are_zero_and_one else labels).all()
    if are_numbers and not are_labels and judgement.min() >= 0 and judgement.max() <= 1:
        return judgement.astype(np.float64)
    all_labels = np.concatenate((labels, judgement))
    if not are_labels and np.unique(all_labels).size > 2:
        remedy = f"Of words, pass judge == {str(judgement[0])!r}, if this is the positive one."
        if are_numbers:
            remedy = "Of grades, pass grade >= the least one that is relevant."
        raise ValueError(
            f"judge must hold labels like those of y_true, or probabilities from 0 to 1, got "
            f"{np.unique(judgement)[:SHOWN].tolist()}. {remedy}"
        )
    targets = check_targets(all_labels, np.zeros(all_labels.size), pos_label, is_binary=True)
    return targets.positive[-n_rows:].astype(np.float64)


def _check_probability(
    inclusion_probability: Argument,
    unit: str,
    unit_of_rows: Index,
    is_labelled: Bool,
    is_kept: Bool,
) -> Float:
    """Return the probability of each row; nan if a row without a label has none."""
    if _are_partly_labelled(unit_of_rows, is_labelled):
        raise ValueError(
            f"A {unit} has rows with a label and rows without. A {unit} is labelled as a whole: "
            f"label its other rows, or leave its labels out."
        )
    if inclusion_probability is None or (
        isinstance(inclusion_probability, str) and inclusion_probability == "equal"
    ):
        has_label = np.bincount(unit_of_rows, is_labelled) > 0
        is_kept_unit = np.bincount(unit_of_rows, is_kept) > 0
        return np.full(unit_of_rows.size, np.mean(has_label[is_kept_unit]))
    if isinstance(inclusion_probability, str):
        raise ValueError(
            f'inclusion_probability must be an array, or "equal" for a simple random sample, '
            f"got {inclusion_probability!r}."
        )
    probability = _check_row_probability(inclusion_probability, is_labelled, is_kept)
    if unit == "row":
        return probability
    counts = is_labelled & is_kept
    largest = np.zeros(unit_of_rows.max() + 1)
    np.maximum.at(largest, unit_of_rows[counts], probability[counts])
    if not np.array_equal(largest[unit_of_rows[counts]], probability[counts]):
        raise ValueError(
            f"inclusion_probability differs within a {unit}, which is labelled as a whole, with "
            f"one probability."
        )
    return probability


def _check_row_probability(
    inclusion_probability: Argument, is_labelled: Bool, is_kept: Bool
) -> Float:
    if hasattr(inclusion_probability, "inclusion_probability"):
        raise TypeError(
            "inclusion_probability must hold the probability of each row: of a plan, pass "
            "plan.inclusion_probability, and of a table, that column."
        )
    probability = check_numbers("inclusion_probability", inclusion_probability).astype(np.float64)
    if probability.ndim == 0:
        probability = np.full(is_labelled.size, probability)
    probability = as_column("inclusion_probability", probability)
    if probability.size == np.count_nonzero(is_labelled) < is_labelled.size:
        raise ValueError(
            f"inclusion_probability has {probability.size} values, those of the labelled rows, and "
            f"there are {is_labelled.size} rows. Pass plan.inclusion_probability, or nan for the "
            f"others."
        )
    check_same_length(y_true=is_labelled, y_score=is_labelled, inclusion_probability=probability)
    _check_values(np.where(is_kept, probability, np.nan), is_labelled & is_kept)
    return probability


def _check_values(probability: Float, is_labelled: Bool) -> None:
    if np.isnan(probability[is_labelled]).any():
        raise ValueError("inclusion_probability is missing in a row that has a label.")
    least = np.nanmin(probability)
    most = np.nanmax(probability)
    if least <= 0:
        raise ValueError(
            f"inclusion_probability must be above 0, got {least:g}: nothing is known of rows that "
            f"could not be labelled. Leave them out, if the score need not be for them, or label a "
            f"random sample of them, too."
        )
    if most > 1:
        raise ValueError(f"inclusion_probability must be at most 1, got {most:g}.")
    is_lost = (probability == 1) & ~is_labelled
    if is_lost.any():
        raise ValueError(
            f"inclusion_probability is 1 in row {int(np.argmax(is_lost))}, which has no label. "
            f"Where some labels are missing, pass the share of rows that have one."
        )
