"""Hyperbolic average precision: true and false positives grow in proportion between thresholds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sklearn_ap._base.common.types import Array, Float
from sklearn_ap._counts.blocks import ranges
from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap.definitions._base import Heights, Line
from sklearn_ap.definitions._influence import Influence, influence_of_heights


@dataclass(frozen=True, repr=False)
class Hyperbolic(Heights):
    r"""Average precision as the exact area under the Davis-Goadrich curve.

    Between the operating point before a threshold and the one at it, true and false positives
    grow in proportion, so precision follows a hyperbola. With g positives and s items at the
    threshold, below t items of which f are negative, its mean is

    .. math::

        \frac{g}{s} - \frac{f g - (s - g)(t - f)}{s^2} \ln\left(1 + \frac{s}{t}\right)

    and g/s where t = 0. The means are averaged over recall [1]_ [2]_. The value lies within
    [0, 1]; it is nan for a ranking without positives.

    For comparison only. Random choice among tied items attains this value on average in the limit
    of many items, so constant scores give the prevalence.

    References
    ----------
    .. [1] Davis and Goadrich (2006), "The relationship between precision-recall and ROC curves",
       ICML.
    .. [2] Keilwagen, Grosse and Grau (2014), "Area under precision-recall curves for weighted
       and unweighted data", PLOS ONE.

    Examples
    --------
    >>> from sklearn_ap import threshold_counts
    >>> from sklearn_ap.definitions import Hyperbolic
    >>> Hyperbolic()(threshold_counts([1] + 9 * [0], 10 * [0.5]))
    array([0.1])
    """

    title = "hyperbolic AP"
    smooth = True

    def heights(self, counts: ThresholdCounts) -> Float:
        return _mean_precision(*_parts(counts))

    def influence(self, counts: ThresholdCounts) -> Influence:
        return influence_of_heights(counts, *heights_and_derivatives(counts), counts.n_positives)

    def line(self, counts: ThresholdCounts) -> Line:
        # Straight lines between points of the hyperbolas: their area is the value to about 1e-3.
        # The more recall a threshold gains, the more points it has.
        n_points = 2 + (2000 * (counts.gained / counts.n_positives)).astype(np.int64)
        # The square puts most points where a hyperbola begins, as it bends there.
        way = np.maximum(ranges(n_points) / np.repeat(n_points - 1, n_points), 1e-9) ** 2
        tps = np.repeat(counts.tps_above, n_points) + np.repeat(counts.gained, n_points) * way
        misses = np.repeat(counts.fps - counts.fps_above, n_points)
        fps = np.repeat(counts.fps_above, n_points) + misses * way
        return tps / counts.n_positives, tps / (tps + fps)


def _mean_precision(size: Array, hits: Float, excess: Float, logarithm: Float) -> Float:
    """The mean of the hyperbola at each threshold."""
    return np.maximum(hits - excess * logarithm / size, 0)  # rounding can put them an ulp below


def heights_and_derivatives(counts: ThresholdCounts) -> tuple[Float, dict[str, Float]]:
    """The mean of the hyperbola at each threshold, and its derivatives by what it depends on."""
    # The height is h - e L / s, with hits h of all s items, the excess e and the logarithm L.
    size, h, excess, logarithm = parts = _parts(counts)
    before = counts.before.astype(np.float64)
    # A size beside which others are 290 orders of magnitude larger is next to nothing.
    size = np.maximum(size, 1e-290 * np.max(before + size, initial=0.0))
    share, end = logarithm / size, before + size
    by_hits = (1 - before * share) / size
    by_size = excess / size * (share - 1 / end)
    by_before = np.divide(excess / end, before, out=np.zeros(h.shape), where=before > 0)
    return _mean_precision(*parts), {
        "gained": (1 - h) * by_hits + by_size,
        "tied": by_size - h * by_hits,
        "tps_above": (1 - h) * share + by_before,
        "fps_above": by_before - h * share,
        "n_positives": np.zeros(h.shape),
    }


def _parts(counts: ThresholdCounts) -> tuple[Array, Float, Float, Float]:
    """The items at each threshold, their hits, the excess and the logarithm of the formula."""
    size, before = counts.size, counts.before
    hits, misses = counts.gained / size, (counts.fps - counts.fps_above) / size
    excess = counts.fps_above * hits - misses * counts.tps_above
    # Where size / before could overflow, the excess is next to nothing and drops out.
    growth = np.divide(size, before, out=np.zeros(before.shape), where=before > size * 1e-300)
    return size, hits, excess, np.log1p(growth)  # a difference of logarithms loses digits
