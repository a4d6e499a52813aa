"""The histogram: cells in the order of scores, and limits that hold for certain."""

import pickle
import tracemalloc
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from every import every
from hypothesis import given
from hypothesis import strategies as st
from recipe import assert_same, chunks, rows

from sklearn_ap import average_precision_score, threshold_counts
from sklearn_ap.definitions import Interpolated, Step
from sklearn_ap.large import ScoreHistogram
from sklearn_ap.large._histogram import LARGEST

FLOATS = st.floats(width=32, allow_nan=False, allow_infinity=False)
ODD = st.sampled_from(
    [0.0, 0.25, 0.5, -0.0, 1.0, 1 + 2**-24, 5e-324, -1e-45, 3.4e38, -3.4e38, 1e300, -1e300]
)


def of(y_true, y_score, bits=20):
    histogram = ScoreHistogram(bits)
    histogram.update(y_true, y_score)
    return histogram


@given(st.lists(st.integers(1, 400), min_size=1, max_size=4), st.integers(0, 10**6))
def test_limits_of_crowded_cells_hold(sizes, seed):
    """Cells of so many positives that the lower limit takes them in pieces."""
    rng = np.random.default_rng(seed)
    cell = np.repeat(np.arange(1, len(sizes) + 1), sizes)
    y_true, y_score = rng.integers(0, 2, cell.size), cell + rng.random(cell.size) / 2
    y_true[0] = 1
    low, high = of(y_true, y_score, 10).bounds()
    assert low <= average_precision_score(y_true, y_score.astype(np.float32)) <= high
    # The limits cannot be wider than those of the exact sum over each rank by much.
    exact = exact_low(y_true, cell)
    assert exact - 2e-3 <= low <= exact + 1e-12


def exact_low(y_true, cell):
    t = f = total = 0
    for c in np.unique(cell)[::-1]:
        p, q = np.sum(y_true[cell == c]), np.sum(1 - y_true[cell == c])
        total += sum((t + j) / (t + j + f + q) for j in range(1, p + 1))
        t, f = t + p, f + q
    return total / t


@given(st.lists(FLOATS, min_size=2, unique=True), st.integers(2, 28))
def test_cells_keep_the_order_of_scores(scores, bits):
    histogram = ScoreHistogram(min(bits, 20))
    cells = histogram._cells(np.sort(np.array(scores)))
    assert (np.diff(cells) >= 0).all()
    assert np.ptp(histogram._cells(np.array([0.0, -0.0]))) == 0  # they are tied
    lowest = histogram._lowest(cells)
    assert (lowest <= np.sort(np.array(scores, np.float32))).all()


@given(st.lists(st.tuples(st.booleans(), FLOATS | ODD), min_size=1), st.sampled_from([2, 9, 20]))
def test_limits_of_any_scores_hold_in_fractions(pairs, bits):
    y_true, y_score = map(np.array, zip(*pairs, strict=True))
    low, high = of(y_true, y_score, bits).bounds()
    if not y_true.any():
        assert np.isnan([low, high]).all()
        return
    rounded = np.clip(y_score, -LARGEST, LARGEST).astype(np.float32)
    assert Fraction(low) <= exact_step(y_true, rounded) <= Fraction(high)


def test_thresholds_of_few_cells_are_numbers():
    histogram = ScoreHistogram(2)
    histogram.update([1, 0, 1], [-3.0, -4.0, 1.0])
    assert histogram.counts().thresholds.tolist() == [0.0, -LARGEST]


def exact_step(y_true, y_score):
    total = Fraction(0)
    for score in y_score[y_true]:
        reached = y_score >= score
        total += Fraction(int(y_true[reached].sum()), int(reached.sum()))
    return total / int(y_true.sum())


def test_a_small_update_takes_no_memory_of_all_cells():
    histogram = ScoreHistogram(24)  # 128 MB for each label
    tracemalloc.start()
    histogram.update([1, 0], [0.9, 0.8])
    assert tracemalloc.get_traced_memory()[1] < 1e6
    tracemalloc.stop()


def test_counts_are_those_of_scores_rounded_to_cells():
    y_true, y_score = rows(0, 100_000)
    histogram = of(y_true, y_score, 12)
    rounded = histogram._lowest(histogram._cells(y_score))
    assert_same(histogram.counts(), threshold_counts(y_true, rounded))


def test_at_20_bits_limits_are_close_and_the_rounded_score_is_closer():
    y_true, y_score = rows(0, 1_000_000)
    histogram = of(y_true, y_score)
    low, high = histogram.bounds(Step())
    exact = 0.033133743240624805
    assert low < exact < high < low + 8e-4
    assert Step()(histogram.counts())[0] == pytest.approx(exact, abs=1e-4)


def test_batches_days_and_workers_add_up():
    days = [ScoreHistogram() for _ in range(3)]
    for day, histogram in enumerate(days):
        for y_true, y_score in list(chunks(9_000, 500))[6 * day : 6 * day + 6]:
            histogram.update(y_true, y_score)
    days[1] = pickle.loads(pickle.dumps(days[1]))
    before = days[0].counts()
    week = sum(days)
    assert_same(week.counts(), of(*rows(0, 9_000)).counts())
    assert sum(days[:1]) is not days[0]
    assert_same(sum(days[:1]).counts(), before)


def add(one, other):
    return one + other


@every(
    ("call", "message"),
    [
        *((partial(ScoreHistogram, bits), "bits must be a whole") for bits in (1, 29, 2.5, True)),
        (partial(add, ScoreHistogram(), ScoreHistogram(19)), r"bits=19.* have other cells"),
        (partial(add, ScoreHistogram(), ScoreHistogram(pos_label=0)), "another positive label"),
        (partial(add, ScoreHistogram(), 1), "unsupported operand"),
        (partial(of([1, 0], [2, 1]).bounds, Interpolated()), r"known for Step\(\) alone, not for"),
        (partial(of([1, 0], [2, 1]).bounds, np.array([1, 0])), "Limits are known for Step"),
        ((of([0, 1], [2, 1]) + of([-1], [3])).counts, "multiclass format is not supported"),
        (partial(of, ["no", "yes"], [2, 1]), "pos_label is not specified"),
        (ScoreHistogram().counts, "there is nothing to score"),
    ],
)
def test_what_makes_no_sense_is_refused(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call()


@every(
    ("y_true", "y_score", "message"),
    [
        ([1, 0], [1.0, np.nan], "this update: y_score contains NaN"),
        ([1, 0], [1.0], "this update: Found input variables with inconsistent"),
        ([0, 2], [3, 4], "multiclass format is not supported"),
    ],
)
def test_a_wrong_update_changes_nothing(y_true, y_score, message):
    histogram = of([1, 0], [2, 1])
    with pytest.raises(ValueError, match=message):
        histogram.update(y_true, y_score)
    assert Step()(histogram.counts()) == 1.0


def test_with_a_positive_label_others_may_still_come():
    histogram = ScoreHistogram(pos_label="yes")
    histogram.update(["no", "maybe"], [2, 1])
    histogram.update(["yes"], [3])
    assert Step()(histogram.counts()) == 1.0


def test_the_lowest_finite_scores_were_retrieved():
    y_true, y_score = np.array([1, 0, 1, 0]), np.float32([-3e38, -1e38, 1.0, -np.inf])
    found = Step()(of(y_true, y_score).counts())[0]
    assert found == average_precision_score(y_true, y_score) == pytest.approx((1 + 2 / 3) / 2)


WEIGHTS = st.sampled_from([0.0, 0.25, 1.0, 3.0, 1e-6, 1e6])


@given(st.lists(st.tuples(st.booleans(), FLOATS | ODD, WEIGHTS), min_size=1), st.integers(2, 20))
def test_limits_hold_with_weights(triples, bits):
    y_true, y_score, weight = map(np.array, zip(*triples, strict=True))
    histogram = ScoreHistogram(bits)
    histogram.update(y_true, y_score, weight)
    low, high = histogram.bounds()
    if not weight[y_true].any():
        assert np.isnan([low, high]).all()
        return
    rounded = np.clip(y_score, -LARGEST, LARGEST).astype(np.float32)
    exact = average_precision_score(y_true, rounded, sample_weight=weight)
    assert low <= exact <= high


def test_weights_are_repeated_rows():
    y_true, y_score = rows(0, 20_000)
    weight = np.arange(20_000) % 3
    weighted, repeated = ScoreHistogram(), of(y_true.repeat(weight), y_score.repeat(weight))
    weighted.update(y_true[:9_000], y_score[:9_000], weight[:9_000])
    weighted.update(y_true[9_000:], y_score[9_000:], sample_weight=weight[9_000:])
    assert Step()(weighted.counts()) == pytest.approx(Step()(repeated.counts()), abs=1e-12)
    low, high = weighted.bounds()
    exact_low, exact_high = repeated.bounds()
    assert exact_low - 2e-3 < low < exact_low
    assert high == pytest.approx(exact_high, abs=1e-8)


@every("weight", [0.1, 0.3])
def test_limits_with_weights_know_how_far_their_sums_are_rounded(weight):
    perfect = (
        ScoreHistogram()
    )  # the sum of these weights divided by their total is below or above 1
    perfect.update(np.ones(1000, int), np.arange(1000), np.full(1000, weight))
    assert 1 - 1e-8 < perfect.bounds()[0] < 1 == perfect.bounds()[1]


def test_batches_with_and_without_weights_add_up_and_what_was_not_retrieved():
    both = of([1, 0], [2.0, 1.0])
    both.update([1, 0, 1], [3.0, 2.5, -np.inf], sample_weight=[2, 0.5, 4])
    counts = both.counts()
    assert (counts.n_positives[0], counts.n_negatives[0]) == (7, 1.5)
    total = sum([both, of([0, 1, 0, 0], [9.0, *[-np.inf] * 3])]).counts()
    assert (total.n_positives[0], total.n_negatives[0]) == (8, 4.5)
