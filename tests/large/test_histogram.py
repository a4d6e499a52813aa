"""The histogram: cells in the order of scores, and limits that hold for certain."""

import pickle
import tracemalloc
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st
from recipe import KNOWN, assert_same, chunks, rows

from sklearn_ap import average_precision_score, threshold_counts
from sklearn_ap.definitions import Interpolated, Step
from sklearn_ap.large import ScoreHistogram
from sklearn_ap.large._histogram import LARGEST_FLOAT32

FLOATS = st.floats(width=32, allow_nan=False, allow_infinity=False)
ODD = st.sampled_from(
    [0.0, 0.25, 0.5, -0.0, 1.0, 1 + 2**-24, 5e-324, -1e-45, 3.4e38, -3.4e38, 1e300, -1e300]
)
WEIGHTS = st.sampled_from([0.0, 0.25, 1.0, 3.0, 1e-6, 1e6])


def of(y_true, y_score, bits=20, weight=None):
    histogram = ScoreHistogram(bits)
    histogram.update(y_true, y_score, weight)
    return histogram


@given(st.lists(st.integers(1, 400), min_size=1, max_size=4), st.integers(0, 10**6))
def test_bounds_of_crowded_cells_hold_and_are_tight(sizes, seed):
    """Cells of so many positives that the lower limit takes them in pieces."""
    rng = np.random.default_rng(seed)
    cell = np.repeat(np.arange(1, len(sizes) + 1), sizes)
    y_true, y_score = rng.integers(0, 2, cell.size), cell + rng.random(cell.size) / 2
    y_true[0] = 1
    low, high = of(y_true, y_score, 10).bounds()
    assert low <= average_precision_score(y_true, y_score.astype(np.float32)) <= high
    t = f = total = 0
    for c in np.unique(cell)[::-1]:
        p, q = np.sum(y_true[cell == c]), np.sum(1 - y_true[cell == c])
        total += sum((t + j) / (t + j + f + q) for j in range(1, p + 1))
        t, f = t + p, f + q
    assert total / t - 2e-3 <= low <= total / t + 1e-12


@given(
    st.lists(st.tuples(st.booleans(), FLOATS | ODD, WEIGHTS), min_size=1),
    st.integers(2, 20),
    st.booleans(),
)
def test_bounds_of_any_scores_hold_exactly(triples, bits, is_weighted):
    y_true, y_score, weight = map(np.array, zip(*triples, strict=True))
    weight = weight if is_weighted else None
    low, high = of(y_true, y_score, bits, weight).bounds()
    rounded = np.clip(y_score, -LARGEST_FLOAT32, LARGEST_FLOAT32).astype(np.float32)
    exact = reference.step(y_true, rounded.tolist(), weight)
    if exact is None:
        assert np.isnan([low, high]).all()
    else:
        assert Fraction(low) <= exact <= Fraction(high)


def test_histogram_counts_scores_rounded_down_to_cells():
    n, *_, exact = KNOWN[0]
    y_true, y_score = rows(0, n)
    low, high = of(y_true, y_score, 20, np.ones(n)).bounds()
    assert low < exact < high < low + 3e-3
    histogram = of(y_true, y_score)
    low, high = histogram.bounds(Step())
    assert low < exact < high < low + 8e-4
    assert Step()(histogram.counts())[0] == pytest.approx(exact, abs=1e-4)
    rounded = histogram._lowest_scores(histogram._find_cells(y_score))
    assert (rounded <= y_score).all()
    assert_same(histogram.counts(), threshold_counts(y_true, rounded))
    few = of([1, 0, 1], [-3.0, -4.0, 1.0], bits=2).counts()
    assert few.thresholds.tolist() == [0.0, -LARGEST_FLOAT32]
    assert of([1, 0], [0.0, -0.0]).counts().fps == [1]  # they are tied


def test_small_update_does_not_allocate_all_cells():
    histogram = ScoreHistogram(24)  # 128 MB for each label
    tracemalloc.start()
    histogram.update([1, 0], [0.9, 0.8])
    assert tracemalloc.get_traced_memory()[1] < 1e6
    tracemalloc.stop()


def test_histograms_of_batches_days_and_workers_add_up():
    days = [ScoreHistogram() for _ in range(3)]
    for i, (y_true, y_score) in enumerate(chunks(9_000, 500)):
        days[i % 3].update(y_true, y_score)
    days[1] = pickle.loads(pickle.dumps(days[1]))
    assert_same(sum(days).counts(), of(*rows(0, 9_000)).counts())
    assert sum(days[:1]) is not days[0]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        *((partial(ScoreHistogram, bits), "bits must be a whole") for bits in (1, 29, 2.5, True)),
        (lambda: ScoreHistogram() + ScoreHistogram(19), r"bits=19.* have other cells"),
        (lambda: ScoreHistogram() + ScoreHistogram(pos_label=0), "another positive label"),
        (lambda: ScoreHistogram() + 1, "unsupported operand"),
        (lambda: 1 + ScoreHistogram(), "unsupported operand"),
        (partial(of([1, 0], [2, 1]).bounds, Interpolated()), r"known for Step\(\) alone, not for"),
        (partial(of([1, 0], [2, 1]).bounds, np.array([1, 0])), "Limits are known for Step"),
        ((of([0, 1], [2, 1]) + of([-1], [3])).counts, "multiclass format is not supported"),
        (partial(of, ["no", "yes"], [2, 1]), "pos_label is not specified"),
        (ScoreHistogram().counts, "there is nothing to score"),
    ],
)
def test_invalid_histogram_calls_are_refused(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call()


@pytest.mark.parametrize(
    ("y_true", "y_score", "message"),
    [
        ([1, 0], [1.0, np.nan], "this update: y_score contains NaN"),
        ([0, 2], [3, 4], "multiclass format is not supported"),
    ],
)
def test_a_wrong_update_changes_nothing(y_true, y_score, message):
    histogram = of([1, 0], [2, 1])
    with pytest.raises(ValueError, match=message):
        histogram.update(y_true, y_score)
    assert Step()(histogram.counts()) == 1.0


def test_very_low_finite_scores_count_as_retrieved():
    y_true, y_score = np.array([1, 0, 1, 0]), np.float32([-3e38, -1e38, 1.0, -np.inf])
    assert Step()(of(y_true, y_score).counts())[0] == pytest.approx((1 + 2 / 3) / 2)


@pytest.mark.parametrize(
    "weight", [0.1, 0.3]
)  # the sum of these divided by their total is below or above 1
def test_weighted_bounds_allow_for_rounding_of_sums(weight):
    low, high = of(np.ones(1000, int), np.arange(1000), 20, np.full(1000, weight)).bounds()
    assert 1 - 1e-8 < low < 1 == high


def test_weighted_unweighted_and_unretrieved_batches_add_up():
    both = of([1, 0], [2.0, 1.0])
    both.update([1, 0, 1], [3.0, 2.5, -np.inf], sample_weight=[2, 0.5, 4])
    total = (both + of([0, 1, 0, 0], [9.0, *[-np.inf] * 3])).counts()
    assert (total.n_positives[0], total.n_negatives[0]) == (8, 4.5)
