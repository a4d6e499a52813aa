"""All tools' numbers side by side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from math import isfinite
from textwrap import fill
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from sklearn_ap._base.text import first_and_more, html_table
from sklearn_ap._inputs.arrays import ABSOLUTE_TOLERANCE
from sklearn_ap._inputs.options import check_k, check_real_number
from sklearn_ap._questions.result import Result
from sklearn_ap._types import Argument, Axes, Keywords, Label
from sklearn_ap._uncertainty.warnings import issue_warnings, warnings_of_scores
from sklearn_ap.compat._checked_predictions import check_predictions
from sklearn_ap.compat._evaluation import (
    Evaluation,
    FunctionResult,
    as_number,
    as_share,
    compute_result,
    difference,
    same,
)
from sklearn_ap.compat._picture import plot_tools
from sklearn_ap.compat._tool_entry import Entry
from sklearn_ap.compat._tools import ALL_ENTRIES, BASELINE, WELL_KNOWN, find
from sklearn_ap.definitions import Definition

NEAR = 0.01  # the distance of a number from its two digits is smaller
LINE_WIDTH = 80  # the width of the command line
MOST_LINES = 10  # the distinct numbers that are printed near one
MOST_NAMES = 3  # the functions that are named for one number

Group = tuple[FunctionResult, ...]  # functions with the same number
# The columns of a result, before those that describe its function.
RESULT_COLUMNS = (
    "name",
    "value",
    "difference",
    "k",
    "refusal",
    "left_out",
    "n_queries",
    "pooled",
)


class Part(NamedTuple):
    """The groups that are printed together, between lines of text."""

    title: list[str]
    groups: list[Group]
    remark: list[str]


@dataclass(frozen=True, slots=True)
class ToolTable(Result):
    """The numbers of all tools for the same predictions, with equal numbers together.

    The number of scikit-learn comes first, or those nearest to the numbers that were asked about.

    Print it, draw it with ``plot``, or get a table with ``to_frame``.

    Parameters
    ----------
    groups : tuple of tuple of FunctionResult
        Functions with the same number.
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

    groups: tuple[Group, ...]
    near: tuple[float, ...] = ()
    shows_all: bool = False

    @property
    def baseline(self) -> float:
        """The number of scikit-learn."""
        return next(row.value or 0.0 for row in self.results if row.name == BASELINE.name)

    @property
    def results(self) -> list[FunctionResult]:
        """The results of all functions, in one list."""
        return [row for group in self.groups for row in group]

    def _rows(self) -> list[Keywords]:
        # With the columns of the page of tools: the table of a supplement.
        return [
            {name: getattr(row, name) for name in RESULT_COLUMNS} | row.entry.columns()
            for row in self.results
        ]

    def plot(self, ax: Axes | None = None, *, all_names: bool = False) -> Axes:
        """Draw each number as a point, lowest first, with the names behind it.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None for a new figure, as high as the names need.
        all_names : bool, default=False
            Whether to name all functions with one number, rather than three of them.

        Returns
        -------
        matplotlib Axes
            With the picture.
        """
        return plot_tools(self, ax, most_names=None if all_names else MOST_NAMES)

    def __str__(self) -> str:
        lines = []
        for title, groups, remark in self._parts:
            lines += title
            lines += [
                _line(group, len(group) if self.shows_all else MOST_NAMES) for group in groups
            ]
            lines += remark
        return "\n".join([*lines, *self._hint])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        table = ""
        for title, groups, remark in self._parts:
            most_names = None if self.shows_all else MOST_NAMES
            rows = [
                (_names(group, most_names), group[0].value, group[0].difference) for group in groups
            ]
            table += "".join(f"<p>{text}</p>" for text in title)
            table += html_table(("functions", "value", "difference"), rows)
            table += "".join(f"<p>{text}</p>" for text in remark)
        return table + "".join(f"<p>{text}</p>" for text in self._hint)

    @property
    def _parts(self) -> list[Part]:
        """The printed groups: those with well-known functions, or the nearest to each number."""
        if not self.near:
            names = {row.name for row in self.results} if self.shows_all else WELL_KNOWN
            groups = [tuple(row for row in group if row.name in names) for group in self.groups]
            return [Part([], [group for group in groups if group], [])]
        return [self._nearest_part(number) for number in self.near]

    def _nearest_part(self, number: float) -> Part:
        """Find the numbers nearest to this one, and count those that round to it."""
        groups = sorted(
            (tuple(_compare_with(row, number) for row in group) for group in self.groups),
            key=lambda group: _sort_key(group[0], is_near=True),
        )
        n_digits = max(2, -int(Decimal(str(number)).as_tuple().exponent))
        rows = [group[0] for group in groups if group[0].value is not None]
        changes = [abs(row.difference or 0.0) for row in rows]
        n_alike = sum(change <= 0.5 / 10**n_digits + ABSOLUTE_TOLERANCE for change in changes)
        title = [f"Near {number:g}:"] if len(self.near) > 1 else []
        if changes and changes[0] > NEAR:
            title.append(
                f"No function gives a number within {NEAR} of {number:g} on these predictions."
            )
        elif changes and not n_alike:
            title.append(f"No number rounds to {number}. The nearest:")
        remark = [f"{n_alike} results round to {number}: pass more digits to tell them apart."]
        n_lines = len(groups) if self.shows_all else max(n_alike, MOST_LINES // len(self.near))
        return Part(title, groups[:n_lines], remark if n_alike > 1 else [])

    @property
    def _hint(self) -> list[str]:
        if self.shows_all:
            return []
        return [f'tools="all" names all {len(ALL_ENTRIES)} functions.']


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
    y_true : array-like of shape (n_samples,) or (n_samples, n_columns)
        Binary labels, nan for unknown ones. Each column of several is a query.
    y_score : array-like of shape (n_samples,) or (n_samples, n_columns)
        Scores.
    tools : iterable of str or Definition, or "all", default=None
        Names of tools, functions or our scores, and definitions, such as ``AtK(10)``. None gives
        all, and prints ten well-known ones, or a line for each of the nearest numbers.
    k : int, default=10
        How many ranks count, for the functions that need k.
    near : float or sequence of float, default=None
        Numbers that you have. The functions with the nearest numbers come first, and differences
        are from your number rather than from scikit-learn's. All numbers that round to it are
        printed. Functions that may take k are called with and without it, and those of several
        queries also on all rows as one ranking, which is called pooled.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights; functions that take none are left out.
    queries : array-like of shape (n_samples,), default=None
        The query of each row. The numbers of all queries are averaged. Queries for which a function
        gives nan, -1 or an exception are left out.
    clusters : array-like of shape (n_samples,), default=None
        Ignored, so that you can pass what you pass to ``average_precision_interval``.
    n_positives : float or array-like of shape (n_queries,), default=None
        All positives of each query, in sorted order of the queries, where some were never scored.
    pos_label : int, float, bool or str, default=None
        The positive label. None means 1 for {0, 1} and {-1, 1}; other binary labels need it.

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
     0.7500           sklearn.average_precision_score
     0.8750  +0.1250  catboost.PRAUC
     0.3750  -0.3750  MLmetrics.PRAUC

    Which of them gives 0.87?

    >>> compat.compare([1, 0, 0, 1], [0.9, 0.6, 0.6, 0.6], tools=["catboost.PRAUC"], near=0.87)
     0.8750  +0.0050  catboost.PRAUC
     0.7500  -0.1200  sklearn.average_precision_score
    """
    numbers = _numbers(near)
    entries = [entry for entry in _entries(tools) if entry.weights or sample_weight is None]
    k = check_k(k)
    predictions = check_predictions(
        y_true,
        y_score,
        sample_weight=sample_weight,
        queries=queries,
        pos_label=pos_label,
        n_positives=n_positives,
        clusters=clusters,
    )
    issue_warnings(warnings_of_scores(y_score))
    results = _results(entries, Evaluation(predictions), k, tries_optional_k=bool(numbers))
    if numbers and predictions.has_queries:
        pooled = _results(entries, Evaluation(predictions.pool()), k, tries_optional_k=True)
        results += [replace(row, pooled=True) for row in pooled]
    origins = numbers or (next(row.value for row in results if row.name == BASELINE.name),)
    rows = [_compare_with(row, _nearest(row.value, origins)) for row in results]
    groups = sorted(_group(rows), key=lambda group: _sort_key(group[0], bool(numbers)))
    return ToolTable(tuple(groups), numbers, shows_all=tools is not None)


def _numbers(near: Argument) -> tuple[float, ...]:
    """Check the numbers of ``near``."""
    if near is None:
        return ()
    near = near.tolist() if np.ndim(near) and hasattr(near, "tolist") else near
    values = near if isinstance(near, Sequence) and not isinstance(near, str) else [near]
    numbers = tuple(check_real_number("near", value) for value in values)
    if not numbers or not all(map(isfinite, numbers)):
        raise ValueError(f"near must be a finite number, or several, got {near!r}.")
    return numbers


class FunctionCall(NamedTuple):
    """A function, and the number of ranks that it gets."""

    entry: Entry
    k: int | None

    @property
    def curve_key(self) -> tuple[str, ...]:
        """Equal for functions that share curves, which the first four choices draw."""
        choices = self.entry.choices
        curve = (choices.scores, choices.ties, choices.between, choices.start)
        return (*curve, *self.entry.options)


def _results(
    entries: list[Entry], evaluation: Evaluation, k: int, tries_optional_k: bool
) -> list[FunctionResult]:
    """Compute the results of functions; with an optional k twice, if ``tries_optional_k``."""
    calls = [
        FunctionCall(entry, k if entry.k in ("required", "usual") else None) for entry in entries
    ]
    if tries_optional_k:
        calls += [FunctionCall(entry, k) for entry in entries if entry.k == "optional"]
    results = {}
    # Sorted, so that functions that share curves follow each other.
    for call in sorted(calls, key=lambda call: call.curve_key):
        results[call] = compute_result(call.entry, evaluation, call.k, call.entry.options)
    return [results[call] for call in calls]


def _nearest(value: float | None, numbers: tuple[float | None, ...]) -> float | None:
    return min(numbers, key=lambda number: abs(difference(value, number) or 0.0))


def _compare_with(row: FunctionResult, number: float | None) -> FunctionResult:
    return replace(row, difference=difference(row.value, number))


def _entries(tools: Iterable[str | Definition] | None) -> list[Entry]:
    """Find the entries of the tools, each once, scikit-learn's first."""
    if tools is None or (isinstance(tools, str) and tools == "all"):
        return list(ALL_ENTRIES)
    if isinstance(tools, str | Definition) or not isinstance(tools, Iterable):
        raise TypeError(f"tools must be several names, got {tools!r}.")
    entries = [entry for name in tools for entry in find(name)]
    return list(dict.fromkeys([BASELINE, *entries]))


def _group(rows: list[FunctionResult]) -> list[Group]:
    groups: dict[FunctionResult, list[FunctionResult]] = {}
    for row in rows:
        first = next((first for first in groups if same(first.value, row.value)), row)
        groups.setdefault(first, []).append(row)
    return list(map(tuple, groups.values()))


def _sort_key(row: FunctionResult, is_near: bool) -> tuple[bool, bool, bool, float]:
    """Sort scikit-learn's number and then the largest first, or the nearest; nan; exceptions."""
    is_baseline = not is_near and row.name == BASELINE.name
    change = row.difference or 0.0
    distance = abs(change) if is_near else -change
    return not is_baseline, row.value is None, row.difference is None, distance


def _line(group: Group, most_names: int) -> str:
    """Write a number, its difference, and the names of its functions."""
    change = as_share(group[0].difference or None)
    start = f"{as_number(group[0].value):>7} {change:>8}  "
    return fill(
        _names(group, most_names),
        LINE_WIDTH,
        initial_indent=start,
        subsequent_indent=" " * len(start),
    )


def _names(group: Group, most: int | None) -> str:
    """List functions with their notes, well-known ones first, and count those left out."""
    rows = sorted(group, key=lambda row: row.name not in WELL_KNOWN)
    return first_and_more([row.name + (f" ({row.note})" if row.note else "") for row in rows], most)
