"""What the former engine asks of a definition: sizes, and the bias."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from sklearn_ap import ThresholdCounts, threshold_counts
from sklearn_ap._uncertainty.former.sizes_and_biases import (
    effective_size,
    jackknife_bias,
    over_all_recalls,
)
from sklearn_ap.definitions import (
    AtK,
    Expected,
    Hyperbolic,
    Interpolated,
    Linear,
    PrecisionAtK,
    RecallAtK,
    ReciprocalRank,
    Step,
)
from sklearn_ap.definitions._prevalence import at_prevalence

Y_TRUE = np.array([1, 1, 0, 1, 0, 1, 0, 0, 0, 1])
SIMPLE = threshold_counts(Y_TRUE, [0.9, 0.8, 0.8, 0.7, 0.6, 0.6, 0.4, 0.3, 0.3, 0.1])
ONE = np.ones(1)


@pytest.mark.parametrize(
    ("definition", "size", "size_of_2_units"),
    [
        (Step(), 5, 5),
        (AtK(3), 3, 2),
        (AtK(7), 5, 2),
        (PrecisionAtK(7), 7, 2),
        (RecallAtK(3), 5, 5),
        (ReciprocalRank(3), 1, 1),
    ],
)
def test_values_rest_on_positives_or_on_ranks(definition, size, size_of_2_units):
    assert effective_size(definition, SIMPLE) == [size]
    assert effective_size(definition, SIMPLE, 2 * ONE) == [size_of_2_units]
    if definition.depth is None:
        assert effective_size(at_prevalence(definition, 0.1), SIMPLE) == [size]


def test_definitions_at_a_prevalence_answer_as_what_they_wrap():
    assert over_all_recalls(at_prevalence(Interpolated(101), 0.1)) == at_prevalence(
        Interpolated(), 0.1
    )
    assert over_all_recalls(at_prevalence(Interpolated(11), 0.1)) is None
    assert over_all_recalls(Step()) == Step()
    assert np.isnan(jackknife_bias(Interpolated(), SIMPLE)).all()
    assert np.isnan(jackknife_bias(Expected(3), SIMPLE)).all()


def many_times(times):
    names = ("gained", "tps", "fps", "fps_above", "n_positives", "n_negatives")
    return replace(SIMPLE, **{name: getattr(SIMPLE, name) * times for name in names})


@pytest.mark.parametrize("definition", [Step(), Linear(), Hyperbolic()])
@pytest.mark.parametrize("times", [10**8, 10**9, 10**11, 10**13, 9 * 10**15, 10**17])
def test_rounding_in_huge_samples_does_not_appear_as_bias(definition, times):
    """The bias falls as one over their number, and the standard error as one over its root."""
    expected = jackknife_bias(definition, many_times(1000))[0] * 1000 / times
    noise = 0.02 * 0.45 / np.sqrt(times)
    assert jackknife_bias(definition, many_times(times))[0] == pytest.approx(expected, abs=noise)


def test_bias_is_accurate_with_very_many_negatives():
    """Where precision is low, twice as many negatives halve the value, and so the bias."""
    each, size = np.array([10**6, 10**11]), np.array([20, 20])
    tps, fps = np.tile(np.arange(1, 21), 2), np.outer(each, np.arange(1, 21) ** 2).ravel()
    columns = -np.tile(np.arange(20.0), 2), np.ones(40, int), tps, fps, fps
    counts = ThresholdCounts(*columns, np.array([0, 20]), size, 400 * each)
    few, many = jackknife_bias(Step(), counts) * each
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
    assert jackknife_bias(Step(), counts)[0] == pytest.approx(expected, rel=1e-12)
