"""What a function answers to predictions: its number, and a scorer of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from math import isnan
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from sklearn_ap._counts.counting import count
from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._inputs.estimators import RAW_SCORES
from sklearn_ap._inputs.labels_and_scores import warnings_of_scores
from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap._inputs.request import Request, check_rankings
from sklearn_ap._results.text import count_as_text
from sklearn_ap._results.warning import issue_warnings
from sklearn_ap._scoring import mean_of_all, warn_if_reversed
from sklearn_ap._types import Argument, Array, Bool, Float, Label, Scorer
from sklearn_ap.compat._tool_formulas import (
    CONDITIONS,
    DIVISOR,
    OVER,
    SCORES,
    draw_curve,
    order_ties,
)
from sklearn_ap.compat._tool_names import get_tool
from sklearn_ap.compat._tools import CHOICES, Call, Option, SpecialCase, all_options, make_calls
from sklearn_ap.definitions import Definition, Step
from sklearn_ap.scorers import ResponseMethod, make_ranking_scorer


class ToolError(ValueError):
    """The tool raises an error for these predictions, and so does its reproduction.

    Examples
    --------
    >>> from sklearn_ap import compat
    >>> compat.score("ogb.Evaluator", [[0, 0], [0, 0]], [[0.9, 0.1], [0.8, 0.2]])
    Traceback (most recent call last):
    sklearn_ap.compat._score.ToolError: ogb.Evaluator: RuntimeError: No positively labeled ...
    """


def score(
    name: str | Definition,
    y_true: ArrayLike,
    y_score: ArrayLike,
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
    name : str or Definition
        The name of a function, such as "xgboost.map@k", that of one of our scores, or a definition,
        such as ``AtK(10)``.
    y_true : array-like of shape (n_samples,) or (n_samples, n_columns)
        Binary labels, nan for unknown ones, or classes beside a column of scores for each. Each
        column is a query.
    y_score : array-like of shape (n_samples,) or (n_samples, n_columns)
        Scores. Tools do not see rows of minus infinity, which were not retrieved, but count them.
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
        Other options of the function that change its number, as the page of all tools lists them.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        What the tool returns. If the tool raises an error, this raises ToolError.

    See Also
    --------
    explain : Why it differs from another tool's number.

    Examples
    --------
    >>> from sklearn_ap import compat
    >>> compat.score("catboost.PRAUC", [1, 0, 0, 0], [0.5, 0.5, 0.5, 0.5])
    0.625
    """
    request = Request.of({**locals(), "average": None})
    tool = get_tool(name)
    if average not in ("macro", None):
        raise ValueError(f"average must be 'macro' or None, got {average!r:.70}.")
    (call,) = make_calls((tool,), k, options, has_weights=sample_weight is not None)
    answer = CheckedPredictions(request).ask(call)
    if average is None:
        return answer.values
    if answer.exception:
        raise ToolError(f"{tool.name}: {answer.exception}")
    return answer.estimate


def get_scorer(
    name: str | Definition,
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
    name : str or Definition
        As in ``compat.score``, such as "voc2007", "xgboost.aucpr" or "trec_eval.P_10".
    response_method, by_query : optional
        As in ``sklearn_ap.get_scorer``.
    pos_label, k, **options : as in compat.score
        What the function is told.

    Returns
    -------
    callable
        A scorer ``scorer(estimator, X, y)``. Greater is better. Where the tool raises an error, it
        raises ToolError, which a search takes for a score of nan.

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
    tool = get_tool(name)
    (call,) = make_calls((tool,), k, options, has_weights=False)
    told = {"k": call.k, "pos_label": pos_label}
    options |= {name: value for name, value in told.items() if value is not None}
    function = partial(score, tool.definition or tool.name)
    vars(function)["__name__"] = tool.name
    return make_ranking_scorer(
        function, response_method=response_method, by_query=by_query, **options
    )


@dataclass(frozen=True, eq=False)
class ToolAnswer:
    """What a function gives for each query, and its number, the mean over those with an answer."""

    call: Call
    values: Float  # nan where it raises an exception
    special: dict[SpecialCase, Bool]  # the queries of each special case that has any
    unit: str  # what each value is of

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.call.tool.name

    @property
    def label(self) -> str:
        """Its name, with k and what else a reader must know."""
        n_left_out = int(np.count_nonzero(lack_answers(self.values)))
        note = ""
        if self.exception:
            note = f"raises {self.exception.partition(':')[0]}"
        elif n_left_out and self.values.size > 1:
            note = f"{count_as_text(n_left_out, self.unit)} left out"
        return self.call.label(note)

    @property
    def estimate(self) -> float:
        """Its number; nan if it is not defined, or if the function raises an exception."""
        return mean_of_answers(self.values)

    @property
    def exception(self) -> str:
        """The text of the exception, if there is no number because of one."""
        texts = [case.exception for case in self.special if case.exception]
        return texts[0] if texts and isnan(self.estimate) else ""


def lack_answers(values: Float) -> Bool:
    """Check which of several queries have no answer: nan, or -1 of tools for detections."""
    return np.isnan(values) | (values == -1)


def mean_of_answers(values: Float) -> float:
    """Average over the queries with an answer; -1 alone is the number of a tool."""
    answers = values if values.size == 1 else values[~lack_answers(values)]
    return float(answers.mean()) if answers.size else np.nan


class CheckedPredictions:
    """Checked predictions of one or many queries, of which rows of weight 0 are dropped."""

    def __init__(self, request: Request) -> None:
        """Check what the user passed. Warn of scores that are classes, or rank negatives first."""
        self.unit = "column" if request.queries is None else "query"
        is_binary = request.queries is not None or np.ndim(request.y_score) != 2
        self.rankings = check_rankings(request, is_binary=is_binary)
        # Steps of an explanation, and calls that follow each other, share the first two choices.
        self._count = lru_cache(maxsize=1)(partial(_count, self.rankings))
        issue_warnings(warnings_of_scores(self.rankings.score))
        counts = self._count(all_options()["scores", "as given"], all_options()["ties", "grouped"])
        values = Step().values(counts)
        warn_if_reversed(Step(), counts, mean_of_all(values), self.rankings.effective_positives)

    def ask(self, call: Call) -> ToolAnswer:
        """Call a function with each query alone."""
        queries = {
            case: CONDITIONS[case.condition](self.rankings) for case in call.tool.special_cases
        }
        special = {case: is_met for case, is_met in queries.items() if is_met.any()}
        return ToolAnswer(call, self.compute(call.choices, special), special, self.unit)

    def ask_all(self, calls: Sequence[Call]) -> list[ToolAnswer]:
        """Call functions, those that share the first two choices after each other."""
        names = {call: [option.name for option in call.tool.choices.values()] for call in calls}
        answers = {call: self.ask(call) for call in sorted(names, key=names.__getitem__)}
        return [answers[call] for call in calls]

    def compute(self, choices: dict[str, Option], special: dict[SpecialCase, Bool]) -> Float:
        """Make all choices, and give the answers of special cases, of which the first counts."""
        counts = self._count(choices["scores"], choices["ties"])
        values = _values(choices, counts, self.rankings.sizes)
        for case, is_met in reversed(special.items()):
            values[is_met] = case.value
        return values


def _count(rankings: Rankings, scores: Option, ties: Option) -> ThresholdCounts:
    """Make the first two choices."""
    with np.errstate(over="ignore"):  # scores beyond float32 are infinite in tools as well
        rankings = SCORES[scores.name](rankings, **dict(scores.arguments))
    return count(replace(rankings, score=order_ties(ties.name, rankings)))


def _values(choices: dict[str, Option], counts: ThresholdCounts, sizes: Array) -> Float:
    """Make the last four choices: one value per query, 0 without positives."""
    ties, between, start, over, divisor = (choices[name] for name in CHOICES[1:])
    # Huge weights overflow in float32 and give nan, as in the tools.
    with np.errstate(invalid="ignore"):
        curve = draw_curve(
            counts, sizes, ties.name, between.name, start.name, **dict(between.arguments)
        )
        total = OVER[over.name](curve, **dict(over.arguments))
        shares = DIVISOR[divisor.name](curve, **dict(divisor.arguments))
    is_defined = (counts.n_positives > 0) & (shares > 0)
    return np.divide(total, shares, out=np.zeros(is_defined.shape), where=is_defined)
