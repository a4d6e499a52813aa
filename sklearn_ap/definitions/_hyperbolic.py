"""Hyperbolic average precision: true and false positives grow in proportion between thresholds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sklearn_ap._counts.sums import ranges
from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._types import Array, Float
from sklearn_ap.definitions._base import Heights, Line
from sklearn_ap.definitions._influence import Arguments, Influence, height_influence


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
       ICML, 233-240, https://doi.org/10.1145/1143844.1143874.
    .. [2] Keilwagen, Grosse and Grau (2014), "Area under precision-recall curves for weighted
       and unweighted data", PLOS ONE 9(3), e92209, https://doi.org/10.1371/journal.pone.0092209.

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
        return _mean_precision(_hyperbola_parts(counts))

    def influence(self, counts: ThresholdCounts) -> Influence:
        heights, derivatives = heights_and_derivatives(counts)
        return height_influence(counts, heights, derivatives, counts.n_positives)

    def line(self, counts: ThresholdCounts) -> Line:
        # Straight lines between points of the hyperbolas: their area is the value to about 1e-3.
        # The more recall a threshold gains, the more points it has.
        n_points = 2 + (2000 * (counts.gained / counts.n_positives)).astype(np.int64)
        # How far each point is between its thresholds, from 0 to 1. The square puts most points
        # where a hyperbola begins, as it bends there.
        progress = np.maximum(ranges(n_points) / np.repeat(n_points - 1, n_points), 1e-9) ** 2
        tps = np.repeat(counts.tps_above, n_points) + np.repeat(counts.gained, n_points) * progress
        misses = np.repeat(counts.fps - counts.fps_above, n_points)
        fps = np.repeat(counts.fps_above, n_points) + misses * progress
        return tps / counts.n_positives, tps / (tps + fps)


class _HyperbolaParts(NamedTuple):
    """The parts of the formula, each with a number for each threshold.

    The mean precision is h - e L / s, with h the ``hit_share``, e the ``excess``, L the
    ``logarithm`` and s the ``size``.
    """

    size: Array
    hit_share: Float
    excess: Float
    logarithm: Float


def _hyperbola_parts(counts: ThresholdCounts) -> _HyperbolaParts:
    size = counts.size
    before = counts.before
    hit_share = counts.gained / size
    miss_share = (counts.fps - counts.fps_above) / size
    excess = counts.fps_above * hit_share - miss_share * counts.tps_above
    # Where size / before could overflow, the excess is negligible and drops out.
    growth = np.divide(size, before, out=np.zeros(before.shape), where=before > size * 1e-300)
    # A difference of logarithms would lose digits.
    return _HyperbolaParts(size, hit_share, excess, np.log1p(growth))


def _mean_precision(parts: _HyperbolaParts) -> Float:
    mean = parts.hit_share - parts.excess * parts.logarithm / parts.size
    return np.maximum(mean, 0)  # rounding can put it an ulp below


def heights_and_derivatives(counts: ThresholdCounts) -> tuple[Float, Arguments]:
    """Compute the mean of the hyperbola at each threshold, and its derivatives by its arguments."""
    parts = _hyperbola_parts(counts)
    hit_share = parts.hit_share
    before = counts.before.astype(np.float64)
    # A size is negligible beside others that are 290 orders of magnitude larger.
    size = np.maximum(parts.size, 1e-290 * np.max(before + parts.size, initial=0.0))
    end = before + size
    log_share = parts.logarithm / size
    # Derivatives by the share of hits, by the size of the block, and by the weight above it.
    hit_derivative = (1 - before * log_share) / size
    size_derivative = parts.excess / size * (log_share - 1 / end)
    before_derivative = np.divide(
        parts.excess / end, before, out=np.zeros(before.shape), where=before > 0
    )
    derivatives = {
        "gained": (1 - hit_share) * hit_derivative + size_derivative,
        "tied": size_derivative - hit_share * hit_derivative,
        "tps_above": (1 - hit_share) * log_share + before_derivative,
        "fps_above": before_derivative - hit_share * log_share,
        "n_positives": np.zeros(before.shape),
    }
    return _mean_precision(parts), derivatives
