"""Rows of which some were labelled, with known chances, and what a judge says of all of them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._inputs.arrays import as_column, to_numpy
from sklearn_ap._inputs.checks import FEW, check_numbers, same_length, same_order
from sklearn_ap._inputs.name_codes import are_known, check_names, codes_of
from sklearn_ap._inputs.rankings import Rankings, check_average
from sklearn_ap._inputs.request import Request
from sklearn_ap._inputs.targets import check_targets
from sklearn_ap._inputs.weights import check_weights, only

Array = NDArray[Any]
Bool = NDArray[np.bool_]
Float = NDArray[np.float64]
Index = NDArray[np.intp]

UNITS = ("clusters", "queries")  # what can be labelled as a whole


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """Rows with the scores of one model, of which some were labelled with known chances."""

    score: Array
    positive: Bool  # of labelled rows
    is_labelled: Bool
    chance_of_rows: Float  # that each was to be labelled; nan where that is not said
    judged: Float | None  # how probable it is that a row is positive, as a judge says; of all rows
    weight: Float | None  # of all rows
    clusters: Index | None  # of all rows
    queries: Index | None  # of all rows

    @property
    def chance(self) -> Float:
        """The chance of each labelled row."""
        return self.chance_of_rows[self.is_labelled]

    @property
    def unit(self) -> str:
        """What is labelled as a whole."""
        if self.queries is not None:
            return "query"
        return "row" if self.clusters is None else "cluster"

    @property
    def unit_of_rows(self) -> Index:
        """The number of the cluster or query of each row, or of the row itself."""
        units = self.clusters if self.queries is None else self.queries
        return np.arange(self.is_labelled.size) if units is None else units

    @property
    def is_random(self) -> bool:
        """Whether the labelled rows are said to be a simple random sample."""
        return self.unit == "row" and bool(np.ptp(self.chance) == 0)

    @property
    def n_units(self) -> int:
        """How many rows, clusters or queries there are."""
        return codes_of(self.unit_of_rows, "clusters")[1]

    @property
    def unit_of_labelled(self) -> Index:
        """The number of the unit of each labelled row among those that have labels."""
        return _codes(self.unit_of_rows[self.is_labelled])

    @property
    def chance_of_units(self) -> Float:
        """The chance of each labelled row, cluster or query."""
        return self.chance[np.unique(self.unit_of_labelled, return_index=True)[1]]

    @property
    def weight_of_labelled(self) -> Float | None:
        """The weight of each labelled row, over its chance unless queries are labelled."""
        weight = None if self.weight is None else self.weight[self.is_labelled]
        if self.queries is not None:
            return weight
        return np.asarray((1.0 if weight is None else weight) / self.chance)

    def only(self, kept: Bool) -> "Labelled":
        """These rows alone."""
        arrays = ("score", "is_labelled", "chance_of_rows", "judged", "weight", *UNITS)
        found = only(kept, *(getattr(self, name) for name in arrays))
        positive = self.positive[kept[self.is_labelled]]
        return replace(self, positive=positive, **dict(zip(arrays, found, strict=True)))

    def of_truth(self) -> Rankings:
        """The labelled rows."""
        rankings = self._rankings(self.positive, self.is_labelled, self.weight_of_labelled)
        if self.clusters is None:
            return rankings
        return replace(rankings, clusters=self.unit_of_labelled)

    @property
    def has_probabilities(self) -> bool:
        """Whether the judge says more of a row than yes or no."""
        return self.judged is not None and bool(np.any((self.judged > 0) & (self.judged < 1)))

    def of_judge(self, *, labelled_only: bool) -> tuple[Rankings, Index]:
        """What the judge says of all rows, or of the labelled ones; and the row of each item.

        A row with a probability is a positive of this weight, and a negative of the rest.
        """
        kept = self.is_labelled if labelled_only else np.ones(self.is_labelled.size, bool)
        weight = self.weight_of_labelled if labelled_only else self.weight
        judged, place = cast(Float, self.judged)[kept], np.flatnonzero(kept)
        row = np.arange(place.size)
        if not self.has_probabilities:
            return self._rankings(judged == 1, place, weight), row
        weight = np.ones(place.size) if weight is None else weight
        weight = np.concatenate((judged * weight, (1 - judged) * weight))
        is_there, row = weight > 0, np.concatenate((row, row))
        positive, row = (np.arange(row.size) < place.size)[is_there], row[is_there]
        return self._rankings(positive, place[row], weight[is_there]), row

    def _rankings(self, positive: Bool, rows: Any, weight: Float | None) -> Rankings:
        rankings = Rankings(positive, self.score[rows], weight)
        if self.queries is None:
            return rankings
        codes = _codes(self.queries[rows])
        n_queries = int(codes.max(initial=-1)) + 1
        return replace(rankings, ranking=codes, n_rankings=n_queries, are_queries=True)

    def by_unit(self, of_items: Float, row: Index) -> Float:
        """Add up values of the judge's items over labelled rows, or over clusters of them."""
        if self.queries is not None:
            return of_items
        return np.bincount(self.unit_of_labelled[row], of_items).astype(np.float64)


def _codes(names: Array) -> Index:
    return codes_of(names, "clusters")[0]


def check_labelled(
    requests: Sequence[Request], inclusion_probability: Any, judge: Any
) -> list[Labelled]:
    """The labelled rows of each model; models differ in their scores alone."""
    request, options = requests[0], {"inclusion_probability": inclusion_probability, "judge": judge}
    _refuse_others(request)
    known, is_known = _known_labels(request)
    for each in requests:
        each.check_order()
    same_order(y_true=request.y_true, y_score=request.y_score, **options)
    n_rows = is_known.size
    scores = [check_score(each.y_score, n_rows) for each in requests]
    asked = known, scores[0][is_known], request.pos_label
    positive = check_targets(*asked, is_binary=True).positive
    names = {unit: check_names(unit, getattr(request, unit), n_rows) for unit in UNITS}
    of_units = {unit: None if rows is None else _codes(rows) for unit, rows in names.items()}
    weight = check_weights(request.sample_weight, n_rows)
    all_rows = Labelled(
        score=scores[0],
        positive=positive,
        is_labelled=is_known,
        chance_of_rows=np.ones(n_rows),
        judged=None if judge is None else _check_judge(judge, known, request.pos_label, n_rows),
        weight=weight,
        **of_units,
    )
    said = "equal" if inclusion_probability is None else inclusion_probability
    kept = np.ones(n_rows, bool) if weight is None else weight > 0
    found = replace(all_rows, chance_of_rows=_check_chances(said, all_rows, kept))
    if not np.any(kept & is_known):
        raise ValueError(
            "sample_weight is zero in every labelled row, so nothing is left to score."
        )
    return [replace(found, score=score).only(kept) for score in scores]


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
    known = np.array(values[is_known].tolist())
    if (distinct := np.unique(known)).size > 2:
        raise ValueError(
            f"y_true has more than two labels, {distinct[:FEW].tolist()}. Write nan or None where "
            f"the label is unknown. Of grades, pass np.where(pd.isna(grade), np.nan, grade >= 2) "
            f"if 2 is the least one that is relevant."
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
    same_length(y_true=range(n_rows), y_score=range(n_rows), judge=given)
    is_known = are_known(given)
    if not is_known.all():
        raise ValueError(
            f"judge has no answer in {np.count_nonzero(~is_known)} rows, the first of which is "
            f"{int(np.argmin(is_known))}. It must judge all rows, or it cannot stand in for labels."
        )
    given = np.array(given.tolist())
    of_zero_and_one = {*known.tolist()} <= {0, 1}  # also where one of them is in no labelled row
    is_like = np.isin(given, [0, 1] if of_zero_and_one else known).all()
    are_numbers = given.dtype.kind in "biuf"
    if are_numbers and not is_like and given.min() >= 0 and given.max() <= 1:
        return given.astype(np.float64)
    both = np.concatenate((known, given))
    if not is_like and np.unique(both).size > 2:
        raise ValueError(
            f"judge must hold labels like those of y_true, or probabilities from 0 to 1, got "
            f"{np.unique(given)[:FEW].tolist()}. Of grades, pass grade >= the least one that is "
            f"relevant."
        )
    positive = check_targets(both, np.zeros(both.size), pos_label, is_binary=True).positive
    return positive[-n_rows:].astype(np.float64)


def _check_chances(given: Any, rows: Labelled, kept: Bool) -> Float:
    """The chance of each row; nan where it is not said of a row without a label."""
    units, is_known = rows.unit_of_rows, rows.is_labelled
    n_known, n_rows = np.bincount(units, is_known), np.bincount(units)
    if np.any((n_known > 0) & (n_known < n_rows)):
        raise ValueError(
            f"A {rows.unit} has rows with a label and rows without. A {rows.unit} is labelled as a "
            f"whole: label its other rows, or leave its labels out."
        )
    if not isinstance(given, str):
        chance = _chance_of_rows(given, is_known)
    elif given == "equal":
        is_there = np.bincount(units, kept) > 0
        return np.full(units.size, np.mean(n_known[is_there] > 0))
    else:
        raise ValueError(
            f'inclusion_probability must be an array, or "equal" for a simple random sample, '
            f"got {given!r}."
        )
    _check_values(chance, is_known)
    largest = np.zeros(n_rows.size)
    np.maximum.at(largest, units[is_known], chance[is_known])
    if not np.array_equal(largest[units[is_known]], chance[is_known]):
        raise ValueError(
            f"inclusion_probability differs within a {rows.unit}, which is labelled as a whole, "
            f"with one chance."
        )
    return chance


def _chance_of_rows(given: Any, is_known: Bool) -> Float:
    if hasattr(given, "inclusion_probability"):
        raise TypeError(
            "inclusion_probability must hold the chance of each row: of a plan, pass "
            "plan.inclusion_probability, and of a table, that column."
        )
    chance = check_numbers("inclusion_probability", given).astype(np.float64)
    chance = np.full(is_known.size, chance) if chance.ndim == 0 else chance
    chance = as_column("inclusion_probability", chance)
    if chance.size == np.count_nonzero(is_known) < is_known.size:
        raise ValueError(
            f"inclusion_probability has {chance.size} chances, those of the labelled rows, and "
            f"there are {is_known.size} rows. Pass plan.inclusion_probability, or nan for the "
            f"others."
        )
    same_length(y_true=is_known, y_score=is_known, inclusion_probability=chance)
    return chance


def _check_values(chance: Float, is_known: Bool) -> None:
    if np.isnan(chance[is_known]).any():
        raise ValueError("inclusion_probability is missing in a row that has a label.")
    least, most = np.nanmin(chance), np.nanmax(chance)
    if least <= 0:
        raise ValueError(
            f"inclusion_probability must be above 0, got {least:g}: nothing is known of rows that "
            f"could not be labelled. Leave them out, if the score need not be for them, or label a "
            f"random sample of them, too."
        )
    if most > 1:
        raise ValueError(f"inclusion_probability must be at most 1, got {most:g}.")
    is_lost = (chance == 1) & ~is_known
    if is_lost.any():
        raise ValueError(
            f"inclusion_probability is 1 in row {int(np.argmax(is_lost))}, which has no label. "
            f"Where some labels are missing, pass the share of rows that have one."
        )
