"""A band that covers the whole precision-recall curve of the population.

Precision at recall r is p r / (p r + (1 - p) f), where p is the prevalence and f the share of
negatives above the threshold at which the share r of positives is found. So the band follows from
confidence limits of p and from bands of two distribution functions, that of the scores of positives
and that of negatives. The three are independent, and each has the level
``confidence_level ** (1 / 3)``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.interpolate import RegularGridInterpolator
from scipy.special import betaincinv
from scipy.stats import binom

from sklearn_ap._base.common.types import Float
from sklearn_ap._base.inputs.arrays import TINY
from sklearn_ap._base.inputs.checks import check_prevalence, check_real_number
from sklearn_ap._base.inputs.option_checks import array_of_levels, check_recall_levels
from sklearn_ap._base.inputs.unknown_options import explains_options
from sklearn_ap._base.text import PrintedArrays
from sklearn_ap._counts.counting import threshold_counts
from sklearn_ap._counts.thresholds import ThresholdCounts

__all__ = ["precision_recall_band"]


# The two-sided level of the beta limits of each order statistic, such that those of all n hold
# together with a probability of 1 - alpha: equal local levels (Gontscharuk, Landwehr and Finner
# 2015). Exact; made by: python benchmarks/band_levels.py
ALPHAS = (0.0003, 0.004, 0.017, 0.05, 0.2)
LEVELS = {
    1: (0.0003, 0.004, 0.017, 0.05, 0.2),
    2: (0.0001507, 0.002032, 0.008792, 0.02653, 0.1138),
    5: (6.285e-05, 0.000878, 0.003924, 0.01227, 0.05673),
    10: (3.46e-05, 0.0005011, 0.002301, 0.007385, 0.03577),
    20: (2.059e-05, 0.0003089, 0.001454, 0.004771, 0.02399),
    50: (1.169e-05, 0.0001824, 0.0008815, 0.002958, 0.01545),
    100: (8.255e-06, 0.0001318, 0.0006461, 0.002195, 0.01171),
    200: (6.168e-06, 0.0001002, 0.0004966, 0.001703, 0.009223),
    500: (4.492e-06, 7.416e-05, 0.0003713, 0.001284, 0.007057),
    1000: (3.679e-06, 6.126e-05, 0.0003084, 0.001071, 0.00593),
    2000: (3.095e-06, 5.186e-05, 0.000262, 0.0009129, 0.005082),
    5000: (2.543e-06, 4.286e-05, 0.0002173, 0.000759, 0.004245),
    10000: (2.234e-06, 3.777e-05, 0.0001918, 0.0006707, 0.003761),
    20000: (1.989e-06, 3.37e-05, 0.0001713, 0.0005995, 0.003367),
    50000: (1.734e-06, 2.943e-05, 0.0001497, 0.0005244, 0.002949),
    100000: (1.579e-06, 2.683e-05, 0.0001365, 0.0004782, 0.00269),
    200000: (1.448e-06, 2.462e-05, 0.0001253, 0.000439, 0.00247),
    500000: (1.304e-06, 2.219e-05, 0.0001129, 0.0003955, 0.002225),
    1000000: (1.212e-06, 2.063e-05, 0.000105, 0.0003676, 0.002067),
}
# Straight lines between logarithms exceed the exact levels by at most 2.2%, which that command
# shows. Beyond the table they fall short of them.
ROUNDED_DOWN = 0.97


class _Limits(NamedTuple):
    low: Float
    high: Float
    recall: Float


class Band(PrintedArrays, _Limits):
    """Between which precisions the curve of the population is at each recall."""

    __slots__ = ()

    def _columns(self) -> dict[str, Any]:
        return {"recall": self.recall, "low": self.low, "high": self.high}

    def _heading(self) -> str:
        return "Band of precision at each recall"


@explains_options
def precision_recall_band(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    recall_levels: int | ArrayLike = 101,
    prevalence: float | None = None,
    confidence_level: float = 0.95,
    pos_label: Any = None,
) -> Band:
    """Compute a band that covers the whole precision-recall curve of the population.

    In 95 of 100 samples or more, the curve of the population is within the band at every recall.
    That is a theorem for independent rows. It combines a band of the distribution function of the
    scores of each class, whose order statistics have equal local levels [1]_, and the interval of
    the prevalence by Clopper and Pearson. The level is for the worst case: most bands cover in over
    99 of 100 samples, and with ties they are wider still. Intervals of precision at each threshold,
    as papers draw them, cover the whole curve in few samples.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels.
    y_score : array-like of shape (n_samples,)
        Probabilities or decision values, higher for positives; -inf for rows not retrieved.
    recall_levels : int or array-like of shape (n_levels,), default=101
        How many equally spaced levels of recall from 0 to 1, or which.
    prevalence : float, default=None
        The prevalence (proportion of positives) where you deploy, such as 0.01. Precision is then
        that of a population with this prevalence, in which the scores of each class are distributed
        as here. Each ranking gets this prevalence. None uses that of ``y_true``.
    confidence_level : float, default=0.95
        In how many samples the band covers the whole curve, 0.95 for 95%, from 0.5 on.
    pos_label : int, float, bool or str, default=None
        The positive label. None means 1 if the labels are {0, 1} or {-1, 1}.

    Returns
    -------
    low : ndarray of shape (n_levels,)
        The lowest precision at each recall. At recall 1 it is the lowest prevalence, as one more
        positive may be below all others.
    high : ndarray of shape (n_levels,)
        The highest precision at each recall.
    recall : ndarray of shape (n_levels,)
        The levels of recall, ascending.

    See Also
    --------
    AveragePrecisionDisplay : Draws it, with ``band=True``.
    average_precision_interval : The interval of the area under the curve, which is narrower.

    References
    ----------
    .. [1] Gontscharuk, Landwehr and Finner (2015), "The intermediates take it all: asymptotics of
       higher criticism statistics and a powerful alternative based on equal local levels",
       Biometrical Journal 57(1).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_ap import precision_recall_band
    >>> y_true = np.repeat([0, 1], [900, 100])
    >>> y_score = np.random.default_rng(0).normal(2 * y_true)
    >>> low, high, recall = precision_recall_band(y_true, y_score, recall_levels=5)
    >>> recall
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    >>> low.round(2), high.round(2)
    (array([0.  , 0.3 , 0.25, 0.16, 0.08]), array([1.  , 1.  , 0.94, 0.8 , 0.16]))
    """
    counts = threshold_counts(y_true, y_score, pos_label=pos_label)
    return band_of(counts, recall_levels, confidence_level, prevalence)


def band_of(
    counts: ThresholdCounts, recall_levels: Any, confidence_level: Any, prevalence: float | None
) -> Band:
    """The band of one ranking whose rows weigh the same."""
    n_positives, n_negatives = int(counts.n_positives[0]), int(counts.n_negatives[0])
    if not (n_positives and n_negatives):
        raise ValueError(
            f"A band needs a positive and a negative, got {n_positives} positives and "
            f"{n_negatives} negatives."
        )
    if not 0.5 <= (level := check_real_number("confidence_level", confidence_level)) < 1:
        raise ValueError(f"confidence_level of a band must be within [0.5, 1), got {level!r}.")
    recall = array_of_levels(check_recall_levels(recall_levels) or 101)
    alpha = -float(np.expm1(np.log(level) / (3 if prevalence is None else 2)))
    least: Any = None if prevalence is None else check_prevalence(prevalence)
    most = least
    if prevalence is None:
        least, most = _share_limits(n_positives, n_positives + n_negatives, alpha / 2)
    # With so many of the positives above it, a threshold surely has this recall, or may have it.
    tail = local_level(n_positives, alpha) / 2  # of each side
    surely, maybe = binom.isf(tail, n_positives, recall) + 1, binom.ppf(tail, n_positives, recall)
    # What the first such thresholds let through: all negatives, where there is none.
    n_more = np.append(counts.fps, n_negatives)[np.searchsorted(counts.tps, surely)]
    n_fewer = np.append(counts.fps_above, counts.fps.max(initial=0))[
        np.searchsorted(counts.tps, maybe)
    ]
    tail = local_level(n_negatives, alpha) / 2
    fewest = _share_limits(np.where(maybe > 0, n_fewer, 0), n_negatives, tail)[0]
    low = _precision(least, recall, _share_limits(n_more, n_negatives, tail)[1])
    return Band(low, np.where(recall > 0, _precision(most, recall, fewest), 1.0), recall)


def _precision(prevalence: Any, recall: Float, fpr: Float) -> Float:
    hits = prevalence * recall
    return hits / np.maximum(hits + (1 - prevalence) * fpr, TINY)


def local_level(n: int, alpha: float) -> float:
    """The level of each of n order statistics, of which all hold with probability 1 - alpha."""
    level = RegularGridInterpolator(
        (np.log([*LEVELS]), _log_rate(ALPHAS)),
        np.log([*LEVELS.values()]),
        bounds_error=False,
        fill_value=None,  # extrapolate
    )
    return float(ROUNDED_DOWN * np.exp(level((np.log(n), _log_rate(alpha)))))


def _log_rate(alpha: Any) -> Float:
    return np.log(-np.log1p(-np.asarray(alpha)))


def _share_limits(k: Any, n: int, tail: float) -> tuple[Float, Float]:
    """The limits of a proportion of which k of n are seen (Clopper and Pearson 1934)."""
    k = np.asarray(k, dtype=np.float64)
    inner_low, inner_high = np.maximum(k, 1), np.minimum(k, n - 1)
    low = betaincinv(inner_low, n + 1 - inner_low, tail)
    high = betaincinv(inner_high + 1, n - inner_high, 1 - tail)
    return np.where(k > 0, low, 0.0), np.where(k < n, high, 1.0)
