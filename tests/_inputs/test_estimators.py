"""Scores of models of each kind, wherever a model scores, and the results of cross_validate."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.ensemble import IsolationForest, RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import average_precision_score as of_sklearn
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from sklearn_ap import AveragePrecisionDisplay, average_precision_score
from sklearn_ap._inputs.estimators import predict
from tests.helpers.drawings import X, Y


class TestOutlierDetectors:
    outliers = np.where(Y == 1, -1, 1)
    detector = IsolationForest(random_state=0).fit(X)

    @pytest.mark.parametrize("wrap", [lambda model: model, make_pipeline])
    @pytest.mark.parametrize("pos_label", [-1, 1])
    def test_outliers_rank_first_where_they_are_positive(self, wrap, pos_label):
        given = predict(wrap(self.detector), X, self.outliers, pos_label)
        score = pos_label * self.detector.decision_function(X)
        np.testing.assert_array_equal(given["y_score"], score)

    def test_outlier_detectors_refuse_labels_0_and_1(self):
        with pytest.raises(ValueError, match=r"labels \[0\], which .* \[-1, 1\]"):
            predict(make_pipeline(self.detector), X, Y, None)


@pytest.mark.parametrize("method", ["predict_proba", "decision_function"])
@pytest.mark.parametrize("pos_label", ["no", "yes"])
def test_wrapper_with_classes_is_scored_as_a_classifier(method, pos_label):
    words = np.where(Y == 1, "yes", "no")
    inside = LogisticRegression().fit(X, words)
    members = {method: getattr(inside, method), "classes_": inside.classes_}
    model = type("Wrapped", (BaseEstimator,), members)()
    proba = inside.predict_proba(X)[:, [*inside.classes_].index(pos_label)]
    given = predict(model, X, words, pos_label)
    value = average_precision_score(words, given["y_score"], pos_label=pos_label)
    assert value == pytest.approx(of_sklearn(words == pos_label, proba))


@pytest.mark.parametrize("labels", [[1, 2, 0], [2, 0, 1], [0, 2, 1]])
def test_the_classes_of_a_model_come_in_the_order_of_labels(labels):
    y = np.random.default_rng(0).integers(0, 3, 150)
    features = np.eye(3)[y] + np.random.default_rng(1).normal(size=(150, 3))
    model = LogisticRegression().fit(features, y)
    given = predict(model, features, y, None, labels=labels)
    assert given["labels"] == labels
    found = average_precision_score(y, given["y_score"], labels=labels, average=None)
    scores = model.decision_function(features)
    expected = [of_sklearn(y == each, scores[:, each]) for each in labels]
    assert found == pytest.approx(expected)
    assert len({*expected}) == 3


def test_without_labels_the_classes_of_a_model_are_sorted():
    """A wrapper may have them in any order."""
    scores = np.arange(12.0).reshape(4, 3)
    members = {"decision_function": lambda self, X: scores, "classes_": np.array([*"cab"])}
    model = type("Wrapped", (ClassifierMixin, BaseEstimator), members)()
    given = predict(model, scores, [*"abca"], None)
    assert given["labels"].tolist() == [*"abc"]
    np.testing.assert_array_equal(given["y_score"], scores[:, [1, 2, 0]])


def test_columns_of_text_labels_are_refused_with_the_remedy():
    table = np.column_stack([Y, Y[::-1]])
    model = RandomForestClassifier(5).fit(X, np.where(table == 1, "yes", "no"))
    with pytest.raises(ValueError, match=r"labels \['no', 'yes'\].*Fit it on 1 for positive"):
        predict(model, X, table, None)


@pytest.mark.parametrize(
    ("fitted", "y"),
    [
        (["fraud", "fraud", "ok", "ok"], [1, 1, 0, 0]),
        ([0, 0, 1, 1], ["fraud", "fraud", "ok", "ok"]),
        (["ham", "ham", "spam", "spam"], ["ham", "ham", "Spam", "spam"]),
    ],
)
def test_a_label_the_model_was_not_fitted_on_is_an_error(fitted, y):
    rows = np.arange(4.0)[:, None]
    model = make_pipeline(GaussianNB()).fit(np.repeat(rows, 5, axis=0), np.repeat(fitted, 5))
    with pytest.raises(ValueError, match=r"was not fitted on: its classes are .*pass y == label"):
        predict(model, rows, y, y[3])


def test_a_model_of_a_single_class_is_refused():
    with pytest.raises(ValueError, match=r"one class, \[0\], because its training rows"):
        predict(GaussianNB().fit(X, 0 * Y), X, Y, None)


def test_columns_with_one_training_label_are_scored():
    table = np.column_stack([Y, 1 - Y, Y])
    model = KNeighborsClassifier().fit(X[Y == 1], table[Y == 1])
    given = predict(model, X, table, None)["y_score"]
    np.testing.assert_array_equal(given, np.tile([1.0, 0.0, 1.0], (Y.size, 1)))


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
        (lambda _: None, "must be an array with a value for each row, got None"),
        (lambda table: table[:, :, None], "must be an array of one or two dimensions, got 3"),
        (lambda table: [table, table], r"must be an array of .* np.column_stack\("),
    ],
)
def test_probabilities_that_are_no_array_are_refused(as_type, text):
    model = Gives(as_type).fit(ROWS, LABELS)
    with pytest.raises((TypeError, ValueError), match=f"predict_proba of Gives {text}"):
        predict(model, ROWS, LABELS, None)


@pytest.mark.parametrize(
    ("wrong", "text"),
    [(0, "0 is not the highest label, 1"), ("yes", "'yes' is not a valid label")],
)
def test_regressor_requires_the_highest_label_as_positive(wrong, text):
    model = Ridge().fit(X, Y)
    with pytest.raises(ValueError, match=f"pos_label={text}"):
        AveragePrecisionDisplay.from_estimator(model, X, Y, pos_label=wrong)


@pytest.mark.parametrize("kind", [SVC, lambda **o: GridSearchCV(make_pipeline(SVC(**o)), {})])
def test_one_versus_one_decision_functions_are_refused(kind):
    features, species = load_iris(return_X_y=True)
    model = kind(decision_function_shape="ovo").fit(features, species)
    with pytest.raises(ValueError, match="scores pairs of classes"):
        predict(model, features, species, None)
