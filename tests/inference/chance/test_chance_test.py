"""A score beside those of random orders, against all orders of small samples."""

import re
from contextlib import nullcontext
from itertools import combinations, product

import numpy as np
import pytest
from scipy.stats import false_discovery_control
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_ap import average_precision_score, chance_test
from sklearn_ap.definitions import (
    AtK,
    Expected,
    Hyperbolic,
    Interpolated,
    Linear,
    PrecisionAtK,
    PrecisionAtRecall,
    ReciprocalRank,
    Step,
)

MISSED = np.array([5.0, 4, 4, 3, 2, -np.inf, -np.inf])
LABELS = np.array([1, 0, 1, 0, 0, 1, 0])
RNG = np.random.default_rng(0)
Y = (RNG.random(240) < 0.2).astype(int)
S = np.round(RNG.normal(size=240) + 0.4 * Y, 1)
GROUP = np.repeat(np.arange(24), 10)
OF_DEFINITIONS = [
    Step(),
    Expected(),
    Linear(),
    Hyperbolic(),
    Interpolated(11),
    PrecisionAtK(3),
    PrecisionAtRecall(0.5),
    ReciprocalRank(),
    AtK(3),
    AtK(20, "k"),  # more than there are rows
]


def orders_of(*labels):
    """All orders of the labels of each query, which change places by themselves."""
    places = [combinations(range(len(each)), int(each.sum())) for each in labels]
    for chosen in product(*places):
        pairs = zip(labels, chosen, strict=True)
        yield np.concatenate([np.isin(np.arange(len(each)), rows) for each, rows in pairs])


def assert_agrees(found, score, of_all_orders):
    """The mean by chance is that of all orders, and the p-value the share of those as good."""
    of_all_orders, n = np.array(of_all_orders), found.n_permutations
    np.testing.assert_allclose(found.estimate, score, atol=1e-12)
    error = np.std(of_all_orders, axis=0) / np.sqrt(n)
    assert (abs(found.chance - np.mean(of_all_orders, axis=0)) <= 4.5 * error + 1e-12).all()
    share = np.mean(of_all_orders >= np.array(score) - 1e-12, axis=0)
    error = np.sqrt(share * (1 - share) / n)
    assert (abs(found.pvalue - share) <= 4.5 * error + 1 / n).all()
    if found.random_scores is not None:
        assert {*found.random_scores.round(9)} <= {*of_all_orders.round(9)}


@pytest.mark.parametrize(
    ("definition", "options"),
    [
        *product(OF_DEFINITIONS, [{}, {"n_positives": 5}]),
        *product([Step(), Interpolated(11)], [{"prevalence": 0.2}]),
    ],
)
def test_unretrieved_and_tied_rows_change_places_for_every_definition(definition, options):
    ask = {"definition": definition, **options}
    each = [average_precision_score(order, MISSED, **ask) for order in orders_of(LABELS)]
    score = average_precision_score(LABELS, MISSED, **ask)
    found = chance_test(LABELS, MISSED, **ask)
    assert_agrees(found, score, each)
    assert ("prevalence 0.2" in str(found)) == ("prevalence" in options)


@pytest.mark.parametrize("average", ["macro", "weighted", None])
@pytest.mark.parametrize("definition", [Step(), AtK(3), Interpolated(11)])
def test_labels_stay_in_their_query(definition, average):
    scores = np.append(MISSED[2:], [1.0, -np.inf, 3])
    ask = {"queries": np.repeat([0, 1], [5, 3]), "average": average, "definition": definition}
    orders = [*orders_of(LABELS[:5], LABELS[4:])]
    y_true = np.append(LABELS[:5], LABELS[4:])
    each = [average_precision_score(order, scores, **ask) for order in orders]
    assert_agrees(
        chance_test(y_true, scores, **ask), average_precision_score(y_true, scores, **ask), each
    )


def test_labels_stay_in_their_row_of_a_table():
    table = np.array([[1, 0, 1, 0], [0, 1, 0, 0]])
    scores = np.array([[3, -np.inf, -np.inf, 1], [2, -np.inf, 1, 4.0]])
    each = [
        average_precision_score(order.reshape(2, 4), scores, average="samples")
        for order in orders_of(*table)
    ]
    score = average_precision_score(table, scores, average="samples")
    assert_agrees(chance_test(table, scores, average="samples"), score, each)


@pytest.mark.parametrize("weight", [[1, 10, 1, 10, 10, 1.0], [1, 10, 2, 4, 12, 1.0]])
@pytest.mark.parametrize(("definition", "n_unscored"), [(Step(), 0), (Step(), 20), (AtK(8), 0)])
def test_the_mean_weight_of_a_class_moves_with_labels_and_the_rest_stays(
    weight, definition, n_unscored
):
    y, s, w = LABELS[:6], MISSED[:6], np.array(weight)
    mean = np.array([w[y == 0].mean(), w[y == 1].mean()])

    def score(order):
        moved = w / mean[y] * mean[order]
        known = {"n_positives": 20 + moved @ order} if n_unscored else {}
        return average_precision_score(
            order, s, sample_weight=moved, definition=definition, **known
        )

    each = [score(1 * order) for order in orders_of(y)]
    known = {"n_positives": 20 + w @ y} if n_unscored else {}
    found = chance_test(y, s, sample_weight=w, definition=definition, **known)
    assert_agrees(found, score(y), each)


def test_weights_that_vanish_beside_others_have_a_pvalue():
    weight = np.where(np.arange(20) % 4 == 3, 1e-100, 1e100)
    found = chance_test(np.arange(20) % 2, np.arange(20.0), sample_weight=weight)
    assert 0 < found.pvalue <= 1


def test_whole_clusters_change_places():
    """Labels of a cluster are alike here, so that the order of its rows does not matter."""
    clusters, labels = np.repeat(np.arange(7), 3), LABELS
    s = np.round(np.random.default_rng(1).normal(size=7)[clusters] + np.arange(21) % 3, 1)
    each = [average_precision_score(order[clusters], s) for order in orders_of(labels)]
    score = average_precision_score(labels[clusters], s)
    assert_agrees(chance_test(labels[clusters], s, clusters=clusters), score, each)


def test_clusters_change_places_with_those_of_their_size_alone():
    sizes = np.array([10, 4, 4, 5])
    clusters = np.repeat([*"abcd"], sizes)
    y = np.repeat([1, 1, 0, 1], sizes)
    s = np.repeat([0, 3.0, 2, 1], sizes)
    found = chance_test(y, s, clusters=clusters)
    swapped = np.repeat([1, 0, 1, 1], sizes)
    each = [average_precision_score(order, s) for order in (y, swapped)]
    assert_agrees(found, each[0], each)
    np.testing.assert_allclose(np.unique(found.random_scores), np.sort(each))


def test_clusters_of_whole_queries_change_nothing():
    found = chance_test(Y, S, queries=GROUP, clusters=GROUP // 3, zero_division=0.0)
    assert found.pvalue == chance_test(Y, S, queries=GROUP, zero_division=0.0).pvalue
    assert "999 shuffles within 24 queries" in found.heading
    one_by_one = chance_test(Y, S, queries=GROUP, average=None, zero_division=0.0)
    assert "999 shuffles within 24 queries" in one_by_one.heading


def test_several_pvalues_are_those_of_each_query_and_adjusted():
    found = chance_test(Y[:80], S[:80], queries=GROUP[:80] // 2, average=None, n_permutations=4999)
    alone = [
        chance_test(Y[:80][GROUP[:80] // 2 == i], S[:80][GROUP[:80] // 2 == i], n_permutations=4999)
        for i in range(4)
    ]
    np.testing.assert_allclose(found.pvalue, [each.pvalue for each in alone], atol=0.03)
    np.testing.assert_allclose(found.adjusted_pvalue, false_discovery_control(found.pvalue))
    assert [line.split()[0] for line in str(found).splitlines()[2:6]] == ["0", "1", "2", "3"]
    assert [*found.to_frame()] == ["estimate", "chance", "corrected", "pvalue", "adjusted_pvalue"]


def test_one_query_by_itself_is_told_as_one_score_is():
    found = chance_test(Y, S, queries=0 * Y, average=None)
    assert found.sentences == chance_test(Y, S).sentences
    assert found.pvalue.shape == (1,)


def test_rankings_higher_than_by_chance_are_counted_by_adjusted_pvalues():
    rng = np.random.default_rng(1)
    y = np.tile(np.arange(12) < 3, 20)
    queries = np.repeat(np.arange(20), 12)
    found = chance_test(y, 0.8 * y + rng.normal(size=240), queries=queries, average=None)
    n_higher = np.count_nonzero(found.adjusted_pvalue <= 0.05)
    assert n_higher < np.count_nonzero(found.pvalue <= 0.05)
    (sentence,) = found.sentences
    assert f"{n_higher} of 20 rankings" in sentence


def test_a_perfect_score_is_never_impossible():
    perfect = chance_test(np.arange(100) < 30, -np.arange(100))
    assert (perfect.estimate, perfect.corrected, perfect.pvalue) == (1, 1, 0.001)
    assert "is higher than by chance: 1.00" in perfect.sentences[0]
    worst = chance_test(np.arange(100) < 30, np.arange(100))
    assert worst.pvalue == 1
    assert worst.corrected == pytest.approx((worst.estimate - worst.chance) / (1 - worst.chance))
    assert "It is not shown that the score is higher than by chance" in worst.sentences[0]
    assert np.isnan(chance_test([1, 1], [0, 1]).corrected)  # chance gives 1, too


def test_the_same_data_give_the_same_pvalue():
    found, again, other = (chance_test(Y, S, **options) for options in ({}, {}, {"rng": 5}))
    np.testing.assert_array_equal(found.random_scores, again.random_scores)
    assert (other.random_scores != found.random_scores).any()


@pytest.mark.parametrize("zero_division", ["warn", 0.0, 1.0, np.nan])
def test_rankings_without_positives_have_no_pvalue_and_score_alike_in_all_orders(zero_division):
    y, options = [1, 0, 0, 0, 0, 0], {"queries": [0, 0, 0, 1, 1, 1], "zero_division": zero_division}
    with pytest.warns(UndefinedMetricWarning) if zero_division == "warn" else nullcontext():
        each = chance_test(y, np.arange(6.0), average=None, **options)
        mean = chance_test(y, np.arange(6.0), **options)
    assert np.isnan(each.pvalue).tolist() == [False, True]
    assert "because a score is not defined without a positive: ranking 1" in each.sentences[1]
    filled = 0.0 if zero_division == "warn" else zero_division
    np.testing.assert_equal(each.estimate[1], filled)
    assert mean.estimate == pytest.approx(np.nanmean([1 / 3, filled]))
    assert mean.chance == pytest.approx(np.nanmean(each.chance), abs=1e-12)
    assert mean.random_scores.mean() == pytest.approx(mean.chance, abs=1e-12)
    alone = chance_test([1, 1], [1.0, 2], prevalence=0.1, zero_division=0.0)
    assert alone.sentences[0].endswith("a score is not defined without positives and negatives.")


def test_a_column_without_known_labels_scores_0_at_k_in_all_orders():
    y = np.column_stack((np.full(4, np.nan), [1, 0, 0, 1]))
    s = np.column_stack((np.arange(4), np.arange(4)))
    for options in ({}, {"clusters": [0, 0, 1, 1]}):
        found = chance_test(y, s, definition=PrecisionAtK(2), average=None, **options)
        assert (found.estimate[0], found.chance[0], found.pvalue[0]) == (0, 0, 1)


def test_orders_that_cannot_change_the_score_show_nothing():
    clusters = np.repeat(np.arange(7), 2 ** np.arange(1, 8))
    y = (clusters > 3).astype(int)
    found = chance_test(y, y + np.random.default_rng(0).random(y.size), clusters=clusters)
    assert found.pvalue == 1.0
    assert found.sentences[0].startswith("Nothing can be shown")


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"n_permutations": 0}, ValueError, "n_permutations must be at least 1 .*, got 0"),
        ({"average": "micro"}, ValueError, "of columns.*average=None"),
        ({"rng": -1}, ValueError, "rng must be a seed .*: expected non-negative"),
    ],
)
def test_invalid_options_are_refused(options, error, text):
    y = np.array([[1, 0], [0, 1]])
    with pytest.raises(error, match=text):
        chance_test(y, y + 0.5, **options)


def test_clusters_that_lie_in_several_queries_have_no_mean():
    options = {"queries": np.arange(240) % 2, "clusters": GROUP}
    with pytest.raises(ValueError, match=r"queries beside clusters.*average=None"):
        chance_test(Y, S, **options)
    found = chance_test(Y, S, average=None, **options)
    assert "999 shuffles of 24 clusters" in found.heading


def test_chance_is_not_above_1_by_rounding():
    found = chance_test(np.ones(200, int), np.arange(200), queries=np.arange(200) // 2)
    assert found.chance == found.random_scores.max() == 1


def test_digits_tell_the_score_from_that_of_random_orders():
    rng = np.random.default_rng(0)
    y = (np.arange(20_000) >= 20).astype(int)
    found = chance_test(y, rng.normal(size=y.size) + y, n_permutations=99)
    text = re.search(r"by chance: (0\.\d+), while random orders score (0\.\d+)", str(found))
    assert text[1] != text[2]


@pytest.mark.parametrize("seed", range(20))
def test_nothing_is_corrected_where_chance_scores_1_but_for_rounding(seed):
    weight = np.array([0.7, 1e-5, 3.0, 0.1, 0.1, 3.0])
    score = np.random.default_rng(seed).permutation(6)
    found = chance_test(np.ones(6, int), score, sample_weight=weight, n_permutations=9)
    assert np.isnan(found.corrected)
