"""Runs of equal values, blocks of tied items, and sums inside each ranking."""

import numpy as np
import pytest

from sklearn_ap.counts._blocks import (
    TiedBlocks,
    begins_block,
    cumsum_within,
    segment_sums,
)


@pytest.mark.parametrize(
    ("score", "hits", "expected"),
    [
        ([3, 2, 1], [0, 2], ([0, 2], [0, 2], [1, 1])),
        ([3, 2, 2, 1], [1, 2], ([1], [2], [2])),
        ([3, 2, 2, 1], [0, 2], ([0, 1], [0, 2], [1, 1])),
        ([2, 2, 1, 1], [3], ([2], [3], [1])),
        ([2, 2, 1, 1], [0], ([0], [1], [1])),
        ([2, 2, 1], [2], ([2], [2], [1])),
        ([1, 1], [], ([], [], [])),
    ],
)
def test_blocks_hold_a_positive(score, hits, expected):
    hits = np.array(hits, np.intp)
    blocks = TiedBlocks.of(begins_block(np.array(score)), hits)
    for found, numbers in zip(blocks[:3], expected, strict=True):
        np.testing.assert_array_equal(found, numbers)


def test_sums_within_rankings_lose_no_digit_of_a_light_one():
    values, bounds = np.array([2.0**60, 1.0, 2.0**-30, 2.0**-29]), np.array([0, 2, 2, 4])
    sums, totals = cumsum_within(values, bounds)
    np.testing.assert_array_equal(sums, [2.0**60, 2.0**60, 2.0**-30, 3 * 2.0**-30])
    np.testing.assert_array_equal(totals, [2.0**60, 0, 3 * 2.0**-30])


def test_empty_segments_add_up_to_nothing():
    starts = np.array([0, 0, 2, 2, 3, 3])
    np.testing.assert_array_equal(segment_sums(np.array([1.0, 2, 4]), starts), [0, 3, 0, 4, 0, 0])
    np.testing.assert_array_equal(segment_sums(np.empty(0), np.zeros(3, np.intp)), [0, 0, 0])
