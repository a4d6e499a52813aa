"""What a random order of the rows gives: the dotted line of the pictures."""

from typing import Any

import numpy as np
from scipy.special import digamma

from sklearn_ap.counts import ThresholdCounts
from sklearn_ap.definitions import Step
from sklearn_ap.display._artists import artists_of, draw_reference
from sklearn_ap.display._draw_curves import DrawnRankings

LEVELS = "sklearn_ap_levels"  # an attribute of the line that has the row of the legend


def draw_chance_level(
    axis: Any, curves: DrawnRankings, options: dict[str, Any], *, named: bool
) -> Any:
    """Draw the mean level of the rankings, as far as their scored positives reach.

    The area under the line is the mean score of random orders, and the legend gives it. Levels that
    are close share a line. All lines share a row of the legend, which gives the range.
    """
    known = np.flatnonzero(curves.shares)
    if not known.size:
        return None
    shares, rankings = curves.shares[known], [curves.rankings[i] for i in known]
    ends = [_scored_positives(counts) / counts.n_positives[0] for counts in rankings]
    levels = [_chance_level(counts) for counts in rankings]
    end, score = float(np.dot(shares, ends)), float(np.dot(shares, np.multiply(levels, ends)))
    level = score / end if end else 0.0
    line = draw_reference(axis, ([0, end], [level, level]), 0.25, "_", options)
    first = artists_of(axis, "reference")[0]
    said = level if _is_weighted(rankings[0]) else score
    levels = [*getattr(first, LEVELS, ()), said]
    setattr(first, LEVELS, levels)
    if named and "label" not in options:
        limits = dict.fromkeys(f"{value:.3g}" for value in (min(levels), max(levels)))
        first.set_label(f"{_name(curves)} {' to '.join(limits)}")
    return line


def _name(curves: DrawnRankings) -> str:
    title = Step().title
    if _is_weighted(curves.rankings[0]):
        return "share of positives:"
    return "random order:" if curves.definition.title == title else f"random order: {title}"


def _chance_level(counts: ThresholdCounts) -> float:
    r"""Mean step average precision of all orders of the rows of one ranking.

    .. math:: \frac{1}{n} \left[H_n + (n - H_n) \frac{R - 1}{n - 1}\right]

    for n rows, R of them positive, with the harmonic number :math:`H_n` (Bestgen 2015, whom
    ``AveragePrecisionDisplay`` cites). It approaches R/n as n grows. Rows that were not retrieved
    count, and positives that were never scored do not. Weighted rows have no such mean, and get
    R/n.
    """
    n_unscored = 0.0 if counts.n_unscored is None else float(counts.n_unscored[0])
    n_positive = float(counts.n_positives[0]) - n_unscored
    n = n_positive + float(counts.n_negatives[0])
    if n_positive in (0, n) or _is_weighted(counts):
        return n_positive / n if n else 0.0  # without rows, there is no line
    harmonic = digamma(n + 1) + np.euler_gamma
    return float((harmonic + (n - harmonic) * (n_positive - 1) / (n - 1)) / n)


def _is_weighted(counts: ThresholdCounts) -> bool:
    return counts.fps.dtype.kind == "f"


def _scored_positives(counts: ThresholdCounts) -> float:
    return float(counts.tps[-1]) if counts.tps.size else 0.0
