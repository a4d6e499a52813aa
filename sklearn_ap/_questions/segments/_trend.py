"""Do the scores of segments in an order rise or fall? A line through them.

Equations are those of docs/methods.md.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import stdtr, stdtrit

from sklearn_ap._base.common.tuned_constants import FEWEST_FOR_SCATTER, FEWEST_TREND_POSITIVES
from sklearn_ap._base.common.types import AnyResult, Float
from sklearn_ap._base.inputs.arrays import ABSOLUTE_TOLERANCE, RELATIVE_TOLERANCE, TINY
from sklearn_ap._base.text import interval_as_text, number_as_text, pvalue_as_text
from sklearn_ap._questions.segments._differences import (
    Groups,
    influence_norms,
    shrink_correlation,
)
from sklearn_ap._uncertainty.degrees_of_freedom import satterthwaite_degrees

FEWEST_TREND_SEGMENTS = 3  # two are always on a line
SCATTER_TOLERANCE = 1e-12  # relative


class Trend(NamedTuple):
    """The change of the score per unit of time, and the line with its band, clipped to [0, 1]."""

    trend: float = np.nan
    trend_low: float = np.nan
    trend_high: float = np.nan
    trend_pvalue: float = np.nan
    trend_unit: str = ""
    trend_scatter: float = np.nan
    trend_line: Float | None = None


@dataclass(frozen=True, eq=False)
class Regression:
    """A weighted regression of scores on standardized times.

    The line is the mean, plus the slope times the standardized time. Mean and slope are weighted
    sums of the scores.
    """

    times: Float  # t_k of equation 29
    weight: Float  # w_k

    @cached_property
    def mean_weights(self) -> Float:
        """The weights of scores in the mean: h_k of equation 31."""
        return self.weight / self.weight.sum()

    @cached_property
    def scale(self) -> np.float64:
        """The standard deviation of the times."""
        mean = self.mean_weights @ self.times
        return np.float64(np.sqrt(self.mean_weights @ (self.times - mean) ** 2))

    @cached_property
    def slope_weights(self) -> Float:
        """The weights of scores in the slope: g_k of equation 29, times the scale."""
        return self.mean_weights * self.standardize(self.times)

    def standardize(self, times: Float) -> Float:
        """Subtract the mean of the times of segments, and divide by their standard deviation."""
        return (times - self.mean_weights @ self.times) / self.scale

    def line(self, scores: Float, times: Float) -> Float:
        """Compute the height of the line through scores at these times."""
        slope = self.slope_weights @ scores
        return self.mean_weights @ scores + self.standardize(times) * slope


class TrendModel(NamedTuple):
    """The variance of scores about a line."""

    segments: Groups
    regression: Regression
    # The variance of true scores about the line; nan if inference is for these segments only
    tau_squared: float = np.nan

    def variance(self, weight: Float) -> float:
        """Compute the variance of a weighted sum of scores: g' Omega g of equation 31."""
        true_score_variance = np.nan_to_num(self.tau_squared) * (weight @ weight)
        return _sampling_variance(self.segments, weight).variance + float(true_score_variance)

    def line_variance(self, standardized_times: Float) -> Float:
        """Compute the variance of the line, from the covariance matrix of mean and slope."""
        mean = self.regression.mean_weights
        slope = self.regression.slope_weights
        # cov(a, b) = (var(a + b) - var(a - b)) / 4
        covariance = (self.variance(mean + slope) - self.variance(mean - slope)) / 4
        variance = (
            self.variance(mean)
            + standardized_times**2 * self.variance(slope)
            + 2 * standardized_times * covariance
        )
        return np.maximum(variance, 0.0)

    def degrees_of_freedom(self) -> float:
        """Compute the degrees of freedom of sampling; at most K - 2 if true scores vary."""
        sampling = _sampling_variance(self.segments, self.regression.slope_weights)
        if np.isnan(self.tau_squared):
            return sampling.degrees_of_freedom
        return min(self.segments.score.size - 2.0, sampling.degrees_of_freedom)

    def excess(self) -> float:
        """Compute how much the weighted sum of squared residuals exceeds its expectation.

        Equation 31, left side minus right side. The expectation is the sum of weights times
        variances, minus the part that is fitted by the mean and the slope.
        """
        weight = self.regression.weight
        center = self.segments.center
        residuals = center - self.regression.line(center, self.regression.times)
        variances = self.segments.uncertainty.shrunken_variance + self.tau_squared  # Omega_kk
        mean_variance = self.variance(self.regression.mean_weights)
        slope_variance = self.variance(self.regression.slope_weights)
        fitted_part = weight.sum() * (mean_variance + slope_variance)
        return float(weight @ residuals**2 - weight @ variances + fitted_part)


def fit_trend(segments: Groups, times: Float | None, unit: str, level: float) -> Trend:
    """Fit the trend over times: equation 29, with limits and a test of Student's t.

    It is empty without an order or with fewer than three segments. Its numbers are nan if fewer
    than three segments have 5 effective positives.
    """
    if times is None or segments.score.size < FEWEST_TREND_SEGMENTS:
        return Trend()
    is_used = segments.n_effective >= FEWEST_TREND_POSITIVES * (1 - RELATIVE_TOLERANCE)
    is_used &= np.isfinite(segments.uncertainty.shrunken_variance)
    if is_used.sum() < FEWEST_TREND_SEGMENTS:
        return Trend(trend_unit=unit)
    used_segments = segments.take(np.flatnonzero(is_used))
    has_few_segments = used_segments.score.size < FEWEST_FOR_SCATTER
    fit = _fit_without_scatter if has_few_segments else _fit_with_scatter
    model = fit(used_segments, times[is_used])
    regression = model.regression
    degrees = model.degrees_of_freedom()
    quantile = -float(stdtrit(degrees, (1 - level) / 2))
    slope = float(regression.slope_weights @ used_segments.center)
    error = np.sqrt(max(model.variance(regression.slope_weights), TINY))
    pvalue = (
        1.0 if abs(slope) < ABSOLUTE_TOLERANCE else float(2 * stdtr(degrees, -abs(slope) / error))
    )
    line = regression.line(used_segments.center, times)
    half_width = quantile * np.sqrt(model.line_variance(regression.standardize(times)))
    return Trend(
        trend=slope / regression.scale,
        trend_low=(slope - quantile * error) / regression.scale,
        trend_high=(slope + quantile * error) / regression.scale,
        trend_pvalue=pvalue,
        trend_unit=unit,
        trend_scatter=float(np.sqrt(model.tau_squared)),
        trend_line=np.clip([line, line - half_width, line + half_width], 0.0, 1.0),
    )


def _fit_without_scatter(segments: Groups, times: Float) -> TrendModel:
    """Fit a line with sampling variance only: segments are weighted by effective positives."""
    return TrendModel(segments, Regression(times, segments.n_kish))


def _fit_with_scatter(segments: Groups, times: Float) -> TrendModel:
    """Fit a line about which true scores vary: the weight of a segment is its inverse variance.

    Equation 30. The variance of true scores is the estimate of Paule and Mandel (1982), for which
    the weighted sum of squared residuals equals its expectation, or else 0. Knapp and Hartung
    (2003) multiply the variance of the trend by the ratio of this sum to its expectation if it is
    above 1, which it never is here. Sampling variances are pooled, because scores with small
    variances by chance would weigh too much.
    """
    n_kish = segments.n_kish
    pooled_variance = np.mean(n_kish * segments.uncertainty.shrunken_variance) / n_kish
    segments = replace(
        segments, uncertainty=segments.uncertainty._replace(shrunken_variance=pooled_variance)
    )

    def model(tau_squared: float) -> TrendModel:
        weight = 1 / (pooled_variance + tau_squared)
        return TrendModel(segments, Regression(times, weight), tau_squared)

    def excess(tau_squared: float) -> float:
        return model(tau_squared).excess()

    if excess(0.0) <= 0:
        return model(0.0)
    upper = float(np.var(segments.center) + pooled_variance.mean())
    while excess(upper) > 0:
        upper *= 2
    return model(brentq(excess, 0.0, upper, xtol=SCATTER_TOLERANCE * upper))


def trend_in_words(result: AnyResult) -> list[str]:
    """Write the trend, or why there is none; nothing without an order."""
    if not result.trend_unit:
        return []
    if np.isnan(result.trend):
        units = "positives" if result.n_queries is None else "queries with positives"
        return [f"no trend, as fewer than three segments have {FEWEST_TREND_POSITIVES} {units}"]
    segments = "segments" if result.trend_unit == "step" else f"{result.trend_unit}s"
    change = number_as_text(result.trend, "+")
    limits = interval_as_text(result.trend_low, result.trend_high, "+")
    pvalue = pvalue_as_text(result.trend_pvalue)
    text = f"trend: {change} a {result.trend_unit} {limits}, p-value {pvalue}"
    if np.isnan(result.trend_scatter):
        return [f"{text}, given these {segments}"]
    scatter = number_as_text(result.trend_scatter)
    return [
        text,
        f"{segments} vary about it by {scatter}; if neighbours vary together, p is too low",
    ]


class _SumVariance(NamedTuple):
    """The variance of a weighted sum of scores between samples."""

    variance: float
    degrees_of_freedom: float


def _sampling_variance(segments: Groups, weight: Float) -> _SumVariance:
    """Compute the variance of a weighted sum of scores: g' V g of equation 31.

    Clusters with rows in several segments make the scores dependent. A covariance that lowers the
    variance is shrunken, because few clusters overstate it.
    """
    uncertainty = segments.uncertainty
    is_used = weight != 0
    # g_k^2 V_k, 0 where a segment that is not used has an infinite variance
    terms = weight * weight * np.where(is_used, uncertainty.shrunken_variance, 0.0)
    variance = float(terms.sum())
    term_degrees = np.maximum(uncertainty.degrees_of_freedom, 1.0)
    degrees = float(satterthwaite_degrees(variance, np.sum(terms * terms / term_degrees)))
    if segments.cluster_influence is None:
        return _SumVariance(variance, degrees)
    # The influence of each cluster on the weighted sum: (n_clusters,). Influences on a score are
    # scaled so that the sum of their squares is V_k.
    norms = influence_norms(segments)
    sum_influence = (np.sign(weight) * np.sqrt(terms) / norms) @ segments.cluster_influence
    own_terms = terms[norms**2 > TINY].sum()  # only segments with influences of clusters
    covariance = float(sum_influence @ sum_influence - own_terms)
    used_influence = segments.cluster_influence[np.flatnonzero(is_used)]
    n_shared = float(np.count_nonzero(np.bincount(used_influence.indices) > 1))
    total = variance - float(shrink_correlation(-covariance, n_shared))
    n_clusters = np.count_nonzero(sum_influence)
    return _SumVariance(max(total, TINY), min(degrees, max(float(n_clusters) - 1, 1.0)))
