"""Scorers in every corner of scikit-learn's model selection."""

import inspect
import pickle
import re
import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import BaseEstimator, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import (
    load_breast_cancer,
    load_diabetes,
    load_digits,
    load_iris,
    make_multilabel_classification,
)
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.feature_selection import RFECV, SequentialFeatureSelector
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.metrics import make_scorer, roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    HalvingGridSearchCV,
    KFold,
    RandomizedSearchCV,
    StratifiedKFold,
    TunedThresholdClassifierCV,
    cross_val_score,
    cross_validate,
    learning_curve,
    validation_curve,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import sklearn_ap
from sklearn_ap import (
    average_precision_at_k_score,
    average_precision_score,
    definitions,
    expected_average_precision_score,
    get_scorer,
    get_scorer_names,
    make_ranking_scorer,
    precision_at_k_score,
)
from sklearn_ap.scorers import check_not_classes

X, Y = load_breast_cancer(return_X_y=True)
X, Y = X[::2, :8], Y[::2]
QUERY = np.arange(len(Y)) // 10
STRICT = {"error_score": "raise"}
KINDS = {
    "plain": lambda: make_ranking_scorer(average_precision_score),
    "at k": lambda: get_scorer("average_precision_at_10"),
    "expected": lambda: get_scorer("expected_average_precision"),
    "by group": lambda: get_scorer("average_precision", by_group=True, zero_division=0.0),
}
every_kind = pytest.mark.parametrize("kind", KINDS)
SCORES = {
    "plain": average_precision_score,
    "at k": partial(average_precision_at_k_score, k=10),
    "expected": expected_average_precision_score,
    "by group": partial(average_precision_score, zero_division=0.0),
    "recall": partial(sklearn_ap.recall_at_k_score, k=10),
}
ALPHAS = [0.1, 10]


def model(alpha=1.0):
    return make_pipeline(StandardScaler(), RidgeClassifier(alpha=alpha))


def splits(kind):
    if kind == "by group":
        return list(GroupKFold(3).split(X, Y, QUERY))
    return list(StratifiedKFold(3).split(X, Y))


def by_hand(kind, folds, estimator=None, columns=slice(None)):
    """The score of each fold, without a scorer."""
    values = []
    for train, test in folds:
        fitted = clone(estimator or model()).fit(X[train][:, columns], Y[train])
        options = {"groups": QUERY[test]} if kind == "by group" else {}
        y_score = fitted.decision_function(X[test][:, columns])
        values.append(SCORES[kind](Y[test], y_score, **options))
    return values


same = partial(np.testing.assert_allclose, rtol=0, atol=1e-12)


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


class TestMaking:
    def test_a_scorer_of_raw_scores_where_greater_is_better(self):
        ridge = RidgeClassifier().fit(X, Y)
        scorer = make_ranking_scorer(average_precision_score)
        assert scorer(ridge, X, Y) == average_precision_score(Y, ridge.decision_function(X))
        bayes = GaussianNB().fit(X, Y)
        assert scorer(bayes, X, Y) == average_precision_score(Y, bayes.predict_proba(X)[:, 1])

    def test_predictions_of_regressors_and_rankers_are_scores(self):
        class Ranker(BaseEstimator):
            def fit(self, X, y):
                self.fitted_ = True
                return self

            def predict(self, X):
                return X[:, 0]

        target = (load_diabetes().target > 200).astype(int)
        features = load_diabetes().data
        scorer = make_ranking_scorer(average_precision_score, response_method="predict")
        regressor = LinearRegression().fit(features, target)
        expected = average_precision_score(target, regressor.predict(features))
        assert scorer(regressor, features, target) == expected
        ranker = Ranker().fit(features, target)
        assert scorer(ranker, features, target) == average_precision_score(target, features[:, 0])

    @every_kind
    @pytest.mark.usefixtures("routing")
    def test_it_reads_well_and_can_be_copied(self, kind):
        scorer = KINDS[kind]()
        assert "0x" not in repr(scorer)
        assert repr(scorer).startswith(
            f"make_scorer({scorer._score_func.score_func.__name__}, response_method="
        )
        ridge = RidgeClassifier().fit(X, Y)
        options = {"groups": QUERY} if kind == "by group" else {}
        value = scorer(ridge, X, Y, **options)
        for copy in (pickle.loads(pickle.dumps(scorer)), clone(scorer, safe=False)):
            assert repr(copy) == repr(scorer)
            assert copy(ridge, X, Y, **options) == value

    @pytest.mark.parametrize(
        ("function", "by_group", "names"),
        [
            (average_precision_score, False, "y_true y_score pos_label sample_weight"),
            (average_precision_score, True, "y_true y_score pos_label sample_weight groups"),
            (expected_average_precision_score, False, "y_true y_score pos_label"),
            (expected_average_precision_score, True, "y_true y_score pos_label groups"),
        ],
    )
    @pytest.mark.filterwarnings("ignore:by_group=True needs groups")
    def test_only_what_is_about_rows_can_be_routed(self, function, by_group, names):
        scorer = make_ranking_scorer(function, by_group=by_group)
        assert sorted(inspect.signature(scorer._score_func).parameters) == sorted(names.split())

    def test_a_function_of_somebody_else_with_the_same_signature(self):
        scorer = make_ranking_scorer(roc_auc_score, max_fpr=0.5)
        assert 0.5 < scorer(RidgeClassifier().fit(X, Y), X, Y) <= 1

    def test_a_function_that_takes_any_option(self):
        def score(y_true, y_score, **options):
            return average_precision_score(y_true, y_score, **options)

        scorer = make_ranking_scorer(score, zero_division=0.0)
        assert 0 < scorer(RidgeClassifier().fit(X, Y), X, Y) <= 1

    def test_a_function_of_somebody_else_is_not_called_before_there_is_data(self):
        called = []

        def score(y_true, y_score, *, power=1):
            called.append(len(y_true))
            return average_precision_score(y_true, y_score) ** power

        scorer = make_ranking_scorer(score, power=2)
        assert not called
        scorer(RidgeClassifier().fit(X, Y), X, Y)
        assert called == [len(Y)]

    @pytest.mark.usefixtures("routing")
    def test_groups_routed_to_a_plain_scorer_are_refused(self):
        scorer = get_scorer("average_precision").set_score_request(groups=True)
        with pytest.raises(TypeError, match="made without by_group=True"):
            scorer(RidgeClassifier().fit(X, Y), X, Y, groups=QUERY)

    @pytest.mark.parametrize(
        ("function", "options", "error", "message"),
        [
            (5, {}, TypeError, "score_func must be a function, got 5"),
            (definitions.Step(), {}, TypeError, r"must be a function of \(y_true, y_score"),
            (average_precision_score, {"k": 3}, TypeError, "has no option k"),
            (average_precision_score, {"groups": QUERY}, TypeError, "groups belongs to rows"),
            (average_precision_score, {"sample_weight": Y}, TypeError, "sample_weight belongs to"),
            (average_precision_score, {"y_true": Y}, TypeError, "y_true belongs to rows"),
            (average_precision_score, {"average": "x"}, ValueError, "average has to be one of"),
            (
                *(average_precision_score, {"average": "micro", "by_group": True}),
                *(ValueError, "average='micro' does not go with by_group"),
            ),
            *(
                (average_precision_score, {"response_method": method}, ValueError, "response_met")
                for method in (None, [], ["bogus"], [["predict"]], "proba", "predict_log_proba", 5)
            ),
            (roc_auc_score, {"by_group": True}, TypeError, "needs a score_func with groups"),
            (precision_at_k_score, {"k": 0}, ValueError, "k must be at least 1"),
            (precision_at_k_score, {"k": 2.5}, TypeError, "k must be a whole number"),
            (precision_at_k_score, {"threshold": "x"}, TypeError, "threshold must be a number"),
            (precision_at_k_score, {"zero_division": 2}, ValueError, "zero_division must be"),
            (average_precision_at_k_score, {"normalizer": "n"}, ValueError, "normalizer must be"),
            (
                *(sklearn_ap.interpolated_average_precision_score, {"recall_levels": 1}),
                *(ValueError, "recall_levels must be at least 2"),
            ),
        ],
    )
    def test_bad_input_is_refused_when_the_scorer_is_made(self, function, options, error, message):
        with pytest.raises(error, match=message):
            make_ranking_scorer(function, **options)

    def test_an_estimator_without_scores_is_refused_at_the_first_call(self):
        class Silent(BaseEstimator):
            def fit(self, X, y):
                return self

        with pytest.raises(AttributeError, match=r"Silent .*(decision_function|predict_proba)"):
            get_scorer("average_precision")(Silent().fit(X, Y), X, Y)


class TestNames:
    def test_every_listed_name_is_accepted(self):
        ridge = RidgeClassifier().fit(X, Y)
        names = get_scorer_names()
        assert names == sorted(names)
        assert {name for name in names if name.startswith("recall")} == {
            f"recall_at_{k}" for k in (1, 5, 10, 100)
        }
        for name in names:
            assert 0 < get_scorer(name)(ridge, X, Y) <= 1

    @pytest.mark.parametrize("k", [1, 3, 7000])
    @pytest.mark.parametrize("stem", ["average_precision", "precision", "recall"])
    def test_k_may_be_any_number(self, stem, k):
        ridge = RidgeClassifier().fit(X, Y)
        score = getattr(sklearn_ap, f"{stem}_at_k_score")
        value = score(Y, ridge.decision_function(X), k=k)
        assert get_scorer(f"{stem}_at_{k}")(ridge, X, Y) == value

    @pytest.mark.parametrize(
        ("name", "score"),
        [
            ("average_precision", sklearn_ap.average_precision_score),
            ("step_average_precision", sklearn_ap.step_average_precision_score),
            ("interpolated_average_precision", sklearn_ap.interpolated_average_precision_score),
            ("eleven_point_average_precision", sklearn_ap.eleven_point_average_precision_score),
            ("expected_average_precision", sklearn_ap.expected_average_precision_score),
        ],
    )
    def test_a_name_says_its_function(self, name, score):
        bayes = GaussianNB().fit(X, Y)
        value = score(Y, bayes.predict_proba(X)[:, 1])
        assert get_scorer(name)(bayes, X, Y) == value

    def test_average_precision_is_the_number_of_scikit_learn(self):
        folds = [
            cross_val_score(model(), X, Y, scoring=scoring)
            for scoring in ("average_precision", get_scorer("average_precision"))
        ]
        np.testing.assert_allclose(*folds, rtol=0, atol=1e-12)

    @pytest.mark.usefixtures("routing")
    def test_each_call_makes_a_new_scorer(self):
        first, second = get_scorer("average_precision"), get_scorer("average_precision")
        first.set_score_request(sample_weight=True)
        assert "sample_weight" not in repr(second.get_metadata_routing()).replace(
            "'sample_weight': None", ""
        )

    def test_options_are_passed_on(self):
        scorer = get_scorer("precision_at_5", pos_label="M", response_method="predict_proba")
        names = np.where(Y, "B", "M")
        bayes = GaussianNB().fit(X, names)
        assert scorer(bayes, X, names) == precision_at_k_score(
            names, bayes.predict_proba(X)[:, 1], k=5, pos_label="M"
        )

    @pytest.mark.parametrize(
        ("name", "near"),
        [
            ("averge_precision", "average_precision"),
            ("eleven_point", "eleven_point_average_precision"),
            ("precission_at_5", "precision_at_5"),
            ("interpolated_average_precision_at_5", "interpolated_average_precision"),
        ],
    )
    def test_an_unknown_name_is_told_the_near_ones(self, name, near):
        with pytest.raises(ValueError, match=f"'{name}' is not a known scorer. Near it: .*{near}"):
            get_scorer(name)

    @pytest.mark.parametrize("k", ["x", "", "0", "-1", "2.5", "1e3", "٣", "05"])
    def test_k_in_a_name_is_a_number(self, k):
        with pytest.raises(ValueError, match=re.escape(f"'recall_at_{k}' must end in a whole")):
            get_scorer(f"recall_at_{k}")

    def test_k_is_said_once(self):
        with pytest.raises(TypeError, match="already contains k"):
            get_scorer("recall_at_5", k=5)

    def test_a_name_is_a_string(self):
        with pytest.raises(TypeError, match="name must be a string"):
            get_scorer(average_precision_score)


@every_kind
@pytest.mark.usefixtures("routing")
class TestEverywhere:
    """Each kind of scorer, queries included, through each tool that scores."""

    def options(self, kind):
        cv = GroupKFold(3) if kind == "by group" else 3
        return {"scoring": KINDS[kind](), "cv": cv, "error_score": "raise"}

    def params(self, kind):
        return {"groups": QUERY} if kind == "by group" else {}

    def test_cross_val_score(self, kind):
        scores = cross_val_score(model(), X, Y, params=self.params(kind), **self.options(kind))
        same(scores, by_hand(kind, splits(kind)))

    def test_cross_validate(self, kind):
        options = self.options(kind)
        options["scoring"] = {"one": KINDS[kind](), "other": KINDS["plain"]()}
        result = cross_validate(
            model(), X, Y, params=self.params(kind), return_train_score=True, **options
        )
        on_train = [(train, train) for train, _ in splits(kind)]
        for name, of in (("one", kind), ("other", "plain")):
            same(result[f"test_{name}"], by_hand(of, splits(kind)))
            same(result[f"train_{name}"], by_hand(of, on_train))

    def test_grid_search(self, kind):
        grid = {"ridgeclassifier__alpha": ALPHAS}
        search = GridSearchCV(model(), grid, **self.options(kind))
        search.fit(X, Y, **self.params(kind))
        means = [np.mean(by_hand(kind, splits(kind), model(alpha))) for alpha in ALPHAS]
        same(search.cv_results_["mean_test_score"], means)
        everything = np.arange(len(Y))
        best = by_hand(kind, [(everything, everything)], model(ALPHAS[search.best_index_]))
        same(search.score(X, Y, **self.params(kind)), best[0])

    def test_randomized_search(self, kind):
        grid = {"ridgeclassifier__alpha": [0.1, 1, 10]}
        search = RandomizedSearchCV(model(), grid, n_iter=2, random_state=0, **self.options(kind))
        results = search.fit(X, Y, **self.params(kind)).cv_results_
        tried = [float(alpha) for alpha in results["param_ridgeclassifier__alpha"]]
        means = [np.mean(by_hand(kind, splits(kind), model(alpha))) for alpha in tried]
        same(results["mean_test_score"], means)

    def test_several_scorers_and_refit(self, kind):
        options = self.options(kind) | {
            "scoring": {"this": KINDS[kind](), "recall": get_scorer("recall_at_10")}
        }
        grid = {"ridgeclassifier__alpha": ALPHAS}
        search = GridSearchCV(model(), grid, refit="this", **options)
        results = search.fit(X, Y, **self.params(kind)).cv_results_
        for name, of in (("this", kind), ("recall", "recall")):
            means = [np.mean(by_hand(of, splits(kind), model(alpha))) for alpha in ALPHAS]
            same(results[f"mean_test_{name}"], means)

    def test_learning_curve(self, kind):
        _, _, scores = learning_curve(
            *(model(), X, Y),
            train_sizes=[0.5, 1.0],
            params=self.params(kind),
            **self.options(kind),
        )
        longest = len(next(iter(splits(kind)))[0])  # scikit-learn takes sizes from the first fold
        of_size = [
            [(train[:size], test) for train, test in splits(kind)]
            for size in (longest // 2, longest)
        ]
        same(scores, [by_hand(kind, folds) for folds in of_size])

    def test_validation_curve(self, kind):
        _, scores = validation_curve(
            *(model(), X, Y),
            param_name="ridgeclassifier__alpha",
            param_range=ALPHAS,
            params=self.params(kind),
            **self.options(kind),
        )
        same(scores, [by_hand(kind, splits(kind), model(alpha)) for alpha in ALPHAS])

    def test_rfecv(self, kind):
        options = self.options(kind)
        del options["error_score"]
        selector = RFECV(RidgeClassifier(), step=3, **options)
        selector.fit(X, Y, **self.params(kind))
        all_features = np.mean(by_hand(kind, splits(kind), RidgeClassifier()))
        same(selector.cv_results_["mean_test_score"][-1], all_features)

    def test_sequential_feature_selector(self, kind):
        options = self.options(kind)
        del options["error_score"]
        selector = SequentialFeatureSelector(RidgeClassifier(), n_features_to_select=1, **options)
        selector.fit(X[:, :4], Y, **self.params(kind))
        alone = [np.mean(by_hand(kind, splits(kind), RidgeClassifier(), [i])) for i in range(4)]
        assert selector.get_support().tolist() == (np.arange(4) == np.argmax(alone)).tolist()

    def test_two_jobs(self, kind):
        scores = cross_val_score(
            model(), X, Y, params=self.params(kind), n_jobs=2, **self.options(kind)
        )
        same(scores, by_hand(kind, splits(kind)))


CHANCE = Y.mean()  # what constant scores get


class TestWithoutRouting:
    @pytest.mark.parametrize("kind", ["plain", "at k", "expected"])
    def test_halving_grid_search(self, kind):
        search = HalvingGridSearchCV(
            model(), {"ridgeclassifier__alpha": [0.1, 1, 10]}, scoring=KINDS[kind](), cv=3,
            min_resources=60, random_state=0, **STRICT,
        )  # fmt: skip
        assert search.fit(X, Y).best_score_ > CHANCE + 0.3

    @pytest.mark.parametrize("kind", ["plain", "at k", "expected"])
    def test_permutation_importance(self, kind):
        fitted = model().fit(X, Y)
        result = permutation_importance(
            fitted, X, Y, scoring=KINDS[kind](), n_repeats=2, random_state=0
        )
        assert result.importances_mean.max() > 0

    @pytest.mark.parametrize("kind", ["plain", "at k", "expected"])
    def test_calibrated_classifier(self, kind):
        calibrated = CalibratedClassifierCV(RidgeClassifier(), cv=2)
        scores = cross_val_score(calibrated, X, Y, scoring=KINDS[kind](), cv=3, **STRICT)
        assert (scores > CHANCE + 0.3).all()

    def test_pandas(self):
        frame, target = pd.DataFrame(X), pd.Series(Y)
        scores = cross_val_score(model(), frame, target, scoring=KINDS["plain"](), cv=3, **STRICT)
        same(scores, by_hand("plain", splits("plain")))

    def test_groups_for_the_splitter_alone(self):
        scores = cross_val_score(
            model(), X, Y, groups=QUERY, cv=GroupKFold(3), scoring=KINDS["plain"](), **STRICT
        )
        same(scores, by_hand("plain", splits("by group")))


class TestLabels:
    def test_string_labels_with_pos_label(self):
        names = np.where(Y, "benign", "malignant")
        for pos_label in ("benign", "malignant"):
            scorer = get_scorer("average_precision", pos_label=pos_label)
            fitted = RidgeClassifier().fit(X, names)
            sign = 1 if pos_label == fitted.classes_[1] else -1
            assert scorer(fitted, X, names) == average_precision_score(
                names, sign * fitted.decision_function(X), pos_label=pos_label
            )
            scores = cross_val_score(model(), X, names, scoring=scorer, **STRICT)
            assert (scores > 0.94).all()

    def test_string_labels_without_pos_label_are_an_error(self):
        names = np.where(Y, "benign", "malignant")
        with pytest.raises(ValueError, match="pos_label=1 is not a valid label"):
            cross_val_score(model(), X, names, scoring=get_scorer("average_precision"), **STRICT)

    def test_multilabel_decision_function_and_list_of_probabilities(self):
        features, indicators = make_multilabel_classification(
            200, n_classes=3, allow_unlabeled=False, random_state=0
        )
        for estimator in (
            OneVsRestClassifier(RidgeClassifier()),
            RandomForestClassifier(3, random_state=0),
        ):
            fitted = estimator.fit(features[::2], indicators[::2])
            for average in ("macro", "micro", "samples"):
                scorer = get_scorer("average_precision", average=average)
                theirs = make_scorer(
                    sklearn.metrics.average_precision_score,
                    response_method=("decision_function", "predict_proba"),
                    average=average,
                )
                test = features[1::2], indicators[1::2]
                assert 0.5 < scorer(fitted, *test) < 1
                same(scorer(fitted, *test), theirs(fitted, *test))

    def test_multiclass(self):
        features, species = load_iris(return_X_y=True)
        scorer = get_scorer("average_precision")
        scores = cross_val_score(GaussianNB(), features, species, scoring=scorer, **STRICT)
        assert (scores > 0.9).all()

    @pytest.mark.parametrize("named", [False, True])
    def test_a_class_missing_from_a_test_fold(self, named):
        features, species = load_iris(return_X_y=True)
        if named:
            species = load_iris().target_names[species]
        split = np.arange(150) % 2 == 0
        train, test = np.flatnonzero(split), np.flatnonzero(~split)[:50]  # only two species
        assert np.unique(species[test]).size == 2
        scorer = get_scorer("average_precision", labels=np.unique(species), zero_division=np.nan)
        scores = cross_val_score(
            GaussianNB(), features, species, cv=[(train, test)], scoring=scorer, **STRICT
        )
        assert 0.9 < scores[0] <= 1

    def test_a_class_missing_from_a_training_fold_is_an_error_that_names_the_classes(self):
        features, species = load_iris(return_X_y=True)
        scorer = get_scorer("average_precision", labels=[0, 1, 2])
        with pytest.raises(ValueError, match=r"for the 3 classes \[0, 1, 2\].*never saw"):
            cross_val_score(
                *(LogisticRegression(max_iter=1000), features, species),
                cv=KFold(3),  # sorted by species: each is missing once
                scoring=scorer,
                **STRICT,
            )
        digits, which = load_digits(return_X_y=True)
        few = which < 4
        digits, which = digits[few], which[few]
        train, test = np.flatnonzero(which < 3), np.arange(len(which))
        scorer = get_scorer("average_precision", labels=range(4))
        with pytest.raises(ValueError, match=r"for the 4 classes \[0, 1, 2, 3\].*never saw"):
            cross_val_score(
                DecisionTreeClassifier(),
                digits,
                which,
                cv=[(train, test)],
                scoring=scorer,
                **STRICT,
            )


@pytest.mark.usefixtures("routing")
class TestRouting:
    def test_a_plain_scorer_beside_group_k_fold_leaves_the_groups_alone(self):
        scores = cross_val_score(
            model(), X, Y, cv=GroupKFold(3), params={"groups": QUERY},
            scoring=get_scorer("average_precision"), **STRICT,
        )  # fmt: skip
        theirs = cross_val_score(
            model(), X, Y, cv=GroupKFold(3), params={"groups": QUERY}, scoring="average_precision"
        )
        np.testing.assert_allclose(scores, theirs, atol=1e-12)

    @pytest.mark.skipif(
        tuple(map(int, sklearn.__version__.split(".")[:2])) < (1, 9),
        reason="older versions let it pass",
    )
    def test_the_bare_function_fails_there(self):
        """What a scorer from make_scorer and our function does, and why ours hides options."""
        bare = make_scorer(average_precision_score, response_method="decision_function")
        with pytest.raises(UnsetMetadataPassedError, match="groups"):
            cross_val_score(
                model(), X, Y, cv=GroupKFold(3), params={"groups": QUERY}, scoring=bare, **STRICT
            )

    def test_the_score_of_queries_is_the_mean_over_queries(self):
        scores = cross_val_score(
            model(), X, Y, params={"groups": QUERY}, cv=GroupKFold(3),
            scoring=KINDS["by group"](), **STRICT,
        )  # fmt: skip
        for value, (train, test) in zip(scores, splits("by group"), strict=True):
            y_score = model().fit(X[train], Y[train]).decision_function(X[test])
            each = [
                average_precision_score(Y[test][at], y_score[at], zero_division=0.0)
                for at in (QUERY[test] == query for query in np.unique(QUERY[test]))
            ]
            assert value == pytest.approx(np.mean(each))

    def test_weights_and_groups_are_requested_together(self):
        weight = np.random.default_rng(0).random(len(Y)) + 0.5
        fitted = RidgeClassifier().fit(X, Y)
        arguments = {"groups": QUERY, "sample_weight": weight}
        by_group = {"by_group": True, "zero_division": 0.0}
        scorer = get_scorer("average_precision", **by_group)
        scorer = scorer.set_score_request(groups=True, sample_weight=True)
        everything = np.arange(len(Y))
        values = cross_val_score(
            RidgeClassifier().set_fit_request(sample_weight=False), X, Y, params=arguments,
            scoring=scorer, cv=[(everything, everything)], **STRICT,
        )  # fmt: skip
        expected = average_precision_score(
            Y, fitted.decision_function(X), zero_division=0.0, **arguments
        )
        assert values == pytest.approx(expected)

    def test_groups_that_a_request_for_weights_replaced_are_told(self):
        scorer = get_scorer("average_precision", by_group=True)
        scorer = scorer.set_score_request(sample_weight=True)
        message = r"set_score_request\(groups=True, sample_weight=True\)"
        with pytest.raises(ValueError, match=f"groups did not reach this scorer.*{message}"):
            cross_val_score(
                RidgeClassifier().set_fit_request(sample_weight=False), X, Y,
                params={"sample_weight": np.ones(len(Y))}, scoring=scorer, **STRICT,
            )  # fmt: skip

    def test_weights_routed_to_a_score_that_takes_none_are_told(self):
        scorer = get_scorer("expected_average_precision").set_score_request(sample_weight=True)
        with pytest.raises(TypeError, match=r"expected_average_precision_score, which takes no"):
            cross_val_score(
                RidgeClassifier().set_fit_request(sample_weight=False), X, Y,
                params={"sample_weight": np.ones(len(Y))}, scoring=scorer, **STRICT,
            )  # fmt: skip

    def test_an_alias(self):
        options = {"by_group": True, "zero_division": 0.0}
        scorer = get_scorer("average_precision", **options).set_score_request(groups="qid")
        scores = cross_val_score(
            model(), X, Y, params={"qid": QUERY}, scoring=scorer, cv=KFold(3), **STRICT
        )
        expected = cross_val_score(
            *(model(), X, Y),
            params={"groups": QUERY},
            scoring=get_scorer("average_precision", **options),
            cv=KFold(3),
            **STRICT,
        )
        np.testing.assert_array_equal(scores, expected)

    def test_sample_weight(self):
        weight = np.random.default_rng(0).random(len(Y))
        scorer = get_scorer("average_precision").set_score_request(sample_weight=True)
        scores = cross_val_score(
            RidgeClassifier().set_fit_request(sample_weight=False),
            *(X, Y),
            params={"sample_weight": weight},
            scoring=scorer,
            cv=KFold(3),
            **STRICT,
        )
        for value, (train, test) in zip(scores, KFold(3).split(X), strict=True):
            y_score = RidgeClassifier().fit(X[train], Y[train]).decision_function(X[test])
            assert value == average_precision_score(Y[test], y_score, sample_weight=weight[test])

    @pytest.mark.parametrize(
        "convert",
        [
            lambda q: q.astype(str),
            lambda q: pd.Series(q).astype("category"),
            lambda q: np.array([f"query {i}" for i in q], object),
        ],
    )
    def test_groups_of_any_dtype_in_any_order(self, convert):
        order = np.random.default_rng(0).permutation(len(Y))
        fitted = RidgeClassifier().fit(X, Y)
        scorer = get_scorer("average_precision", by_group=True, zero_division=0.0)
        value = scorer(fitted, X, Y, groups=QUERY)
        shuffled = scorer(fitted, X[order], Y[order], groups=convert(QUERY[order]))
        assert shuffled == pytest.approx(value)

    def test_groups_without_positives_follow_zero_division(self):
        fitted = RidgeClassifier().fit(X, Y)
        target = np.where(QUERY == 0, 0, Y)
        values = {}
        for zero_division in (0.0, 1.0, np.nan):
            options = {"by_group": True, "zero_division": zero_division}
            values[zero_division] = get_scorer("average_precision", **options)(
                fitted, X, target, groups=QUERY
            )
        n = np.unique(QUERY).size
        assert values[1.0] - values[0.0] == pytest.approx(1 / n)
        assert values[0.0] < values[np.nan] < values[1.0]

    def test_permutation_importance_passes_no_groups_and_is_told(self):
        scorer = get_scorer("average_precision", by_group=True)
        with pytest.raises(ValueError, match="groups did not reach this scorer"):
            permutation_importance(model().fit(X, Y), X, Y, scoring=scorer)


class TestTraps:
    def test_by_group_with_routing_off_warns_and_then_raises(self):
        with pytest.warns(UserWarning, match=r"enable_metadata_routing=True") as record:
            scorer = get_scorer("average_precision", by_group=True)
        assert str(record[0].filename) == __file__
        with pytest.warns(UserWarning, match="by_group=True needs groups") as record:
            make_ranking_scorer(average_precision_score, by_group=True)
        assert str(record[0].filename) == __file__
        with pytest.raises(ValueError, match=r"groups did not .*enable_metadata_routing=True"):
            cross_val_score(model(), X, Y, scoring=scorer, **STRICT)

    def test_class_labels_are_not_scores(self):
        for target, options in ((Y, {}), (np.where(Y, "b", "m"), {"pos_label": "b"})):
            scorer = get_scorer("average_precision", response_method="predict", **options)
            with pytest.raises(ValueError, match="Predicted classes arrived"):
                cross_val_score(model(), X, target, scoring=scorer, **STRICT)

    @pytest.mark.parametrize("labels", [np.int64, np.uint8, bool, float, object])
    @pytest.mark.parametrize("predictions", [np.int64, np.uint8, bool, object])
    def test_predictions_that_are_all_labels_are_classes(self, labels, predictions):
        y_true, predicted = Y.astype(labels), Y[::-1].astype(predictions)
        with pytest.raises(ValueError, match="Predicted classes arrived"):
            check_not_classes(y_true, predicted)
        check_not_classes(y_true, predicted.astype(float))

    @pytest.mark.parametrize("predictions", [np.int64, np.uint8, object])
    @pytest.mark.parametrize("place", [0, 150, -1])
    def test_one_prediction_that_is_no_label_makes_all_of_them_scores(self, predictions, place):
        predicted = Y.astype(predictions)
        predicted[place] = 2
        for labels in (Y, Y.astype(bool), Y.astype(float), Y.astype(object)):
            check_not_classes(labels, predicted)
        check_not_classes(np.where(Y, "1", "0"), predicted)

    def test_integer_scores_are_scores(self):
        class Votes(BaseEstimator):
            def fit(self, X, y):
                return self

            def predict(self, X):
                return (X[:, 0] // 2).astype(int)

        scorer = get_scorer("average_precision", response_method="predict")
        value = scorer(Votes().fit(X, Y), X, Y)
        assert value == average_precision_score(Y, (X[:, 0] // 2).astype(int))

    def test_a_threshold_cannot_be_tuned_by_a_ranking(self):
        tuned = TunedThresholdClassifierCV(
            LogisticRegression(max_iter=5000), scoring=get_scorer("average_precision"), cv=2
        )
        with pytest.raises(
            ValueError, match="TunedThresholdClassifierCV turns scores into classes"
        ):
            tuned.fit(X, Y)

    def test_what_scikit_learn_makes_of_an_error_without_error_score_raise(self):
        names = np.where(Y, "benign", "malignant")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scores = cross_val_score(model(), X, names, scoring=get_scorer("average_precision"))
        assert np.isnan(scores).all()
