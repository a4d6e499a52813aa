"""The size of a sample for a powerful test, planned from a pilot.

The formulas of the test are solved for the size of the sample. In a larger
sample of the same kind, variances are smaller, and degrees of freedom are more, in proportion to
its size. Equations are those of ``docs/methods.md``.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, stdtrit

from sklearn_ap._inputs.arrays import TINY
from sklearn_ap._inputs.options import check_open_share
from sklearn_ap._types import Argument, Bool, Float, FloatOrArray
from sklearn_ap._uncertainty.former.margins import check_difference_above
from sklearn_ap._uncertainty.former.shrinkage import (
    MOST_HIDDEN,
    DifferenceSample,
    QuerySample,
)
from sklearn_ap._uncertainty.options import Options, check_margin

LARGEST_SIZE_FACTOR = 1e12  # the largest planned size over the size of the pilot
FEWEST_UNITS = 2.0  # the fewest effective positives, or queries, of a sample
N_BISECTIONS = 60  # enough to bring a ratio of bounds of 1e24 down to rounding

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
        return [
            _times_for_power(sample, target, cost)
            for sample, cost in zip(self.samples, self._allowances(target), strict=True)
        ]

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
