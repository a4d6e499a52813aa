"""Rankings whose rows, or clusters of rows, are what varies from sample to sample."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._certainty.estimates import (
    Average,
    Difference,
    Estimate,
    Options,
    judge,
    remarks,
)
from sklearn_ap._certainty.formulas import Spread
from sklearn_ap._certainty.influences import Model, cell_spread
from sklearn_ap._certainty.resampling import replicate_counts
from sklearn_ap._scoring import values_of
from sklearn_ap.counts import ThresholdCounts
from sklearn_ap.definitions import Definition, Step

__all__ = ["Counted", "Rows"]

Float = NDArray[np.float64]


@dataclass(eq=False)
class Counted:
    """Unweighted counts of rankings, each judged on its own.

    ``average`` is None for several rankings.
    """

    definition: Definition
    counts: ThresholdCounts
    average: str | None
    options: Options
    method = "influence"

    def __post_init__(self) -> None:
        self.raw = values_of(self.definition, self.counts)
        self.positives = np.asarray(self.counts.n_positives, dtype=np.float64)

    def fill(self, values: Float) -> None:
        """Take the values, without positives too, as the scores do."""
        self.mean = Average.of(values, self.raw, self.positives, self.average)
        smooth = self.definition.influence(self.counts)
        influence = Step().influence(self.counts) if smooth is None else smooth
        one = self.average is not None
        self.found = cell_spread(self.definition, self.counts, influence, one=one)
        if smooth is None:
            self.found, self.method = self._replicated(), "resampling"

    def estimate(self, options: Options) -> Estimate:
        """The values with their limits."""
        return self.mean.estimate(self.found, options)

    def remarks(self) -> list[str]:
        """What the values rest on, where that is little."""
        return remarks(self.positives, self.mean, self.found, None)

    def _replicated(self) -> Spread:
        """The spread of replicates, with the degrees of freedom that were found for step."""
        options = self.options
        drawn = replicate_counts(self.definition, self.counts, options.n_resamples, options.rng)
        return drawn.spread(None, self.found, self.mean.shares, weighted=False)


@dataclass(eq=False)
class Rows:
    """The rows of one model, and how its rankings are averaged."""

    model: Model
    average: str | None

    @property
    def raw(self) -> Float:
        """The value of each ranking, nan without positives."""
        return self.model.values

    @property
    def method(self) -> str:
        """Where the variance comes from."""
        return "influence" if self.model.smooth else "resampling"

    @property
    def positives(self) -> Float:
        """The effective number of positives of each ranking."""
        return self.model.positives

    def fill(self, values: Float) -> None:
        """Average the values, without positives too, as the scores do."""
        self.mean = Average.of(values, self.raw, self.model.counts.n_positives, self.average)
        self.found = self.model.spread(None, self.mean.shares, self.mean.moving)

    def estimate(self, options: Options) -> Estimate:
        """The value with its limits."""
        said = self.mean.estimate(self.found, options)
        if self._alone:
            zero = 0.0 * np.asarray(said.low)
            said = Estimate(said.estimate, zero + np.nan, zero, zero + 1)
        return said

    def difference(self, other: Rows, options: Options) -> Difference:
        """The difference from another model on the same rows."""
        difference = self.mean.difference(other.mean, self._apart(other), options)
        if self._alone:
            zero = 0.0 * np.asarray(difference.difference)
            return judge(difference.difference, zero + np.nan, zero + np.inf, zero + 1, options)
        return difference

    def remarks(self) -> list[str]:
        """What the value rests on, where that is little."""
        return remarks(self.positives, self.mean, self.found, self.model.units.number)

    @property
    def _alone(self) -> bool:
        """Whether there is but one cluster."""
        return self.model.units.number == 1

    def _apart(self, other: Rows) -> Spread:
        """How much the differences from another model vary."""
        mine, others = self.mean.moving, other.mean.moving
        moving = None if mine is None or others is None else mine - others
        return self.model.spread(other.model, self.mean.shares, moving)
