"""Scorers in every corner of scikit-learn's model selection."""

import itertools

import numpy as np
import pandas as pd
import pytest
import sklearn
from pooled import pooled_best, pooled_interval
from scorer_models import (
    ALPHAS,
    KINDS,
    QUERY,
    X,
    Y,
    every_kind,
    model,
    same,
    scores_by_hand,
    splits,
)
from sklearn.datasets import load_iris, make_multilabel_classification
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, StackingClassifier
from sklearn.feature_selection import RFE
from sklearn.linear_model import RidgeClassifier, RidgeClassifierCV
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_validate
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.semi_supervised import SelfTrainingClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from sklearn_ap import (
    AveragePrecisionDisplay,
    average_precision_score,
    get_scorer,
)
from sklearn_ap._folds.models import predict


def search_of(model):
    return GridSearchCV(model, {}, cv=2)


@every_kind
@pytest.mark.usefixtures("routing")
class TestEverywhere:
    """Each kind of scorer, queries included, through each tool that scores."""

    def cv_and_params(self, kind):
        return (GroupKFold(3), {"groups": QUERY}) if kind == "by query" else (3, {})

    def test_cross_validate_equals_scoring_each_fold_by_hand(self, kind):
        cv, params = self.cv_and_params(kind)
        options = {"cv": cv, "params": params, "return_train_score": True}
        scoring = {"one": KINDS[kind](), "other": KINDS["plain"]()}
        result = cross_validate(model(), X, Y, scoring=scoring, **options)
        on_train = [(train, train) for train, _ in splits(kind)]
        for name, of in (("one", kind), ("other", "plain")):
            same(result[f"test_{name}"], scores_by_hand(of, splits(kind)))
            same(result[f"train_{name}"], scores_by_hand(of, on_train))

    def test_grid_search_equals_scoring_each_fold_by_hand(self, kind):
        grid, (cv, params) = {"ridgeclassifier__alpha": ALPHAS}, self.cv_and_params(kind)
        search = GridSearchCV(model(), grid, scoring=KINDS[kind](), cv=cv)
        search.fit(X, Y, **params)
        means = [np.mean(scores_by_hand(kind, splits(kind), model(alpha))) for alpha in ALPHAS]
        same(search.cv_results_["mean_test_score"], means)
        everything = np.arange(len(Y))
        best = scores_by_hand(kind, [(everything, everything)], model(ALPHAS[search.best_index_]))
        same(search.score(X, Y, **params), best[0])


class TestLabels:
    def test_multilabel_scores_equal_scikit_learn_for_both_response_methods(self):
        features, indicators = make_multilabel_classification(
            200, n_classes=3, allow_unlabeled=False, random_state=0
        )
        test, theirs = (features[1::2], indicators[1::2]), sklearn.metrics.average_precision_score
        methods = {"response_method": ("decision_function", "predict_proba")}
        for each in (OneVsRestClassifier(RidgeClassifier()), KNeighborsClassifier()):
            fitted = each.fit(features[::2], indicators[::2])
            for average in ("macro", "micro", "samples"):
                value = get_scorer("average_precision", average=average)(fitted, *test)
                same(value, make_scorer(theirs, **methods, average=average)(fitted, *test))
                assert 0.5 < value < 1

    def test_labels_other_than_the_model_classes_are_refused(self):
        features, species = load_iris(return_X_y=True)
        scorer = get_scorer("average_precision", labels=[0, 1, 3])
        with pytest.raises(ValueError, match=r"classes \[0, 1, 3\].*was fitted on \[0, 1, 2\]"):
            scorer(GaussianNB().fit(features, species), features, species)

    @pytest.mark.parametrize(
        ("fitted", "y"),
        [
            (["fraud", "fraud", "ok", "ok"], [1, 1, 0, 0]),
            ([0, 0, 1, 1], ["fraud", "fraud", "ok", "ok"]),
            (["ham", "ham", "spam", "spam"], ["ham", "ham", "Spam", "spam"]),
            ([1, 1, 0, 0], [2, 2, 2, 2]),
        ],
    )
    @pytest.mark.parametrize("wrap", [make_pipeline, search_of])
    def test_a_label_the_model_was_not_fitted_on_is_an_error(self, fitted, y, wrap):
        X = np.arange(4.0)[:, None]
        model = wrap(GaussianNB()).fit(np.repeat(X, 5, axis=0), np.repeat(fitted, 5))
        cv = {"estimator": [model] * 2, "indices": {"train": [[0, 1]] * 2, "test": [[2, 3]] * 2}}
        for call, of in (
            (get_scorer("average_precision", pos_label=y[3]), model),
            (get_scorer("average_precision"), model),
            (pooled_interval, cv),
        ):
            with pytest.raises(ValueError, match=r"which .* was not fitted on: its classes_ are"):
                call(of, X, y)

    def test_numbers_and_bools_that_are_equal_are_the_same_label(self):
        for fitted, given in itertools.permutations((int, float, bool), 2):
            model = GaussianNB().fit(X, Y.astype(fitted))
            score = get_scorer("average_precision")(model, X, Y.astype(given))
            assert score == average_precision_score(Y, model.predict_proba(X)[:, 1])

    @pytest.mark.usefixtures("routing")
    def test_routed_pos_label_selects_the_probability_column(self):
        names = np.where(Y, "ok", "fraud")
        fitted = GaussianNB().fit(X, names)
        scorer = get_scorer("average_precision").set_score_request(pos_label=True)
        expected = average_precision_score(Y == 0, fitted.predict_proba(X)[:, 0])
        assert scorer(fitted, X, names, pos_label="fraud") == expected

    @pytest.mark.parametrize("model", [DecisionTreeClassifier(), KNeighborsClassifier()])
    def test_scorer_and_predict_agree_for_single_label_training_folds(self, model):
        table = np.column_stack([Y, 1 - Y, Y])
        table[::3, 2] = 0
        train = np.flatnonzero(Y == 1)
        fitted = model.fit(X[train], table[train])
        given = predict(fitted, X, table, None)
        value = average_precision_score(table, given["y_score"])
        assert get_scorer("average_precision")(fitted, X, table) == value

    @pytest.mark.parametrize(
        "wrap",
        [
            lambda model: StackingClassifier([("a", GaussianNB())], final_estimator=model),
            lambda model: make_pipeline(RFE(model)),
            lambda model: SelfTrainingClassifier(BaggingClassifier(model)),
        ],
    )
    @pytest.mark.filterwarnings("ignore:y contains no unlabeled samples")
    def test_one_versus_one_decision_functions_are_refused(self, wrap):
        features, species = load_iris(return_X_y=True)
        scorer = get_scorer("average_precision")
        pairs = SVC(kernel="linear", decision_function_shape="ovo")
        with pytest.raises(ValueError, match="scores pairs of classes"):
            scorer(wrap(pairs).fit(features, species), features, species)
        for good in (wrap(SVC(kernel="linear")), AdaBoostClassifier(pairs, n_estimators=2)):
            assert scorer(good.fit(features, species), features, species) > 0.9

    @pytest.mark.filterwarnings("ignore:Label .* is present in all training examples")
    def test_columns_with_constant_training_labels_are_scored(self):
        fitted = OneVsRestClassifier(RidgeClassifier()).fit(X, np.tile([1, 0], (len(X), 1)))
        half = np.eye(2, dtype=int)[np.arange(200) % 2]
        assert get_scorer("average_precision")(fitted, X[:200], half) == 0.5

    @pytest.mark.usefixtures("routing")
    @pytest.mark.parametrize("name", ["sample_weight", "queries"])
    def test_metadata_in_another_order_than_the_features_are_refused(self, name):
        table = pd.DataFrame(X)
        fitted, column = RidgeClassifier().fit(table, Y), pd.Series(QUERY % 7 + 1)
        scorer = get_scorer("average_precision", by_query=name == "queries", zero_division=0.0)
        scorer = scorer.set_score_request(**{name: True})
        other = column.sample(frac=1, random_state=0)
        with pytest.raises(ValueError, match=rf"X and {name} have .*Pass {name}.loc\[X.index\]"):
            scorer(fitted, table, Y, **{name: other})
        expected = scorer(fitted, X, Y, **{name: column.to_numpy()})
        assert scorer(fitted, table, Y, **{name: other.loc[table.index]}) == expected

    def test_single_class_models_and_missing_labels_are_refused(self):
        scorer, fitted = get_scorer("average_precision"), GaussianNB().fit(X, np.zeros_like(Y))
        for y in (Y, np.zeros_like(Y)):
            with pytest.raises(ValueError, match=r"one class, \[0\], because its training rows"):
                scorer(fitted, X, y)
        with pytest.raises(ValueError, match=r"RidgeClassifierCV without cv .* pass it cv=5"):
            RidgeClassifierCV(scoring=scorer).fit(X, Y)
        with pytest.raises(TypeError, match="y_true must be an array of labels, got None"):
            scorer(GaussianNB().fit(X, Y), X, None)

    def test_rows_of_features_and_labels_in_another_order_are_refused(self):
        table, y = pd.DataFrame(X), pd.Series(Y)
        fitted, other = RidgeClassifier().fit(table, y), y.sample(frac=1, random_state=0)
        keep = {"return_estimator": True, "return_indices": True}
        cv = cross_validate(RidgeClassifier(), table, y, **keep)
        for call, of in (
            (get_scorer("average_precision"), fitted),
            (AveragePrecisionDisplay.from_estimator, fitted),
            (pooled_interval, cv),
            (pooled_best, {"a": cv, "b": cv}),
        ):
            with pytest.raises(ValueError, match=r"in another order.*Pass X.loc\[y.index\]"):
                call(of, table, other)
        renamed = y.set_axis(np.arange(Y.size) + 1000)
        value = get_scorer("average_precision")(fitted, table, renamed)
        assert value == average_precision_score(Y, fitted.decision_function(table))
