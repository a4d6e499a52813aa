"""What sets step average precision apart."""

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

from sklearn_ap import definitions, threshold_counts


def test_it_is_the_number_of_scikit_learn():
    rng = np.random.default_rng(0)
    y_true, y_score = rng.integers(0, 2, 500), rng.integers(0, 50, 500)
    ours = definitions.Step()(threshold_counts(y_true, y_score))[0]
    assert ours == pytest.approx(average_precision_score(y_true, y_score), abs=1e-12)
