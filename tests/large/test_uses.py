"""What counts of large data are for: the intervals and pictures of the same rows in memory."""

import numpy as np
import pytest
from recipe import chunks, rows

from sklearn_ap import (
    AveragePrecisionDisplay,
    AveragePrecisionInterval,
    average_precision_interval,
    large,
)
from sklearn_ap.definitions import AtK, Interpolated, Linear, Step

N = 20_000
DEFINITIONS = [Step(), Interpolated(), Linear(), AtK(50)]


@pytest.fixture(scope="module")
def counts():
    return large.from_chunks(lambda: chunks(N, 900))


@pytest.mark.parametrize("definition", DEFINITIONS, ids=repr)
def test_an_interval_is_that_of_the_rows_in_memory(definition, counts):
    options = {"definition": definition, "n_resamples": 99, "rng": 0}
    found = AveragePrecisionInterval.from_counts(counts, **options)
    expected = average_precision_interval(*rows(0, N), **options)
    np.testing.assert_equal(found.rows(), expected.rows())


@pytest.mark.parametrize("definition", DEFINITIONS, ids=repr)
def test_a_picture_is_that_of_the_rows_in_memory(definition, counts):
    ours = AveragePrecisionDisplay(counts, definition=definition).plot()
    same = AveragePrecisionDisplay.from_predictions(*rows(0, N), definition=definition)
    np.testing.assert_array_equal(ours.line_.get_xydata(), same.line_.get_xydata())
