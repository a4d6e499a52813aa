"""The room that limits of differences leave for units that a sample lacks.

Equations are those of ``docs/methods.md``: 21, 22 and 24.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
from scipy.interpolate import PchipInterpolator
from scipy.special import ndtr

from sklearn_ap._arithmetic import FLOAT_SPACING
from sklearn_ap._types import Float, FloatOrArray, Index
from sklearn_ap._uncertainty.hidden_rows import Distances, Hidden, HiddenOfEach, hidden_number


class HiddenShares(NamedTuple):
    """Shares of lambda, which is 3.0 at 95%."""

    cost: FloatOrArray  # of units that cost the better model
    gain: FloatOrArray  # of those that raise the other one


# So many hidden rows add to the errors that a sample shows, and so many alone are limits, too. Of
# more costs, fewer differences of strong models are found, and of more gains, of weak ones.
BESIDE_ERRORS = HiddenShares(cost=0.75 / 3, gain=0.6 / 3)
BY_THEMSELVES = HiddenShares(cost=2 / 3, gain=1 / 3)
# Of shape (both of these, lower and upper limits, differences)
BOTH = HiddenShares(
    cost=np.array([[[BESIDE_ERRORS.cost]], [[BY_THEMSELVES.cost]]]),
    gain=np.array([[[BESIDE_ERRORS.gain]], [[BY_THEMSELVES.gain]]]),
)
QUERIES_BY_THEMSELVES = HiddenShares(cost=1.25 / 3, gain=1 / 3)
# With fewer rows, models that are worse by the margin were called "not worse" in 10 of 100 samples.
SHARE_OF_MARGINS = 0.75
ERROR_OF_HIGHEST_LEVEL = FLOAT_SPACING / 2  # one minus the highest level
BEYOND_ALL_LEVELS = 9.0  # a normal quantile
MOST_HIDDEN = 2.0**60
FIRST_NUMBERS = 0.0, 0.25, 0.5  # of hidden units; others are 1 and what doubles from there


@dataclass(frozen=True, eq=False)
class Room(ABC):
    """How far limits of differences are from them, by what a sample shows and what it lacks.

    ``quantile`` is normal, ``t`` that of Student's t which is as rare.
    """

    changes: ChangesByUnits
    n_effective: Float  # of each score
    model: Index  # the score of each difference
    reference: Index
    n_times: FloatOrArray = 1.0  # how many times the sample is as large as the one of the changes

    def distances(self, quantile: FloatOrArray, t: Float, error: Float, bias: Float) -> Distances:
        """Return the distances of both limits."""
        better = np.stack((self.model, self.reference))
        return Distances(*np.hypot(bias, self._distances(quantile, t, error, better)))

    @abstractmethod
    def margin_distance(self, quantile: FloatOrArray, t: Float, error: Float, bias: Float) -> Float:
        """Return the distance of the lower limit by which a model is not worse by a margin."""

    @abstractmethod
    def _distances(self, quantile: FloatOrArray, t: Float, error: Float, better: Index) -> Float:
        """Return those of limits which are against the better model, without the bias.

        All have shape (2, n_differences), for the lower and the upper limits.
        """

    def enlarged(self, n_times: FloatOrArray) -> Self:
        """Return the room of a sample so many times as large; a hidden unit then counts less."""
        larger = replace(self, n_times=self.n_times * n_times)
        return replace(larger, changes=self.changes.reaching(larger.most))

    @property
    def most(self) -> float:
        """The most units that are hidden at any level."""
        numbers = (self._number(BEYOND_ALL_LEVELS, each) for each in (self.model, self.reference))
        return SHARE_OF_MARGINS * float(np.max([*numbers], initial=0.0))

    def _change(self, quantile: FloatOrArray, better: Index, share: HiddenShares) -> Float:
        """Return what hidden units change against the better model."""
        number, other = self._number(quantile, better), better[::-1]
        cost = self.changes.down(better, share.cost * number)
        return np.maximum(cost, self.changes.up(other, share.gain * number[::-1]))

    def _number(self, quantile: FloatOrArray, score: Index) -> Float:
        """Return lambda of equation 5 of each score."""
        error = np.maximum(2 * ndtr(-np.abs(quantile)), ERROR_OF_HIGHEST_LEVEL)
        return hidden_number(self.n_effective[score] * self.n_times, 1 - error) / self.n_times


class RoomForRows(Room):
    """Room for rows: equation 21."""

    def margin_distance(self, quantile: FloatOrArray, t: Float, error: Float, bias: Float) -> Float:
        number = SHARE_OF_MARGINS * self._number(quantile, self.model)
        cost = self.changes.down(self.model, number)
        return np.asarray(np.hypot(np.hypot(t * error, bias), cost))

    def _distances(self, quantile: FloatOrArray, t: Float, error: Float, better: Index) -> Float:
        beside, alone = self._change(quantile, better, BOTH)
        return np.maximum(np.hypot(t * error, beside), alone)


class RoomForQueries(Room):
    """Room for one more query, which differs from the others by what is tested: equation 22."""

    def margin_distance(self, quantile: FloatOrArray, t: Float, error: Float, bias: Float) -> Float:
        one = self.changes.down(self.model, 1 / (self.n_times + np.zeros(self.model.size)))
        return np.hypot(self.distances(quantile, t, error, bias).down, one)

    def _distances(self, quantile: FloatOrArray, t: Float, error: Float, better: Index) -> Float:
        n = np.min(self.n_effective[better], axis=0) * self.n_times
        left = 1 - t**2 / np.maximum(n * (n - 1), FLOAT_SPACING)
        shown = np.where(left > 0, t * error / np.sqrt(np.where(left > 0, left, 1.0)), np.inf)
        return np.maximum(shown, self._change(quantile, better, QUERIES_BY_THEMSELVES))


def join_rooms(rooms: Sequence[Room]) -> Room:
    """Join the rooms of differences of several parts of the data, which are of one class."""
    first = rooms[0]
    sizes = tuple(room.n_effective.size for room in rooms)
    starts = np.cumsum((0, *sizes[:-1]))
    hidden = HiddenOfEach([room.changes.hidden for room in rooms], sizes)
    return replace(
        first,
        changes=ChangesByUnits(hidden, sum(sizes), most=0.0),
        n_effective=np.concatenate([room.n_effective for room in rooms]),
        model=np.concatenate([r.model + start for r, start in zip(rooms, starts, strict=True)]),
        reference=np.concatenate(
            [room.reference + start for room, start in zip(rooms, starts, strict=True)]
        ),
    ).enlarged(1.0)


@dataclass(frozen=True, eq=False)
class ChangesByUnits:
    """The changes of each score by hidden units: cubic curves between numbers that were tried."""

    hidden: Hidden
    n_scores: int
    most: float  # that is asked for

    @cached_property
    def numbers(self) -> Float:
        """The numbers of units that are tried."""
        n_doubled = int(np.ceil(np.log2(np.clip(self.most, 1.0, MOST_HIDDEN)))) + 1
        return np.append(FIRST_NUMBERS, np.exp2(np.arange(n_doubled)))

    @cached_property
    def _pieces(self) -> Distances:
        """The coefficients of the curves, of shape (4, n_numbers - 1, n_scores)."""
        table = np.repeat(self.numbers[1:, None], self.n_scores, axis=1)
        curves = (
            PchipInterpolator(self.numbers, np.insert(np.nan_to_num(side), 0, 0.0, axis=0)).c
            for side in self.hidden.changes_of_each(table)
        )
        return Distances(*curves)

    def reaching(self, most: float) -> ChangesByUnits:
        """Return changes by up to so many units."""
        return self if most <= self.numbers[-1] else replace(self, most=most)

    def down(self, score: Index, number: Float) -> Float:
        """Return how far so many units lower each of these scores."""
        return self._read(self._pieces.down, score, number)

    def up(self, score: Index, number: Float) -> Float:
        """Return how far so many units raise each of these scores."""
        return self._read(self._pieces.up, score, number)

    def _read(self, pieces: Float, score: Index, number: Float) -> Float:
        number = np.minimum(number, self.numbers[-1])
        start = np.maximum(self.numbers.searchsorted(number) - 1, 0)
        cubed, squared, linear, first = pieces[:, start, score]
        above = number - self.numbers[start]
        return np.asarray(((cubed * above + squared) * above + linear) * above + first)
