"""Scores beside those of random orders."""

from contextlib import contextmanager, nullcontext
from itertools import combinations, product

import numpy as np
import pytest
from scipy.stats import chisquare, false_discovery_control, hypergeom
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_ap import UncertaintyWarning, average_precision_score, chance_test
from sklearn_ap._questions.chance import _permutation as permutation
from sklearn_ap.definitions import (
    AtK,
    Expected,
    Hyperbolic,
    Interpolated,
    Linear,
    PrecisionAtK,
    PrecisionAtRecall,
    RecallAtK,
    Step,
)


def test_corrected_score_rescales_chance_to_0_and_perfect_to_1():
    y, s = np.array([1, 0, 1, 0]), np.array([4.0, 3, 2, 1])
    found = chance_test(y, s)
    assert found.corrected == pytest.approx((5 / 6 - 49 / 72) / (1 - 49 / 72))
    perfect = chance_test(np.arange(100) < 30, -np.arange(100), n_permutations=1999)
    # The order at hand is one of the orders.
    assert (perfect.score, perfect.corrected, perfect.pvalue) == (1, 1, 0.0005)
    assert "0.0005" in repr(perfect)
    assert np.isnan(chance_test([1, 1], [0, 1]).corrected)  # chance gives 1, too


def test_positives_that_were_never_scored_are_missed_by_random_orders_too():
    y, s = np.array([1, 0, 1, 0, 0]), np.arange(5.0)
    found = chance_test(y, s, n_positives=4)
    assert found.score == average_precision_score(y, s, n_positives=4)
    orders = [np.isin(np.arange(5), places) for places in combinations(range(5), 2)]
    each = [average_precision_score(order, s, n_positives=4) for order in orders]
    assert found.chance == pytest.approx(np.mean(each))


def test_queries_are_permuted_separately():
    rng = np.random.default_rng(0)
    y, query = (rng.random(400) < 0.2).astype(int), np.repeat(np.arange(20), 20)
    s, options = rng.normal(size=400) + 0.5 * y, {"queries": query, "zero_division": np.nan}
    y[query == 7] = 0
    each, mean = chance_test(y, s, average=None, **options), chance_test(y, s, **options)
    known = ~np.isnan(each.pvalue)  # a query without positives is left out
    assert known.tolist() == [y[query == q].any() for q in range(20)]
    alone = [chance_test(y[query == q], s[query == q]) for q in np.flatnonzero(known)]
    pvalues, chances = each.pvalue[known], [one.chance for one in alone]
    np.testing.assert_allclose(pvalues, [one.pvalue for one in alone], atol=0.02)
    np.testing.assert_allclose(each.chance[known], chances)
    np.testing.assert_allclose(each.adjusted_pvalue[known], false_discovery_control(pvalues))
    assert mean.score == pytest.approx(np.mean([one.score for one in alone]))
    assert 0 < mean.pvalue < 0.05
    assert mean.chance == pytest.approx(np.mean(chances))
    variance = np.sum([one.by_chance.var() for one in alone]) / len(alone) ** 2
    assert mean.by_chance.var() == pytest.approx(variance, rel=0.1)
    assert mean.by_chance.mean() == pytest.approx(mean.chance, abs=0.005)


def test_the_random_orders_of_a_weighted_mean_have_its_weights():
    y, query = np.repeat([1, 0, 1, 0], [3, 27, 24, 6]), np.repeat([0, 1], 30)
    found = chance_test(y, np.arange(60) % 30, queries=query, average="weighted")
    assert found.by_chance.mean() == pytest.approx(found.chance, abs=0.005)


def test_the_columns_of_a_row_are_permuted_together():
    """The mean of equal columns varies as one of them, and not less."""
    rng = np.random.default_rng(0)
    y, s = (rng.random(60) < 0.2).astype(int), rng.normal(size=60)
    alone = chance_test(y, s)
    both = chance_test(np.column_stack([y, y]), np.column_stack([s, s]))
    assert both.by_chance.std() == pytest.approx(alone.by_chance.std(), rel=0.05)
    assert both.pvalue == pytest.approx(alone.pvalue, abs=0.02)
    assert both.chance == alone.chance


def test_random_orders_are_reproducible_and_limited_by_time(monkeypatch):
    y, s = np.arange(30) < 9, np.random.default_rng(1).normal(size=30)
    found, again, other = (chance_test(y, s, **options) for options in ({}, {}, {"rng": 5}))
    np.testing.assert_array_equal(found.by_chance, again.by_chance)
    assert (other.by_chance != found.by_chance).any()
    assert found.n_permutations == 9_999
    assert chance_test(y, s, n_permutations=np.int64(50)).by_chance.shape == (50,)
    monkeypatch.setattr(permutation, "LONG_WORK", 9000)  # as if there were many rows
    assert chance_test(y, s).n_permutations == 999


@pytest.mark.parametrize("share", [0.02, 0.5])
def test_the_number_of_random_orders_falls_smoothly_with_size(share):
    """A tenth more rows never take away more than about a tenth of the orders."""
    sizes = [round(1000 * 1.1**i) for i in range(90)]  # to five million
    rankings = [permutation.PermutedRanking(None, n, round(share * n), share * n) for n in sizes]
    numbers = np.array([permutation.feasible_orders([ranking]) for ranking in rankings])
    assert (numbers[0], numbers[-1]) == (9_999, 999)
    falls = numbers[:-1] / numbers[1:]
    assert falls.min() >= 1
    assert falls.max() < 1.12


@pytest.mark.parametrize(
    ("n_rows", "n_positives"), [(6, 2), (7, 3), (7, 5), (8, 4), (5, 4), (12, 1), (12, 11), (3, 3)]
)
def test_all_sets_of_ranks_are_equally_likely(n_rows, n_positives):
    """Also where bytes decide on ranks, as they do above a tenth."""
    n_orders, rng = 40_000, np.random.default_rng(0)
    ranks = permutation.sample_ranks(n_rows, n_positives, n_orders, rng)
    sets = np.array([*combinations(range(n_rows), n_positives)])
    found, n_found = np.unique(ranks, axis=0, return_counts=True)
    np.testing.assert_array_equal(found, sets)  # sorted, and each there
    assert len(sets) == 1 or chisquare(n_found).pvalue > 1e-4


@pytest.mark.parametrize("share", [0.11, 0.5, 0.85])
def test_random_orders_of_many_positives_are_hypergeometric(share):
    """The number of positives in the upper half is hypergeometric."""
    n_rows, n_orders = 999, 4000
    n_positives = int(share * n_rows)
    hits = permutation.sample_hits(n_rows, n_positives, n_orders, np.random.default_rng(0))
    assert (hits.sum(axis=1) == n_positives).all()
    upper, law = hits[:, :500].sum(axis=1), hypergeom(n_rows, n_positives, 500)
    assert abs(upper.mean() - law.mean()) < 4 * law.std() / np.sqrt(n_orders)
    assert upper.var() == pytest.approx(law.var(), rel=4 * np.sqrt(2 / n_orders))


def test_orders_drawn_as_bytes_cost_less_than_sorted_ranks():
    few, many = (permutation.PermutedRanking(None, 10_000, n, n) for n in (800, 5000))
    assert many.work < 2 * few.work  # and not six times, as sorted ranks


def test_progress_of_a_long_test_counts_completed_orders(monkeypatch):
    heard = []

    @contextmanager
    def progress(total, unit, title):
        heard.append((total, unit, title))
        yield heard.append

    monkeypatch.setattr(permutation, "progress_if_long", progress)
    monkeypatch.setattr(permutation, "CHUNK_RANKS", 100)
    y, s, queries = np.arange(40) % 4 == 0, np.arange(40.0) % 7, np.arange(40) // 20
    for options in ({}, {"queries": queries}):
        heard.clear()
        chance_test(y, s, n_permutations=30, **options)
        (total, *_), *done = heard
        assert sum(done) == total
        assert len(done) > 1


def test_the_number_of_random_orders_is_printed():
    text = repr(chance_test([1, 0, 1, 0], [4, 3, 2, 1], n_permutations=1999))
    assert "\n1,999 random orders\n" in text


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"n_permutations": 0}, ValueError, "n_permutations must be at least 1, got 0"),
        ({"n_permutations": 9.0}, TypeError, "n_permutations must be a whole number or None"),
        ({"average": "micro"}, ValueError, "Use 'macro', or 'samples'"),
    ],
)
def test_invalid_options_of_chance_test_are_refused(options, error, text):
    y = np.array([[1, 0], [0, 1]])
    with pytest.raises(error, match=text):
        chance_test(y, y + 0.5, **options)


def test_predicted_classes_and_missing_negatives_raise_warnings():
    with pytest.warns(UncertaintyWarning, match="look like predicted classes"):
        chance_test(np.arange(20) % 2, 1.0 * (np.arange(20) % 3 > 0))
    with pytest.warns(UndefinedMetricWarning, match="No positive or no negative class"):
        chance_test([1, 1, 1], [0.3, 0.2, 0.5], prevalence=0.1)


def test_a_query_without_positives_scores_the_same_in_each_random_order():
    y, s, query = np.zeros(20, int), np.arange(20.0) % 7, np.repeat([0, 1, 2], [8, 8, 4])
    y[[0, 3, 9]] = 1
    options = {"queries": query, "n_permutations": 99}
    low, high = (chance_test(y, s, zero_division=score, **options) for score in (0.0, 1.0))
    assert high.score == pytest.approx(low.score + 1 / 3)
    np.testing.assert_allclose(high.by_chance, low.by_chance + 1 / 3)


@pytest.mark.parametrize("zero_division", ["warn", 0.0, 1.0, np.nan])
def test_rankings_without_positives_have_no_p_value(zero_division):
    options = {"queries": [0, 0, 0, 1, 1, 1], "average": None, "zero_division": zero_division}
    with pytest.warns(UndefinedMetricWarning) if zero_division == "warn" else nullcontext():
        found = chance_test([1, 0, 0, 0, 0, 0], np.arange(6.0), **options)
    assert np.isnan(found.pvalue).tolist() == [False, True]
    np.testing.assert_equal(found.score[1], 0.0 if zero_division == "warn" else zero_division)


N_ORDERS = 499
MISSED = np.array([5.0, 4, 4, 3, 2, -np.inf, -np.inf])
LABELS = np.array([1, 0, 1, 0, 0, 1, 0])
OF_DEFINITIONS = [
    Step(),
    Expected(),
    Expected(3),
    Linear(),
    Hyperbolic(),
    Interpolated(11),
    PrecisionAtK(3),
    PrecisionAtK(6),
    RecallAtK(0.5),
    PrecisionAtRecall(0.5),
    # The last ranks of these are seen by nothing that was retrieved.
    *(AtK(k, each) for k in (3, 6, 0.9, 20) for each in ("attainable", "positives", "hits", "k")),
]


def orders_of(labels):
    """All orders of the labels of each query, which are permuted by themselves."""
    places = (combinations(range(len(each)), int(each.sum())) for each in labels)
    for chosen in product(*map(list, places)):
        pairs = zip(labels, chosen, strict=True)
        yield np.concatenate([np.isin(np.arange(len(each)), rows) for each, rows in pairs])


def assert_as_all_orders(labels, scores, definition, **options):
    """The mean by chance is that of all orders, and the p-value is the share of those as good."""
    y_true, ask = np.concatenate(labels), {"definition": definition, **options}
    found = chance_test(y_true, scores, n_permutations=N_ORDERS, **ask)
    each = [average_precision_score(order, scores, **ask) for order in orders_of(labels)]
    score = average_precision_score(y_true, scores, **ask)
    np.testing.assert_allclose(found.score, score, atol=1e-12)
    error = np.std(each, axis=0) / np.sqrt(N_ORDERS)
    assert (abs(found.chance - np.mean(each, axis=0)) <= 4.5 * error + 1e-12).all()
    share = np.mean(np.array(each) >= np.array(score) - 1e-12, axis=0)
    error = np.sqrt(share * (1 - share) / N_ORDERS)
    assert (abs(found.pvalue - share) <= 4.5 * error + 1 / N_ORDERS).all()


@pytest.mark.parametrize("options", [{}, {"n_positives": 5}, {"prevalence": 0.2}])
def test_unretrieved_rows_are_permuted_for_every_definition(subtests, options):
    for definition in OF_DEFINITIONS:
        with subtests.test(f"definition={definition!r}"):
            if "prevalence" in options and (definition.depth or isinstance(definition, Expected)):
                continue
            assert_as_all_orders([LABELS], MISSED, definition, **options)


@pytest.mark.parametrize(
    "definition", [Step(), AtK(6, "hits"), AtK(0.9, "k"), PrecisionAtK(3), Interpolated(11)]
)
@pytest.mark.parametrize("average", ["macro", "weighted", None])
def test_rows_that_were_not_retrieved_are_permuted_in_each_query(definition, average):
    labels, scores = [LABELS[:5], LABELS[4:]], np.append(MISSED[2:], [1.0, -np.inf, 3])
    options = {"queries": np.repeat([0, 1], [5, 3]), "average": average}
    assert_as_all_orders(labels, scores, definition, **options)


@pytest.mark.parametrize("definition", [Step(), AtK(6, "hits"), PrecisionAtK(3), Interpolated(11)])
def test_unretrieved_cells_are_permuted_in_each_row_of_a_table(definition):
    table = np.array([[1, 0, 1, 0], [0, 1, 0, 0]])
    scores = np.array([[3, -np.inf, -np.inf, 1], [2, -np.inf, 1, 4.0]])
    ask = {"definition": definition, "average": "samples"}
    found = chance_test(table, scores, n_permutations=N_ORDERS, **ask)
    orders = [each.reshape(2, 4).astype(int) for each in orders_of([*table])]
    each = [average_precision_score(order, scores, **ask) for order in orders]
    assert abs(found.chance - np.mean(each)) <= 4.5 * np.std(each) / np.sqrt(N_ORDERS) + 1e-12
