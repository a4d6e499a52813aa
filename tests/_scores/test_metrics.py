"""How the scores treat averages, labels, queries and rankings without positives."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from registry import REGISTRY
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_ap import average_precision_score, recall_at_k_score


@pytest.mark.parametrize(
    "name", [name for name, entry in REGISTRY.items() if entry.needs_positives]
)
def test_rankings_without_positives_score_0_with_one_warning(name):
    y_true, queries = [0, 0, 0, 1], ["a", "a", "b", "c"]
    match = "^No positive class found in y_true, for 2 of 3"
    with pytest.warns(UndefinedMetricWarning, match=match) as record:
        values = REGISTRY[name].score(y_true, [1, 2, 3, 4], queries=queries, average=None)
    assert [each.filename for each in record] == [__file__]
    assert values[:2].tolist() == [0.0, 0.0]
    for zero_division in (0.0, 1.0, 0, 1, np.nan):  # silently
        value = REGISTRY[name].score([0, 0], [1, 2], zero_division=zero_division)
        np.testing.assert_equal(value, float(zero_division))


@pytest.mark.parametrize("average", ["macro", "micro", "weighted", "samples", None])
def test_average_none_gives_an_array_and_others_a_float(average):
    assert type(average_precision_score([0, 1], [1, 2], average=average)) is float
    values = average_precision_score(np.eye(2, dtype=int), np.eye(2), average=average)
    assert type(values) is (np.ndarray if average is None else float)
    one_query = average_precision_score([0, 1], [1, 2], queries=[7, 7], average=None)
    assert one_query.tolist() == [1.0]


@pytest.mark.parametrize(
    "queries",
    [
        pd.Series([*"bbaaaa"], dtype="category"),
        pd.Series([2, 2, 1, 1, 1, 1], dtype="Int64"),
        pl.Series([2, 2, 1, 1, 1, 1]),
        pl.Series([*"bbaaaa"]),
    ],
)
def test_queries_of_any_dtype_agree(queries):
    y_true, y_score = [1, 0, 0, 1, 1, 0], [0.9, 0.1, 0.8, 0.2, 0.6, 0.5]
    found = average_precision_score(y_true, y_score, queries=queries)
    assert found == pytest.approx((0.5 + 1) / 2)


@pytest.mark.parametrize("weight", [1e-170, 1e-12, 1e300])
def test_weights_of_any_size_count_alike_at_k(weight):
    k = 10 if weight < 1 else 10**18
    value = recall_at_k_score([1, 0, 1, 0], [4, 3, 2, 1], k=k, sample_weight=[weight] * 4)
    assert value == pytest.approx(min(1, k / (2 * weight)))


@pytest.mark.parametrize(
    "name",
    [name for name, e in REGISTRY.items() if e.weighted and e.definition.depth is None],
)
@pytest.mark.parametrize("weight", [5e-324, 1e-310])
@pytest.mark.parametrize("by_query", [False, True])
def test_denormal_weights_give_the_same_ratios(name, weight, by_query):
    y_true, y_score = [1, 0, 1, 0, 1, 1, 0], [0.9, 0.8, 0.7, 0.7, 0.5, 0.4, 0.3]
    score, options = REGISTRY[name].score, {}
    if by_query:  # the other query has ordinary weights
        options = {"queries": [1] * 7 + [2] * 3, "average": None}
        y_true, y_score = [*y_true, 1, 0, 1], [*y_score, 1, 2, 3]
    tiny = np.where(np.arange(len(y_true)) < 7, weight, 1.0)
    value = score(y_true, y_score, sample_weight=tiny, **options)
    assert value == pytest.approx(score(y_true, y_score, **options), abs=1e-12)


def test_denormal_weights_average_columns_and_rows():
    rows = [[1, 0], [0, 1], [1, 1]], [[3, 2], [2, 3], [1, 4]]
    for average in ("weighted", "samples", "micro"):
        tiny, whole = (
            average_precision_score(*rows, average=average, sample_weight=weight)
            for weight in ([5e-324, 5e-324, 1e-323], [1, 1, 2])
        )
        assert tiny == pytest.approx(whole)


def test_huge_scores_and_huge_totals_do_not_overflow():
    assert average_precision_score([1, 0, 0], [1.7e308, 1.6e308, -1.7e308]) == 1.0
    known = {"queries": [0, 0, 1, 1], "n_positives": [1e308, 1e308], "average": "weighted"}
    found = average_precision_score([1, 0, 1, 0], [4, 3, 2, 1], **known)
    assert found == pytest.approx(0, abs=1e-9)
