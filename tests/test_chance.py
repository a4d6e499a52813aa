"""Scores beside those of random orders."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from reference import step
from scipy.stats import false_discovery_control
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_ap import UncertaintyWarning, average_precision_score, chance_test
from sklearn_ap._uncertainty import permutation
from sklearn_ap.definitions import AtK, Expected, Interpolated, PrecisionAtK, Step


def all_scores(definition, s, n_scored, **options):
    """The scores of all orders of the labels."""
    found = []
    for places in combinations(range(len(s)), n_scored):
        y = np.isin(np.arange(len(s)), places).astype(int)
        found.append(average_precision_score(y, s, definition=definition, **options))
    return np.array(found)


@pytest.mark.parametrize(
    ("n", "n_positives", "mean"), [(4, 2, Fraction(49, 72)), (5, 1, Fraction(137, 300))]
)
def test_worked_means(n, n_positives, mean):
    # Two of four: the six orders give 1, 5/6, 3/4, 7/12, 1/2, 5/12. One of n: H_n / n.
    y, s = (np.arange(n) < n_positives).astype(int), -np.arange(float(n))
    assert chance_test(y, s, n_permutations=9).chance == pytest.approx(float(mean), abs=1e-15)


@pytest.mark.parametrize("s", [[7, 6, 5, 4, 3, 2], [2, 2, 2, 1, 1, 0], [1] * 6, [3, 3, 1, 0, 0, 0]])
@pytest.mark.parametrize("n_positives", [1, 2, 5, 6])
def test_the_mean_of_step_is_that_of_all_orders_in_fractions(s, n_positives):
    orders = [*combinations(range(6), n_positives)]
    exact = sum(step([int(i in o) for i in range(6)], s) for o in orders) / len(orders)
    y = [int(i < n_positives) for i in range(6)]
    assert chance_test(y, s, n_permutations=9).chance == pytest.approx(float(exact), abs=1e-14)


@pytest.mark.parametrize(
    "definition", [Step(), AtK(2), Interpolated(), Expected(), PrecisionAtK(3)], ids=repr
)
@pytest.mark.parametrize("s", [[6, 5, 4, 3, 2, 1], [4, 4, 3, 3, 3, 1], [3, 2, 1] + [-np.inf] * 3])
def test_random_orders_are_all_orders_alike(definition, s):
    found = chance_test([1, 0, 1, 0, 0, 0], s, definition=definition, n_permutations=20_000)
    every = all_scores(definition, s, 2)
    assert {*np.round(found.by_chance, 12)} == {*np.round(every, 12)}
    pvalue = np.mean(every >= found.score - 1e-12)
    assert found.pvalue == pytest.approx(pvalue, abs=4 * np.sqrt(0.25 / 20_000))
    assert found.chance == pytest.approx(every.mean(), abs=4 * every.std() / np.sqrt(20_000))


def test_the_order_at_hand_is_one_of_them():
    found = chance_test(np.arange(100) < 30, -np.arange(100), n_permutations=99)
    assert found.score == 1
    assert found.pvalue == 0.01


def test_corrected_for_chance():
    y, s = np.array([1, 0, 1, 0]), np.array([4.0, 3, 2, 1])
    found = chance_test(y, s)
    assert found.corrected == pytest.approx((5 / 6 - 49 / 72) / (1 - 49 / 72))
    assert chance_test(y, y).corrected == 1
    assert np.isnan(chance_test([1, 1], [0, 1]).corrected)  # chance gives 1, too


def test_positives_that_were_never_scored_are_missed_by_random_orders_too():
    y, s = np.array([1, 0, 1, 0, 0]), np.arange(5.0)
    found = chance_test(y, s, n_positives=4)
    assert found.score == average_precision_score(y, s, n_positives=4)
    assert found.chance == pytest.approx(all_scores(Step(), s, 2, n_positives=4).mean())


def test_at_a_prevalence():
    y, s = np.array([1, 0, 1, 0, 0]), np.arange(5.0)
    found = chance_test(y, s, prevalence=0.1, n_permutations=5000)
    every = all_scores(Step(), s, 2, prevalence=0.1)
    assert found.chance == pytest.approx(every.mean(), abs=0.02)
    assert found.score == average_precision_score(y, s, prevalence=0.1)


def test_queries_are_permuted_by_themselves():
    rng = np.random.default_rng(0)
    y, query = (rng.random(400) < 0.2).astype(int), np.repeat(np.arange(20), 20)
    s = rng.normal(size=400) + 0.5 * y
    each = chance_test(y, s, queries=query, average=None, zero_division=np.nan)
    mean = chance_test(y, s, queries=query, zero_division=np.nan)
    assert mean.score == pytest.approx(np.nanmean(each.score))
    assert mean.chance == pytest.approx(np.nanmean(each.chance))
    for q in range(20):
        rows = query == q
        if y[rows].any():
            alone = chance_test(y[rows], s[rows])
            assert each.pvalue[q] == pytest.approx(alone.pvalue, abs=0.02)
            assert each.chance[q] == pytest.approx(alone.chance)
    known = ~np.isnan(each.pvalue)
    np.testing.assert_allclose(
        each.adjusted_pvalue[known], false_discovery_control(each.pvalue[known])
    )
    variances = [
        chance_test(y[query == q], s[query == q]).by_chance.var() for q in np.flatnonzero(known)
    ]
    expected = np.sum(variances) / known.sum() ** 2
    assert mean.by_chance.var() == pytest.approx(expected, rel=0.1)


def test_weighted_means_weigh_random_orders_too():
    y, query = np.array([1, 0, 1, 1, 1, 0]), np.array([0, 0, 0, 1, 1, 1])
    s = np.array([1.0, 2, 3, 1, 2, 3])
    one, other = chance_test(y, s, queries=query, average=None).chance
    found = chance_test(y, s, queries=query, average="weighted")
    assert found.chance == pytest.approx((2 * one + 2 * other) / 4)
    assert found.score == average_precision_score(y, s, queries=query, average="weighted")


def test_the_columns_of_a_row_are_permuted_together():
    """The mean of equal columns varies as one of them, and not less."""
    rng = np.random.default_rng(0)
    y, s = (rng.random(60) < 0.2).astype(int), rng.normal(size=60)
    alone = chance_test(y, s)
    both = chance_test(np.column_stack([y, y]), np.column_stack([s, s]))
    assert both.by_chance.std() == pytest.approx(alone.by_chance.std(), rel=0.05)
    assert both.pvalue == pytest.approx(alone.pvalue, abs=0.02)
    assert both.chance == alone.chance


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("zero_division", ["warn", 0.0, 1.0, np.nan])
def test_rankings_without_positives(zero_division):
    y, query = np.array([1, 0, 0, 0, 0, 0]), np.array([0, 0, 0, 1, 1, 1])
    s, options = np.arange(6.0), {"queries": query, "zero_division": zero_division}
    found = chance_test(y, s, **options)
    assert found.score == pytest.approx(average_precision_score(y, s, **options))
    assert found.by_chance.mean() == pytest.approx(found.chance, abs=0.02)
    each = chance_test(y, s, average=None, **options)
    assert np.isnan(each.pvalue).tolist() == [False, True]
    nothing = chance_test(0 * y, s, zero_division=zero_division)
    assert np.isnan(nothing.pvalue)
    np.testing.assert_equal(nothing.score, 0.0 if zero_division == "warn" else zero_division)


def test_a_ranking_without_positives_warns():
    with pytest.warns(UndefinedMetricWarning):
        chance_test([0, 0], [1, 2])


@pytest.mark.parametrize("n_positives", [1, 5, 60, 300])
def test_pvalues_are_uniform_under_chance(n_positives):
    rng = np.random.default_rng(n_positives)
    y = np.tile(np.arange(400) < n_positives, 2000)
    found = chance_test(
        y, rng.normal(size=y.size), queries=np.repeat(np.arange(2000), 400), average=None
    )
    for level in (0.01, 0.05, 0.5):
        share = np.mean(found.pvalue <= level)
        assert abs(share - level) < 4 * np.sqrt(level * (1 - level) / 2000) + 1 / 400
    assert np.mean(found.adjusted_pvalue < 0.05) < 0.001


def test_the_same_orders_each_time():
    y, s = np.arange(30) < 9, np.random.default_rng(1).normal(size=30)
    calls = [chance_test(y, s).by_chance for _ in range(2)]
    np.testing.assert_array_equal(*calls)
    other = chance_test(y, s, rng=np.random.default_rng(5)).by_chance
    assert (other != calls[0]).any()


def test_how_many_random_orders(monkeypatch):
    y, s = np.arange(30) < 9, np.random.default_rng(1).normal(size=30)
    assert chance_test(y, s).n_permutations == 9_999
    assert chance_test(y, s, n_permutations=np.int64(50)).by_chance.shape == (50,)
    monkeypatch.setattr(permutation, "SOME_SECONDS", 9000)  # as if there were many rows
    assert chance_test(y, s).n_permutations == 999


def test_it_prints_as_a_table():
    assert repr(chance_test([1, 0, 1, 0], [4, 3, 2, 1], n_permutations=1999)).splitlines() == [
        "score   by chance  corrected  p-value",
        "0.8333     0.6806     0.4783   0.3235",
        "1,999 random orders",
    ]
    found = chance_test([1, 0, 1, 0], [4, 3, 2, 1], queries=[0, 0, 1, 1], average=None)
    assert repr(found).splitlines()[1].split()[:4] == ["0", "1.0000", "0.7500", "1.0000"]
    assert [row["ranking"] for row in found.rows()] == [0, 1]
    assert "<table>" in found._repr_html_()


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"n_permutations": 0}, ValueError, "n_permutations must be at least 1, got 0"),
        ({"n_permutations": 9.0}, TypeError, "n_permutations must be a whole number or None"),
        ({"rng": "x"}, TypeError, "rng must be a seed"),
        ({"sample_weight": [1, 1]}, TypeError, "takes no weights"),
        ({"definition": "step"}, TypeError, "definition must be one of"),
    ],
)
def test_bad_options(options, error, text):
    with pytest.raises(error, match=text):
        chance_test([1, 0], [1, 2], **options)


def test_predicted_classes_are_said():
    y = np.arange(20) % 2
    with pytest.warns(UncertaintyWarning, match="look like predicted classes"):
        chance_test(y, 1.0 * (np.arange(20) % 3 > 0))


def test_cells_of_a_row_belong_together():
    y = np.array([[1, 0], [0, 1], [0, 0]])
    with pytest.raises(ValueError, match="takes no average='micro'"):
        chance_test(y, y + 0.5, average="micro")
    assert chance_test(y, y + 0.5, average="samples", zero_division=np.nan).score == 1


@pytest.mark.parametrize(
    ("y", "s", "k"),
    [
        ([1, 0, 0, 0], [4, 3, 3, 1], 2),
        ([1, 1, 0, 0, 0], [5, 4, 4, 3, 1], 3),
        ([1, 1, 0], [1, 1, 0], 9),
    ],
)
def test_the_mean_over_hits_is_that_of_all_orders_also_with_ties(y, s, k):
    """The hits of a tied block that rank k cuts are a share, so they differ from order to order."""
    definition, places = AtK(k, "hits"), combinations(range(len(y)), sum(y))
    orders = [np.isin(np.arange(len(y)), chosen) for chosen in places]
    exact = np.mean([average_precision_score(order, s, definition=definition) for order in orders])
    assert chance_test(y, s, definition=definition).chance == pytest.approx(exact, abs=0.01)
