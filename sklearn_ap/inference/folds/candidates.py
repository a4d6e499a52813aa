"""The predictions of the candidates of a search, which are cross-validated again in the same folds.

Import from ``sklearn_ap``, not from here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone, is_classifier
from sklearn.model_selection import check_cv, cross_validate
from sklearn.utils.metadata_routing import get_routing_for_object
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.parallel import Parallel, delayed

from sklearn_ap._errors import InputError, InputTypeError
from sklearn_ap._extras import show_progress
from sklearn_ap._inputs.arrays import check_same_order
from sklearn_ap._inputs.estimators import RAW_SCORES, KeptOutput, OutputKeeper, ResponseMethod
from sklearn_ap._inputs.options import check_count
from sklearn_ap._types import Argument, Estimator, Float, Index, Keywords, RowData
from sklearn_ap._writing.text import names_as_text, rounded_as_text
from sklearn_ap._writing.warning import warn
from sklearn_ap.inference.folds.fold_predictions import FoldPredictions, places_of_rows
from sklearn_ap.inference.folds.pools import check_tested_once


class FittedSearch(Protocol):
    """What a search of scikit-learn has after it was fitted."""

    estimator: Estimator
    cv: object
    cv_results_: dict[str, Any]  # arrays, and a list of parameters


def candidate_predictions(
    search: FittedSearch | Mapping[str, Estimator],
    X: RowData,
    y: ArrayLike,
    *,
    n_candidates: int | None = None,
    metric: str | None = None,
    cv: Argument = None,
    groups: RowData = None,
    params: Mapping[str, Argument] | None = None,
    response_method: ResponseMethod = RAW_SCORES,
    n_jobs: int | None = None,
) -> dict[str, FoldPredictions]:
    """Cross-validate the candidates of a finished search again, all in the same folds.

    A search keeps the scores of its candidates, but not their predictions. These tell how good the
    chosen candidate is, and which of the others may be as good.

    Parameters
    ----------
    search : fitted search, or mapping of str to estimator
        Whatever has ``estimator``, ``cv`` and ``cv_results_`` as a fitted ``GridSearchCV`` has. For
        other tools, the candidates by name, as ``{"ridge": RidgeClassifier(), "trees": forest}``.
    X, y : array-like
        What the search was fitted on.
    n_candidates : int, default=None
        How many candidates of the search to take. None takes all, of a halving search those of its
        last round.
    metric : str, default=None
        Which of several scores orders the candidates. None takes that of ``refit``.
    cv : int, cross-validation generator or iterable, default=None
        The folds, which test a row once at most. None takes those of the search; for a mapping, as
        in ``cross_validate``.
    groups : array-like of shape (n_samples,), default=None
        The groups that the splitter takes.
    params : dict, default=None
        What ``cross_validate`` passes to the fit of each model, such as weights.
    response_method : str or tuple of str, default=("decision_function", "predict_proba")
        The method that gives the scores, as in ``FoldPredictions``. Of three classes or more, pass
        the one by which the search was scored; a warning says so.
    n_jobs : int, default=None
        How many models are fitted at the same time. None takes what the search has.

    Returns
    -------
    dict of str to FoldPredictions
        By the parameters in which candidates differ, with their places in ``cv_results_`` where
        names would be equal. The refitted candidate stands first, then the others from the best
        mean down. Those whose mean is nan are left out.

    See Also
    --------
    compare_average_precision : With ``reference="best"``, which candidates may be the best.
    average_precision_interval : How certain the score of one candidate is.

    Notes
    -----
    All candidates take as long as the search did. Scores are kept, models are not. If tqdm is
    installed, a terminal shows the progress.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn_ap import candidate_predictions, compare_average_precision
    >>> X, y = make_classification(1000, weights=[0.9], flip_y=0.1, random_state=0)
    >>> model, grid = LogisticRegression(), {"C": [0.001, 0.1, 10]}
    >>> search = GridSearchCV(model, grid, scoring="average_precision").fit(X, y)
    >>> models = candidate_predictions(search, X, y)
    >>> print(compare_average_precision(y, models, reference="best").sentences[0])
    It is not shown that C=0.1 is the best of 3: C=10 and C=0.001 may be, too.
    """
    if isinstance(search, Mapping):
        models = _named_estimators(search, n_candidates=n_candidates, metric=metric)
        are_classifiers = any(map(is_classifier, models.values()))
    else:
        models = _best_candidates(search, n_candidates, metric)
        are_classifiers = is_classifier(search.estimator)  # as the search stratifies its folds
        cv = search.cv if cv is None else cv
        n_jobs = getattr(search, "n_jobs", None) if n_jobs is None else n_jobs
    check_same_order(y=y, X=X)
    # Once, as a splitter without a seed gives other folds each time
    splitter = check_cv(cv, y, classifier=are_classifiers)
    if groups is None and get_routing_for_object(splitter).consumes("split", ["groups"]):
        name = type(splitter).__name__
        raise InputError(f"{name} needs groups: pass those of the search as groups.")
    pairs = splitter.split(X, y, groups)
    splits = [(places_of_rows(train), places_of_rows(test)) for train, test in pairs]
    if not splits:
        raise InputError("cv gives no folds: a search uses up an iterator. Pass its folds as cv.")
    indices = dict(zip(("train", "test"), map(list, zip(*splits, strict=True)), strict=True))
    check_tested_once(indices["test"])
    rows: Keywords = {"X": X, "y": y, "params": params}
    if response_method == RAW_SCORES and are_classifiers and type_of_target(y) == "multiclass":
        _warn_of_decision_values(models)
    tasks = [
        delayed(_fit)(model, rows, split, response_method)
        for model in models.values()
        for split in splits
    ]
    outputs = iter(Parallel(n_jobs=n_jobs)(show_progress(tasks, len(tasks), " fits")))
    predictions = {}
    for name in models:
        results = {"estimator": [next(outputs) for _ in splits], "indices": indices}
        predictions[name] = FoldPredictions(results, X, response_method=response_method)
    return predictions


def _warn_of_decision_values(models: Mapping[str, Estimator]) -> None:
    """Warn of models that a search may have scored by probabilities, as its scorer can say."""
    both = [
        name
        for name, model in models.items()
        if hasattr(model, "decision_function") and hasattr(model, "predict_proba")
    ]
    if both:
        warn(
            f"Of three classes or more, decision values may rank the rows of a class worse than "
            f"probabilities do, and {both[0]!r} has both: pass response_method='predict_proba' "
            f"if the search was scored by it, or 'decision_function'.",
            UserWarning,
        )


def _fit(
    model: Estimator, rows: Keywords, split: tuple[Index, Index], response_method: ResponseMethod
) -> KeptOutput:
    """Let scikit-learn fit a model in one fold, and keep its output for the test rows alone."""
    keep = OutputKeeper(response_method)
    cross_validate(model, **rows, cv=[split], scoring=keep, n_jobs=1, error_score="raise")
    return replace(cast(KeptOutput, keep.kept), model=model)  # which was not fitted


def _named_estimators(models: Mapping[str, Estimator], **options: object) -> dict[str, Estimator]:
    """Check candidates that were found without a search of scikit-learn."""
    for option, value in options.items():
        if value is not None:
            raise InputError(f"{option} is for a search, not for candidates by name: leave it out.")
    for name, model in models.items():
        if not hasattr(model, "fit") or isinstance(model, type):
            raise InputTypeError(
                f"search must map names to estimators, got {name!r}: {model!r:.70}."
            )
    if not models:
        raise InputError("search must hold one estimator at least, got an empty mapping.")
    named = {str(name): model for name, model in models.items()}
    if len(named) < len(models):
        raise InputError(f"search must give each estimator a name of its own, got {(*models,)}.")
    return named


def _best_candidates(
    search: FittedSearch, n_candidates: int | None, metric: str | None
) -> dict[str, Estimator]:
    """Return the unfitted candidates by name, the refitted one first, then from the best down."""
    if not all(hasattr(search, name) for name in ("estimator", "cv", "cv_results_")):
        raise InputTypeError(
            f"search must be a search that was fitted, with estimator, cv and cv_results_, or map "
            f"names to estimators, got {search!r:.70}."
        )
    n_chosen = None if n_candidates is None else check_count("n_candidates", n_candidates)
    results = search.cv_results_
    mean = _means(results, metric, getattr(search, "refit", None))
    rounds = np.asarray(results.get("iter", np.zeros(mean.size)))  # of a halving search
    order = np.argsort(-mean, kind="stable")  # nan last
    order = order[(rounds == rounds.max())[order] & ~np.isnan(mean[order])]
    if not order.size:
        raise InputError(
            "All candidates have the mean nan, as fits or scores failed. Pass error_score='raise' "
            "to the search to see why."
        )
    refitted = getattr(search, "best_index_", order[0])
    order = np.append(refitted, order[order != refitted])
    settings = [results["params"][number] for number in order]
    return {
        name: clone(search.estimator).set_params(**clone(each, safe=False))
        for name, each in zip(_names(settings, order.tolist()), settings[:n_chosen], strict=False)
    }


def _means(results: Mapping[str, ArrayLike], metric: str | None, refit: object) -> Float:
    """Return the mean of each candidate by a metric, or by the one that chose the refitted one."""
    start = "mean_test_"
    names = [name.removeprefix(start) for name in results if name.startswith(start)]
    usual = names[0] if len(names) == 1 else refit
    chosen = usual if metric is None else metric
    if chosen not in names:
        known = names_as_text([*map(repr, names)])
        if metric is None:
            raise InputError(f"search has several scores: pass one of {known} as metric.")
        raise InputError(f"metric must be one of {known}, got {metric!r:.70}.")
    return np.asarray(results[f"{start}{chosen}"], np.float64)


def _names(settings: Sequence[Mapping[str, object]], places: Sequence[int]) -> list[str]:
    """Name candidates by the parameters in which they differ, without the steps of a pipeline.

    Equal names have the place of the candidate in ``cv_results_`` behind them.
    """
    # {"svc__C": 1, "svc__tol": 0.1} and {"svc__C": 2, "svc__tol": 0.1} -> C=1 and C=2
    keys = dict.fromkeys(key for each in settings for key in each)
    written = {key: _values_as_text([each.get(key) for each in settings]) for key in keys}
    differ = [key for key in keys if len({repr(each.get(key, keys)) for each in settings}) > 1]
    shown = differ or [*keys]
    ends = Counter(key.rpartition("__")[2] for key in shown)
    short = {key: end if ends[end := key.rpartition("__")[2]] == 1 else key for key in shown}
    names = [
        " ".join(f"{short[key]}={written[key][row]}" for key in shown if key in each) or "default"
        for row, each in enumerate(settings)
    ]
    times = Counter(names)
    return [
        name if times[name] == 1 else f"{name} (candidate {place})"
        for name, place in zip(names, places, strict=True)
    ]


def _values_as_text(values: Sequence[object]) -> list[str]:
    """Write the values of a parameter: in short, unless that makes different ones look alike."""
    texts = [_value_as_text(value) for value in values]
    are_told_apart = len({*texts}) == len({*map(repr, values)})
    return texts if are_told_apart else [" ".join(str(value).split()) for value in values]


def _value_as_text(value: object) -> str:
    """Write a value in short; of an estimator or a function, its name."""
    if isinstance(value, float | np.floating):
        return rounded_as_text(float(value))
    named = type(value) if hasattr(value, "get_params") else value
    return str(getattr(named, "__name__", value))
