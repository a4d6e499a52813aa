"""Scores of models of each kind, wherever a model scores, and the results of cross_validate."""

import inspect
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
from drawings import X, Y
from scipy.sparse import csr_array, csr_matrix
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import IsolationForest, RandomForestClassifier, VotingClassifier
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import average_precision_score as of_sklearn
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import KFold, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import sklearn_ap
from sklearn_ap import (
    AveragePrecisionDisplay,
    FoldPredictions,
    average_precision_score,
    get_scorer,
    make_ranking_scorer,
)
from sklearn_ap._folds.models import predict


class TestOutlierDetectors:
    outliers = np.where(Y == 1, -1, 1)
    detector = IsolationForest(random_state=0).fit(X)

    @pytest.mark.parametrize("wrap", [lambda model: model, make_pipeline])
    @pytest.mark.parametrize(("pos_label", "options"), [(-1, {"pos_label": -1}), (1, {})])
    def test_outliers_rank_first_where_they_are_positive(self, wrap, pos_label, options):
        found = get_scorer("average_precision", **options)(wrap(self.detector), X, self.outliers)
        score = pos_label * self.detector.decision_function(X)
        assert found == pytest.approx(of_sklearn(self.outliers == pos_label, score))

    def test_outlier_detectors_refuse_labels_0_and_1(self):
        with pytest.raises(ValueError, match="scores inliers, 1, above outliers, -1"):
            get_scorer("average_precision")(make_pipeline(StandardScaler(), self.detector), X, Y)


@pytest.mark.parametrize("method", ["predict_proba", "decision_function"])
@pytest.mark.parametrize("pos_label", ["no", "yes"])
def test_wrapper_with_classes_is_scored_as_a_classifier(method, pos_label):
    words = np.where(Y == 1, "yes", "no")
    inside = LogisticRegression().fit(X, words)
    members = {method: getattr(inside, method), "classes_": inside.classes_}
    model = type("Wrapped", (BaseEstimator,), members)()
    proba = inside.predict_proba(X)[:, [*inside.classes_].index(pos_label)]
    value = get_scorer("average_precision", pos_label=pos_label)(model, X, words)
    assert value == pytest.approx(of_sklearn(words == pos_label, proba))


def test_error_for_models_without_scores_names_the_remedy():
    with pytest.raises(TypeError, match=r"predict_proba\. Pass response_method"):
        get_scorer("average_precision")(Ridge().fit(X, Y), X, Y)
    hard = VotingClassifier([("a", LogisticRegression())]).fit(X, Y)
    with pytest.raises(TypeError, match=r"Its predictions are classes\. CalibratedClassifierCV"):
        get_scorer("average_precision")(hard, X, Y)


def test_regressor_requires_the_highest_label_as_positive():
    model = Ridge().fit(X, Y)
    scorer = get_scorer("average_precision", response_method="predict", pos_label=0)
    display = partial(AveragePrecisionDisplay.from_estimator, pos_label=0)
    for call in (scorer, display):
        with pytest.raises(ValueError, match="pos_label=0 is not the highest label, 1"):
            call(model, X, Y)
    scorer = get_scorer("average_precision", response_method="predict", pos_label=1)
    assert scorer(model, X, Y) == average_precision_score(Y, model.predict(X))


@pytest.mark.parametrize("labels", [[1, 2, 0], [2, 0, 1], [0, 2, 1]])
def test_the_classes_of_a_model_come_in_the_order_of_labels(labels):
    y = np.random.default_rng(0).integers(0, 3, 150)
    features = np.eye(3)[y] + np.random.default_rng(1).normal(size=(150, 3))
    model = LogisticRegression().fit(features, y)
    found = get_scorer("average_precision", labels=labels, average=None)(model, features, y)
    scores = model.decision_function(features)
    expected = [of_sklearn(y == each, scores[:, each]) for each in labels]
    assert found == pytest.approx(expected)
    assert len({*expected}) == 3


def test_columns_of_text_labels_are_refused_with_the_remedy():
    table = np.column_stack([Y, Y[::-1]])
    model = RandomForestClassifier(5).fit(X, np.where(table == 1, "yes", "no"))
    with pytest.raises(ValueError, match=r"labels \['no', 'yes'\].*Fit it on 1 for positive"):
        get_scorer("average_precision")(model, X, table)


def test_scorer_without_weight_support_refuses_sample_weight():
    def unweighted(y_true, y_score):
        return roc_auc_score(y_true, y_score)

    model, scorer = GaussianNB().fit(X, Y), make_ranking_scorer(unweighted)
    with pytest.raises(TypeError, match="Use another score, pass no sample_weight, or with"):
        permutation_importance(model, X, Y, scoring=scorer, sample_weight=np.ones(Y.size))


class TestCrossValidation:
    cv_results = cross_validate(
        GaussianNB(), X, Y, cv=KFold(4), return_estimator=True, return_indices=True
    )

    def test_a_fold_without_weight_is_not_drawn(self):
        draw = AveragePrecisionDisplay.from_cv_results
        weight = np.ones(Y.size)
        weight[self.cv_results["indices"]["test"][0]] = 0
        drawn = draw(self.cv_results, X, Y, sample_weight=weight)
        assert len(drawn.line_) == 3
        with pytest.raises(ValueError, match="sample_weight is zero in every row"):
            draw(self.cv_results, X, Y, sample_weight=0 * weight)

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            (lambda rows: {"test": rows["test"]}, "must hold the rows of 'train' and 'test'"),
            (lambda rows: {**rows, "test": rows["test"][:2]}, "4 fitted models, .* 2 test sets"),
            (lambda rows: {**rows, "test": [r * 1.0 for r in rows["test"]]}, "numbers of rows"),
            (lambda rows: {**rows, "test": [r - 200 for r in rows["test"]]}, "from 0 on"),
            (lambda rows: {**rows, "test": [r[:0] for r in rows["test"]]}, "at least one in each"),
        ],
    )
    def test_indices_unlike_those_of_cross_validate_are_refused(self, change, message):
        wrong = {**self.cv_results, "indices": change(self.cv_results["indices"])}
        none = {"estimator": [], "indices": {"train": [], "test": []}}
        for results, text in ((wrong, message), (none, "cv_results has 0 fitted models")):
            with pytest.raises(ValueError, match=text):
                FoldPredictions(results, X, Y)


class Gives(ClassifierMixin, BaseEstimator):
    """A classifier of two labels whose ``predict_proba`` gives its scores as another type."""

    def __init__(self, as_type=np.asarray):
        self.as_type = as_type

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return self.as_type(np.column_stack([1 - X[:, 0], X[:, 0]]))


ROWS, LABELS = np.array([[0.2], [0.9], [0.6], [0.1]]), np.array([0, 1, 0, 1])


@pytest.mark.parametrize("as_type", [pd.DataFrame, pl.DataFrame])
def test_probabilities_may_be_a_frame(as_type):
    model = Gives(as_type).fit(ROWS, LABELS)
    for pos_label in (0, 1):
        found = predict(model, ROWS, LABELS, pos_label)["y_score"]
        np.testing.assert_array_equal(found, abs(1 - pos_label - ROWS[:, 0]))


@pytest.mark.parametrize(
    ("as_type", "text"),
    [
        (np.ndarray.tolist, "must give an array with a row for each row of X, got a list"),
        (lambda _: None, "must give an array with a row for each row of X, got None"),
        (csr_matrix, "cannot be read as a NumPy array: it is sparse"),
        (csr_array, "cannot be read as a NumPy array: it is sparse"),
        (lambda both: both[:, 1], r"must give an array with a column for each class, got shape"),
        (lambda both: pd.Series(both[:, 1]), r"must give an array with a column for each class"),
    ],
)
def test_probabilities_that_are_no_array_are_refused(as_type, text):
    model = Gives(as_type).fit(ROWS, LABELS)
    scorer = get_scorer("average_precision")
    for call in (lambda *args: predict(*args, None), scorer):
        with pytest.raises((TypeError, ValueError), match=f"predict_proba of Gives {text}"):
            call(model, ROWS, LABELS)


def takes_scores(function):
    return {*inspect.signature(function).parameters} & {"y_score", "y_scores"}


PUBLIC = [getattr(sklearn_ap, name) for name in sklearn_ap.__all__]
FUNCTIONS = [each for each in PUBLIC if inspect.isfunction(each) and takes_scores(each)]
FUNCTIONS += [AveragePrecisionDisplay.from_predictions]
# What some of them need beside labels and scores.
NEEDED = {"precision": 0.5, "segments": Y, "n_labels": 5}


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("model", [LogisticRegression(), make_pipeline(LogisticRegression())])
def test_a_model_in_place_of_scores_is_refused_everywhere(function, model):
    given = dict.fromkeys(takes_scores(function), model)
    given = {name: {"a": model, "b": model} if name == "y_scores" else model for name in given}
    parameters = inspect.signature(function).parameters
    needed = {name: value for name, value in NEEDED.items() if name in parameters}
    text = rf"is a model, {type(model).__name__}, .*predict_proba\(X\)\[:, 1\].*from_estimator of a"
    with pytest.raises(TypeError, match=text):
        function(**{"y_true": Y} if "y_true" in parameters else {}, **given, **needed)
