"""Queries and weights on their way to a scorer, and what must not arrive there."""

import numpy as np
import pytest
from scorer_models import QUERY, STRICT, X, Y, model
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GroupKFold, TunedThresholdClassifierCV, cross_val_score
from sklearn.neighbors import KNeighborsRegressor

from sklearn_ap import average_precision_score, get_scorer, make_ranking_scorer
from sklearn_ap._folds.models import check_not_classes


@pytest.mark.usefixtures("routing")
class TestRouting:
    def test_plain_scorer_ignores_groups_of_group_k_fold(self):
        options = {"cv": GroupKFold(3), "params": {"groups": QUERY}, **STRICT}
        ours, theirs = (
            cross_val_score(model(), X, Y, scoring=scoring, **options)
            for scoring in (get_scorer("average_precision"), "average_precision")
        )
        np.testing.assert_allclose(ours, theirs, atol=1e-12)

    def test_weights_and_queries_are_requested_together(self):
        arguments = {"queries": QUERY, "sample_weight": np.linspace(0.5, 1.5, len(Y))}
        by_query = {"by_query": True, "zero_division": 0.0}
        both = get_scorer("average_precision", **by_query)
        both.set_score_request(queries=True, sample_weight=True)
        alone = get_scorer("average_precision", **by_query)  # it asks for queries by itself
        ridge = RidgeClassifier().set_fit_request(sample_weight=False)
        test = np.arange(0, len(Y), 3)
        y_score = RidgeClassifier().fit(X, Y).decision_function(X[test])
        for scorer, names in ((both, ["queries", "sample_weight"]), (alone, ["queries"])):
            options = {"params": {name: arguments[name] for name in names}, "scoring": scorer}
            folds = [(np.arange(len(Y)), test)]
            values = cross_val_score(ridge, X, Y, cv=folds, **options, **STRICT)
            given = {name: arguments[name][test] for name in names}
            expected = average_precision_score(Y[test], y_score, zero_division=0.0, **given)
            assert values == pytest.approx(expected)

    def test_error_corrects_a_mistaken_request_for_weights(self):
        fitted, weight = RidgeClassifier().fit(X, Y), {"sample_weight": np.ones(len(Y))}
        scorer = get_scorer("average_precision", by_query=True)
        advice = r"queries did not reach.*set_score_request\(queries=True, sample_weight=True\)"
        with pytest.raises(ValueError, match=advice):
            scorer.set_score_request(sample_weight=True)(fitted, X, Y, **weight)
        scorer = get_scorer("expected_average_precision").set_score_request(sample_weight=True)
        with pytest.raises(ValueError, match=r"^Expected average precision takes unweighted"):
            scorer(fitted, X, Y, **weight)


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
    def test_integer_predictions_that_are_all_labels_are_refused_as_classes(
        self, labels, predictions
    ):
        y_true, predicted = Y.astype(labels), Y[::-1].astype(predictions)
        with pytest.raises(ValueError, match="Predicted classes arrived"):
            check_not_classes(y_true, predicted)
        check_not_classes(y_true, predicted.astype(float))
        if predictions is not bool:
            predicted[-1] = 2  # which is no label, so all of them are scores
            check_not_classes(y_true, predicted)

    def test_integer_predictions_that_are_not_labels_are_scores(self):
        votes = (X[:, 0] // 2).astype(int)
        fitted = KNeighborsRegressor(1).fit(votes[:, None], votes)
        scorer = get_scorer("average_precision", response_method="predict")
        assert scorer(fitted, votes[:, None], Y) == average_precision_score(Y, votes)

    def test_tuned_threshold_classifier_refuses_ranking_scorers(self):
        tuned = TunedThresholdClassifierCV(
            LogisticRegression(max_iter=5000), scoring=get_scorer("average_precision"), cv=2
        )
        with pytest.raises(ValueError, match="TunedThresholdClassifierCV turns scores into"):
            tuned.fit(X, Y)
