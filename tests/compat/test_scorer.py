"""A search can select by the number that a tool prints."""

import pickle

import numpy as np
import pytest
import sklearn
from compat_inputs import ALL_NAMES, options_of
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.model_selection import GridSearchCV, cross_validate

from sklearn_ap import compat
from sklearn_ap.compat._tools import get
from sklearn_ap.definitions import AtK

# Hits at ranks 1, 3 and 5.
X, Y = np.array([5.0, 4, 3, 2, 1])[:, None], np.array([1, 0, 1, 0, 1])


class Model(ClassifierMixin, BaseEstimator):
    """Its decision is the first column, or that with the sign turned."""

    def __init__(self, sign=1):
        self.sign = sign

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return self.sign * np.asarray(X)[:, 0]


@pytest.mark.parametrize(
    ("name", "options", "value"),
    [
        ("trec_eval.P_4", {}, 2 / 4),
        ("trec_eval.recip_rank", {}, 1.0),
        ("xgboost.map@k", {"k": 2}, 1 / 2),
        ("ranx.map@k", {"k": 4}, (1 + 2 / 3) / 3),
        ("voc2007", {}, (4 + 3 * 2 / 3 + 4 * 3 / 5) / 11),
        ("average_precision_at_k_score", {"k": 4, "normalizer": "k"}, (1 + 2 / 3) / 4),
        (AtK(2), {}, 1 / 2),
    ],
)
def test_scorer_gives_the_number_by_hand(name, options, value):
    scorer = compat.get_scorer(name, **options)
    model = Model().fit(X, Y)
    for each in (scorer, pickle.loads(pickle.dumps(scorer)), clone(scorer, safe=False)):
        assert each(model, X, Y) == pytest.approx(value)


def test_every_function_of_one_column_is_a_scorer(subtests):
    """It gives what compat.score gives for the same scores, or raises the same."""
    model = Model().fit(X, Y)
    for name in ALL_NAMES:
        with subtests.test(name):
            options = options_of(get(name))
            scorer = compat.get_scorer(name, **options)
            try:
                expected = compat.score(name, Y, X[:, 0], **options)
            except compat.ToolError:
                with pytest.raises(compat.ToolError):
                    scorer(model, X, Y)
            else:
                assert scorer(model, X, Y) == pytest.approx(expected, nan_ok=True)


def test_grid_search_selects_by_a_tool_scorer():
    rows, labels = np.tile(X, (6, 1)), np.tile([1, 1, 0, 0, 0], 6)
    search = GridSearchCV(Model(), {"sign": [-1, 1]}, scoring=compat.get_scorer("coco"), cv=3)
    assert search.fit(rows, labels).best_params_ == {"sign": 1}
    both = {name: compat.get_scorer(name) for name in ("xgboost.aucpr", "voc2007")}
    assert {"test_xgboost.aucpr", "test_voc2007"} <= cross_validate(
        Model(), rows, labels, scoring=both, cv=3
    ).keys()


def test_tool_scorer_by_query_averages_queries():
    with sklearn.config_context(enable_metadata_routing=True):
        scorer = compat.get_scorer("ranx.map", by_query=True)
        queries = [0, 0, 0, 1, 1]
        value = scorer(Model().fit(X, Y), X, Y, queries=queries)
    assert value == pytest.approx(((1 + 2 / 3) / 2 + 1 / 2) / 2)


def test_invalid_tool_scorers_are_refused_with_the_reason():
    with pytest.raises(ValueError, match=r"xgboost.map@k needs k: pass how many ranks count"):
        compat.get_scorer("xgboost.map@k")
    with pytest.raises(ValueError, match="'voc' has several functions: choose from"):
        compat.get_scorer("voc")
    with pytest.raises(TypeError, match=r"xgboost.aucpr has no option 'level'; it has none\."):
        compat.get_scorer("xgboost.aucpr", level=0.5)
