"""What counts say of the rows above each threshold."""

import pytest

from sklearn_ap import threshold_counts


@pytest.mark.parametrize("at_start", [0.0, 1.0])
def test_precision_before_equals_at_start_only_without_rows_above(at_start):
    below = threshold_counts([1, 1, 0], [3, 2, 1])
    assert below.precision_before(at_start).tolist() == [at_start, 1]
    false_alarm_first = threshold_counts([1, 0], [1, 2])
    assert false_alarm_first.precision_before(at_start).tolist() == [0]


def test_before_counts_rows_above_and_size_counts_tied_rows():
    counts = threshold_counts([1, 0, 1, 0, 0], [3, 3, 2, 2, 4])
    assert counts.before.tolist() == [1, 3]
    assert counts.size.tolist() == [2, 2]
