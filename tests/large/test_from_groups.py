"""Counts of groups: equal to those of their rows, in any order and any type that SQL returns."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_ap import Interval, average_precision_score, large, score_from_counts, threshold_counts
from sklearn_ap._counts.counting import count
from sklearn_ap._inputs.request import Request, check_rankings
from tests.helpers.recipe import assert_same, mix, rows
from tests.helpers.registry import predictions


def groups_of(y_true, y_score, *keys):
    frame = pd.DataFrame({"y": np.asarray(y_true, int), "s": y_score} | dict(enumerate(keys)))
    grouped = frame.assign(n=1 - frame["y"]).groupby([*range(len(keys)), "s"], sort=False)
    return grouped[["y", "n"]].sum().reset_index()


@given(predictions(30), st.randoms())
def test_groups_in_any_order_equal_their_rows(data, random):
    y_true, y_score = data
    found = groups_of(y_true, np.asarray(y_score))
    order = random.sample(range(len(found)), len(found))
    found = found.iloc[order]
    ours = large.from_groups(found["s"].to_numpy(), found["y"].to_numpy(), found["n"].to_numpy())
    assert_same(ours, threshold_counts(y_true, y_score))


def test_a_score_may_come_twice():
    ours = large.from_groups([1, 3, 1, 2], [1, 0, 2, 0], [0, 1, 4, 1])
    expected = threshold_counts([0, 0, *[1] * 3, *[0] * 4], [3, 2, *[1] * 7])
    assert_same(ours, expected)


@pytest.mark.parametrize("kind", [float, Decimal, np.float32, np.uint8])
def test_whole_numbers_of_any_type_are_counts(kind):
    def column(values):
        return [kind(value) for value in values]

    ours = large.from_groups([0.9, 0.5], column([1, 2]), column([0, 3]))
    assert_same(ours, threshold_counts([1, 1, 1, 0, 0, 0], [0.9, *[0.5] * 5]))
    assert Interval.from_counts(ours).low < score_from_counts(ours)


@pytest.mark.parametrize(("n", "kind"), [(2**53 - 2, np.int64), (2**53, np.float64)])
def test_numbers_that_floats_have_rounded_are_no_counts(n, kind):
    """The sum with one more row is exact below 2**53, and is not above it."""
    assert large.from_groups([0.9, 0.1], [n, 1], [0, 0]).tps.dtype == kind


def test_sums_of_weights_give_the_weighted_counts():
    y, s, w = [1, 0, 1, 0], [0.9, 0.9, 0.5, 0.1], [0.5, 2, 1.25, 0.75]
    ours = large.from_groups([0.1, 0.5, 0.9], [0, 1.25, 0.5], [0.75, 0, 2])
    assert_same(ours, threshold_counts(y, s, sample_weight=w))


def test_minus_infinity_is_not_retrieved():
    ours = large.from_groups([-np.inf, 2.0], [3, 1], [5, 0])
    assert_same(ours, threshold_counts([1] * 3 + [0] * 5 + [1], [-np.inf] * 8 + [2.0]))


@pytest.mark.parametrize("kind", [str, int])
def test_queries_are_rankings_in_the_order_of_their_names(kind):
    y_true, y_score = rows(0, 5_000, 3)
    y_score = np.where(y_score < 0.1, -np.inf, y_score.astype(float).round(2))
    query = np.array([kind(each) for each in mix(np.arange(5_000)) % 30])
    y_true &= query != kind(7)  # one without positives
    found = groups_of(y_true, y_score, query).sample(frac=1, random_state=0)
    ours = large.from_groups(
        *(found[name].to_numpy() for name in "syn"), queries=found[0].to_numpy()
    )
    request = Request(y_true=y_true, y_score=y_score, queries=query)
    assert_same(ours, count(check_rankings(request)))
    assert ours.names == tuple(sorted({*query.tolist()}))
    expected = average_precision_score(y_true, y_score, queries=query, zero_division=0.0)
    assert score_from_counts(ours, zero_division=0.0) == expected


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"score": [1, np.nan]}, "^Input score contains NaN.* -inf"),
        ({"score": [np.inf, 1]}, "^Input score contains infinity"),
        ({"score": ["a", "b"]}, "score must hold numbers, got 'a' in row 0"),
        (
            {"score": [], "n_positives": [], "n_negatives": []},
            "^score, n_positives and n_negatives are empty",
        ),
        ({"n_positives": [1, -1]}, "^n_positives must hold 0 to 1e.100 .* got -1 in group 1"),
        (
            {"n_negatives": [None, 1]},
            r"^n_negatives .* got nan in group 0.* by WHERE y IS NOT NULL",
        ),
        ({"n_positives": [0, 0], "n_negatives": [0, 0]}, "^n_positives and n_negatives are 0 in"),
        (
            {"n_positives": [0, None], "n_unlabelled": [0, 3]},
            "^n_unlabelled must be 0 .* got 3 in group 1, of 3 in all: .* WHERE y IS NOT NULL",
        ),
        ({"n_negatives": [1]}, r"\[2, 2, 1\] \(score, n_positives, n_negatives\)"),
        ({"queries": ["a"]}, r"\[2, 2, 2, 1\] \(score, n_positives, n_negatives, queries\)"),
        ({"queries": ["a", None]}, "queries contains NaN .* in row 1"),
        ({"queries": 7}, "queries must be an array .*, got 7"),
    ],
)
def test_error_names_the_argument(columns, message):
    good = {"score": [1, 2], "n_positives": [1, 0], "n_negatives": [0, 1]}
    with pytest.raises((TypeError, ValueError), match=message):
        large.from_groups(**good | columns)


def test_groups_whose_rows_all_have_labels_are_counted():
    assert_same(
        large.from_groups([0.9, 0.5], [1, 0], [0, 1], n_unlabelled=[0, 0]),
        large.from_groups([0.9, 0.5], [1, 0], [0, 1]),
    )


def test_a_frame_is_refused_with_its_columns():
    frame = pd.DataFrame({"score": [0.9], "hits": [1], "misses": [0]})
    with pytest.raises(TypeError, match=r"three columns.*, of \['score', 'hits', 'misses'\]"):
        large.from_groups(frame)
    with pytest.raises(TypeError, match="pass n_positives and n_negatives, too"):
        large.from_groups([0.9], [1])


@pytest.mark.parametrize("n", [4 * 10**9, 10**12])
def test_counts_beyond_the_square_root_of_64_bits_are_judged(n):
    counts = large.from_groups([0.9, 0.1], [0, n], [n, 0])
    with pytest.warns(UserWarning, match=r"100.0% of the negatives score") as record:
        score_from_counts(counts)
    assert len(record) == 1
