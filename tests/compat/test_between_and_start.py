"""Lines between points equal the definitions of the same name, and scikit-learn's."""

import pytest
from hypothesis import given
from registry import predictions
from sklearn import metrics

from sklearn_ap import (
    compat,
)


@given(data=predictions(max_size=30))
def test_scikit_learn(data):
    y_true, y_score = data
    if not y_true.any():
        return
    ours = compat.score("sklearn.average_precision_score", y_true, y_score)
    assert ours == pytest.approx(metrics.average_precision_score(y_true, y_score), abs=1e-12)
    precision, recall, _ = metrics.precision_recall_curve(y_true, y_score)
    ours = compat.score("sklearn.auc_of_precision_recall_curve", y_true, y_score)
    assert ours == pytest.approx(metrics.auc(recall, precision), abs=1e-12)
    ours = compat.score("sklearn.label_ranking_average_precision_score", y_true, y_score)
    theirs = metrics.label_ranking_average_precision_score([y_true], [y_score])
    assert ours == pytest.approx(theirs, abs=1e-12)


def test_a_start_that_is_asked_for_moves_the_best_points():
    """A single miss above the only positive: level 1/3 where it starts level, else 2/3."""
    steps = compat.explain("ROCR", [0, 0, 1], [3, 2, 1]).steps
    assert [step.value for step in steps] == pytest.approx([1 / 3, 2 / 3])
