"""Predictions are checked once, for all tools."""

import numpy as np
import pytest
from compat_inputs import NAMES, S, Y, options_of

from sklearn_ap import compat
from sklearn_ap.compat._tools import get


@pytest.mark.parametrize("queries", [None, [0, 1] * 5])
def test_bad_predictions_are_refused(queries):
    for rows, weight, message in (
        ((Y, [np.nan, *S[1:]]), None, "y_score contains NaN"),
        (([*Y[:-1], 2], S), None, "multiclass format is not supported"),
        ((Y, S), np.ones(9), "inconsistent numbers of samples"),
    ):
        with pytest.raises(ValueError, match=message):
            compat.compare(*rows, sample_weight=weight, queries=queries)


def test_lightgbm_divides_by_the_weight_of_the_highest_score():
    y_true, queries, weight = [0, 1, 0, 0, 1, 1], [0, 0, 0, 1, 1, 2], [0, 1, 1, 0, 2, 0]
    options = {"queries": queries, "sample_weight": weight, "average": None}
    for rest, expected in (([2, 1], np.nan), ([-np.inf] * 2, 1)):
        y_score = [3, *rest, 1, 2, 4]
        found = compat.score("lightgbm.average_precision", y_true, y_score, **options)
        np.testing.assert_equal(found, [expected, 1])
    assert compat.score("sklearn", y_true, y_score, **options).tolist() == [0, 1]


def test_entirely_unretrieved_ranking_has_no_score():
    """It has no negatives either, to which this tool would give 0."""
    nothing = [0, 0], [-np.inf, -np.inf]
    assert np.isnan(compat.score("calibrated_metrics.average_precision", *nothing))


def test_unretrieved_negatives_change_no_score(subtests):
    for name in NAMES:
        with subtests.test(f"compat.score({name!r}, *more)"):
            options = options_of(get(name))
            more = [*Y, 0, 0], [*S, -np.inf, -np.inf]
            assert compat.score(name, *more, **options) == compat.score(name, Y, S, **options)


def test_column_without_weighted_labels_counts_as_0():
    unknown = np.nan
    y_true, y_score = [[1, 1], [1, unknown], [0, unknown]], [[3, 3], [2, 2], [1, 1]]
    value = compat.score("sklearn", y_true, y_score, sample_weight=[0, 1, 1])
    assert value == 0.5  # the mean of 1 and 0, as in average_precision_score
