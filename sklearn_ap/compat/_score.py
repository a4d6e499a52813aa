"""The number of a tool's function, and a scorer of it."""

from __future__ import annotations

from functools import partial
from typing import Literal

from numpy.typing import ArrayLike

from sklearn_ap._errors import InputError
from sklearn_ap._inputs.estimators import RAW_SCORES, ResponseMethod
from sklearn_ap._inputs.request import Request
from sklearn_ap._types import Argument, Float, Label, Scorer
from sklearn_ap.compat._answers import CheckedPredictions
from sklearn_ap.compat._tool_functions import make_calls
from sklearn_ap.compat._tool_names import get_function
from sklearn_ap.definitions import Definition
from sklearn_ap.scorers import make_ranking_scorer


def score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    tool: str | Definition,
    *,
    sample_weight: ArrayLike | None = None,
    queries: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    n_positives: ArrayLike | None = None,
    average: Literal["macro"] | None = "macro",
    k: int | None = None,
    pos_label: Label | None = None,
    **options: Argument,
) -> float | Float:
    """Compute the number that a tool's function returns for these predictions.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_columns)
        Binary labels, nan for unknown ones, or classes beside a column of scores for each. Each
        column is a query.
    y_score : array-like of shape (n_samples,) or (n_samples, n_columns)
        Scores. Tools do not see rows of minus infinity, which were not retrieved; the positives
        among them count as missed.
    tool : str or Definition
        The name of a tool or of its function, such as "xgboost.map@k", that of one of our scores,
        or a definition, such as ``AtK(10)``.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights, if the function takes any.
    queries : array-like of shape (n_samples,), default=None
        The query of each row. The numbers of all queries are averaged. Queries for which a function
        gives nan, -1 or an exception are left out.
    clusters : array-like of shape (n_samples,), default=None
        Ignored, so that you can pass what you pass to ``average_precision_interval``.
    n_positives : float or array-like of shape (n_queries,), default=None
        All positives of each query, in sorted order of the queries, where some were never scored.
    average : "macro" or None, default="macro"
        None gives the number of each query or column, nan where the function raises an error.
    k : int, default=None
        How many ranks count, if the function takes k.
    pos_label : int, float, bool or str, default=None
        The positive label. None means 1 for {0, 1} and {-1, 1}; other binary labels need it.
    **options : dict
        Other arguments of the function that change its number, as the page of tools lists them.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        What the tool returns. If the tool raises an error, this raises an InputError.

    See Also
    --------
    explain : Why it differs from another tool's number.

    Examples
    --------
    >>> from sklearn_ap import compat
    >>> compat.score([1, 0, 0, 0], [0.5, 0.5, 0.5, 0.5], "catboost.PRAUC")
    0.625
    """
    if average not in ("macro", None):
        raise InputError(f"average must be 'macro' or None, got {average!r:.70}.")
    request = Request(
        y_true=y_true,
        y_score=y_score,
        average=average,
        pos_label=pos_label,
        sample_weight=sample_weight,
        queries=queries,
        n_positives=n_positives,
        clusters=clusters,
    )
    function = get_function(tool)
    (call,) = make_calls((function,), k, options, has_weights=sample_weight is not None)
    answer = CheckedPredictions(request).ask(call)
    if average is None:
        return answer.values
    if answer.failure:
        raise InputError(f"{function.name}: {answer.failure.message}")
    return answer.estimate


def get_scorer(
    tool: str | Definition,
    *,
    response_method: ResponseMethod = RAW_SCORES,
    by_query: bool = False,
    pos_label: Label | None = None,
    k: int | None = None,
    **options: Argument,
) -> Scorer:
    """Get a scorer that gives the number of a tool's function, so that a search selects by it.

    Parameters
    ----------
    tool : str or Definition
        As in ``compat.score``, such as "voc2007", "xgboost.aucpr" or "trec_eval.P_10".
    response_method, by_query : optional
        As in ``sklearn_ap.get_scorer``.
    pos_label, k, **options : as in compat.score
        What the function is told.

    Returns
    -------
    callable
        A scorer ``scorer(estimator, X, y)``. Greater is better. Where the tool raises an error, it
        raises an InputError, which a search takes for a score of nan.

    See Also
    --------
    sklearn_ap.get_scorer : A scorer of one of our scores or definitions.
    score : The number for scores that you have.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import RidgeClassifier
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn_ap import compat
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> cross_val_score(RidgeClassifier(), X, y, scoring=compat.get_scorer("coco")).round(3)
    array([0.986, 0.997, 0.999, 0.992, 0.999])
    """
    function = get_function(tool)
    (call,) = make_calls((function,), k, options, has_weights=False)
    told = {"k": call.k, "pos_label": pos_label}
    options |= {name: value for name, value in told.items() if value is not None}
    metric = partial(score, tool=function.definition or function.name)
    vars(metric)["__name__"] = function.name
    return make_ranking_scorer(
        metric, response_method=response_method, by_query=by_query, **options
    )
