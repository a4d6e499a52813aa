"""What definitions inherit."""

from dataclasses import dataclass

import numpy as np
import pytest

from sklearn_ap import threshold_counts
from sklearn_ap.definitions import Definition, Heights, Step

COUNTS = threshold_counts([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])


@dataclass(frozen=True, repr=False)
class Gain(Heights):
    """The precision above chance; it is negative below."""

    title = "gain"
    bounds = (-1.0, 1.0)

    def heights(self, counts):
        return counts.precision - 0.9


class Nothing(Definition):
    title = "nothing"

    def __call__(self, counts):
        return np.zeros(counts.n_positives.size)


def test_bounds_may_be_below_0():
    assert Definition.bounds == Step.bounds == (0.0, 1.0)
    assert Gain()(COUNTS) == pytest.approx([5 / 6 - 0.9])


def test_minimal_definition_has_no_picture_or_influence():
    nothing = Nothing()
    assert nothing.depth is None
    for question in (nothing.line, nothing.samples, nothing.shade, nothing.influence):
        assert question(COUNTS) is None
    assert nothing.effective_size(COUNTS) == nothing.divisor(COUNTS) == [2]


def test_repr_says_that_a_definition_is_not_a_dataclass():
    assert repr(Nothing()) == "<Nothing: its options are not known, as it is no dataclass>"
    assert repr(Gain()) == "Gain()"
