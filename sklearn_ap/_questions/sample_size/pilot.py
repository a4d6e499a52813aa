"""How large a sample must be by a pilot, for an interval so narrow or a test with such a power.

The formulas of the interval and of the test are solved for the size of the sample. A larger sample
of the same kind has variances that are smaller, and degrees of freedom that are more, in proportion
to its size.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import gammaincinv, ndtr, ndtri, stdtrit

from sklearn_ap._base.common.types import Bool, Float
from sklearn_ap._base.inputs.arrays import RELATIVE_TOLERANCE, TINY
from sklearn_ap._base.inputs.option_checks import check_open_share
from sklearn_ap._questions.looks.levels import LookLevels
from sklearn_ap._uncertainty.confidence_limits import logit_limits, wilson_limits
from sklearn_ap._uncertainty.influence import InfluenceValues, QueryInfluences
from sklearn_ap._uncertainty.options import Options
from sklearn_ap._uncertainty.run_variance import FEWEST_RUNS, RowsShown, SampleOfRuns
from sklearn_ap._uncertainty.sampling_units import RowUnits
from sklearn_ap._uncertainty.warnings import UncertaintyWarning, issue_warnings

LARGEST = 1e12  # times this sample: more than anybody has
LEAST = 2.0  # effective positives or queries of a sample
# The effective number of clusters by their positives, over their number. Below this choice a power
# of 80 was 43 to 72 in plans of 14 to 132 clusters, and 76 in one of 765. With 0.6 (patients of 3
# to 60 rows), it was 85 to 88: benchmarks/sample_size.py.
EQUAL_ENOUGH, MANY_CLUSTERS = 0.5, 500
# What a plan for a power lacks beyond the uncertain variance, times the positives: a choice
# (pilots of benchmarks/sample_size.py). N_SHARES equal parts stand for a chi-squared distribution.
LEFT, N_SHARES = 2.5, 200
STEPS = 60  # of a bisection of the logarithm, after which 1e24 differs from 1 by rounding only
UNEQUAL_CLUSTERS = UncertaintyWarning(
    "Most positives are in few of the clusters, so a sample often shows too little of its own "
    "variance: fewer differences may be found than the power says. Plan with more clusters.",
    "unequal clusters",
)


@dataclass(frozen=True, slots=True, eq=False)
class Pilot:
    """The sample from which larger ones are planned.

    It keeps what the sample shows of the score or of each difference, the factor of variances from
    folds, and how many clusters and queries were sampled, None if none were.
    """

    shown: tuple[RowsShown | SampleOfRuns, ...]
    options: Options
    n_clusters: Any
    n_queries: int | None

    def times_for_half_width(self, score: Any, half_width: Any) -> Float:
        """How many times as large a sample must be for limits that are so close."""
        (sample,) = self.shown
        enough = self._is_narrow(score, half_width, sample.enlarge)
        times = smallest(enough, sample.n_effective, np.shape(np.atleast_1d(score)))
        # The error is nan for one query or cluster.
        is_known = ~np.isnan(score) & ~np.isnan(sample.uncertainty().standard_error)
        wanted = f"half_width={half_width!r}"
        return _answer(np.where(is_known, times, np.nan), wanted, _remedy(sample))

    def runs_for_half_width(self, score: Any, half_width: Any) -> Float:
        """How many runs the limits need to be so close, on the rows of this sample."""
        (sample,) = self._samples_of_runs()
        enough = self._is_narrow(score, half_width, sample.resize_runs)
        return _n_runs(enough, np.atleast_1d(score).shape, f"half_width={half_width!r}")

    def _is_narrow(
        self, score: Any, half_width: Any, sample_of: Callable[[Float], Any]
    ) -> Callable[[Float], Bool]:
        """Whether limits are so close, by a size of the sample or a number of runs."""
        half_width = check_open_share("half_width", half_width)
        estimates, level = np.atleast_1d(score), self.options.confidence_level
        limits = logit_limits if self.options.is_conventional else wilson_limits

        def is_enough(size: Float) -> Bool:
            uncertainty = sample_of(size).uncertainty()
            enlarged = uncertainty.scale_variance(self.options.score_factor)
            low, high = limits(estimates, enlarged, level)
            return np.asarray(high - low <= 2 * half_width)

        return is_enough

    def _samples_of_runs(self) -> list[SampleOfRuns]:
        """What the sample shows of runs; refused without them."""
        samples = [sample for sample in self.shown if isinstance(sample, SampleOfRuns)]
        if not samples:
            raise ValueError(
                "runs_for needs a result over training runs: pass TrainingRuns in the place of the "
                "scores of each model. This one has none: use positives_for."
            )
        return samples

    def times_for_power(self, difference: Any, power: Any, looks: Any = None) -> list[Float]:
        """How many times as large a sample must be for each difference to be found so often.

        With ``looks``, the level is theirs, and a sample grows by their factor.

        The test finds one where the estimate is beyond a multiple of its standard error. That the
        latter is estimated, too, is in the approximation of the noncentral t distribution by the
        normal one (Abramowitz and Stegun 1964, 26.7.10).
        """
        asked = self._asked(difference, power, looks)
        factor = 1.0 if looks is None else looks.inflation_factor(power, self.options.alternative)
        times = [factor * _times_for_power(sample, *asked) for sample in self.shown]
        issue_warnings([UNEQUAL_CLUSTERS] if self._shows_too_little(times) else [])
        return times

    def runs_for_power(self, difference: Any, power: Any) -> list[Float]:
        """How many runs of each method find each difference so often, on the rows of this sample.

        The test is that of ``times_for_power``.
        """
        samples, asked = self._samples_of_runs(), self._asked(difference, power, None)
        needed = []
        for sample in samples:
            error = np.atleast_1d(sample.uncertainty().standard_error)
            enough = _is_found(sample.resize_runs, *asked)
            needed.append(_n_runs(enough, error.shape, f"difference={difference!r}"))
        return needed

    def _asked(self, difference: Any, power: Any, looks: Any) -> tuple[Options, float, Any, Any]:
        """How differences are tested, and what should be found how often."""
        difference, power = (
            check_open_share(name, value)
            for name, value in (("difference", difference), ("power", power))
        )
        options, tail = self._test(looks)
        if power <= tail:
            raise ValueError(f"power must be above {tail:g}, got {power!r}.")
        return options, tail, difference, power

    def _test(self, looks: Any) -> tuple[Options, float]:
        """How differences are tested, at the level of all looks, and the error of a side."""
        options = self.options
        if looks is not None:
            if not isinstance(looks, LookLevels):
                raise TypeError(f"looks must be what look_levels gives, or None, got {looks!r}.")
            options = options._replace(confidence_level=looks.confidence_level)
        tail = 1 - options.confidence_level
        return options, tail / 2 if options.alternative == "two-sided" else tail

    def factors_for_power(self, power: Any, looks: Any = None) -> list[Float]:
        """What plans for a power are multiplied by, as the variance of this sample is uncertain."""
        _, tail = self._test(looks)
        power = check_open_share("power", power)
        # More rows mend what rows show uncertainly; the number of runs stays as it is.
        of_rows = [each.rows if isinstance(each, SampleOfRuns) else each for each in self.shown]
        pairs = ((sample.uncertainty(), sample.n_effective) for sample in of_rows)
        return [
            _factor(np.atleast_1d(used.degrees_of_freedom), n, tail, power) for used, n in pairs
        ]

    def _shows_too_little(self, times: Sequence[Float]) -> bool:
        """Whether few clusters of very unequal sizes are planned."""
        clusters = self.n_clusters
        if clusters is None or self.n_queries is not None:
            return False
        pairs = zip(times, self.shown, strict=True)
        return any(
            np.any(
                (sample.n_effective < EQUAL_ENOUGH * clusters) & (each * clusters < MANY_CLUSTERS)
            )
            for each, sample in pairs
        )

    def number(self, kind: str, times: Any, n_positives: Any) -> Any:
        """The size of the larger sample in positives, clusters or queries, rounded up."""
        now = {"positives": n_positives, "clusters": self.n_clusters, "queries": self.n_queries}
        if now[kind] is None:
            raise ValueError(
                f"{kind}_for needs a result over {kind}, which were passed to the function that "
                f"made it. This one has none: use positives_for."
            )
        if np.isnan(now[kind]).all():
            raise ValueError(
                "positives_for needs n_positives, which weighted counts of queries do not tell: "
                "use queries_for."
            )
        return np.ceil(times * now[kind] * (1 - RELATIVE_TOLERANCE))


def pilot_of(
    influences: InfluenceValues,
    shown: tuple[RowsShown | SampleOfRuns, ...],
    options: Options,
) -> Pilot:
    """What a result keeps of its sample."""
    options = options._replace(rng=None)
    if isinstance(influences, QueryInfluences):
        n_queries = influences.positives.n_counted.size
        return Pilot(shown, options, influences.n_clusters, n_queries)
    units = influences.units
    of_counts = influences.effective_sizes is not None  # of which some have clusters
    has_clusters = units.rankings.has_clusters if isinstance(units, RowUnits) else of_counts
    n_clusters = np.asarray(units.n_units - units.n_unscored) if has_clusters else None
    if n_clusters is not None and influences.is_single_score:
        n_clusters = n_clusters.max()
    return Pilot(shown, options, n_clusters, None)


def known_pilot(pilot: object) -> Pilot:
    """The pilot of a result; one of several classes, or made by hand, has none."""
    if isinstance(pilot, Pilot):
        return pilot
    if pilot is None:
        raise ValueError(
            "This result keeps no sample to plan from. For a class of detections, plan its images: "
            "average_precision_interval(**found.of_class(name)[detector], "
            "definition=Interpolated(101)).clusters_for(0.05). Of few labels, one must be positive."
        )
    raise ValueError(
        "A plan needs a result of rows that all have labels. Of few labels, labels_for plans an "
        "interval; for a power of 80%, a difference d needs about (2.8 * standard_error / d) ** 2 "
        "times these cases."
    )


def _times_for_power(
    sample: Any, options: Options, tail: float, difference: float, power: float
) -> Float:
    """How many times as large a sample finds a difference so often; nan where it never varies."""
    is_enough = _is_found(sample.enlarge, options, tail, difference, power)
    error = np.atleast_1d(sample.uncertainty().standard_error)
    times = smallest(is_enough, sample.n_effective, error.shape)
    wanted = f"difference={difference!r}"
    return _answer(np.where(error > 0, times, np.nan), wanted, _remedy(sample))


def _is_found(
    sample_of: Callable[[Float], Any],
    options: Options,
    tail: float,
    difference: float,
    power: float,
) -> Callable[[Float], Bool]:
    """Whether a difference is found so often, by a size of the sample or a number of runs."""

    def is_enough(size: Float) -> Bool:
        used = sample_of(size).uncertainty().scale_variance(options.difference_factor)
        used = used.drop_corrections() if options.is_conventional else used
        degrees = np.maximum(used.degrees_of_freedom, 1.0)
        true_error = np.maximum(used.standard_error, TINY)
        critical = -stdtrit(degrees, tail) * np.sqrt(used.shrunken_variance) / true_error
        distance = difference / true_error - critical * (1 - 1 / (4 * degrees))
        return np.asarray(ndtr(distance / np.sqrt(1 + critical**2 / (2 * degrees))) >= power)

    return is_enough


def _n_runs(is_enough: Callable[[Float], Bool], shape: tuple[int, ...], wanted: str) -> Float:
    """The smallest number of runs that is enough, three or more."""
    needed = smallest(is_enough, np.ones(1), shape)
    if np.isinf(needed).any():
        raise ValueError(
            f"{wanted} is out of reach of any number of runs, because of the rows: pass more, or "
            f"collect more rows, as positives_for says."
        )
    return np.maximum(np.ceil(needed * (1 - RELATIVE_TOLERANCE)), FEWEST_RUNS)


def _remedy(sample: Any) -> str:
    """What to do where no sample is large enough."""
    if isinstance(sample, SampleOfRuns):
        return "with as many runs: train more of them (runs_for plans them), or pass more"
    return "pass more"


def _factor(degrees: Float, n_effective: Float, tail: float, power: float) -> Float:
    """The factor f with E Phi((z + z_power) sqrt(f C) - z) = power, and what it leaves.

    C is chi-squared over its degrees of freedom, the variance of the sample over the true one.
    """
    of_chi = np.maximum(degrees, 1.0)[..., None] / 2
    shares = gammaincinv(of_chi, (np.arange(N_SHARES) + 0.5) / N_SHARES) / of_chi
    z = -ndtri(tail)

    def is_enough(factor: Float) -> Bool:
        distance = (z + ndtri(power)) * np.sqrt(factor[..., None] * shares) - z
        return np.asarray(ndtr(distance).mean(axis=-1) >= power)

    solved = np.maximum(smallest(is_enough, np.ones(1), of_chi.shape[:-1]), 1.0)
    n = n_effective if n_effective.shape == solved.shape else n_effective.max()  # of a mean
    return solved * (1 + LEFT / np.maximum(n, 1.0))


def smallest(
    is_enough: Callable[[Float], Bool], n_effective: Float, shape: tuple[int, ...]
) -> Float:
    """The smallest size that is enough, relative to this sample's; infinite if none is."""
    least = np.full(shape, LEAST / np.maximum(n_effective.max(), LEAST))
    most = np.full(shape, LARGEST)
    with np.errstate(all="ignore"):
        never = ~is_enough(most)
        for _ in range(STEPS):
            middle = np.sqrt(least * most)
            enough = is_enough(middle)
            least, most = np.where(enough, least, middle), np.where(enough, middle, most)
    return np.where(never, np.inf, most)


def _answer(times: Float, wanted: str, remedy: str) -> Float:
    if np.isnan(times).all():
        raise ValueError(
            "A plan needs a sample that shows some variance: models that rank alike show none, and "
            "one query or one cluster says nothing of others."
        )
    if np.isinf(times).any():
        stop = " " if remedy.startswith("with") else ": "
        raise ValueError(f"{wanted} would need an infinitely large sample{stop}{remedy}.")
    return times
