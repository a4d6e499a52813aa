"""A model, its data and its folds, and each kind of scorer with its scores by hand."""

from functools import partial

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import GroupKFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_ap import (
    average_precision_at_k_score,
    average_precision_score,
    get_scorer,
    make_ranking_scorer,
)
from sklearn_ap.definitions import Expected

X, Y = load_breast_cancer(return_X_y=True)
X, Y = X[::2, :8], Y[::2]
QUERY = np.arange(len(Y)) // 10
STRICT = {"error_score": "raise"}
KINDS = {
    "plain": lambda: make_ranking_scorer(average_precision_score),
    "at k": lambda: get_scorer("average_precision_at_10"),
    "expected": lambda: get_scorer("expected_average_precision"),
    # It gets what a splitter such as GroupKFold gets.
    "by query": lambda: get_scorer(
        "average_precision", by_query=True, zero_division=0.0
    ).set_score_request(queries="groups"),
}
every_kind = pytest.mark.parametrize("kind", KINDS)
SCORES = {
    "plain": average_precision_score,
    "at k": partial(average_precision_at_k_score, k=10),
    "expected": partial(average_precision_score, definition=Expected()),
    "by query": partial(average_precision_score, zero_division=0.0),
}
ALPHAS = [0.1, 10]


def model(alpha=1.0):
    return make_pipeline(StandardScaler(), RidgeClassifier(alpha=alpha))


def splits(kind):
    if kind == "by query":
        return list(GroupKFold(3).split(X, Y, QUERY))
    return list(StratifiedKFold(3).split(X, Y))


def scores_by_hand(kind, folds, estimator=None, columns=slice(None)):
    """The score of each fold, without a scorer."""
    values = []
    for train, test in folds:
        fitted = clone(estimator or model()).fit(X[train][:, columns], Y[train])
        options = {"queries": QUERY[test]} if kind == "by query" else {}
        y_score = fitted.decision_function(X[test][:, columns])
        values.append(SCORES[kind](Y[test], y_score, **options))
    return values


same = partial(np.testing.assert_allclose, rtol=0, atol=1e-12)
