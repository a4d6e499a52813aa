"""All tools' numbers for the same predictions, side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from math import isfinite, isnan, nan
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from sklearn_ap._inputs.arrays import ABSOLUTE_TOLERANCE
from sklearn_ap._inputs.options import check_k, check_real_number
from sklearn_ap._results.result import ChangesResult
from sklearn_ap._results.table import Column, PictureRow, Table
from sklearn_ap._results.text import count_as_text
from sklearn_ap._types import Argument, Float, Label
from sklearn_ap._uncertainty.warnings import issue_warnings, warnings_of_scores
from sklearn_ap.compat._explain import LEAST_EFFECT, change_as_text, number_column, score_as_text
from sklearn_ap.compat._score import Call, Evaluation, Predictions, same
from sklearn_ap.compat._tools import BASELINE, CHOICES, Tool, find, get, our_tools, tools
from sklearn_ap.definitions import Definition

NEAR = 0.01  # the distance of a number from its two digits is smaller
MOST_LINES = 10  # the distinct numbers that are printed near one
MOST_NAMES = 2  # the functions that are named for one number
MOST_LETTERS = 60  # of their names
# The functions that a comparison of all prints.
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
    *,
    tools: Iterable[str | Definition] | Literal["all"] | None = None,
    k: int = 10,
    near: float | Sequence[float] | None = None,
    sample_weight: ArrayLike | None = None,
    queries: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    n_positives: ArrayLike | None = None,
    pos_label: Label | None = None,
) -> ToolTable:
    """Compare all tools' numbers on one set of predictions.

    Parameters
    ----------
    y_true, y_score : array-like
        As in ``compat.score``.
    tools : iterable of str or Definition, or "all", default=None
        Names of tools, functions or our scores, and definitions, such as ``AtK(10)``. None
        computes all, and prints the numbers of ten well-known ones, or the nearest numbers.
    k : int, default=10
        How many ranks count, for the functions that need k.
    near : float or sequence of float, default=None
        Numbers that you have. The functions with the nearest numbers come first, and differences
        are from your number rather than from scikit-learn's. All numbers that round to it are
        printed. Functions that may take k are called with and without it, and those of several
        queries also on all rows as one ranking, which is called pooled.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights; functions that take none are left out.
    queries, clusters, n_positives, pos_label : as in compat.score
        The numbers of queries are averaged.

    Returns
    -------
    ToolTable
        Functions with equal numbers together, scikit-learn's first, or the nearest to ``near``.

    See Also
    --------
    explain : Why two of them differ.

    Examples
    --------
    >>> from sklearn_ap import compat
    >>> compat.compare([1, 0, 0, 1], [0.9, 0.6, 0.6, 0.6], tools=["catboost.PRAUC", "MLmetrics"])
    scores of tools, and differences from scikit-learn's
                                      score  difference
    sklearn.average_precision_score  0.7500
    catboost.PRAUC                   0.8750     +0.1250
    MLmetrics.PRAUC                  0.3750     -0.3750

    Which of them gives 0.87?

    >>> compat.compare([1, 0, 0, 1], [0.9, 0.6, 0.6, 0.6], tools=["catboost.PRAUC"], near=0.87)
    scores of tools, and differences from 0.87
                                      score  difference
    catboost.PRAUC                   0.8750     +0.0050
    sklearn.average_precision_score  0.7500     -0.1200
    """
    numbers = _check_numbers(near)
    call = Call(check_k(k), {})
    functions = [
        tool for tool in _find_all(tools, call.k) if tool.takes_weights or sample_weight is None
    ]
    predictions = Predictions.check(
        y_true,
        y_score,
        sample_weight=sample_weight,
        queries=queries,
        clusters=clusters,
        n_positives=n_positives,
        pos_label=pos_label,
    )
    issue_warnings(warnings_of_scores(y_score))
    rows = [*_call_all(functions, Evaluation(predictions), call, tries_k=bool(numbers))]
    if numbers and predictions.has_queries:
        pooled = _call_all(functions, Evaluation(predictions.pool()), call, tries_k=True)
        rows += [replace(row, is_pooled=True) for row in pooled]
    n_queries = predictions.rankings.n_rankings
    return ToolTable(_sort(rows, numbers), n_queries, numbers, shows_all=tools is not None)


@dataclass(frozen=True)
class ToolScore:
    """The number of one function."""

    tool: Tool
    k: float | None  # the number of ranks that it was told to count
    estimate: float  # nan if it is not defined, or if the function raises an exception
    difference: float  # from scikit-learn's number, or from the nearest one of ``near``
    refusal: str  # the exception that it raises, or ""
    n_left_out: int  # queries without an answer
    is_pooled: bool = False  # whether all queries are one ranking

    @property
    def label(self) -> str:
        """Its name, with what else a reader must know."""
        texts = [] if self.k is None else [f"k={self.k}"]
        if self.is_pooled:
            texts.append("pooled")
        if self.refusal:
            texts.append(f"raises {self.refusal.partition(':')[0]}")
        elif self.n_left_out:
            texts.append(f"{count_as_text(self.n_left_out, 'query')} left out")
        return f"{self.tool.name} ({', '.join(texts)})" if texts else self.tool.name


@dataclass(frozen=True, eq=False, repr=False)
class ToolTable(ChangesResult):
    """The numbers of all tools for the same predictions, with equal numbers together.

    The number of scikit-learn comes first, or those nearest to the numbers that were asked about.

    Print it, draw it with ``plot``, or get a table with ``to_frame``.

    Parameters
    ----------
    groups : tuple of tuples of ToolScore
        The functions with each number, in the order of the table.
    n_queries : int
        The number of queries.
    near : tuple of float, default=()
        The numbers that were asked about.
    shows_all : bool, default=False
        Whether all functions are printed. Otherwise ten well-known ones are, or the ten
        nearest numbers and all that round to ``near``.

    Examples
    --------
    >>> from sklearn_ap import compat
    >>> found = compat.compare([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> round(found.baseline, 4)
    0.8333
    """

    groups: tuple[tuple[ToolScore, ...], ...]
    n_queries: int
    near: tuple[float, ...] = ()
    shows_all: bool = False

    @property
    def scores(self) -> list[ToolScore]:
        """The number of each function, in one list."""
        return [row for group in self.groups for row in group]

    @property
    def baseline(self) -> float:
        """The number of scikit-learn."""
        return next(row.estimate for row in self.scores if row.tool.name == BASELINE)

    @property
    def estimate(self) -> Float:
        """The number of each function."""
        return np.array([row.estimate for row in self.scores])

    @property
    def difference(self) -> Float:
        """The difference of each number from scikit-learn's, or from the nearest of ``near``."""
        return np.array([row.difference for row in self.scores])

    @property
    def heading(self) -> str:
        """What the numbers are, and what differences are from."""
        origin = " or ".join(f"{number:.10g}" for number in self.near) or "scikit-learn's"
        queries = count_as_text(self.n_queries, "query")
        means = f", means over {queries}" if self.n_queries > 1 else ""
        return f"scores of tools{means}, and differences from {origin}"

    @property
    def sentences(self) -> tuple[str, ...]:
        """How many numbers are as near as asked, and how to see all functions."""
        texts = [text for number in self.near for text in self._about_near(number)]
        if not self.shows_all:
            texts.append(f'tools="all" names all {len(_find_all(None, 10))} functions.')
        return tuple(texts)

    def _changes(self) -> Sequence[PictureRow]:
        return [
            PictureRow(_label(line), line[0].estimate - line[0].difference, line[0].estimate)
            for line in self._lines()
            if not isnan(line[0].estimate)
        ]

    def _names(self) -> Sequence[str]:
        return [row.label for row in self.scores]

    def _columns(self) -> Sequence[Column]:
        rows = self.scores
        facts = {
            "function": [row.tool.name for row in rows],
            "k": [nan if row.k is None else row.k for row in rows],
        }
        for name in ("refusal", "n_left_out", "is_pooled"):
            facts[name] = [getattr(row, name) for row in rows]
        for name in (*CHOICES, "answers", "version", "known"):
            facts[name] = [getattr(row.tool, name) for row in rows]
        scores, changes = self.estimate, self.difference
        return (
            number_column("estimate", "score", scores, score_as_text),
            number_column("difference", "difference", changes, change_as_text),
            *(Column(key=name, values=np.array(values)) for name, values in facts.items()),
        )

    def _printed_table(self) -> Table:
        """Return a line for each number, or for each function that was asked for."""
        table = self._table(range(len(self.scores)))
        cells = {id(row): line for row, line in zip(self.scores, table.body, strict=True)}
        body = [[_label(line), *cells[id(line[0])][1:]] for line in self._lines()]
        return replace(table, body=body)

    def _texts(self) -> list[str]:
        return [*self.sentences]

    def _lines(self) -> Sequence[Sequence[ToolScore]]:
        """Return the functions of each printed line."""
        if self.near:
            n_alike = max(self._count_alike(number) for number in self.near)
            return self.groups if self.shows_all else self.groups[: max(n_alike, MOST_LINES)]
        if self.shows_all:
            return [[row] for row in self.scores]
        return [group for group in self.groups if any(map(_is_well_known, group))]

    def _count_alike(self, number: float) -> int:
        """Count the distinct numbers that round to a number, by its digits."""
        n_digits = max(2, -int(Decimal(str(number)).as_tuple().exponent))
        half_unit = 0.5 / 10**n_digits + ABSOLUTE_TOLERANCE
        return sum(abs(group[0].estimate - number) <= half_unit for group in self.groups)

    def _about_near(self, number: float) -> Iterator[str]:
        n_alike = self._count_alike(number)
        distance = np.nanmin(np.abs(self.estimate - number), initial=np.inf)
        if distance > NEAR:
            yield f"No function gives a number within {NEAR} of {number:g} on these predictions."
        elif not n_alike:
            yield f"No number rounds to {number:g}."
        elif n_alike > 1:
            yield f"{n_alike} numbers round to {number:g}: pass more digits to tell them apart."


def _label(line: Sequence[ToolScore]) -> str:
    """Name the first functions of a line, well-known ones alone, and count the others."""
    names = [row.label for row in line]
    n_known = sum(map(_is_well_known, line))
    named = names[: min(n_known or MOST_NAMES, MOST_NAMES)]
    if len(", ".join(named)) > MOST_LETTERS:
        named = names[:1]
    n_others = len(names) - len(named)
    return ", ".join(named) + (f" and {n_others} more" if n_others else "")


def _is_well_known(row: ToolScore) -> bool:
    return row.tool.name in WELL_KNOWN


def _check_numbers(near: Argument) -> tuple[float, ...]:
    """Check the numbers of ``near``."""
    if near is None:
        return ()
    near = near.tolist() if np.ndim(near) and hasattr(near, "tolist") else near
    values = near if isinstance(near, Sequence) and not isinstance(near, str) else [near]
    numbers = tuple(check_real_number("near", value) for value in values)
    if not numbers or not all(map(isfinite, numbers)):
        raise ValueError(f"near must be a finite number, or several, got {near!r}.")
    return numbers


def _find_all(names: Iterable[str | Definition] | None, k: float | None) -> list[Tool]:
    """Find the functions of these names, each once, scikit-learn's first."""
    if names is None or (isinstance(names, str) and names == "all"):
        return [*tools(), *our_tools(k)]
    if isinstance(names, str | Definition) or not isinstance(names, Iterable):
        raise TypeError(f"tools must be several names, got {names!r}.")
    found = [tool for name in names for tool in find(name)]
    return list(dict.fromkeys([get(BASELINE), *found]))


def _call_all(
    functions: Sequence[Tool], evaluation: Evaluation, call: Call, *, tries_k: bool
) -> Iterator[ToolScore]:
    """Call functions with k if they need it; with an optional k twice, if ``tries_k``."""
    plain_call = Call(None, {})
    calls = [(tool, call if tool.k == "required" else plain_call) for tool in functions]
    if tries_k:
        calls += [(tool, call) for tool in functions if tool.k == "optional"]
    # Sorted, so that functions that share scores and ties follow each other.
    for tool, each in sorted(calls, key=lambda pair: (pair[0].scores, pair[0].ties)):
        answer = each.answer(tool, evaluation)
        yield ToolScore(tool, each.k, answer.mean, nan, answer.refusal, answer.n_left_out)


def _sort(rows: Sequence[ToolScore], near: tuple[float, ...]) -> tuple[tuple[ToolScore, ...], ...]:
    """Put equal numbers together: scikit-learn's and then the highest first, or the nearest."""
    baseline = next(row.estimate for row in rows if row.tool.name == BASELINE)
    origins = np.array(near or (baseline,))
    changes = [row.estimate - origins for row in rows]
    nearest = [each[np.argmin(np.abs(each))] for each in changes]
    rows = [replace(row, difference=float(x)) for row, x in zip(rows, nearest, strict=True)]
    groups: list[list[ToolScore]] = []
    # Numbers, nan, and exceptions, each in a part of its own.
    for row in sorted(rows, key=lambda row: (bool(row.refusal), isnan(row.estimate), row.estimate)):
        if groups and _are_equal(groups[-1][0], row):
            groups[-1].append(row)
        else:
            groups.append([row])

    def place(group: list[ToolScore]) -> tuple[Argument, ...]:
        first = group[0]
        distance = abs(first.difference)
        order = (distance,) if near else (distance > LEAST_EFFECT, -first.estimate)
        return bool(first.refusal), isnan(first.estimate), *order

    return tuple(
        tuple(sorted(group, key=lambda row: not _is_well_known(row)))
        for group in sorted(groups, key=place)
    )


def _are_equal(first: ToolScore, second: ToolScore) -> bool:
    if bool(first.refusal) != bool(second.refusal):
        return False
    return same(first.estimate, second.estimate, LEAST_EFFECT)
