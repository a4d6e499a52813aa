"""The average of several rankings, and the score of one without positives."""

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_ap._counts.undefined import apply_average, check_zero_division, fill_undefined

NAN = np.nan


@pytest.mark.parametrize("value", ["warn", 0, 1.0, NAN])
def test_zero_division_is_warn_or_0_or_1_or_nan(value):
    found = check_zero_division(value)
    assert type(found) is (str if value == "warn" else float)
    np.testing.assert_equal(found, value)


@pytest.mark.parametrize("value", [0.5, -1, np.inf, "nan"])
def test_other_scores_of_rankings_without_positives_are_refused(value):
    with pytest.raises(ValueError, match="zero_division must be"):
        check_zero_division(value)
    with pytest.raises(TypeError, match="zero_division must be"):
        check_zero_division([value])


@pytest.mark.parametrize(("prevalence", "text"), [(None, "No positive class"), (0.1, "negative")])
def test_undefined_values_warn_once_and_are_0(prevalence, text):
    with pytest.warns(UndefinedMetricWarning, match=f"{text}.* for 2 of 3 rankings") as record:
        filled = fill_undefined(np.array([NAN, 0.5, NAN]), "warn", prevalence)
    assert (filled.tolist(), len(record)) == ([0, 0.5, 0], 1)
    assert fill_undefined(np.array([0.5]), "warn", prevalence) == 0.5
    for value in (0.0, 1.0, NAN):
        filled = fill_undefined(np.array([NAN, 0.5]), value, prevalence)
        np.testing.assert_equal(filled, [value, 0.5])


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
