"""Several rankings: averages over columns, and each ranking by itself."""

import numpy as np
import pytest
from interval_data import SMOOTH, assert_same, drawn, numbers

import sklearn_ap
from sklearn_ap import average_precision_interval, compare_average_precision
from sklearn_ap.definitions import AtK, Hyperbolic, Step

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")


@pytest.mark.parametrize("average", ["macro", "weighted", "micro", "samples", None])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_estimate_is_the_score_of_several_columns(average, weighted):
    y, s = drawn(60, 3)
    options = {"average": average, "zero_division": 0.0}
    if weighted:
        options["sample_weight"] = np.random.default_rng(1).exponential(size=60)
    scores = sklearn_ap.average_precision_score(y, s, **options)
    found = average_precision_interval(y, s, **options)
    np.testing.assert_allclose(found.estimate, scores, rtol=1e-12)
    compared = compare_average_precision(y, {"a": s, "b": -s}, **options)
    np.testing.assert_allclose(compared.estimates[0], scores, rtol=1e-12)
    np.testing.assert_allclose(compared.lows[0], found.low, rtol=1e-9)
    np.testing.assert_allclose(
        compared.differences[1], compared.estimates[1] - compared.estimates[0]
    )


@pytest.mark.parametrize("average", ["macro", "weighted"])
@pytest.mark.parametrize("definition", [*SMOOTH, AtK(5)], ids=repr)
def test_one_column_gives_the_single_rule(average, definition):
    y, s = drawn()
    options = {"definition": definition, "rng": 0, "n_resamples": 19}
    empty = np.column_stack((y, np.zeros_like(y))), np.column_stack((s, s))
    found = average_precision_interval(*empty, average=average, zero_division=np.nan, **options)
    alone = average_precision_interval(y, s, clusters=np.arange(y.size), **options)
    assert_same(found, alone, rtol=1e-9 if definition in SMOOTH else 0.5)


def test_micro_is_one_ranking_of_cells_in_clusters():
    y, s = drawn(80, 3)
    micro = average_precision_interval(y, s, average="micro")
    rows = np.repeat(np.arange(80), 3)
    assert_same(micro, average_precision_interval(y.ravel(), s.ravel(), clusters=rows))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("definition", [Step(), Hyperbolic()], ids=repr)
def test_without_an_average_each_ranking_stands_alone(weighted, definition):
    y, s = drawn()
    queries = np.random.default_rng(1).integers(0, 5, y.size)
    w = np.random.default_rng(2).exponential(size=y.size) if weighted else np.ones(y.size)
    options = {"definition": definition}
    found = average_precision_interval(
        y, s, queries=queries, average=None, sample_weight=w if weighted else None, **options
    )
    for i in range(5):
        rows = queries == i
        weight = w[rows] if weighted else None
        alone = average_precision_interval(y[rows], s[rows], sample_weight=weight, **options)
        np.testing.assert_allclose(numbers(found)[:, i], numbers(alone), rtol=1e-9)


def test_class_labels_are_columns():
    rng = np.random.default_rng(0)
    y, s = rng.integers(0, 3, 90), rng.normal(size=(90, 3))
    found = average_precision_interval(y, s, labels=[0, 1, 2])
    assert_same(found, average_precision_interval(y[:, None] == [0, 1, 2], s))


def test_columns_that_vary_together_vary_more_in_the_mean():
    y, s = drawn()
    _, other = drawn(seed=1)
    twice = average_precision_interval(np.column_stack((y, y)), np.column_stack((s, s)))
    alone = average_precision_interval(y, s)
    assert twice.standard_error == pytest.approx(alone.standard_error)
    apart = average_precision_interval(*map(np.column_stack, ((y, np.roll(y, 9)), (s, other))))
    assert apart.standard_error < 0.9 * alone.standard_error


def test_a_column_without_positives_takes_nothing_from_the_others():
    """Here the two others vary against each other, so that what must remain of each counts."""
    y, s = np.array([[0, 1], [0, 1], [1, 0]]), np.array([[0.2, -0.2], [0.4, -0.4], [-0.2, 0.2]])
    empty = np.column_stack((y, np.zeros(3, int))), np.column_stack((s, s[:, 0]))
    assert_same(
        average_precision_interval(y, s),
        average_precision_interval(*empty, zero_division=np.nan),
    )
