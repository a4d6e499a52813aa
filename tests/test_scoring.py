"""Counts become values, and values lie within the bounds of their definition."""

from dataclasses import dataclass

from sklearn_ap import threshold_counts
from sklearn_ap._scoring import values_of
from sklearn_ap.definitions import Heights


@dataclass(frozen=True, repr=False)
class Lift(Heights):
    """Up to twice the precision, as if half of the rows were positive."""

    factor: float = 2.0
    title = "lift"
    bounds = (0.0, 2.0)

    def heights(self, counts):
        return self.factor * counts.precision


def test_values_are_clipped_at_the_upper_bound():
    counts = threshold_counts([1, 0], [0.9, 0.1])
    assert values_of(Lift(), counts).tolist() == [2.0]
    assert values_of(Lift(2.0 + 1e-15), counts).tolist() == [2.0]
