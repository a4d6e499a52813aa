"""All tools' numbers side by side."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import isnan
from typing import Any

from numpy.typing import ArrayLike

from sklearn_ap.compat.choices import CHOICES
from sklearn_ap.compat.entry import Entry
from sklearn_ap.compat.evaluation import Evaluation
from sklearn_ap.compat.lookup import Outcome, conventions, run
from sklearn_ap.compat.predictions import check
from sklearn_ap.compat.table import TABLE
from sklearn_ap.compat.text import as_html, as_number, as_share, same
from sklearn_ap.definitions.options import check_k

__all__ = ["Comparison", "Row", "compare"]

BASELINE = TABLE[0]


@dataclass(frozen=True, slots=True)
class Row:
    """One function's number on some predictions, and its difference from scikit-learn's.

    Parameters
    ----------
    name : str
        The function.
    value : float or None
        Its number, the mean over the queries with an answer; None if it raises.
    difference : float or None
        From scikit-learn's number; None if there is no number.
    k : int or None
        What it was told, if it must be.
    refusal : str or None
        The text of the exception, if it raises.
    left_out : int
        How many queries it has no answer to.
    n_queries : int
        How many queries there are.
    """

    name: str
    value: float | None
    difference: float | None
    k: int | None
    refusal: str | None
    left_out: int
    n_queries: int

    @property
    def note(self) -> str:
        """What there is to know besides the number, in words."""
        if self.refusal is not None:
            return f"raises {self.refusal}"
        told = "" if self.k is None else f"k={self.k}"
        return ", ".join(part for part in (told, self.left_out_note) if part)

    @property
    def left_out_note(self) -> str:
        """How many queries are left out, in words."""
        return f"{self.left_out} of {self.n_queries} queries left out" if self.left_out else ""


@dataclass(frozen=True, slots=True)
class Comparison:
    """All tools' numbers, those that are equal together, scikit-learn's first.

    Parameters
    ----------
    groups : tuple of tuple of Row
        Functions with the same number.

    See Also
    --------
    compare : Make one.
    """

    groups: tuple[tuple[Row, ...], ...]

    @property
    def rows(self) -> list[Row]:
        """All functions in one list."""
        return [row for group in self.groups for row in group]

    def to_dict(self) -> list[dict[str, Any]]:
        """List the functions as rows.

        Returns
        -------
        list of dict
            One per function.
        """
        return [{name: getattr(row, name) for name in Row.__slots__} for row in self.rows]

    def __str__(self) -> str:
        lines = []
        for group in self.groups:
            first = group[0]
            change = as_share(first.difference or None)
            lines.append(f"{as_number(first.value):>7} {change:>8}  {_named(first)}")
            lines += [f"{'':>16}  {_named(row)}" for row in group[1:]]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return as_html(
            [
                {
                    "function": row.name,
                    "value": row.value,
                    "difference": row.difference,
                    "note": row.note,
                }
                for row in self.rows
            ]
        )


def compare(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    tools: Iterable[str] | None = None,
    k: int = 10,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    pos_label: Any = None,
) -> Comparison:
    """Compare all tools' numbers on one set of predictions.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels.
    y_score : array-like of shape (n_samples,)
        Scores.
    tools : iterable of str, default=None
        Names of tools or functions; None for all.
    k : int, default=10
        How many ranks, for the functions that need to be told.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights; functions that take none are left out.
    groups : array-like of shape (n_samples,), default=None
        The query of each row: each function is applied to each query alone, and averaged over
        those to which it has an answer: not nan, not -1, and no exception.
    pos_label : int, float, bool or str, default=None
        The positive label. None stands for 1 where the labels are {0, 1} or {-1, 1}.

    Returns
    -------
    Comparison
        Functions with equal numbers together, scikit-learn's first.

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
    """
    entries = [entry for entry in _entries(tools) if entry.weights or sample_weight is None]
    k = check_k(k)
    evaluation = Evaluation(
        check(y_true, y_score, sample_weight=sample_weight, groups=groups, pos_label=pos_label)
    )
    asked = {entry: k if entry.k == "required" else None for entry in entries}
    found = {
        entry: run(entry, evaluation, asked[entry], entry.options)
        for entry in sorted(entries, key=_sorting)
    }
    baseline = found[BASELINE].value
    n_queries = evaluation.predictions.sizes.size
    rows = [_row(entry, found[entry], asked[entry], baseline, n_queries) for entry in entries]
    return Comparison(_grouped(rows))


def _entries(tools: Iterable[str] | None) -> list[Entry]:
    """The entries that are asked for, each once, scikit-learn's first."""
    if tools is None:
        return conventions()
    if isinstance(tools, str):
        raise TypeError(f"tools must be several names, got the string {tools!r}.")
    return list(
        dict.fromkeys([BASELINE, *(entry for name in tools for entry in conventions(name))])
    )


def _sorting(entry: Entry) -> tuple[Any, ...]:
    """Functions that see the same scores and ties side by side, as they share a sort."""
    ties = CHOICES["ties"][entry.choices.ties].apply.__name__
    return entry.choices.scores, ties, *map(str, entry.options.items()), *entry.choices[2:]


def _row(
    entry: Entry, outcome: Outcome, k: int | None, baseline: float | None, n_queries: int
) -> Row:
    """Set a function's number beside scikit-learn's."""
    value = outcome.value
    known = value is not None and not isnan(value) and baseline is not None
    difference = value - baseline if known else None  # type: ignore[operator]
    return Row(entry.name, value, difference, k, outcome.refusal, outcome.left_out, n_queries)


def _grouped(rows: list[Row]) -> tuple[tuple[Row, ...], ...]:
    """Rows with the same number together, the largest first behind scikit-learn's."""
    groups: list[list[Row]] = []
    for row in rows:
        alike = next((group for group in groups if same(group[0].value, row.value)), None)
        if alike is None:
            groups.append([row])
        else:
            alike.append(row)
    first, *rest = map(tuple, groups)
    return first, *sorted(rest, key=lambda group: _place(group[0].value))


def _place(value: float | None) -> tuple[int, float]:
    """Numbers downwards, then nan, then exceptions."""
    if value is None:
        return 2, 0.0
    return (1, 0.0) if isnan(value) else (0, -value)


def _named(row: Row) -> str:
    return row.name + (f"  ({row.note})" if row.note else "")
