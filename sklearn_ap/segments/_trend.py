"""Do the scores of segments in an order rise or fall? A line through them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import stdtr, stdtrit

from sklearn_ap._inputs.arrays import EQUAL, RELATIVE_TOLERANCE, TINY, Float
from sklearn_ap._results.text import interval_as_text, number_as_text, pvalue_as_text
from sklearn_ap._uncertainty.shrinkage import satterthwaite_degrees
from sklearn_ap.segments._differences import Groups, known_correlation, norms

FEWEST_SEGMENTS = 3
# A choice: with 3, scores of few positives, which are too high, look like a trend.
FEWEST_POSITIVES = 5


class Trend(NamedTuple):
    """The change of the score with each unit, and the line with its band, clipped to [0, 1]."""

    trend: float = np.nan
    trend_low: float = np.nan
    trend_high: float = np.nan
    trend_pvalue: float = np.nan
    trend_unit: str = ""
    trend_line: Float | None = None


def trend_of(segments: Groups, places: Any, unit: str, level: float) -> Trend:
    """The trend over places; an empty one without an order or with less than three segments.

    A weighted regression, in which a segment weighs its effective positives. Its numbers are nan if
    fewer than three segments have 5 of them.
    """
    if places is None or segments.score.size < FEWEST_SEGMENTS:
        return Trend()
    counts = segments.n_limited >= FEWEST_POSITIVES * (1 - RELATIVE_TOLERANCE)
    counts &= np.isfinite(segments.uncertainty.variance)
    if counts.sum() < FEWEST_SEGMENTS:
        return Trend(trend_unit=unit)
    weight = np.where(counts, segments.n_positives, 0.0)
    share = weight / weight.sum()
    center = np.where(counts, segments.center, 0.0)
    distance = places - share @ places
    unit_length = np.sqrt(share @ distance**2)
    distance = distance / unit_length
    slope = share * distance
    variance, degrees = _variance(segments, slope)
    of_mean, of_sum, of_difference = (
        _variance(segments, each)[0] for each in (share, share + slope, share - slope)
    )
    quantile, rise = -float(stdtrit(degrees, (1 - level) / 2)), float(slope @ center)
    of_line = of_mean + distance**2 * variance + distance * (of_sum - of_difference) / 2
    line, half = share @ center + distance * rise, quantile * np.sqrt(np.maximum(of_line, 0.0))
    error = np.sqrt(max(variance, TINY))
    pvalue = 1.0 if abs(rise) < EQUAL else float(2 * stdtr(degrees, -abs(rise) / error))
    return Trend(
        trend=rise / unit_length,
        trend_low=(rise - quantile * error) / unit_length,
        trend_high=(rise + quantile * error) / unit_length,
        trend_pvalue=pvalue,
        trend_unit=unit,
        trend_line=np.clip([line, line - half, line + half], 0.0, 1.0),
    )


def trend_in_words(trend: Any) -> list[str]:
    """The line of a result that says the trend, or why there is none; no line without an order."""
    if not trend.trend_unit:
        return []
    if np.isnan(trend.trend):
        return [f"no trend, as fewer than three segments have {FEWEST_POSITIVES} positives"]
    limits = interval_as_text(trend.trend_low, trend.trend_high, "+")
    change, pvalue = number_as_text(trend.trend, "+"), pvalue_as_text(trend.trend_pvalue)
    return [f"trend: {change} a {trend.trend_unit} {limits}, p-value {pvalue}"]


def _variance(segments: Groups, weight: Float) -> tuple[float, float]:
    """The variance of a weighted sum of scores, and its degrees of freedom.

    Clusters with rows in several segments make the scores depend on each other. What lowers the
    variance is shrunken, as few clusters show too much of it.
    """
    uncertainty, used = segments.uncertainty, weight != 0
    parts = np.where(used, weight * weight * np.where(used, uncertainty.variance, 0.0), 0.0)
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
