"""What a score rests on: how much each row or cluster of rows moves the values of rankings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._places import Places, place
from sklearn_ap._resampling import Replicates, replicate_items
from sklearn_ap._validation import Rankings, Request, check_clusters, check_n_positives
from sklearn_ap._variance import Spread, spread
from sklearn_ap.counts import ThresholdCounts
from sklearn_ap.definitions import Definition, Step
from sklearn_ap.definitions.influence import Influence

__all__ = ["Model", "Units", "cases", "cell_spread", "find_units", "place_models", "with_known"]

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
        sums: list[Float] = [np.bincount(self.codes, row, self.codes.max() + 1) for row in table]
        return np.stack(sums)

    def total(self, values: Float) -> Float:
        """Sum up the values of the units of each ranking."""
        if self.ranking is not None:
            return np.bincount(self.ranking, values, self.n_rankings)
        return values.sum(axis=1)


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
    """The scores of one model: its counts and values, and what each unit moves them by."""

    definition: Definition
    rankings: Rankings
    units: Units
    places: Places
    counts: ThresholdCounts
    replicates: Replicates | None = None

    @cached_property
    def values(self) -> Float:
        """The value of each ranking, nan without positives."""
        return np.minimum(self.definition(self.counts), 1.0)

    @cached_property
    def smooth(self) -> Influence | None:
        """The influence of rows on the value; None where there is none."""
        return self.definition.influence(self.counts)

    @cached_property
    def influence(self) -> Influence:
        """The influence of rows on the value, or on step average precision in its place."""
        found = Step().influence(self.counts) if self.smooth is None else self.smooth
        # Without positives there is nothing to move.
        return replace(found, missed=np.where(self.counts.n_positives > 0, found.missed, 0.0))

    @cached_property
    def moved(self) -> Float:
        """What each unit moves the values by."""
        return self.units.add(self._weighted(self.places.of_items(self.influence)))

    @cached_property
    def positive(self) -> Float:
        """The weight of the positives of each unit."""
        return self.units.add(self._weighted(self.rankings.positive.astype(np.float64)))

    @cached_property
    def _positives(self) -> tuple[Float, Float]:
        """Sum of the weights of positives, and of their squares."""
        positive = self.positive
        return self.units.total(positive), self.units.total(positive * positive)

    @cached_property
    def missed(self) -> tuple[Float, Float]:
        """How many positives were never scored, in units like those found, and their weight."""
        found, squares = self._positives
        weight = np.divide(squares, found, out=np.ones_like(found), where=found > 0)
        return np.maximum(self.counts.n_positives - found, 0) / weight, weight

    @cached_property
    def positives(self) -> Float:
        """The effective number of positives of each ranking."""
        found, squares = self._positives
        number = np.divide(found * found, squares, out=np.zeros_like(found), where=squares > 0)
        return number + self.missed[0]

    @cached_property
    def cases(self) -> Float:
        """How many cases each value rests on."""
        return cases(self.definition, replace(self.counts, n_positives=self.positives))

    def spread(self, reference: Model | None, shares: Float | None, moving: Float | None) -> Spread:
        """How much the values vary, or their differences from those of another model.

        ``shares`` are the weights of the rankings in an average, None without one; ``moving`` what
        a positive moves the average by through them.
        """
        moved, lost = self.moved, self.influence.missed
        if reference is not None:
            moved, lost = moved - reference.moved, lost - reference.influence.missed
        n_missed, weight = self.missed
        squares, lost = moved * moved, lost * weight
        missed, number = n_missed * lost * lost, self.units.total(np.ones_like(moved))
        found = spread(
            self.units.total(squares) + missed,
            self.units.total(squares * squares) + missed * lost * lost,
            self.cases,
            number + n_missed,
        )
        if self.replicates is not None:
            other = None if reference is None else reference.replicates
            return self.replicates.spread(other, found, shares, weighted=moving is not None)
        if shares is None:
            return found
        if shares.size == 1:
            return found._replace(joint=float(found.variance[0]))
        return found._replace(joint=self._joint(moved, lost, shares, moving))

    def _joint(self, moved: Float, lost: Float, shares: Float, moving: Float | None) -> float:
        """The variance of the average over rankings, whose rows are the same."""
        factor = np.sqrt(self.cases / np.maximum(self.cases - 1, 1))
        together, alone = (factor * shares) @ moved, shares * lost
        if moving is not None:
            together = together + (factor * moving) @ self.positive
            alone = alone + moving * self.missed[1]
        return float(together @ together + self.missed[0] @ (factor * alone) ** 2)

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
    for each in rankings:
        places = place(each)
        counts = with_known(places.counts, request, each)
        made.append(Model(definition, each, units, places, counts))
    if made[0].smooth is None:
        placed = [(model.rankings, model.places) for model in made]
        items = units.of_items(rankings[0].score.size)
        drawn = replicate_items(definition, placed, items, made[0].missed, resamples)
        for model, replicates in zip(made, drawn, strict=True):
            model.replicates = replicates
    return made


def with_known(counts: ThresholdCounts, request: Request, rankings: Rankings) -> ThresholdCounts:
    """Counts with the number of positives that the user knows."""
    if request.n_positives is None:
        return counts
    several = rankings.several
    known = check_n_positives(request.n_positives, counts.n_positives, several=several)
    return replace(counts, n_positives=known)


def cases(definition: Definition, counts: ThresholdCounts) -> Float:
    """How many cases the value of each ranking rests on."""
    return np.asarray(definition.cases(counts), dtype=np.float64)


def cell_spread(definition: Definition, counts: ThresholdCounts) -> Spread | None:
    """How much the values of unweighted counts vary; None where there is no influence."""
    influence = definition.influence(counts)
    if influence is None:
        return None
    n_missed = counts.n_positives - counts.sum(counts.gained)
    squares, fourths = _powers(influence.positive, counts.gained)
    if influence.tied is influence.between:
        parts = [(influence.tied, counts.fps - counts.above(counts.fps))]
    else:
        between = counts.fps_above - counts.above(counts.fps)
        parts = [(influence.tied, counts.fps - counts.fps_above), (influence.between, between)]
    for values, number in parts:
        of_square, of_fourth = _powers(values, number)
        squares += of_square
        fourths += of_fourth
    lost, of_fourth = _powers(np.where(n_missed > 0, influence.missed, 0.0), n_missed)
    return spread(
        counts.sum(squares) + lost,
        counts.sum(fourths) + of_fourth,
        cases(definition, counts),
        counts.n_positives + counts.n_negatives,
    )


def _powers(values: Float, number: Any) -> tuple[Float, Float]:
    """The squares of so many values, and the fourth powers."""
    squares = values * values
    fourths = squares * squares  # ** 4 takes many times as long
    squares *= number
    fourths *= number
    return squares, fourths
