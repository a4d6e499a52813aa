"""What a cross-validation may be given: rows, labels and weights of several kinds."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine, make_classification
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    LeaveOneGroupOut,
    StratifiedKFold,
    cross_validate,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from sklearn_ap import (
    AveragePrecisionDisplay,
    AveragePrecisionInterval,
)
from sklearn_ap._inputs import Request
from sklearn_ap._uncertainty.folds.pooling import pool_folds
from sklearn_ap.definitions import Step

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")

from_cv_results = AveragePrecisionInterval.from_cv_results
X, Y = make_classification(400, weights=[0.8], flip_y=0.1, random_state=0)
KEEP = {"return_estimator": True, "return_indices": True}


class Retriever(LogisticRegression):
    """It does not retrieve what it scores low."""

    def decision_function(self, X):
        score = super().decision_function(X)
        return np.where(score < -1, -np.inf, score)


def test_rows_that_were_not_retrieved_stay_so_in_each_pool():
    cv = cross_validate(Retriever(), X, Y, cv=StratifiedKFold(5), scoring=lambda *_: 0.0, **KEEP)
    pools = [pooled(cv, pooling) for pooling in ("scores", "ranks", "odds")]
    missed = np.isneginf(pools[0].y_score)
    assert missed.any()
    for pool in pools[1:]:
        np.testing.assert_array_equal(np.isneginf(pool.y_score), missed)


def pooled(cv, pooling):
    return pool_folds(cv, X, Request(Y, None), pooling, Step()).pool


@pytest.mark.parametrize("name", ["sample_weight", "clusters", "queries"])
def test_rows_in_another_order_are_refused(name):
    order = np.random.default_rng(0).permutation(Y.size)
    table, y = pd.DataFrame(X).iloc[order], pd.Series(Y).iloc[order]
    cv = cross_validate(LogisticRegression(), table, y, cv=StratifiedKFold(5), **KEEP)
    options = {name: pd.Series(1 + np.arange(Y.size) // 50)}
    with pytest.raises(ValueError, match=rf"Pass {name}.loc\[y.index\]"):
        from_cv_results(cv, table, y, **options)
    if name == "sample_weight":
        with pytest.raises(ValueError, match=r"Pass sample_weight.loc\[y.index\]"):
            AveragePrecisionDisplay.from_cv_results(cv, table, y, **options)


def test_labels_may_be_one_column():
    cv = cross_validate(LogisticRegression(), X, Y, cv=StratifiedKFold(5), **KEEP)
    expected = from_cv_results(cv, X, Y)
    assert str(from_cv_results(cv, X, pd.DataFrame({"y": Y}))) == str(expected)
    assert str(from_cv_results(cv, X, Y[:, None])) == str(expected)


@pytest.mark.parametrize("as_rows", [np.ndarray.tolist, lambda i: np.isin(np.arange(Y.size), i)])
def test_rows_of_folds_may_be_lists_or_masks(as_rows):
    folds = [*StratifiedKFold(5).split(X, Y)]
    expected = cross_validate(LogisticRegression(), X, Y, cv=folds, **KEEP)
    folds = [tuple(map(as_rows, fold)) for fold in folds]
    cv = cross_validate(LogisticRegression(), X, Y, cv=folds, **KEEP)
    assert str(from_cv_results(cv, X, Y)) == str(from_cv_results(expected, X, Y))


@pytest.mark.parametrize("average", ["macro", None])
def test_a_fold_whose_rows_weigh_nothing_has_no_score(average):
    X, y = load_wine(return_X_y=True)
    site = np.arange(y.size) % 6
    cv = cross_validate(GaussianNB(), X, y, groups=site, cv=LeaveOneGroupOut(), **KEEP)
    found = from_cv_results(cv, X, y, sample_weight=1.0 * (site > 0), average=average)
    assert np.isnan(found.fold_scores[0]).all()
    assert not np.isnan(found.fold_scores[1:]).any()


def test_a_failed_fit_without_probabilities_is_named():
    broken = X.copy()
    broken[-7, 0] = np.nan
    with pytest.warns(FitFailedWarning):
        cv = cross_validate(LinearSVC(), broken, Y, cv=KFold(5), scoring=lambda *_: 0.0, **KEEP)
    with pytest.raises(ValueError, match="error_score='raise'"):
        from_cv_results(cv, broken, Y)


@pytest.mark.parametrize("model", [DecisionTreeClassifier(max_depth=3), KNeighborsClassifier()])
def test_a_model_that_has_not_seen_a_label_gives_it_a_score_of_0(model):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    labels = (X + rng.normal(size=X.shape) > 0.5).astype(int)
    labels[:, 2] = np.arange(60) < 3  # all of them are in the first fold
    labels[:, 1] = np.arange(60) >= 3
    cv = cross_validate(model, X, labels, cv=KFold(5), scoring=lambda *_: 0.0, **KEEP)
    folds = pool_folds(cv, X, Request(labels, None, average=None), "scores", Step()).folds
    np.testing.assert_array_equal(folds[0].y_score[:, 1:], np.tile([1, 0], (12, 1)))
    of_others = cv["estimator"][1].predict_proba(X[12:24])
    np.testing.assert_array_equal(folds[1].y_score[:, 0], of_others[0][:, 1])
    found = from_cv_results(cv, X, labels, average=None)
    assert found.estimate[2] == pytest.approx(3 / 60)


@pytest.mark.parametrize("scaled", [False, True])
def test_scores_of_pairs_of_classes_are_refused(scaled):
    X, y = load_wine(return_X_y=True)
    model = SVC(decision_function_shape="ovo")
    model = make_pipeline(StandardScaler(), model) if scaled else model
    cv = cross_validate(model, X, y, cv=StratifiedKFold(5), **KEEP)
    with pytest.raises(ValueError, match=r"scores pairs of classes. Pass decision_function_shape="):
        from_cv_results(cv, X, y)


def test_classes_that_are_scored_one_by_one_are_taken():
    X, y = load_wine(return_X_y=True)
    pairs = SVC(decision_function_shape="ovo")
    for model in (
        OneVsRestClassifier(pairs),
        GridSearchCV(pairs, {"decision_function_shape": ["ovr"]}),
    ):
        model = make_pipeline(StandardScaler(), model)
        assert from_cv_results(cross_validate(model, X, y, **KEEP), X, y).estimate > 0.98
    search = GridSearchCV(SVC(), {"decision_function_shape": ["ovo"]})
    with pytest.raises(ValueError, match="scores pairs of classes"):
        from_cv_results(cross_validate(search, X, y, **KEEP), X, y)


def test_rows_of_features_and_labels_that_differ_in_number_are_refused():
    cv = cross_validate(LogisticRegression(), X, Y, **KEEP)
    for features, labels, n in ((X, Y[:200], "400, 200"), (X[:200], Y, "200, 400")):
        with pytest.raises(ValueError, match=rf"^X and y: .* numbers of samples: \[{n}\]"):
            from_cv_results(cv, features, labels)
        with pytest.raises(ValueError, match=rf"^X and y: .* numbers of samples: \[{n}\]"):
            AveragePrecisionDisplay.from_cv_results(cv, features, labels)


def test_tables_with_a_column_for_each_training_row_are_refused():
    kernel = X @ X.T
    for model in (SVC(kernel="precomputed"), GridSearchCV(SVC(kernel="precomputed"), {"C": [1]})):
        cv = cross_validate(model, kernel, Y, **KEEP)
        with pytest.raises(ValueError, match="a precomputed kernel, and folds have other training"):
            from_cv_results(cv, kernel, Y)
