"""The test that all segments are equal, and what is said beside single differences."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import chi2, norm

from sklearn_ap import FoldPredictions, compare_segments
from sklearn_ap.definitions import AtK, Interpolated, Linear

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
WHOLE = ", but no single one can be"
SINGLE = "although single ones do."


def made(shifts, n_positives=60, seed=0):
    """Segments of so many positives of 10%, whose distance between the classes is a shift."""
    rng, segments = np.random.default_rng(seed), np.repeat(range(len(shifts)), 10 * n_positives)
    y = np.tile(np.repeat([1, 0], [n_positives, 9 * n_positives]), len(shifts))
    return y, rng.normal(size=y.size) + np.array(shifts)[segments] * y, segments


SPREAD = made(np.linspace(1.1, 1.9, 10), seed=7)
ONE_WORSE = made([1.5] * 9 + [0.9], seed=27)
TWO = made([1.2, 1.8])
OUT_OF_FOLD = {"y_score": TWO[1], "folds": np.arange(1200) % 5}


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"prevalence": None},
        {"prevalence": 0.02, "definition": Interpolated()},
        {"prevalence": None, "definition": AtK(10)},
        {"clusters": np.arange(1200) % 70},
        {"clusters": np.arange(1200) // 4},
        {"y_score": FoldPredictions(OUT_OF_FOLD, pooling="ranks")},
        {"sample_weight": np.arange(1200) % 7 + 1.0},
        {"reference": 1, "alternative": "less"},
    ],
)
def test_homogeneity_of_two_segments_is_the_difference_p_value(options):
    rows = dict(zip(("y_true", "y_score", "segments"), TWO, strict=True))
    given = rows | options
    found = compare_segments(**given)
    two_sided = compare_segments(**given | {"reference": "others", "alternative": "two-sided"})
    assert found.homogeneity_pvalue == two_sided.pvalues[0] == two_sided.pvalues[1]
    assert 0 < found.homogeneity_pvalue < 1


@pytest.mark.parametrize("n", [9, 3])
def test_segments_of_fewer_than_10_positives_are_not_tested(n):
    """Of two others, it is the p-value of their difference, as limits of MOVER then touch 0."""
    y, s, segments = made([1.2, 1.8, 1.5])
    few = (segments < 2) | (y == 0) | (np.cumsum(y * (segments == 2)) <= n)
    rows = y[few], s[few], segments[few]
    found = compare_segments(*rows, reference=1)
    assert found.homogeneity_pvalue == pytest.approx(found.pvalues[0], rel=1e-9)
    other = compare_segments(y[few], np.where(segments == 2, -s, s)[few], segments[few])
    assert other.homogeneity_pvalue == pytest.approx(found.homogeneity_pvalue)


@pytest.mark.parametrize("seed", range(4))
def test_squared_distances_sum_to_k_minus_1_at_the_p_value(seed):
    """Of the value from which they are least; Linear has hardly a bias."""
    options = {"prevalence": None, "definition": Linear()}
    rows = made(np.linspace(1.3, 1.8, 6), n_positives=300, seed=seed)
    found = compare_segments(*rows, **options)
    z = np.sqrt(chi2.isf(found.homogeneity_pvalue, 5) / 5)
    at = compare_segments(*rows, **options, confidence_level=1 - 2 * norm.sf(z))

    def total(m):
        lengths = np.where(m > at.estimates, at.highs - at.estimates, at.estimates - at.lows)
        return np.sum(((at.estimates - m) / lengths) ** 2)

    ends = at.estimates.min(), at.estimates.max()
    least = minimize_scalar(total, bounds=ends, method="bounded").fun
    assert least == pytest.approx(5, rel=0.01)


def test_joint_test_finds_small_differences_that_single_tests_miss():
    found = compare_segments(*SPREAD)
    assert found.homogeneity_pvalue < 0.05 < found.adjusted_pvalues.min()
    assert WHOLE in repr(found)
    assert WHOLE in repr(compare_segments(*SPREAD, reference="previous", alternative="greater"))
    sure = compare_segments(*SPREAD, confidence_level=1 - found.homogeneity_pvalue / 2)
    assert WHOLE not in repr(sure)


def test_one_difference_may_be_significant_where_the_joint_test_is_not():
    found = compare_segments(*ONE_WORSE)
    assert found.adjusted_pvalues.min() < 0.05 < found.homogeneity_pvalue
    assert SINGLE in " ".join(repr(found).split())
    less = compare_segments(*ONE_WORSE, reference=3, alternative="less")
    assert less.adjusted_pvalues[9] < 0.05
    assert SINGLE in " ".join(repr(less).split())


def test_both_tests_are_not_contrasted_if_they_agree():
    for shifts in ([1.5] * 4, [1.5, 1.5, 0.2]):
        text = repr(compare_segments(*made(shifts)))
        assert "as a whole" in text
        assert "single" not in text


def test_clusters_across_segments_fall_back_to_smallest_adjusted_p_value():
    alone = compare_segments(*SPREAD)
    nested = compare_segments(*SPREAD, clusters=np.arange(6000))
    assert nested.homogeneity_pvalue == pytest.approx(alone.homogeneity_pvalue)
    shared = compare_segments(*SPREAD, clusters=np.arange(6000) % 2500)
    assert shared.homogeneity_pvalue == shared.adjusted_pvalues.min()


def test_homogeneity_is_invariant_and_1_for_equal_segments():
    y, s, segments = SPREAD
    order, names = (np.random.default_rng(0).permutation(n) for n in (y.size, 10))
    found = compare_segments(y, s, segments)
    other = compare_segments(y[order], np.exp(s[order]), names[segments][order], reference=2)
    assert other.homogeneity_pvalue == pytest.approx(found.homogeneity_pvalue)
    kept = segments == 4
    same = np.tile(y[kept], 3), np.tile(s[kept], 3), np.repeat(range(3), kept.sum())
    assert compare_segments(*same).homogeneity_pvalue == 1


def test_200_equal_segments_of_few_positives_are_rarely_called_different():
    """Limits at the level of the p-value itself would be as wide as all scores are possible."""
    pvalues = [
        compare_segments(*made([1.5] * 200, n_positives=12, seed=seed)).homogeneity_pvalue
        for seed in range(10)
    ]
    # Of 10 samples, 0.5 are expected, with a standard deviation of 0.7.
    assert np.sum(np.array(pvalues) < 0.05) <= 0.5 + 3 * 0.7


def test_certain_differences_have_a_p_value_of_machine_precision():
    perfect = made([30, 30, -30, -30], n_positives=2000)
    found = compare_segments(*perfect)
    assert 0 < found.homogeneity_pvalue <= 2.0**-52
