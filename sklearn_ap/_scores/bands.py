"""A band that covers the whole precision-recall curve of the population.

Precision at recall rho is pi rho / (pi rho + (1 - pi) q), where pi is the prevalence and q the
proportion of negatives above the threshold at which the proportion rho of positives is found. So
the band follows from confidence limits of pi and from bands of two distribution functions, one for
the scores of positives and one for the scores of negatives. The three are independent, and each has
the level ``confidence_level ** (1 / 3)``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.interpolate import RegularGridInterpolator
from scipy.special import betaincinv
from scipy.stats import binom

from sklearn_ap._base.common.tuned_constants import LOCAL_LEVEL_FACTOR
from sklearn_ap._base.common.types import Argument, Array, Float, FloatOrArray, Label
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
LOCAL_LEVELS = {  # n: a local level for each alpha
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


class _Limits(NamedTuple):
    low: Float
    high: Float
    recall: Float


class Band(PrintedArrays, _Limits):
    """The precisions between which the curve of the population is at each recall."""

    __slots__ = ()

    def _columns(self) -> dict[str, Float]:
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
    pos_label: Label = None,
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
        The positive label. None means 1 for {0, 1} and {-1, 1}; other binary labels need it.

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
    return band_from_counts(counts, recall_levels, confidence_level, prevalence)


def band_from_counts(
    counts: ThresholdCounts,
    recall_levels: int | ArrayLike,
    confidence_level: Argument,
    prevalence: float | None,
) -> Band:
    """Compute the band of one ranking whose rows weigh the same."""
    n_positives = int(counts.n_positives[0])
    n_negatives = int(counts.n_negatives[0])
    if not (n_positives and n_negatives):
        raise ValueError(
            f"A band needs a positive and a negative, got {n_positives} positives and "
            f"{n_negatives} negatives."
        )
    level = check_real_number("confidence_level", confidence_level)
    if not 0.5 <= level < 1:
        raise ValueError(f"confidence_level of a band must be within [0.5, 1), got {level!r}.")
    recall = array_of_levels(check_recall_levels(recall_levels) or 101)
    # Three independent parts hold together at this level, or two if the prevalence is an argument.
    n_parts = 3 if prevalence is None else 2
    alpha = -float(np.expm1(np.log(level) / n_parts))  # 1 - level ** (1 / n_parts)
    low_prevalence, high_prevalence = _prevalence_limits(counts, prevalence, alpha)
    # With this many positives at or above it, a threshold surely has, or may have, each recall in
    # the population: arrays of shape (n_levels,).
    positive_tail = local_level(n_positives, alpha) / 2  # the probability on each side
    sure_hits = binom.isf(positive_tail, n_positives, recall) + 1
    possible_hits = binom.ppf(positive_tail, n_positives, recall)
    # The negatives at or above the first threshold that surely has each recall; all of them, if
    # there is no such threshold. Then the negatives above the first threshold that may have it.
    most_misses = np.append(counts.fps, n_negatives)[np.searchsorted(counts.tps, sure_hits)]
    misses_above = np.append(counts.fps_above, counts.fps.max(initial=0))
    fewest_misses = misses_above[np.searchsorted(counts.tps, possible_hits)]
    fewest_misses = np.where(possible_hits > 0, fewest_misses, 0)
    negative_tail = local_level(n_negatives, alpha) / 2
    low_fpr, _ = _proportion_limits(fewest_misses, n_negatives, negative_tail)
    _, high_fpr = _proportion_limits(most_misses, n_negatives, negative_tail)
    low = _precision(low_prevalence, recall, high_fpr)
    high = np.where(recall > 0, _precision(high_prevalence, recall, low_fpr), 1.0)
    return Band(low, high, recall)


def _prevalence_limits(
    counts: ThresholdCounts, prevalence: float | None, alpha: float
) -> tuple[FloatOrArray, FloatOrArray]:
    if prevalence is not None:
        checked = check_prevalence(prevalence)
        return checked, checked
    n_positives = int(counts.n_positives[0])
    n_rows = n_positives + int(counts.n_negatives[0])
    return _proportion_limits(n_positives, n_rows, alpha / 2)


def _precision(prevalence: FloatOrArray, recall: Float, fpr: Float) -> Float:
    """Compute pi rho / (pi rho + (1 - pi) q)."""
    hit_share = prevalence * recall
    return hit_share / np.maximum(hit_share + (1 - prevalence) * fpr, TINY)


def local_level(n: int, alpha: float) -> float:
    """Compute the level of each of n order statistics, so that all hold with 1 - alpha."""
    # The table is interpolated in coordinates in which it is nearly straight.
    log_level = RegularGridInterpolator(
        (np.log([*LOCAL_LEVELS]), _log_rate(ALPHAS)),
        np.log([*LOCAL_LEVELS.values()]),
        bounds_error=False,
        fill_value=None,  # extrapolate
    )
    return float(LOCAL_LEVEL_FACTOR * np.exp(log_level((np.log(n), _log_rate(alpha)))))


def _log_rate(alpha: ArrayLike) -> Float:
    """Compute the logarithm of the Poisson rate at which no event has probability 1 - alpha."""
    return np.log(-np.log1p(-np.asarray(alpha)))


def _proportion_limits(k: int | Array, n: int, tail: float) -> tuple[Float, Float]:
    """Compute limits of a proportion, from k of n (Clopper and Pearson 1934)."""
    n_hits = np.asarray(k, dtype=np.float64)
    # The beta quantiles need a hit for the lower limit, and a miss for the upper one.
    low_hits = np.maximum(n_hits, 1)
    high_hits = np.minimum(n_hits, n - 1)
    low = betaincinv(low_hits, n + 1 - low_hits, tail)
    high = betaincinv(high_hits + 1, n - high_hits, 1 - tail)
    return np.where(n_hits > 0, low, 0.0), np.where(n_hits < n, high, 1.0)
