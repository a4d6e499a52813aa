"""Definitions as areas under curves between operating points, for comparison: lines, hyperbolas."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sklearn_ap._arithmetic import ranges
from sklearn_ap._counts.thresholds import ThresholdCounts, ratio
from sklearn_ap._types import Float
from sklearn_ap.definitions._base import Definition, Influence, Line
from sklearn_ap.definitions._step import Slopes, influence_of_heights, precision_slopes

DRAWN_POINTS = 2000  # of a curve, beside two for each threshold
LEAST_PROGRESS = 1e-9  # so that the precision of the first point is no 0 / 0


@dataclass(frozen=True, repr=False)
class Linear(Definition, trusted=True):
    r"""Average precision by the trapezoidal rule, starting at recall 0 and precision 1.

    .. math:: \sum_n (R_n - R_{n-1}) \frac{P_n + P_{n-1}}{2}

    over all thresholds, with :math:`R_0 = 0` and :math:`P_0 = 1`. This is what scikit-learn's
    ``average_precision_score`` was before 0.19, and what ``auc(recall, precision)`` of its
    ``precision_recall_curve`` is. The value lies within [0, 1]; it is nan for a ranking without
    positives. Tied items are one threshold, and weights take the place of counts.

    For comparison only. No threshold attains the precision that the lines show between two
    operating points, and a model with few distinct scores gains most from these lines [1]_:
    constant scores give (1 + prevalence) / 2.

    Notes
    -----
    All distinct scores are thresholds here. :math:`R_n` rises only where positives stand, so
    :math:`P_{n-1}` is the precision T / S of the T positives among all S items above such a score.
    Both precisions change by (1 - P) / S with a positive that they count, and by -P / S with a
    negative. The influence of a row takes half of each.

    References
    ----------
    .. [1] Dingwall (2016), "Stepping away from linear interpolation".

    Examples
    --------
    >>> from sklearn_ap import threshold_counts
    >>> from sklearn_ap.definitions import Linear
    >>> Linear()(threshold_counts([1] + 9 * [0], 10 * [0.5]))
    array([0.55])
    """

    title = "linear AP"
    draws_precision = True

    def heights(self, counts: ThresholdCounts) -> Float:
        return (counts.precision_above(1.0) + counts.precision) / 2

    def line(self, counts: ThresholdCounts) -> Line:
        # Each line runs from just before a threshold to the threshold.
        recall = np.column_stack((counts.tps_above, counts.tps)) / counts.n_positives
        precision = np.column_stack((counts.precision_above(1.0), counts.precision))
        return recall.ravel(), precision.ravel()

    def influence(self, counts: ThresholdCounts) -> Influence:
        half = Slopes(*(slope / 2 for slope in precision_slopes(counts)))
        # Rows above also change the precision before.
        before = counts.n_above
        size = counts.tps + counts.fps
        growth = ratio(size, before, 0.0)
        miss_share = ratio(counts.fps_above, before, 0.0)
        above = Slopes(
            half.positive + growth * miss_share / 2,
            half.negative - growth * counts.precision_above(1.0) / 2,
        )
        return influence_of_heights(counts, self.heights(counts), counts.gained, half, above)


@dataclass(frozen=True, repr=False)
class Hyperbolic(Definition, trusted=True):
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
    draws_precision = True

    def heights(self, counts: ThresholdCounts) -> Float:
        excess, log_growth = _excess_and_log_growth(counts)
        mean = counts.gained / counts.n_tied + excess * log_growth / counts.n_tied
        return np.maximum(mean, 0)  # rounding can put it an ulp below

    def influence(self, counts: ThresholdCounts) -> Influence:
        at, above = hyperbola_slopes(counts)
        return influence_of_heights(counts, self.heights(counts), counts.gained, at, above)

    def line(self, counts: ThresholdCounts) -> Line:
        # Straight lines between points of the hyperbolas: their area is the value to about 1e-3.
        # The more recall a threshold gains, the more points it has.
        n_points = 2 + (DRAWN_POINTS * (counts.gained / counts.n_positives)).astype(np.int64)
        # How far each point is between its thresholds, from 0 to 1. The square puts most points
        # where a hyperbola begins, as it bends there.
        progress = ranges(n_points) / np.repeat(n_points - 1, n_points)
        progress = np.maximum(progress, LEAST_PROGRESS) ** 2
        tps = np.repeat(counts.tps_above, n_points) + np.repeat(counts.gained, n_points) * progress
        fps_tied = np.repeat(counts.fps_tied, n_points)
        fps = np.repeat(counts.fps_above, n_points) + fps_tied * progress
        return tps / counts.n_positives, tps / (tps + fps)


def hyperbola_slopes(counts: ThresholdCounts) -> tuple[Slopes, Slopes]:
    """Compute how heights change with a row at the threshold, and with a row above it.

    The derivatives stand in the notes of ``Hyperbolic``; these are multiplied by S.
    """
    excess, log_growth = _excess_and_log_growth(counts)
    before = counts.n_above.astype(np.float64)
    size = counts.n_tied
    hit_share = counts.gained / size
    miss_share = counts.fps_tied / size
    end = before + size
    relative_log = end / size * log_growth  # S q
    turn = end / size * (1 - before * (log_growth / size))
    growth = excess / size * (1 - relative_log)
    shift = -ratio(excess, before, 0.0)
    at = Slopes(miss_share * turn + growth, growth - hit_share * turn)
    above = Slopes(miss_share * relative_log + shift, shift - hit_share * relative_log)
    return at, above


def _excess_and_log_growth(counts: ThresholdCounts) -> tuple[Float, Float]:
    """Compute e of the formula, and ln(1 + s / t)."""
    size, before = counts.n_tied, counts.n_above
    # T (s - g) / s - F g / s, as T - r t would lose digits.
    excess = (counts.fps_tied / size) * counts.tps_above - counts.fps_above * (counts.gained / size)
    growth = ratio(size, before, 0.0)
    return excess, np.log1p(growth)  # a difference of logarithms would lose digits
