"""The weights of rows."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from sklearn_ap._inputs.arrays import check_weights


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([2, 0, 1], [2, 0, 1]),
        ([True, False], [1, 0]),
        ([[2.0], [0.0], [1.0]], [2, 0, 1]),
        ([[0.5]], [0.5]),  # a column of one row
        (pd.Series([2, 0], dtype="Int64"), [2, 0]),
        (np.array([2, Decimal(0), 1.5], object), [2, 0, 1.5]),
    ],
)
def test_weights_of_any_kind_become_floats(given, expected):
    found = check_weights(given, len(expected))
    np.testing.assert_array_equal(found, np.array(expected, float), strict=True)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        *(
            ([1, 0, wrong, 1], rf"must be 0, or from 1e-100 to 1e\+100, got {wrong:g} in row 2")
            for wrong in (-1, np.nan, np.inf, 5e-324)
        ),
        ([0, 0, 0, 0], "zero in every row"),
        (np.ones((4, 2)), r"one-dimensional, got shape \(4, 2\)"),
        ([1j, 1, 1, 1], "sample_weight must hold numbers"),
        ([*"1234"], "must hold numbers, got '1' in row 0"),
        (iter([1, 1, 1, 1]), "must be an array .*, got <list_it"),
    ],
)
def test_error_names_the_fault_of_weights(given, text):
    with pytest.raises((TypeError, ValueError), match=text) as raised:
        check_weights(given, 4)
    assert raised.match("^sample_weight")
