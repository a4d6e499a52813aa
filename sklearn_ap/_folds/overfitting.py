"""How much models overfit, which links the errors of folds, and the factor of variances for it."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from sklearn_ap._folds.models import RAW_SCORES, Fold, predict_rows
from sklearn_ap._inputs.request import Request
from sklearn_ap._scoring import score
from sklearn_ap.definitions import Step

Question = Literal["models", "training"]

# Of the variance of a difference: for models that rank seen rows like new ones, and what is added
# for those that overfit. Choices under which at most 7 of 100 comparisons are wrong in
# benchmarks/cross_validation.py; 2.25 is also the factor of Nadeau and Bengio (2003) for 5 folds.
LEAST_FACTOR = 1.25  # also of the score of a pool, as rows of one fold train models of others
MOST_ADDED: dict[str, float] = {"models": 0.5, "training": 1.0}
LARGE_OVERFIT = 0.4  # from which on the factor is the largest: a choice by the same simulation


def difference_factor(of: Question, overfits: Sequence[float]) -> float:
    """What the variance of a difference is multiplied by; that of the model that overfits most."""
    return LEAST_FACTOR + MOST_ADDED[of] * min(max(overfits) / LARGE_OVERFIT, 1.0)


def overfit_of(cv_results: dict[str, Any], X: Any, request: Request, folds: list[Fold]) -> float:
    """How much of what a model gains over chance on rows that it has seen is lost on new ones.

    Each model scores the rows that the fold before it tests, as far as it was trained on them. It
    is 1 if there are none, or if only scores are known.
    """
    if "given" in cv_results:  # out of fold: what the models say of seen rows is not known
        return 1.0
    trains = cv_results["indices"]["train"]
    seen = [np.intersect1d(train, folds[i - 1].rows) for i, train in enumerate(trains)]
    known = [i for i, rows in enumerate(seen) if rows.size]
    if not known:
        return 1.0
    models, rows = [cv_results["estimator"][i] for i in known], [seen[i] for i in known]
    found = predict_rows(models, rows, X, request.y_true, request.pos_label, RAW_SCORES)
    on_seen, on_new = _mean_score(request, found), _mean_score(request, folds)
    if np.isnan(on_seen) or np.isnan(on_new):  # no positives
        return 1.0
    gained = on_seen - _mean_score(request, [_without_order(fold) for fold in found])
    if gained <= 0:
        return 0.0
    return float(np.clip((on_seen - on_new) / gained, 0.0, 1.0))


def _without_order(fold: Fold) -> Fold:
    """The same rows, which all score the same."""
    return fold._replace(predictions={"y_score": np.zeros(np.shape(fold.predictions["y_score"]))})


def _mean_score(request: Request, folds: list[Fold]) -> float:
    """The mean step average precision of folds that have positives, and of their columns."""
    y, shared = np.asarray(request.y_true), ("macro", request.pos_label, request.labels)
    rows = [(y[fold.rows], fold.predictions["y_score"]) for fold in folds]
    requests = [Request(*each, *shared, zero_division=np.nan) for each in rows]
    values = [score(Step(), each, warns=False) for each in requests]
    defined = [value for value in values if not np.isnan(value)]
    return float(np.mean(defined)) if defined else np.nan
