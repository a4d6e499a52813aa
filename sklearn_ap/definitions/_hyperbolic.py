"""Hyperbolic average precision: true and false positives grow in proportion between thresholds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sklearn_ap._counts.sums import ranges
from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._types import Float
from sklearn_ap.definitions._base import Definition, Influence, Line, Slopes, influence_of_heights


@dataclass(frozen=True, repr=False)
class Hyperbolic(Definition):
    r"""Average precision as the exact area under the Davis-Goadrich curve.

    Between the operating point before a threshold and the one at it, true and false positives
    grow in proportion, so precision follows a hyperbola. With g positives among the s items at the
    threshold, and T positives among the t items above it, its mean is

    .. math:: r + e \, q, \qquad r = \frac{g}{s}, \quad e = T - r \, t, \quad
        q = \frac{1}{s} \ln\left(1 + \frac{s}{t}\right)

    and r where t = 0. The means are averaged over recall [1]_ [2]_. The value lies within [0, 1];
    it is nan for a ranking without positives. Weights take the place of counts.

    For comparison only. Random choice among tied items attains this value on average in the limit
    of many items, so constant scores give the prevalence.

    Notes
    -----
    With S = t + s, the derivative of this mean is, by a row of class y (1 or 0) at the threshold,
    :math:`(y - r) (1 - t q) / s + e (1 / S - q) / s`, and by a row above the threshold,
    :math:`(y - r) \, q - e / (S t)`.

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

    def heights(self, counts: ThresholdCounts) -> Float:
        excess, log_growth = _excess_and_log_growth(counts)
        mean = counts.gained / counts.size + excess * log_growth / counts.size
        return np.maximum(mean, 0)  # rounding can put it an ulp below

    def influence(self, counts: ThresholdCounts) -> Influence:
        at, above = hyperbola_slopes(counts)
        return influence_of_heights(counts, self.heights(counts), counts.gained, at, above)

    def line(self, counts: ThresholdCounts) -> Line:
        # Straight lines between points of the hyperbolas: their area is the value to about 1e-3.
        # The more recall a threshold gains, the more points it has.
        n_points = 2 + (2000 * (counts.gained / counts.n_positives)).astype(np.int64)
        # How far each point is between its thresholds, from 0 to 1. The square puts most points
        # where a hyperbola begins, as it bends there.
        progress = np.maximum(ranges(n_points) / np.repeat(n_points - 1, n_points), 1e-9) ** 2
        tps = np.repeat(counts.tps_above, n_points) + np.repeat(counts.gained, n_points) * progress
        fps = np.repeat(counts.fps_above, n_points) + np.repeat(counts.tied, n_points) * progress
        return tps / counts.n_positives, tps / (tps + fps)


def hyperbola_slopes(counts: ThresholdCounts) -> tuple[Slopes, Slopes]:
    """Compute how heights change with a row at the threshold, and with a row above it.

    The derivatives stand in the notes of ``Hyperbolic``; these are multiplied by S.
    """
    excess, log_growth = _excess_and_log_growth(counts)
    before = counts.n_above.astype(np.float64)
    size = counts.size
    hit_share = counts.gained / size
    miss_share = counts.tied / size
    # A size is negligible beside others that are 290 orders of magnitude larger.
    size = np.maximum(size, 1e-290 * np.max(before + size, initial=0.0))
    end = before + size
    relative_log = end / size * log_growth  # S q
    turn = end / size * (1 - before * (log_growth / size))
    growth = excess / size * (1 - relative_log)
    shift = -np.divide(excess, before, out=np.zeros(before.shape), where=before > 0)
    at = Slopes(miss_share * turn + growth, growth - hit_share * turn)
    above = Slopes(miss_share * relative_log + shift, shift - hit_share * relative_log)
    return at, above


def _excess_and_log_growth(counts: ThresholdCounts) -> tuple[Float, Float]:
    """Compute e of the formula, and ln(1 + s / t)."""
    size, before = counts.size, counts.n_above
    # T (s - g) / s - F g / s, as T - r t would lose digits.
    excess = (counts.tied / size) * counts.tps_above - counts.fps_above * (counts.gained / size)
    # Where s / t could overflow, the excess is negligible and drops out.
    growth = np.divide(size, before, out=np.zeros(before.shape), where=before > size * 1e-300)
    return excess, np.log1p(growth)  # a difference of logarithms would lose digits
