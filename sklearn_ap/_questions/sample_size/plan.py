"""How many positives a study needs, before there is a sample to plan it from."""

from __future__ import annotations

from typing import Any, NamedTuple, cast

import numpy as np
from numpy.polynomial.hermite_e import hermegauss
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from sklearn_ap._base.inputs.option_checks import check_open_share, check_share
from sklearn_ap._base.inputs.unknown_options import explains_options
from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._questions.looks.levels import LookLevels
from sklearn_ap._questions.sample_size.pilot import Pilot
from sklearn_ap._uncertainty.influence import RowInfluences, influences_of_counts
from sklearn_ap._uncertainty.options import Alternative, check_options
from sklearn_ap._uncertainty.shrinkage import DifferenceSample, ScoreSample
from sklearn_ap._uncertainty.variance import sample_of_scores
from sklearn_ap.definitions import Step

N_POSITIVES = 2_000  # of the assumed sample: its score is within .001 of that of a larger one
N_NODES = 64  # of Gauss and Hermite: 32 give the same three digits
FARTHEST = -1.0, 12.0  # standard deviations between the classes: below chance, and no overlap


@explains_options
def positives_for(
    average_precision: float,
    prevalence: float,
    *,
    half_width: float | None = None,
    difference: float | None = None,
    correlation: float | None = None,
    power: float = 0.8,
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
    looks: LookLevels | None = None,
) -> int:
    """Compute how many positives a study needs, from an assumed average precision and prevalence.

    Pass ``half_width`` for an interval, or ``difference`` and ``correlation`` for a comparison of
    two models. Once you have a sample, the method ``positives_for`` of its interval or comparison
    knows more.

    Parameters
    ----------
    average_precision : float
        The step average precision that you expect, such as 0.4, above the prevalence; of two models
        that of the worse.
    prevalence : float
        The prevalence (proportion of positives) that you expect, such as 0.02.
    half_width : float, default=None
        Half of the distance between the limits of the interval, such as 0.05.
    difference : float, default=None
        The difference of two scores that should be found, such as 0.03.
    correlation : float, default=None
        The correlation of the scores of both models within a class: about 0.7 for two kinds of
        models of the same columns, 0.9 and more for two versions of one model.
    power : float, default=0.8
        How often it should be found: the p-value (not adjusted) is then below
        ``1 - confidence_level``.
    confidence_level : float, default=0.95
        How often such intervals should contain the true value.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        Whether a low p-value says that a model differs from the reference, is better, or is worse.
        With the last two, the intervals of the differences are open on one side.
    looks : LookLevels, default=None
        What ``look_levels`` gives, if the difference may be found at one of several looks. The
        level is then that of all looks together.

    Returns
    -------
    int
        The number of positives, rounded up. The rows needed are that number over ``prevalence``.

    See Also
    --------
    AveragePrecisionInterval.positives_for : The same from a sample.
    AveragePrecisionComparison.positives_for : The same for a difference.

    Notes
    -----
    Scores of both classes are assumed to be normal, with equal variances and means that give this
    average precision. The variance, and the formulas of the interval and the test, are those that
    ``average_precision_interval`` and ``compare_average_precision`` use.

    Examples
    --------
    >>> from sklearn_ap import positives_for
    >>> positives_for(average_precision=0.4, prevalence=0.02, half_width=0.05)
    425
    >>> positives_for(0.4, 0.02, difference=0.03, correlation=0.8)
    1224
    """
    if (half_width is None) == (difference is None):
        raise ValueError("Pass half_width for an interval, or difference for a comparison: one.")
    if half_width is not None and looks is not None:
        raise ValueError("looks go with difference. For half_width, pass the level of a look.")
    options = check_options(confidence_level, 2, 0, alternative)
    assumed = _assume(*_checked(average_precision, prevalence))
    shown: Any = assumed.sample
    if difference is not None:
        better = average_precision + check_open_share("difference", difference)
        if better >= 1:
            raise ValueError(
                f"average_precision is that of the worse model, so that difference may be at most "
                f"{1 - average_precision:g}, got {difference!r}."
            )
        shown = assumed.difference(_assume(better, prevalence), correlation)
    pilot = Pilot((shown,), options, None, None)
    if difference is None:
        times = pilot.times_for_half_width(average_precision, half_width)
    else:
        (times,) = pilot.times_for_power(difference, power, looks)
    return int(np.ceil(times[0] * N_POSITIVES))


def _checked(average_precision: Any, prevalence: Any) -> tuple[float, float]:
    average_precision = check_open_share("average_precision", average_precision)
    prevalence = check_open_share("prevalence", prevalence)
    if average_precision <= prevalence:
        raise ValueError(
            f"average_precision must be above the prevalence, which random scores have, got "
            f"{average_precision!r} and {prevalence!r}."
        )
    return average_precision, prevalence


class Assumed(NamedTuple):
    """A sample at the quantiles of two normal distributions: one of negatives, and one above it."""

    apart: float  # the means, in standard deviations
    counts: ThresholdCounts
    influences: RowInfluences
    sample: ScoreSample

    def difference(self, better: Assumed, correlation: Any) -> DifferenceSample:
        """What both models show, whose scores correlate within a class."""
        if correlation is None:
            raise ValueError(
                "difference needs correlation=, that of the scores of both models within a class: "
                "about 0.7 for two kinds of models, 0.9 and more for two versions of one model."
            )
        correlation, sample = check_share("correlation", correlation), self.sample
        if correlation == 1:
            raise ValueError("correlation must be below 1: equal models never differ.")
        # That of the influences is taken to be the mean of both models' own.
        models = self, better
        of_influences = sum(
            each._expected_product(correlation) / each._expected_product(1.0) for each in models
        )
        first, second = (each.sample.variance for each in models)
        covariance = of_influences / 2 * np.sqrt(first * second)
        return DifferenceSample(
            first + second - 2 * covariance,
            sample.degrees_of_freedom,
            sample.n_effective,
            sample.bias,
            sample.is_one_cluster,
        )

    def _expected_product(self, correlation: float) -> float:
        """The sum over rows of the influence on one model times that on the other.

        The score of the other model, given that of the one, is normal. Negatives below all
        positives have no influence.
        """
        thresholds, unit_influence = self.counts.thresholds, self.influences.unit_influence[0]
        n, n_negatives = thresholds.size, self.counts.n_negatives[0]
        of_positives, of_negatives = (
            unit_influence[:n],
            np.append(unit_influence[2 * n : 3 * n], 0.0),
        )
        edges = np.append(np.inf, thresholds)
        between = ndtr(-edges[1:]) - ndtr(-edges[:-1])
        middles = -ndtri(ndtr(-edges[1:]) - between / 2)
        nodes, weights = hermegauss(N_NODES)
        away = np.sqrt(1 - correlation**2) * nodes[:, None]
        of_others = np.interp(
            self.apart + correlation * (thresholds - self.apart) + away,
            thresholds[::-1],
            of_positives[::-1],
        )
        place = np.searchsorted(-thresholds, -(correlation * middles + away))
        share = weights / weights.sum()
        by_positives = of_positives @ (share @ of_others)
        by_negatives = (between * of_negatives[:n]) @ (share @ of_negatives[place])
        return float(by_positives + n_negatives * by_negatives)


def _assume(average_precision: float, prevalence: float) -> Assumed:
    """The sample that has this average precision."""

    def miss(apart: float) -> float:
        return float(Step()(_counts(apart, prevalence))[0]) - average_precision

    apart = brentq(miss, *FARTHEST)
    counts, options = _counts(apart, prevalence), check_options(0.95, 2, 0)
    influences = influences_of_counts(Step(), counts, np.asarray, "macro", options)
    sample = cast(ScoreSample, sample_of_scores(influences))
    return Assumed(apart, counts, influences, sample)


def _counts(apart: float, prevalence: float) -> ThresholdCounts:
    tps = np.arange(1, N_POSITIVES + 1)
    thresholds = apart - ndtri((tps - 0.5) / N_POSITIVES)
    n_negatives = N_POSITIVES * (1 - prevalence) / prevalence
    fps = np.rint(n_negatives * ndtr(-thresholds)).astype(np.int64)
    totals = np.array([N_POSITIVES]), np.array([round(n_negatives)])
    start = np.zeros(1, np.intp)
    return ThresholdCounts(thresholds, np.ones_like(tps), tps, fps, fps, start, *totals)
