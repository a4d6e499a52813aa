"""The score of a ranking without positives, and the average of several rankings."""

import numpy as np
import pytest

from sklearn_ap._counts.averages import apply_average, fill_undefined

NAN = np.nan


@pytest.mark.parametrize(
    ("values", "weights", "expected"),
    [
        ([0.2, 0.6], None, 0.4),
        ([0.2, NAN, 0.6], None, 0.4),  # nan is left out, with its weight
        ([0.2, NAN, 0.6], [3, 96, 1], 0.3),
        ([0.2, 0.6], [1.5e308, 0.5e308], 0.3),  # their sum is infinite
        ([NAN, NAN], None, NAN),
        ([1.0, 1.0], [0, 0], 1.0),  # rankings without positives
        ([NAN, 1.0], [5, 0], NAN),
    ],
)
def test_rankings_with_a_value_and_weight_are_averaged(values, weights, expected):
    weights = None if weights is None else np.array(weights)
    found = apply_average(np.array(values), "weighted", weights, several=True)
    assert type(found) is float
    assert found == pytest.approx(expected, nan_ok=True)


def test_one_ranking_gives_a_float_whatever_the_average():
    for average in ("macro", "weighted", None):
        found = apply_average(np.array([0.25]), average, np.zeros(1), several=False)
        assert (type(found), found) == (float, 0.25)
    values = np.array([0.25])
    assert apply_average(values, None, None, several=True) is values
    with pytest.raises(ValueError, match="no ranking to score"):
        apply_average(values[:0], None, None, several=True)


@pytest.mark.parametrize("value", [0.5, -1, np.inf, "nan"])
def test_other_scores_of_rankings_without_positives_are_refused(value):
    with pytest.raises(ValueError, match="zero_division must be"):
        fill_undefined(np.ones(1), value, None)
    with pytest.raises(TypeError, match="zero_division must be"):
        fill_undefined(np.ones(1), [value], None)
