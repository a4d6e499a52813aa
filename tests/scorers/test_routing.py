"""Queries and weights on their way to a scorer, and what must not arrive there."""

import numpy as np
import pytest
from every import every
from scorer_models import QUERY, STRICT, X, Y, model
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GroupKFold, TunedThresholdClassifierCV, cross_val_score

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
        test = np.arange(0, len(Y), 3)
        values = cross_val_score(
            RidgeClassifier().set_fit_request(sample_weight=False), X, Y, params=arguments,
            scoring=scorer, cv=[(np.arange(len(Y)), test)], **STRICT,
        )  # fmt: skip
        arguments = {name: column[test] for name, column in arguments.items()}
        y_score = fitted.decision_function(X[test])
        expected = average_precision_score(Y[test], y_score, zero_division=0.0, **arguments)
        assert values == pytest.approx(expected)

    @pytest.mark.parametrize(
        ("made", "error", "message"),
        [
            (
                *({"name": "average_precision", "by_query": True}, ValueError),
                r"queries did not reach.*set_score_request\(queries=True, sample_weight=True\)",
            ),
            (
                *({"name": "expected_average_precision"}, TypeError),
                "expected_average_precision_score, which takes no",
            ),
        ],
    )
    def test_a_request_for_weights_that_is_not_what_was_meant_is_told(self, made, error, message):
        scorer = get_scorer(**made).set_score_request(sample_weight=True)
        with pytest.raises(error, match=message):
            cross_val_score(
                RidgeClassifier().set_fit_request(sample_weight=False), X, Y,
                params={"sample_weight": np.ones(len(Y))}, scoring=scorer, **STRICT,
            )  # fmt: skip


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


@pytest.mark.usefixtures("routing")
def test_a_scorer_by_query_asks_for_queries_by_itself():
    rng = np.random.default_rng(0)
    y = np.tile([1, 0, 0], 40)
    X, queries = (rng.normal(size=120) + y)[:, None], np.arange(120) // 3
    scorer = make_ranking_scorer(average_precision_score, by_query=True)
    fitted = LogisticRegression().fit(X, y)
    halves = [(np.arange(60, 120), np.arange(60)), (np.arange(60), np.arange(60, 120))]
    found = cross_val_score(
        fitted, X, y, scoring=scorer, params={"queries": queries}, cv=iter(halves)
    )
    expected = [
        average_precision_score(y[test], X[test, 0], queries=queries[test]) for _, test in halves
    ]
    assert found == pytest.approx(expected)
