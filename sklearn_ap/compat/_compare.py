"""All tools' numbers for the same predictions, side by side, and those nearest to a number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from sklearn_ap._arithmetic import ABSOLUTE_TOLERANCE
from sklearn_ap._errors import InputError, InputTypeError
from sklearn_ap._inputs.options import check_count, check_real_number
from sklearn_ap._inputs.request import Request
from sklearn_ap._results.column import Column
from sklearn_ap._results.doubt import Doubt
from sklearn_ap._results.result import Result
from sklearn_ap._types import Argument, Float, Index, Label
from sklearn_ap._writing.table import Table
from sklearn_ap._writing.text import change_as_text, count_as_text, names_as_text, score_as_text
from sklearn_ap.compat._answers import CheckedPredictions, ToolAnswer
from sklearn_ap.compat._tool_formulas import CHOICES
from sklearn_ap.compat._tool_functions import BASELINE, Call, ToolFunction, all_calls, all_functions
from sklearn_ap.compat._tool_names import find_functions, get_function
from sklearn_ap.definitions import Definition
from sklearn_ap.definitions._conventions import USUAL_K

COMPARED_DIGITS = 4
LEAST_EFFECT = 1e-6  # smaller changes come from float32, or from the order of a sum
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
    k: int = USUAL_K,
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
        ten well-known functions or, with ``near``, all, of which the ten nearest are printed.
    k : int, default=10
        How many ranks count, for the functions that need k.
    near : float or str, default=None
        A number that you have, with all its digits, as text if the last one is 0, such as "0.670".
        The nearest numbers come first, with their differences from yours. Functions that may take k
        are called with and without it. Their other arguments are at their defaults.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights; functions that take none are left out, and named.
    queries, clusters, n_positives, pos_label : as in compat.score
        The numbers of queries are averaged.

    Returns
    -------
    ToolTable
        A row for each function, scikit-learn's and then the highest first. With ``near``, it is a
        NearestTable, with the nearest first.

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
    request = Request(
        y_true=y_true,
        y_score=y_score,
        pos_label=pos_label,
        sample_weight=sample_weight,
        queries=queries,
        n_positives=n_positives,
        clusters=clusters,
    )
    k = check_count("k", k)
    if tools is None:
        tools = WELL_KNOWN if near is None else "all"
    functions = _find_all(tools, k)
    left_out: tuple[str, ...] = ()
    if sample_weight is not None:
        left_out = tuple(function.name for function in functions if not function.takes_weights)
        functions = [function for function in functions if function.takes_weights]
    predictions = CheckedPredictions(request)
    if near is not None:
        number = _check_near(near)
        calls = [call for function in functions for call in all_calls(function, k)]
        nearest = _sort_nearest(number, predictions.ask_all(calls))
        return NearestTable(nearest, left_out, number, doubts=predictions.doubts)
    calls = [Call(function, k if function.needs_k else None) for function in functions]
    baseline, *others = predictions.ask_all(calls)
    order = np.argsort([-answer.estimate for answer in others], kind="stable")  # nan comes last
    answers = (baseline, *(others[row] for row in order))
    return ToolTable(answers, left_out, doubts=predictions.doubts)


def _find_all(names: Iterable[str | Definition], k: int) -> list[ToolFunction]:
    """Find scikit-learn's function, and those of these names, each once."""
    if isinstance(names, str) and names == "all":
        return [*all_functions(k)]
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise InputTypeError(
            f"tools must be several names, got {names!r:.80}. Write a list, as ['xgboost.aucpr']."
        )
    functions = [function for name in names for function in find_functions(name)]
    by_name = {function.name: function for function in (get_function(BASELINE), *functions)}
    return [*by_name.values()]


def _check_near(near: Argument) -> Decimal:
    """Check a number, and keep its digits: those of a float are the fewest that it prints with."""
    text = near if isinstance(near, str) else str(check_real_number("near", near))
    with suppress(InvalidOperation):  # of text that is no number, and of nan
        if 0 <= (number := Decimal(text)) <= 1:
            return number
    raise InputError(f"near must be a number from 0 to 1, such as 0.571 for 57.1%, got {near!r}.")


def _sort_nearest(near: Decimal, answers: Sequence[ToolAnswer]) -> tuple[ToolAnswer, ...]:
    """Sort answers by their distance, nan last; of equal ones, well-known functions come first."""
    numbers = np.array([answer.estimate for answer in answers]).round(6)
    is_less_known = np.array([answer.name not in WELL_KNOWN for answer in answers])
    # The last key counts first.
    order = np.lexsort((is_less_known, numbers, np.abs(numbers - float(near))))
    return tuple(answers[row] for row in order)


@dataclass(frozen=True, eq=False, repr=False)
class ToolTable(Result):
    """The numbers of tools for the same predictions.

    The number of scikit-learn comes first, and then the highest.

    Parameters
    ----------
    answers : tuple of ToolAnswer
        The number of each function, in the order of the table.
    left_out : tuple of str
        The functions that were asked for and take no weights, if there are weights.
    doubts : tuple of Doubt, default=()
        Why the scores may be unreliable: the warnings about them.
    """

    answers: tuple[ToolAnswer, ...]
    left_out: tuple[str, ...]
    doubts: tuple[Doubt, ...] = field(default=(), kw_only=True)

    @property
    def estimate(self) -> Float:
        """The number of each function."""
        return np.array([answer.estimate for answer in self.answers])

    @property
    def difference(self) -> Float:
        """The difference of each number from scikit-learn's."""
        return self.estimate - self.estimate[0]

    @property
    def heading(self) -> str:
        """What the numbers are, and what differences are from."""
        answer = self.answers[0]
        n = answer.values.size
        means = f", means over {count_as_text(n, answer.unit)}" if n > 1 else ""
        return f"scores of tools{means}, and differences from {self._origin}"

    @property
    def sentences(self) -> tuple[str, ...]:
        """Which functions were left out."""
        if not self.left_out:
            return ()
        return (f"Left out, because they take no weights: {names_as_text(self.left_out)}.",)

    @property
    def _origin(self) -> str:
        return "scikit-learn's"

    def _names(self) -> Sequence[str]:
        return [answer.label for answer in self.answers]

    def _columns(self) -> Sequence[Column]:
        options = {
            choice: [answer.call.function.choices[choice].name for answer in self.answers]
            for choice in CHOICES
        }
        choices = (Column(key=key, values=np.array(names)) for key, names in options.items())
        return (*self._number_columns(), *choices)

    def _number_columns(self) -> Sequence[Column]:
        return number_columns(self.estimate, self.difference)

    def _shown_rows(self) -> Sequence[int]:
        return range(len(self.answers))

    def _printed_table(self) -> Table:
        return self._table(self._shown_rows())  # of one number, too, which no sentence tells


@dataclass(frozen=True, eq=False, repr=False)
class NearestTable(ToolTable):
    """The numbers of tools for the same predictions, those nearest to a number first.

    Parameters
    ----------
    answers, left_out : as in ToolTable
        The number of each function, and the functions without weights.
    near : Decimal
        The number that was asked about, with its digits.
    doubts : tuple of Doubt, default=()
        As in ``ToolTable``.
    """

    near: Decimal

    _choice_of_rows = "functions with the nearest numbers, one of each number"

    @property
    def difference(self) -> Float:
        """The difference of each number from ``near``."""
        return self.estimate - float(self.near)

    @property
    def _origin(self) -> str:
        return str(self.near)

    @property
    def sentences(self) -> tuple[str, ...]:
        """Which functions give a number that rounds to ``near``."""
        half_unit = 0.5 * 10.0 ** min(0, int(self.near.as_tuple().exponent))  # of "0E+9", too
        # Rounding moves a difference of half a unit, and float32 a number of many digits.
        is_match = np.abs(self.difference) <= max(half_unit, LEAST_EFFECT) + ABSOLUTE_TOLERANCE
        names = [self.answers[row].label for row in np.flatnonzero(is_match)]
        functions = count_as_text(len(names), "function")
        text = f"{self.near} is the rounded number of {functions}: {names_as_text(names)}."
        if not names:
            text = (
                f"No function gives a number that rounds to {self.near}. One may with another k, "
                f"with other thresholds, or as a mean over queries or folds: see docs/compat.md."
            )
        return (text, *super().sentences)

    @property
    def _number_code(self) -> Index:
        """The code of the number of each function: equal numbers, which stand together, share it.

        Each nan, at the end of the table, has a code of its own.
        """
        is_equal = np.abs(np.diff(self.estimate)) < LEAST_EFFECT
        return np.cumsum(np.concatenate(([True], ~is_equal)))

    def _number_columns(self) -> Sequence[Column]:
        n_equal = np.bincount(self._number_code)[self._number_code]
        cells = [*map(str, n_equal)]
        functions = Column(key="functions", head="functions", values=n_equal, cells=cells)
        return (*super()._number_columns(), functions)

    def _shown_rows(self) -> Sequence[int]:
        if len(self.answers) <= N_NEAREST:
            return super()._shown_rows()
        _, first_rows = np.unique(self._number_code, return_index=True)
        return [*first_rows[:N_NEAREST].tolist()]


def number_columns(scores: Float, changes: Float) -> tuple[Column, Column]:
    """Make the columns of scores, and of their differences from others."""
    scores_as_text = [score_as_text(each, COMPARED_DIGITS) for each in scores.tolist()]
    changes_as_text = [
        "0" if abs(each) < ABSOLUTE_TOLERANCE else change_as_text(each, COMPARED_DIGITS)
        for each in changes.tolist()
    ]
    return (
        Column(key="estimate", head="score", values=scores, cells=scores_as_text),
        Column(key="difference", head="difference", values=changes, cells=changes_as_text),
    )
