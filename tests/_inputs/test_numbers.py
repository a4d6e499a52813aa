"""Integers that floats cannot hold, and numbers in words."""

import numpy as np
import pytest

from sklearn_ap._inputs.numbers import lose_digits, loses_digits


@pytest.mark.parametrize(
    ("number", "is_lost"),
    [(2**53, False), (2**53 + 1, True), (2**53 + 2, False), (-(2**53) - 1, True), (0.1, False)],
)
def test_only_integers_between_two_floats_lose_digits(number, is_lost):
    assert loses_digits(number) == is_lost


@pytest.mark.parametrize("sign", [1, -1])
def test_one_integer_of_many_loses_digits(sign):
    numbers = sign * np.array([0, 2**53, 2**53 + 2, 2**53 + 1])
    assert lose_digits(numbers)
    assert not lose_digits(numbers[:3])
    assert not lose_digits(numbers.astype(float))
