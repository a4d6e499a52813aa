"""Out-of-fold scores and the numbers of folds, in the place of what cross_validate returns."""

import numpy as np
import pandas as pd
import pytest
from every import every
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, StratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB

from sklearn_ap import (
    AveragePrecisionComparison,
    AveragePrecisionDisplay,
    AveragePrecisionInterval,
    BestAveragePrecision,
    average_precision_score,
)

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
from_cv_results = AveragePrecisionInterval.from_cv_results
X, Y = make_classification(400, weights=[0.8], flip_y=0.1, random_state=0)
CLASSES = make_classification(400, n_classes=3, n_informative=4, random_state=0)
SORTED = np.argsort(Y, kind="stable")  # folds of a KFold differ in their positives


def both(model, X, y, cv, of=lambda p: p[:, 1]):
    """What cross_validate gives, and the same as arrays."""
    cv = cross_validate(model, X, y, cv=cv, return_estimator=True, return_indices=True)
    scores, folds = None, np.empty(len(y), int)
    for number, (each, rows) in enumerate(zip(cv["estimator"], cv["indices"]["test"], strict=True)):
        found = of(each.predict_proba(X[rows]))
        scores = np.empty((len(y), *found.shape[1:])) if scores is None else scores
        scores[rows], folds[rows] = found, number
    return cv, {"y_score": scores, "folds": folds}


@every("pooling", ["scores", "ranks", "odds"])
@every("cv", [StratifiedKFold(5, shuffle=True, random_state=0), KFold(5)])
def test_arrays_are_pooled_as_the_models_that_made_them(pooling, cv):
    results, arrays = both(GaussianNB(), X[SORTED], Y[SORTED], cv)
    expected = from_cv_results(results, X[SORTED], Y[SORTED], pooling=pooling)
    found = from_cv_results(arrays, None, Y[SORTED], pooling=pooling)
    for name in ("estimate", "low", "high", "standard_error", "fold_scores"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-12)
    named = arrays | {"folds": [["fold a", *"bcde"][fold] for fold in arrays["folds"]]}
    found = from_cv_results(named, None, Y[SORTED], pooling=pooling)
    assert found.estimate == pytest.approx(expected.estimate)


def test_classes_words_tasks_and_clusters():
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    results, arrays = both(LogisticRegression(), *CLASSES, folds, of=lambda p: p)
    found = from_cv_results(arrays, None, CLASSES[1], average=None, pooling="odds")
    assert found.rankings == (0, 1, 2)
    words = np.where(Y == 1, "ill", "well")
    results, arrays = both(LogisticRegression(), X, words, folds, of=lambda p: p[:, 0])
    options = {"pos_label": "ill", "clusters": np.arange(400) // 2}
    expected = from_cv_results(results, X, words, **options)
    found = from_cv_results(arrays, None, words, **options)
    assert (found.estimate, found.low) == (expected.estimate, pytest.approx(expected.low))
    assert AveragePrecisionDisplay.from_cv_results(arrays, None, words, pos_label="ill")
    tasks = np.column_stack([Y, 1.0 - Y])
    tasks[::7, 1] = np.nan
    scores = np.column_stack([arrays["y_score"], 1 - arrays["y_score"]])
    found = from_cv_results(arrays | {"y_score": scores}, None, tasks, average=None)
    assert found.estimate == pytest.approx(average_precision_score(tasks, scores, average=None))


def test_comparisons_of_arrays_take_the_largest_factor_as_seen_rows_are_not_known():
    cv = StratifiedKFold(5, shuffle=True, random_state=0)
    results, arrays = {}, {}
    for name, model in {"Bayes": GaussianNB(), "linear": LogisticRegression()}.items():
        results[name], arrays[name] = both(model, X, Y, cv)
    expected = AveragePrecisionComparison.from_cv_results(results, X, Y)
    found = AveragePrecisionComparison.from_cv_results(arrays, None, Y)
    assert found.differences.tolist() == pytest.approx(expected.differences.tolist())
    ratio = found.difference_standard_errors[1] / expected.difference_standard_errors[1]
    assert 1 < ratio <= np.sqrt(1.75 / 1.25)
    best = BestAveragePrecision.from_cv_results(arrays, None, Y)
    assert best.names == BestAveragePrecision.from_cv_results(results, X, Y).names
    other = arrays | {"linear": arrays["linear"] | {"folds": np.arange(400) % 5}}
    with pytest.raises(ValueError, match="The folds of 'linear' are not those of 'Bayes'"):
        AveragePrecisionComparison.from_cv_results(other, None, Y)


ARRAYS = {"y_score": X[:, 0], "folds": np.arange(400) % 5}
KEYS = "must be {'y_score': scores, 'folds': .*got the keys "
NO_ODDS = "needs probabilities, but y_score is not within 0 and 1: pass those of predict_pro"


FAULTS = [
    (ARRAYS | {"folds": np.zeros(400)}, r"must name two folds at least, got 0\.0 in every row"),
    (ARRAYS | {"folds": None}, "folds must hold the fold of each row, got None"),
    (ARRAYS | {"folds": np.arange(399)}, "inconsistent numbers of samples"),
    (ARRAYS | {"folds": np.arange(400)}, "leave-one-out"),
    (ARRAYS | {"folds": pd.Series(np.arange(400) % 5)[::-1]}, "y and folds have indexes with"),
    (ARRAYS | {"y_score": pd.Series(X[:, 0])[::-1]}, "y and y_score have indexes with"),
    (ARRAYS | {"y_score": np.arange(400.0) * np.nan}, "y_score contains NaN"),
    (ARRAYS | {"y_score": ["a"] * 400}, "y_score must hold numbers"),
    (ARRAYS | {"y_score": np.arange(400.0)}, NO_ODDS),
    (ARRAYS | {"y_score": -np.arange(400.0)}, NO_ODDS),
    ({"y_score": np.arange(10.0), "folds": np.arange(10) % 2}, "y, y_score"),
    (ARRAYS | {"test": [1]}, f"{KEYS}y_score, folds, test"),
    ({"y": X[:, 0], "fold_id": np.arange(400) % 5}, f"{KEYS}y, fold_id"),
]


@every(("arrays", "message"), FAULTS, ids=[message for _, message in FAULTS])
def test_faults(arrays, message):
    pooling = "odds" if message == NO_ODDS else "scores"
    with pytest.raises((TypeError, ValueError), match=message):
        from_cv_results(arrays, None, pd.Series(Y), pooling=pooling)
