"""Names of segments as they are given, in the order of their numbers."""

import numpy as np
import pandas as pd
import pytest

from sklearn_ap._inputs.segment_names import find_reference, read_segments


def read(names):
    return read_segments(names, np.zeros(len(names)), np.zeros(len(names)))


@pytest.mark.parametrize(
    ("given", "ordered"),
    [
        (["10", "7", "007", "08"], ["007", "7", "08", "10"]),
        (["week 10", "week 08", "week 7"], ["week 7", "week 08", "week 10"]),
        (["b0", "b00", "b1"], ["b0", "b00", "b1"]),
        (["a 010", "a 9", "a 10"], ["a 9", "a 010", "a 10"]),
    ],
)
@pytest.mark.parametrize("kind", [list, np.array, pd.Series])
def test_numbers_with_leading_zeros_keep_their_text_and_sort_by_their_size(given, ordered, kind):
    found = read(kind(given))
    assert [*found.names] == ordered
    assert [found.names[code] for code in found.codes] == given


def test_a_reference_with_leading_zeros_is_another_segment():
    found = read(["7", "007", "7", "10"])
    assert [found.names[find_reference(name, found)] for name in ("7", "007")] == ["7", "007"]
