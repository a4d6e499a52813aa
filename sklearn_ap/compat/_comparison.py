"""All tools' numbers side by side."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from math import isfinite
from typing import Any, Literal

from numpy.typing import ArrayLike

from sklearn_ap._inputs.checks import real_number
from sklearn_ap._inputs.unknown_options import explains_options
from sklearn_ap._results.result import Result
from sklearn_ap._results.text import as_html
from sklearn_ap._uncertainty.warnings import warn_of, warnings_of_scores
from sklearn_ap.compat._checked_predictions import check_predictions
from sklearn_ap.compat._evaluation import Evaluation, FunctionResult, result_of
from sklearn_ap.compat._numbers_as_text import as_number, as_share, difference, same
from sklearn_ap.compat._tool_entry import Entry
from sklearn_ap.compat._tools import BASELINE, ENTRIES, MOST_USED, find
from sklearn_ap.definitions._option_checks import check_k

NEAR = 0.01  # a number that somebody has rounded to two digits is as near
MOST_LINES, MOST_NAMES = 10, 3  # of distinct numbers near one, and of functions on each

Group = tuple[FunctionResult, ...]  # with the same number


@dataclass(frozen=True, slots=True)
class Comparison(Result):
    """All tools' numbers. Equal ones are together, and scikit-learn's or the nearest come first.

    Parameters
    ----------
    groups : tuple of tuple of FunctionResult
        Functions with the same number.
    near : float, default=None
        The number that was asked about, if any.
    shows_all : bool, default=False
        Whether all functions are printed. Otherwise ten that people use most are, or the ten
        nearest numbers and all that round to ``near``.
    """

    groups: tuple[Group, ...]
    near: float | None = None
    shows_all: bool = False

    @property
    def is_near(self) -> bool:
        """Whether any function gives the number that was asked about, or nearly so."""
        change = self.results[0].difference
        return self.near is None or (change is not None and abs(change) <= NEAR)

    @property
    def baseline(self) -> float:
        """The number of scikit-learn."""
        return next(row.value or 0.0 for row in self.results if row.name == BASELINE.name)

    @property
    def results(self) -> list[FunctionResult]:
        """What all functions gave, in one list."""
        return [row for group in self.groups for row in group]

    def rows(self) -> list[dict[str, Any]]:
        return [asdict(row) for row in self.results]

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
        from sklearn_ap.display._tools import plot_tools

        return plot_tools(self, ax, all_names)

    def __str__(self) -> str:
        lines = [] if self.is_near else [self._nothing_near]
        first = None
        for row, names in self._lines:
            number = change = ""
            if first is None or not same(first.value, row.value):
                first, number, change = row, as_number(row.value), as_share(row.difference or None)
            lines.append(f"{number:>7} {change:>8}  {names}")
        return "\n".join([*lines, *self._remarks])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = [(names, row.value, row.difference) for row, names in self._lines]
        table = as_html(("function", "value", "difference"), rows)
        table += "".join(f"<p>{text}</p>" for text in self._remarks)
        return table if self.is_near else f"<p>{self._nothing_near}</p>{table}"

    @property
    def _lines(self) -> list[tuple[FunctionResult, str]]:
        """What is printed: a function in each line, or all with one of the nearest numbers."""
        if self.near is not None and not self.shows_all:
            groups = self.groups[: max(MOST_LINES, self._n_alike)]
            return [(group[0], _names(group)) for group in groups]
        shown = (row for row in self.results if self.shows_all or row.name in MOST_USED)
        return [(row, _names((row,))) for row in shown]

    @property
    def _n_alike(self) -> int:
        """How many distinct numbers round to ``near``, which has at least two digits."""
        n_digits = max(2, -int(Decimal(str(self.near or 0)).as_tuple().exponent))
        changes = [group[0].difference for group in self.groups]
        return sum(change is not None and abs(change) <= 0.5 / 10**n_digits for change in changes)

    @property
    def _remarks(self) -> list[str]:
        if self.shows_all:
            return []
        way = f'tools="all", or --all, names all {len(self.results)} functions.'
        is_clear = self.near is None or self._n_alike < 2
        return [way] if is_clear else [f"{self._n_alike} numbers round to {self.near}.", way]

    @property
    def _nothing_near(self) -> str:
        return f"No function gives a number within {NEAR} of {self.near:g} on these predictions."


@explains_options
def compare(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    tools: Iterable[str] | Literal["all"] | None = None,
    k: int = 10,
    near: float | None = None,
    sample_weight: ArrayLike | None = None,
    queries: ArrayLike | None = None,
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
    tools : iterable of str or "all", default=None
        Names of tools or functions. None gives all, and prints the ten that people use most, or
        a line for each of the nearest numbers.
    k : int, default=10
        How many ranks count, for the functions that need k.
    near : float, default=None
        A number that you have. The functions with the nearest numbers come first, and differences
        are from this number rather than from scikit-learn's. All numbers that round to it are
        printed.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights; functions that take none are left out.
    queries : array-like of shape (n_samples,), default=None
        The query of each row. The numbers of all queries are averaged. Queries for which a function
        gives nan, -1 or an exception are left out.
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
    if near is not None and not isfinite(near := real_number("near", near)):
        raise ValueError(f"near must be a finite number, got {near!r}.")
    entries = [entry for entry in _entries(tools) if entry.weights or sample_weight is None]
    k = check_k(k)
    predictions = check_predictions(y_true, y_score, sample_weight, queries, pos_label, n_positives)
    warn_of(warnings_of_scores(y_score))
    evaluation = Evaluation(predictions)
    found = {}
    # In this order, functions that share curves follow each other.
    for entry in sorted(entries, key=lambda each: (*each.choices[:4], *each.options)):
        asked = k if entry.k == "required" else None
        found[entry] = result_of(entry, evaluation, asked, entry.options)
    origin = found[BASELINE].value if near is None else near
    rows = [found[entry] for entry in entries]
    rows = [replace(row, difference=difference(row.value, origin)) for row in rows]
    groups = sorted(_grouped(rows), key=lambda group: _place(group[0], near))
    return Comparison(tuple(groups), near, shows_all=tools is not None)


def _entries(tools: Iterable[str] | None) -> list[Entry]:
    """The entries that are asked for, each once, scikit-learn's first."""
    if tools is None or (isinstance(tools, str) and tools == "all"):
        return list(ENTRIES)
    if isinstance(tools, str) or not isinstance(tools, Iterable):
        raise TypeError(f"tools must be several names, got {tools!r}.")
    named = [entry for name in tools for entry in find(name)]
    return list(dict.fromkeys([BASELINE, *named]))


def _grouped(rows: list[FunctionResult]) -> list[Group]:
    groups: dict[FunctionResult, list[FunctionResult]] = {}
    for row in rows:
        first = next((first for first in groups if same(first.value, row.value)), row)
        groups.setdefault(first, []).append(row)
    return list(map(tuple, groups.values()))


def _place(row: FunctionResult, near: float | None) -> tuple[bool, bool, bool, float]:
    """Of numbers, scikit-learn's and then the largest first, or the nearest; nan; exceptions."""
    is_first = near is None and row.name == BASELINE.name
    change = row.difference or 0.0
    place = -change if near is None else abs(change)
    return not is_first, row.value is None, row.difference is None, place


def _names(group: Group) -> str:
    """The names of functions with their notes, known ones first, and how many more there are."""
    rows = sorted(group, key=lambda row: row.name not in MOST_USED)[:MOST_NAMES]
    names = (row.name + (f"  ({row.note})" if row.note else "") for row in rows)
    more = len(group) - MOST_NAMES
    return ", ".join(names) + (f" and {more} more" if more > 0 else "")
