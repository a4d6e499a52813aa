"""Thresholds that have a precision, or a recall, with confidence: exact binomial tests.

Rows are drawn at random, so the positives among the rows above a threshold have a binomial
distribution, and so have the positives below it among all positives.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, bdtrc, btdtria

Array = NDArray[Any]

STEP = 1.05  # the ratio of two ranks that the search passes one after the other


def lowest_precise(tps: Array, size: Array, precision: float, alpha: float) -> int | None:
    """The lowest of the thresholds that are shown to have a precision; None if none is.

    ``tps`` positives stand among the ``size`` rows at or above each threshold. This is testing in a
    fixed sequence (Angelopoulos et al. 2021, "Learn then test"): from the lowest start that shows
    the precision, down to the first threshold that does not. The few starts share ``alpha``
    (Bonferroni), as all of them may lack the precision. Each step takes all of ``alpha``: only the
    first one that lacks the precision can go wrong.
    """
    last = min(size[-1], tps[-1] / precision)  # beyond, even all positives are too few
    level = alpha / max(1, _start_ranks(precision, alpha, last).size)
    starts = size.searchsorted(_start_ranks(precision, level, last))
    strong = starts[_pvalue(tps, size, precision, starts) <= level]
    if not strong.size:
        return None
    first = size[strong[-1]]
    ranks = first * STEP ** np.arange(1 + np.log(max(last / first, 1)) // np.log(STEP))
    steps = np.unique(size.searchsorted(ranks))  # of tied rows, all are selected
    fails = np.append(_pvalue(tps, size, precision, steps) > alpha, True)
    return int(steps[np.argmax(fails) - 1])


def _pvalue(tps: Array, size: Array, precision: float, at: Array) -> Array:
    """How often there are so many positives above these thresholds, with just this precision."""
    return np.asarray(bdtrc(tps[at] - 1, size[at], precision))


def which_recall(tps: Array, n_positives: Any, recall: float, alpha: float) -> NDArray[np.bool_]:
    """Which thresholds are shown to have a recall: all from one on, as recall never falls.

    A threshold that lacks the recall is among them with a probability of at most ``alpha``
    (Wilks 1941).
    """
    unlikely = bdtr(np.arange(n_positives + 1), n_positives, 1 - recall) <= alpha  # so few below
    return np.asarray(n_positives - tps < np.count_nonzero(unlikely))


def _start_ranks(precision: float, level: float, last: float) -> Array:
    """The ranks that just show a precision if 0, 2, 6, 14 ... of the rows are negative."""
    n_negative = 2.0 ** np.arange(1, 2 + np.log2(last)) - 2
    # The binomial distribution is a beta distribution, of which this is the inverse.
    ranks = np.ceil(btdtria(level, n_negative + 1, precision) + n_negative)
    return ranks[ranks <= last]
