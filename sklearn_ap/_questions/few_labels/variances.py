"""Variances of estimates from few labels, and from more labels of the same design.

With t times the labels, the inclusion probabilities q become q' = min(1, t q). Equation 24 gives
the variance, a sum over labelled units:

    q (1 - q') / q' (phi - c psi)^2 + q phi^2

Each unit represents q' / q units of the larger sample, and has q / q' of its influence. The second
part is the variance if all rows had labels. With t = 1, this is Equation 21. Equations are those of
``docs/methods.md``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol, TypeVar, cast

import numpy as np

from sklearn_ap._base.common.tuned_constants import PRIOR_DEGREES
from sklearn_ap._base.common.types import Argument, Bool, Float, FloatOrArray
from sklearn_ap._base.inputs.arrays import TINY
from sklearn_ap._base.inputs.option_checks import check_open_share
from sklearn_ap._questions.sample_size.pilot import LARGEST_SIZE_FACTOR, smallest_size
from sklearn_ap._uncertainty.confidence_limits import difference_half_width, limits_of_score
from sklearn_ap._uncertainty.options import Options
from sklearn_ap._uncertainty.shrinkage import (
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

# If an interval is wider than WIDE_INTERVAL, a printed result says how many labels
# PRINTED_HALF_WIDTH needs.
WIDE_INTERVAL = 0.2
PRINTED_HALF_WIDTH = 0.05
UNIT_LABELS = {
    "row": "labels",
    "query": "labelled queries",
    "cluster": "labelled clusters",
    "top": "labels within the first k ranks",
}

Sample = TypeVar("Sample", bound=QuerySample | RowSample)


class EnlargedUnits(NamedTuple):
    """The influences of labelled units with more labels, and the factor of the sample size."""

    units: UnitInfluences
    size_factor: float


class UnitInfluences(NamedTuple):
    """The influence of each labelled unit on an estimate, or on a difference of estimates."""

    label_influence: Float  # phi, on the score by labels
    residual_influence: Float  # phi - c psi, on the difference from the score by the judge
    probability: Float  # q
    units_represented: FloatOrArray = 1.0  # units of a larger sample that each unit represents

    def minus(self, other: UnitInfluences) -> UnitInfluences:
        """Return the influences on the difference of two estimates."""
        return UnitInfluences(
            label_influence=self.label_influence - other.label_influence,
            residual_influence=self.residual_influence - other.residual_influence,
            probability=self.probability,
        )

    def enlarge(self, times: float) -> EnlargedUnits:
        """Return the influences with ``times`` as many labels.

        The sample size has the factor by which the variance by labels alone falls. It grows no
        further when all rows have labels.
        """
        probability = np.minimum(times * self.probability, 1.0)  # q'
        influence_factor = self.probability / probability  # q / q'
        squares = self.label_influence * self.label_influence + TINY
        units = UnitInfluences(
            label_influence=self.label_influence * influence_factor,
            residual_influence=self.residual_influence * influence_factor,
            probability=probability,
            units_represented=1 / influence_factor,
        )
        return EnlargedUnits(units, float(squares.sum() / np.sum(squares * influence_factor)))

    def squares(self) -> Float:
        """Compute the variance that each unit adds: the terms of the sum in Equation 21."""
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

    def update_sample(self, sample: Sample, factor: Float, magnitude: Float) -> Sample:
        """Return the sample with this variance and its degrees of freedom.

        Equation 24, or Equation 21 if each unit represents itself. ``factor`` is f.
        """
        squares = self.squares()
        units_represented = np.broadcast_to(self.units_represented, squares.shape)
        total, degrees = sums_of_squares(
            np.sqrt(squares)[None],
            factor,
            n_units=units_represented.sum(),
            multiplicity=units_represented,
        )
        variance = drop_rounding(total, sample.n_effective, magnitude)
        if isinstance(sample, QuerySample):
            return cast(Sample, replace(sample, variance=variance))
        degrees = np.where(variance > 0, degrees, 0.0)
        return cast(Sample, replace(sample, variance=variance, degrees_of_freedom=degrees))

    def remaining_share(self) -> float:
        """Compute the variance with the judge over the variance by labels alone."""
        label_variance = np.sum(self.units_represented * self.label_influence**2)
        return float(np.sum(self.units_represented * self.squares()) / max(label_variance, TINY))


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
    is_jackknifed: bool  # True if clusters are left out one by one
    cost_of_mistake: float  # the change of the estimate by one mistake of the judge
    n_mistakes: int  # mistakes of the judge that no label shows

    @property
    def probability(self) -> Float:
        return self.units.probability

    @property
    def n_effective(self) -> Float:
        return self.sample.n_effective

    def uncertainty(self, times: float = 1.0) -> Uncertainty:
        """Compute the uncertainty of the estimate with ``times`` as many labels."""
        units, size_factor = self.units.enlarge(times)
        # With t times the labels, 1 / t of the positives stay hidden; none if all rows have labels.
        lowest_probability = self.units.probability.min()
        enlarged_probability = units.probability.min()
        n_hidden = self.n_hidden * lowest_probability / enlarged_probability
        n_hidden *= enlarged_probability < 1
        found_share = self.n_found / (self.n_found + n_hidden)
        return self._sampling_uncertainty(units, size_factor)._replace(
            hidden_positive_factor=found_share
        )

    def half_width(self, times: float, options: Options) -> float:
        uncertainty = self.uncertainty(times)
        low, high = limits_of_score(self.estimate, uncertainty, options.confidence_level)
        return float((high - low)[0] / 2)

    def _sampling_uncertainty(self, units: UnitInfluences, size_factor: float) -> Uncertainty:
        """Compute the uncertainty without hidden positives."""
        label_sample: QuerySample | ScoreSample = self.sample.enlarge(size_factor)
        varies = np.sqrt(np.sum(self.units.label_influence**2)) > ROUNDING * self.label_score[0]
        remaining_share = units.remaining_share() if varies else 1.0
        sample = units.update_sample(
            replace(label_sample, binomial_variance=variance_of_share(self.estimate)),
            _variance_factor(self.sample, label_sample),
            self.label_score,
        )
        if isinstance(sample, QuerySample):
            # A judge reduces the variance as more queries would.
            uncertainty = sample.uncertainty()
            return uncertainty._replace(
                n_queries=uncertainty.n_queries / max(remaining_share, TINY)
            )
        label_sample = cast(ScoreSample, label_sample)
        if np.any(label_sample.is_one_cluster):
            return label_sample.uncertainty()
        if label_sample.hidden is not None:
            # A row without a label may be like each of the 1 / q rows that a label represents.
            evenness = label_sample.hidden.evenness * units.probability.min()
            sample = replace(sample, hidden=label_sample.hidden._replace(evenness=evenness))
        degrees = sample.degrees_of_freedom
        sample = replace(
            sample,
            bias=np.array([self.bias]) / size_factor,
            binomial_variances=_prior_case_variance(label_sample, degrees, remaining_share),
        )
        if not self.has_judge:
            return sample.uncertainty()
        return self._add_hidden_mistakes(sample.uncertainty(), units, size_factor, degrees)

    def _add_hidden_mistakes(
        self, uncertainty: Uncertainty, units: UnitInfluences, size_factor: float, degrees: Float
    ) -> Uncertainty:
        """Add mistakes of the judge that these labels hide, and that more labels would show.

        The prior variance is proportional to the remaining share, which is as uncertain as the
        variance itself. So there are at most nu + 4 degrees of freedom. Clusters that are left out
        one by one show this uncertainty, and need no limit.
        """
        n_mistakes = self.n_mistakes * np.mean(1 - units.probability)
        n_hidden_now = n_mistakes * PRIOR_DEGREES / (self._degrees_of_labels() + PRIOR_DEGREES)
        n_hidden_planned = n_mistakes * PRIOR_DEGREES / (degrees + PRIOR_DEGREES)
        degree_limit = np.inf if self.is_jackknifed else degrees + PRIOR_DEGREES
        mistake_variance = n_hidden_now * self.cost_of_mistake**2 / size_factor

        def add_mistakes(spread: Spread) -> Spread:
            degrees = np.minimum(degree_limit, spread.degrees_of_freedom)
            return Spread(spread.variance + mistake_variance, degrees)

        allowance = n_hidden_planned * self.cost_of_mistake / size_factor
        return uncertainty.change_spreads(add_mistakes)._replace(judge_allowance=allowance)

    def _degrees_of_labels(self) -> Float:
        """Compute the degrees of freedom that the present labels show."""
        factor = small_sample_factor(self.sample.n_effective)
        sample = self.units.update_sample(self.sample, factor, self.label_score)
        return np.asarray(cast(ScoreSample, sample).degrees_of_freedom)


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

    @property
    def probability(self) -> Float:
        return self.units.probability

    @property
    def n_effective(self) -> Float:
        return self.sample.n_effective

    def uncertainty(self, times: float = 1.0) -> Uncertainty:
        """Compute the uncertainty of the difference with ``times`` as many labels."""
        units, size_factor = self.units.enlarge(times)
        label_sample: QuerySample | DifferenceSample = self.sample.enlarge(size_factor)
        factor = _variance_factor(self.sample, label_sample)
        sample = units.update_sample(label_sample, factor, self.magnitude)
        uncertainty = sample.uncertainty()
        if isinstance(sample, QuerySample):
            return uncertainty
        # A judge reduces the hidden variance by the same share as the shown one. Its weights are
        # chosen for the scores, and may even increase the variance of a difference.
        remaining_share = np.where(sample.variance > 0, units.remaining_share(), 1.0)
        remaining_share = np.minimum(remaining_share, 1.0)
        hidden = uncertainty.shrunken_variance - sample.variance
        return uncertainty._replace(shrunken_variance=sample.variance + remaining_share * hidden)

    def half_width(self, times: float, options: Options) -> float:
        return float(np.ravel(difference_half_width(self.uncertainty(times), options))[0])


def _variance_factor(sample: QuerySample | RowSample, larger: QuerySample | RowSample) -> Float:
    """Return the factor f of the larger sample; influences of queries contain the present f."""
    if isinstance(sample, QuerySample):
        present_factor = small_sample_factor(sample.n_effective)
        return np.asarray(small_sample_factor(larger.n_effective) / present_factor)
    return small_sample_factor(larger.n_effective)


class PlannedEstimate(Protocol):
    """A score, or a difference of scores, as far as a plan of more labels needs it."""

    @property
    def probability(self) -> Float: ...  # q of each labelled unit

    @property
    def n_effective(self) -> Float: ...

    def uncertainty(self, times: float = 1.0) -> Uncertainty: ...

    def half_width(self, times: float, options: Options) -> float: ...


@dataclass(frozen=True, slots=True, eq=False)
class LabelPilot:
    """The labels from which larger samples of labels are planned."""

    estimates: tuple[PlannedEstimate, ...]
    options: Options
    unit: str  # a key of UNIT_LABELS

    def labels_for(self, half_width: Argument) -> list[float]:
        """Compute the number of units of a probability below 1 to label for each estimate."""
        half_width = check_open_share("half_width", half_width)
        needed = [self._n_needed(estimate, half_width) for estimate in self.estimates]
        if np.inf in needed:
            raise ValueError(
                f"half_width={half_width!r}: no number of labels reaches it. If all rows had "
                f"labels, it would be about {self._least_half_width():.3g}. Pass that, or score "
                f"more {'queries' if self.unit in ('query', 'top') else 'rows'}."
            )
        return needed

    def _n_needed(self, estimate: PlannedEstimate, half_width: float) -> float:
        def is_enough(times: Float) -> Bool:
            return np.asarray(estimate.half_width(float(times), self.options) <= half_width)

        times = float(smallest_size(is_enough, estimate.n_effective, ()))
        probability = estimate.probability[estimate.probability < 1]
        needed = np.sum(np.minimum(times, 1 / probability))  # infinite if no row is left to label
        # Rounding of the sum must not ask for one label more.
        return float(np.ceil(needed - 1e-6)) if times < np.inf else np.inf

    def _least_half_width(self) -> float:
        """Compute the half width if all rows had labels, the largest of several estimates."""
        return self._largest_half_width(LARGEST_SIZE_FACTOR)

    def _largest_half_width(self, times: float) -> float:
        return max(estimate.half_width(times, self.options) for estimate in self.estimates)

    def remarks(self) -> list[str]:
        """Say how many labels a wide interval needs to become narrow."""
        if not self._largest_half_width(1.0) > WIDE_INTERVAL / 2:  # it may be nan
            return []
        needed = max(self._n_needed(estimate, PRINTED_HALF_WIDTH) for estimate in self.estimates)
        labels = UNIT_LABELS[self.unit]
        if needed == np.inf:
            return [
                f"no number of {labels} gives +-{PRINTED_HALF_WIDTH}: all rows would leave "
                f"+-{self._least_half_width():.3g}"
            ]
        digits = 1 - int(np.floor(np.log10(max(needed, 1))))  # two digits: 1,234 -> 1,200
        n_sure = int(np.count_nonzero(self.estimates[0].probability == 1))
        beside = ", not counting rows of probability 1" if n_sure else ""
        needed_labels = f"about {round(needed, digits):,.0f} {labels}{beside}"
        return [f"an interval of +-{PRINTED_HALF_WIDTH} would take {needed_labels}"]


def check_label_pilot(pilot: object) -> LabelPilot:
    """Check that a result from few labels keeps its pilot, and return it."""
    if isinstance(pilot, LabelPilot):
        return pilot
    raise ValueError(
        "labels_for needs a result from few labels, one of which is positive. If all rows have "
        "labels, use positives_for."
    )


def remarks_about_more_labels(pilot: object) -> list[str]:
    """Say how many labels a wide interval from few labels needs."""
    return pilot.remarks() if isinstance(pilot, LabelPilot) else []
