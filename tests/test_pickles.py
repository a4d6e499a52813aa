"""Scorers are pickled and copied by public names alone."""

import copy
import io
import pickle

import joblib
import numpy as np
import pytest
import sklearn
from registry import DEFINITIONS, SCORES
from scorer_models import ALPHAS, QUERY, STRICT, X, Y, model
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score

import sklearn_ap
from sklearn_ap import average_precision_score, definitions, get_scorer, make_ranking_scorer

TRUTH = np.array([1, 0, 1, 1, 0, 0, 1, 0, 0, 1, 0, 0])
SCORE = np.array([11, 10, 9, 9, 8, 7, 5, 5, 4, 3, 2, 1]) / 16
ROWS = {
    "queries": np.arange(len(TRUTH)) // 6,
    "sample_weight": np.array([1, 2, 1, 3, 1, 1, 2, 1, 2, 1, 1, 3]) / 4,
}
WEIGHT = np.linspace(0.2, 2, len(Y))
RIDGE = RidgeClassifier().fit(X, Y)
WAYS = {
    "pickle": lambda thing: pickle.loads(pickle.dumps(thing)),
    "oldest protocol": lambda thing: pickle.loads(pickle.dumps(thing, 0)),
    "deepcopy": copy.deepcopy,
    "copy": copy.copy,
    "clone": lambda thing: clone(thing, safe=False),
}
every_way = pytest.mark.parametrize("way", WAYS)


class Model(ClassifierMixin, BaseEstimator):
    """It scores a row by its only column."""

    classes_ = np.array([0, 1])

    def decision_function(self, X):
        return X[:, 0]

    def predict_proba(self, X):
        return np.column_stack([1 - X[:, 0], X[:, 0]])


def scorers():
    """Each way to make a scorer, and requests of what is routed to it."""
    with sklearn.config_context(enable_metadata_routing=True):
        query_scorer = get_scorer("average_precision", by_query=True, zero_division=0.0)
        return {
            "by name": get_scorer("average_precision"),
            "k in the name": get_scorer("precision_at_5"),
            "options": make_ranking_scorer(
                sklearn_ap.interpolated_average_precision_score,
                recall_levels=11,
                pos_label=0,
                response_method="predict_proba",
            ),
            "recall in the name": get_scorer("precision_at_recall_0.8"),
            "definition": get_scorer(definitions.AtK(5, normalizer="k")),
            "prevalence": get_scorer("average_precision", prevalence=0.01),
            "weights": get_scorer("AP").set_score_request(sample_weight="weight"),
            "by query": get_scorer("expected_average_precision", by_query=True),
            "by query with weights": query_scorer.set_score_request(
                queries="groups", sample_weight=True
            ),
        }


every_scorer = pytest.mark.parametrize("name", scorers())


def value(scorer):
    with sklearn.config_context(enable_metadata_routing=True):
        requests = scorer.get_metadata_routing().score.requests
        asked = {name: of_rows for name, of_rows in ROWS.items() if requests.get(name)}
        return scorer(Model(), SCORE[:, None], TRUTH, **asked)


class Reader(pickle.Unpickler):
    """It notes the names that a pickle imports."""

    def __init__(self, data):
        super().__init__(io.BytesIO(data))
        self.found = set()

    def find_class(self, module, name):
        self.found.add(f"{module}.{name}")
        return super().find_class(module, name)


def names_in(data):
    reader = Reader(data)
    reader.load()
    return reader.found


@every_scorer
def test_pickled_scorer_refers_only_to_public_names(name):
    """Neither a class of scikit-learn's scorers nor one of ours stands in it."""
    public = [make_ranking_scorer, *(getattr(sklearn_ap, each) for each in SCORES)]
    public += [getattr(definitions, each) for each in definitions.__all__]
    allowed = {f"{each.__module__}.{each.__name__}" for each in public}
    found = names_in(pickle.dumps(scorers()[name]))
    assert found - {"functools.partial"} <= allowed


@every_way
def test_copies_of_scores_and_definitions_equal_them(way):
    things = [*(getattr(sklearn_ap, name) for name in SCORES), *DEFINITIONS]
    assert [WAYS[way](thing) for thing in things] == things


class TestCopies:
    """Also where metadata routing is off, as in the process that loads a pickle."""

    @every_scorer
    @every_way
    def test_a_scorer_keeps_options_and_requests(self, name, way):
        scorer = scorers()[name]
        again = WAYS[way](scorer)
        assert (type(again), repr(again)) == (type(scorer), repr(scorer))
        assert again.__name__ == scorer.__name__
        with sklearn.config_context(enable_metadata_routing=True):
            requests = [each.get_metadata_routing().score.requests for each in (scorer, again)]
        assert requests[0] == requests[1]
        assert value(again) == value(scorer)

    @every_way
    def test_copied_scorer_has_independent_metadata_requests(self, way):
        with sklearn.config_context(enable_metadata_routing=True):
            scorer = get_scorer("average_precision").set_score_request(sample_weight=True)
            again = WAYS[way](scorer)
            again.set_score_request(sample_weight=False)
            requests = [each.get_metadata_routing().score.requests for each in (scorer, again)]
        assert [each["sample_weight"] for each in requests] == [True, False]

    @every_way
    def test_withdrawn_metadata_request_survives_copying(self, way):
        with sklearn.config_context(enable_metadata_routing=True):
            scorer = get_scorer("average_precision", by_query=True).set_score_request()
            again = WAYS[way](scorer)
            assert again.get_metadata_routing().score.requests == {}

    @every_way
    def test_by_query_scorer_made_without_routing_copies_its_requests(self, way):
        with pytest.warns(UserWarning, match="by_query=True needs queries"):
            scorer = get_scorer("average_precision", by_query=True)
        again = WAYS[way](scorer)
        with sklearn.config_context(enable_metadata_routing=True):
            requests = [each.get_metadata_routing().score.requests for each in (scorer, again)]
        assert requests[0] == requests[1]

    def test_changed_display_name_of_a_scorer_survives_pickling(self):
        scorer = get_scorer("average_precision")
        scorer.__name__ = "AP of fraud"
        assert pickle.loads(pickle.dumps(scorer)).__name__ == "AP of fraud"

    def test_joblib_stores_a_scorer(self, tmp_path):
        scorer = get_scorer("recall_at_10", pos_label=0)
        joblib.dump(scorer, tmp_path / "scorer.joblib")
        again = joblib.load(tmp_path / "scorer.joblib")
        assert again(RIDGE, X, Y) == scorer(RIDGE, X, Y)
        assert joblib.hash(again) == joblib.hash(scorer)


class TestSearches:
    def search(self, **options):
        return GridSearchCV(
            model(), {"ridgeclassifier__alpha": ALPHAS}, cv=GroupKFold(3), **options
        )

    def test_a_fitted_search_scores_after_pickling_as_before(self):
        with sklearn.config_context(enable_metadata_routing=True):
            name = "interpolated_average_precision"
            by_query = get_scorer(name, by_query=True, zero_division=0.0)
            by_query.set_score_request(queries="groups", sample_weight="weight")
            params = {"groups": QUERY, "weight": WEIGHT}
            search = self.search(scoring=by_query).fit(X, Y, **params)
            expected = search.score(X, Y, **params)
        again = pickle.loads(pickle.dumps(search))
        with sklearn.config_context(enable_metadata_routing=True):
            assert again.score(X, Y, **params) == expected
            refitted = clone(again).fit(X, Y, **params)
        for key in ("mean_test_score", "rank_test_score"):
            np.testing.assert_array_equal(refitted.cv_results_[key], search.cv_results_[key])
        scores = again.best_estimator_.decision_function(X)
        options = {"definition": definitions.Interpolated(), "zero_division": 0.0}
        by_hand = average_precision_score(Y, scores, queries=QUERY, sample_weight=WEIGHT, **options)
        assert expected == pytest.approx(by_hand)

    def test_a_search_by_several_metrics_is_pickled(self):
        scoring = {"ap": get_scorer("AP"), "at 5": get_scorer(definitions.AtK(5))}
        search = self.search(scoring=scoring, refit="at 5").fit(X, Y, groups=QUERY)
        again = pickle.loads(pickle.dumps(search))
        assert again.score(X, Y) == search.score(X, Y)
        assert repr(again.scorer_) == repr(search.scorer_)

    @pytest.mark.slow
    def test_scorers_give_the_same_scores_in_other_processes(self):
        """They load it before they know that metadata routing is on."""
        with sklearn.config_context(enable_metadata_routing=True):
            scorer = get_scorer("average_precision", by_query=True, zero_division=0.0)
            scorer.set_score_request(queries="groups")
            options = {"cv": GroupKFold(3), "params": {"groups": QUERY}, **STRICT}
            here, there = (
                cross_val_score(model(), X, Y, scoring=scorer, n_jobs=n_jobs, **options)
                for n_jobs in (1, 2)
            )
        np.testing.assert_array_equal(here, there)
