"""What sets linear average precision apart."""

import numpy as np
import pytest
from sklearn.metrics import auc, precision_recall_curve

from sklearn_ap import definitions, threshold_counts


def test_linear_equals_the_trapezoid_area_of_scikit_learn():
    rng = np.random.default_rng(0)
    for n_scores in (1, 3, 1000):
        y_true, y_score = rng.integers(0, 2, 300), rng.integers(0, n_scores, 300)
        precision, recall, _ = precision_recall_curve(y_true, y_score)
        ours = definitions.Linear()(threshold_counts(y_true, y_score))[0]
        assert ours == pytest.approx(auc(recall, precision), abs=1e-12)
