"""Queries and weights on their way to a scorer, and what must not arrive there."""

import warnings
from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest
import sklearn
from scorer_models import KINDS, QUERY, STRICT, X, Y, by_hand, model, same, splits
from sklearn.base import BaseEstimator
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import make_scorer
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    TunedThresholdClassifierCV,
    cross_val_score,
    cross_validate,
)

from sklearn_ap import average_precision_score, get_scorer, make_ranking_scorer
from sklearn_ap._inputs.estimators import check_not_classes


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
    def test_the_bare_function_fails_beside_a_scorer_by_query(self):
        """What a scorer from make_scorer and our function does, and why ours hides options."""
        by_query = get_scorer("average_precision", by_query=True, zero_division=0.0)
        bare = make_scorer(average_precision_score, response_method="decision_function")
        params, folds = {"groups": QUERY, "queries": QUERY}, splits("by query")
        for plain, fails in ((get_scorer("average_precision"), False), (bare, True)):
            message = pytest.raises(UnsetMetadataPassedError, match="queries")
            with message if fails else nullcontext():
                scoring = {"plain": plain, "by query": by_query}
                found = cross_validate(
                    model(), X, Y, cv=GroupKFold(3), params=params, scoring=scoring, **STRICT
                )
                for kind in scoring:
                    same(found[f"test_{kind}"], by_hand(kind, folds))

    def test_the_score_of_queries_is_the_mean_over_queries(self):
        scores = cross_val_score(
            model(), X, Y, params={"groups": QUERY}, cv=GroupKFold(3),
            scoring=KINDS["by query"](), **STRICT,
        )  # fmt: skip
        for value, (train, test) in zip(scores, splits("by query"), strict=True):
            y_score = model().fit(X[train], Y[train]).decision_function(X[test])
            each = [
                average_precision_score(Y[test][at], y_score[at], zero_division=0.0)
                for at in (QUERY[test] == query for query in np.unique(QUERY[test]))
            ]
            assert value == pytest.approx(np.mean(each))

    def test_queries_are_passed_beside_the_groups_of_the_splitter(self):
        scores = cross_val_score(
            model(), X, Y, params={"groups": QUERY, "queries": QUERY}, cv=GroupKFold(3),
            scoring=get_scorer("average_precision", by_query=True, zero_division=0.0), **STRICT,
        )  # fmt: skip
        same(scores, by_hand("by query", splits("by query")))

    def test_weights_and_queries_are_requested_together(self):
        weight = np.random.default_rng(0).random(len(Y)) + 0.5
        fitted = RidgeClassifier().fit(X, Y)
        arguments = {"queries": QUERY, "sample_weight": weight}
        by_query = {"by_query": True, "zero_division": 0.0}
        scorer = get_scorer("average_precision", **by_query)
        scorer = scorer.set_score_request(queries=True, sample_weight=True)
        everything = np.arange(len(Y))
        values = cross_val_score(
            RidgeClassifier().set_fit_request(sample_weight=False), X, Y, params=arguments,
            scoring=scorer, cv=[(everything, everything)], **STRICT,
        )  # fmt: skip
        expected = average_precision_score(
            Y, fitted.decision_function(X), zero_division=0.0, **arguments
        )
        assert values == pytest.approx(expected)

    def test_queries_that_a_request_for_weights_replaced_are_told(self):
        scorer = get_scorer("average_precision", by_query=True)
        scorer = scorer.set_score_request(sample_weight=True)
        message = r"set_score_request\(queries=True, sample_weight=True\)"
        with pytest.raises(ValueError, match=f"queries did not reach this scorer.*{message}"):
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
        options = {"by_query": True, "zero_division": 0.0}
        scorer = get_scorer("average_precision", **options).set_score_request(queries="qid")
        scores = cross_val_score(
            model(), X, Y, params={"qid": QUERY}, scoring=scorer, cv=KFold(3), **STRICT
        )
        expected = cross_val_score(
            *(model(), X, Y),
            params={"queries": QUERY},
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
    def test_queries_of_any_dtype_in_any_order(self, convert):
        order = np.random.default_rng(0).permutation(len(Y))
        fitted = RidgeClassifier().fit(X, Y)
        scorer = get_scorer("average_precision", by_query=True, zero_division=0.0)
        value = scorer(fitted, X, Y, queries=QUERY)
        shuffled = scorer(fitted, X[order], Y[order], queries=convert(QUERY[order]))
        assert shuffled == pytest.approx(value)

    def test_queries_without_positives_follow_zero_division(self):
        fitted = RidgeClassifier().fit(X, Y)
        target = np.where(QUERY == 0, 0, Y)
        values = {}
        for zero_division in (0.0, 1.0, np.nan):
            options = {"by_query": True, "zero_division": zero_division}
            values[zero_division] = get_scorer("average_precision", **options)(
                fitted, X, target, queries=QUERY
            )
        n = np.unique(QUERY).size
        assert values[1.0] - values[0.0] == pytest.approx(1 / n)
        assert values[0.0] < values[np.nan] < values[1.0]

    def test_permutation_importance_passes_no_queries_and_is_told(self):
        scorer = get_scorer("average_precision", by_query=True)
        with pytest.raises(ValueError, match="queries did not reach this scorer"):
            permutation_importance(model().fit(X, Y), X, Y, scoring=scorer)


class TestTraps:
    def test_by_query_with_routing_off_warns_and_then_raises(self):
        with pytest.warns(UserWarning, match=r"enable_metadata_routing=True") as record:
            scorer = get_scorer("average_precision", by_query=True)
        assert str(record[0].filename) == __file__
        with pytest.warns(UserWarning, match="by_query=True needs queries") as record:
            make_ranking_scorer(average_precision_score, by_query=True)
        assert str(record[0].filename) == __file__
        with pytest.raises(ValueError, match=r"queries did not .*enable_metadata_routing=True"):
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
