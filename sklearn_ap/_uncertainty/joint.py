"""What comparisons ask of scores that were estimated together, and of the errors that they share.

Equations are those of ``docs/methods.md``. What a sampled unit adds to each score, its influences,
tells how the errors of scores go together; every question about models is one about their
differences.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from sklearn_ap._inputs.arrays import RELATIVE_TOLERANCE
from sklearn_ap._types import Bool, Float, FloatOrArray
from sklearn_ap._uncertainty._variance import above_rounding
from sklearn_ap._uncertainty.estimate import Estimate


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
    def influences(self) -> Float | csr_array:
        """Those of units on each score, times the root of the factor f of equation 3.

        Of shape (n_scores, n_units).
        """

    @property
    def repeats(self) -> FloatOrArray:
        """How many units alike each one stands for, which counts in sums over units."""
        return 1.0

    @property
    @abstractmethod
    def n_units(self) -> Float:
        """The number of units."""

    @property
    def n_effective(self) -> Float:
        """The effective number n of positives by units, or of queries."""
        return self.estimate.n_effective

    @property
    @abstractmethod
    def one_row(self) -> Float:
        """What one row changes a score that one model alone ranks right: 1 / R of equation 21.

        Of means over queries, a query stands for a row.
        """

    @property
    def bias(self) -> Float | None:
        """Of means over rankings, what each adds to the bias: equation 18.

        Of shape (n_rankings, n_scores); None for other scores.
        """
        return None

    @property
    def half_differences(self) -> Float | None:
        """Half samples in the place of influences, for the covariance alone: equation 20.

        Of shape (n_scores, n_pairs).
        """
        return None

    @property
    def hidden_cost(self) -> Float | None:
        """What two false alarms above all rows, or one more failing query, cost: equation 24.

        None where a margin is refused.
        """
        return None

    @property
    def has_fixed_queries(self) -> bool:
        """Whether scores are means over classes, whose units are images."""
        return False

    @property
    def n_rankings(self) -> int:
        """The number of scores of each model."""
        return self.estimate.value.size // self.n_models

    @property
    def tells(self) -> Bool:
        """Whether a score has an error: one unit tells nothing of others."""
        # That of a mean counts each column by itself, and that of its estimate the shared units.
        n = np.minimum(self.n_effective, self.estimate.n_effective)
        return (n > 1 + RELATIVE_TOLERANCE) & (self.one_row <= 1 + RELATIVE_TOLERANCE)

    @cached_property
    def covariance(self) -> Float:
        """The covariance matrix of the errors of scores."""
        if self.half_differences is not None:
            product = self.half_differences @ self.half_differences.T
        else:
            product = self.influences * self.repeats @ self.influences.T
        covariance = np.asarray(product.toarray() if isinstance(product, csr_array) else product)
        # As in variances: an error that is one of rounding has no correlation.
        is_known = above_rounding(np.diag(covariance), self.n_effective) > 0
        return np.where(is_known & is_known[:, None], covariance, 0.0)

    @abstractmethod
    def notes(self, reference: int | None = None) -> dict[str, Float]:
        """Return what else results say of each model, and of its difference from a reference."""
