"""What sets step average precision apart."""

import numpy as np
import pytest

from sklearn_ap import definitions, threshold_counts


def test_tied_rows_count_at_the_precision_of_their_block():
    """One positive above a block of one positive and two negatives: (1 + 2/4) / 2."""
    counts = threshold_counts([1, 1, 0, 0], [2, 1, 1, 1])
    assert definitions.Step()(counts) == [0.75]
    assert definitions.Step()(threshold_counts([1, 0, 0, 0], [1] * 4)) == [0.25]


def test_influence_of_two_positives_around_a_negative():
    """Equation 2 by hand: A is 5/6, and the height 2/3 has the slopes 1/9 and -2/9."""
    influence = definitions.Step().influence(threshold_counts([1, 0, 1], [3, 2, 1]))
    np.testing.assert_allclose(
        influence.positive, [(1 - 5 / 6 + 1 / 9) / 2, (2 / 3 - 5 / 6 + 1 / 9) / 2]
    )
    np.testing.assert_allclose(influence.between, [(-1 - 2 / 9) / 2, (-2 / 9) / 2])
    assert influence.unscored == pytest.approx([-5 / 12])
