"""Scores, definitions and searches by them are pickled and copied."""

import copy
import pickle

import numpy as np
import pytest
import sklearn
from registry import DEFINITIONS, SCORES
from scorer_models import ALPHAS, QUERY, STRICT, X, Y, model
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score

import sklearn_ap
from sklearn_ap import average_precision_score, definitions, get_scorer

WEIGHT = np.linspace(0.2, 2, len(Y))
WAYS = {
    "pickle": lambda thing: pickle.loads(pickle.dumps(thing)),
    "oldest protocol": lambda thing: pickle.loads(pickle.dumps(thing, 0)),
    "deepcopy": copy.deepcopy,
    "copy": copy.copy,
}


@pytest.mark.parametrize("way", WAYS)
def test_copies_of_scores_and_definitions_equal_them(way):
    things = [*(getattr(sklearn_ap, name) for name in SCORES), *DEFINITIONS]
    assert [WAYS[way](thing) for thing in things] == things


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
