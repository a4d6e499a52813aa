"""The heart, and the numerical traps around it."""

import dataclasses

import numpy as np
import pytest
import reference

from sklearn_ap import (
    average_precision_score,
    definitions,
    eleven_point_average_precision_score,
    threshold_counts,
)
from sklearn_ap import counts as counts_module
from sklearn_ap._validation import Rankings
from sklearn_ap.counts import ratio, segment_sums


def test_counts_of_a_small_ranking_with_ties():
    counts = threshold_counts([1, 0, 1, 1, 0, 0], [0.9, 0.8, 0.8, 0.3, 0.3, 0.1])
    np.testing.assert_array_equal(counts.thresholds, [0.9, 0.8, 0.3])
    np.testing.assert_array_equal(counts.gained, [1, 1, 1])
    np.testing.assert_array_equal(counts.tps, [1, 2, 3])
    np.testing.assert_array_equal(counts.fps, [0, 1, 2])
    np.testing.assert_array_equal(counts.fps_above, [0, 0, 1])
    np.testing.assert_array_equal(counts.before, [0, 1, 3])
    np.testing.assert_array_equal(counts.size, [1, 2, 2])
    assert (counts.starts, counts.n_positives, counts.n_negatives) == ([0], [3], [3])


def test_counts_print_as_a_summary():
    assert repr(threshold_counts([1, 0, 1], [3, 2, 2], sample_weight=[1, 1, 0.5])) == (
        "ThresholdCounts(rankings=1, thresholds=2, positives=1.5, negatives=1)"
    )


def test_weighted_counts_end_at_the_total():
    rng = np.random.default_rng(0)
    y_true, y_score, weight = rng.integers(0, 2, 1000), rng.random(1000), rng.random(1000)
    counts = threshold_counts(y_true, y_score, sample_weight=weight)
    assert counts.tps[-1] == counts.n_positives[0]  # the same sum, not a second one
    assert counts.n_positives[0] == pytest.approx(weight[y_true == 1].sum())
    assert counts.n_negatives[0] == pytest.approx(weight[y_true == 0].sum())


@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.uint8, bool])
def test_unweighted_counts_are_64_bit_integers(dtype):
    counts = threshold_counts([1, 0, 1], np.array([1, 0, 1], dtype))
    for field in ("gained", "tps", "fps", "fps_above", "n_positives", "n_negatives"):
        assert getattr(counts, field).dtype == np.int64


@pytest.mark.parametrize("n_positives", [0, 1, 3, 5, 6, 50, 99, 100])
@pytest.mark.parametrize("weighted", [False, True])
def test_rare_and_common_positives_are_split_alike(n_positives, weighted):
    rng = np.random.default_rng(n_positives)
    positive = rng.permutation(np.arange(100) < n_positives)
    score, weight = rng.integers(0, 30, 100), rng.integers(1, 9, 100) / 8
    counts = counts_module.count(Rankings(positive, score, weight if weighted else None))
    weight = weight if weighted else np.ones(100)
    np.testing.assert_array_equal(counts.thresholds, np.unique(score[positive])[::-1])
    for i, threshold in enumerate(counts.thresholds):
        above, at = score > threshold, score == threshold
        assert counts.gained[i] == pytest.approx(weight[at & positive].sum())
        assert counts.tps[i] == pytest.approx(weight[(above | at) & positive].sum())
        assert counts.fps[i] == pytest.approx(weight[(above | at) & ~positive].sum())
        assert counts.fps_above[i] == pytest.approx(weight[above & ~positive].sum())


def test_a_partition_counts_all_that_the_first_k_ranks_see():
    rng = np.random.default_rng(0)
    for n in range(2, 40):
        rankings = Rankings(rng.random(n) < 0.4, rng.integers(0, 12, n) / 4)
        every = counts_module.count(rankings)
        for k in range(1, n + 1):
            first = counts_module.count(rankings, k)
            seen = np.count_nonzero(every.before < k)
            assert first.thresholds.size == (seen if k < n // 2 else every.thresholds.size)
            for field in ("thresholds", "gained", "tps", "fps", "fps_above"):
                np.testing.assert_array_equal(
                    getattr(first, field)[:seen], getattr(every, field)[:seen]
                )
            np.testing.assert_array_equal(first.n_positives, every.n_positives)
            np.testing.assert_array_equal(first.n_negatives, every.n_negatives)


def test_counts_beyond_what_float32_can_count():
    n = 2**24 + 10
    y_score = np.zeros(n, np.float32)
    y_score[-1] = -1
    y_true = np.ones(n, dtype=bool)
    y_true[0] = False
    counts = threshold_counts(y_true, y_score)
    np.testing.assert_array_equal(counts.tps, [n - 2, n - 1])


def scaled(counts, factor, dtype=np.int64):
    """The same ranking with each item there many times."""
    fields = ("gained", "tps", "fps", "fps_above", "n_positives", "n_negatives")
    values = {name: (factor * getattr(counts, name)).astype(dtype) for name in fields}
    return dataclasses.replace(counts, **values)


@pytest.mark.parametrize(("factor", "dtype"), [(2**27, np.int32), (2**50, np.int64)])
def test_levels_beyond_what_the_counts_can_multiply(factor, dtype):
    rng = np.random.default_rng(0)
    counts = threshold_counts(rng.integers(0, 2, 15), np.arange(15))
    expected = definitions.Interpolated(11)(counts)
    assert definitions.Interpolated(11)(scaled(counts, factor, dtype)) == pytest.approx(expected)


def test_levels_of_integers_have_no_tolerance():
    """One positive short of 3 in 10 of ten billion: in floats within the tolerance of weights."""
    counts = threshold_counts([1, 0, 1], [3, 2, 1])
    short = dataclasses.replace(
        counts,
        tps=np.array([3 * 10**9 - 1, 10**10]),
        gained=np.array([3 * 10**9 - 1, 7 * 10**9 + 1]),
        fps=np.array([0, 10**10]),
        fps_above=np.array([0, 10**10]),
        n_positives=np.array([10**10]),
    )
    assert definitions.Interpolated(11)(short)[0] == pytest.approx((3 + 8 / 2) / 11)
    exact = dataclasses.replace(short, tps=np.array([3 * 10**9, 10**10]))
    assert definitions.Interpolated(11)(exact)[0] == pytest.approx((4 + 7 / 2) / 11)


def test_weighted_levels_tolerate_a_billionth_and_no_more():
    y_true, y_score = [1, 0, 1], [3, 2, 1]
    for off, reached in ((1e-10, True), (1e-7, False)):
        counts = threshold_counts(y_true, y_score, sample_weight=[1 - off, 1, 1 + off])
        value = definitions.Interpolated([0.5])(counts)
        assert value == pytest.approx(1.0 if reached else 2 / 3, abs=1e-6)


@pytest.mark.parametrize("longest_row", [0, 2, 1024])
def test_totals_of_many_rankings(longest_row, monkeypatch):
    monkeypatch.setattr(counts_module, "LONGEST_ROW", longest_row)
    rankings = Rankings(
        positive=np.array([1, 0, 0, 1, 1, 0], dtype=bool),
        score=np.array([1.0, 2, 3, 1, 2, 3]),
        ranking=np.array([0, 0, 0, 2, 2, 1]),
        n_rankings=4,
    )
    counts = counts_module.count(rankings)
    np.testing.assert_array_equal(counts.n_positives, [1, 0, 2, 0])
    np.testing.assert_array_equal(counts.n_negatives, [2, 1, 0, 0])
    np.testing.assert_array_equal(counts.starts, [0, 1, 1, 3])
    np.testing.assert_array_equal(counts.thresholds, [1, 2, 1])
    np.testing.assert_array_equal(counts.tps_above, [0, 0, 1])
    np.testing.assert_array_equal(counts.fps, [2, 0, 0])


@pytest.mark.parametrize("top", [2**63 - 1, -(2**63) + 2])
def test_integer_scores_never_become_floats(top):
    scores = np.array([top, top - 1, top - 2])
    assert average_precision_score([0, 1, 0], scores) == 0.5


def test_the_largest_unsigned_scores_keep_their_order():
    scores = np.array([2**64 - 1, 2**64 - 2, 0], np.uint64)
    assert average_precision_score([0, 1, 0], scores) == 0.5


def test_scores_of_both_zeros_are_tied():
    assert average_precision_score([1, 0], [0.0, -0.0]) == 0.5


def test_a_weight_too_small_to_move_the_sum_changes_nothing():
    """Its recall is absorbed, and must not leave 0/0 behind."""
    y_true, y_score, weight = [1, 1, 0], [0.9, 0.8, 0.7], [1.0, 1e-20, 1.0]
    counts = threshold_counts(y_true, y_score, sample_weight=weight)
    assert counts.gained.all()
    for definition in (definitions.Step(), definitions.Linear(), definitions.Hyperbolic()):
        assert definition(counts) == 1.0
    assert definitions.AtK(1)(counts) == 1.0


def test_small_weights_do_not_drown_in_another_group():
    y_true, y_score = [1, 0, 1, 0, 1, 0], [3, 2, 1, 3, 2, 1]
    groups, weight = [0, 0, 0, 1, 1, 1], [1e12, 1e12, 1e12, 1e-9, 1e-9, 1e-9]
    values = average_precision_score(
        y_true, y_score, groups=groups, sample_weight=weight, average=None
    )
    assert values == pytest.approx([5 / 6, 1 / 2], abs=1e-15)


def test_ten_million_terms_agree_with_an_exact_sum():
    """One negative in front, and then positives: the mean of i / (i + 1)."""
    n = 10_000_000
    y_true = np.ones(n + 1, dtype=bool)
    y_true[0] = False
    value = average_precision_score(y_true, -np.arange(n + 1.0))
    harmonic = np.log(n + 1) + 0.5772156649015329 + 1 / (2 * (n + 1)) - 1
    assert value == pytest.approx(1 - harmonic / n, abs=1e-12)


def test_recall_levels_of_a_million_drifting_weights():
    """tps meets every tenth of n_positives exactly, up to the drift of a million sums."""
    n = 1_000_000
    y_true = np.ones(n, dtype=bool)
    y_score = -np.repeat(np.arange(10), n // 10)
    value = eleven_point_average_precision_score(y_true, y_score, sample_weight=np.full(n, 0.1))
    assert value == 1.0
    y_true, y_score = np.append(y_true, np.zeros(n, dtype=bool)), np.append(y_score, y_score + 0.5)
    weighted = eleven_point_average_precision_score(
        y_true, y_score, sample_weight=np.full(2 * n, 0.1)
    )
    assert weighted == pytest.approx(eleven_point_average_precision_score(y_true, y_score))


def test_empty_segments_add_up_to_nothing():
    starts = np.array([0, 0, 2, 2, 3, 3])
    np.testing.assert_array_equal(segment_sums(np.array([1.0, 2, 4]), starts), [0, 3, 0, 4, 0, 0])
    np.testing.assert_array_equal(segment_sums(np.empty(0), np.zeros(3, np.intp)), [0, 0, 0])


def test_a_ratio_to_nothing_is_nan_and_silent():
    np.testing.assert_array_equal(ratio(np.array([1.0, 0]), np.array([2, 0])), [0.5, np.nan])


def test_random_rankings_equal_the_reference_under_every_definition():
    """Linear and hyperbolic have no score, so the laws do not reach them."""
    rng = np.random.default_rng(0)
    for _ in range(100):
        n = rng.integers(1, 15)
        y_true, y_score = rng.integers(0, 2, n), rng.integers(0, 5, n)
        weight = rng.choice([0.0, 0.5, 1.0, 3.0], n)
        weight[0] = 1.0
        counts = threshold_counts(y_true, y_score, sample_weight=weight)
        for definition in (definitions.Linear(), definitions.Hyperbolic()):
            ours = definition(counts)[0]
            theirs = getattr(reference, type(definition).__name__.lower())(
                y_true, y_score.tolist(), weight
            )
            assert ours == pytest.approx(np.nan if theirs is None else float(theirs), nan_ok=True)
