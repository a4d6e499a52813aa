"""ThresholdCounts: what is computed from counts, of one ranking and of several."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_ap import average_precision_score, score_from_counts, threshold_counts
from sklearn_ap._arithmetic import rounding_of_sums
from sklearn_ap._counts import thresholds
from sklearn_ap._counts.counting import count
from sklearn_ap._counts.thresholds import ratio
from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap._writing.table import Tabular
from sklearn_ap.definitions import AtK, Linear, Step
from tests.helpers import reference
from tests.helpers.registry import WEIGHTS, predictions

NAN, INF = np.nan, np.inf
SPACING = 2.0**-52
EXAMPLES = settings.default.max_examples
ONE = threshold_counts([1, 0, 1, 0, 1, 0], [5, 5, 4, 3, 2, 1])


def of_rankings(*rankings, weight=None):
    """Counts of rankings of labels, each from the highest score on."""
    labels = np.array([label for labels in rankings for label in labels], dtype=bool)
    ranking = np.repeat(np.arange(len(rankings)), [*map(len, rankings)])
    return count(Rankings(labels, -np.arange(labels.size), weight, ranking, len(rankings)))


# The second has no positive, the third no negative, and the fourth nothing at all.
FOUR = of_rankings([1, 0, 1], [0, 0], [1, 1], [])


def test_counts_are_printed_as_the_terms_whose_sum_is_average_precision():
    y_true, y_score = [1, 0, 1, 1, 0], [0.9, 0.8, 0.7, 0.7, 0.1]
    counts = threshold_counts(y_true, y_score)
    assert repr(counts).splitlines() == [
        "ThresholdCounts: 2 thresholds, 3 positives, 2 negatives",
        "threshold  tps  fps  precision    recall  rise_of_recall   product",
        "0.9          1    0          1  0.333333        0.333333  0.333333",
        "0.7          3    1       0.75         1        0.666667       0.5",
    ]
    frame = counts.to_frame()
    assert frame["product"].sum() == pytest.approx(average_precision_score(y_true, y_score))
    weighted = threshold_counts([1, 0, 1], [3, 2, 2], sample_weight=[1, 1, 0.5])
    assert repr(weighted).startswith("ThresholdCounts: 2 thresholds, 1.5 positives, 1 negative\n")
    assert repr(FOUR).startswith("ThresholdCounts: 4 rankings, 4 thresholds,")
    assert [*FOUR.to_frame()["ranking"]] == [0, 0, 2, 2]
    assert [*replace(FOUR, names=tuple("abcd")).to_frame()["ranking"]] == [*"aacc"]


@pytest.mark.parametrize("n_rankings", [1, 7, 4_000])
def test_a_print_computes_the_first_thresholds_alone(n_rankings):
    n = 20_000
    labels, ranking = np.ones(n, bool), np.sort(np.arange(n) % n_rankings)
    counts = count(Rankings(labels, -np.arange(n), None, ranking, n_rankings))
    counts = replace(counts, names=tuple(range(n_rankings)))
    tracemalloc.start()
    shown = repr(counts).splitlines()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < counts.tps.nbytes
    assert [line.split()[1] for line in shown[-6:]] == ["0", "-1", "-2", "-3", "-4", "and"]


@given(sizes=st.lists(st.integers(0, 3), min_size=1, max_size=9))
def test_the_first_thresholds_are_printed_as_among_all(sizes):
    counts = of_rankings(*([1, 0] * size for size in sizes))
    assert counts._printed_table() == Tabular._printed_table(counts)


class TestScore:
    @given(data=predictions(weights=WEIGHTS))
    def test_score_without_a_definition_is_step_average_precision(self, data):
        y_true, y_score, weight = data
        counts = threshold_counts(y_true, y_score, sample_weight=weight)
        exact = reference.step(y_true.tolist(), y_score.tolist(), weight=weight.tolist())
        expected = pytest.approx(NAN if exact is None else float(exact), rel=1e-14, nan_ok=True)
        assert score_from_counts(counts, zero_division=NAN) == expected
        assert score_from_counts(counts, Step(), zero_division=NAN) == expected

    def test_score_of_weights_whose_sum_is_rounded_down_is_not_above_1(self):
        counts = threshold_counts([1] * 10, np.arange(10), sample_weight=[0.1] * 10)
        assert score_from_counts(counts) == score_from_counts(counts, Step()) == 1

    def test_rankings_are_averaged_as_the_option_says(self):
        with pytest.warns(UndefinedMetricWarning, match="2 of 4 rankings") as record:
            assert score_from_counts(FOUR) == pytest.approx((5 / 6 + 0 + 1 + 0) / 4)
        assert record[0].filename == __file__
        with pytest.warns(UndefinedMetricWarning, match="no negative.* 3 of 4 rankings"):
            score_from_counts(FOUR, prevalence=0.1)
        uneven = of_rankings([1, 0, 1], [0, 1])
        assert score_from_counts(uneven, average="weighted") == pytest.approx(
            (2 * 5 / 6 + 1 / 2) / 3
        )
        for definition in AtK(1), "AP@1":
            assert score_from_counts(uneven, definition, average=None).tolist() == [1, 0]
        one_class = of_rankings([1, 1], [1, 0])  # the first keeps its weight
        options = {"average": "weighted", "prevalence": 0.5, "zero_division": 0.0}
        assert score_from_counts(one_class, **options) == pytest.approx((2 * 0 + 1) / 3)

    def test_one_ranking_gives_a_float_and_one_query_an_array(self):
        assert type(score_from_counts(ONE)) is type(score_from_counts(ONE, average=None)) is float
        query = replace(ONE, names=("a",))
        assert type(score_from_counts(query)) is float
        assert score_from_counts(query, average=None).shape == (1,)

    @pytest.mark.parametrize("other", [[ONE], None, ONE.to_frame()], ids=type)
    def test_other_objects_than_counts_are_refused(self, other):
        with pytest.raises(TypeError, match=r"counts must be ThresholdCounts, .* got"):
            score_from_counts(other)


class TestAtPrevalence:
    @pytest.mark.parametrize("prevalence", [0.01, 0.5, 0.9])
    @given(data=predictions(weights=WEIGHTS))
    def test_precision_is_that_of_rates_in_a_population(self, prevalence, data):
        """Of p TPR / (p TPR + (1 - p) FPR)."""
        y_true, y_score, weight = data
        for weights in (None, weight):
            counts = threshold_counts(y_true, y_score, sample_weight=weights)
            moved = counts.at_prevalence(prevalence)
            if not (counts.n_positives and counts.n_negatives):
                assert np.isnan(Step()(moved))
                continue
            hits = prevalence * counts.tps / counts.n_positives
            false_alarms = (1 - prevalence) * counts.fps / counts.n_negatives
            np.testing.assert_allclose(moved.precision, hits / (hits + false_alarms), rtol=1e-12)
            np.testing.assert_allclose(moved.recall, counts.recall)
            shares = moved.n_positives / (moved.n_positives + moved.n_negatives)
            np.testing.assert_allclose(shares, prevalence)
            share_above = counts.fps_above / counts.n_negatives
            np.testing.assert_allclose(moved.fps_above / moved.n_negatives, share_above)

    def test_counts_of_unweighted_rows_are_weighted_at_another_prevalence(self):
        assert not ONE.are_weighted
        assert ONE.at_prevalence(0.25).are_weighted

    def test_rankings_of_one_class_have_no_thresholds(self):
        moved = FOUR.at_prevalence(0.25)
        assert moved.starts.tolist() == [0, 2, 2, 2]
        assert moved.n_positives.tolist() == [2, 0, 0, 0]
        assert moved.fps.tolist() == [0, 6]
        assert moved.n_negatives.tolist() == [6, 0, 0, 0]
        more = replace(FOUR, n_positives=FOUR.n_positives + 3, n_unscored=np.full(4, 3))
        assert more.at_prevalence(0.25).n_rows.tolist() == [2 + 15, 9, 0, 0]

    def test_a_tiny_prevalence_of_extreme_weights_overflows_nothing(self):
        weight = [1e100, 1e-100, 1e100, 1e-100]
        for labels in ([1, 0, 0, 0], [1, 0, 1, 0]):
            counts = threshold_counts(labels, [1, 2, 3, 4], sample_weight=weight)
            assert 0 <= score_from_counts(counts, prevalence=1e-3) < 1
        huge = replace(threshold_counts([1, 0], [2, 1]), n_negatives=np.array([10**12]))
        assert (
            score_from_counts(huge, prevalence=1e-100)
            == score_from_counts(huge, Step(), prevalence=1e-100)
            == 1
        )


def test_counts_above_each_threshold_are_those_of_rows_above():
    assert ONE.n_above.tolist() == [0, 2, 4]
    assert ONE.n_tied.tolist() == [2, 1, 1]
    assert FOUR.tps_above.tolist() == [0, 1, 0, 1]
    assert FOUR.n_above.tolist() == [0, 2, 0, 1]
    for at_start in (0.0, 1.0):  # only without rows above
        found = of_rankings([1, 1, 0, 1], [0, 1, 1]).precision_above(at_start)
        assert found.tolist() == [at_start, 1, 2 / 3, 0, 1 / 2]


def test_a_weight_too_small_to_move_the_sum_is_not_lost():
    counts = threshold_counts([1, 1, 0], [0.9, 0.8, 0.7], sample_weight=[1, 1e-20, 1])
    assert counts.n_tied.tolist() == counts.gained.tolist() == [1, 1e-20]
    assert Step()(counts) == Linear()(counts) == AtK(1)(counts) == 1
    rising = threshold_counts([1, 1, 0], [3, 2, 2], sample_weight=[1e-20, 1, 1e-20])
    assert rising.tps_above.tolist() == [0, 1e-20]
    counts = of_rankings([1, 1], [1])
    assert counts.sum_below(np.array([1, 2, 1e20])).tolist() == [2, 0, 0]


def test_values_of_rankings_are_those_of_the_examples():
    """In rankings of 2, 0, 1 and 0 thresholds."""
    counts, values = of_rankings([1, 1], [0], [1], []), np.array([1.0, 2, 3])
    assert counts.per_threshold(np.array([4, 5, 6, 7])).tolist() == [4, 4, 6]
    assert counts.value_above(values).tolist() == [0, 1, 0]
    assert counts.sum(values).tolist() == [3, 0, 3, 0]
    assert counts.sum_below(values).tolist() == [2, 0, 0]
    assert counts.envelope(values).tolist() == [2, 2, 3]
    missed = replace(counts, n_positives=np.array([2, 5, 1, 0]))
    np.testing.assert_equal(missed.highest(values), [2, 0, 3, NAN])


@pytest.mark.parametrize("name", ["value_above", "sum", "sum_below", "highest", "envelope"])
@given(sizes=st.lists(st.integers(0, 4), min_size=1, max_size=6), data=st.data())
def test_each_ranking_has_the_values_of_the_ranking_alone(name, sizes, data):
    n = sum(sizes)
    values = np.array(data.draw(st.lists(st.floats(-1, 1), min_size=n, max_size=n)), float)
    parts = np.split(values, np.cumsum(sizes)[:-1])
    alone = [getattr(of_rankings([1] * part.size), name)(part) for part in parts]
    found = getattr(of_rankings(*([1] * size for size in sizes)), name)(values)
    np.testing.assert_allclose(found, np.concatenate(alone), rtol=0, atol=1e-12)


def test_rounding_grows_with_the_added_weights_up_to_a_billionth():
    assert ONE.rounding == ONE.at_prevalence(0.3).rounding == 8 * SPACING
    counts = of_rankings([1, 1, 1], [0], [1, 0, 1], weight=np.full(7, 0.1))
    np.testing.assert_array_equal(counts.rounding, np.array([11, 8, 10]) * SPACING)
    assert rounding_of_sums(10**9) == 1e-9
    known = replace(counts, n_unscored=np.zeros(3))  # the user added up the positives
    assert known.rounding.tolist() == [1e-9] * 3


@pytest.mark.parametrize("chosen", [[0, 1], [1, 3], [3], []])
def test_selected_thresholds_remain_in_their_rankings(chosen):
    found = thresholds.select_thresholds(FOUR, np.isin(np.arange(4), chosen))
    for name in ("thresholds", "gained", "tps", "fps", "fps_above"):
        np.testing.assert_array_equal(getattr(found, name), getattr(FOUR, name)[chosen])
    np.testing.assert_array_equal(found.ranking(), FOUR.ranking()[chosen])


@pytest.mark.parametrize(
    ("k", "n_rows", "expected"),
    [
        (0.3, 7, 3),
        (0.07, 100, 7),  # in floats 7.000000000000001
        (0.071, 100, 8),
        (1e-9, 5, 1),
        (0.01, 10**11 + 1, 10**9 + 1),
        (5, 3, 5),
    ],
)
def test_a_share_of_rows_is_rounded_up_to_a_whole_rank(k, n_rows, expected):
    assert thresholds.ranks_of_rows(k, n_rows) == expected
    counts = replace(threshold_counts([1], [1.0]), n_negatives=np.array([n_rows - 1]))
    found = thresholds.ranks_of_counts(k, counts)
    assert (found.tolist(), found.dtype) == ([expected], np.int64)


@settings(max_examples=10 * EXAMPLES)
@given(data=predictions(max_size=5, weights=(0.25, 0.5, 1.5, 1.0, 2.0)))
@example(data=np.array([[1, 0, 0], [2, 3, 2], [1, 0.5, 0.5]]))  # one negative is above
def test_a_share_of_weights_is_rounded_up_where_all_sums_are_whole(data):
    y_true, y_score, weight = data
    expected = reference.ranks(0.3, y_true.tolist(), y_score.tolist(), weight.tolist())
    counts = threshold_counts(y_true, y_score, sample_weight=weight)
    assert thresholds.ranks_of_counts(0.3, counts) == pytest.approx(float(expected))


@pytest.mark.parametrize(("weight", "expected"), [(1e20, 0.3e20), (1e-100, 3e-101)])
def test_a_share_of_extreme_weights_is_not_rounded(weight, expected):
    counts = threshold_counts([1], [1], sample_weight=[weight])
    assert thresholds.ranks_of_counts(0.3, counts) == pytest.approx(expected, rel=1e-11, abs=0)


def test_each_ranking_has_a_share_of_its_own_rows():
    """Without the positives that are no rows; a ranking without rows has one rank."""
    labels, ranking = np.array([1, 1, 0, 1, 0], bool), np.array([0, 0, 0, 2, 2])
    rows = Rankings(labels, np.arange(5.0)[::-1], None, ranking, 3)
    unscored = np.array([10, 10, 10])
    for weight, expected in ((None, [2, 1, 2]), (np.array([1, 0.5, 0.5, 2, 3]), [1.2, 1, 3])):
        counts = count(replace(rows, weight=weight))
        known = replace(counts, n_positives=counts.n_positives + unscored, n_unscored=unscored)
        for each in (counts, known):
            np.testing.assert_allclose(thresholds.ranks_of_counts(0.6, each), expected)


def test_a_ratio_stands_where_the_denominator_is_positive():
    numerators, denominators = np.array([1, 0, 2, 3.0]), np.array([2, 0, np.nan, 0])
    np.testing.assert_array_equal(ratio(numerators, denominators), [0.5, np.nan, np.nan, np.nan])
    others = np.arange(4.0)
    np.testing.assert_array_equal(ratio(numerators, denominators, others), [0.5, 1, 2, 3])
    np.testing.assert_array_equal(ratio(numerators, np.full(4, 2)), numerators / 2)
