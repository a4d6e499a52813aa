"""Scorers for GridSearchCV, cross_val_score and everything else that takes ``scoring=``."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from functools import partial
from typing import Any, Protocol, Self

import sklearn
from numpy.typing import ArrayLike
from sklearn.utils.metadata_routing import MetadataRequest

from sklearn_ap import metrics
from sklearn_ap._extras import warn
from sklearn_ap._folds.models import RAW_SCORES, RankingScorer, check_not_classes, order_columns
from sklearn_ap._inputs.options import near_names
from sklearn_ap._types import (
    Argument,
    Array,
    Estimator,
    FloatOrArray,
    Keywords,
    RowData,
)
from sklearn_ap.definitions import Definition, Expected, PrecisionAtRecall, RecallAtPrecision
from sklearn_ap.definitions._names import (
    OPTIONS_IN_NAMES,
    find_definition,
    percentage_advice,
    python_call,
)

__all__ = ["Scorer", "get_scorer", "get_scorer_names", "make_ranking_scorer"]

ScoreFunction = Callable[..., FloatOrArray]
ResponseMethod = str | tuple[str, ...] | list[str]

RESPONSE_METHODS = (*RAW_SCORES, "predict")
ROUTABLE = ("y_true", "y_score", "pos_label", "sample_weight")
CHECKED_WITH_DATA = ("pos_label", "labels", "n_positives")

# A scorer is called what its score is: recall_at_k_score gives "recall_at_5". Linear and hyperbolic
# average precision have no scorer, as they are for comparison only.
NUMBERED_SCORES: dict[str, tuple[ScoreFunction | type[Definition], str]] = {
    "expected_average_precision_at": (Expected, "k"),
    "precision_at_recall": (PrecisionAtRecall, "recall"),
    "recall_at_precision": (RecallAtPrecision, "precision"),
}
UNNUMBERED_SCORES: dict[str, ScoreFunction | Definition] = {
    "expected_average_precision": Expected()
}
for name in metrics.__all__:
    if name.endswith("_at_k_score"):
        NUMBERED_SCORES[name.removesuffix("_k_score")] = (getattr(metrics, name), "k")
    else:
        UNNUMBERED_SCORES[name.removesuffix("_score")] = getattr(metrics, name)

HOW_TO_ROUTE = (
    "Call sklearn.set_config(enable_metadata_routing=True) before you make the scorer. Then pass "
    "queries in params= of cross_val_score and similar functions, or to the fit of a search. To "
    "score by what the splitter gets as groups, call set_score_request(queries='groups')."
)
HOW_TO_REQUEST_BOTH = (
    "sample_weight did: a call of set_score_request replaces the requests before it. Call "
    "set_score_request(queries=True, sample_weight=True)."
)


class Scorer(Protocol):
    """A scorer that all of scikit-learn takes as ``scoring``. Greater is better."""

    def __call__(
        self,
        estimator: Estimator,
        X: RowData,
        y_true: RowData,
        sample_weight: ArrayLike | None = None,
        **params: Argument,
    ) -> float:
        """Score a fitted estimator."""

    def set_score_request(self, **requests: bool | str | None) -> Self:
        """Say which metadata the scorer asks for. Each call replaces the requests before it."""

    def get_metadata_routing(self) -> MetadataRequest:
        """Get the metadata that the scorer asks for."""


def make_ranking_scorer(
    score_func: ScoreFunction | Definition,
    *,
    response_method: ResponseMethod = RAW_SCORES,
    by_query: bool = False,
    **kwargs: Argument,
) -> Scorer:
    """Make a scorer from a score function, with the defaults that a ranking needs.

    Parameters
    ----------
    score_func : callable or Definition
        One of this package's scores, or a function with its signature: ``y_true, y_score`` and
        keyword options. A definition, such as ``AtK(20)``, stands for its average precision.
    response_method : str or tuple of str, default=("decision_function", "predict_proba")
        The method of the estimator that gives the scores. Of several, the first that the
        estimator has. "predict" is for regressors and rankers, whose predictions are scores.
    by_query : bool, default=False
        Whether each query is a ranking of its own. The scorer then needs ``queries``, which
        reach it through metadata routing.
    **kwargs : dict
        Options of the score function, such as ``k`` or ``pos_label``.

    Returns
    -------
    callable
        A scorer ``scorer(estimator, X, y)`` as ``sklearn.metrics.make_scorer`` makes it. Greater
        is better.

    See Also
    --------
    get_scorer : The scorer of a name.
    sklearn.metrics.make_scorer : By default it scores class labels, which ``predict`` gives.

    Notes
    -----
    You can route only ``pos_label``, ``sample_weight`` and, with ``by_query``, ``queries`` to the
    scorer. Each call of ``set_score_request`` replaces the requests before it: to have weights
    too, a scorer by query needs ``set_score_request(queries=True, sample_weight=True)``. A scorer
    without ``by_query`` ignores the groups that ``GroupKFold`` uses.

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
    return _make_scorer(score_func, response_method, by_query, kwargs)


def get_scorer(
    name: str | Definition,
    *,
    response_method: ResponseMethod = RAW_SCORES,
    by_query: bool = False,
    **kwargs: Argument,
) -> Scorer:
    """Get a new scorer by its name.

    Parameters
    ----------
    name : str or Definition
        One of ``get_scorer_names()``, with any whole number as k, and any recall or precision. Or a
        definition, such as ``AtK(20)``, or a name of one, such as "AP@20".
    response_method : str or tuple of str, default=("decision_function", "predict_proba")
        The method of the estimator that gives the scores. Of several, the first that the
        estimator has. "predict" is for regressors and rankers, whose predictions are scores.
    by_query : bool, default=False
        Whether each query is a ranking of its own. The scorer then needs ``queries``, which
        reach it through metadata routing.
    **kwargs : dict
        Options of the score function, such as ``k`` or ``pos_label``.

    Returns
    -------
    callable
        A new scorer at each call, so that requests set on one do not change another.

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

    >>> get_scorer("recall_at_100", pos_label="fraud", response_method="predict_proba")
    make_scorer(recall_at_k_score, response_method='predict_proba', k=100, pos_label=fraud)
    """
    if isinstance(name, Definition):
        return _make_scorer(name, response_method, by_query, kwargs)
    if not isinstance(name, str):
        raise TypeError(f"name must be a string or a definition, got {name!r}.")
    stem, _, number = name.rpartition("_")
    if name in UNNUMBERED_SCORES:
        return _make_scorer(UNNUMBERED_SCORES[name], response_method, by_query, kwargs)
    if stem not in NUMBERED_SCORES:
        return _make_scorer(_find_named_definition(name), response_method, by_query, kwargs)
    score, option = NUMBERED_SCORES[stem]
    expected = OPTIONS_IN_NAMES[option]
    if not re.fullmatch(expected.pattern, number):
        raise ValueError(f"{name!r:.80} must end in {expected.description}, not in {number!r:.40}.")
    if option in kwargs:
        raise TypeError(f"The name {name!r} already contains {option}. Do not pass {option} too.")
    numbered = {option: expected.read(number)}
    if isinstance(score, type):
        return _make_scorer(score(**numbered), response_method, by_query, kwargs)
    return _make_scorer(score, response_method, by_query, numbered | kwargs)


def get_scorer_names() -> list[str]:
    """List the names that ``get_scorer`` takes, with some of the numbers that end them.

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
    stems = (
        (stem, OPTIONS_IN_NAMES[option].examples) for stem, (_, option) in NUMBERED_SCORES.items()
    )
    numbered = [f"{stem}_{number}" for stem, numbers in stems for number in numbers]
    return sorted([*UNNUMBERED_SCORES, *numbered])


def _find_named_definition(name: str) -> Definition:
    """Find the definition that a name of the command line stands for, such as "AP@20"."""
    try:
        definition = find_definition(name, k=10)
    except ValueError:
        scorer_names = {scorer_name: scorer_name for scorer_name in get_scorer_names()}
        advice = percentage_advice(name, k=10) or near_names(
            scorer_names, "get_scorer_names()", name
        )
    else:
        if definition.depth is None or re.search("[0-9]", name):
            return definition
        advice = f"Say k, as in get_scorer({python_call(name)})."
    other_tools = "For numbers of other tools, use compat.get_scorer."
    raise ValueError(f"{name!r:.80} is not a known scorer. {advice} {other_tools}")


class _RoutableScore:
    """A score function whose signature has only the metadata that may be routed to it.

    scikit-learn takes every keyword in the signature of a score function for metadata, which has
    to be requested or refused. Only a few of our keywords are about rows; the others are options.
    """

    def __init__(self, score_func: ScoreFunction, by_query: bool) -> None:
        self.score_func = score_func
        self.by_query = by_query
        self.takes_pos_label = _takes_option(score_func, "pos_label")
        self.__name__ = score_func.__name__  # for the repr of the scorer

    @property
    def __signature__(self) -> inspect.Signature:
        signature = inspect.signature(self.score_func)
        routable = (*ROUTABLE, "queries") if self.by_query else ROUTABLE
        parameters = [p for name, p in signature.parameters.items() if name in routable]
        return signature.replace(parameters=parameters)

    def __call__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        classes: Array | None = None,
        **options: Argument,
    ) -> FloatOrArray:
        self._check_routed(options)
        check_not_classes(y_true, y_score)
        if "pos_label" in options and options["pos_label"] is None:
            del options["pos_label"]
        if _takes_option(self.score_func, "labels"):
            # The columns in the order of labels: y_true, y_score and, for classes, labels.
            columns = order_columns(options.get("labels"), classes, y_true, y_score)
            return self.score_func(**(options | columns))
        return self.score_func(y_true, y_score, **options)

    def _check_routed(self, options: Keywords) -> None:
        """Refuse metadata that did not reach the scorer, or that it cannot take."""
        if self.by_query and options.get("queries") is None:
            advice = HOW_TO_REQUEST_BOTH if "sample_weight" in options else HOW_TO_ROUTE
            raise ValueError(f"queries did not reach this scorer, which scores by query. {advice}")
        if not self.by_query and "queries" in options:
            raise TypeError(
                "queries reached a scorer that was made without by_query=True. Make it with "
                "by_query=True, or do not request them."
            )
        if "sample_weight" in options and not _takes_option(self.score_func, "sample_weight"):
            raise TypeError(
                f"sample_weight reached a scorer of {self.__name__}, which takes no weights. Use "
                f"another score, pass no sample_weight, or with metadata routing, as in "
                f"cross_validate, call set_score_request(sample_weight=False) on the scorer."
            )


class _PicklableScorer(RankingScorer):
    """A scorer that is pickled and copied as the call that makes it.

    No class of ours or of scikit-learn is named in the pickle, so that other versions load it.
    """

    def __init__(
        self, function: _RoutableScore, methods: ResponseMethod, options: Keywords
    ) -> None:
        super().__init__(function, methods, options)
        self.__name__ = function.__name__.removesuffix("_score")  # scikit-learn's pictures show it
        self.requests: dict[str, bool | str | None] | None = None

    def set_score_request(self, **requests: bool | str | None) -> Self:
        """Say which metadata the scorer asks for. Each call replaces the requests before it."""
        super().set_score_request(**requests)
        self.requests = requests
        return self

    def __repr__(self) -> str:
        text = str(super().__repr__())
        return f"{text.removesuffix(')')}, by_query=True)" if self.function.by_query else text

    def __reduce__(self) -> tuple[Any, ...]:
        make = partial(make_ranking_scorer, response_method=self.methods, **self.options)
        # by_query is no part of the call, which would warn in a process where routing is off.
        state = {
            "by_query": self.function.by_query,
            "name": self.__name__,
            "requests": self.requests,
        }
        return make, (self.function.score_func,), state

    def __setstate__(self, state: Keywords) -> None:
        self.__name__ = state["name"]
        self.function.by_query = state["by_query"]
        if state["requests"] is not None:  # also where routing is off, as in a worker that starts
            with sklearn.config_context(enable_metadata_routing=True):
                self.set_score_request(**state["requests"])


def _make_scorer(
    score_func: ScoreFunction | Definition,
    response_method: ResponseMethod,
    by_query: bool,
    options: Keywords,
) -> Scorer:
    if isinstance(score_func, Definition):
        if "definition" in options:
            raise TypeError("The definition is given already. Do not pass definition= too.")
        options["definition"] = score_func
        score_func = metrics.average_precision_score
    _check_response_method(response_method)
    _check_score_func(score_func, by_query)
    _check_options(score_func, by_query, options)
    if "labels" in options:
        options.setdefault("pos_label", None)  # or older versions look for 1 among the classes
    function = _RoutableScore(score_func, by_query)
    scorer = _PicklableScorer(function, response_method, options)
    if by_query and sklearn.get_config()["enable_metadata_routing"]:
        return scorer.set_score_request(queries=True)
    if by_query:
        warn(
            f"by_query=True needs queries, which reach a scorer only through metadata routing. "
            f"Routing is off. {HOW_TO_ROUTE}",
            UserWarning,
        )
    return scorer


def _check_score_func(score_func: Argument, by_query: bool) -> None:
    try:
        parameters = inspect.signature(score_func).parameters
    except (TypeError, ValueError) as error:
        raise TypeError(f"score_func must be a function, got {score_func!r}.") from error
    if list(parameters)[:2] != ["y_true", "y_score"] or not hasattr(score_func, "__name__"):
        raise TypeError(
            f"score_func must be a function of (y_true, y_score, *, ...), as the scores of "
            f"sklearn_ap are, got {score_func!r} with ({', '.join(parameters)})."
        )
    if by_query and "queries" not in parameters:
        raise TypeError(f"by_query=True needs a score_func with queries, got {score_func!r}.")


def _check_options(score_func: ScoreFunction, by_query: bool, options: Keywords) -> None:
    unknown_names = [name for name in options if not _takes_option(score_func, name)]
    if unknown_names:
        raise TypeError(
            f"{score_func.__name__} got an unexpected keyword argument {unknown_names[0]!r}"
        )
    if "clusters" in options:
        raise TypeError("clusters cannot be an option of a scorer: no score depends on them.")
    if by_query and options.get("average") in ("micro", "samples"):
        raise ValueError(f"average={options['average']!r} does not go with by_query=True.")
    row_names = [
        name for name in ("queries", "sample_weight", "y_true", "y_score") if name in options
    ]
    if row_names:
        raise TypeError(
            f"{row_names[0]} belongs to rows, so it cannot be an option of a scorer. Pass it "
            f"through metadata routing"
            + (", with by_query=True." if "queries" in row_names else ".")
        )
    # A function of a user is not called before there are rows to score.
    if getattr(score_func, "__module__", None) == metrics.__name__:
        checkable = {
            name: value for name, value in options.items() if name not in CHECKED_WITH_DATA
        }
        score_func([1, 0], [1.0, 0.0], **checkable)


def _takes_option(score_func: ScoreFunction, option: str) -> bool:
    parameters = inspect.signature(score_func).parameters
    return option in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())


def _check_response_method(response_method: Argument) -> None:
    names = [response_method] if isinstance(response_method, str) else response_method
    are_known = isinstance(names, list | tuple) and all(name in RESPONSE_METHODS for name in names)
    if not are_known or not names:
        raise ValueError(
            f"response_method must be one or several of {RESPONSE_METHODS}, "
            f"got {response_method!r}."
        )
