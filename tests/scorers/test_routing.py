"""Queries and weights on their way to a scorer, and what must not arrive there."""

import numpy as np
import pytest
from every import every
from scorer_models import QUERY, STRICT, X, Y, model
from sklearn.base import BaseEstimator
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    TunedThresholdClassifierCV,
    cross_val_score,
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

    def test_sample_weight(self):
        weight = np.random.default_rng(0).random(len(Y))
        scorer = get_scorer("average_precision").set_score_request(sample_weight=True)
        unweighted = RidgeClassifier().set_fit_request(sample_weight=False)
        scores = cross_val_score(
            unweighted, X, Y, params={"sample_weight": weight}, scoring=scorer, cv=KFold(3)
        )
        for value, (train, test) in zip(scores, KFold(3).split(X), strict=True):
            y_score = RidgeClassifier().fit(X[train], Y[train]).decision_function(X[test])
            assert value == average_precision_score(Y[test], y_score, sample_weight=weight[test])

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

    @every("labels", [np.int64, np.uint8, bool, float, object])
    @every("predictions", [np.int64, np.uint8, bool, object])
    def test_predictions_that_are_all_labels_are_classes(self, labels, predictions):
        y_true, predicted = Y.astype(labels), Y[::-1].astype(predictions)
        with pytest.raises(ValueError, match="Predicted classes arrived"):
            check_not_classes(y_true, predicted)
        check_not_classes(y_true, predicted.astype(float))

    @every("predictions", [np.int64, np.uint8, object])
    @every("place", [0, 150, -1])
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
