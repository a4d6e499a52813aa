"""Scorers in scikit-learn's model selection, and what must not reach a score."""

import pickle
import warnings

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, make_multilabel_classification
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV, Ridge, RidgeClassifier
from sklearn.metrics import make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    StratifiedKFold,
    TunedThresholdClassifierCV,
    cross_val_score,
    cross_validate,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor

import sklearn_ap
import sklearn_ap.definitions as d
from sklearn_ap import (
    average_precision_at_k_score,
    average_precision_score,
    get_scorer,
    get_scorer_names,
    make_ranking_scorer,
)
from tests.helpers.first_cases import quick

X, Y = load_breast_cancer(return_X_y=True)
X, Y = StandardScaler().fit_transform(X[::2, :8]), Y[::2]
WORDS = np.where(Y == 1, "benign", "malignant")
QUERY = np.arange(Y.size) // 10
WEIGHT = np.linspace(0.5, 3, Y.size)
MODEL = RidgeClassifier()
FITTED = RidgeClassifier().fit(X, Y)
GRID = {"alpha": [0.1, 1000.0]}
FOLDS = list(StratifiedKFold(3).split(X, Y))
STRICT = {"error_score": "raise"}
QUERY_FOLDS = list(GroupKFold(3).split(X, Y, QUERY))
BY_QUERY = {"by_query": True, "zero_division": 0.0}
UNWEIGHTED_FIT = RidgeClassifier()  # the fixture routing says that it wants no weights


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        UNWEIGHTED_FIT.set_fit_request(sample_weight=False)
        yield


def by_hand(model=MODEL, y=Y, folds=FOLDS, rows=None, **options):
    """The score of each fold, without a scorer; ``rows`` are options for each row."""
    found = []
    for train, test in folds:
        scores = clone(model).fit(X[train], y[train]).decision_function(X[test])
        of_rows = {name: values[test] for name, values in (rows or {}).items()}
        found.append(average_precision_score(y[test], scores, **of_rows, **options))
    return found


class TestNames:
    def test_every_listed_name_is_the_score_of_its_definition(self):
        names = get_scorer_names()
        assert names == sorted(names)
        assert {"recall_at_100", "recall_at_precision_0.8"} < {*names}
        for name in names:
            value = get_scorer(name)(FITTED, X, Y)
            assert 0 < value <= 1
            if not name[-1].isdigit() and not name.startswith("expected"):
                score = getattr(sklearn_ap, f"{name}_score")
                assert value == score(Y, FITTED.decision_function(X))

    @pytest.mark.parametrize(
        ("name", "definition"),
        {
            "average_precision": d.Step(),
            "recall_at_2.5%": d.RecallAtK(0.025),
            "precision_at_recall_2.5E-05": d.PrecisionAtRecall(2.5e-05),
            "P_10": d.PrecisionAtK(10),
            d.AtK(20, normalizer="hits"): d.AtK(20, normalizer="hits"),
        }.items(),
    )
    def test_name_stands_for_a_definition(self, name, definition):
        expected = average_precision_score(Y, FITTED.decision_function(X), definition=definition)
        assert get_scorer(name)(FITTED, X, Y) == expected
        assert f"definition={definition!r}" in repr(get_scorer(name))

    @pytest.mark.parametrize(
        ("name", "text"),
        [("precission_at_5", "Near it: precision_at_5"), ("recall_at_0", "k must be at least 1")],
    )
    def test_error_for_an_unknown_name_suggests_the_right_one(self, name, text):
        with pytest.raises(ValueError, match=text):
            get_scorer(name)


class TestOptions:
    def test_options_reach_the_score_and_its_definition(self):
        scorer = get_scorer(d.AtK(5, normalizer="positives"), pos_label=0, zero_division=1.0)
        score = average_precision_at_k_score(
            Y, -FITTED.decision_function(X), k=5, normalizer="positives", pos_label=0
        )
        assert 0 < scorer(FITTED, X, Y) == score < 1

    @pytest.mark.parametrize("name", ["average_precision", "recall_at_5", "AP@5", d.AtK(5)])
    def test_k_is_refused_as_part_of_the_name(self, name):
        with pytest.raises(TypeError, match=r"'average_precision_at_20', or .* AtK\(20\)\."):
            get_scorer(name, k=20)

    @pytest.mark.parametrize(
        ("wrong", "text"),
        [
            (get_scorer("average_precision"), "is a scorer already: pass it on as it is"),
            (average_precision_score, r"definition .* parentheses .* make_ranking_"),
            (d.AtK, r"definition .* parentheses .* make_ranking_"),
        ],
    )
    def test_what_is_no_name_is_refused(self, wrong, text):
        with pytest.raises(TypeError, match=text):
            get_scorer(wrong)

    @pytest.mark.parametrize(
        ("function", "options", "error", "message"),
        [
            (sklearn.metrics.roc_auc_score, {"k": 3}, TypeError, "unexpected keyword argument 'k'"),
            (average_precision_score, {"kk": 3}, TypeError, "unexpected keyword argument 'kk'"),
            ("AP@10", {}, TypeError, "'AP@10'. For a name or a definition, call get_scorer"),
            (d.AtK(5), {}, TypeError, "For a name or a definition, call get_sc"),
            (average_precision_score, {"queries": Y}, TypeError, "queries belongs to rows"),
            (average_precision_score, {"sample_weight": Y}, TypeError, "sample_weight belongs"),
            (average_precision_score, {"response_method": "x"}, ValueError, "response_method"),
            (average_precision_score, {"labels": 3}, ValueError, "labels must be an array"),
            (average_precision_score, {"labels": [2, 0, 1]}, ValueError, "labels must be sorted"),
            (average_precision_score, {"labels": [0, 1]}, ValueError, "must list at least 3 cl"),
            (
                sklearn.metrics.log_loss,
                {},
                TypeError,
                r"names, got log_loss\(y_true, y_pr",
            ),
            (lambda a, b: a + b, {}, TypeError, r"got <lambda>\(a, b\)\. For a name"),
            (d.AtK, {}, TypeError, "y_true and y_score, by these names"),
            (max, {}, TypeError, "got <built-in function max>. For a name"),
            (average_precision_at_k_score, {"k": 0}, ValueError, "k must be at least 1"),
            (average_precision_score, {"average": "foo"}, ValueError, "average must be"),
            (average_precision_score, {"definition": d.AtK}, TypeError, "definition must be"),
        ],
    )
    def test_wrong_options_are_refused_when_the_scorer_is_made(
        self, function, options, error, message
    ):
        with pytest.raises(error, match=message):
            make_ranking_scorer(function, **options)

    def test_response_methods_are_asked_in_order(self):
        class Votes(LogisticRegression):
            def decision_function(self, X):  # with ties that probabilities do not have
                return super().decision_function(X) // 2

        fitted = Votes().fit(X, Y)
        votes, proba = fitted.decision_function(X), fitted.predict_proba(X)[:, 1]
        assert get_scorer("average_precision")(fitted, X, Y) == average_precision_score(Y, votes)
        by_probability = get_scorer("average_precision", response_method="predict_proba")
        assert by_probability(fitted, X, Y) == average_precision_score(Y, proba)
        without = KNeighborsClassifier(3).fit(X, Y)  # it has probabilities only
        expected = average_precision_score(Y, without.predict_proba(X)[:, 1])
        assert get_scorer("average_precision")(without, X, Y) == expected


class TestModelSelection:
    def test_folds_score_as_by_hand(self):
        scoring = {"ap": get_scorer("average_precision"), "top": get_scorer("recall_at_20")}
        options = {"cv": FOLDS, "return_train_score": True, **STRICT}
        found = cross_validate(MODEL, X, Y, scoring=scoring, **options)
        assert found["test_ap"] == pytest.approx(by_hand())
        assert found["test_top"] == pytest.approx(by_hand(definition=d.RecallAtK(20)))
        on_train = by_hand(folds=[(train, train) for train, _ in FOLDS])
        assert found["train_ap"] == pytest.approx(on_train)
        theirs = cross_val_score(MODEL, X, Y, scoring="average_precision", cv=FOLDS)
        assert found["test_ap"] == pytest.approx(theirs, abs=1e-12)

    def test_scores_without_routing_are_weighted_as_those_of_scikit_learn(self):
        """Newer versions weight the scores of a search, and none those of cross_validate."""
        ours, theirs = get_scorer("average_precision"), "average_precision"
        weighted = {"sample_weight": WEIGHT}
        for score in (
            lambda by: (
                GridSearchCV(MODEL, GRID, scoring=by, cv=FOLDS)
                .fit(X, Y, **weighted)
                .cv_results_["mean_test_score"]
            ),
            lambda by: cross_val_score(MODEL, X, Y, scoring=by, cv=FOLDS, params=weighted),
        ):
            assert score(ours) == pytest.approx(score(theirs), abs=1e-12)
        of_all = average_precision_score(Y, FITTED.decision_function(X), **weighted)
        assert ours(FITTED, X, Y, **weighted) == of_all != ours(FITTED, X, Y)

    @pytest.mark.usefixtures("routing")
    @pytest.mark.parametrize("by_query", [False, True])
    def test_copies_and_pickles_keep_the_score_and_its_requests(self, by_query):
        scorer = get_scorer("average_precision_at_5", by_query=by_query, zero_division=0.0)
        options = {"queries": QUERY} if by_query else {}
        value = scorer(FITTED, X, Y, **options)
        for copy in (pickle.loads(pickle.dumps(scorer)), clone(scorer, safe=False)):
            assert repr(copy) == repr(scorer)
            assert "0x" not in repr(scorer)
            assert copy(FITTED, X, Y, **options) == value
            assert str(copy.get_metadata_routing()) == str(scorer.get_metadata_routing())


class TestLabels:
    def test_fold_that_lacks_a_class_names_labels(self):
        features, species = load_iris(return_X_y=True)  # sorted by class
        scorer = get_scorer("average_precision")
        split = [(np.arange(150), np.arange(100))]
        model = LogisticRegression(max_iter=1000)
        with pytest.raises(ValueError, match="as labels"):
            cross_val_score(model, features, species, scoring=scorer, cv=split, **STRICT)
        scorer = get_scorer("average_precision", labels=[0, 1, 2], zero_division=np.nan)
        # Decision values of a softmax model hardly compare rows.
        with pytest.warns(UserWarning, match="for class 1, 0.3.* as probabilities do"):
            found = cross_val_score(model, features, species, scoring=scorer, cv=split)
        scores = model.fit(features, species).decision_function(features)[:100, :2]
        expected = sklearn.metrics.average_precision_score(np.eye(2)[species[:100]], scores)
        assert found == pytest.approx(expected)
        lacks = [(np.arange(100), np.arange(150))]  # the model does not know the third class
        with pytest.raises(ValueError, match="If a model lacks a class"):
            cross_val_score(model, features, species, scoring=scorer, cv=lacks, **STRICT)

    @pytest.mark.filterwarnings("ignore::FutureWarning")  # attributes change
    @pytest.mark.skipif(sklearn.__version__ < "1.9", reason="it scores labels of its own")
    def test_logistic_regression_chooses_by_the_scores_of_its_folds(self):
        options = {"Cs": [1], "cv": FOLDS}
        for labels, given in ((Y, {}), (WORDS, {"pos_label": "benign"})):
            scorer = get_scorer("average_precision", **given)
            model = LogisticRegressionCV(scoring=scorer, **options).fit(X, labels)
            (found,) = model.scores_.values()
            assert found.ravel() == pytest.approx(by_hand(LogisticRegression()), abs=1e-3)

    def test_tables_of_labels_equal_scikit_learn_for_both_response_methods(self):
        features, table = make_multilabel_classification(
            200, n_classes=3, allow_unlabeled=False, random_state=0
        )
        theirs = sklearn.metrics.average_precision_score
        methods = {"response_method": ("decision_function", "predict_proba")}
        for model in (KNeighborsClassifier(), RidgeClassifier()):
            fitted = model.fit(features[::2], table[::2])
            for average in ("macro", "micro", "samples"):
                value = get_scorer("average_precision", average=average)(fitted, features, table)
                expected = make_scorer(theirs, average=average, **methods)(fitted, features, table)
                assert 0.5 < value == pytest.approx(expected, abs=1e-12)


class TestPredictions:
    @pytest.mark.parametrize(
        ("y", "pos_label"),
        [(Y, None), (WORDS, "benign"), (Y == 1, None)],
        ids=["numbers", "words", "flags"],
    )
    def test_predicted_classes_are_refused(self, y, pos_label):
        options = {"response_method": "predict", "pos_label": pos_label}
        scorer = get_scorer("average_precision", **options)
        with pytest.raises(ValueError, match="Predicted classes arrived"):
            cross_val_score(MODEL, X, y, scoring=scorer, **STRICT)

    @pytest.mark.parametrize(
        ("y", "pos_label"), [(Y, None), (WORDS, "benign")], ids=["numbers", "words"]
    )
    def test_tuned_thresholds_are_refused(self, y, pos_label):
        scorer = get_scorer("average_precision", pos_label=pos_label)
        tuned = TunedThresholdClassifierCV(LogisticRegression(), scoring=scorer, cv=2)
        with pytest.raises(ValueError, match="TunedThresholdClassifierCV turns scores into"):
            tuned.fit(X, y)

    def test_predictions_of_regressors_are_scores(self):
        scorer = get_scorer("average_precision", response_method="predict")
        fitted = Ridge().fit(X, Y)
        assert scorer(fitted, X, Y) == average_precision_score(Y, fitted.predict(X))
        votes = (X[:, :1] * -3).astype(int)  # whole numbers, of which many are no labels
        fitted = DecisionTreeRegressor(random_state=0).fit(votes, votes[:, 0])
        assert scorer(fitted, votes, Y) == average_precision_score(Y, votes[:, 0])


class TestRanksOfAFold:
    """``k`` counts the rows of a test fold, which has 95 of 285 rows, or 57 of them."""

    @pytest.fixture(autouse=True)
    def first_time(self, monkeypatch):
        monkeypatch.setattr(sklearn_ap.scorers, "WARNED", set())

    def warned(self, scorer, y=Y, **options):
        search = GridSearchCV(MODEL, GRID, scoring=scorer, cv=FOLDS, **STRICT, **options)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            self.scores = search.fit(X, y).cv_results_["mean_test_score"]
        return [str(each.message) for each in caught]

    @pytest.mark.parametrize("name", quick(["precision_at", "recall_at"], 1))
    def test_a_count_of_all_rows_warns_once_with_a_share(self, name):
        (text,) = self.warned(get_scorer(f"{name}_95"))
        assert text == (
            f"{name}_95 counts all 95 rows that it scores, so all models score the same: k is a "
            f"number of rows of a test fold. Pass a share, which means the same in a fold and in "
            f"all rows: '{name}_1%' or k=0.01 takes 20 of 2,000 rows."
        )
        assert np.ptp(self.scores) == 0
        assert not self.warned(get_scorer(f"{name}_95"))
        assert len(self.warned(get_scorer(f"{name}_120"))) == 1
        assert not self.warned(get_scorer(f"{name}_20%"))

    def test_a_function_of_all_rows_warns_as_its_name_does(self):
        score = make_ranking_scorer(sklearn_ap.precision_at_k_score, k=500)
        (text,) = self.warned(score)
        assert text.startswith("precision_at_500 counts all 95 rows that it scores")
        assert text.endswith("'precision_at_1%' or k=0.01 takes 20 of 2,000 rows.")
        assert not self.warned(get_scorer(d.PrecisionAtK(500)))

    @pytest.mark.parametrize(
        "scorer",
        [
            get_scorer("precision_at_94"),
            get_scorer("recall_at_50%"),
            make_ranking_scorer(sklearn_ap.recall_at_k_score),
            get_scorer("average_precision_at_200"),
            get_scorer("average_precision"),
        ],
    )
    def test_a_score_that_depends_on_the_model_does_not_warn(self, scorer):
        assert not self.warned(scorer)

    def test_average_precision_at_all_ranks_is_that_of_all_rows(self):
        scores = [get_scorer(name)(FITTED, X, Y) for name in ("AP", "average_precision_at_285")]
        assert scores[0] == pytest.approx(scores[1], abs=1e-12)

    @pytest.mark.usefixtures("routing")
    def test_short_queries_do_not_warn(self):
        scorer = get_scorer("precision_at_10", **BY_QUERY)
        options = {"cv": QUERY_FOLDS, "params": {"queries": QUERY}, **STRICT}
        assert cross_val_score(MODEL, X, Y, scoring=scorer, **options).min() > 0


@pytest.mark.usefixtures("routing")
class TestRouting:
    def score(self, scorer, model=MODEL, **params):
        options = {"cv": QUERY_FOLDS, "params": params, **STRICT}
        return cross_val_score(model, X, Y, scoring=scorer, **options)

    def test_queries_reach_a_scorer_by_query(self):
        scorer = get_scorer("average_precision_at_3", **BY_QUERY)
        found = self.score(scorer, queries=QUERY)
        search = GridSearchCV(MODEL, {"alpha": [1.0]}, scoring=scorer, cv=QUERY_FOLDS)
        assert search.fit(X, Y, queries=QUERY).best_score_ == np.mean(found)
        rows = {"queries": QUERY}
        expected = by_hand(folds=QUERY_FOLDS, rows=rows, definition=d.AtK(3), zero_division=0.0)
        assert found == pytest.approx(expected)

    def test_queries_may_be_the_groups_of_the_splitter(self):
        scorer = get_scorer("average_precision", **BY_QUERY)
        scorer.set_score_request(queries="groups")
        options = {"cv": GroupKFold(3), "params": {"groups": QUERY}, **STRICT}
        found = cross_val_score(MODEL, X, Y, scoring=scorer, **options)
        rows = {"queries": QUERY}
        assert found == pytest.approx(by_hand(folds=QUERY_FOLDS, rows=rows, zero_division=0.0))
        plain = cross_val_score(MODEL, X, Y, scoring=get_scorer("average_precision"), **options)
        assert plain == pytest.approx(by_hand(folds=QUERY_FOLDS))

    def test_weights_and_queries_are_routed_together(self):
        scorer = get_scorer("average_precision", **BY_QUERY)
        scorer.set_score_request(queries=True, sample_weight=True)
        rows = {"queries": QUERY, "sample_weight": WEIGHT}
        found = self.score(scorer, UNWEIGHTED_FIT, **rows)
        expected = by_hand(folds=QUERY_FOLDS, rows=rows, zero_division=0.0)
        assert found == pytest.approx(expected)

    @pytest.mark.parametrize("by_query", [False, True])
    def test_weights_are_never_left_out_without_a_word(self, by_query):
        """Where the model takes them: if nothing took them, scikit-learn itself would refuse."""
        model = RidgeClassifier().set_fit_request(sample_weight=True)
        scorer = get_scorer("average_precision", **(BY_QUERY if by_query else {}))
        rows = {"queries": QUERY} if by_query else {}
        with pytest.raises(UnsetMetadataPassedError, match=r"sample_weight.* are passed but"):
            self.score(scorer, model, sample_weight=WEIGHT, **rows)

    def test_error_corrects_a_request_that_replaced_queries(self):
        scorer = get_scorer("average_precision", by_query=True)
        scorer.set_score_request(sample_weight=True)
        remedy = r"set_score_request\(queries=True, sample_weight=True\)"
        with pytest.raises(ValueError, match=remedy):
            self.score(scorer, UNWEIGHTED_FIT, sample_weight=WEIGHT)


@pytest.mark.parametrize("rows", [{}, {"sample_weight": WEIGHT}, {"groups": QUERY}])
def test_a_scorer_by_query_without_routing_says_how_to_route(rows):
    scorer = get_scorer("average_precision", by_query=True)
    search = GridSearchCV(MODEL, GRID, scoring=scorer, cv=GroupKFold(3), **STRICT)
    if "groups" not in rows:
        search.set_params(cv=3)
    with pytest.raises(ValueError, match=r"queries did not .*enable_metadata_routing=True"):
        search.fit(X, Y, **rows)
