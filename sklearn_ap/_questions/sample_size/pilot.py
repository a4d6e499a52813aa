"""The size of a sample for a powerful test, planned from a pilot.

The formulas of the test are solved for the size of the sample. In a larger
sample of the same kind, variances are smaller, and degrees of freedom are more, in proportion to
its size. Equations are those of ``docs/methods.md``.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import gammaincinv, ndtr, ndtri, stdtrit

from sklearn_ap._inputs.arrays import RELATIVE_TOLERANCE, TINY
from sklearn_ap._inputs.options import check_open_share
from sklearn_ap._types import Argument, Bool, Float, FloatOrArray
from sklearn_ap._uncertainty.former.influence import InfluenceValues, QueryInfluences
from sklearn_ap._uncertainty.former.margins import check_difference_above, check_margin
from sklearn_ap._uncertainty.former.options import Options
from sklearn_ap._uncertainty.former.sampling_units import RowUnits
from sklearn_ap._uncertainty.former.shrinkage import (
    MOST_HIDDEN,
    DifferenceSample,
    QuerySample,
)
from sklearn_ap._uncertainty.former.tuned_constants import (
    EQUAL_CLUSTERS_RATIO,
    MANY_PLANNED_CLUSTERS,
    POWER_CORRECTION,
)
from sklearn_ap._uncertainty.warnings import UncertaintyWarning, issue_warnings

LARGEST_SIZE_FACTOR = 1e12  # the largest planned size over the size of the pilot
FEWEST_UNITS = 2.0  # the fewest effective positives, or queries, of a sample
N_QUANTILES = 200  # the number of quantiles that represent a chi-squared distribution
N_BISECTIONS = 60  # enough to bring a ratio of bounds of 1e24 down to rounding
UNEQUAL_CLUSTERS = UncertaintyWarning(
    "Most positives are in few of the clusters, so a sample often shows too little of its own "
    "variance: fewer differences may be found than the power says. Plan with more clusters.",
    "unequal clusters",
)

Sample = QuerySample | DifferenceSample
# Tells whether each size is large enough.
SizeCheck = Callable[[Float], Bool]
SizeFunction = Callable[[Float], Float]


class PowerTarget(NamedTuple):
    """A difference that a test should find, and with which power."""

    options: Options
    tail: float  # the error of one side
    difference: float  # with a margin, the difference plus the margin
    power: float
    margin: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Pilot:
    """The sample from which larger ones are planned.

    It keeps the variances that the sample shows of each difference, the factor of variances from
    folds, and the numbers of sampled clusters and queries, None if there are none.
    ``hidden_alarms_costs`` are those of the model of each difference, for plans with a margin.
    """

    samples: tuple[Sample, ...]
    options: Options
    n_clusters: FloatOrArray | None
    n_queries: int | None
    hidden_alarms_costs: tuple[Float, ...] = ()

    def times_for_power(
        self, difference: Argument, power: Argument, margin: Argument = None
    ) -> list[Float]:
        """Compute the ratio of the sample size needed for this power to the present size.

        With ``margin``, it is the test of "not worse". Equation B18: the power.
        """
        target = self._power_target(difference, power, margin)
        times = [
            _times_for_power(sample, target, cost)
            for sample, cost in zip(self.samples, self._allowances(target), strict=True)
        ]
        issue_warnings([UNEQUAL_CLUSTERS] if self._has_unequal_clusters(times) else [])
        return times

    def _power_target(self, difference: Argument, power: Argument, margin: Argument) -> PowerTarget:
        """Check the difference and the power, and return them with the level of the test."""
        margin = check_margin(margin, self.options.alternative)
        if margin is None:
            difference = check_open_share("difference", difference)
        else:
            difference = margin + check_difference_above(-margin, difference)
        power = check_open_share("power", power)
        if power <= self._tail:
            raise ValueError(f"power must be above {self._tail:g}, got {power!r}.")
        return PowerTarget(self.options, self._tail, difference, power, margin)

    def _allowances(self, target: PowerTarget) -> Sequence[FloatOrArray]:
        """Return what hidden false alarms of each model cost; 0 without a margin."""
        if target.margin is None:
            return [0.0] * len(self.samples)
        return self.hidden_alarms_costs

    @property
    def _tail(self) -> float:
        """The error of one side of the test."""
        error = 1 - self.options.confidence_level
        return error / 2 if self.options.alternative == "two-sided" else error

    def factors_for_power(self, power: Argument) -> list[Float]:
        """Compute the factors of plans for a power that allow for an uncertain variance.

        Equation B19: f, times the correction for few positives.
        """
        power = check_open_share("power", power)
        factors = []
        for sample in self.samples:
            degrees = np.atleast_1d(sample.uncertainty().degrees_of_freedom)
            factors.append(_uncertainty_factor(degrees, sample.n_effective, self._tail, power))
        return factors

    def _has_unequal_clusters(self, times: Sequence[Float]) -> bool:
        """Check whether few clusters of very unequal sizes are planned."""
        n_clusters = self.n_clusters
        if n_clusters is None or self.n_queries is not None:
            return False
        return any(
            np.any(
                (sample.n_effective < EQUAL_CLUSTERS_RATIO * n_clusters)
                & (size_factor * n_clusters < MANY_PLANNED_CLUSTERS)
            )
            for size_factor, sample in zip(times, self.samples, strict=True)
        )

    def planned_size(self, kind: str, times: Float, n_positives: FloatOrArray) -> Float:
        """Return the size of the larger sample in positives, clusters or queries, rounded up."""
        sizes: dict[str, FloatOrArray | None] = {
            "positives": n_positives,
            "clusters": self.n_clusters,
            "queries": self.n_queries,
        }
        size = sizes[kind]
        if size is None:
            raise ValueError(
                f"{kind}_for needs a result over {kind}, which were passed to the function that "
                f"made it. This one has none: use positives_for."
            )
        if np.isnan(size).all():
            raise ValueError(
                "positives_for needs n_positives, which weighted counts of queries do not tell: "
                "use queries_for."
            )
        return np.ceil(times * size * (1 - RELATIVE_TOLERANCE))


def make_pilot(
    influences: InfluenceValues,
    samples: tuple[Sample, ...],
    options: Options,
    costs: tuple[Float, ...],
) -> Pilot:
    """Return the pilot that a result keeps of its sample."""
    options = options._replace(rng=None)
    if isinstance(influences, QueryInfluences):
        n_queries = influences.positives.n_counted.size
        return Pilot(samples, options, influences.n_clusters, n_queries, costs)
    units = influences.units
    n_clusters = None
    if isinstance(units, RowUnits) and units.rankings.has_clusters:
        n_clusters = np.asarray(units.n_units - units.n_unscored)
        if influences.is_single_score:
            n_clusters = n_clusters.max()
    return Pilot(samples, options, n_clusters, None, costs)


def check_pilot(pilot: object) -> Pilot:
    """Check that a comparison keeps its pilot; one of few labels has none."""
    if isinstance(pilot, Pilot):
        return pilot
    raise ValueError(
        "A plan needs a comparison of rows that all have labels. Of few labels, a difference d "
        "needs about (2.8 * standard_error / d) ** 2 times as many for a power of 80%."
    )


def _times_for_power(sample: Sample, target: PowerTarget, allowance: FloatOrArray) -> Float:
    """Compute the ratio of the needed size to the present one; nan if a difference never varies."""
    allowance_of_size: SizeFunction = _no_allowance
    if target.margin is not None:
        allowance_of_size = _enlarged_allowance(sample, allowance)
    is_enough = _power_check(sample, target, allowance_of_size)
    error = np.atleast_1d(sample.uncertainty().standard_error)
    times = smallest_size(is_enough, sample.n_effective, error.shape)
    times = np.where(error > 0, times, np.nan)
    return _check_reachable(times, f"difference={target.difference!r}")


def _enlarged_allowance(sample: Sample, allowance: FloatOrArray) -> SizeFunction:
    """Return the function that gives what hidden false alarms cost in a sample of another size.

    With f times as many positives, the cost falls by a little less than f: the N positives of a
    perfect ranking lose (1/2 + 1/3 + ...) / N by one false alarm, about ln(N) / N.
    """
    slope: FloatOrArray = 0.0
    if not isinstance(sample, QuerySample):
        slope = MOST_HIDDEN / np.maximum(sample.n_effective, 1.0)
        if sample.mean_sample is not None:
            slope = np.sqrt(np.sum((sample.mean_sample.shares * slope) ** 2))
    is_allowed = np.asarray(allowance) > 0

    def allowance_of_size(size: Float) -> Float:
        log_size = np.log(np.maximum(size, 1.0))
        return np.asarray(np.where(is_allowed, allowance + slope * log_size, 0.0) / size)

    return allowance_of_size


def _no_allowance(size: Float) -> Float:
    return np.zeros(size.shape)


def _power_check(sample: Sample, target: PowerTarget, allowance_of_size: SizeFunction) -> SizeCheck:
    """Return the function that tells which sizes give a test this power.

    Equation B18: a difference is found if it exceeds a multiple of its estimated error. Its
    noncentral t distribution is approximated by a normal one (Abramowitz and Stegun 1964, 26.7.10).
    With a margin, it must exceed the root of Equation B20, which contains the cost of hidden false
    alarms.
    """
    options = target.options

    def is_enough(size: Float) -> Bool:
        uncertainty = sample.enlarge(size).uncertainty()
        uncertainty = uncertainty.scale_variance(options.difference_factor)
        degrees = np.maximum(uncertainty.degrees_of_freedom, 1.0)  # nu
        true_error = np.maximum(uncertainty.standard_error, TINY)  # sigma
        quantile = -stdtrit(degrees, target.tail)  # t
        estimated_error = np.sqrt(uncertainty.shrunken_variance)
        critical = np.hypot(quantile * estimated_error, allowance_of_size(size))
        critical = critical / true_error  # tau
        distance = target.difference / true_error - critical * (1 - 1 / (4 * degrees))
        power = ndtr(distance / np.sqrt(1 + critical**2 / (2 * degrees)))
        return np.asarray(power >= target.power)

    return is_enough


def _uncertainty_factor(degrees: Float, n_effective: Float, tail: float, power: float) -> Float:
    """Compute the factor of a plan that allows for an uncertain variance.

    Equation B19: f, times the correction for few positives. f solves
    E Phi((z + z_p) sqrt(f C) - z) = p. C, chi-squared over its degrees of freedom, is the sample
    variance over the true one.
    """
    half_degrees = np.maximum(degrees, 1.0)[..., None] / 2
    probabilities = (np.arange(N_QUANTILES) + 0.5) / N_QUANTILES
    # Quantiles of C, (n_values, N_QUANTILES); their mean stands for the expectation.
    variance_ratio = gammaincinv(half_degrees, probabilities) / half_degrees
    z = -ndtri(tail)
    z_power = ndtri(power)

    def is_enough(factor: Float) -> Bool:
        distance = (z + z_power) * np.sqrt(factor[..., None] * variance_ratio) - z
        return np.asarray(ndtr(distance).mean(axis=-1) >= power)

    factor = smallest_size(is_enough, np.ones(1), half_degrees.shape[:-1])
    factor = np.maximum(factor, 1.0)
    is_mean = n_effective.shape != factor.shape  # one factor for the mean of several values
    n = n_effective.max() if is_mean else n_effective
    return factor * (1 + POWER_CORRECTION / np.maximum(n, 1.0))


def smallest_size(is_enough: SizeCheck, n_effective: Float, shape: tuple[int, ...]) -> Float:
    """Find the smallest size that is enough, relative to this sample's; infinite if none is."""
    least = np.full(shape, FEWEST_UNITS / np.maximum(n_effective.max(), FEWEST_UNITS))
    most = np.full(shape, LARGEST_SIZE_FACTOR)
    with np.errstate(all="ignore"):
        is_unreachable = ~is_enough(most)
        for _ in range(N_BISECTIONS):
            middle = np.sqrt(least * most)
            is_middle_enough = is_enough(middle)
            least = np.where(is_middle_enough, least, middle)
            most = np.where(is_middle_enough, middle, most)
    return np.where(is_unreachable, np.inf, most)


def _check_reachable(times: Float, wanted: str) -> Float:
    if np.isnan(times).all():
        raise ValueError(
            "A plan needs a sample that shows some variance: models that rank alike show none, and "
            "one query or one cluster says nothing of others."
        )
    if np.isinf(times).any():
        raise ValueError(f"{wanted} would need an infinitely large sample: pass more.")
    return times
