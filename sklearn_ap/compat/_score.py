"""The number of a tool's function on predictions: its six choices, then its special answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from math import isnan
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from sklearn_ap._counts.counting import count
from sklearn_ap._counts.thresholds import ThresholdCounts, values_of
from sklearn_ap._inputs.arrays import to_numpy
from sklearn_ap._inputs.labels import check_targets
from sklearn_ap._inputs.models import RAW_SCORES
from sklearn_ap._inputs.options import check_k, check_ranks
from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap._inputs.request import Request, check_rankings
from sklearn_ap._types import Argument, Array, Bool, Float, Keywords, Label
from sklearn_ap.compat._curves import DIVISOR, OVER, draw_curve
from sklearn_ap.compat._rankings import SCORES, find_outside_0_1, order_ties
from sklearn_ap.compat._tools import (
    EMPTY_TARGET_ANSWERS,
    Choice,
    Choices,
    Tool,
    check_options,
    get,
    set_k,
)
from sklearn_ap.definitions import Definition
from sklearn_ap.scorers import ResponseMethod, Scorer, make_ranking_scorer


class ToolError(ValueError):
    """The tool raises an error for these predictions, and so does its reproduction.

    Examples
    --------
    >>> from sklearn_ap import compat
    >>> try:
    ...     compat.score("ogb.Evaluator", [[0, 0], [0, 0]], [[0.9, 0.1], [0.8, 0.2]])
    ... except compat.ToolError as error:
    ...     print(error)
    ogb.Evaluator: RuntimeError: No positively labeled data available
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
    """Compute the number that a tool's function returns on these predictions, faults included.

    Parameters
    ----------
    name : str or Definition
        The name of a function, such as "xgboost.map@k", that of one of our scores, or a definition,
        such as ``AtK(10)``.
    y_true : array-like of shape (n_samples,) or (n_samples, n_columns)
        Binary labels, nan for unknown ones. Each column of several is a query.
    y_score : array-like of shape (n_samples,) or (n_samples, n_columns)
        Scores. Minus infinity says that a row was not retrieved: tools do not see it, but it counts
        as a positive if it is one.
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
        None gives the number of each query or column, nan where the function raises an error: with
        one column for each class, those of the classes of pycocotools.
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
    tool = get(name)
    if average not in ("macro", None):
        raise ValueError(f"average must be 'macro' or None, got {average!r}.")
    call = Call.check((tool,), k, options, has_weights=sample_weight is not None)
    predictions = Predictions.check(
        y_true,
        y_score,
        sample_weight=sample_weight,
        queries=queries,
        clusters=clusters,
        n_positives=n_positives,
        pos_label=pos_label,
    )
    answer = call.answer(tool, Evaluation(predictions))
    if average is None:
        return answer.values
    if answer.refusal:
        raise ToolError(f"{tool.name}: {answer.refusal}")
    return answer.mean


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
        The name of a function, such as "voc2007", "xgboost.aucpr" or "trec_eval.P_10", that of one
        of our scores, or a definition.
    response_method : str or tuple of str, default=("decision_function", "predict_proba")
        The method of the estimator that gives the scores. Of several, the first that the
        estimator has.
    by_query : bool, default=False
        Whether each query is a ranking of its own. The scorer then needs ``queries``, which
        reach it through metadata routing.
    pos_label : int, float, bool or str, default=None
        The positive label. None means 1 for {0, 1} and {-1, 1}; other binary labels need it.
    k : int, default=None
        How many ranks count, if the function takes k.
    **options : dict
        Other options of the function that change its number.

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
    check_options((get(name),), k, options, has_weights=False)
    fixed = options if k is None else options | {"k": k}
    label = {} if pos_label is None else {"pos_label": pos_label}
    function = _ToolScore(name, tuple(fixed.items()))
    return make_ranking_scorer(
        function, response_method=response_method, by_query=by_query, **label
    )


@dataclass(frozen=True)
class _ToolScore:
    """A function of a tool as a score function, which can be pickled and copied."""

    name: str | Definition
    options: tuple[tuple[str, Argument], ...]

    @property
    def __name__(self) -> str:
        return get(self.name).name

    def __call__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        queries: ArrayLike | None = None,
        pos_label: Label | None = None,
    ) -> float | Float:
        return score(
            self.name,
            y_true,
            y_score,
            sample_weight=sample_weight,
            queries=queries,
            pos_label=pos_label,
            **dict(self.options),
        )


@dataclass(frozen=True, eq=False)
class Predictions:
    """Checked predictions of one or many queries, of which rows of weight 0 are dropped."""

    rankings: Rankings  # without rows that were not retrieved, which a tool never sees
    all_rankings: Rankings  # with these rows, as definitions of ours know the number of all rows
    request: Request

    @classmethod
    def check(cls, y_true: ArrayLike, y_score: ArrayLike, **rows: Argument) -> Predictions:
        """Check what the user passed."""
        request = Request(y_true=y_true, y_score=y_score, average=None, **rows)
        request.check_order()
        if request.queries is not None or np.ndim(to_numpy("y_true", y_true)) != 2:
            targets = check_targets(y_true, y_score, request.pos_label, is_binary=True)
            request = replace(request, y_true=targets.labels, y_score=targets.score, pos_label=None)
        all_rankings = check_rankings(request)
        return cls(replace(all_rankings, n_negatives=None), all_rankings, request)

    @property
    def has_queries(self) -> bool:
        """Whether numbers are means over queries."""
        return self.rankings.n_rankings > 1

    def pool(self) -> Predictions:
        """Make one ranking of all queries."""
        queries = self.all_rankings
        pooled = replace(
            queries,
            ranking=None,
            n_rankings=1,
            n_positives=_total(queries.n_positives),
            n_unscored=_total(queries.n_unscored),
            n_negatives=_total(queries.n_negatives),
        )
        request = replace(self.request, queries=None, n_positives=None)
        return Predictions(replace(pooled, n_negatives=None), pooled, request)


def _total(numbers: Array | None) -> Array | None:
    """Add up the numbers of all rankings."""
    return None if numbers is None else np.sum(numbers, keepdims=True)


def _lack_positives(predictions: Predictions) -> Bool:
    return predictions.rankings.weight_of_positives == 0


def _lack_negatives(predictions: Predictions) -> Bool:
    return predictions.rankings.n_hits == predictions.rankings.sizes


def _have_weightless_tops(predictions: Predictions) -> Bool:
    """Find the queries with both classes whose highest score has no weight."""
    request = predictions.request
    if request.sample_weight is None:
        return np.zeros(predictions.rankings.n_rankings, dtype=bool)
    has_weight = np.ravel(to_numpy("sample_weight", request.sample_weight)).astype(np.float64) > 0
    # All rows count here, also those without weight, and those with a score of minus infinity.
    rows = replace(
        request,
        y_score=np.nan_to_num(to_numpy("y_score", request.y_score)),
        sample_weight=1.0 + has_weight,
        n_positives=None,
    )
    ranked = check_rankings(rows)
    query = ranked.ranking_of_items
    if request.queries is None and predictions.rankings.n_rankings == 1:
        query = np.zeros_like(query)  # columns that were pooled
    is_weighted = np.asarray(ranked.weight) == 2
    top = np.full(query.max(initial=0) + 1, -np.inf)
    np.maximum.at(top, query, ranked.score)
    is_weighted_top = is_weighted & (ranked.score == top[query])
    n_tops, n_weighted = (np.bincount(query, x, top.size) for x in (is_weighted_top, is_weighted))
    has_both = ~_lack_positives(predictions) & ~_lack_negatives(predictions)
    if request.queries is None:
        return (n_tops == 0) & has_both
    return (n_tops[n_weighted > 0] == 0) & has_both  # queries without weight were dropped


def _have_same_scores(predictions: Predictions) -> Bool:
    """Find the queries in which both classes have the same scores, each as often."""
    rankings = predictions.rankings
    is_even = 2 * rankings.n_hits == rankings.sizes
    for query in np.flatnonzero(is_even):
        is_member = rankings.ranking_of_items == query
        positives = np.sort(rankings.score[is_member & rankings.positive])
        negatives = np.sort(rankings.score[is_member & ~rankings.positive])
        is_even[query] = np.array_equal(positives, negatives)
    return is_even


# The queries to which a tool gives another answer than its choices do.
CONDITIONS: dict[str, Callable[[Predictions], Bool]] = {
    "no positive": _lack_positives,
    "only positives": _lack_negatives,
    "a score outside [0, 1]": lambda predictions: find_outside_0_1(predictions.rankings),
    "no weight at the top": _have_weightless_tops,
    "the same scores in both classes": _have_same_scores,
}


class Evaluation:
    """Predictions on which choices are made. Choices that functions share are made once."""

    def __init__(self, predictions: Predictions) -> None:
        self.predictions = predictions
        self._count = lru_cache(maxsize=1)(partial(_count, predictions))
        self._values: dict[Choices, Float] = {}

    def values(self, choices: Choices) -> Float:
        """Make all six choices, one after the other: one value per query, 0 without positives."""
        if choices not in self._values:
            counts = self._count(choices.scores, choices.ties, _needs_all_rows(choices))
            self._values[choices] = _values(choices, counts, self.predictions.rankings.sizes)
        return self._values[choices].copy()

    def definition_values(self, definition: Definition) -> Float:
        """Apply a definition to each query, as the scores do: 0 where it is not defined."""
        counts = count(self.predictions.all_rankings, definition.depth)
        return np.nan_to_num(values_of(definition, counts))


def _count(
    predictions: Predictions, scores: Choice, ties: Choice, needs_all_rows: bool
) -> ThresholdCounts:
    """Make the first two choices."""
    rankings = predictions.all_rankings if needs_all_rows else predictions.rankings
    rankings = SCORES[scores.option](rankings, **dict(scores.arguments))
    score = order_ties(ties.option, rankings)
    return count(rankings if score is rankings.score else replace(rankings, score=score))


def _needs_all_rows(choices: Choices) -> bool:
    """Check whether rows that were not retrieved count, as for a share k and for definitions."""
    arguments = dict(pair for choice in choices for pair in choice.arguments)
    return "definition" in arguments or isinstance(arguments.get("k"), float)


def _values(choices: Choices, counts: ThresholdCounts, sizes: Array) -> Float:
    """Make the last four choices."""
    # Huge weights overflow in float32 and give nan, as in the tools.
    with np.errstate(invalid="ignore"):
        curve = draw_curve(
            counts,
            sizes,
            choices.ties.option,
            choices.between.option,
            choices.start.option,
            **dict(choices.between.arguments),
        )
        total = OVER[choices.over.option](curve, **dict(choices.over.arguments))
        divisor = DIVISOR[choices.divisor.option](curve, **dict(choices.divisor.arguments))
    is_defined = (counts.n_positives > 0) & (divisor > 0)
    return np.divide(total, divisor, out=np.zeros(is_defined.shape), where=is_defined)


@dataclass(frozen=True)
class SpecialAnswer:
    """The queries that meet a condition, and the answer to them."""

    condition: str
    queries: Bool
    value: float  # nan for an exception
    exception: str = ""


@dataclass(frozen=True, eq=False)
class Answer:
    """What a function gives for each query, nan where it raises an exception."""

    values: Float
    mean: float  # over the queries with an answer
    n_left_out: int  # queries without an answer
    refusal: str  # the text of the exception, if there is no mean because of it
    special: tuple[SpecialAnswer, ...]


@dataclass(frozen=True)
class Call:
    """The options with which functions are called."""

    k: float | None
    options: Keywords

    @classmethod
    def check(
        cls, functions: tuple[Tool, ...], k: Argument, options: Keywords, *, has_weights: bool
    ) -> Call:
        """Check k and options. A function that needs k takes that of the other function."""
        ranks = {tool.rank for tool in functions} - {None}
        if k is None and len(ranks) == 1 and any(tool.k == "required" for tool in functions):
            (k,) = ranks
        else:
            check_options(functions, k, options, has_weights=has_weights)
        if k is None:
            return cls(None, options)
        is_ours = all(tool.definition for tool in functions)
        return cls(check_ranks(k) if is_ours else check_k(k), options)

    def bind(self, tool: Tool) -> Choices:
        """Return the choices that a function makes, with their arguments."""
        return set_k(tool, self.k).bind(self.k, self.options)

    def answer(self, tool: Tool, evaluation: Evaluation) -> Answer:
        """Apply a function to each query alone, and take the mean over the queries with an answer.

        For several queries, nan, -1 and an exception are no answer; for one, an exception is none.
        """
        definition = set_k(tool, self.k).definition
        if definition is None:
            values = evaluation.values(self.bind(tool))
        else:
            values = evaluation.definition_values(definition)
        predictions = evaluation.predictions
        special = self._special_answers(tool, predictions)
        for each in reversed(special):
            values[each.queries] = each.value
        is_answered = ~np.isnan(values)
        if predictions.has_queries:
            is_answered &= values != -1
        refusals = [each.exception for each in special if each.exception]
        return Answer(
            values=values,
            mean=float(values[is_answered].mean()) if is_answered.any() else np.nan,
            n_left_out=int(np.sum(~is_answered)) if predictions.has_queries else 0,
            refusal=refusals[0] if refusals and not is_answered.any() else "",
            special=special,
        )

    def _special_answers(self, tool: Tool, predictions: Predictions) -> tuple[SpecialAnswer, ...]:
        """List the conditions that some queries meet; of several, the first counts."""
        found = []
        for condition, answer in tool.special_answers.items():
            queries = CONDITIONS[condition](predictions)
            if answer == "empty_target_action":
                action = self.options.get(answer, "neg")
                # Nothing is left out of a mean over no queries, which is 0.
                answer = "0" if action == "skip" and queries.all() else EMPTY_TARGET_ANSWERS[action]
            if queries.any():
                found.append(_special_answer(condition, queries, answer))
        return tuple(found)


def _special_answer(condition: str, queries: Bool, answer: str) -> SpecialAnswer:
    try:
        return SpecialAnswer(condition, queries, float(answer))
    except ValueError:
        return SpecialAnswer(condition, queries, np.nan, exception=answer)


def same(first: float, second: float, tolerance: float) -> bool:
    """Check whether two numbers are the same, or both nan."""
    return abs(first - second) <= tolerance or (isnan(first) and isnan(second))
