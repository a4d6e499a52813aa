"""Variances of estimates from few labels.

Equation B15 gives the variance, a sum over labelled units:

    (1 - q) (phi - c psi)^2 + q phi^2

The second part is the variance if all rows had labels. Equations are those of ``docs/methods.md``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple, TypeVar, cast

import numpy as np

from sklearn_ap._inputs.arrays import TINY
from sklearn_ap._types import Float
from sklearn_ap._uncertainty.former.shrinkage import (
    ROUNDING,
    DifferenceSample,
    QuerySample,
    RowSample,
    ScoreSample,
    Spread,
    Uncertainty,
    drop_rounding,
    small_sample_factor,
    sums_of_squares,
    variance_of_share,
)
from sklearn_ap._uncertainty.former.tuned_constants import PRIOR_DEGREES

Sample = TypeVar("Sample", bound=QuerySample | RowSample)


class UnitInfluences(NamedTuple):
    """The influence of each labelled unit on an estimate, or on a difference of estimates."""

    label_influence: Float  # phi, on the score by labels
    residual_influence: Float  # phi - c psi, on the difference from the score by the judge
    probability: Float  # q

    def minus(self, other: UnitInfluences) -> UnitInfluences:
        """Return the influences on the difference of two estimates."""
        return UnitInfluences(
            label_influence=self.label_influence - other.label_influence,
            residual_influence=self.residual_influence - other.residual_influence,
            probability=self.probability,
        )

    def squares(self) -> Float:
        """Compute the variance that each unit adds: the terms of the sum in Equation B15."""
        choice_variance = (1 - self.probability) * self.residual_influence**2
        return choice_variance + self.probability * self.label_influence**2

    def n_equivalent(self) -> float:
        """Compute the number of labels, drawn at random without a judge, of the same variance."""
        variance = self.squares().sum()
        random_variance = np.sum(self.probability * self.label_influence * self.label_influence)
        # "not >", as the variance can be nan. A variance of 0 does not show what labels are worth.
        if not np.sqrt(min(variance, random_variance)) > ROUNDING:
            return float(self.probability.size)
        return float(np.sum(1 / self.probability) * random_variance / variance)

    def update_sample(self, sample: Sample, magnitude: Float) -> Sample:
        """Return the sample with this variance and its degrees of freedom: Equation B15."""
        squares = self.squares()
        # The influences of queries contain the factor f.
        factor = small_sample_factor(sample.n_effective)
        if isinstance(sample, QuerySample):
            factor = np.ones_like(factor)
        total, degrees = sums_of_squares(np.sqrt(squares)[None], factor, n_units=squares.size)
        variance = drop_rounding(total, sample.n_effective, magnitude)
        if isinstance(sample, QuerySample):
            return cast(Sample, replace(sample, variance=variance))
        degrees = np.where(variance > 0, degrees, 0.0)
        return cast(Sample, replace(sample, variance=variance, degrees_of_freedom=degrees))

    def remaining_share(self) -> float:
        """Compute the variance with the judge over the variance by labels alone."""
        label_variance = np.sum(self.label_influence**2)
        return float(np.sum(self.squares()) / max(label_variance, TINY))


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ScoreFromLabels:
    """A score, with the variance that labels and a judge show."""

    units: UnitInfluences
    sample: QuerySample | ScoreSample  # by the labels alone
    label_score: Float
    estimate: Float
    bias: float
    n_found: float  # the number of positives that the labels represent
    n_hidden: float  # the number that labels of low probability may have missed
    has_judge: bool
    cost_of_mistake: float  # the change of the estimate by one mistake of the judge
    n_mistakes: int  # mistakes of the judge that no label shows

    def uncertainty(self) -> Uncertainty:
        """Compute the uncertainty of the estimate."""
        n_hidden = self.n_hidden * bool(self.units.probability.min() < 1)
        found_share = self.n_found / (self.n_found + n_hidden)
        return self._sampling_uncertainty()._replace(hidden_positive_factor=found_share)

    def _sampling_uncertainty(self) -> Uncertainty:
        """Compute the uncertainty without hidden positives."""
        units = self.units
        varies = np.sqrt(np.sum(units.label_influence**2)) > ROUNDING * self.label_score[0]
        remaining_share = units.remaining_share() if varies else 1.0
        sample = units.update_sample(
            replace(self.sample, binomial_variance=variance_of_share(self.estimate)),
            self.label_score,
        )
        if isinstance(sample, QuerySample):
            # A judge reduces the variance as more queries would.
            uncertainty = sample.uncertainty()
            return uncertainty._replace(
                n_queries=uncertainty.n_queries / max(remaining_share, TINY)
            )
        label_sample = cast(ScoreSample, self.sample)
        if np.any(label_sample.is_one_cluster):
            return label_sample.uncertainty()
        if label_sample.hidden is not None:
            # A row without a label may be like each of the 1 / q rows that a label represents.
            evenness = label_sample.hidden.evenness * units.probability.min()
            sample = replace(sample, hidden=label_sample.hidden._replace(evenness=evenness))
        degrees = sample.degrees_of_freedom
        sample = replace(
            sample,
            bias=np.array([self.bias]),
            binomial_variances=_prior_case_variance(label_sample, degrees, remaining_share),
        )
        if not self.has_judge:
            return sample.uncertainty()
        return self._add_hidden_mistakes(sample.uncertainty(), degrees)

    def _add_hidden_mistakes(self, uncertainty: Uncertainty, degrees: Float) -> Uncertainty:
        """Add mistakes of the judge that these labels hide.

        The prior variance is proportional to the remaining share, which is as uncertain as the
        variance itself. So there are at most nu + 4 degrees of freedom.
        """
        n_mistakes = self.n_mistakes * np.mean(1 - self.units.probability)
        n_hidden = n_mistakes * PRIOR_DEGREES / (degrees + PRIOR_DEGREES)
        degree_limit = degrees + PRIOR_DEGREES
        mistake_variance = n_hidden * self.cost_of_mistake**2

        def add_mistakes(spread: Spread) -> Spread:
            degrees = np.minimum(degree_limit, spread.degrees_of_freedom)
            return Spread(spread.variance + mistake_variance, degrees)

        allowance = n_hidden * self.cost_of_mistake
        return uncertainty.change_spreads(add_mistakes)._replace(judge_allowance=allowance)


def _prior_case_variance(
    label_sample: ScoreSample, degrees: Float, remaining_share: float
) -> Float:
    """Return the variance of one case that makes the prior variance right for few labels.

    The bound B and the variance V of the labels alone are averaged with the weights
    4 / (nu_0 + 4) and nu_0 / (nu_0 + 4). Here, nu_0 is how many more degrees of freedom V has than
    the variance of the estimate. The remaining share multiplies this average.
    """
    bound = label_sample.prior().variance  # B
    further_degrees = np.maximum(label_sample.degrees_of_freedom - degrees, 0.0)  # nu_0
    weighted_sum = PRIOR_DEGREES * bound + further_degrees * label_sample.variance
    average = weighted_sum / (PRIOR_DEGREES + further_degrees)
    return label_sample.binomial_variances * remaining_share * average / np.maximum(bound, TINY)


@dataclass(frozen=True, slots=True, eq=False)
class DifferenceFromLabels:
    """The difference of two scores, with the variance that labels and a judge show."""

    units: UnitInfluences
    sample: QuerySample | DifferenceSample  # by the labels alone
    magnitude: Float  # the larger of the two scores, which sets the size of rounding errors

    def uncertainty(self) -> Uncertainty:
        """Compute the uncertainty of the difference."""
        sample = self.units.update_sample(self.sample, self.magnitude)
        uncertainty = sample.uncertainty()
        if isinstance(sample, QuerySample):
            return uncertainty
        # A judge reduces the hidden variance by the same share as the shown one. Its weights are
        # chosen for the scores, and may even increase the variance of a difference.
        remaining_share = np.where(sample.variance > 0, self.units.remaining_share(), 1.0)
        remaining_share = np.minimum(remaining_share, 1.0)
        hidden = uncertainty.shrunken_variance - sample.variance
        return uncertainty._replace(shrunken_variance=sample.variance + remaining_share * hidden)
