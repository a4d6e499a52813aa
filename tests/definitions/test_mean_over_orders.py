"""What sets expected average precision apart."""

import math
from fractions import Fraction

import numpy as np
import pytest

from sklearn_ap import definitions, threshold_counts
from sklearn_ap._counts.thresholds import ThresholdCounts, select_thresholds
from tests.helpers.first_cases import quick


def counts_of(above, block):
    """Counts of one block of tied rows below another one: (positives, rows) of each."""
    gained, size = np.array([above, block]).T
    fps = np.cumsum(size - gained)
    start, columns = np.zeros(1, int), (gained.cumsum(), fps, fps - (size - gained))
    made = ThresholdCounts(-np.arange(2.0), gained, *columns, start, gained[None].sum(1), fps[1:])
    return select_thresholds(made, gained > 0)


@pytest.mark.parametrize("size", quick([127, 128, 129, 200, 40_000], 4))
@pytest.mark.parametrize("k_in_block", [None, 129, 10_000])
def test_long_tied_blocks_equal_the_sum_over_ranks(subtests, size, k_in_block):
    for n_above in [0, 1, 100, 129, 200, 20_000, 39_999, 40_000, 40_001, 10**7, 10**12]:
        with subtests.test(f"{n_above} rows stand above"):
            n_ranks = size if k_in_block is None else min(k_in_block, size)
            k = None if k_in_block is None else n_above + k_in_block
            for n_hits_above in {0, n_above // 3, n_above}:
                for n_hits in (1, size // 3, size):
                    counts = counts_of((n_hits_above, n_above), (n_hits, size))
                    other, j = Fraction(n_hits - 1, size - 1), np.arange(n_ranks)
                    terms = (n_hits_above + 1 + j * float(other)) / (n_above + 1 + j)
                    height = definitions.Expected(k).heights(counts)[-1]
                    assert height == pytest.approx(math.fsum(terms) / size, rel=1e-12)


def test_tied_block_of_ten_billion_rows_has_a_closed_form():
    n, n_hits, k = 10**10, 10**8, 10**9
    harmonic = math.log(k) + np.euler_gamma + 1 / (2 * k)
    other = (n_hits - 1) / (n - 1)
    total = n_hits / n * ((1 - other) * harmonic + other * k)
    value = definitions.Expected(k)(counts_of((0, 0), (n_hits, n)))[0]
    assert value == pytest.approx(total / n_hits, rel=1e-12)


RNG = np.random.default_rng(2)
Y = (RNG.random(120) < 0.3) * 1
FINE = Y + RNG.normal(size=120)  # without ties


def test_expected_without_ties_has_the_influence_of_step():
    counts = threshold_counts(Y, FINE)
    step, expected = (each().influence(counts) for each in (definitions.Step, definitions.Expected))
    for name in ("positive", "tied", "between", "unscored"):
        np.testing.assert_allclose(getattr(expected, name), getattr(step, name), rtol=1e-12)


def test_influence_approximates_the_leave_one_out_change():
    """Also of tied rows, and of those above and below a tied block."""
    y, s = np.tile(Y, 3), np.round(np.tile(FINE, 3) + RNG.normal(0, 0.1, 360), 1)
    counts = threshold_counts(y, s)
    influence, compared = definitions.Expected().influence(counts), []
    for row in np.flatnonzero(s >= counts.thresholds[-1]):
        place = np.count_nonzero(counts.thresholds > s[row])
        is_tied = counts.thresholds[place] == s[row]
        of_negative = influence.tied if is_tied else influence.between
        of_class = influence.positive if y[row] else of_negative
        left = definitions.Expected()(threshold_counts(np.delete(y, row), np.delete(s, row)))
        compared.append((of_class[place], (definitions.Expected()(counts) - left)[0]))
    found, changes = np.transpose(compared)
    # The derivative differs from a whole row at the top, where few rows stand above.
    is_lower = np.abs(changes) < np.abs(changes).max() / 2
    np.testing.assert_allclose(found, changes, rtol=0, atol=0.1 * np.abs(changes).max())
    np.testing.assert_allclose(found[is_lower], changes[is_lower], rtol=0.05, atol=3e-5)


def test_weighted_counts_have_no_value_and_no_influence():
    counts = threshold_counts([1, 0], [1, 1], sample_weight=[0.5, 1])
    assert definitions.Expected().influence(counts) is None
    with pytest.raises(ValueError, match=r"^Expected\(\) takes unweighted counts"):
        definitions.Expected()(counts)
