"""Segments of rows, compared at one prevalence."""

import re
import sys
import threading
import warnings
from datetime import date

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.model_selection import cross_validate
from sklearn.naive_bayes import GaussianNB

from sklearn_ap import (
    FoldPredictions,
    UncertaintyWarning,
    average_precision_score,
    compare_segments,
)
from sklearn_ap._questions.segments._differences import Groups, OthersMean
from sklearn_ap._uncertainty.former.shrinkage import Uncertainty
from sklearn_ap.definitions import AtK, Expected, PrecisionAtK, RecallAtK, Step

MONTH = "2024-02"
MONTHS = np.array(["2024-01", MONTH], "M8[M]")
pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")


def made(n_rows=600, seed=0, names="abc"):
    """Rows of segments of unequal prevalence, of which "c" ranks worse."""
    rng = np.random.default_rng(seed)
    segments = rng.choice([*names], n_rows)
    y = (rng.random(n_rows) < np.where(segments == "a", 0.3, 0.15)).astype(int)
    return y, np.where(segments == "c", 0.7, 1.5) * y + rng.normal(size=n_rows), segments


def same(one, other):
    for name in one._numbers:
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=0, atol=1e-12)


# ---- numbers that tests/crossings does not compare


def kish(weight):
    return weight.sum() ** 2 / np.sum(weight**2)


def test_equal_segments_with_calibrated_scores_do_not_differ():
    """Each ranks alike, at shares of positives and so levels of scores that differ."""
    y, s, _ = made(200)
    parts = [np.concatenate((np.flatnonzero(y), *[np.flatnonzero(y == 0)] * n)) for n in (1, 3, 9)]
    segments = np.repeat(["a", "b", "c"], [*map(len, parts)])
    level = np.log([1, 1 / 3, 1 / 9]).repeat([*map(len, parts)])
    rows = np.concatenate(parts)
    found = compare_segments(y[rows], s[rows] + 2 * level, segments)
    assert found.differences == pytest.approx(np.zeros(3), abs=1e-12)
    assert found.pvalues.tolist() == [1, 1, 1]
    assert found.overall == pytest.approx(found.estimates[0])
    assert abs(found.pooled - found.overall) > 0.05


def test_shifting_scores_of_a_segment_changes_only_the_pooled_score():
    y, s, segments = made()
    found = compare_segments(y, s, segments)
    shifted = compare_segments(y, s + 9 * (segments == "b"), segments)
    same(found, shifted)
    assert found.overall == shifted.overall
    assert found.pooled != shifted.pooled


def test_pooled_score_is_the_score_of_all_rows_at_the_prevalence():
    y, s, segments = made()
    found = compare_segments(y, s, segments, prevalence=0.03)
    assert found.pooled == average_precision_score(y, s, prevalence=0.03)


def test_names_of_segments_and_their_order_change_nothing():
    y, s, segments = made()
    found = compare_segments(y, s, segments)
    order = np.random.default_rng(0).permutation(y.size)
    other_names = np.array([{"a": "z", "b": "y", "c": "x"}[name] for name in segments])
    renamed = compare_segments(y[order], s[order], other_names[order])
    for name in found._numbers:
        np.testing.assert_allclose(getattr(found, name), getattr(renamed, name)[::-1], atol=1e-12)


def test_segments_of_3_positives_are_excluded_from_the_others():
    y, s, segments = made(900)
    small = np.tile([1, 1, 1, *[0] * 17], 200)
    scores = np.random.default_rng(1).normal(size=small.size) + 1.5 * small
    names = np.repeat([f"small {i}" for i in range(200)], 20)
    found = compare_segments(y, s, segments, prevalence=0.15)
    rows = np.append(y, small), np.append(s, scores), np.append(segments, names)
    beside = compare_segments(*rows, prevalence=0.15)
    for name in ("differences", "difference_lows", "difference_highs", "pvalues"):
        np.testing.assert_allclose(getattr(beside, name)[:3], getattr(found, name), atol=1e-6)
    assert beside.overall == pytest.approx(found.overall)
    differences = beside.estimates[3:] - found.overall
    np.testing.assert_allclose(beside.differences[3:], differences)


def test_others_need_10_effective_positives():
    y, s, segments = np.tile([1, 0, 0, 0], 60), np.arange(240) * 7 % 11, np.repeat([0, 1, 2], 80)
    y[80:124] = 0
    assert y.reshape(3, -1).sum(axis=1).tolist() == [20, 9, 20]
    found = compare_segments(y, s, segments, prevalence=0.3)
    assert found.differences[0] == pytest.approx(found.estimates[0] - found.estimates[2])
    y[80] = 1
    found = compare_segments(y, s, segments, prevalence=0.3)
    others = found.estimates[1] / 3 + found.estimates[2] * 2 / 3
    assert found.differences[0] == pytest.approx(found.estimates[0] - others)


@pytest.mark.parametrize("clusters", [None, np.arange(600) % 50])
def test_others_weigh_by_their_effective_positives(clusters):
    """Not by the sum of weights, and whatever the clusters."""
    y, s, segments = made()
    weight = np.random.default_rng(0).choice([1.0, 5.0], 600) * np.where(segments == "b", 20, 1)
    found = compare_segments(
        y, s, segments, sample_weight=weight, clusters=clusters, prevalence=0.1
    )
    a, b, c = (kish(weight[(segments == name) & (y == 1)]) for name in "abc")
    assert found.overall == pytest.approx(np.average(found.estimates, weights=[a, b, c]))
    others = np.average(found.estimates[1:], weights=[b, c])
    assert found.differences[0] == pytest.approx(found.estimates[0] - others)


def test_segments_of_few_negatives_are_excluded_from_the_others():
    """38 negatives come with 9.5 positives at a prevalence of 0.2, and 40 with 10."""
    sizes = [50, 50, 50], [38, 300, 300]
    y = np.repeat([1, 0] * 3, np.transpose(sizes).ravel())
    segments = np.repeat([0, 1, 2], np.sum(sizes, axis=0))
    s = y + np.random.default_rng(0).normal(size=y.size)
    found = compare_segments(y, s, segments, prevalence=0.2)
    assert found.overall == pytest.approx(found.estimates[1:].mean())
    rows = np.append(y, [0, 0]), np.append(s, [0, 0]), np.append(segments, [0, 0])
    found = compare_segments(*rows, prevalence=0.2)
    assert found.overall == pytest.approx(found.estimates.mean())


def test_a_segment_without_others_of_10_positives_has_no_difference():
    y, s, segments = made()
    y[segments != "a"] &= np.cumsum(y[segments != "a"]) < 8
    found = compare_segments(y, s, segments)
    assert np.isnan(found.differences).tolist() == [True, False, False]
    assert np.isnan(found.adjusted_pvalues).tolist() == [True, False, False]
    why = "only a has 10 effective positives; so a has no difference"
    assert f"minus others is minus a here, as {why}" in repr(found).splitlines()
    y[segments == "a"] &= np.cumsum(y[segments == "a"]) < 8
    found = compare_segments(y, s, segments)
    for name in ("differences", "difference_lows", "pvalues", "overall"):
        assert np.isnan(getattr(found, name)).all()
    assert "alike" not in repr(found)
    assert "no differences, as no segment has 10 effective positives" in repr(found).splitlines()
    assert np.isfinite(compare_segments(y, s, segments, reference="previous").pvalues[1:]).all()


def test_two_segments_of_few_positives_are_compared_with_each_other():
    y, s, segments = made(60, names="ab")
    y &= np.cumsum(y) < 9
    found, other = compare_segments(y, s, segments), compare_segments(y, s, segments, reference="b")
    assert found.n_positives.max() < 10
    assert found.differences[0] == other.differences[0]
    assert found.pvalues.tolist() == [other.pvalues[0]] * 2


def test_adjusted_limits_touch_0_at_the_level_of_the_p_value():
    rng = np.random.default_rng(0)
    segments = rng.integers(0, 40, 12_000)
    y = (rng.random(12_000) < 0.1).astype(int)
    s = np.where(segments < 3, 0.5, 1.5) * y + rng.normal(size=12_000)
    found = compare_segments(y, s, segments)
    for i in np.argsort(found.pvalues)[:12]:
        at_it = compare_segments(y, s, segments, confidence_level=1 - found.pvalues[i])
        limits = np.array([at_it.difference_lows[i], at_it.difference_highs[i]])
        assert np.abs(limits).min() < 1e-6


def test_1000_segments_sort_each_row_a_bounded_number_of_times():
    rng, sizes = np.random.default_rng(0), []
    y, s, segments = rng.integers(0, 2, 20_000), rng.random(20_000), np.arange(20_000) % 1000

    def seen(frame, event, function):
        if event == "c_call" and function.__name__ in ("sort", "argsort", "partition", "lexsort"):
            sizes.append(np.size(function.__self__))

    threading.setprofile(seen)
    sys.setprofile(seen)
    try:
        found = compare_segments(y, s, segments)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    assert np.isnan(found.pvalues).sum() == 0
    assert 20_000 <= sum(sizes) < 10 * 20_000


def test_two_segments_count_as_one_comparison():
    y, s, segments = made(names="ac")
    found = compare_segments(y, s, segments)
    np.testing.assert_allclose(found.adjusted_pvalues, found.pvalues)
    np.testing.assert_allclose(found.difference_lows, -found.difference_highs[::-1])
    one_sided = compare_segments(y, s, segments, alternative="less")
    assert one_sided.adjusted_pvalues.min() == pytest.approx(2 * one_sided.pvalues.min())


PLACE = np.arange(60) // 10


@pytest.mark.parametrize(
    ("segments", "are_ordered"),
    [
        (np.datetime64("2024-01") + PLACE, True),
        (pd.Series(np.datetime64("2024-01-01", "ns") + 864 * 10**11 * PLACE).dt.date, True),
        (PLACE, True),
        (PLACE.astype(str), True),
        (np.char.add("week ", (PLACE + 7).astype(str)), True),
        (pd.Categorical(np.array([*"zyxwvu"])[PLACE], [*"zyxwvu"], ordered=True), True),
        (pd.Categorical(np.array([*"zaywcu"])[PLACE], [*"zaywcu"]), True),
        (np.array([*"zyxwvu"])[PLACE], False),
        (np.array(["January", "February", "March", "April", "May", "June"])[PLACE], False),
        (
            np.char.add(np.array(["01.", "02.", "03.", "04.", "05.", "06."])[PLACE], "10.2024"),
            False,
        ),
        (pd.Categorical(np.array([*"abcdef"])[PLACE]), False),
    ],
)
def test_dates_numbers_and_ordered_categories_are_in_an_order(segments, are_ordered):
    y = np.arange(60) % 2
    assert compare_segments(y, y + np.arange(60) % 7, segments).are_ordered == are_ordered


# ---- properties


def test_correlation_is_unknown_with_two_clusters_and_variance_with_one():
    """The influences of two clusters add up to 0, so their correlation is 1 or -1."""
    y, s, segments = made(names="ab")
    text = (
        "few clusters: 'a', 'b': Intervals rest on few clusters: their smallest number is 2. Below"
    )
    with pytest.warns(UncertaintyWarning, match=text):
        found = compare_segments(y, s, segments, clusters=np.arange(600) % 2)
    assert found.few_clusters == ("a", "b")
    assert (found.difference_highs - found.difference_lows > found.highs - found.lows).all()
    y, s, segments = made()
    clusters = np.where(segments == "a", 0, np.arange(600) % 50)
    found = compare_segments(y, s, segments, clusters=clusters)
    assert (found.lows[0], found.highs[0], found.pvalues[0]) == (0, 1, 1)
    assert np.isfinite(found.pvalues).all()


def test_one_warning_names_the_segments_of_few_clusters():
    names = [f"s{i}" for i in range(6)]
    segments = np.repeat(names, 300)
    y, s, _ = made(1800, names=names)
    for n_few, start in [
        (1, "'s0': The interval rests"),
        (3, "'s0', 's1', 's2': Intervals rest"),
        (4, "4 segments, such as 's0': Intervals rest"),
    ]:
        clusters = np.arange(1800)
        clusters[: 300 * n_few] //= 30
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UncertaintyWarning)
            found = compare_segments(y, s, segments, clusters=clusters)
        assert found.few_clusters == tuple(names[:n_few])
        number = f"{'' if n_few == 1 else 'smallest '}number is 10."
        (text,) = [str(each.message) for each in caught]
        assert text.startswith(f"few clusters: {start} on few clusters: their {number}")


def test_correlation_with_others_equals_that_of_cluster_sums():
    """Of 40 clusters with rows in all segments, which show a positive one too large by 2 in 40."""
    rng = np.random.default_rng(0)
    influence, weight = rng.normal(size=(5, 40)) + rng.normal(size=40), np.arange(1.0, 6.0)
    sizes, uncertainty = np.full(5, 30.0), Uncertainty(*[np.ones(5)] * len(Uncertainty._fields))
    segments = Groups(np.full(5, 0.5), uncertainty, sizes, sizes, csr_array(influence))
    found = OthersMean(segments, weight, np.arange(5)).correlations_with(segments)
    for i, own in enumerate(influence):
        mean = np.delete(weight, i) @ np.delete(influence, i, axis=0)
        r = own @ mean / np.sqrt((own @ own) * (mean @ mean))
        assert r > 0.3
        assert found[i] == pytest.approx(r * (1 - 2 / 40))


def test_a_difference_turned_around_by_the_bias_has_p_value_1():
    for seed in range(60):
        y, s, segments = made(60, seed, "ab")
        found = compare_segments(y, s, segments)
        unlike = found.difference_lows * found.difference_highs > 0
        np.testing.assert_array_equal(unlike, found.pvalues < 0.05)
        assert (found.difference_lows <= found.differences).all()
        assert (found.differences <= found.difference_highs).all()


def test_equal_scores_and_rows_do_not_differ():
    y, s, _ = made(100)
    found = compare_segments(np.tile(y, 2), np.tile(s, 2), np.repeat(["a", "b"], 100))
    assert found.pvalues.tolist() == [1, 1]
    assert found.differences == pytest.approx([0, 0])


# ---- names and their order


def test_categories_keep_their_order():
    y, s, segments = made()
    order = ["c", "unused", "a", "b"]
    categories = pd.Categorical(segments, order)
    of_polars = pl.Series(segments.tolist(), dtype=pl.Enum(order))
    expected = compare_segments(y, s, segments).estimates[[2, 0, 1]]
    for given in (categories, pd.Series(categories), of_polars):
        found = compare_segments(y, s, given, reference="previous")
        assert found.rankings == ("c", "a", "b")
        np.testing.assert_array_equal(found.estimates, expected)
        assert np.isnan(found.differences[0])
    bands = pd.cut(np.arange(600) % 70, [-1, 5, 30, 70])
    assert [*map(str, compare_segments(y, s, bands).rankings)] == ["(-1, 5]", "(5, 30]", "(30, 70]"]


@pytest.mark.parametrize(
    "names", [("2024-01", "2024-02"), ("2024-01-01", "2024-02-02"), ("2024", "2025")]
)
def test_dates_are_sorted_by_time_and_printed_short(names):
    y, s, segments = made(names="ab")
    dates = np.array(names, "M8[D]")[(segments == "a").astype(int)].astype("M8[ns]")
    found = compare_segments(pd.Series(y), s, pd.Series(dates), reference=names[0])
    assert (*map(str, found.rankings),) == names


def test_reference_may_be_given_as_printed():
    y, s, segments = made(names="ab")
    years = np.where(segments == "a", 2023, 2024)
    expected = compare_segments(y, s, years, reference=2024)
    for named in ("2024", 2024.0):
        same(compare_segments(y, s, years, reference=named), expected)


@pytest.mark.parametrize(
    "wanted", [MONTHS[1], pd.Timestamp(MONTH), pd.Period(MONTH), date(2024, 2, 1)]
)
def test_reference_may_be_any_type_of_the_same_date(wanted):
    y, s, segments = made(names="ab")
    months = MONTHS[(segments == "b").astype(int)]
    expected = compare_segments(y, s, segments, reference="b")
    series = pd.Series(months)
    for names in (months, months.astype("M8[ns]"), series.dt.to_period("M"), series.astype(object)):
        same(compare_segments(y, s, names, reference=wanted), expected)


def test_many_timestamps_as_segments_are_refused_with_advice():
    y, s, _ = made()
    times = np.datetime64("2024-01-01T00:00:01") + np.arange(600) * np.timedelta64(1, "h")
    for given in (times, pd.Series(times), pd.Series(times).dt.tz_localize("UTC")):
        with pytest.raises(ValueError, match=r"600 dates for 600 rows.*to_period\('M'\)"):
            compare_segments(y, s, given)
    y[:120] = np.repeat([0, 1], 60)
    days = np.datetime64("2024-01-01") + np.arange(600) % 60
    assert len(compare_segments(y, s, days).rankings) > 50
    shops = np.arange(600) % 100  # are no dates
    assert len(compare_segments(np.arange(600) // 100 % 2, s, shops).rankings) == 100


MONTHS_IN_WORDS = ["Apr 2024", "Feb 2024", "Jan 2024"], ["January", "Sept", "May"]
DAYS_IN_WORDS = ["Mon", "Tue", "Wed"], ["1 June", "monday", "Sunday"]
YEARS_LAST = ["01/10/2026", "02/10/2026", "01/11/2026"], ["11.2025", "12.2025", "1.2026"]
QUARTERS = ["Q3 2024", "Q4 2024", "Q1 2025"], ["q1-2024", "q2-2024", "q1-2025"]
WEEKS = ["week 9 2024", "week 10 2024", "week 1 2025"], ["W09-2024", "W10-2024", "W01-2025"]


OTHER_WORDS = ["avril", "février", "janvier"], ["enero 2026", "abril 2026", "mayo 2026"]
SIZES = ["high", "low", "middle"], ["1 juin", "1 mai", "2 mai"]


@pytest.mark.parametrize(
    "names",
    [*MONTHS_IN_WORDS, *OTHER_WORDS, *SIZES, *DAYS_IN_WORDS, *YEARS_LAST, *QUARTERS, *WEEKS],
)
def test_previous_is_refused_for_names_that_sort_out_of_order(names):
    y, s, segments = made()
    words = np.array(names)[np.searchsorted(["a", "b", "c"], segments)]
    for unordered in (words, pd.Series(words, dtype="category")):
        with pytest.raises(ValueError, match=r"in words, such as.*Pass dates or.*ordered=True"):
            compare_segments(y, s, unordered, reference="previous")
        compare_segments(y, s, unordered, reference=names[0])
    ordered = pd.Categorical(words, names, ordered=True)
    assert compare_segments(y, s, ordered, reference="previous").rankings == tuple(names)


IN_ORDER = ("2024-01 Jan", "2024-02 Feb", "2024-03 Mar"), ("week 01", "week 02", "week 03")


@pytest.mark.parametrize("names", [*IN_ORDER, ("2026Q1", "2026Q2", "2026Q3"), ("A", "B", "C")])
def test_previous_works_for_names_in_alphabetical_order(names):
    y, s, segments = made()
    words = np.array(names)[np.searchsorted(["a", "b", "c"], segments)]
    assert np.isfinite(compare_segments(y, s, words, reference="previous").pvalues[1:]).all()


BY_NUMBERS = [
    ("week 2", "week 10", "week 11"),
    ("2025-W9", "2025-W10", "2026-W1"),
    ("9", "10", "11"),
    ("18-25", "26-100", "101-110"),
    ("Part 2", "part 10", "PART 11"),
    ("-10", "-9", "1"),
    ("2 weeks", "10 weeks", "100 weeks"),
    ("v2", "v010", "v11"),
    ("2024-1", "2024-2", "2024-10"),
]


@pytest.mark.parametrize("names", BY_NUMBERS)
def test_names_with_whole_numbers_are_sorted_numerically(names):
    y, s, segments = made()
    words = np.array(names)[np.searchsorted(["a", "b", "c"], segments)]
    expected = compare_segments(y, s, segments, reference="previous")
    for given in (words, words.tolist(), pd.Series(words, dtype="category")):
        found = compare_segments(y, s, given, reference="previous")
        assert found.rankings == names
        np.testing.assert_array_equal(found.estimates, expected.estimates)
        np.testing.assert_array_equal(found.pvalues, expected.pvalues)
        assert [row["segment"] for row in found._rows()] == [*names]
    ordered = pd.Categorical(words, names[::-1], ordered=True)
    assert compare_segments(y, s, ordered).rankings == names[::-1]


@pytest.mark.parametrize(
    "names", [("0.25-0.5", "0.5-0.75", "1-2"), ("0.05-1", "0.25-1", "0.5-1"), ("a10", "b2", "b9")]
)
def test_names_with_decimals_or_other_words_are_sorted_alphabetically(names):
    y, s, segments = made()
    words = np.array(names)[np.searchsorted(["a", "b", "c"], segments)]
    assert compare_segments(y, s, words).rankings == names


# ---- left out, and refused

LATER = pd.Series(range(600))[::-1]  # in another order


def test_undefined_segments_are_named_and_excluded_from_the_others():
    y, s, segments = made()
    y = np.where(segments == "b", 0, y)
    with pytest.warns(UndefinedMetricWarning, match=r"left out\. These lack positives.*: 'b'\.$"):
        found = compare_segments(y, s, segments)
    assert (found.rankings, found.left_out) == (("a", "c"), ("b",))
    text = "left out, as they lack positives or negatives: b"
    assert text in repr(found).splitlines()
    kept = segments != "b"
    same(compare_segments(y[kept], s[kept], segments[kept], prevalence=found.prevalence), found)
    assert found.prevalence == y.mean()
    with pytest.warns(UndefinedMetricWarning):
        found = compare_segments(y, s, segments, reference="previous")
    assert f"{text}; previous is the last segment before that has a score" in repr(found)
    one_class = np.where(segments == "b", 1, y)
    with pytest.warns(UndefinedMetricWarning, match="'b'"):
        compare_segments(one_class, s, segments)
    assert compare_segments(one_class, s, segments, prevalence=None).estimates[1] == 1


def test_segment_of_weight_0_is_left_out_with_a_warning():
    y, s, segments = made()
    weight = np.where(segments == "b", 0, 1)
    with pytest.warns(UndefinedMetricWarning, match=": 'b'"):
        found = compare_segments(y, s, segments, sample_weight=weight, reference="previous")
    assert (found.rankings, found.left_out) == (("a", "c"), ("b",))


@pytest.mark.parametrize(
    ("change", "error", "text"),
    [
        ({"segments": ["a"] * 600}, ValueError, "at least two segments with a score, got 1"),
        ({"segments": None}, ValueError, "segments must hold the segment of each row"),
        ({"segments": ["a"] * 5}, ValueError, r"samples: \[600, 600, 5\] \(.*segments\)"),
        ({"segments": ["a", None] * 300}, ValueError, "segments contains missing.*Give them a"),
        ({"segments": ["a", "rest"] * 300}, ValueError, "name one 'rest'.*rename it"),
        ({"segments": ["a", "others"] * 300}, ValueError, "name one 'others'.*rename it"),
        ({"segments": ["a", "previous"] * 300}, ValueError, "name one 'previous'"),
        ({"segments": ["a", 1] * 300}, ValueError, "segments has names of several types"),
        ({"segments": LATER}, ValueError, "y_true and segments have indexes"),
        ({"sample_weight": LATER}, ValueError, "y_true and sample_weight have indexes"),
        ({"clusters": LATER}, ValueError, "y_true and clusters have indexes"),
        ({"reference": "d"}, ValueError, r"name of a segment with a score \('a', 'b', 'c'\), got"),
        ({"reference": None}, ValueError, "reference must be 'others'"),
        ({"reference": "rest"}, ValueError, "Pass reference='others': the mean of the scores"),
        ({"prevalence": "own"}, ValueError, "prevalence must be 'overall', a number or None"),
        ({"prevalence": 2}, ValueError, "prevalence is the proportion"),
        ({"definition": AtK(5)}, ValueError, "does not go with the first k.*prevalence=None"),
        ({"definition": Expected()}, ValueError, "no prevalence.*Or pass prevalence=None"),
        ({"definition": Step}, TypeError, "write parentheses"),
        ({"y_true": np.zeros(600)}, ValueError, "y_true must have both labels"),
        ({"y_true": np.zeros((600, 2))}, ValueError, r"y_true must hold one column beside segm"),
        ({"y_score": np.zeros((600, 2))}, ValueError, r"y_score must hold one column beside"),
        ({"clusters": made()[2]}, ValueError, "segment, lies in one cluster.*Leave clusters out"),
        ({"n_positives": 9}, TypeError, "unexpected keyword argument 'n_positives'"),
    ],
)
def test_invalid_arguments_are_refused(change, error, text):
    y, s, segments = made()
    with pytest.raises(error, match=text):
        compare_segments(**{"y_true": pd.Series(y), "y_score": s, "segments": segments} | change)


def test_identifiers_as_segments_are_refused():
    y, s, ids = np.arange(20_002) % 2, np.arange(20_002), np.arange(20_002) // 2
    with pytest.raises(ValueError, match=r"10,001 names for 20,002 rows.*customers as clusters"):
        compare_segments(y, s, ids)


# ---- what is shown


def test_wide_result_prints_two_tables_with_remarks():
    y, s, segments = made()
    found = compare_segments(y, s, segments, reference="b")
    name, _, *lines = repr(found).splitlines()
    assert name.startswith("step AP at prevalence 0.183, 600 rows, ")
    assert [line.split()[0] for line in lines[:4]] == ["estimate", "a", "b", "c"]
    assert max(map(len, lines)) <= 100
    differences = "\n".join(lines[4:])
    assert f"mean of the scores, weighted by positives: {found.overall:.4f}" in differences
    assert "reference</td>" in found._repr_html_()
    own = compare_segments(y, s, segments, prevalence=None, definition=RecallAtK(0.1))
    assert "each at its own prevalence, on which scores depend" in repr(own)
    assert own.prevalence is None
    (first, *_), frame = found._rows(), found.to_frame()
    assert (first["segment"], first["reference"]) == ("a", "b")
    assert first["difference"] == found.differences[0]
    assert frame.segment.tolist() == ["a", "b", "c"]
    assert frame.pvalue.isna().tolist() == [False, True, False]


def test_two_segments_without_positives_have_no_difference():
    options = {"definition": PrecisionAtK(1), "prevalence": None}
    found = compare_segments([0] * 4, [1, 2, 3, 4], [*"aabb"], **options)
    assert found.estimates.tolist() == [0, 0]
    assert np.isnan(found.differences).all()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize(
    ("n_missing", "end"), [(10, ": m0, m1, .*, m9$"), (11, ": m0, m1, m10, .* and 1 more$")]
)
def test_at_most_ten_left_out_segments_are_named(n_missing, end):
    missing = np.zeros(n_missing), np.zeros(n_missing), [f"m{i}" for i in range(n_missing)]
    found = compare_segments(*map(np.append, made(), missing))
    assert re.search(
        f"left out, as they lack positives or negatives{end}", repr(found), re.MULTILINE
    )


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        (("a" * 17, "b" * 18), ("a" * 17, "bbbbbbbb...bbbbbb")),
        (
            ("it is the same start, a, same end", "it is the same start, b, same end"),
            ("it is the same start, a...me end", "it is the same start, b...me end"),
        ),
    ],
)
def test_long_segment_names_are_shortened_but_stay_distinct(names, shown):
    y, s, segments = made(names="ab")
    found = compare_segments(y, s, np.where(segments == "a", *names))
    lines = repr(found).splitlines()
    assert [lines[i].split("  ")[0] for i in (3, 4)] == [*shown]


# ---- scores of folds


def out_of_fold(y_score, folds, **options):
    return FoldPredictions({"y_score": y_score, "folds": folds}, **options)


def stratified(y):
    folds = np.empty(y.size, int)
    folds[np.argsort(y, kind="stable")] = np.arange(y.size) % 5
    return folds


def test_segments_within_single_folds_have_wider_differences():
    y, s, segments = made(n_rows=900)
    numbers = np.unique(segments, return_inverse=True)[1]
    predictions = out_of_fold(s, numbers)
    found = compare_segments(y, predictions, segments, prevalence=None)
    alone = compare_segments(y, s, segments, prevalence=None)
    assert np.all(found.difference_lows < alone.difference_lows)
    assert np.all(found.pvalues > alone.pvalues)
    assert "pool of 3 folds" in repr(found)


@pytest.mark.filterwarnings("error")
def test_ranks_of_folds_make_unequal_scales_comparable_in_segments():
    y, s, segments = made(n_rows=3000)
    folds = stratified(y)
    moved = s + 3 * folds
    ranked = compare_segments(y, out_of_fold(moved, folds, pooling="ranks"), segments)
    assert np.all(np.abs(ranked.estimates - compare_segments(y, s, segments).estimates) < 0.05)
    numbers = np.unique(segments, return_inverse=True)[1]
    of_segments = out_of_fold(s + 3 * numbers, numbers)
    compare_segments(y, of_segments, segments)  # each is ranked by itself


def test_predicted_classes_out_of_fold_raise_a_warning():
    y, s, segments = made(n_rows=900)
    with pytest.warns(UncertaintyWarning, match="look like predicted classes"):
        compare_segments(y, out_of_fold((s > 1).astype(float), stratified(y)), segments)


def test_fold_models_and_their_out_of_fold_scores_agree():
    """Labels are those that the predictions carry, here words."""
    y, s, segments = made(n_rows=900)
    words, X = np.where(y, "yes", "no"), np.c_[s, np.roll(s, 1)]
    cv = cross_validate(GaussianNB(), X, words, cv=3, return_estimator=True, return_indices=True)
    found = compare_segments(None, FoldPredictions(cv, X, words), segments, pos_label="yes")
    scores, folds = np.empty(y.size), np.empty(y.size, int)
    for number, (model, rows) in enumerate(
        zip(cv["estimator"], cv["indices"]["test"], strict=True)
    ):
        scores[rows], folds[rows] = model.predict_proba(X[rows])[:, 1], number
    known = compare_segments(y, out_of_fold(scores, folds), segments)
    assert repr(found) == repr(known)
    np.testing.assert_array_equal(found.difference_lows, known.difference_lows)


def test_rows_that_no_fold_tests_are_ignored():
    """As in folds of time, whose first rows train alone."""
    y, s, segments = made(n_rows=900)
    rows = np.arange(900)
    indices = {
        "train": [rows[:300], rows[:600]],
        "test": [rows[300:600], rows[600:][::-1]],
    }
    folds = FoldPredictions({"estimator": [Column()] * 2, "indices": indices}, s[:, None])
    weight = np.linspace(1, 2, 900)
    found = compare_segments(y, folds, segments, sample_weight=weight)
    tested = rows[300:]
    predictions = out_of_fold(s[tested], tested // 300)
    known = compare_segments(y[tested], predictions, segments[tested], sample_weight=weight[tested])
    assert repr(found) == repr(known)
    assert "600 rows" in repr(found)


def test_names_in_another_order_than_the_rows_of_folds_are_refused():
    y, s, segments = made(n_rows=300)
    rows = np.arange(300)
    indices = {"train": [rows[:150], rows[150:]], "test": [rows[150:], rows[:150]]}
    X = pd.DataFrame({"score": s})
    folds = FoldPredictions({"estimator": [GaussianNB().fit(X, y)] * 2, "indices": indices}, X)
    with pytest.raises(ValueError, match="X and segments have indexes with the same names"):
        compare_segments(y, folds, pd.Series(segments)[::-1])


class Column(BaseEstimator):
    """Gives the first column, whatever it was trained on."""

    def fit(self, X, y=None):
        return self

    def predict(self, X):
        return X[:, 0]


def test_a_table_of_folds_is_refused():
    _, s, segments = made(n_rows=300)
    predictions = out_of_fold(np.c_[s, s, s], np.arange(300) % 3)
    with pytest.raises(ValueError, match=r"y_score must hold one column beside segments"):
        compare_segments(np.arange(300) % 3, predictions, segments)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize(
    "wrap", [lambda w: w[:, None], lambda w: pd.DataFrame({"w": w}), list, pd.Series]
)
def test_weights_may_be_a_single_column(wrap):
    rng = np.random.default_rng(0)
    y, segments = rng.random(90) < 0.4, np.arange(90) % 3
    s, weight = y + rng.normal(size=90), np.where(segments == 1, 0.0, 1.0 + rng.random(90))
    flat = compare_segments(y, s, segments, sample_weight=weight)
    assert flat.rankings == (0, 2)
    assert flat.left_out == (1,)
    found = compare_segments(y, s, segments, sample_weight=wrap(weight))
    np.testing.assert_equal(found._rows(), flat._rows())
