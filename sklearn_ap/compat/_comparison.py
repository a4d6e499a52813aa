"""All tools' numbers side by side."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from math import isfinite
from textwrap import fill
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from sklearn_ap._base.drawing.axes import REFERENCE_STYLE, axes_colors, axes_size, prepare_axes
from sklearn_ap._base.drawing.legend import draw_legend
from sklearn_ap._base.inputs.arrays import ABSOLUTE_TOLERANCE
from sklearn_ap._base.inputs.checks import check_real_number
from sklearn_ap._base.inputs.option_checks import check_k
from sklearn_ap._base.inputs.unknown_options import explains_options
from sklearn_ap._base.text import first_and_more, html_table
from sklearn_ap._questions.result import Result
from sklearn_ap._uncertainty.warnings import issue_warnings, warnings_of_scores
from sklearn_ap.compat._checked_predictions import check_predictions
from sklearn_ap.compat._evaluation import (
    Evaluation,
    FunctionResult,
    as_number,
    as_share,
    difference,
    result_of,
    same,
)
from sklearn_ap.compat._tool_entry import Entry
from sklearn_ap.compat._tools import ALL_ENTRIES, BASELINE, WELL_KNOWN, find
from sklearn_ap.definitions import Definition

NEAR = 0.01  # a number that somebody has rounded to two digits is as near
WIDTH = 80  # of printed lines, as on the command line
MOST_LINES, MOST_NAMES = 10, 3  # of distinct numbers near one, and of functions on each

Group = tuple[FunctionResult, ...]  # with the same number
Part = tuple[list[str], list[Group], list[str]]  # a title, groups, and a remark
# What a row has of a result, before what describes its function.
COLUMNS = (
    "name",
    "value",
    "difference",
    "k",
    "refusal",
    "left_out",
    "n_queries",
    "pooled",
)
LETTERS = 10.0  # points: the size of names in a new figure
LINE_HEIGHT = 1.35  # in letters


@dataclass(frozen=True, slots=True)
class Comparison(Result):
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
        """What all functions gave, in one list."""
        return [row for group in self.groups for row in group]

    def rows(self) -> list[dict[str, Any]]:
        # With the columns of the page of tools: the table of a supplement.
        return [
            {name: getattr(row, name) for name in COLUMNS} | row.entry.columns()
            for row in self.results
        ]

    def plot(self, ax: Any = None, *, all_names: bool = False) -> Any:
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
        return plot_tools(self, ax, all_names)

    def __str__(self) -> str:
        lines = []
        for title, groups, remark in self._parts:
            shown = [_line(group, len(group) if self.shows_all else MOST_NAMES) for group in groups]
            lines += [*title, *shown, *remark]
        return "\n".join([*lines, *self._way])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        table = ""
        for title, groups, remark in self._parts:
            most = None if self.shows_all else MOST_NAMES
            rows = [(_names(group, most), group[0].value, group[0].difference) for group in groups]
            table += "".join(f"<p>{text}</p>" for text in title)
            table += html_table(("functions", "value", "difference"), rows)
            table += "".join(f"<p>{text}</p>" for text in remark)
        return table + "".join(f"<p>{text}</p>" for text in self._way)

    @property
    def _parts(self) -> list[Part]:
        """What is printed: the groups with well-known functions, or those near each number."""
        if not self.near:
            names = {row.name for row in self.results} if self.shows_all else WELL_KNOWN
            known = [tuple(row for row in group if row.name in names) for group in self.groups]
            return [([], [rows for rows in known if rows], [])]
        return [self._near(number) for number in self.near]

    def _near(self, number: float) -> Part:
        """The nearest numbers, with their differences from this one, and how many round to it."""
        groups = sorted(
            (tuple(_beside(row, number) for row in group) for group in self.groups),
            key=lambda group: _place(group[0], is_near=True),
        )
        n_digits = max(2, -int(Decimal(str(number)).as_tuple().exponent))
        known = [group[0] for group in groups if group[0].value is not None]
        changes = [abs(row.difference or 0.0) for row in known]
        alike = sum(change <= 0.5 / 10**n_digits + ABSOLUTE_TOLERANCE for change in changes)
        title = [f"Near {number:g}:"] if len(self.near) > 1 else []
        if changes and changes[0] > NEAR:
            title.append(
                f"No function gives a number within {NEAR} of {number:g} on these predictions."
            )
        elif changes and not alike:
            title.append(f"No number rounds to {number}. The nearest:")
        remark = [f"{alike} numbers round to {number}: you cannot tell which it is."]
        most = len(groups) if self.shows_all else max(alike, MOST_LINES // len(self.near))
        return title, groups[:most], remark if alike > 1 else []

    @property
    def _way(self) -> list[str]:
        if self.shows_all:
            return []
        return [f'tools="all" names all {len(ALL_ENTRIES)} functions.']


@explains_options
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
    pos_label: Any = None,
) -> Comparison:
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
        The positive label. None means 1 if the labels are {0, 1} or {-1, 1}.

    Returns
    -------
    Comparison
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
    beside = sample_weight, queries, pos_label, n_positives, clusters
    predictions = check_predictions(y_true, y_score, *beside)
    issue_warnings(warnings_of_scores(y_score))
    results = _found(entries, Evaluation(predictions), k, bool(numbers))
    if numbers and predictions.several:
        pooled = _found(entries, Evaluation(predictions.pooled()), k, True)
        results += [replace(row, pooled=True) for row in pooled]
    origins = numbers or (next(row.value for row in results if row.name == BASELINE.name),)
    rows = [_beside(row, _nearest(row.value, origins)) for row in results]
    groups = sorted(_grouped(rows), key=lambda group: _place(group[0], bool(numbers)))
    return Comparison(tuple(groups), numbers, shows_all=tools is not None)


def _numbers(near: Any) -> tuple[float, ...]:
    """The numbers that are asked about, checked."""
    if near is None:
        return ()
    near = near.tolist() if np.ndim(near) and hasattr(near, "tolist") else near
    given = near if isinstance(near, Sequence) and not isinstance(near, str) else [near]
    numbers = tuple(check_real_number("near", each) for each in given)
    if not numbers or not all(map(isfinite, numbers)):
        raise ValueError(f"near must be a finite number, or several, got {near!r}.")
    return numbers


def _found(
    entries: list[Entry], evaluation: Evaluation, k: int, with_optional: bool
) -> list[FunctionResult]:
    """What the functions give, those with an optional k also with it if that is asked for."""
    asked = [(entry, k if entry.k in ("required", "usual") else None) for entry in entries]
    if with_optional:
        asked += [(entry, k) for entry in entries if entry.k == "optional"]
    results = {}
    # In this order, functions that share curves follow each other.
    for entry, told in sorted(asked, key=lambda each: (*each[0].choices[:4], *each[0].options)):
        results[entry, told] = result_of(entry, evaluation, told, entry.options)
    return [results[each] for each in asked]


def _nearest(value: float | None, numbers: tuple[float | None, ...]) -> float | None:
    return min(numbers, key=lambda number: abs(difference(value, number) or 0.0))


def _beside(row: FunctionResult, number: float | None) -> FunctionResult:
    return replace(row, difference=difference(row.value, number))


def _entries(tools: Iterable[str | Definition] | None) -> list[Entry]:
    """The entries that are asked for, each once, scikit-learn's first."""
    if tools is None or (isinstance(tools, str) and tools == "all"):
        return list(ALL_ENTRIES)
    if isinstance(tools, str | Definition) or not isinstance(tools, Iterable):
        raise TypeError(f"tools must be several names, got {tools!r}.")
    named = [entry for name in tools for entry in find(name)]
    return list(dict.fromkeys([BASELINE, *named]))


def _grouped(rows: list[FunctionResult]) -> list[Group]:
    groups: dict[FunctionResult, list[FunctionResult]] = {}
    for row in rows:
        first = next((first for first in groups if same(first.value, row.value)), row)
        groups.setdefault(first, []).append(row)
    return list(map(tuple, groups.values()))


def _place(row: FunctionResult, is_near: bool) -> tuple[bool, bool, bool, float]:
    """Of numbers, scikit-learn's and then the largest first, or the nearest; nan; exceptions."""
    is_first = not is_near and row.name == BASELINE.name
    change = row.difference or 0.0
    place = abs(change) if is_near else -change
    return not is_first, row.value is None, row.difference is None, place


def _line(group: Group, most: int) -> str:
    """A number, its difference, and the names behind it."""
    change = as_share(group[0].difference or None)
    start = f"{as_number(group[0].value):>7} {change:>8}  "
    return fill(
        _names(group, most), WIDTH, initial_indent=start, subsequent_indent=" " * len(start)
    )


def _names(group: Group, most: int | None) -> str:
    """The names of functions with their notes, known ones first, and how many more there are."""
    rows = sorted(group, key=lambda row: row.name not in WELL_KNOWN)
    return first_and_more([row.name + (f" ({row.note})" if row.note else "") for row in rows], most)


def plot_tools(comparison: Comparison, ax: Any, all_names: bool) -> Any:
    """Draw the numbers, lowest first."""
    numbers = np.array([group[0].value for group in comparison.groups], dtype=float)
    known = np.flatnonzero(~np.isnan(numbers))
    known = known[np.argsort(numbers[known], kind="stable")]
    values, groups = numbers[known], [comparison.groups[i] for i in known]
    names = [_names_beside(group, len(group) if all_names else MOST_NAMES) for group in groups]
    ends = np.cumsum([len(lines) + 0.6 for lines in names])
    middles = ends - np.array([len(lines) / 2 for lines in names])
    height = 1.2 + LINE_HEIGHT * LETTERS / 72 * float(ends[-1])
    (axis,) = prepare_axes(ax, 1, figsize=(8.5, height))
    # Smaller letters where axes that were given are too low for the names.
    letters = float(np.clip((axes_size(axis)[1] - 70) / ends[-1] / LINE_HEIGHT, 4, LETTERS))
    own = comparison.baseline
    axis.axvline(own, label=f"scikit-learn: {own:.3f}", linestyle="--", **REFERENCE_STYLE)
    axis.hlines(middles, np.minimum(values, own), np.maximum(values, own), color="0.6", lw=1)
    axis.plot(values, middles, "o", color=axes_colors(axis).models[0], markersize=5, label="_")
    for value, middle in zip(values, middles, strict=True):
        offset, side = (6, "left") if value >= own else (-6, "right")
        axis.annotate(
            f"{value:.3f}",
            (value, middle),
            xytext=(offset, 0),
            textcoords="offset points",
            ha=side,
            va="center",
            fontsize=letters,
        )
    axis.set_yticks(middles, ["\n".join(lines) for lines in names], fontsize=letters)
    axis.set(xlabel=_xlabel(comparison, groups), ylim=(ends[-1] + 0.6, 0))
    axis.margins(x=0.2)
    draw_legend(axis)
    return axis


def _xlabel(comparison: Comparison, groups: list[tuple[FunctionResult, ...]]) -> str:
    """What the numbers are, what functions were told, and how many give no number."""
    rows = [row for group in groups for row in group]
    told = sorted({row.k for row in rows if row.k is not None})
    given = "".join(f", k={k} where one is needed" for k in told)
    n_without = len(comparison.results) - len(rows)
    without = f"\n{n_without} functions give no number" if n_without else ""
    return f"what the function gives{given}{without}"


def _names_beside(group: tuple[FunctionResult, ...], most: int) -> list[str]:
    """The names of a group in lines, up to the most, and how many there are beyond."""
    return textwrap.wrap(first_and_more([*map(_named, group)], most), 56)


def _named(row: FunctionResult) -> str:
    """The name, and what else there is to say but k, which is the same for all that need one."""
    return f"{row.name} ({row.left_out_note})" if row.left_out else row.name
