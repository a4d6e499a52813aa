"""Cross-validation: models that give the scores of a case to the rows of each fold."""

from dataclasses import replace
from fractions import Fraction

import answers
import numpy as np
from sklearn.base import BaseEstimator

import sklearn_ap

SMALLEST_SHARE = Fraction(1, 2**30)  # of a fold, which ranks tell apart


class OfFold(BaseEstimator):
    """Gives scores that are columns of X."""

    def __init__(self, columns=slice(1, 2), scale=1):
        self.columns = columns
        self.scale = scale

    def fit(self, X, y=None):
        return self

    def predict(self, X):
        scores = X[:, self.columns] * self.scale
        return scores[:, 0] if scores.shape[1] == 1 else scores


def training_of(case):
    """The rows that each fold's model has seen: all others."""
    return [np.setdiff1d(np.arange(len(case.y_true)), tested) for tested in case.folds]


def has_folds(case):
    """Each fold tests some rows, and trains on some."""
    if not case.folds:
        return False
    return min(map(len, case.folds)) > 1 and min(map(len, training_of(case))) > 0


def has_ranks(case):
    return has_folds(case) and case.average != "samples"


def columns_of(case):
    """The columns of X that are the scores of each model."""
    n = np.asarray(case.y_score).reshape(len(case.y_true), -1).shape[1]
    return {model: slice(1 + i * n, 1 + (i + 1) * n) for i, model in enumerate(case.scores)}


def rows_and_scores(case):
    """The number of each row, and its scores by all models."""
    n = len(case.y_true)
    return np.column_stack([np.arange(n), *(s.reshape(n, -1) for s in case.scores.values())])


def arguments_for_scores(case):
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


def arguments_for_ranks(case):
    """The same, and the scores of each fold are on another scale."""
    given = arguments_for_scores(case)
    for results in given["cv_results"].values():
        for place, model in enumerate(results["estimator"]):
            model.scale = 4.0 ** (3 - place)
    return given | {"pooling": "ranks"}


def given_folds(case):
    """The results, X and y of one model."""
    given = arguments_for_scores(case)
    return given["cv_results"]["a"], given["X"], given["y"]


def predictions_of(case, by):
    """``FoldPredictions`` of each model, the labels to pass beside them, and all options.

    A third of the cases each: labels are passed, carried, or both.
    """
    given = by(case)
    results, X, y = (given.pop(name) for name in ("cv_results", "X", "y"))
    carried = None if case.seed % 3 == 0 else y
    pooling = given.pop("pooling", "scores")
    models = {
        name: sklearn_ap.FoldPredictions(cv, X, carried, pooling=pooling)
        for name, cv in results.items()
    }
    return models, (None if case.seed % 3 == 1 else y), given


def interval_of_folds(case, by=arguments_for_scores):
    models, y_true, options = predictions_of(case, by)
    found = sklearn_ap.average_precision_interval(y_true, models["a"], **options)
    return answers.fields_of(found)


def comparison_of_folds(case, by=arguments_for_scores):
    models, y_true, options = predictions_of(case, by)
    return answers.fields_of(sklearn_ap.compare_average_precision(y_true, models, **options))


def best_of_folds(case, by=arguments_for_scores):
    models, y_true, options = predictions_of(case, by)
    found = sklearn_ap.compare_average_precision(y_true, models, reference="best", **options)
    return answers.best_of_models(found)


# ---- what the reference says


def pooled(case, by=arguments_for_scores):
    """The test rows of all folds."""
    pool = case.only(np.concatenate(case.folds))
    known = case.known.setdefault((pooled, by), {})  # of the same pool, in calls of other functions
    if by is not arguments_for_ranks or case.kind == "queries":
        return replace(pool, known=known)
    fold = np.repeat(np.arange(len(case.folds)), [*map(len, case.folds)])
    scores = {model: ranked(pool, score, fold) for model, score in pool.scores.items()}
    return replace(pool, scores=scores, known=known)


def ranked(pool, score, fold):
    """Ranks within the folds, of each column, or of all cells for "micro"."""
    n_columns = 1 if pool.average == "micro" else score[0].size
    weight = np.broadcast_to(pool.weight[:, None], (len(score), score[0].size))
    if pool.kind == "columns":
        weight = np.where(np.isnan(pool.y_true), 0.0, weight)
    folds = np.repeat(fold, score[0].size // n_columns)
    columns = (each.reshape(-1, n_columns).T for each in (score, weight))
    ranks = [ranks_within(*each, folds) for each in zip(*columns, strict=True)]
    return np.where(score > -np.inf, np.column_stack(ranks).reshape(score.shape), -np.inf)


def ranks_within(score, weight, fold):
    """The share of the weight of the fold that scores less, and half of what scores the same.

    Shares that rounding makes equal are in the order of the fold's scores.
    """
    ranks = np.empty(score.size)
    for each in np.unique(fold):
        rows = np.flatnonzero(fold == each)
        weights = [Fraction(w) for w in weight[rows].tolist()]
        total = sum(weights) or 1
        shares = [share_below(s, score[rows], weights) / total for s in score[rows]]
        nearest = np.array([round(share / SMALLEST_SHARE) for share in shares])
        for row, near in zip(rows, nearest, strict=True):
            peers = score[rows[nearest == near]]
            ranks[row] = near + share_below(score[row], peers, [1] * peers.size) / peers.size
    return ranks


def share_below(score, others, weights):
    pairs = zip(others, weights, strict=True)
    return sum(weight * Fraction(int(s < score) + int(s <= score), 2) for s, weight in pairs)


def expected_interval(case, by=arguments_for_scores):
    return answers.interval_of(pooled(case, by))


def expected_comparison(case, by=arguments_for_scores):
    return answers.comparison_of(pooled(case, by))


def expected_best(case, by=arguments_for_scores):
    return answers.best_of(pooled(case, by))
