"""Intervals at another prevalence, and with heavy negatives: the classes are two samples."""

import warnings

import numpy as np
import pytest
from hypothesis import assume, given
from interval_data import SMOOTH, Rough, S, Y, assert_same, drawn, jackknife, models, query_data
from registry import WEIGHTS, predictions, score
from scipy import stats

import sklearn_ap
from sklearn_ap import (
    AveragePrecisionInterval,
    UncertaintyWarning,
    average_precision_interval,
    compare_average_precision,
    threshold_counts,
)
from sklearn_ap.definitions import AtK, Step
from sklearn_ap.definitions._prevalence import at_prevalence

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
HERE = {"prevalence": 0.1}


def moved_by_rows(y, s, w=None, definition=Step(), **options):
    """What each row moves the score by, as differences of scores."""
    w = np.ones(y.size) if w is None else w
    moved = []
    for row, step in enumerate(1e-5 * w):
        up, down = w.copy(), w.copy()
        up[row] += step
        down[row] -= step
        scores = [score(definition, y, s, sample_weight=each, **options) for each in (up, down)]
        moved.append((scores[0] - scores[1]) / 2e-5)
    return np.array(moved)


def uncertainty(found):
    """The standard error without the factor of a small sample."""
    return found.standard_error * np.sqrt(1 - 1 / found.n_effective)


@pytest.mark.parametrize("definition", SMOOTH, ids=repr)
@pytest.mark.parametrize("prevalence", [0.02, 0.3, 0.9])
def test_the_variance_is_that_of_a_score_whose_classes_keep_their_shares(prevalence, definition):
    """A heavier row takes weight from its class, and none from the other."""
    y, s = drawn(120)
    moved = moved_by_rows(y, s, definition=definition, prevalence=prevalence)
    for label in (0, 1):
        assert moved[y == label].sum() == pytest.approx(0, abs=1e-6)
    found = average_precision_interval(y, s, definition=definition, prevalence=prevalence)
    factor = max(found.n_effective, 1) / max(found.n_effective - 1, 1)
    assert found.standard_error == pytest.approx(np.sqrt(moved @ moved * factor), rel=1e-6)


def test_the_variance_of_weighted_rows_in_clusters():
    y, s = drawn(600)
    rng = np.random.default_rng(1)
    w, clusters = rng.lognormal(0, 0.1, size=600), rng.integers(0, 300, 600)
    moved = np.bincount(clusters, moved_by_rows(y, s, w, **HERE))
    found = average_precision_interval(y, s, sample_weight=w, clusters=clusters, **HERE)
    assert uncertainty(found) == pytest.approx(np.sqrt(moved @ moved), rel=1e-6)


def test_the_standard_error_is_that_of_two_samples_drawn_anew():
    y, s = drawn(400)
    s = s + 1e-6 * np.arange(400)
    rng, scores = np.random.default_rng(0), []
    for _ in range(400):
        rows = np.concatenate([rng.choice(np.flatnonzero(y == k), (y == k).sum()) for k in (0, 1)])
        scores.append(sklearn_ap.average_precision_score(y[rows], s[rows], prevalence=0.2))
    found = average_precision_interval(y, s, prevalence=0.2)
    assert found.standard_error == pytest.approx(np.std(scores), rel=0.12)


@pytest.mark.parametrize("definition", [*SMOOTH, Step()], ids=repr)
@given(data=predictions(max_size=20))
def test_rows_as_clusters_of_one_and_equal_weights_change_nothing(definition, data):
    y, s = data
    assume(0 < y.sum() < y.size)
    plain = average_precision_interval(y, s, definition=definition, **HERE)
    each = average_precision_interval(
        y, s, definition=definition, clusters=np.arange(y.size), **HERE
    )
    heavy = np.where(y, 0.25, 50.0)  # a prevalence takes the place of what the classes weigh
    weighted = average_precision_interval(y, s, definition=definition, sample_weight=heavy, **HERE)
    for other in (each, weighted):
        assert_same(plain, other, atol=1e-7)
        assert other.n_effective == pytest.approx(plain.n_effective)


@given(data=predictions(max_size=20, weights=WEIGHTS.filter(bool)))
def test_the_estimate_is_the_score(data):
    y, s, w = data
    options = {"sample_weight": w, "prevalence": 0.3, "zero_division": np.nan}
    found = average_precision_interval(y, s, **options)
    value = sklearn_ap.average_precision_score(y, s, **options)
    np.testing.assert_allclose(found.estimate, value, atol=1e-12)
    assert np.isnan(found.low) == np.isnan(value)
    assert np.isnan(value) or 0 <= found.low <= found.estimate <= found.high <= 1


def test_counts_alone_are_enough():
    y, s = drawn()
    counts = threshold_counts(y, s)
    assert_same(
        AveragePrecisionInterval.from_counts(counts, **HERE),
        average_precision_interval(y, s, **HERE),
    )
    with pytest.raises(ValueError, match="pass counts as they are, and prevalence beside them"):
        AveragePrecisionInterval.from_counts(counts.at_prevalence(0.1))


@pytest.mark.parametrize("average", ["macro", "weighted", "micro", "samples", None])
def test_columns(average):
    y, s = drawn(120, 3)
    found = average_precision_interval(y, s, average=average, zero_division=0.0, **HERE)
    value = sklearn_ap.average_precision_score(y, s, average=average, zero_division=0.0, **HERE)
    np.testing.assert_allclose(found.estimate, value)
    if average is None:
        for column in range(3):
            alone = average_precision_interval(y[:, column], s[:, column], **HERE)
            assert found.low[column] == pytest.approx(alone.low)


def test_queries_vary_as_wholes():
    y, s, queries = query_data()
    found = average_precision_interval(y, s, queries=queries, zero_division=np.nan, **HERE)
    each = sklearn_ap.average_precision_score(
        y, s, queries=queries, average=None, zero_division=np.nan, **HERE
    )
    each = each[~np.isnan(each)]
    assert found.estimate == pytest.approx(each.mean())
    assert found.standard_error == pytest.approx(each.std(ddof=1) / np.sqrt(each.size))


def test_positives_that_were_never_scored_are_positives_of_their_class():
    y, s = drawn()
    options = {"n_positives": y.sum() + 30, **HERE}
    plain = average_precision_interval(y, s, **options)
    assert plain.estimate == sklearn_ap.average_precision_score(y, s, **options)
    assert_same(plain, average_precision_interval(y, s, clusters=np.arange(y.size), **options))


def test_the_variance_counts_positives_that_were_never_scored():
    y, s = drawn(80)
    missed, h = 25, 1e-5

    def score_of(weight, missed):
        known = weight[y == 1].sum() + missed
        options = {"sample_weight": weight, "n_positives": known, **HERE}
        return sklearn_ap.average_precision_score(y, s, **options)

    one = np.ones(80)
    moved = [
        (score_of(one + h * row, missed) - score_of(one - h * row, missed)) / (2 * h)
        for row in np.eye(80)
    ]
    by_missed = (score_of(one, missed + h) - score_of(one, missed - h)) / (2 * h)
    found = average_precision_interval(y, s, n_positives=y.sum() + missed, **HERE)
    variance = np.sum(np.square(moved)) + missed * by_missed**2
    assert uncertainty(found) == pytest.approx(np.sqrt(variance), rel=1e-6)


def test_replicates_draw_both_classes():
    y, s = drawn(400)
    rough = average_precision_interval(y, s, definition=Rough(), rng=0, **HERE)
    smooth = average_precision_interval(y, s, **HERE)
    assert rough.method == "resampling"
    assert rough.standard_error == pytest.approx(smooth.standard_error, rel=0.15)


def test_the_first_k_ranks_are_refused():
    with pytest.raises(ValueError, match="first k ranks"):
        average_precision_interval(Y, S, definition=AtK(3), **HERE)


class TestComparison:
    def test_the_models_have_the_intervals_that_they_have_alone(self):
        y, scores = models()
        found = compare_average_precision(y, scores, **HERE)
        for i, s in enumerate(scores.values()):
            alone = average_precision_interval(y, s, **HERE)
            assert found.lows[i] == pytest.approx(alone.low)
            assert found.estimates[i] == pytest.approx(alone.estimate)

    def test_the_variance_is_that_of_the_differences(self):
        y, scores = models()
        found = compare_average_precision(y, scores, **HERE)
        first, second = (moved_by_rows(y, s, **HERE) for s in (scores["a"], scores["b"]))
        n_effective = average_precision_interval(y, scores["a"], **HERE).n_effective
        variance = np.sum((second - first) ** 2) * n_effective / (n_effective - 1)
        assert found.difference_standard_errors[1] == pytest.approx(np.sqrt(variance), rel=1e-6)


class TestFewNegatives:
    """Negatives that weigh much count for few."""

    @pytest.mark.parametrize(
        ("prevalence", "effective"), [(0.01, 140 / 99), (0.5, 60), (0.1, 140 / 9)]
    )
    def test_the_effective_number_is_what_the_negatives_are_enough_for(self, prevalence, effective):
        y, s = np.arange(200) < 60, np.random.default_rng(0).normal(size=200)
        found = average_precision_interval(y, s, prevalence=prevalence)
        assert found.n_effective == pytest.approx(effective)

    def test_the_warning_comes_below_10(self):
        y, s = np.arange(2000) < 1000, np.random.default_rng(0).normal(size=2000)
        with pytest.warns(
            UncertaintyWarning, match=r"rests on 2 effective positives .* heavy negatives"
        ):
            average_precision_interval(y, s, prevalence=0.002)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            average_precision_interval(y, s, prevalence=0.011)

    @pytest.mark.parametrize(
        ("of_negatives", "effective"), [(10.0, 6.0), (100.0, 0.6), (1.0, 60.0), (0.1, 60.0)]
    )
    def test_heavy_negatives_of_a_case_control_sample(self, of_negatives, effective):
        y, s = np.arange(200) < 60, np.random.default_rng(0).normal(size=200)
        weight = np.where(y, 1.0, of_negatives)
        found = average_precision_interval(y, s, sample_weight=weight)
        assert found.n_effective == pytest.approx(effective)

    @pytest.mark.parametrize("by_weight", [False, True])
    def test_the_limits_by_hand(self, by_weight):
        """The prior knows what three false alarms would cost, each a negative above all others."""
        y, s = np.arange(600) < 300, np.random.default_rng(0).normal(size=600)
        weight = np.where(y, 1.0, 9.0) if by_weight else np.ones(600)
        options = {} if by_weight else HERE
        moved = moved_by_rows(y, s, weight, **options)
        false_positive_cost = sklearn_ap.average_precision_score(
            np.append(y, False),
            np.append(s, 9.0),
            sample_weight=np.append(weight, weight[-1]),
            **options,
        )
        found = average_precision_interval(
            y, s, sample_weight=weight if by_weight else None, **options
        )
        a, n = found.estimate, 300 / 9
        variance, fourth = (np.sum(moved**p) * (n / (n - 1)) ** (p / 2) for p in (2, 4))
        degrees = 2 * variance**2 / (fourth - variance**2 / 600)
        alone = 0.65 * np.log(300) * a * (1 - a) / 300
        prior = alone + (3 * (a - false_positive_cost)) ** 2
        assert prior < 0.65 * np.log(n) * a * (1 - a) / n
        v = (degrees * variance + 4 * prior) / (degrees + 4)
        m = a * (1 - a) / v / stats.t.ppf(0.975, n - 1) ** 2
        half = np.sqrt(a * (1 - a) / m + 1 / (4 * m * m))
        low, high = (a + 1 / (2 * m) + np.array([-half, half])) / (1 + 1 / m)
        assert found.low == pytest.approx(low - found.bias, rel=1e-5)
        assert found.high == pytest.approx(high - found.bias, rel=1e-5)
        bias = jackknife(at_prevalence(Step(), 0.1), y, s)
        assert found.bias == pytest.approx(bias, rel=1e-5 if by_weight else 1e-9)

    def test_weights_are_as_sure_as_the_prevalence_that_they_give(self):
        y, s = drawn(1000)
        weight = np.where(y, 1.0, 5.0)
        prevalence = y.sum() / weight.sum()
        there = average_precision_interval(y, s, prevalence=prevalence)
        weighted = average_precision_interval(y, s, sample_weight=weight)
        assert weighted.n_effective == pytest.approx(there.n_effective)
        assert weighted.estimate == pytest.approx(there.estimate)
        # The numbers of positives and negatives vary, too, where no prevalence is said.
        assert weighted.standard_error > there.standard_error

    def test_twice_the_weights_and_twice_the_ranks_are_the_same(self):
        y, s = drawn(3000)
        weight = np.where(y, 1.0, 6.0)
        first, second = (
            average_precision_interval(
                y, s, definition=AtK(2000 * i), sample_weight=i * weight, n_resamples=9, rng=0
            )
            for i in (1, 8)
        )
        assert_same(first, second)

    def test_no_negatives_leave_no_interval(self):
        y = np.array([[1, 1], [1, 0], [1, 1], [1, 0]])
        s = np.random.default_rng(0).normal(size=(4, 2))
        options = {"average": None, "zero_division": np.nan, **HERE}
        found = average_precision_interval(y, s, **options)
        np.testing.assert_array_equal(np.isnan(found.low), [True, False])
        weighted = average_precision_interval(y, s, sample_weight=np.full(4, 2.0), **options)
        np.testing.assert_allclose(weighted.low, found.low)
