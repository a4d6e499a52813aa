"""Cross-validation: models that give the scores of a case to the rows of each fold."""

from dataclasses import replace

import answers
import numpy as np
from sklearn.base import BaseEstimator

import sklearn_ap


class OfFold(BaseEstimator):
    """Gives scores that are columns of X."""

    def __init__(self, columns=slice(1, 2)):
        self.columns = columns

    def fit(self, X, y=None):
        return self

    def predict(self, X):
        scores = X[:, self.columns]
        return scores[:, 0] if scores.shape[1] == 1 else scores


def training_of(case):
    """The rows that each fold's model has seen: all others."""
    return [np.setdiff1d(np.arange(len(case.y_true)), tested) for tested in case.folds]


def has_folds(case):
    """Each fold tests some rows, and trains on some."""
    if not case.folds:
        return False
    return min(map(len, case.folds)) > 1 and min(map(len, training_of(case))) > 0


def columns_of(case):
    """The columns of X that are the scores of each model."""
    n = np.asarray(case.y_score).reshape(len(case.y_true), -1).shape[1]
    return {model: slice(1 + i * n, 1 + (i + 1) * n) for i, model in enumerate(case.scores)}


def rows_and_scores(case):
    """The number of each row, and its scores by all models."""
    n = len(case.y_true)
    return np.column_stack([np.arange(n), *(s.reshape(n, -1) for s in case.scores.values())])


def arguments_for(case):
    """What makes the predictions of all models, and the options beside them."""
    seen, results = training_of(case), {}
    for model, columns in columns_of(case).items():
        results[model] = {
            "estimator": [OfFold(columns) for _ in seen],
            "indices": {"train": seen, "test": list(case.folds)},
            "test_score": np.zeros(len(case.folds)),
        }
    given = {"cv_results": results, "X": rows_and_scores(case), "y": case.y_true}
    return given | {"definition": answers.definition_of(case)} | case.options


def predictions_of(case):
    """``FoldPredictions`` of each model, the labels, and all options."""
    given = arguments_for(case)
    results, X, y = (given.pop(name) for name in ("cv_results", "X", "y"))
    return {name: sklearn_ap.FoldPredictions(cv, X) for name, cv in results.items()}, y, given


def interval_of_folds(case):
    models, y_true, options = predictions_of(case)
    found = sklearn_ap.average_precision_interval(y_true, models["a"], **options)
    return answers.fields_of(found)


def comparison_of_folds(case):
    models, y_true, options = predictions_of(case)
    return answers.fields_of(sklearn_ap.compare_average_precision(y_true, models, **options))


def best_of_folds(case):
    models, y_true, options = predictions_of(case)
    found = sklearn_ap.compare_average_precision(y_true, models, reference="best", **options)
    return answers.best_of_models(found)


# ---- what the reference says


def pooled(case):
    """The test rows of all folds."""
    pool = case.only(np.concatenate(case.folds))
    known = case.known.setdefault(pooled, {})  # of the same pool, in calls of other functions
    return replace(pool, known=known)


def expected_interval(case):
    return answers.interval_of(pooled(case))


def expected_comparison(case):
    return answers.comparison_of(pooled(case))


def expected_best(case):
    return answers.best_of(pooled(case))
