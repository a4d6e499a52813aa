"""The page on early stopping trains each library for real, where it is installed."""

import pytest
from pages import blocks, failures

PAGE = "early_stopping.md"


@pytest.mark.parametrize("library", ["LightGBM", "XGBoost", "CatBoost"])
def test_training_stops_by_our_score(library):
    pytest.importorskip(library.lower())
    known = {}
    for code in blocks(PAGE, under="") + blocks(PAGE, under=library):
        assert not failures(PAGE, code, known)
    assert 0 < known["best"] < 1


def test_xgboost_takes_a_function_for_a_loss_unless_told_otherwise():
    xgboost = pytest.importorskip("xgboost")
    known = {}
    assert not failures(PAGE, blocks(PAGE, under="")[0], known)
    score = known["average_precision_score"]
    model = xgboost.XGBClassifier(n_estimators=30, eval_metric=score, early_stopping_rounds=5)
    model.fit(
        known["X"], known["y"], eval_set=[(known["X_valid"], known["y_valid"])], verbose=False
    )
    assert model.best_score == min(model.evals_result()["validation_0"][score.__name__])
