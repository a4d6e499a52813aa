"""All tools' numbers for the same predictions, side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from math import isnan
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from sklearn_ap._inputs.options import check_count, check_real_number
from sklearn_ap._results.column import Column
from sklearn_ap._results.result import PrintedResult
from sklearn_ap._results.text import count_as_text, names_as_text, score_as_text, share_as_text
from sklearn_ap._types import Argument, Bool, Float, Index, Label
from sklearn_ap.compat._explain import COMPARED_DIGITS, LEAST_EFFECT, number_columns
from sklearn_ap.compat._other_inputs import other_answers
from sklearn_ap.compat._score import CheckedPredictions, ToolAnswer
from sklearn_ap.compat._tool_names import find_tools, get_tool
from sklearn_ap.compat._tools import BASELINE, CHOICES, Call, Tool, all_calls, all_tools
from sklearn_ap.definitions import Definition

LEAST_CHANCE = 0.05  # of a match, from which it is told
# Of the numbers that might match by chance: another model's is near, where those of functions are.
NEIGHBOURHOOD = 0.05
N_NEAREST = 10  # the numbers that are printed near a number
# The functions of a comparison without names.
WELL_KNOWN = (
    BASELINE,
    "sklearn.auc_of_precision_recall_curve",
    "torchmetrics.BinaryAveragePrecision",
    "keras.AUC_PR_interpolation",
    "xgboost.aucpr",
    "lightgbm.average_precision",
    "catboost.PRAUC",
    "pytrec_eval.map",
    "chainercv.calc_detection_voc_ap",
    "pycocotools.COCOeval",
)


def compare(
    y_true: ArrayLike,
    y_score: ArrayLike,
    tools: Iterable[str | Definition] | Literal["all"] | None = None,
    *,
    k: int = 10,
    near: float | str | None = None,
    sample_weight: ArrayLike | None = None,
    queries: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    n_positives: ArrayLike | None = None,
    pos_label: Label | None = None,
) -> ToolTable:
    """Compare tools' numbers on one set of predictions.

    Parameters
    ----------
    y_true, y_score : array-like
        As in ``compat.score``.
    tools : iterable of str or Definition, or "all", default=None
        Names of tools, functions or our scores, and definitions, such as ``AtK(10)``. None means
        ten well-known functions or, with ``near``, the ten nearest of all.
    k : int, default=10
        How many ranks count, for the functions that need k.
    near : float or str, default=None
        A number that you have, with all its digits, as text if the last one is 0, such as "0.670".
        The nearest numbers come first, with their differences from yours. Functions that may take k
        are called with and without it. Their other options are at their defaults.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights; functions that take none are left out, and named.
    queries, clusters, n_positives, pos_label : as in compat.score
        The numbers of queries are averaged.

    Returns
    -------
    ToolTable
        A row for each function, scikit-learn's and then the highest first, or the nearest.

    See Also
    --------
    explain : Why two of them differ.

    Examples
    --------
    >>> from sklearn_ap import compat
    >>> compat.compare([1, 0, 0, 1], [0.9, 0.6, 0.6, 0.6], tools=["catboost.PRAUC", "MLmetrics"])
    scores of tools, and differences from scikit-learn's
                                      score  difference
    sklearn.average_precision_score  0.7500           0
    catboost.PRAUC                   0.8750     +0.1250
    MLmetrics.PRAUC                  0.3750     -0.3750
    """
    wanted = None if near is None else _read_near(near)
    k = check_count("k", k)
    found = _find_all(tools, k, near)
    functions = [tool for tool in found if tool.takes_weights or sample_weight is None]
    left_out = tuple(tool.name for tool in found if tool not in functions)
    predictions = CheckedPredictions.check(locals())
    calls = [call for tool in functions for call in all_calls(tool, k)]
    if near is None:  # with k only where it is needed
        calls = [call for call in calls if call.k is None or call.tool.needs_k]
    # Sorted, so that functions that share scores and ties follow each other.
    ordered = sorted(calls, key=lambda call: [*call.tool.choices.values()])
    answers = {call: predictions.ask(call) for call in ordered}
    scores = [answers[call] for call in calls]
    table = ToolTable(
        scores=_sort(scores, wanted),
        baseline=next(each.estimate for each in scores if each.name == BASELINE),
        near=wanted,
        shows_all=near is None or tools is not None,
        left_out=left_out,
    )
    return table if wanted is None else _look_for(wanted, table, predictions, ordered)


def _look_for(
    near: Decimal, table: ToolTable, predictions: CheckedPredictions, calls: Sequence[Call]
) -> ToolTable:
    """Try other inputs if no function gives the number, and count what gives it by chance."""
    numbers, tried, matching = table.estimate.tolist(), [], []
    if not _rounds_to(near, numbers).any():
        for kind, others in other_answers(predictions, calls, table.scores):
            tried.append(kind)
            for each in others:
                numbers.append(each.estimate)
                if _rounds_to(near, each.estimate):
                    matching.append(each)
    return replace(
        table,
        scores=_sort([*table.scores, *matching], near),
        n_tied=predictions.n_tied,
        share_given=_share_given(near, numbers),
        tried=tuple(tried),
    )


def _half_unit(near: Decimal) -> float:
    """Return half a unit of the last digit, or what float32 changes if there are more digits."""
    half = max(float(Decimal((0, (5,), int(near.as_tuple().exponent) - 1))), LEAST_EFFECT)
    return half * (1 + LEAST_EFFECT)


def _rounds_to(near: Decimal, estimate: ArrayLike) -> Bool:
    return np.abs(np.asarray(estimate) - float(near)) <= _half_unit(near)


def _share_given(near: Decimal, numbers: Sequence[float]) -> float:
    """Return how many of the numbers about this one, with as many digits, are given."""
    unit = 2 * _half_unit(near)
    low, high = float(near) - NEIGHBOURHOOD, min(float(near) + NEIGHBOURHOOD, 1)
    given = {round(each / unit) for each in numbers if low <= each <= high}
    return min(len(given) * unit / (high - low), 1)


@dataclass(frozen=True, eq=False, repr=False)
class ToolTable(PrintedResult):
    """The numbers of tools for the same predictions.

    The number of scikit-learn comes first, or those nearest to the number that was asked about.

    Parameters
    ----------
    scores : tuple of ToolAnswer
        The number of each function, in the order of the table.
    baseline : float
        The number of scikit-learn.
    near : Decimal or None
        The number that was asked about, with the digits that it had.
    shows_all : bool
        Whether all functions are printed, or one function of each of the ten nearest numbers.
    left_out : tuple of str
        The functions that were asked for and take no weights, if there are weights.
    n_tied : int
        With ``near``, the number of rows that share their score with another one.
    share_given : float
        With ``near``, which share of the numbers within 0.05 of it, with as many digits, some
        function gives: how often a number that is none of theirs would match one.
    tried : tuple of str
        With ``near``, what functions were given in the place of the predictions, if no number of
        these rounds to it.
    """

    scores: tuple[ToolAnswer, ...]
    baseline: float
    near: Decimal | None
    shows_all: bool
    left_out: tuple[str, ...]
    n_tied: int = 0
    share_given: float = 0.0
    tried: tuple[str, ...] = ()

    _choice_of_rows = "functions with the nearest numbers, one of each number"

    @property
    def estimate(self) -> Float:
        """The number of each function."""
        return np.array([score.estimate for score in self.scores])

    @property
    def difference(self) -> Float:
        """The difference of each number from scikit-learn's, or from ``near``."""
        return self.estimate - (self.baseline if self.near is None else float(self.near))

    @property
    def heading(self) -> str:
        """What the numbers are, and what differences are from."""
        origin = "scikit-learn's" if self.near is None else str(self.near)
        given = (score for score in self.scores if not score.input)
        most = max(given, key=lambda score: score.values.size)
        n = most.values.size
        means = f", means over {count_as_text(n, most.unit)}" if n > 1 else ""
        return f"scores of tools{means}, and differences from {origin}"

    @property
    def sentences(self) -> tuple[str, ...]:
        """How many round to a number, the number of one that is alone, and which were left out."""
        texts = [] if self.near is None else [*self._matches(self.near)]
        if len(self.scores) == 1:
            (alone,) = self.scores
            texts.append(f"{alone.label} gives {score_as_text(alone.estimate, COMPARED_DIGITS)}.")
        if self.left_out:
            texts.append(f"Left out, as they take no weights: {names_as_text(self.left_out)}.")
        return tuple(texts)

    def _names(self) -> Sequence[str]:
        return [score.label for score in self.scores]

    def _matches(self, near: Decimal) -> Iterator[str]:
        """Say how many functions give a number that rounds to this one, and what else may."""
        is_match = _rounds_to(near, self.estimate)
        n_functions = int(np.count_nonzero(is_match))
        n_numbers = np.unique(self._number[is_match]).size
        if n_numbers > 1:
            yield (
                f"{count_as_text(n_functions)} functions give {n_numbers} different numbers that "
                f"round to {near}: more digits of yours tell these apart."
            )
        elif n_functions:
            names = names_as_text([self.scores[row].label for row in np.flatnonzero(is_match)])
            yield f"One number rounds to {near}, that of {names}."
        else:
            yield (
                f"No function gives a number that rounds to {near}, also with other inputs: "
                f"{'; '.join(self.tried)}. Pass k if the first k ranks count, and queries if it is "
                f"a mean over queries or folds. Look at the rows, and at options of your function."
            )
        if n_functions and self.share_given >= LEAST_CHANCE:
            share = share_as_text(self.share_given)
            about = f"the numbers within {NEIGHBOURHOOD:g} of it, with as many digits"
            yield f"By chance, {share} of {about}, match a function."
        if self.n_tied:
            rows = count_as_text(self.n_tied, "row")
            yield (
                f"{rows} share their score with another: many functions rank these in the order "
                f"of the input, so pass rows in the order that your function had."
            )

    @property
    def _number(self) -> Index:
        """The code of the number of each function; equal numbers stand together."""
        steps = np.abs(np.diff(self.estimate, prepend=np.inf))
        return np.cumsum(~(steps < LEAST_EFFECT))

    def _columns(self) -> Sequence[Column]:
        columns = [*number_columns(self.estimate, self.difference)]
        if not self.shows_all:  # how many functions give the number of each
            n_equal = np.bincount(self._number)[self._number]
            cells = [*map(str, n_equal)]
            columns.append(Column(key="functions", head="functions", values=n_equal, cells=cells))
        for name in CHOICES:
            options = [score.call.tool.choices[name] for score in self.scores]
            columns.append(Column(key=name, values=np.array(options)))
        return columns

    def _shown_rows(self) -> Sequence[int]:
        if self.shows_all:
            return range(len(self.scores))
        return [*np.unique(self._number, return_index=True)[1][:N_NEAREST].tolist()]


def _read_near(near: Argument) -> Decimal:
    """Read a number with its digits: those of a float are the fewest that it is printed with."""
    text = near if isinstance(near, str) else str(check_real_number("near", near))
    try:
        value = Decimal(text.removesuffix("%").replace(",", "."))  # 0,67 is a decimal comma
    except InvalidOperation:
        raise ValueError(f"near must be a number, got {near!r}.") from None
    if text.endswith("%"):
        value = value.scaleb(-2)  # 67.10% has the digits of 0.6710
    if value.is_finite() and -1 <= value <= 1:  # some functions give -1 where they have no score
        return value
    is_percentage = value.is_finite() and 1 < value <= 100
    hint = f" Is it a percentage? Pass {value.scaleb(-2)}." if is_percentage else ""
    raise ValueError(f"near must be a number of at most 1, as scores are, got {near!r}.{hint}")


def _find_all(
    names: Iterable[str | Definition] | None, k: int, near: float | str | None
) -> list[Tool]:
    """Find the functions of these names, each once, and scikit-learn's."""
    if (isinstance(names, str) and names == "all") or (names is None and near is not None):
        return [*all_tools(k)]
    if isinstance(names, str | Definition) or not isinstance(names, Iterable | None):
        raise TypeError(f"tools must be several names, got {names!r:.80}.")
    wanted = WELL_KNOWN if names is None else [*names]
    if not wanted:
        raise ValueError("tools is empty: pass names, or None for well-known functions.")
    found = [get_tool(BASELINE), *(tool for name in wanted for tool in find_tools(name))]
    return [*{tool.name: tool for tool in found}.values()]


def _sort(scores: Sequence[ToolAnswer], near: Decimal | None) -> tuple[ToolAnswer, ...]:
    """Put scikit-learn's number and then the highest first, or the nearest; exceptions last."""

    def place(score: ToolAnswer) -> tuple[bool | float, ...]:
        number = round(score.estimate, 6)
        if isnan(number):
            return (True, bool(score.exception))
        if near is None:
            return (False, score.name != BASELINE, -score.estimate)
        return (False, abs(number - float(near)), number, score.name not in WELL_KNOWN)

    return tuple(sorted(scores, key=place))
