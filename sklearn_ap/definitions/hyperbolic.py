"""Hyperbolic average precision: true and false positives linear between operating points."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sklearn_ap.counts import ThresholdCounts

__all__ = ["hyperbolic", "hyperbolic_curve"]


def hyperbolic(counts: ThresholdCounts) -> NDArray[np.float64]:
    r"""Average precision as the exact area under the Davis-Goadrich curve.

    Between the operating point before a threshold and the one at it, true and false positives
    grow in proportion, so precision follows a hyperbola. With g positives and s items at the
    threshold, below t items of which f are negative, its mean is

    .. math::

        \frac{g}{s} - \frac{f g - (s - g)(t - f)}{s^2} \ln\left(1 + \frac{s}{t}\right)

    and g/s where t = 0. The means are averaged over recall [1]_ [2]_.

    Parameters
    ----------
    counts : ThresholdCounts
        One or many rankings.

    Returns
    -------
    ndarray of shape (n_rankings,)
        Within [0, 1]; nan for a ranking without positives.

    Notes
    -----
    It is what random choice among tied items attains on average in the limit of many items, so
    constant scores give the prevalence. To compare with, not to select by.

    References
    ----------
    .. [1] Davis and Goadrich (2006), "The relationship between precision-recall and ROC curves",
       ICML.
    .. [2] Keilwagen, Grosse and Grau (2014), "Area under precision-recall curves for weighted
       and unweighted data", PLOS ONE.

    Examples
    --------
    >>> from sklearn_ap import definitions, threshold_counts
    >>> definitions.hyperbolic(threshold_counts([1] + 9 * [0], 10 * [0.5]))
    array([0.1])
    """
    gained, size, before = counts.gained, counts.size, counts.before
    hits, misses = gained / size, (counts.fps - counts.fps_above) / size
    excess = counts.fps_above * hits - misses * counts.tps_above
    growth = np.divide(size, before, out=np.zeros(before.shape), where=before > 0)
    # excess is 0 where nothing stands before; log1p, as a difference of logarithms loses digits
    return counts.integrate(hits - excess * np.log1p(growth) / size)


def hyperbolic_curve(counts: ThresholdCounts) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Recall and precision of points on the hyperbolas, for one ranking.

    The area under them is ``hyperbolic`` but for the bends between the points, of which a threshold
    has the more the more recall it gains.
    """
    n_points = 2 + (2000 * (counts.gained / counts.n_positives)).astype(np.int64)
    starts = np.cumsum(n_points) - n_points
    j, last = (
        np.arange(n_points.sum()) - np.repeat(starts, n_points),
        np.repeat(n_points - 1, n_points),
    )
    way = np.maximum(j / last, 1e-9) ** 2  # squared, as the hyperbolas bend where they begin
    tps = np.repeat(counts.tps_above, n_points) + np.repeat(counts.gained, n_points) * way
    misses = np.repeat(counts.fps - counts.fps_above, n_points)
    fps = np.repeat(counts.fps_above, n_points) + misses * way
    return tps / counts.n_positives, tps / (tps + fps)
