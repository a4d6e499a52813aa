"""How much each row moves a value, alone, weighted and in clusters."""

import numpy as np
import pytest
from hypothesis import assume, given
from interval_data import SMOOTH, Rough, S, Y, assert_same, drawn, influences
from registry import WEIGHTS, predictions
from sklearn.metrics import average_precision_score

import sklearn_ap
from sklearn_ap import average_precision_interval, compare_average_precision
from sklearn_ap.definitions import Hyperbolic, Step

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")


@pytest.mark.parametrize("definition", SMOOTH, ids=repr)
@given(data=predictions(weights=WEIGHTS.filter(bool)))
def test_weight_times_influence_sums_to_0(definition, data):
    y, s, w = data
    assume(y.any())
    np.testing.assert_allclose(w @ influences(definition, y, s, w), 0, atol=1e-7)


@given(data=predictions(weights=WEIGHTS.filter(bool)))
def test_influence_is_the_derivative_of_scikit_learns_score_by_the_weight_of_a_row(data):
    y, s, w = data
    assume(y.any() and w[y == 1].sum() > 0.2)
    found = influences(Step(), y, s, w)
    for row, step in enumerate(1e-5 * w):
        up, down = w.copy(), w.copy()
        up[row] += step
        down[row] -= step
        by_hand = [average_precision_score(y, s, sample_weight=each) for each in (up, down)]
        assert found[row] == pytest.approx((by_hand[0] - by_hand[1]) / (2 * step), abs=1e-8)


def test_the_influences_of_the_worked_example():
    expected = [0.1125, 0.04583333, -0.11416667, 0.04027778, -0.03222222, 0.01111111]
    expected += [-0.01, -0.01, -0.01, -0.03333333]
    np.testing.assert_allclose(influences(Step(), Y, S), expected, atol=5e-9)


def test_a_weighted_average_by_the_derivative_of_the_score():
    rng = np.random.default_rng(0)
    y, s = np.zeros((120, 2), dtype=int), rng.normal(size=(120, 2))
    y[:30, 0] = y[20:50, 1] = 1
    s += y * [0.3, 3]
    moved = []
    for row in range(120):
        change = 1e-5 * (np.arange(120) == row)
        up, down = (
            average_precision_score(y, s, average="weighted", sample_weight=1 + sign * change)
            for sign in (1, -1)
        )
        moved.append((up - down) / 2e-5)
    found = average_precision_interval(y, s, average="weighted")
    assert found.standard_error == pytest.approx(np.sqrt(np.square(moved).sum() * 30 / 29))


@pytest.mark.parametrize("definition", SMOOTH, ids=repr)
@given(data=predictions(max_size=20))
def test_rows_as_clusters_of_one_and_equal_weights_change_nothing(definition, data):
    y, s = data
    assume(y.any() and y.size > 1)
    plain = average_precision_interval(y, s, definition=definition)
    each = average_precision_interval(y, s, definition=definition, clusters=np.arange(y.size))
    weighted = average_precision_interval(
        y, s, definition=definition, sample_weight=np.full(y.size, 0.25)
    )
    assert_same(plain, each, atol=1e-7)
    assert_same(plain, weighted, atol=1e-7)


def test_the_scale_of_the_weights_does_not_matter():
    y, s = drawn()
    w = np.random.default_rng(1).exponential(size=y.size)
    first, *others = (
        average_precision_interval(y, s, sample_weight=scale * w, n_positives=scale * w.sum())
        for scale in (1, 1e-6, 1e-300, 1e300)
    )
    for other in others:
        assert_same(first, other)


def test_weights_of_600_orders_of_magnitude_are_no_error():
    y, s = drawn()
    for w in (np.where(y, 5e-324, 1.0), np.where(s > 1, 1e300, 1e-300)):
        found = average_precision_interval(y, s, sample_weight=w)
        assert 0 <= found.low <= found.estimate <= found.high <= 1


def test_a_row_of_weight_2_is_one_case_and_not_two():
    y, s = drawn()
    twice = average_precision_interval(np.tile(y, 2), np.tile(s, 2))
    heavy = average_precision_interval(y, s, sample_weight=np.full(y.size, 2.0))
    assert heavy.standard_error > 1.3 * twice.standard_error
    in_pairs = average_precision_interval(
        np.tile(y, 2), np.tile(s, 2), clusters=np.tile(np.arange(y.size), 2)
    )
    for name in ("estimate", "standard_error", "n_effective"):
        assert getattr(heavy, name) == pytest.approx(getattr(in_pairs, name))
    # The bias of clusters comes from groups that are left out.
    assert heavy.bias == pytest.approx(in_pairs.bias, rel=0.3)


def test_rows_of_weight_0_are_absent():
    y, s = drawn()
    w = np.random.default_rng(1).integers(0, 3, y.size).astype(float)
    clusters = np.arange(y.size) // 4
    kept = w > 0
    options = {"sample_weight": w[kept], "clusters": clusters[kept]}
    assert_same(
        average_precision_interval(y, s, sample_weight=w, clusters=clusters),
        average_precision_interval(y[kept], s[kept], **options),
    )


@pytest.mark.parametrize("n_columns", [1, 3])
def test_one_cluster_says_nothing_of_others(n_columns):
    y, s = (np.squeeze(np.tile(np.array(each)[:, None], n_columns)) for each in (Y, S))
    found = average_precision_interval(y, s, clusters=np.zeros(10))
    assert (found.low, found.high) == (0, 1)
    assert np.isnan(found.standard_error)
    compared = compare_average_precision(y, {"a": s, "b": -s}, clusters=np.zeros(10))
    assert (compared.difference_lows[1], compared.difference_highs[1]) == (-1, 1)
    assert compared.pvalues[1] == 1


def test_positives_that_were_never_scored_are_cases():
    y, s = drawn()
    more = average_precision_interval(y, s, n_positives=y.sum() + 30)
    assert more.estimate == sklearn_ap.average_precision_score(y, s, n_positives=y.sum() + 30)
    assert more.n_positives == y.sum() + 30
    by_rows = {"clusters": np.arange(y.size), "n_positives": y.sum() + 30}
    assert_same(more, average_precision_interval(y, s, **by_rows))
    heavy = {"sample_weight": np.full(y.size, 2.0), "n_positives": 2 * (y.sum() + 30)}
    assert_same(more, average_precision_interval(y, s, **heavy))


@pytest.mark.parametrize("average", ["macro", "weighted", "micro", None])
def test_equal_weights_change_nothing_beside_positives_that_were_never_scored(average):
    y, s = drawn(100, 3)
    y[:, 2] = 0
    known = y.sum(axis=0) + np.array([5, 0, 9])
    known = known.sum() if average == "micro" else known
    plain = average_precision_interval(y, s, average=average, n_positives=known)
    options = {"sample_weight": np.full(100, 0.25), "n_positives": known / 4}
    weighted = average_precision_interval(y, s, average=average, **options)
    assert_same(plain, weighted)
    np.testing.assert_allclose(plain.n_effective, weighted.n_effective)


@pytest.mark.parametrize("definition", [Step(), Hyperbolic(), Rough()], ids=repr)
@pytest.mark.parametrize("average", ["macro", "weighted", "columns", "queries"])
def test_the_scale_of_the_weights_changes_no_effective_number(average, definition):
    """One ranking has positives that were never scored, and another has no others."""
    columns, rng = average != "queries", np.random.default_rng(3)
    y, s = drawn(90, 3) if columns else drawn(90)
    queries = np.arange(90) % 3
    if columns:
        y[:, 1] = 0
        options, w = {"average": None if average == "columns" else average}, rng.lognormal(size=90)
        known = w @ y + np.array([0, 2, 5])
    else:
        y[queries == 1] = 0
        options, w = {"average": None, "queries": queries}, rng.lognormal(size=90)
        known = np.bincount(queries, w * y) + np.array([0, 2, 5])
    first, *others = (
        average_precision_interval(
            y,
            s,
            definition=definition,
            sample_weight=scale * w,
            n_positives=scale * known,
            n_resamples=9,
            rng=0,
            **options,
        )
        for scale in (1, 1e-200, 1e-6, 1e200)
    )
    for other in others:
        assert_same(first, other)
        np.testing.assert_allclose(first.n_effective, other.n_effective, rtol=1e-9)


def test_queries_whose_weights_differ_by_200_orders_of_magnitude_do_not_matter_to_each_other():
    y, s = drawn(90)
    queries, w = np.arange(90) % 3, np.random.default_rng(3).lognormal(size=90)
    options = {"queries": queries, "average": None}
    first = average_precision_interval(y, s, sample_weight=w, **options)
    scaled = w * np.array([1e-200, 1, 1e-100])[queries]
    second = average_precision_interval(y, s, sample_weight=scaled, **options)
    assert_same(first, second)
    np.testing.assert_allclose(first.n_effective, second.n_effective, rtol=1e-9)
