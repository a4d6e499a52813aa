"""What comparisons ask of scores that were estimated together, and of the errors that they share.

Equations are those of ``docs/methods.md``: the sums of 17, and 20. What a sampled unit adds to each
score, its influences, tells how the errors of scores go together; every question about models is
one about their differences.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from sklearn_ap._arithmetic import RELATIVE_TOLERANCE
from sklearn_ap._types import Bool, Float, FloatOrArray, Index
from sklearn_ap._uncertainty._rooms import ChangesByUnits, Room, RoomForQueries, RoomForRows
from sklearn_ap._uncertainty.estimate import Estimate, above_rounding

NUMBERS_AT_ONCE = 4_000_000  # in memory


@dataclass(frozen=True, eq=False)
class UnitInfluences:
    """The influences of units on each score, times the root of the factor f of equation 3.

    ``values`` have shape (n_scores, n_columns). A column is a unit, or stands for several that are
    alike.
    """

    values: Float | csr_array
    n_units: Float  # of each score
    repeats: FloatOrArray = 1.0  # how many units each column stands for

    def products(self) -> Float:
        """Return the sums of products of influences on two scores: (n_scores, n_scores)."""
        products = self.values * self.repeats @ self.values.T
        return products.toarray() if isinstance(products, csr_array) else products

    def difference_sums(self, score: Index, reference: Index) -> tuple[Float, Float]:
        """Return the sums of squares, and of fourth powers, of influences on differences."""
        # Influences [0.3, -0.1] and [0.1, 0.1] -> 2 * 0.2^2 = 0.08, and 2 * 0.2^4 = 0.0032
        values = self.values
        repeats = np.broadcast_to(self.repeats, values.shape[1])
        n_numbers = values.nnz if isinstance(values, csr_array) else values.size
        n_together = max(1, NUMBERS_AT_ONCE * values.shape[0] // max(n_numbers, 1))
        sums = []
        for start in range(0, score.size, n_together):
            part = slice(start, start + n_together)
            changes = values[score[part]] - values[reference[part]]
            squares = changes.power(2) if isinstance(changes, csr_array) else changes**2
            sums.append((squares @ repeats, squares**2 @ repeats))
        squares, fourth_powers = zip(*sums, strict=True)
        return np.concatenate(squares), np.concatenate(fourth_powers)


class Joint(ABC):
    """The scores of several models, with the errors that they share.

    A score is one of a model, or of a model and a ranking for ``average=None``: all rankings of the
    first model come first. Arrays have an entry for each score.
    """

    difference_factor: float = 1.0  # of the variances of differences

    @property
    @abstractmethod
    def n_models(self) -> int:
        """The number of models."""

    @property
    @abstractmethod
    def estimate(self) -> Estimate:
        """That of all scores, with the counts of the first model, whose labels all models share."""

    @property
    @abstractmethod
    def influences(self) -> UnitInfluences:
        """Those of units on each score."""

    @property
    def n_effective_of_differences(self) -> Float:
        """The n of equation 17; of a mean, whose columns share units, each counts by itself."""
        return self.estimate.n_effective

    @property
    @abstractmethod
    def row_change(self) -> Float:
        """What one row changes a score that one model alone ranks right: 1 / R of equation 19.

        Of means over queries, a query stands for a row.
        """

    @property
    def bias_parts(self) -> Float | None:
        """Of means over rankings, what each adds to the bias: equation 18.

        Of shape (n_scores, n_rankings); None for other scores.
        """
        return None

    @property
    def half_influences(self) -> Float | None:
        """Half samples in the place of influences, for the covariance alone: equation 20.

        Of shape (n_scores, n_pairs).
        """
        return None

    @property
    def is_of_queries(self) -> bool:
        """Whether scores are means over queries."""
        return False

    @property
    def can_have_margin(self) -> bool:
        """Whether limits of margins were tried."""
        return False

    def room(self, model: Index, reference: Index) -> Room:
        """Return what limits of the differences of these scores leave room for."""
        estimate = self.estimate
        n = np.where(estimate.has_several_units, estimate.n_effective, 2.0)
        room_class = RoomForQueries if self.is_of_queries else RoomForRows
        changes = ChangesByUnits(estimate.hidden, n.size, most=0.0)
        return room_class(changes, n, model, reference).enlarged(1.0)

    @property
    def n_rankings(self) -> int:
        """The number of scores of each model."""
        return self.estimate.value.size // self.n_models

    @property
    def has_several_units(self) -> Bool:
        """Whether a score has an error, as one unit tells nothing of others."""
        n = np.minimum(self.n_effective_of_differences, self.estimate.n_effective)
        return (n > 1 + RELATIVE_TOLERANCE) & (self.row_change <= 1 + RELATIVE_TOLERANCE)

    @cached_property
    def covariance(self) -> Float:
        """The covariance matrix of the errors of scores."""
        if self.half_influences is not None:
            covariance = self.half_influences @ self.half_influences.T
        else:
            covariance = self.influences.products()
        # As in variances: an error that is one of rounding has no correlation.
        is_known = above_rounding(np.diag(covariance), self.n_effective_of_differences) > 0
        return np.where(is_known & is_known[:, None], covariance, 0.0)
