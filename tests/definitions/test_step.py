"""What sets step average precision apart."""

import math
from fractions import Fraction

import numpy as np
import pytest

from sklearn_ap import ThresholdCounts, definitions


def test_bias_is_accurate_with_very_many_negatives():
    """Where precision is low, twice as many negatives halve the value, and so the bias."""
    each, size = np.array([10**6, 10**11]), np.array([20, 20])
    tps, fps = np.tile(np.arange(1, 21), 2), np.outer(each, np.arange(1, 21) ** 2).ravel()
    columns = -np.tile(np.arange(20.0), 2), np.ones(40, int), tps, fps, fps
    counts = ThresholdCounts(*columns, np.array([0, 20]), size, 400 * each)
    few, many = definitions.Step().bias(counts) * each
    assert few == pytest.approx(many, rel=1e-5)


def precision(tp, fp):
    return tp / (tp + fp) if tp else Fraction(0)


def exact_bias(tps, fps, total):
    """The jackknife of positives one by one and of negatives, in fractions: what each changes."""
    p, n = map(Fraction, total)
    changes = []
    for t, f in zip(map(Fraction, tps), map(Fraction, fps), strict=True):
        more_n, more_p, whole = n / (n - 1), p / (p - 1), precision(t, f)
        above, below = precision((t - 1) * more_p, f), precision(t * more_p, f)
        of_positives = (t - 1) * (above - whole) + (p - t) * (below - whole)
        above, below = precision(t, (f - 1) * more_n), precision(t, f * more_n)
        of_negatives = f * (above - whole) + (n - f) * (below - whole)
        changes.append(float(of_positives + of_negatives * (n - 1) / n))
    return math.fsum(changes) / len(changes)


def test_bias_is_accurate_with_ten_million_positives():
    """A difference of two sums had an error of 1e-4 here, and of 2% with more thresholds."""
    each, rng = 10**4, np.random.default_rng(0)
    tied = rng.geometric(0.1, 1000) * each
    tps, fps = np.arange(1, 1001) * each, np.cumsum(tied)
    totals = np.array([tps[-1]]), np.array([2 * fps[-1]])
    columns = -np.arange(1000.0), np.full(1000, each), tps, fps, fps - tied
    counts = ThresholdCounts(*columns, np.array([0]), *totals)
    expected = exact_bias(tps.tolist(), fps.tolist(), [total.item() for total in totals])
    assert definitions.Step().bias(counts)[0] == pytest.approx(expected, rel=1e-12)
