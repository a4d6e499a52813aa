"""Scorers for GridSearchCV, cross_val_score and everything else that takes ``scoring=``.

Each is what ``sklearn.metrics.make_scorer`` makes of ``average_precision_score`` and a definition,
or of any other score function. ``definitions/_spellings.py`` reads the names of definitions.

Import from ``sklearn_ap``, not from here.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from numbers import Real
from typing import cast

import numpy as np
import sklearn
from numpy.typing import ArrayLike
from sklearn.metrics import make_scorer

from sklearn_ap import metrics
from sklearn_ap._errors import InputError, InputTypeError
from sklearn_ap._inputs.estimators import RAW_SCORES, ResponseMethod, check_not_classes
from sklearn_ap._inputs.labels_and_scores import check_classes
from sklearn_ap._inputs.request import ROW_COLUMNS
from sklearn_ap._scoring import check_definition
from sklearn_ap._types import Argument, FloatOrArray, Scorer
from sklearn_ap._writing.text import count_as_text
from sklearn_ap._writing.warning import warn
from sklearn_ap.definitions import Definition, PrecisionAtK, RecallAtK
from sklearn_ap.definitions._conventions import USUAL_K
from sklearn_ap.definitions._spellings import find_definition

ScoreFunction = Callable[..., FloatOrArray]  # of labels and scores, then options

# What scikit-learn may pass to a scorer. All other parameters of a score are options: if scikit-
# learn saw them in the signature, it would take them for metadata, too.
ROUTABLE = ("y_true", "y_score", "pos_label", "sample_weight")
CHECKED_WITH_DATA = {"pos_label", "labels", "n_positives"}

# These count the positives of the first k ranks, so they do not tell models apart if k is all rows.
COUNTS_AT_K: dict[str, tuple[type[Definition], ScoreFunction]] = {
    "precision_at": (PrecisionAtK, metrics.precision_at_k_score),
    "recall_at": (RecallAtK, metrics.recall_at_k_score),
}
WARNED: set[tuple[str, float]] = set()  # of which a process was told, as a search scores many folds

LISTED_RANKS = (1, 5, 10, 100)
LEVELS = (0.5, 0.8, 0.9)
# The names that are listed, and the numbers that end them; any other number may.
LISTED_NUMBERS = {
    "average_precision": (),
    "average_precision_at": LISTED_RANKS,
    "eleven_point_average_precision": (),
    "expected_average_precision": (),
    "expected_average_precision_at": LISTED_RANKS,
    "interpolated_average_precision": (),
    "precision_at": LISTED_RANKS,
    "precision_at_recall": LEVELS,
    "recall_at": LISTED_RANKS,
    "recall_at_precision": LEVELS,
    "step_average_precision": (),
}


def get_scorer(
    name: str | Definition,
    *,
    response_method: ResponseMethod = RAW_SCORES,
    by_query: bool = False,
    **options: Argument,
) -> Scorer:
    """Get a new scorer by its name.

    Parameters
    ----------
    name : str or Definition
        One of ``get_scorer_names()``, with any whole number or percentage as k, and any recall or
        precision. Or a definition, such as ``AtK(20)``, or a name of one, such as "AP@20". Words
        of the field, such as "AUPRC", which may also mean ``Linear()``, stand for scikit-learn's
        average precision and raise a warning that says so.
    response_method : str or tuple of str, default=("decision_function", "predict_proba")
        The method of the estimator that gives the scores. Of several, the first that the
        estimator has. Regressors and rankers need "predict".
    by_query : bool, default=False
        Whether each query is a ranking of its own. The scorer then needs ``queries``, which
        reach it through metadata routing.
    **options : dict
        Options of ``average_precision_score``, such as ``pos_label``.

    Returns
    -------
    callable
        A scorer of scikit-learn. Greater is better. Each call makes a new one, so that requests
        set on one do not change another.

    See Also
    --------
    make_ranking_scorer : A scorer from a function.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn_ap import get_scorer
    >>> X, y = make_classification(2000, weights=[0.95], random_state=0)
    >>> scorer = get_scorer("average_precision_at_50")
    >>> search = GridSearchCV(LogisticRegression(), {"C": [0.01, 1]}, scoring=scorer)
    >>> search.fit(X, y).best_params_
    {'C': 1}

    Labels that are words, and a response method:

    >>> scorer = get_scorer("recall_at_1%", pos_label="fraud", response_method="predict_proba")
    """
    if "k" in options:
        raise InputTypeError(
            f"k is part of the name, as in 'average_precision_at_{options['k']}', or of the "
            f"definition, as in AtK({options['k']})."
        )
    if hasattr(name, "_score_func"):
        raise InputTypeError(f"{name!r} is a scorer already: pass it on as it is.")
    if isinstance(name, str):
        definition = find_definition(name, more_names=get_scorer_names())
    else:
        definition = check_definition(name)
    scorer = make_ranking_scorer(
        metrics.average_precision_score,
        definition=definition,
        response_method=response_method,
        by_query=by_query,
        **options,
    )
    # Learning curves write it beside their axis.
    scorer.__name__ = name if isinstance(name, str) else name.title
    return scorer


def get_scorer_names() -> list[str]:
    """List usual names that ``get_scorer`` takes, with some of the numbers that end them.

    Returns
    -------
    list of str
        In alphabetical order.

    See Also
    --------
    get_scorer : The scorer of a name.

    Examples
    --------
    >>> from sklearn_ap import get_scorer_names
    >>> get_scorer_names()[:3]
    ['average_precision', 'average_precision_at_1', 'average_precision_at_10']
    """
    names: list[str] = []
    for name, numbers in LISTED_NUMBERS.items():
        names += [f"{name}_{number}" for number in numbers] or [name]
    return sorted(names)


def make_ranking_scorer(
    score_func: ScoreFunction,
    *,
    response_method: ResponseMethod = RAW_SCORES,
    by_query: bool = False,
    **options: Argument,
) -> Scorer:
    """Make a scorer from a score function, with the defaults that a ranking needs.

    Parameters
    ----------
    score_func : callable
        One of this package's scores, or a function with its signature: ``y_true, y_score`` and
        keyword options.
    response_method, by_query : optional
        As in ``get_scorer``.
    **options : dict
        Options of the score function, such as ``k`` or ``pos_label``.

    Returns
    -------
    callable
        A scorer as ``sklearn.metrics.make_scorer`` makes it. Greater is better.

    See Also
    --------
    get_scorer : The scorer of a name.
    sklearn.metrics.make_scorer : By default it scores class labels, which ``predict`` gives.

    Notes
    -----
    Pass ``pos_label`` here: a routed one does not choose the column of the scores. Where routing is
    enabled, a scorer by query requests ``queries``, until ``set_score_request`` replaces this.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import RidgeClassifier
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn_ap import average_precision_at_k_score, make_ranking_scorer
    >>> scorer = make_ranking_scorer(average_precision_at_k_score, k=20)
    >>> X, y = make_classification(2000, weights=[0.95], random_state=0)
    >>> found = cross_val_score(RidgeClassifier(), X, y, scoring=scorer, error_score="raise")
    >>> found.round(2)
    array([1.  , 0.95, 1.  , 1.  , 0.9 ])
    """
    _check_options(score_func, by_query, options)
    function = _RankingScore(score_func, by_query)
    scorer = make_scorer(function, response_method=response_method, **options)
    scorer.__name__ = function.__name__
    if sklearn.get_config()["enable_metadata_routing"]:
        # None raises an error where weights arrive: some versions would leave them out silently.
        requests = {"queries": True} if by_query else {}
        scorer.set_score_request(**requests, sample_weight=None)
    return cast(Scorer, scorer)


@dataclass(frozen=True)
class _RankingScore:
    """A score function that shows scikit-learn what may be routed, and refuses classes."""

    score_func: ScoreFunction
    by_query: bool

    @property
    def __name__(self) -> str:
        return getattr(self.score_func, "__name__", repr(self.score_func))

    @property
    def __signature__(self) -> inspect.Signature:
        signature = inspect.signature(self.score_func)
        routable = {*ROUTABLE, "queries"} if self.by_query else ROUTABLE
        shown = [signature.parameters[name] for name in signature.parameters if name in routable]
        return signature.replace(parameters=shown)

    def __call__(self, y_true: ArrayLike, y_score: ArrayLike, **options: Argument) -> FloatOrArray:
        if self.by_query and options.get("queries") is None:
            raise InputError(
                "queries did not reach this scorer, which scores by query. Call sklearn.set_config("
                "enable_metadata_routing=True) before you make it, and pass queries in params=, or "
                "to the fit of a search; beside weights, request both: set_score_request("
                "queries=True, sample_weight=True)."
            )
        check_not_classes(y_true, y_score)
        is_one = np.ndim(y_true) == 1 and not self.by_query and options.get("average") != "micro"
        if is_one and options.get("sample_weight") is None:  # k counts weight
            depth = options.get("k", USUAL_K)
            self._warn_of_all_rows(np.shape(y_true)[0], options.get("definition"), depth)
        return self.score_func(y_true, y_score, **options)

    def _warn_of_all_rows(self, n_rows: int, definition: object, k: object) -> None:
        """Warn once of a number of ranks that takes all rows of a fold, whatever the model."""
        for name, (kind, score_func) in COUNTS_AT_K.items():
            if isinstance(definition, kind):
                k = definition.depth
            elif self.score_func is not score_func:
                continue
            number = float(k) if isinstance(k, Real) else 0.0
            if number >= n_rows and (name, number) not in WARNED:
                WARNED.add((name, number))
                warn(_about_all_rows(name, number, n_rows), UserWarning)


def _about_all_rows(name: str, k: float, n_rows: int) -> str:
    """Say why all models score the same, and what to count instead."""
    return (
        f"{name}_{k:g} counts all {count_as_text(n_rows, 'row')} that it scores, so all models "
        f"score the same: k is a number of rows of a test fold. Pass a share, which means the same "
        f"in a fold and in all rows: '{name}_1%' or k=0.01 takes 20 of 2,000 rows."
    )


def _described(score_func: Argument, parameters: Sequence[str]) -> str:
    """Write a function with its parameters, as ``score(y_true, y_pred)``."""
    name = getattr(score_func, "__name__", None)
    return f"{name}({', '.join(parameters)})" if name and parameters else repr(score_func)


# ---- wrong arguments are refused here, because a search makes nan of errors while it scores


def _check_options(score_func: Argument, by_query: bool, options: Mapping[str, object]) -> None:
    """Refuse options that belong to rows, and those that the function does not take."""
    parameters: list[str] = []
    if callable(score_func):
        with suppress(ValueError):  # some builtin functions have no signature
            parameters = [*inspect.signature(score_func).parameters]
    # A loss has y_pred or y_proba
    if not callable(score_func) or parameters[:2] != ["y_true", "y_score"]:
        raise InputTypeError(
            f"score_func must be a function of y_true and y_score, by these names, got "
            f"{_described(score_func, parameters)}. For a name or a definition, call get_scorer."
        )
    for name in ROW_COLUMNS:
        if name in options:
            raise InputTypeError(f"{name} belongs to rows, so it cannot be an option of a scorer.")
    if options.get("labels") is not None:
        names = check_classes(options["labels"]).tolist()
        # Labels of several types, which have no order, are texts in an array.
        if names != np.unique(names).tolist():
            raise InputError(
                f"labels must be sorted, as the columns of a model are, each once, got {names}."
            )
    try:
        inspect.signature(score_func).bind(None, None, **options)
    except TypeError as error:
        raise InputTypeError(f"{_described(score_func, parameters)} {error}.") from None
    if score_func.__module__ == metrics.__name__:
        checked = {name: options[name] for name in options.keys() - CHECKED_WITH_DATA}
        score_func([1, 0], [1.0, 0.0], queries=[0, 0] if by_query else None, **checked)
