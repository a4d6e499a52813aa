"""Sums within segments beside exact sums, whole numbers, effective numbers."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_ap import _arithmetic

SIZES = st.lists(st.sampled_from([0, 0, 1, 2, 3, 7]), min_size=1, max_size=8)


def test_ranges_begin_at_0():
    assert _arithmetic.ranges(np.array([1, 0, 3, 2])).tolist() == [0, 0, 1, 2, 0, 1]


@pytest.mark.parametrize("short", [1, 2, 64])
@given(sizes=SIZES, exponents=st.lists(st.integers(-9, 9), min_size=8, max_size=8))
def test_sums_of_each_segment_keep_their_digits_beside_larger_ones(short, sizes, exponents):
    parts = [10.0**i * (1 + np.arange(size) / 7) for size, i in zip(sizes, exponents, strict=False)]
    values, starts = np.concatenate(parts), np.cumsum([0, *sizes[:-1]])
    before = values.copy()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_arithmetic, "SHORT_SEGMENT", short)
        running = _arithmetic.running_sums(values, starts)
    exact = [[float(sum(map(Fraction, part[:i]))) for i in range(part.size + 1)] for part in parts]
    np.testing.assert_allclose(running, np.concatenate([each[1:] for each in exact]), rtol=1e-14)
    totals = [each[-1] for each in exact]
    np.testing.assert_allclose(_arithmetic.segment_sums(values, starts), totals, rtol=1e-14)
    np.testing.assert_array_equal(values, before)
    counted = _arithmetic.segment_sums(np.ones(values.size, int), starts)
    np.testing.assert_array_equal(counted, np.array(sizes, np.float64), strict=True)


@given(sizes=SIZES)
def test_running_sums_of_integers_are_exact_beyond_floats(sizes):
    parts = [2**55 + np.arange(size) for size in sizes]
    found = _arithmetic.running_sums(np.concatenate(parts), np.cumsum([0, *sizes[:-1]]))
    np.testing.assert_array_equal(found, np.concatenate([*map(np.cumsum, parts)]), strict=True)


@given(ranking=st.lists(st.integers(0, 6), max_size=40))
def test_items_of_a_ranking_keep_their_order(ranking):
    ranking = np.array(ranking, np.intp)
    expected = ranking.argsort(kind="stable")
    np.testing.assert_array_equal(_arithmetic.order_by_ranking(ranking, 7), expected, strict=True)


def test_sums_are_whole_up_to_relative_rounding():
    sums = np.array([0, 3, 3 + 1e-12, 1e20, 2 + 1e-9, 0.5, 1e-13])
    assert _arithmetic.are_whole_numbers(sums).tolist() == [1, 1, 1, 1, 0, 0, 0]


@pytest.mark.parametrize("scale", [1, 1e-100, 1e100])
def test_effective_number_is_kishs_at_any_scale(scale):
    assert _arithmetic.effective_number(scale * np.array([1, 2, 3])) == pytest.approx(36 / 14)
    assert _arithmetic.effective_number(scale * np.zeros(2)) == 0


def test_effective_number_of_repeated_weights_is_that_of_each_weight():
    weights, repeats = np.array([1.0, 2, 3]), np.array([4, 2, 1])
    each = _arithmetic.effective_number(np.repeat(weights, repeats))
    assert _arithmetic.effective_number(weights, repeats) == pytest.approx(each)


def test_a_share_that_rounding_lowered_still_reaches_its_level():
    shares = 0.3 * np.array([1 - 3e-9, 1 - 1e-9, 1, 1 + 1e-9])
    assert _arithmetic.reach(shares, 0.3, 2e-9).tolist() == [False, True, True, True]


def test_a_precision_of_1_has_no_false_positive_whatever_its_weight():
    precision, fps = np.array([1.0, 1 - 1e-12, 0.9]), np.array([0, 1e-12, 1])
    found = _arithmetic.reach_precision(precision, fps, 1, 1e-9)
    assert found.tolist() == [True, False, False]
    assert _arithmetic.reach_precision(precision, fps, 0.9, 1e-9).all()
