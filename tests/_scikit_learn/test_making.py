"""What scorers are made of: functions, options and names."""

import inspect
import pickle
import re

import numpy as np
import pytest
from scorer_models import KINDS, QUERY, X, Y, every_kind
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import RidgeClassifier
from sklearn.metrics import check_scoring, roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    LearningCurveDisplay,
    ValidationCurveDisplay,
    cross_val_score,
    cross_validate,
)

import sklearn_ap
from sklearn_ap import (
    average_precision_score,
    definitions,
    get_scorer,
    get_scorer_names,
    make_ranking_scorer,
    precision_at_k_score,
)

RIDGE = RidgeClassifier().fit(X, Y)
SCORES = RIDGE.decision_function(X)
BY_QUERY_AND_MICRO = {"average": "micro", "by_query": True}


class TestMaking:
    @every_kind
    @pytest.mark.usefixtures("routing")
    def test_scorer_has_a_readable_repr_and_can_be_copied(self, kind):
        scorer = KINDS[kind]()
        assert "0x" not in repr(scorer)
        options = {"queries": QUERY} if kind == "by query" else {}
        value = scorer(RIDGE, X, Y, **options)
        for copy in (pickle.loads(pickle.dumps(scorer)), clone(scorer, safe=False)):
            assert repr(copy) == repr(scorer)
            assert copy(RIDGE, X, Y, **options) == value

    def test_several_scorers_share_predictions(self):
        class Counted(type(RIDGE)):
            def decision_function(self, X):
                calls.append(len(X))
                return super().decision_function(X)

        calls, fitted = [], Counted().fit(X, Y)
        names = ("average_precision", "interpolated_average_precision", "recall_at_10")
        scoring = {name: get_scorer(name) for name in names}
        alone = {name: scorer(fitted, X, Y) for name, scorer in scoring.items()}
        assert len(calls) == 3
        assert check_scoring(fitted, scoring)(fitted, X, Y) == alone
        assert len(calls) == 4

    @pytest.mark.filterwarnings("ignore:by_query=True needs queries")
    def test_only_row_arguments_and_pos_label_can_be_routed(self):
        for by_query, more in ((False, {*()}), (True, {"queries"})):
            scorer = make_ranking_scorer(average_precision_score, by_query=by_query)
            shown = inspect.signature(scorer.function).parameters
            assert {*shown} == {"y_true", "y_score", "pos_label", "sample_weight"} | more

    def test_foreign_score_function_is_not_called_before_scoring(self):
        called = []

        def score(y_true, y_score, **options):  # it takes any option
            called.append(options)
            return roc_auc_score(y_true, y_score, **options)

        scorer = make_ranking_scorer(score, max_fpr=0.5)
        assert not called
        assert 0.5 < scorer(RIDGE, X, Y) <= 1
        assert called == [{"max_fpr": 0.5}]

    def test_pos_label_none_keeps_the_default_of_a_foreign_function(self):
        def precision_of_first(y_true, y_score, *, pos_label=1):
            return float(y_true[np.argmax(y_score)] == pos_label)

        scorer = make_ranking_scorer(precision_of_first, pos_label=None)
        assert Y[np.argmax(SCORES)] == 1
        assert scorer(RIDGE, X, Y) == 1
        of_negatives = make_ranking_scorer(precision_of_first, pos_label=0)
        assert of_negatives(RIDGE, X, Y) == (Y[np.argmin(SCORES)] == 0)

    @pytest.mark.usefixtures("routing")
    def test_queries_routed_to_a_plain_scorer_are_refused(self):
        scorer = get_scorer("average_precision").set_score_request(queries=True)
        with pytest.raises(TypeError, match="made without by_query=True"):
            scorer(RIDGE, X, Y, queries=QUERY)

    @pytest.mark.parametrize(
        ("function", "options", "error", "message"),
        [
            (5, {}, TypeError, "score_func must be a function, got 5"),
            (np.mean, {}, TypeError, r"must be a function of \(y_true, y_score"),
            (average_precision_score, {"k": 3}, TypeError, "unexpected keyword argument 'k'"),
            (average_precision_score, {"queries": Y}, TypeError, "queries belongs.* by_query=True"),
            (average_precision_score, {"sample_weight": Y}, TypeError, "sample_weight belongs"),
            (
                average_precision_score,
                BY_QUERY_AND_MICRO,
                ValueError,
                "'micro' does not go with",
            ),
            (average_precision_score, {"response_method": []}, ValueError, "response_method must"),
            (average_precision_score, {"response_method": "x"}, ValueError, "got 'x'"),
            (roc_auc_score, {"by_query": True}, TypeError, "needs a score_func with queries"),
            (precision_at_k_score, {"k": 0}, ValueError, "k must be at least 1"),
            (precision_at_k_score, {"threshold": 0.5}, TypeError, "argument 'threshold'"),
        ],
    )
    def test_bad_input_is_refused_when_the_scorer_is_made(self, function, options, error, message):
        with pytest.raises(error, match=message):
            make_ranking_scorer(function, **options)

    def test_scorer_refuses_anything_but_a_fitted_model(self):
        scorer = get_scorer("average_precision")
        for models in ([RIDGE], RidgeClassifier):
            with pytest.raises(TypeError, match=r"estimator must be one fitted model.*got "):
                scorer(models, X, Y)
        with pytest.raises(NotFittedError, match="GridSearchCV is not fitted"):
            scorer(GridSearchCV(RIDGE, {}), X, Y)

    @pytest.mark.parametrize("make", [get_scorer, make_ranking_scorer])
    def test_scorer_can_be_made_from_a_definition(self, make):
        definition = definitions.AtK(5)
        scorer = make(definition)
        assert scorer(RIDGE, X, Y) == average_precision_score(Y, SCORES, definition=definition)
        assert repr(scorer).startswith("make_scorer(average_precision_score, response_method=")
        assert repr(definition) in repr(scorer)
        with pytest.raises(TypeError, match="The definition is given already"):
            make(definition, definition=definitions.Step())


NAMED = {
    **{f"average_precision_at_{k}": definitions.AtK(k) for k in (1, 7000)},
    "precision_at_3": definitions.PrecisionAtK(3),
    "recall_at_2.5%": definitions.RecallAtK(0.025),
    **{
        f"precision_at_recall_{number}": definitions.PrecisionAtRecall(float(number))
        for number in ("0", ".8", "0.875", "1", "1.0", "1e-3", "2.5E-05")
    },
    "recall_at_precision_0.9": definitions.RecallAtPrecision(0.9),
    "expected_average_precision": definitions.Expected(),
    "expected_average_precision_at_10": definitions.Expected(10),
    "map@10": definitions.AtK(10),
    "AP@1%": definitions.AtK(0.01),
    "P_5": definitions.PrecisionAtK(5),
    "AP": definitions.Step(),
    "RecallAtPrecision(0.8)": definitions.RecallAtPrecision(0.8),
}
UNKNOWN = {
    "precission_at_5": "is not a known scorer. Near it: precision_at_5",
    "interpolated_average_precision_at_5": "is not a known scorer. Near it: interpolated",
    "AP@k": "is not a known scorer. Say k, as in get_scorer(AtK(10)).",
    "map_cut": "is not a known scorer. Say k, as in get_scorer(AtK(10, normalizer='positives')).",
    "AP@0.01": "is not a known scorer. For this share of the rows write 'AP@1%'.",
    "AP@0": "is not a known scorer. Near it: none; get_scorer_names() lists all.",
    "precision_at_recall": "must end in",
    **{
        f"precision_at_recall_{number}": "must end in a number within"
        for number in ("x", "-1", "80", "1e1", "nan")
    },
    **{
        f"recall_at_{k}": "must end in a whole number k"
        for k in ("x", "", "0", "-1", "2.5", "٣", "05", "0%", "100%", "9" * 5000)
    },
}


class TestNames:
    def test_every_listed_name_is_accepted(self):
        names = get_scorer_names()
        assert names == sorted(names)
        assert {"recall_at_100", "recall_at_precision_0.8"} < {*names}
        for name in names:
            value = get_scorer(name)(RIDGE, X, Y)
            assert 0 < value <= 1
            if not name[-1].isdigit() and name != "expected_average_precision":
                assert value == getattr(sklearn_ap, f"{name}_score")(Y, SCORES)

    @pytest.mark.parametrize(("name", "definition"), NAMED.items(), ids=NAMED)
    def test_scorer_names_stand_for_definitions(self, name, definition):
        value = average_precision_score(Y, SCORES, definition=definition)
        assert get_scorer(name)(RIDGE, X, Y) == value

    @pytest.mark.parametrize(("name", "text"), UNKNOWN.items(), ids=UNKNOWN)
    def test_error_for_an_unknown_scorer_name_suggests_the_right_one(self, name, text):
        with pytest.raises(ValueError, match=re.escape(f"{name!r:.80} {text}")):
            get_scorer(name)
        with pytest.raises(TypeError, match="The name 'recall_at_5' already contains k"):
            get_scorer("recall_at_5", k=1)
        with pytest.raises(TypeError, match="name must be a string"):
            get_scorer(average_precision_score)

    @pytest.mark.usefixtures("routing")
    def test_each_call_makes_a_new_scorer(self):
        first, second = get_scorer("average_precision"), get_scorer("average_precision")
        first.set_score_request(sample_weight=True)
        routed = ["True" in repr(each.get_metadata_routing()) for each in (first, second)]
        assert routed == [True, False]

    @pytest.mark.parametrize(
        "name", ["average_precision", "recall_at_5", "map@10", definitions.AtK(3)]
    )
    @pytest.mark.usefixtures("routing")
    def test_all_options_reach_the_scorer_of_any_name(self, name):
        kind = {"response_method": "predict_proba", "by_query": True}
        scorer = get_scorer(name, **kind, pos_label=0, zero_division=1.0)
        assert "queries" in inspect.signature(scorer.function).parameters
        for option in ("response_method='predict_proba'", "pos_label=0", "zero_division=1.0"):
            assert option in repr(scorer)


@pytest.mark.filterwarnings("ignore:by_query=True needs queries")
def test_repr_of_a_scorer_shows_by_query():
    for options in ({}, {"k": 3}):
        by_query = repr(make_ranking_scorer(precision_at_k_score, by_query=True, **options))
        assert by_query.endswith(", by_query=True)")
        assert by_query.replace(", by_query=True", "") == repr(
            make_ranking_scorer(precision_at_k_score, **options)
        )


def test_average_none_is_refused_in_cross_validation_with_the_remedy():
    scorer, table = make_ranking_scorer(average_precision_score, average=None), np.c_[Y, 1 - Y]
    for scoring in (scorer, {"ap": scorer}):
        with pytest.raises(TypeError, match=r"one number.*average=None.*Pass average='macro'"):
            cross_validate(RidgeClassifier(), X, table, scoring=scoring, cv=3)
    assert cross_val_score(RidgeClassifier(), X, Y, scoring=scorer, cv=3).shape == (3,)


def test_scores_per_column_behave_like_arrays():
    """Elsewhere than in cross-validation, several scores are what was asked for."""
    table = np.c_[Y, 1 - Y]
    model = RidgeClassifier().fit(X, table)
    found = make_ranking_scorer(average_precision_score, average=None)(model, X, table)
    plain = np.array(found.tolist())
    assert (str(found), repr(found)) == (str(plain), repr(plain))
    assert str(found.mean()) == str(plain.mean())
    assert type(found + 1) is np.ndarray
    assert found.item(1) == plain[1]


def test_scikit_learn_displays_label_axes_with_the_score_name():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    scorer = make_ranking_scorer(precision_at_k_score, k=5)
    assert (scorer.__name__, pickle.loads(pickle.dumps(scorer)).__name__) == ("precision_at_k",) * 2
    of_c = {"param_name": "alpha", "param_range": [0.1, 1]}
    for display, options in (
        (LearningCurveDisplay, {"train_sizes": [0.5, 1.0]}),
        (ValidationCurveDisplay, of_c),
    ):
        drawn = display.from_estimator(RidgeClassifier(), X, Y, scoring=scorer, cv=3, **options)
        assert drawn.ax_.get_ylabel() == "Precision at k"
        pyplot.close("all")


@pytest.mark.parametrize("make", [make_ranking_scorer, get_scorer])
def test_clusters_are_no_option_of_a_scorer(make):
    of = average_precision_score if make is make_ranking_scorer else "average_precision"
    with pytest.raises(TypeError, match="clusters cannot be an option of a scorer: no score"):
        make(of, clusters=[1, 2])
