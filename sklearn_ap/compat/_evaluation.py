"""Running a tool's function on predictions: its six choices are made, then its special answers."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import lru_cache
from math import isnan
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from sklearn_ap._base.common.types import Array, Float
from sklearn_ap._base.inputs.arrays import FLOAT32_TOLERANCE
from sklearn_ap._base.inputs.option_checks import check_k
from sklearn_ap._base.inputs.unknown_options import explains_options
from sklearn_ap._counts.counting import count
from sklearn_ap._counts.thresholds import ThresholdCounts, check_bounds
from sklearn_ap.compat._between_and_start import BETWEEN, START
from sklearn_ap.compat._checked_predictions import CheckedPredictions, check_predictions
from sklearn_ap.compat._choices import Chosen, ChosenAll
from sklearn_ap.compat._option import Option
from sklearn_ap.compat._points_and_divisor import DIVISOR, OVER, Curves
from sklearn_ap.compat._scores_and_ties import SCORES, TIES
from sklearn_ap.compat._tool_entry import Entry, check_option, special_answers
from sklearn_ap.compat._tools import ALL_ENTRIES, get
from sklearn_ap.definitions import Definition, Interpolated

# What score and explain take besides: a misspelt one arrives among the options.
KEYWORDS = ("sample_weight", "queries", "n_positives", "k", "pos_label")
# What one of the others takes in its place.
ELSEWHERE = {"versus": "compat.explain", "near": "compat.compare", "tools": "compat.compare"}


class ToolError(ValueError):
    """The tool raises an error for these predictions, so its reproduction does, too."""


@dataclass(frozen=True, slots=True)
class FunctionResult:
    """One function's number on some predictions, and its difference from another one."""

    name: str
    value: float | None  # the mean over the queries with an answer; None if it raises
    difference: float | None  # from scikit-learn's number, or from ``near``
    k: int | None  # that it got, if it needs one
    refusal: str | None  # the text of the exception, if it raises
    left_out: int  # queries that it has no answer to
    n_queries: int
    entry: Entry = field(repr=False)  # what is known of the function
    pooled: bool = False  # whether all queries are one ranking

    @property
    def note(self) -> str:
        """What there is to know besides the number, in words."""
        if self.refusal is not None:
            return f"raises {self.refusal}"
        told = "" if self.k is None else f"k={self.k}"
        notes = told, "pooled" if self.pooled else "", self.left_out_note
        return ", ".join(part for part in notes if part)

    @property
    def left_out_note(self) -> str:
        """How many queries are left out, in words."""
        return f"{self.left_out} of {self.n_queries} queries left out" if self.left_out else ""


@explains_options
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
    pos_label: Any = None,
    **options: Any,
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
        Scores.
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
        The positive label. None means 1 if the labels are {0, 1} or {-1, 1}.
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
    entry = get(name)
    k, options = check_options((entry,), sample_weight, k, options)
    if average not in ("macro", None):
        raise ValueError(f"average must be 'macro' or None, got {average!r}.")
    beside = sample_weight, queries, pos_label, n_positives, clusters
    predictions = check_predictions(y_true, y_score, *beside)
    if average is None:
        return values_of(entry, Evaluation(predictions), k, options)[0]
    result = result_of(entry, Evaluation(predictions), k, options)
    if result.value is None:
        raise ToolError(f"{entry.name}: {result.refusal}")
    return result.value


@dataclass(frozen=True, slots=True, eq=False)
class ReachedLevels:
    """How many levels of recall are reached at each threshold, and how many there are."""

    counts: ThresholdCounts
    reached: Array
    n_levels: int


class Evaluation:
    """Makes choices on predictions. It keeps the last curves, which the next choices may share.

    It keeps all values, too: many functions make the same choices.
    """

    def __init__(self, predictions: CheckedPredictions) -> None:
        self.predictions = predictions
        self._known: dict[Any, Float] = {}

        @lru_cache(maxsize=1)
        def counted(scores: Chosen, ties: Chosen, is_whole: bool) -> ThresholdCounts:
            rankings = predictions.whole if is_whole else predictions.rankings
            seen = _made(SCORES, scores, rankings)
            score = _made(TIES, ties, seen)
            return count(seen if score is seen.score else replace(seen, score=score))

        @lru_cache(maxsize=1)
        def drawn(
            scores: Chosen, ties: Chosen, between: Chosen, start: Chosen, is_whole: bool
        ) -> Curves:
            counts = counted(scores, ties, is_whole)
            of_ties = TIES[ties.option].top
            if of_ties is None:
                at_start = _made(START, start, counts)
                heights = _made(BETWEEN, between, counts, start=at_start)
            else:
                heights = of_ties(None).heights(counts)
            top = of_ties or BETWEEN[between.option].top
            return Curves(counts, heights, predictions.rankings.sizes, top)

        self._draw = drawn

    def values(self, chosen: ChosenAll) -> Float:
        """Make all six choices, one after the other: one value per query, 0 without positives."""
        if chosen not in self._known:
            # Tools with weights in float32 give nan for huge ones, too.
            with np.errstate(invalid="ignore"):
                curves = self._curves(chosen)
                amount = _made(OVER, chosen.over, curves)
                by = _made(DIVISOR, chosen.divisor, curves)
            is_defined = (curves.counts.n_positives > 0) & (by > 0)
            out = np.zeros(is_defined.shape)
            self._known[chosen] = np.divide(amount, by, out=out, where=is_defined)
        return self._known[chosen].copy()

    def _curves(self, chosen: ChosenAll) -> Curves:
        """The curves that the first four choices give."""
        first = chosen.scores, chosen.ties, chosen.between, chosen.start
        return self._draw(*first, _is_whole(chosen))

    def levels_reached(self, chosen: ChosenAll) -> ReachedLevels | None:
        """Which levels of recall are reached where; None without levels at equal distances."""
        over = OVER[chosen.over.option]
        if over.levels is None:
            return None
        counts = self._curves(chosen).counts
        arguments = dict(chosen.over.arguments)
        definition = arguments.get("definition")
        if isinstance(definition, Interpolated) and not isinstance(definition.recall_levels, int):
            return None  # levels of one's own, which no other number has
        reached, n_levels = over.levels(counts, **arguments)
        return ReachedLevels(counts, reached, n_levels)

    def values_of_ours(self, definition: Definition) -> Float:
        """What a definition gives each query, as the scores do: 0 where it is not defined."""
        rankings = self.predictions.whole
        counts = count(rankings, definition.depth)
        return np.nan_to_num(check_bounds(definition, definition(counts), rankings.n_rankings))


def _made(options: dict[str, Option], chosen: Chosen, given: Any, **known: Any) -> Any:
    """What an option makes of what is given."""
    return options[chosen.option].apply(dict(chosen.arguments) | known, given)


def _is_whole(chosen: ChosenAll) -> bool:
    """Whether the rows that were not retrieved count: a share k, and definitions, look at them."""
    known = dict(pair for each in chosen for pair in each.arguments)
    return "definition" in known or isinstance(known.get("k"), float)


def result_of(
    entry: Entry, evaluation: Evaluation, k: int | None, options: dict[str, Any]
) -> FunctionResult:
    """Apply a function to each query alone, and take the mean over those with an answer.

    Of several queries, nan, -1 and an exception are no answer; of one, only an exception is none.
    """
    predictions = evaluation.predictions
    values, refusal = values_of(entry, evaluation, k, options)
    answered = ~np.isnan(values) & ~((values == -1) & predictions.several)
    n_queries, left_out = values.size, int(np.count_nonzero(~answered))
    k = None if entry.k == "no" else k
    if refusal is not None and left_out == n_queries:
        return FunctionResult(entry.name, None, None, k, refusal, left_out, n_queries, entry)
    value = float(np.mean(values[answered])) if answered.any() else np.nan
    left_out = left_out if predictions.several else 0
    return FunctionResult(entry.name, value, None, k, None, left_out, n_queries, entry)


def values_of(
    entry: Entry, evaluation: Evaluation, k: int | None, options: dict[str, Any]
) -> tuple[Float, str | None]:
    """Give the number of each query, nan where the function raises, and what it raises."""
    definition, refusal = entry.defined(k, options), None
    if definition is None:
        values = evaluation.values(entry.chosen(k, options))
    else:
        values = evaluation.values_of_ours(definition)
    for case in reversed(special_answers(entry, evaluation.predictions, options)):
        if isinstance(case.answer, str) and case.queries.any():
            refusal = case.answer
        values[case.queries] = np.nan if isinstance(case.answer, str) else case.answer
    return values, refusal


def check_options(
    entries: tuple[Entry, ...],
    sample_weight: ArrayLike | None,
    k: int | None,
    options: dict[str, Any],
) -> tuple[int | None, dict[str, Any]]:
    """Check what these functions are told, and add the defaults."""
    names = " and ".join(dict.fromkeys(entry.name for entry in entries))
    has, it = ("has", "it has") if names == entries[0].name else ("have", "they have")
    defaults = {name: value for entry in entries for name, value in entry.options.items()}
    for option, value in options.items():
        if option not in defaults:
            raise TypeError(
                f"{names} {has} no option {option!r}; {it} {', '.join(defaults) or 'none'}."
                + _where_it_is_known(option, entries, [*defaults])
            )
        check_option(option, value)
    known = {entry.known_rank for entry in entries} - {None}
    if k is None and len(known) == 1 and any(entry.k == "required" for entry in entries):
        k = known.pop()  # explain("xgboost.map@k", versus=AtK(5)) is of 5 ranks
    for entry in entries:
        if sample_weight is not None and not entry.weights:
            raise ValueError(f"{entry.name} takes no sample_weight.")
        if k is None and entry.k == "required":
            raise ValueError(f"{entry.name} needs k: pass how many ranks count.")
    if k is not None and all(entry.k == "no" for entry in entries):
        raise ValueError(f"{names} {has} no k: leave it out (--k on the command line).")
    return None if k is None else check_k(k), defaults | options


def _where_it_is_known(option: str, entries: tuple[Entry, ...], known: list[str]) -> str:
    """Which functions have an option that these lack, or which option is spelt like it."""
    tools = {entry.tool for entry in entries}
    same = [each for each in ALL_ENTRIES if each.tool in tools]
    others = [each.name for each in same if option in each.options]
    others += [ELSEWHERE[option]] if option in ELSEWHERE else []
    if others:
        return f" It is an option of {', '.join(others)}."
    near = get_close_matches(option, {*known, *KEYWORDS, *ELSEWHERE}, n=1)
    return f" Did you mean {near[0]!r}?" if near else ""


def same(first: float | None, second: float | None, tolerance: float = FLOAT32_TOLERANCE) -> bool:
    """Tell whether two numbers are the same; None stands for an exception."""
    if first is None or second is None:
        return first is second
    return abs(first - second) <= tolerance or (isnan(first) and isnan(second))


def difference(now: float | None, before: float | None) -> float | None:
    """Subtract two numbers; None where there is none, as for an exception or nan."""
    if now is None or before is None or isnan(now) or isnan(before):
        return None
    return now - before


def as_number(value: float | None) -> str:
    return "raises" if value is None else f"{value:.4f}"


def as_share(share: float | None) -> str:
    """Print a difference, with an exponent where four digits would show none."""
    if share is None:
        return ""
    return f"{share:+.0e}" if 0 < abs(share) < 5e-5 else f"{share:+.4f}"
