"""The number of a tool's function on predictions: its six choices, then its special answers."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import lru_cache
from math import isnan
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from sklearn_ap._counts.counting import count
from sklearn_ap._counts.thresholds import ThresholdCounts, values_of
from sklearn_ap._inputs.options import check_k
from sklearn_ap._types import Argument, Array, Float, Keywords, Label
from sklearn_ap.compat._between_and_start import BETWEEN, START
from sklearn_ap.compat._checked_predictions import CheckedPredictions, check_predictions
from sklearn_ap.compat._choices import BoundChoices, BoundOption
from sklearn_ap.compat._option import Option
from sklearn_ap.compat._points_and_divisor import DIVISOR, OVER, Curves
from sklearn_ap.compat._scores_and_ties import SCORES, TIES
from sklearn_ap.compat._tool_entry import Entry, check_option, special_answers
from sklearn_ap.compat._tools import ALL_ENTRIES, FLOAT32_TOLERANCE, get
from sklearn_ap.definitions import Definition, Interpolated

# Parameters of score and explain: a misspelt one arrives among the options.
PARAMETERS = ("sample_weight", "queries", "n_positives", "k", "pos_label")
# Parameters of other functions.
OTHER_PARAMETERS = {"versus": "compat.explain", "near": "compat.compare", "tools": "compat.compare"}


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


@dataclass(frozen=True, slots=True)
class FunctionResult:
    """One function's number on some predictions, and its difference from another one."""

    name: str
    value: float | None  # the mean over the queries with an answer; None if it raises
    difference: float | None  # from scikit-learn's number, or from ``near``
    k: int | None  # the k that it was called with; None if it takes none
    refusal: str | None  # the text of the exception, if it raises
    left_out: int  # the number of queries without an answer
    n_queries: int
    entry: Entry = field(repr=False)  # the description of the function
    pooled: bool = False  # whether all queries are one ranking

    @property
    def note(self) -> str:
        """Facts besides the number, in words."""
        if self.refusal is not None:
            return f"raises {self.refusal}"
        rank = "" if self.k is None else f"k={self.k}"
        notes = rank, "pooled" if self.pooled else "", self.left_out_note
        return ", ".join(filter(None, notes))

    @property
    def left_out_note(self) -> str:
        """The number of queries that are left out, in words."""
        return f"{self.left_out} of {self.n_queries} queries left out" if self.left_out else ""


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
    entry = get(name)
    k, options = check_options((entry,), sample_weight, k, options)
    if average not in ("macro", None):
        raise ValueError(f"average must be 'macro' or None, got {average!r}.")
    predictions = check_predictions(
        y_true,
        y_score,
        sample_weight=sample_weight,
        queries=queries,
        pos_label=pos_label,
        n_positives=n_positives,
        clusters=clusters,
    )
    if average is None:
        return query_values(entry, Evaluation(predictions), k, options).values
    result = compute_result(entry, Evaluation(predictions), k, options)
    if result.value is None:
        raise ToolError(f"{entry.name}: {result.refusal}")
    return result.value


@dataclass(frozen=True, slots=True, eq=False)
class ReachedLevels:
    """The number of levels of recall that are reached at each threshold, and the number of all."""

    counts: ThresholdCounts
    reached: Array
    n_levels: int


class QueryValues(NamedTuple):
    """The number of each query, nan where the function raises, and the text of the exception."""

    values: Float
    refusal: str | None


class Evaluation:
    """Predictions on which choices are made.

    The last curves are kept, as the next choices may share them, and all values, as many functions
    make the same choices.
    """

    def __init__(self, predictions: CheckedPredictions) -> None:
        self.predictions = predictions
        self._values: dict[BoundChoices, Float] = {}

        @lru_cache(maxsize=1)
        def count_ties(scores: BoundOption, ties: BoundOption, is_whole: bool) -> ThresholdCounts:
            rankings = predictions.all_rankings if is_whole else predictions.rankings
            rankings = _choose(SCORES, scores, rankings)
            score = _choose(TIES, ties, rankings)
            return count(rankings if score is rankings.score else replace(rankings, score=score))

        @lru_cache(maxsize=1)
        def draw(
            scores: BoundOption,
            ties: BoundOption,
            between: BoundOption,
            start: BoundOption,
            is_whole: bool,
        ) -> Curves:
            counts = count_ties(scores, ties, is_whole)
            ties_definition = TIES[ties.option].definition_at_k
            if ties_definition is None:
                start_precision = _choose(START, start, counts)
                heights = _choose(BETWEEN, between, counts, start=start_precision)
            else:
                heights = ties_definition(None).heights(counts)
            definition_at_k = ties_definition or BETWEEN[between.option].definition_at_k
            return Curves(counts, heights, predictions.rankings.sizes, definition_at_k)

        self._draw = draw

    def values(self, choices: BoundChoices) -> Float:
        """Make all six choices, one after the other: one value per query, 0 without positives."""
        if choices not in self._values:
            # Huge weights overflow in float32 and give nan, as in the tools.
            with np.errstate(invalid="ignore"):
                curves = self._curves(choices)
                amount = _choose(OVER, choices.over, curves)
                divisor = _choose(DIVISOR, choices.divisor, curves)
            is_defined = (curves.counts.n_positives > 0) & (divisor > 0)
            out = np.zeros(is_defined.shape)
            self._values[choices] = np.divide(amount, divisor, out=out, where=is_defined)
        return self._values[choices].copy()

    def _curves(self, choices: BoundChoices) -> Curves:
        """Draw the curves of the first four choices."""
        return self._draw(
            choices.scores, choices.ties, choices.between, choices.start, _is_whole(choices)
        )

    def levels_reached(self, choices: BoundChoices) -> ReachedLevels | None:
        """Count the levels of recall that are reached; None without levels at equal distances."""
        over = OVER[choices.over.option]
        if over.levels is None:
            return None
        counts = self._curves(choices).counts
        arguments = dict(choices.over.arguments)
        definition = arguments.get("definition")
        if isinstance(definition, Interpolated) and not isinstance(definition.recall_levels, int):
            return None  # levels of the user's choice, which no other function has
        reached, n_levels = over.levels(counts, **arguments)
        return ReachedLevels(counts, reached, n_levels)

    def definition_values(self, definition: Definition) -> Float:
        """Apply a definition to each query, as the scores do: 0 where it is not defined."""
        rankings = self.predictions.all_rankings
        counts = count(rankings, definition.depth)
        return np.nan_to_num(values_of(definition, counts))


def _choose(
    options: dict[str, Option], choice: BoundOption, value: Argument, **arguments: Argument
) -> Argument:
    """Apply the chosen option to rankings, counts or curves."""
    return options[choice.option].apply(dict(choice.arguments) | arguments, value)


def _is_whole(choices: BoundChoices) -> bool:
    """Check whether rows that were not retrieved count, as for a share k and for definitions."""
    arguments = dict(pair for choice in choices for pair in choice.arguments)
    return "definition" in arguments or isinstance(arguments.get("k"), float)


def compute_result(
    entry: Entry, evaluation: Evaluation, k: int | None, options: Keywords
) -> FunctionResult:
    """Apply a function to each query alone, and take the mean over the queries with an answer.

    For several queries, nan, -1 and an exception are no answer; for one, only an exception is none.
    """
    predictions = evaluation.predictions
    values, refusal = query_values(entry, evaluation, k, options)
    has_answer = ~np.isnan(values) & ~((values == -1) & predictions.has_queries)
    n_without_answer = int(np.count_nonzero(~has_answer))
    value: float | None = float(np.mean(values[has_answer])) if has_answer.any() else np.nan
    left_out = n_without_answer if predictions.has_queries else 0
    if refusal is not None and not has_answer.any():
        value = None
        left_out = n_without_answer
    return FunctionResult(
        name=entry.name,
        value=value,
        difference=None,
        k=None if entry.k == "no" else k,
        refusal=refusal if value is None else None,
        left_out=left_out,
        n_queries=values.size,
        entry=entry,
    )


def query_values(
    entry: Entry, evaluation: Evaluation, k: int | None, options: Keywords
) -> QueryValues:
    """Apply a function to each query alone."""
    definition = entry.bind_definition(k, options)
    refusal = None
    if definition is None:
        values = evaluation.values(entry.bind(k, options))
    else:
        values = evaluation.definition_values(definition)
    for case in reversed(special_answers(entry, evaluation.predictions, options)):
        if isinstance(case.answer, str) and case.queries.any():
            refusal = case.answer
        values[case.queries] = np.nan if isinstance(case.answer, str) else case.answer
    return QueryValues(values, refusal)


def check_options(
    entries: tuple[Entry, ...],
    sample_weight: ArrayLike | None,
    k: int | None,
    options: Keywords,
) -> tuple[int | None, Keywords]:
    """Check k and the options of these functions, and add the defaults."""
    names = " and ".join(dict.fromkeys(entry.name for entry in entries))
    have, they_have = ("has", "it has") if names == entries[0].name else ("have", "they have")
    defaults = {name: value for entry in entries for name, value in entry.options.items()}
    for option, value in options.items():
        if option not in defaults:
            raise TypeError(
                f"{names} {have} no option {option!r}; {they_have} {', '.join(defaults) or 'none'}."
                + _suggestion(option, entries, [*defaults])
            )
        check_option(option, value)
    ranks = {entry.fixed_rank for entry in entries} - {None}
    if k is None and len(ranks) == 1 and any(entry.k == "required" for entry in entries):
        k = ranks.pop()  # explain("xgboost.map@k", versus=AtK(5)) counts 5 ranks
    for entry in entries:
        if sample_weight is not None and not entry.weights:
            raise ValueError(f"{entry.name} takes no sample_weight.")
        if k is None and entry.k == "required":
            raise ValueError(f"{entry.name} needs k: pass how many ranks count.")
    if k is not None and all(entry.k == "no" for entry in entries):
        raise ValueError(f"{names} {have} no k: leave it out (--k on the command line).")
    return None if k is None else check_k(k), defaults | options


def _suggestion(option: str, entries: tuple[Entry, ...], options: list[str]) -> str:
    """Name the functions that have this option, or else an option with a similar name."""
    tools = {entry.tool for entry in entries}
    relatives = [entry for entry in ALL_ENTRIES if entry.tool in tools]
    functions = [entry.name for entry in relatives if option in entry.options]
    if option in OTHER_PARAMETERS:
        functions.append(OTHER_PARAMETERS[option])
    if functions:
        return f" It is an option of {', '.join(functions)}."
    names = {*options, *PARAMETERS, *OTHER_PARAMETERS}
    matches = get_close_matches(option, names, n=1)
    return f" Did you mean {matches[0]!r}?" if matches else ""


def same(first: float | None, second: float | None, tolerance: float = FLOAT32_TOLERANCE) -> bool:
    """Check whether two numbers are the same; None stands for an exception."""
    if first is None or second is None:
        return first is second
    return abs(first - second) <= tolerance or (isnan(first) and isnan(second))


def difference(now: float | None, before: float | None) -> float | None:
    """Subtract two numbers; None if one of them is an exception or nan."""
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
