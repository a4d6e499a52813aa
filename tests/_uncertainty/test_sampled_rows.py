"""Several rankings: averages over columns, and each ranking by itself."""

import numpy as np
import pytest
from interval_data import SMOOTH, assert_same, drawn, numbers

import sklearn_ap
from sklearn_ap import (
    UncertaintyWarning,
    average_precision_interval,
    compare_average_precision,
)
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


@pytest.mark.parametrize("options", ["unweighted", "weights", "missed"])
@pytest.mark.parametrize("definition", [*SMOOTH, AtK(5)], ids=repr)
def test_images_that_do_not_hold_a_class_do_not_matter(definition, options):
    """Also if each image holds this class once, or a single image does."""
    rng = np.random.default_rng(0)
    queries = np.repeat(["a few", "b many", "c one each", "d one image"], [42, 800, 30, 9])
    images = np.r_[np.arange(42) // 7, np.arange(800) // 4, np.arange(30), np.full(9, 3)]
    y = rng.random(queries.size) < 0.4
    s, w = y + rng.normal(size=y.size), rng.exponential(size=y.size)

    def given(chosen, **others):
        others |= {"sample_weight": w[chosen]} if options == "weights" else {}
        where = {"clusters": images[chosen], "definition": definition, "n_resamples": 2999}
        return y[chosen], s[chosen], where | others

    names, everywhere = np.unique(queries), np.full(y.size, True)
    missed = 7 * (options == "missed") + np.array([y[queries == name].sum() for name in names])
    more = {"queries": queries, "average": None}
    if options == "missed":
        more["n_positives"] = missed
    *data, others = given(everywhere, **more)
    beside = numbers(average_precision_interval(*data, **others))
    for i, name in enumerate(names):
        *data, others = given(queries == name)
        if options == "missed":
            others["n_positives"] = missed[i]
        alone = numbers(average_precision_interval(*data, **others))
        np.testing.assert_allclose(beside[:, i], alone, rtol=1e-6 if definition in SMOOTH else 0.1)


@pytest.mark.parametrize("definition", SMOOTH, ids=repr)
def test_a_column_in_clusters_does_not_depend_on_other_columns(definition):
    y, s = drawn(120, 3)
    y[6:, 1], clusters = 0, np.arange(120) // 3
    options = {"clusters": clusters, "average": None, "definition": definition}
    beside = numbers(average_precision_interval(y, s, **options))
    for i in range(3):
        alone = numbers(average_precision_interval(y[:, i], s[:, i], **options))
        np.testing.assert_allclose(beside[:, i], alone, rtol=1e-6)


def test_a_class_in_few_images_beside_one_in_many_is_warned_of():
    queries = np.repeat(["few", "many"], [40, 1000])
    images = np.r_[np.arange(40) // 8, np.arange(1000) // 5]
    rng = np.random.default_rng(0)
    y = rng.random(1040) < 0.5
    options = {"queries": queries, "clusters": images, "average": None}
    with pytest.warns(UncertaintyWarning, match="^few clusters: "):
        average_precision_interval(y, y + rng.normal(size=1040), **options)


@pytest.mark.parametrize("n_missed", [1, 20, 100])
def test_positives_that_were_never_scored_do_not_bias_clusters(n_missed):
    """As if they were rows that were not retrieved, each in a cluster of its own."""
    y, s = drawn(300)
    clusters = np.arange(300) // 2
    known = average_precision_interval(y, s, clusters=clusters, n_positives=y.sum() + n_missed)
    as_rows = average_precision_interval(
        np.append(y, np.ones(n_missed, int)),
        np.append(s, np.full(n_missed, -np.inf)),
        clusters=np.append(clusters, 150 + np.arange(n_missed)),
    )
    assert known.bias == pytest.approx(as_rows.bias, abs=0.1 * known.standard_error)


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
