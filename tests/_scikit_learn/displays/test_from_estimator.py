"""Displays of fitted estimators and of cross-validations."""

import numpy as np
import pytest
from drawings import CLASSES, COLUMNS, X, Y, area, legend_texts
from scipy.sparse import coo_array
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_validate

from sklearn_ap import AveragePrecisionDisplay


def test_folds_of_several_classes_are_refused():
    y = np.arange(Y.size) % 3
    keep = {"return_estimator": True, "return_indices": True}
    result = cross_validate(LogisticRegression(), X, y, **keep)
    with pytest.raises(ValueError, match=r"scores of shape \(120, 3\), and folds are drawn of one"):
        AveragePrecisionDisplay.from_cv_results(result, X, y)


@pytest.mark.parametrize("kind", [list, coo_array])
def test_cross_validated_curves_support_lists_and_sparse_matrices(kind):
    given, keep = kind(X), {"return_estimator": True, "return_indices": True}
    result = cross_validate(LogisticRegression(), given, Y, **keep)
    display = AveragePrecisionDisplay.from_cv_results(result, given, Y)
    same = cross_validate(LogisticRegression(), X, Y, scoring="average_precision")["test_score"]
    np.testing.assert_allclose([area(line) for line in display.line_], same)
    with pytest.raises(ValueError, match=r"X has 100 rows, but cv_results has row \d\d\d"):
        AveragePrecisionDisplay.from_cv_results(result, X[:100], Y[:100])


def test_multiclass_estimator_has_a_curve_per_class():
    model = LogisticRegression().fit(COLUMNS, CLASSES + 5)
    seen = CLASSES != 2  # the test rows may lack a class
    rows = COLUMNS[seen], CLASSES[seen] + 5
    with pytest.warns(UndefinedMetricWarning, match="1 of 4 rankings have no positive"):
        display = AveragePrecisionDisplay.from_estimator(model, *rows, labels=None)
    assert [row.split(":")[0] for row in legend_texts(display.ax_)[:4]] == [
        f"class {label}" for label in model.classes_
    ]
