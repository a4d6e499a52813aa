"""Predictions are checked once, for all tools."""

import math

import numpy as np
import pytest
from compat_inputs import NAMES, S, Y, options_of
from every import every

from sklearn_ap import average_precision_score, compat
from sklearn_ap.compat._checked_predictions import check_predictions
from sklearn_ap.compat._tools import get


@every(
    ("y_true", "y_score", "options", "message"),
    [
        (Y, [np.nan, *S[1:]], {}, "y_score contains NaN"),
        (Y, S[1:], {}, "inconsistent numbers of samples"),
        ([*Y[:-1], 2], S, {}, "multiclass format is not supported"),
        (Y, S, {"sample_weight": np.ones(9)}, "inconsistent numbers of samples"),
        (Y, S, {"sample_weight": -np.ones(10)}, "sample_weight must not be negative"),
    ],
)
@every("queries", [None, [0, 1] * 5])
def test_bad_predictions(y_true, y_score, options, message, queries):
    with pytest.raises(ValueError, match=message):
        compat.compare(y_true, y_score, queries=queries, **options)


def test_queries_with_weights():
    """Of queries with weights, and of one without any, which is absent."""
    y_true, y_score, queries = [1, 0, 1, 0, 1], [9, 8, 7, 2, 1], [0, 0, 1, 1, 2]
    weight = [0, 1, 1, 2, 0]
    comparison = compat.compare(y_true, y_score, queries=queries, sample_weight=weight)
    rows = {row["name"]: row["value"] for row in comparison.rows()}
    assert rows["sklearn.average_precision_score"] == pytest.approx((0 + 1) / 2)
    assert rows["lightgbm.average_precision"] == pytest.approx((1 + 1) / 2)


def test_the_weight_of_the_highest_score():
    """LightGBM divides by it."""
    options = {"sample_weight": [0, 1, 1]}
    name = "lightgbm.average_precision"
    assert math.isnan(compat.score(name, [0, 1, 0], [3, 2, 1], **options))
    assert compat.explain(name, [0, 1, 0], [3, 2, 1], **options).steps[-1].share is None


def test_a_row_without_weight_is_on_top_of_rows_that_were_not_retrieved():
    weight, queries = [1, 0, 1, 1], [0, 0, 1, 1]
    found = check_predictions([1, 0, 1, 0], [-np.inf, 2, 3, 1], weight, queries, None)
    assert found.weightless_top.tolist() == [True, False]


@every("name", NAMES)
def test_a_negative_that_was_not_retrieved_changes_no_number(name):
    options = options_of(get(name))
    more = [*Y, 0, 0], [*S, -np.inf, -np.inf]
    assert compat.score(name, *more, **options) == compat.score(name, Y, S, **options)


def test_a_ranking_of_which_nothing_was_retrieved_has_no_positives():
    """It has no negatives either, to which this tool would give 0."""
    nothing = [0, 0], [-np.inf, -np.inf]
    assert math.isnan(compat.score("calibrated_metrics.average_precision", *nothing))


def test_a_column_counts_as_in_scores_also_if_its_known_labels_have_no_weight():
    unknown = np.nan
    y_true, y_score = [[1, 1], [1, unknown], [0, unknown]], [[3, 3], [2, 2], [1, 1]]
    options = {"sample_weight": [0, 1, 1]}
    value = average_precision_score(y_true, y_score, zero_division=0.0, **options)
    assert value == 0.5  # the mean of 1 and 0
    assert compat.score("sklearn", y_true, y_score, **options) == value
