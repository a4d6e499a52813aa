"""The size of a sample that an interval of some width takes."""

from __future__ import annotations

from typing import cast

import numpy as np
from scipy.optimize import brentq

from sklearn_ap._inputs.arrays import RELATIVE_TOLERANCE
from sklearn_ap._inputs.options import check_open_share
from sklearn_ap._types import Array
from sklearn_ap._uncertainty.estimate import Estimate
from sklearn_ap._uncertainty.limits import limits_of
from sklearn_ap.definitions import Definition
from sklearn_ap.inference.interval import Interval

FEWEST_UNITS = 10  # limits of smaller samples are too wide to plan by
MOST_TIMES = 1e6  # the largest size over that of the sample


def sample_size(result: Interval, *, half_width: float) -> int | Array:
    """Compute how much data an interval of this half width takes, from an interval of less.

    Parameters
    ----------
    result : Interval
        Of a sample like the one that you plan, with all labels. Its level is that of the plan.
    half_width : float
        Half of the distance between the limits, such as 0.05.

    Returns
    -------
    int or ndarray of int
        The number of positives, or of clusters or queries if these are sampled, rounded up, and at
        least 10. An array if the interval has several scores.

    Raises
    ------
    ValueError
        If the interval has no positives or rests on one unit, if only some of its rows have labels,
        if it is of the first k ranks of one ranking, or if even a sample a million times as large
        is too small.

    See Also
    --------
    average_precision_interval : Makes the interval.

    Notes
    -----
    In a sample that is c times as large, variances and the shares of hidden rows are 1 / c of those
    of this sample, and degrees of freedom are c times as many.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_ap import average_precision_interval, sample_size
    >>> rng = np.random.default_rng(0)
    >>> y_true = (rng.random(2000) < 0.05).astype(int)
    >>> found = average_precision_interval(y_true, 2 * y_true + rng.normal(size=2000))
    >>> sample_size(found, half_width=0.05)
    427
    """
    half_width = check_open_share("half_width", half_width)
    estimate = _check_estimate(result)
    n_units = np.atleast_1d(np.asarray(result.n_positives, np.float64))
    if result.sample.unit != "row":
        n_units = np.full(n_units.shape, float(result.sample.n_units))
    sizes = [
        _size_of_score(estimate, score, n, half_width, result.confidence_level)
        for score, n in enumerate(n_units.tolist())
    ]
    return np.array(sizes) if isinstance(result.estimate, np.ndarray) else sizes[0]


def _check_estimate(result: Interval) -> Estimate:
    """Refuse what tells nothing of larger samples."""
    if not isinstance(result, Interval):
        raise TypeError(
            f"result must be an Interval, such as average_precision_interval returns, got "
            f"{type(result).__name__}."
        )
    estimate = result._source.estimate
    if result.sample.n_labelled and not isinstance(estimate, Estimate):
        raise ValueError(
            "result must be an interval of rows that all have labels, from which larger samples "
            "can be planned. With few labels, the half width falls with the root of their number."
        )
    if not isinstance(estimate, Estimate):
        raise ValueError(
            "result must come from one sample, but class_intervals puts those of several classes "
            "together. Pass average_precision_interval(**detections.of_class(name)[detector])."
        )
    depth = cast(Definition, result.sample.definition).depth
    if depth is not None and depth >= 1 and not estimate.is_over_queries:
        raise ValueError(
            f"result is a score of the first {depth:g} ranks, as many as in a larger sample, so "
            f"more rows do not narrow it. Pass a share of the rows as k, such as 0.05, or queries."
        )
    if not estimate.is_defined.all():
        raise ValueError("result must have a positive for each score: without, nothing is planned.")
    if not estimate.has_several_units.all():
        raise ValueError(
            "result must rest on more than one positive, cluster or query, as one alone tells "
            "nothing of how much others differ. Pass an interval of at least two."
        )
    return estimate


def _size_of_score(
    estimate: Estimate, score: int, n_units: float, half_width: float, level: float
) -> int:
    """Find the number of units at which the half width of one of the scores is small enough."""

    def excess(log_times: float) -> float:
        low, high = limits_of(estimate.enlarged(float(np.exp(log_times))), level)
        return float(high[score] - low[score]) / 2 - half_width

    fewest, most = np.log(FEWEST_UNITS / n_units), np.log(MOST_TIMES)
    if excess(fewest) <= 0:
        return FEWEST_UNITS
    if excess(most) > 0:
        raise ValueError(
            f"half_width is {half_width:g}, for which a sample {MOST_TIMES:,.0f} times as large is "
            f"too small. Pass a larger one."
        )
    log_times = brentq(excess, fewest, most)
    return int(np.ceil(n_units * np.exp(log_times) * (1 - RELATIVE_TOLERANCE)))
