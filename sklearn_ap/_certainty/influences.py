"""How much each row, or cluster of rows, moves the values of rankings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._certainty.formulas import Spread, spread
from sklearn_ap._certainty.places import Places, place
from sklearn_ap._certainty.resampling import Replicates, replicate_items
from sklearn_ap._scoring import values_of, with_known
from sklearn_ap._threads import map_threads, n_threads
from sklearn_ap._validation import (
    RELATIVE_TOLERANCE,
    Rankings,
    Request,
    check_clusters,
)
from sklearn_ap.counts import ThresholdCounts
from sklearn_ap.definitions import Definition, Step
from sklearn_ap.definitions.influence import Influence

__all__ = ["Model", "Units", "cases", "cell_spread", "find_units", "place_models"]

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """What is drawn at random as one: rows, or clusters of rows.

    ``codes`` is the unit of each item of a ranking, None where each item is one; ``ranking`` that
    of each item, None where all rankings hold the same rows.
    """

    n_rankings: int
    codes: NDArray[np.intp] | None = None
    ranking: NDArray[np.intp] | None = None

    @property
    def number(self) -> int | None:
        """How many clusters there are; None where each item of a ranking is a unit."""
        return None if self.codes is None else int(self.codes.max()) + 1

    def of_items(self, n_items: int) -> tuple[NDArray[np.intp], int]:
        """The unit of each item of all rankings, and how many there are."""
        if self.ranking is not None:
            return np.arange(n_items), n_items
        codes = np.arange(n_items // self.n_rankings) if self.codes is None else self.codes
        return np.tile(codes, self.n_rankings), self.number or codes.size

    def add(self, values: Float) -> Float:
        """Sum up the values of the items of each unit: (n_rankings, n_units), or all in a row."""
        if self.ranking is not None:
            return values
        table = values.reshape(self.n_rankings, -1)
        if self.codes is None:
            return table
        n_units = int(self.codes.max()) + 1
        sums = np.empty((self.n_rankings, n_units))
        for out, row in zip(sums, table, strict=True):
            out[:] = np.bincount(self.codes, row, n_units)
        return sums

    def total(self, values: Float) -> Float:
        """Sum up the values of the units of each ranking."""
        if self.ranking is not None:
            return np.bincount(self.ranking, values, self.n_rankings).astype(np.float64)
        return np.add.reduce(values, axis=1)

    def number_each(self, values: Float) -> Any:
        """How many units each ranking has, where they have such values."""
        if self.ranking is not None:
            return np.bincount(self.ranking, minlength=self.n_rankings)
        return values.shape[1]


def find_units(request: Request, rankings: Rankings, clusters: Any) -> Units:
    """The units of a request; the cells of a row are one for "micro"."""
    shape, samples = np.shape(request.y_score), request.average == "samples"
    n_columns = shape[1] if len(shape) == 2 else 1
    n_rows, codes = rankings.score.size // n_columns, None
    if clusters is not None:
        codes = check_clusters(clusters, request.sample_weight, n_rows)
    if n_columns > 1 and request.average == "micro":
        codes = np.repeat(np.arange(n_rows) if codes is None else codes, n_columns)
    return Units(1 if samples else rankings.n_rankings, codes, rankings.ranking)


@dataclass(eq=False)
class Model:
    """The scores of one model: its counts and values, and what each unit moves them by.

    ``values`` are those of the rankings, nan without positives; ``smooth`` is whether they have an
    influence, and ``influence`` theirs, or that on step average precision in its place. ``missed``
    says how many positives were never scored, in units like those found, and the weight of one;
    ``positives`` the effective number of all, and ``cases`` how many cases each value rests on.
    """

    definition: Definition
    rankings: Rankings
    units: Units
    places: Places
    counts: ThresholdCounts
    replicates: Replicates | None = None

    def __post_init__(self) -> None:
        counts = self.counts
        self.values = values_of(self.definition, counts)
        influence = self.definition.influence(counts)
        self.smooth = influence is not None
        self.influence = Step().influence(counts) if influence is None else influence
        empty = counts.n_positives == 0
        if np.count_nonzero(empty):  # there is nothing to move
            missed = np.where(empty, 0.0, self.influence.missed)
            self.influence = replace(self.influence, missed=missed)
        number, found, weight = self._effective()
        self.missed = self._never_scored(found) / weight, weight
        self.positives = number + self.missed[0]
        if not self._plain:
            counts = replace(counts, n_positives=self.positives)
        self.cases = cases(self.definition, counts)

    @cached_property
    def moved(self) -> Float:
        """What each unit moves the values by."""
        return self.units.add(self._weighted(self.places.of_items(self.influence)))

    @cached_property
    def positive(self) -> Float:
        """The weight of the positives of each unit."""
        return self.units.add(self._weighted(self.rankings.positive.astype(np.float64)))

    @property
    def _plain(self) -> bool:
        """Whether each row is a unit of weight 1."""
        return self.rankings.weight is None and self.units.codes is None

    def _effective(self) -> tuple[Float, Float, Float]:
        """The effective number of scored positives, their weight, and the weight of one."""
        if self._plain:
            number = self.places.counts.n_positives.astype(np.float64)
            return number, number, np.ones(number.size)
        largest = self.positive.max(initial=0) or 1.0
        shares = self.positive / largest  # as squares of huge weights are infinite
        total, squares = self.units.total(shares), self.units.total(shares * shares)
        some = squares > 0
        number = np.divide(total * total, squares, out=np.zeros_like(total), where=some)
        weight = np.divide(squares, total, out=np.ones_like(total), where=some)
        return number, total * largest, np.where(some, weight * largest, 1.0)

    def _never_scored(self, found: Float) -> Float:
        """The weight of positives beside those found."""
        if self.counts is self.places.counts:  # the user knows of no more
            return np.zeros(found.size)
        more = self.counts.n_positives - found
        # What rounding leaves between two sums of the same weights is no positive.
        return np.where(more > RELATIVE_TOLERANCE * found, more, 0.0)

    def spread(self, reference: Model | None, shares: Float | None, moving: Float | None) -> Spread:
        """How much the values vary, or their differences from those of another model.

        ``shares`` are the weights of the rankings in an average, None without one; ``moving`` what
        a positive moves the average by through them.
        """
        alone = shares is None or shares.size == 1
        moved, lost = self.moved, self.influence.missed
        if reference is not None:
            moved, lost = moved - reference.moved, lost - reference.influence.missed
        n_missed, weight = self.missed
        joint = None if alone else self._joint(moved, lost, shares, moving)
        # In place where the array is new, as fresh memory costs more than the arithmetic.
        squares = np.multiply(moved, moved, out=None if reference is None else moved)
        lost = lost * weight
        missed = n_missed * lost * lost
        of_squares = self.units.total(squares)
        squares *= squares  # ** 4 takes many times as long
        found = spread(
            of_squares + missed,
            self.units.total(squares) + missed * lost * lost,
            self.cases,
            self.units.number_each(moved) + n_missed,
            one=shares is not None and alone,
        )
        if self.replicates is not None:
            other = None if reference is None else reference.replicates
            return self.replicates.spread(other, found, shares, weighted=moving is not None)
        return found._replace(joint=joint)

    def _joint(self, moved: Float, lost: Float, shares: Any, moving: Float | None) -> float:
        """The variance of the average over rankings, whose rows are the same."""
        factor = np.sqrt(self.cases / np.maximum(self.cases - 1, 1))
        together, alone = np.einsum("r,ru->u", factor * shares, moved), shares * lost
        if moving is not None:
            together += np.einsum("r,ru->u", factor * moving, self.positive)
            alone = alone + moving * self.missed[1]
        missed = self.missed[0] @ (factor * alone) ** 2
        return float(np.einsum("u,u->", together, together) + missed)

    def _weighted(self, values: Float) -> Float:
        return values if self.rankings.weight is None else values * self.rankings.weight


def place_models(
    definition: Definition,
    request: Request,
    rankings: list[Rankings],
    units: Units,
    resamples: tuple[int, Any],
) -> list[Model]:
    """Place the items of each model among its counts, and resample them where needed."""
    made = []
    for each, places in zip(
        rankings, map_threads(place, rankings, n_threads(rankings[0].score.size)), strict=True
    ):
        counts = with_known(places.counts, request, each)
        made.append(Model(definition, each, units, places, counts))
    if not made[0].smooth:
        placed = [(model.rankings, model.places) for model in made]
        items = units.of_items(rankings[0].score.size)
        drawn = replicate_items(definition, placed, items, made[0].missed, resamples)
        for model, replicates in zip(made, drawn, strict=True):
            model.replicates = replicates
    return made


def cases(definition: Definition, counts: ThresholdCounts) -> Float:
    """How many cases the value of each ranking rests on."""
    return np.asarray(definition.cases(counts), dtype=np.float64)


def cell_spread(
    definition: Definition, counts: ThresholdCounts, influence: Influence, *, one: bool
) -> Spread:
    """How much the values of unweighted counts vary, by where rows stand."""
    squares, fourths = _powers(counts, influence.positive, counts.gained)
    upto = counts.above(counts.fps)  # the threshold above
    if influence.tied is influence.between:
        parts = [_powers(counts, influence.tied, counts.fps - upto)]
    else:
        parts = [
            _powers(counts, influence.tied, counts.fps - counts.fps_above),
            _powers(counts, influence.between, counts.fps_above - upto),
        ]
    n_missed = counts.n_positives - counts.sum(counts.gained)
    if np.count_nonzero(n_missed):
        lost = np.where(n_missed > 0, influence.missed * influence.missed, 0.0)
        parts.append((n_missed * lost, n_missed * lost * lost))
    for more in parts:
        squares += more[0]
        fourths += more[1]
    n_rows = counts.n_positives + counts.n_negatives
    return spread(squares, fourths, cases(definition, counts), n_rows, one=one)


def _powers(counts: ThresholdCounts, values: Float, number: Any) -> tuple[Float, Float]:
    """The sums over each ranking of the squares of so many values, and of the fourth powers."""
    squares = values * values
    summed = squares * number
    of_squares = counts.sum(summed)
    summed *= squares  # ** 4 takes many times as long
    return of_squares, counts.sum(summed)
