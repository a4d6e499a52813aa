"""Do the scores of segments in an order rise or fall? A line through them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import stdtr, stdtrit

from sklearn_ap._base.common.types import Float
from sklearn_ap._base.inputs.arrays import EQUAL, RELATIVE_TOLERANCE, TINY
from sklearn_ap._base.text import interval_as_text, number_as_text, pvalue_as_text
from sklearn_ap._questions.segments._differences import Groups, known_correlation, norms
from sklearn_ap._uncertainty.degrees_of_freedom import satterthwaite_degrees

# These choices stand again in tests/crossings/uncertainty_reference.py, and change there, too.
FEWEST_SEGMENTS = 3
# A choice: with 3, scores of few positives, which are too high, look like a trend.
FEWEST_POSITIVES = 5
# A choice: how much true scores vary about a line is hardly known of five. A decline that is found
# in 71 of 100 samples given these five would be found in 16.
FEWEST_FOR_SCATTER = 6
SCATTER_TOLERANCE = 1e-12  # relative


class Trend(NamedTuple):
    """The change of the score with each unit, and the line with its band, clipped to [0, 1]."""

    trend: float = np.nan
    trend_low: float = np.nan
    trend_high: float = np.nan
    trend_pvalue: float = np.nan
    trend_unit: str = ""
    trend_scatter: float = np.nan
    trend_line: Float | None = None


@dataclass(frozen=True, eq=False)
class Regression:
    """A weighted regression on places, whose distances from their mean have a variance of 1.

    The line is a weighted sum of scores, the mean, and another one, the slope, times the distance.
    """

    places: Float
    weight: Float

    @cached_property
    def share(self) -> Float:
        """The weights of scores in the mean."""
        return self.weight / self.weight.sum()

    @cached_property
    def length(self) -> Any:
        """The standard deviation of the places."""
        return np.sqrt(self.share @ (self.places - self.share @ self.places) ** 2)

    @cached_property
    def slope(self) -> Float:
        """The weights of scores in the slope."""
        return self.share * self.distances(self.places)

    def distances(self, places: Float) -> Float:
        return (places - self.share @ self.places) / self.length

    def line(self, scores: Float, places: Float) -> Float:
        return self.share @ scores + self.distances(places) * (self.slope @ scores)


class Model(NamedTuple):
    """How scores vary about a line."""

    segments: Groups
    regression: Regression
    scatter: float = np.nan  # the variance of true scores about the line; nan given these segments

    def variance(self, weight: Float) -> float:
        """That of a weighted sum of scores."""
        of_true_scores = np.nan_to_num(self.scatter) * (weight @ weight)
        return _variance(self.segments, weight)[0] + float(of_true_scores)

    def variance_of_line(self, distances: Float) -> Float:
        """That of the line at each distance: of the mean, the slope, and their covariance."""
        share, slope = self.regression.share, self.regression.slope
        of_mean, of_slope, of_sum, of_difference = map(
            self.variance, (share, slope, share + slope, share - slope)
        )
        of_line = of_mean + distances**2 * of_slope + distances * (of_sum - of_difference) / 2
        return np.maximum(of_line, 0.0)

    def degrees_of_freedom(self) -> float:
        """Those of Student's t: of sampling, and two less than segments if these vary."""
        _, of_sampling = _variance(self.segments, self.regression.slope)
        if np.isnan(self.scatter):
            return of_sampling
        return min(self.segments.score.size - 2.0, of_sampling)

    def excess(self) -> float:
        """By how much weighted squares of residuals exceed what the variances let expect.

        That is the sum of weights times variances, less what the mean and the slope take of it.
        """
        weight, center = self.regression.weight, self.segments.center
        share, slope = self.regression.share, self.regression.slope
        residuals = center - self.regression.line(center, self.regression.places)
        of_each = self.segments.uncertainty.shrunken_variance + self.scatter
        taken = weight.sum() * (self.variance(share) + self.variance(slope))
        return float(weight @ residuals**2 - weight @ of_each + taken)


def trend_of(segments: Groups, places: Any, unit: str, level: float) -> Trend:
    """The trend over places; an empty one without an order or with less than three segments.

    Its numbers are nan if fewer than three segments have 5 effective positives.
    """
    if places is None or segments.score.size < FEWEST_SEGMENTS:
        return Trend()
    counts = segments.n_limited >= FEWEST_POSITIVES * (1 - RELATIVE_TOLERANCE)
    counts &= np.isfinite(segments.uncertainty.shrunken_variance)
    if counts.sum() < FEWEST_SEGMENTS:
        return Trend(trend_unit=unit)
    used = segments.at(np.flatnonzero(counts))
    model_of = _given_these if used.score.size < FEWEST_FOR_SCATTER else _with_scatter
    model = model_of(used, places[counts])
    regression, degrees = model.regression, model.degrees_of_freedom()
    rise, distances = float(regression.slope @ used.center), regression.distances(places)
    line, quantile = regression.line(used.center, places), -float(stdtrit(degrees, (1 - level) / 2))
    half = quantile * np.sqrt(model.variance_of_line(distances))
    error = np.sqrt(max(model.variance(regression.slope), TINY))
    pvalue = 1.0 if abs(rise) < EQUAL else float(2 * stdtr(degrees, -abs(rise) / error))
    return Trend(
        trend=rise / regression.length,
        trend_low=(rise - quantile * error) / regression.length,
        trend_high=(rise + quantile * error) / regression.length,
        trend_pvalue=pvalue,
        trend_unit=unit,
        trend_scatter=float(np.sqrt(model.scatter)),
        trend_line=np.clip([line, line - half, line + half], 0.0, 1.0),
    )


def _given_these(segments: Groups, places: Float) -> Model:
    """Scores vary as samples do: a segment weighs its effective positives."""
    return Model(segments, Regression(places, segments.n_positives))


def _with_scatter(segments: Groups, places: Float) -> Model:
    """True scores vary about the line, too, and a segment weighs the inverse of its variance.

    The scatter is that of Paule and Mandel (1982): weighted squares of residuals are as large as
    expected. It is 0 where they do not exceed that. Knapp and Hartung (2003) multiply the variance
    by their ratio if it is above 1, which it never is with this scatter. Sampling variances are
    pooled, as scores with the least ones would weigh too much.
    """
    n_positives = segments.n_positives
    pooled = np.mean(n_positives * segments.uncertainty.shrunken_variance) / n_positives
    segments = replace(
        segments, uncertainty=segments.uncertainty._replace(shrunken_variance=pooled)
    )

    def model(scatter: float) -> Model:
        return Model(segments, Regression(places, 1 / (pooled + scatter)), scatter)

    def excess(scatter: float) -> float:
        return model(scatter).excess()

    if excess(0.0) <= 0:
        return model(0.0)
    at_most = float(np.var(segments.center) + pooled.mean())
    while excess(at_most) > 0:
        at_most *= 2
    return model(brentq(excess, 0.0, at_most, xtol=SCATTER_TOLERANCE * at_most))


def trend_in_words(trend: Any) -> list[str]:
    """The lines of a result that say the trend, or why there is none; none without an order."""
    if not trend.trend_unit:
        return []
    if np.isnan(trend.trend):
        return [f"no trend, as fewer than three segments have {FEWEST_POSITIVES} positives"]
    segments = {"step": "segment"}.get(trend.trend_unit, trend.trend_unit) + "s"
    limits = interval_as_text(trend.trend_low, trend.trend_high, "+")
    change, pvalue = number_as_text(trend.trend, "+"), pvalue_as_text(trend.trend_pvalue)
    text = f"trend: {change} a {trend.trend_unit} {limits}, p-value {pvalue}"
    if np.isnan(trend.trend_scatter):
        return [f"{text}, given these {segments}"]
    scatter = number_as_text(trend.trend_scatter)
    return [
        text,
        f"{segments} vary about it by {scatter}; if neighbours vary together, p is too low",
    ]


def _variance(segments: Groups, weight: Float) -> tuple[float, float]:
    """The variance of a weighted sum of scores, and its degrees of freedom.

    Clusters with rows in several segments make the scores depend on each other. What lowers the
    variance is shrunken, as few clusters show too much of it.
    """
    uncertainty, used = segments.uncertainty, weight != 0
    parts = np.where(
        used, weight * weight * np.where(used, uncertainty.shrunken_variance, 0.0), 0.0
    )
    variance, of_each = float(parts.sum()), np.maximum(uncertainty.degrees_of_freedom, 1.0)
    degrees = float(satterthwaite_degrees(variance, np.sum(parts * parts / of_each)))
    if segments.of_clusters is None:
        return variance, degrees
    lengths = norms(segments)
    together = (np.sign(weight) * np.sqrt(parts) / lengths) @ segments.of_clusters
    own = parts[lengths**2 > TINY].sum()  # of the segments that have influences of clusters
    n_shared: Any = np.sum(np.bincount(segments.of_clusters[np.flatnonzero(used)].indices) > 1)
    between = np.array(together @ together - own)
    n_clusters = np.count_nonzero(together)
    total = variance - float(known_correlation(-between, n_shared))
    return max(total, TINY), min(degrees, max(float(n_clusters) - 1, 1.0))
