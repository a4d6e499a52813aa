"""Rows of which some were labelled, with known probabilities, and what a judge says of all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from sklearn_ap._base.common.types import Array, Bool, Float, Index
from sklearn_ap._base.inputs.arrays import as_column, to_numpy
from sklearn_ap._base.inputs.checks import (
    SHOWN,
    check_numbers,
    check_same_length,
    check_same_order,
    check_weights,
    select_rows,
)
from sklearn_ap._base.inputs.name_codes import are_known, check_names, encode_names
from sklearn_ap._base.inputs.rankings import Rankings, check_average
from sklearn_ap._base.inputs.request import Request
from sklearn_ap._base.inputs.targets import check_targets
from sklearn_ap._counts.blocks import begins_block
from sklearn_ap._counts.sorted_items import descending_order
from sklearn_ap._questions.few_labels._top import Top, check_top
from sklearn_ap.definitions import Definition

NO_WEIGHT = "sample_weight is zero in every labelled row, so nothing is left to score."
HOW_CHOSEN = (
    "Single rows of queries have labels, so pass how they were chosen: inclusion_probability="
    "plan.inclusion_probability of rows_to_label, or 'equal' for a simple random sample."
)
NO_LABEL_IN_TOP = (
    "No label is of a row within the first k ranks of a query, so nothing is left to score. Choose "
    "rows by rows_to_label, with queries and definition."
)


class SingleRows(NamedTuple):
    """Rows of queries that were labelled one by one, those that some model has within k ranks."""

    top: Top  # of this model
    query: Index
    n_known: int  # labelled rows and all rows, others included
    n_rows: int


@dataclass(frozen=True, eq=False)
class Labelled:
    """Rows with the scores of one model, of which some were labelled with known probabilities.

    A unit is what was labelled as a whole: a row, a cluster or a query.
    """

    score: Array
    positive: Bool  # of labelled rows
    unit: str  # "row", "cluster" or "query"
    unit_of_rows: Index
    is_labelled: Bool
    probability_of_rows: Float  # that each was to be labelled; nan where that is not said
    judged: Float | None  # how probable it is that a row is positive, as a judge says
    weight: Float | None
    single: SingleRows | None = None  # None if all units are labelled as a whole

    @cached_property
    def probability(self) -> Float:
        """The probability of each labelled row."""
        return self.probability_of_rows[self.is_labelled]

    @cached_property
    def are_probabilities_equal(self) -> bool:
        """Whether the labelled units are said to be a simple random sample."""
        return bool(np.ptp(self.probability) == 0)

    @cached_property
    def is_random(self) -> bool:
        """Whether that is said, and each unit is a row."""
        return self.unit == "row" and self.are_probabilities_equal

    @cached_property
    def judge_is_unsure(self) -> bool:
        """Whether the judge gives probabilities, also between 0 and 1."""
        return self.judged is not None and bool(np.any((self.judged > 0) & (self.judged < 1)))

    @cached_property
    def n_units(self) -> int:
        """How many rows, clusters or queries there are."""
        return encode_names(self.unit_of_rows, "clusters")[1]

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
        """Whether clusters were labelled, and one of them has several rows."""
        return self.unit == "cluster" and self.probability_of_units.size < self.probability.size

    @cached_property
    def weight_of_labelled(self) -> Float | None:
        """The weight of each labelled row, over its probability unless queries are labelled."""
        weight = None if self.weight is None else self.weight[self.is_labelled]
        if self.unit == "query":
            return weight
        return np.asarray((1.0 if weight is None else weight) / self.probability)

    @cached_property
    def order_of_labelled(self) -> tuple[Index, Array, Index, Index]:
        """Labelled rows, highest score first: these scores, and the places of those tied with each.

        The places are that of the first one and that of the last one.
        """
        order, score = descending_order(self.score[self.is_labelled])
        begins = np.flatnonzero(begins_block(score))
        sizes = np.diff(begins, append=score.size)
        return order, score, np.repeat(begins, sizes), np.repeat(begins + sizes - 1, sizes)

    def rankings(self, label: Float) -> tuple[Rankings, Index]:
        """The labelled rows with such labels; and the row of each item.

        A row with a probability is a positive of this weight, and a negative of the rest.
        """
        weight, place = self.weight_of_labelled, np.flatnonzero(self.is_labelled)
        row, positive = np.arange(place.size), label == 1
        if np.any((label > 0) & (label < 1)):
            weight = np.ones(place.size) if weight is None else weight
            weight = np.concatenate((label * weight, (1 - label) * weight))
            is_there, row = weight > 0, np.concatenate((row, row))
            positive, row = (np.arange(row.size) < place.size)[is_there], row[is_there]
            weight, place = weight[is_there], place[row]
        rankings = Rankings(positive, self.score[place], weight)
        if self.unit != "query":
            return rankings, row
        queries, n_queries = encode_names(self.unit_of_rows[place], "queries")
        weights = None if self.are_probabilities_equal else 1 / self.probability_of_units
        rankings = replace(rankings, ranking=queries, n_rankings=n_queries, are_queries=True)
        return replace(rankings, average_weight=weights), row


def check_labelled(
    definition: Definition, requests: Sequence[Request], inclusion_probability: Any, judge: Any
) -> list[Labelled]:
    """The labelled rows of each model; models differ in their scores alone."""
    request = requests[0]
    _refuse_others(request)
    known, is_known = _known_labels(request)
    for each in requests:
        each.check_order()
    check_same_order(
        y_true=request.y_true,
        y_score=request.y_score,
        inclusion_probability=inclusion_probability,
        judge=judge,
    )
    n_rows, pos_label = is_known.size, request.pos_label
    scores = [check_score(each.y_score, n_rows) for each in requests]
    positive = check_targets(known, scores[0][is_known], pos_label, is_binary=True).positive
    unit, units = _units(request, n_rows)
    weight = check_weights(request.sample_weight, n_rows)
    judged = None if judge is None else _check_judge(judge, known, pos_label, n_rows)
    kept, tops = np.ones(n_rows, bool) if weight is None else weight > 0, None
    if unit == "query" and _are_single(units, is_known):
        _refuse_for_single_rows(definition, request)
        if inclusion_probability is None:
            raise ValueError(HOW_CHOSEN)
        tops, unit = [Top.of(definition, score, units) for score in scores], "row"
        kept = np.isin(np.arange(n_rows), np.concatenate([top.row for top in tops]))
        queries, units = units, np.arange(n_rows)
    if not np.any(kept & is_known):
        raise ValueError(NO_LABEL_IN_TOP if tops else NO_WEIGHT)
    probability = _check_probabilities(inclusion_probability, unit, units, is_known, kept)
    positive, of_rows = positive[kept[is_known]], (units, is_known, probability, judged, weight)
    models = [
        Labelled(score[kept], positive, unit, *select_rows(kept, *of_rows)) for score in scores
    ]
    if tops is None:
        return models
    of_all = queries[kept], int(np.count_nonzero(is_known)), n_rows
    pairs = zip(models, tops, strict=True)
    return [replace(each, single=SingleRows(top.among(kept), *of_all)) for each, top in pairs]


def _are_single(queries: Index, is_known: Bool) -> bool:
    """Whether some query has rows with a label and rows without."""
    n_known, n_rows = np.bincount(queries, is_known), np.bincount(queries)
    return bool(np.any((n_known > 0) & (n_known < n_rows)))


def _refuse_for_single_rows(definition: Definition, request: Request) -> None:
    """Refuse what labels of single rows of queries do not tell."""
    problem = (
        "A query has rows with a label and rows without. Label its other rows, or leave its labels "
        "out: single rows are enough"
    )
    check_top(definition, problem, request.prevalence)
    if request.sample_weight is not None:
        raise ValueError(
            "sample_weight does not go with queries of which single rows are labelled: leave it "
            "out, or label whole queries."
        )
    if request.zero_division not in ("warn", 0.0):
        raise ValueError(
            f"zero_division={request.zero_division!r} needs to know which queries have no "
            f"positive. Leave it out, or label whole queries."
        )


def _units(request: Request, n_rows: int) -> tuple[str, Index]:
    """What is labelled as a whole, and the number of that of each row."""
    for unit, argument in (("query", "queries"), ("cluster", "clusters")):
        names = check_names(argument, getattr(request, argument), n_rows)
        if names is not None:
            return unit, encode_names(names, argument)[0]
    return "row", np.arange(n_rows)


def _known_labels(request: Request) -> tuple[Array, Bool]:
    """The labels that are known, and of which rows."""
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
    known = values[is_known]
    known = np.array(known.tolist()) if known.dtype.kind == "O" else known
    if (distinct := np.unique(known)).size > 2:
        raise ValueError(
            f"y_true has more than two labels, {distinct[:SHOWN].tolist()}. Write nan or None "
            f"where the label is unknown. Of grades, pass np.where(pd.isna(grade), np.nan, "
            f"grade >= 2) if 2 is the least one that is relevant."
        )
    return known, is_known


def _refuse_others(request: Request) -> None:
    """Refuse what says of all rows that they have labels, or several rankings."""
    both = request.queries is not None and request.clusters is not None
    for name, given, way in (
        ("n_positives", request.n_positives, "judge says how many positives there are"),
        ("labels", request.labels, "pass y_true == label and its column of y_score"),
        ("clusters", both or None, "with queries, whole queries are labelled"),
    ):
        if given is not None:
            raise ValueError(
                f"{name} does not go with inclusion_probability and judge here: {way}."
            )
    check_average(request.average)
    if request.queries is not None and request.average != "macro":
        raise ValueError(
            f"average={request.average!r} does not go with inclusion_probability and judge. Leave "
            f"it out: of queries the mean is taken."
        )


def check_score(y_score: Any, n_rows: int) -> Array:
    """Scores of all rows, whether their labels are known or not."""
    return np.asarray(check_targets(np.zeros(n_rows, bool), y_score, None, is_binary=True).score)


def _check_judge(judge: Any, known: Array, pos_label: Any, n_rows: int) -> Float:
    """How probable a positive is, from labels like those of ``y_true``, or probabilities."""
    given = as_column("judge", judge)
    check_same_length(y_true=range(n_rows), y_score=range(n_rows), judge=given)
    is_known = are_known(given)
    if not is_known.all():
        raise ValueError(
            f"judge has no answer in {np.count_nonzero(~is_known)} rows, the first of which is "
            f"{int(np.argmin(is_known))}. It must judge all rows, or it cannot stand in for labels."
        )
    given = given if given.dtype.kind in "biuf" else np.array(given.tolist())
    labels = {*known.tolist()} | ({pos_label} - {None})
    of_zero_and_one = labels <= {0, 1}  # also where one of them is in no labelled row
    is_like = np.isin(given, [0, 1] if of_zero_and_one else known).all()
    are_numbers = given.dtype.kind in "biuf"
    if are_numbers and not is_like and given.min() >= 0 and given.max() <= 1:
        return given.astype(np.float64)
    both = np.concatenate((known, given))
    if not is_like and np.unique(both).size > 2:
        remedy = f"Of words, pass judge == {str(given[0])!r}, if this is the positive one."
        if are_numbers:
            remedy = "Of grades, pass grade >= the least one that is relevant."
        raise ValueError(
            f"judge must hold labels like those of y_true, or probabilities from 0 to 1, got "
            f"{np.unique(given)[:SHOWN].tolist()}. {remedy}"
        )
    positive = check_targets(both, np.zeros(both.size), pos_label, is_binary=True).positive
    return positive[-n_rows:].astype(np.float64)


def _check_probabilities(given: Any, unit: str, units: Index, is_known: Bool, kept: Bool) -> Float:
    """The probability of each row; nan where it is not said of a row without a label."""
    n_known, n_rows = np.bincount(units, is_known), np.bincount(units)
    if np.any((n_known > 0) & (n_known < n_rows)):
        raise ValueError(
            f"A {unit} has rows with a label and rows without. A {unit} is labelled as a whole: "
            f"label its other rows, or leave its labels out."
        )
    if given is None or (isinstance(given, str) and given == "equal"):
        return np.full(units.size, np.mean(n_known[np.bincount(units, kept) > 0] > 0))
    if isinstance(given, str):
        raise ValueError(
            f'inclusion_probability must be an array, or "equal" for a simple random sample, '
            f"got {given!r}."
        )
    probability, is_known = _probability_of_rows(given, is_known, kept), is_known & kept
    if unit == "row":
        return probability
    largest = np.zeros(n_rows.size)
    np.maximum.at(largest, units[is_known], probability[is_known])
    if not np.array_equal(largest[units[is_known]], probability[is_known]):
        raise ValueError(
            f"inclusion_probability differs within a {unit}, which is labelled as a whole, with "
            f"one probability."
        )
    return probability


def _probability_of_rows(given: Any, is_known: Bool, kept: Bool) -> Float:
    if hasattr(given, "inclusion_probability"):
        raise TypeError(
            "inclusion_probability must hold the probability of each row: of a plan, pass "
            "plan.inclusion_probability, and of a table, that column."
        )
    probability = check_numbers("inclusion_probability", given).astype(np.float64)
    probability = np.full(is_known.size, probability) if probability.ndim == 0 else probability
    probability = as_column("inclusion_probability", probability)
    if probability.size == np.count_nonzero(is_known) < is_known.size:
        raise ValueError(
            f"inclusion_probability has {probability.size} values, those of the labelled rows, and "
            f"there are {is_known.size} rows. Pass plan.inclusion_probability, or nan for the "
            f"others."
        )
    check_same_length(y_true=is_known, y_score=is_known, inclusion_probability=probability)
    _check_values(np.where(kept, probability, np.nan), is_known & kept)
    return probability


def _check_values(probability: Float, is_known: Bool) -> None:
    if np.isnan(probability[is_known]).any():
        raise ValueError("inclusion_probability is missing in a row that has a label.")
    least, most = np.nanmin(probability), np.nanmax(probability)
    if least <= 0:
        raise ValueError(
            f"inclusion_probability must be above 0, got {least:g}: nothing is known of rows that "
            f"could not be labelled. Leave them out, if the score need not be for them, or label a "
            f"random sample of them, too."
        )
    if most > 1:
        raise ValueError(f"inclusion_probability must be at most 1, got {most:g}.")
    is_lost = (probability == 1) & ~is_known
    if is_lost.any():
        raise ValueError(
            f"inclusion_probability is 1 in row {int(np.argmax(is_lost))}, which has no label. "
            f"Where some labels are missing, pass the share of rows that have one."
        )
