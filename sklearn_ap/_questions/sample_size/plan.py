"""The number of positives that a study needs, planned without a sample."""

from __future__ import annotations

from typing import NamedTuple, cast

import numpy as np
from numpy.polynomial.hermite_e import hermegauss
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._inputs.options import check_open_share, check_share
from sklearn_ap._questions.sample_size.pilot import Pilot
from sklearn_ap._types import Argument
from sklearn_ap._uncertainty.former.influence import RowInfluences, influences_of_counts
from sklearn_ap._uncertainty.former.margins import (
    check_difference_above,
    check_margin,
    cost_of_counts,
)
from sklearn_ap._uncertainty.former.options import Alternative, check_options
from sklearn_ap._uncertainty.former.shrinkage import DifferenceSample, ScoreSample
from sklearn_ap._uncertainty.former.variance import sample_of_scores
from sklearn_ap.definitions import Step

N_ASSUMED_POSITIVES = 2_000  # the score is then within .001 of the score of a larger sample
N_NODES = 64  # the nodes of Gauss-Hermite quadrature: 32 give the same three digits
# The distance of the means in standard deviations, from below chance to no overlap.
LEAST_DISTANCE = -1.0
LARGEST_DISTANCE = 12.0


def positives_for(
    average_precision: float,
    prevalence: float,
    *,
    difference: float,
    correlation: float,
    power: float = 0.8,
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
    margin: float | None = None,
) -> int:
    """Compute how many positives a study needs, from an assumed average precision and prevalence.

    The plan is for a comparison of two models. Once you have a sample, the method
    ``positives_for`` of its comparison knows more. For the width of an interval, use
    ``sample_size``.

    Parameters
    ----------
    average_precision : float
        The step average precision that you expect of the worse model, such as 0.4, above the
        prevalence.
    prevalence : float
        The prevalence (proportion of positives) that you expect, such as 0.02.
    difference : float
        The difference of two scores that should be found, such as 0.03.
    correlation : float
        The correlation of the scores of both models within a class: about 0.7 for two kinds of
        models of the same columns, 0.9 and more for two versions of one model.
    power : float, default=0.8
        How often it should be found: the p-value (not adjusted) is then below
        ``1 - confidence_level``.
    confidence_level : float, default=0.95
        How often these intervals should contain the true value.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        Whether a low p-value says that a model differs from the reference, is better, or is worse.
        With the last two, the intervals of the differences are open on one side.
    margin : float, default=None
        The margin of a plan for "not worse". ``difference`` is then the true difference that
        you assume, 0.0 for equal models, and the model should be shown to be not worse.

    Returns
    -------
    int
        The number of positives, rounded up. The rows needed are that number over ``prevalence``.

    See Also
    --------
    sample_size : The size for an interval, from a sample.
    AveragePrecisionComparison.positives_for : The same from a sample.

    Notes
    -----
    Scores of both classes are assumed to be normal, with equal variances and means that give this
    average precision. The variance, and the formulas of the test, are those that
    ``compare_average_precision`` uses.

    Examples
    --------
    >>> from sklearn_ap import positives_for
    >>> positives_for(0.4, 0.02, difference=0.03, correlation=0.8)
    1224
    """
    options = check_options(confidence_level, 0, alternative)
    average_precision, prevalence = _check_expectation(average_precision, prevalence)
    better_score = average_precision + _check_difference(difference, margin, alternative)
    if better_score >= 1:
        raise ValueError(
            f"average_precision is that of the worse model, so that difference may be at most "
            f"{1 - average_precision:g}, got {difference!r}."
        )
    assumed = _assume_sample(average_precision, prevalence)
    sample = assumed.difference(_assume_sample(better_score, prevalence), correlation)
    cost = cost_of_counts(Step(), assumed.counts)
    pilot = Pilot((sample,), options, None, None, hidden_alarms_costs=(cost,))
    (times,) = pilot.times_for_power(difference, power, margin)
    return int(np.ceil(times[0] * N_ASSUMED_POSITIVES))


def _check_difference(difference: Argument, margin: Argument, alternative: str) -> float:
    """Return the size of the difference; with a margin, a model may be equal or a little worse."""
    margin = check_margin(margin, alternative)
    if margin is None:
        return check_open_share("difference", difference)
    return abs(check_difference_above(-margin, difference))


def _check_expectation(average_precision: Argument, prevalence: Argument) -> tuple[float, float]:
    average_precision = check_open_share("average_precision", average_precision)
    prevalence = check_open_share("prevalence", prevalence)
    if average_precision <= prevalence:
        raise ValueError(
            f"average_precision must be above the prevalence, which random scores have, got "
            f"{average_precision!r} and {prevalence!r}."
        )
    return average_precision, prevalence


class AssumedSample(NamedTuple):
    """A sample at the quantiles of two normal distributions, of negatives and of positives."""

    distance: float  # the mean of positives less the mean of negatives, in standard deviations
    counts: ThresholdCounts
    influences: RowInfluences
    sample: ScoreSample

    def difference(self, better: AssumedSample, correlation: Argument) -> DifferenceSample:
        """Return the sample of the difference of two models whose scores correlate in a class."""
        correlation = check_share("correlation", correlation)
        if correlation == 1:
            raise ValueError("correlation must be below 1: equal models never differ.")
        # Each model gives a correlation of the influences; their mean is used.
        influence_correlation = sum(
            model._expected_product(correlation) / model._expected_product(1.0)
            for model in (self, better)
        )
        variance = self.sample.variance
        better_variance = better.sample.variance
        covariance = influence_correlation / 2 * np.sqrt(variance * better_variance)
        return DifferenceSample(
            variance=variance + better_variance - 2 * covariance,
            degrees_of_freedom=self.sample.degrees_of_freedom,
            n_effective=self.sample.n_effective,
            bias=self.sample.bias,
            is_one_cluster=self.sample.is_one_cluster,
        )

    def _expected_product(self, correlation: float) -> float:
        """Compute the sum over rows of the influence on one model times that on the other.

        Given the score of one model, the score of the other is normal. Its distribution is
        integrated by Gauss-Hermite quadrature. Negatives below all positives have no influence.
        """
        thresholds = self.counts.thresholds  # decreasing
        n = thresholds.size
        n_negatives = self.counts.n_negatives[0]
        # Three blocks of n influences: positives, tied negatives, negatives between thresholds
        influence = self.influences.unit_influence[0]
        positive_influence = influence[:n]
        negative_influence = np.append(influence[2 * n : 3 * n], 0.0)
        # The share of negatives between adjacent thresholds, and their median score
        edges = np.append(np.inf, thresholds)
        negative_share = ndtr(-edges[1:]) - ndtr(-edges[:-1])
        negative_score = -ndtri(ndtr(-edges[1:]) - negative_share / 2)
        nodes, weights = hermegauss(N_NODES)
        node_shares = weights / weights.sum()
        deviations = np.sqrt(1 - correlation**2) * nodes[:, None]  # (N_NODES, 1)
        # Influences on the other model, (N_NODES, n): positives have influences that vary smoothly
        # with the score, and negatives influences that are constant between thresholds.
        other_positive_influence = np.interp(
            self.distance + correlation * (thresholds - self.distance) + deviations,
            thresholds[::-1],
            positive_influence[::-1],
        )
        interval = np.searchsorted(-thresholds, -(correlation * negative_score + deviations))
        other_negative_influence = negative_influence[interval]
        positive_sum = positive_influence @ (node_shares @ other_positive_influence)
        weighted_influence = negative_share * negative_influence[:n]
        negative_mean = weighted_influence @ (node_shares @ other_negative_influence)
        return float(positive_sum + n_negatives * negative_mean)


def _assume_sample(average_precision: float, prevalence: float) -> AssumedSample:
    """Find the sample that has this average precision."""

    def excess(distance: float) -> float:
        return float(Step()(_assumed_counts(distance, prevalence))[0]) - average_precision

    distance = brentq(excess, LEAST_DISTANCE, LARGEST_DISTANCE)
    counts = _assumed_counts(distance, prevalence)
    influences = influences_of_counts(counts)
    sample = cast(ScoreSample, sample_of_scores(influences))
    return AssumedSample(distance, counts, influences, sample)


def _assumed_counts(distance: float, prevalence: float) -> ThresholdCounts:
    tps = np.arange(1, N_ASSUMED_POSITIVES + 1)
    thresholds = distance - ndtri((tps - 0.5) / N_ASSUMED_POSITIVES)
    n_negatives = N_ASSUMED_POSITIVES * (1 - prevalence) / prevalence
    fps = np.rint(n_negatives * ndtr(-thresholds)).astype(np.int64)
    return ThresholdCounts(
        thresholds=thresholds,
        gained=np.ones_like(tps),
        tps=tps,
        fps=fps,
        fps_above=fps,
        starts=np.zeros(1, np.intp),
        n_positives=np.array([N_ASSUMED_POSITIVES]),
        n_negatives=np.array([round(n_negatives)]),
    )
