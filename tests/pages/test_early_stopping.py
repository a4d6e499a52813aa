"""The page on training loops and boosting trains each library for real, where it is installed."""

import pytest
import sklearn.metrics

from tests.helpers.pages import blocks, failures, imported_or_skipped

PAGE = "training.md"


@pytest.mark.parametrize("library", ["LightGBM", "XGBoost", "CatBoost"])
def test_training_stops_by_our_score(library):
    imported_or_skipped(library.lower())
    known = {}
    for code in blocks(PAGE, under="") + blocks(PAGE, under=library):
        assert not failures(PAGE, code, known)
    assert 0 < known["best"] < 1
    scores = known["model"].predict_proba(known["X_valid"])[:, 1]
    truth = sklearn.metrics.average_precision_score(known["y_valid"], scores)
    assert known["best"] == pytest.approx(truth, abs=1e-12)
